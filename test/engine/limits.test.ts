import type { IDataObject } from 'n8n-workflow';

import {
	LARAVEL_LIMITS,
	addContacts,
	startEmulator,
	type Limits,
	type Emulator,
} from '../../sandbox/emulator';
import { modes, runEach, startEach } from './everyOperation';
import { credentialFor, runNode } from './harness';
import { send } from './messages';

/*
 * A service that counts in consecutive windows, as the framework does. In their last second it says 0 as the time to wait, and its
 * headers may say anything about the remaining requests. In every case, each request succeeds once, and none is given up.
 */

/** How many requests of an account the node has in progress at most. */
const mostInFlight = 10;

/** New services for each test, because the node remembers how a service has treated an account. */
const services: Emulator[] = [];
afterEach(async () => await Promise.all(services.splice(0).map(async (service) => await service.stop())));

/** A run of the given number of messages to different people, in each mode. */
const broadcastEach = async (started: Emulator[], messages: number, credential: Record<string, unknown>) =>
	await Promise.all(
		modes.map(async ([mode, onError], place) => {
			const service = started[place]!;
			const people = addContacts(service.data, messages, { messenger: 'vk' });
			const result = await runNode({
				parameters: { ...send, text: 'Привет' },
				credential: credentialFor(service, credential),
				items: people.map(({ id }) => ({ id })),
				node: { onError },
			});
			return { mode, service, people, result };
		}),
	);

/** Every operation and a broadcast at the same time on one account, in each mode. */
async function expectAllDone(limits: Partial<Limits>, messages: number, credential: Record<string, unknown>) {
	const started = await startEach({ limits });
	services.push(...started);
	const { headers } = limits;
	const [operations, broadcasts] = await Promise.all([
		runEach(started, { credential }),
		broadcastEach(started, messages, credential),
	]);

	for (const { context, result, said, sent, title } of operations) {
		const own = title === 'message/send' ? sent.filter(({ input }) => input.text !== 'Привет') : sent;
		const accepted = own.filter((request) => request.accepted);
		const found = [headers, context, said[0], result.error, accepted.length];
		expect(found).toEqual([headers, context, undefined, undefined, 1]);
	}
	for (const { mode, service, people, result } of broadcasts) {
		const context = `${headers}, ${mode}`;
		expect([context, result.error, result.outputs[1] ?? []]).toEqual([context, undefined, []]);
		expect([context, result.json]).toEqual([context, people.map(() => ({ success: true }))]);
		const reached = service.deliveries().map(({ contactId }) => contactId);
		const times = people.map(({ id }) => reached.filter((contactId) => contactId === id).length);
		expect([context, times]).toEqual([context, people.map(() => 1)]);

		// Requests in progress when a window is full are refused, and may be sent again too early once or twice.
		const { length } = service.requests.filter(({ accepted }) => accepted);
		const refused = service.requests.filter(({ refusedBy }) => refusedBy === 'account').length;
		const windows = Math.ceil(length / limits.account!.requests);
		expect(refused).toBeLessThanOrEqual(3 * mostInFlight * windows);
	}
}

const framework = {
	...LARAVEL_LIMITS,
	account: { ...LARAVEL_LIMITS.account!, requests: 10, windowMs: 1500 },
};
const lies = ['none', 'constant', 'jumping', 'words'] as const;

test('without a rate limit everything succeeds although the service asks to wait 0 seconds', async () => {
	await expectAllDone(framework, 20, { requestsPerSecond: 0 });
}, 60_000);

// The tests below mostly wait, so all their runs start at once.
test('without a rate limit everything succeeds with any rate-limit headers', async () => {
	await Promise.all(
		lies.map(async (headers) => await expectAllDone({ ...framework, headers }, 20, { requestsPerSecond: 0 })),
	);
}, 60_000);

// Here the headers describe the limit that the node knows. A node that believes them waits for the ends of minutes: too long.
test.each([false, true])(
	'with a rate limit everything succeeds with any rate-limit headers (bursts: %s)',
	async (bursts) => {
		const limits = { ...LARAVEL_LIMITS, scale: 0.05 };
		const credential = { requestsPerSecond: 2, bursts };
		const all = ['true', ...lies] as const;
		await Promise.all(all.map(async (headers) => await expectAllDone({ ...limits, headers }, 5, credential)));
	},
	45_000,
);

test('messages to WhatsApp are sent as soon as their limit allows, although many others precede them in a run', async () => {
	const ways: IDataObject[] = [{}, { options: { sendOncePer: 'осень' } }];
	await Promise.all(
		ways.map(async (options) => {
			const service = await startEmulator();
			services.push(service);
			const to = (messenger: 'vk' | 'whatsapp', count: number) =>
				addContacts(service.data, count, { messenger }).map(({ id }) => ({ id, messenger }));
			const people = [...to('vk', 30), ...to('whatsapp', 2)];
			const { json, error } = await runNode({
				parameters: { ...send, text: 'Привет', contactMessenger: '={{ $json.messenger }}', ...options },
				credential: credentialFor(service, { requestsPerSecond: 2 }),
				items: people,
			});
			expect(error).toBeUndefined();
			expect(json).toEqual(people.map(() => ({ success: true })));
			const reached = service.deliveries().map(({ contactId }) => contactId);
			const [first, second] = people.slice(-2).map(({ id }) => reached.indexOf(id));
			expect(first).toBeLessThan(5);
			// Ten seconds later, 20 of the others have been sent.
			expect(second).toBeLessThan(30);
			expect(service.requests.filter(({ refusedBy }) => refusedBy)).toEqual([]);
		}),
	);
}, 45_000);
