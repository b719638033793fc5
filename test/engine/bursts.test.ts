import { setTimeout as sleep } from 'node:timers/promises';

import {
	addContacts,
	LARAVEL_LIMITS,
	startEmulator,
	type Limits,
	type Emulator,
} from '../../sandbox/emulator';
import { credentialFor, runNode, stoppable } from './harness';
import { attach, lettersFor, send } from './messages';

/*
 * 'Bursts' of the credential, at a service that says how many requests of a minute are left. Ten per second keep the tests short.
 */

const perSecond = 10;
const perMinute = 60 * perSecond;

const services: Emulator[] = [];
afterEach(async () => await Promise.all(services.splice(0).map(async (service) => await service.stop())));

/** A new one for each test: the node remembers how a service has treated it. */
async function start(changes: Partial<Limits> = {}): Promise<Emulator> {
	const account = { ...LARAVEL_LIMITS.account!, requests: perMinute };
	const service = await startEmulator({ limits: { ...LARAVEL_LIMITS, account, ...changes } });
	services.push(service);
	return service;
}

/** Attaches a tag to so many contacts; none may fail. @returns the requests that took effect, in the order of their counting */
async function tag(service: Emulator, count: number, credential: Record<string, unknown> = {}) {
	const people = lettersFor(service, count);
	const { error, json } = await runNode({
		parameters: attach,
		credential: credentialFor(service, { requestsPerSecond: perSecond, bursts: true, ...credential }),
		items: people,
	});
	expect(error).toBeUndefined();
	expect(json).toHaveLength(count);
	const accepted = acceptedOf(service);
	expect(accepted.map(({ input }) => input.contact_id).sort()).toEqual(people.map(({ id }) => id).sort());
	return accepted;
}

const acceptedOf = ({ requests }: Emulator) =>
	requests.filter(({ accepted }) => accepted).sort((a, b) => a.countedAt! - b.countedAt!);

test('with bursts a hundred tags leave in seconds where 120 in a minute are allowed, and without at an even pace', async () => {
	const service = await start(LARAVEL_LIMITS);
	const requests = await tag(service, 100, { requestsPerSecond: 2 });
	// Evenly they take 50 seconds; ten times what is expected is allowed.
	expect(requests.at(-1)!.countedAt! - requests[0]!.countedAt!).toBeLessThan(12_000);
	expect(service.requests).toHaveLength(100);
	expect(service.inFlight.peak).toBeLessThanOrEqual(10);

	const even = await tag(await start(), 15, { bursts: false });
	expect(even.at(-1)!.countedAt! - even[0]!.countedAt!).toBeGreaterThan(500);
});

test('bursts leave a tenth of the minute to others', async () => {
	const service = await start({ account: { ...LARAVEL_LIMITS.account!, requests: 30 } });
	const { ended, stop } = stoppable(
		async (onStart) =>
			await runNode({
				parameters: attach,
				credential: credentialFor(service, { requestsPerSecond: 0.5, bursts: true }),
				items: lettersFor(service, 40),
				onStart,
			}),
	);
	while (acceptedOf(service).length < 27) await sleep(100);
	// At the even pace another one would leave every two seconds.
	await sleep(3000);
	stop();
	await ended;
	expect(acceptedOf(service)).toHaveLength(27);
	expect(service.requests).toHaveLength(27);
});

test('bursts keep the limits of the messengers', async () => {
	const service = await start();
	const people = addContacts(service.data, 12, { messenger: 'telegram' });
	const { error } = await runNode({
		parameters: { ...send, contactMessenger: 'telegram', text: 'Здравствуйте' },
		credential: credentialFor(service, { requestsPerSecond: perSecond, bursts: true }),
		items: people.map(({ id }) => ({ id })),
	});
	expect(error).toBeUndefined();
	expect(service.requests).toHaveLength(12);
	const times = acceptedOf(service).map(({ countedAt }) => countedAt!);
	expect(times[10]! - times[0]!).toBeGreaterThanOrEqual(10_000);
}, 30_000);

const burst = 60;
const rest = 40;

/**
 * Tags so many that the pace shows: evenly the rest takes three seconds, as a burst a tenth of one. Half of that is asked for, so
 * that a machine that is held up for a second passes.
 */
async function expectEvenRest(service: Emulator) {
	// The ten requests that were under way when the burst ended are of neither.
	const times = (await tag(service, burst + 10 + rest)).map(({ countedAt }) => countedAt!);
	expect(times.at(-1)! - times[burst + 10]!).toBeGreaterThan((0.5 * (rest - perSecond) * 1000) / perSecond);
	return times.slice(0, burst - 1);
}

/** How much faster than evenly they were; less than 1.2 where they were not. */
const speedUp = (times: number[]) => (times.length * 1000) / perSecond / (times.at(-1)! - times[0]!);

test('bursts end, and the even pace holds, when the service refuses a request', async () => {
	const service = await start();
	service.faults.add({ kind: 'too many', match: { nth: burst } });
	expect(speedUp(await expectEvenRest(service))).toBeGreaterThan(1.5);
});

test('bursts end, and the even pace holds, when the service no longer says what is left', async () => {
	const service = await start();
	const nth = Array.from({ length: 10 + rest }, (_, index) => index + burst);
	service.faults.add({ kind: 'answer', status: 200, body: [], when: 'after', match: { nth } });
	expect(speedUp(await expectEvenRest(service))).toBeGreaterThan(1.5);
});

test.each(['none', 'constant', 'jumping', 'words'] as const)(
	'the even pace holds where the headers of the service are of no use: %s',
	async (headers) => {
		await expectEvenRest(await start({ headers }));
	},
);
