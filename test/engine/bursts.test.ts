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
 * 'Bursts' of the credential, with a service that reports how many requests of the minute remain. Ten per second keep tests short.
 */

const perSecond = 10;
const perMinute = 60 * perSecond;

const services: Emulator[] = [];
afterEach(async () => await Promise.all(services.splice(0).map(async (service) => await service.stop())));

/** A new account for each test, because the node remembers how a service has treated an account. */
async function start(changes: Partial<Limits> = {}): Promise<Emulator> {
	const account = { ...LARAVEL_LIMITS.account!, requests: perMinute };
	const service = await startEmulator({ limits: { ...LARAVEL_LIMITS, account, ...changes } });
	services.push(service);
	return service;
}

/** Attaches a tag to the given number of contacts; none may fail. @returns the requests that took effect, in the order of counting */
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

test('with 120 requests allowed in a minute, a hundred tags take seconds with bursts, and an even pace without', async () => {
	const service = await start(LARAVEL_LIMITS);
	const requests = await tag(service, 100, { requestsPerSecond: 2 });
	// At an even pace they take 50 seconds. The limit is ten times the expected duration.
	expect(requests.at(-1)!.countedAt! - requests[0]!.countedAt!).toBeLessThan(12_000);
	expect(service.requests).toHaveLength(100);
	expect(service.inFlight.peak).toBeLessThanOrEqual(10);

	const even = await tag(await start(), 15, { bursts: false });
	expect(even.at(-1)!.countedAt! - even[0]!.countedAt!).toBeGreaterThan(500);
});

test('bursts leave a tenth of the requests of a minute to other clients', async () => {
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

test('bursts respect the limits of the messengers', async () => {
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
 * Enough tags to show the pace: at an even pace the rest takes three seconds, as a burst a tenth of a second. The test expects half
 * of three seconds, so that it passes on a machine that stalls for a second.
 */
async function expectEvenRest(service: Emulator) {
	// The ten requests that were in progress when the burst ended count as neither.
	const times = (await tag(service, burst + 10 + rest)).map(({ countedAt }) => countedAt!);
	expect(times.at(-1)! - times[burst + 10]!).toBeGreaterThan((0.5 * (rest - perSecond) * 1000) / perSecond);
	return times.slice(0, burst - 1);
}

/** The speed relative to an even pace; below 1.2 means an even pace. */
const speedUp = (times: number[]) => (times.length * 1000) / perSecond / (times.at(-1)! - times[0]!);

test('bursts stop and the even pace applies when the service refuses a request', async () => {
	const service = await start();
	service.faults.add({ kind: 'too many', match: { nth: burst } });
	expect(speedUp(await expectEvenRest(service))).toBeGreaterThan(1.5);
});

test('bursts stop and the even pace applies when the service no longer reports the remaining requests', async () => {
	const service = await start();
	const nth = Array.from({ length: 10 + rest }, (_, index) => index + burst);
	service.faults.add({ kind: 'answer', status: 200, body: [], when: 'after', match: { nth } });
	expect(speedUp(await expectEvenRest(service))).toBeGreaterThan(1.5);
});

test.each(['none', 'constant', 'jumping', 'words'] as const)(
	'the even pace applies when the rate-limit headers of the service are unusable: %s',
	async (headers) => {
		await expectEvenRest(await start({ headers }));
	},
);
