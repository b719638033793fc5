import type { IDataObject } from 'n8n-workflow';

import { addContacts, LARAVEL_LIMITS, type Emulator, type Limits } from '../../sandbox/emulator';
import { modes, runAll } from './everyOperation';
import { credentialFor, runNode, stoppable, until, withEmulator } from './harness';
import { attach, lettersFor, send } from './messages';

/*
 * The pace in real time, with an emulator. Tests in virtual time cover limits, paces and services of all kinds:
 * test/unit/scheduler.test.ts and pace.test.ts.
 */

/** The most requests of an account that the node has in flight. */
const mostInFlight = 10;

/** VK has no limit of its own. */
const toVk = { ...send, contactMessenger: 'vk', text: 'Привет' };

const acceptedOf = ({ requests }: Emulator) =>
	requests.filter(({ accepted }) => accepted).sort((a, b) => a.countedAt! - b.countedAt!);

/** Starts a run with its own credential. */
function runWith(service: Emulator, requestsPerSecond: number, count: number) {
	const items = lettersFor(service, count);
	const credential = credentialFor(service, { requestsPerSecond });
	const run = stoppable(async (onStart) => await runNode({ parameters: toVk, credential, items, onStart }));
	const ids = new Set(items.map(({ id }) => id));
	/** The times at which the service received the requests of this run. */
	const arrivals = () =>
		service.requests
			.filter(({ input }) => ids.has(Number(input.contact_id)))
			.map(({ arrivedAt }) => arrivedAt)
			.sort((a, b) => a - b);
	return { ...run, ids, arrivals };
}

/** The mean over all requests. Within a single second, a machine that stalls can deliver more of them together. */
const requestsPerSecondOf = (arrivals: number[]) =>
	(1000 * (arrivals.length - 1)) / (arrivals.at(-1)! - arrivals[0]!);

describe('on a busy account', () => {
	/*
	 * A service that counts in consecutive windows, as the framework does. In their last second it says 0 as the time to wait, and its
	 * headers may say anything about the remaining requests. In every case, each request succeeds once, and none is given up.
	 */
	const framework = {
		...LARAVEL_LIMITS,
		account: { ...LARAVEL_LIMITS.account!, requests: 10, windowMs: 1500 },
	};
	/** Minutes of three seconds. */
	const short = { ...LARAVEL_LIMITS, scale: 0.05 };
	test.concurrent.each<[string, Partial<Limits>, Record<string, unknown>]>([
		['without a rate limit, though the service asks to wait 0 seconds', framework, { requestsPerSecond: 0 }],
		['with headers that tell the count', { ...short, headers: 'true' }, { bursts: true }],
		// A node that believes these headers waits for the ends of minutes: too long.
		['with headers that jump', { ...short, headers: 'jumping' }, { bursts: true }],
		['with headers that are no numbers', { ...short, headers: 'words' }, { bursts: true }],
		['with headers that never change', { ...short, headers: 'constant' }, { bursts: false }],
	])(
		'every operation and a broadcast succeed together, %s',
		withEmulator(async (service, _name, limits, changes) => {
			service.setLimits(limits);
			const credential = { requestsPerSecond: 2, ...changes };
			const people = addContacts(service.data, limits === framework ? 20 : 5, { messenger: 'vk' });
			const [operations, broadcast] = await Promise.all([
				runAll(service, modes[0]!, { credential }),
				runNode({
					parameters: { ...toVk, contactId: '={{ $json.id }}' },
					credential: credentialFor(service, credential),
					items: people.map(({ id }) => ({ id })),
				}),
			]);

			for (const { context, result, sent, title } of operations) {
				const own = title === 'message/send' ? sent.filter(({ input }) => input.text !== 'Привет') : sent;
				const accepted = own.filter((request) => request.accepted);
				expect([context, result.error, accepted.length]).toEqual([context, undefined, 1]);
			}
			expect(broadcast.error).toBeUndefined();
			expect(broadcast.json).toEqual(people.map(() => ({ success: true })));
			const reached = service.deliveries().map(({ contactId }) => contactId);
			expect(people.map(({ id }) => reached.filter((contactId) => contactId === id).length)).toEqual(
				people.map(() => 1),
			);

			// Requests in progress when a window is full are refused, and may be sent again too early once or twice.
			const refused = service.requests.filter(({ refusedBy }) => refusedBy === 'account').length;
			const windows = Math.ceil(acceptedOf(service).length / limits.account!.requests);
			expect(refused).toBeLessThanOrEqual(3 * mostInFlight * windows);
		}),
	);

	test.concurrent(
		'with 120 requests allowed in a minute, a hundred tags take seconds with bursts',
		withEmulator(async (service) => {
			service.setLimits(LARAVEL_LIMITS);
			const people = lettersFor(service, 100);
			const { error, json } = await runNode({
				parameters: attach,
				credential: credentialFor(service, { requestsPerSecond: 2, bursts: true }),
				items: people,
			});
			expect([error, json.length]).toEqual([undefined, 100]);
			const accepted = acceptedOf(service);
			expect(accepted.map(({ input }) => input.contact_id).sort()).toEqual(people.map(({ id }) => id).sort());
			// With bursts they take about a second, but 15 on a machine with other work. At an even pace they take 50 seconds.
			expect(accepted.at(-1)!.countedAt! - accepted[0]!.countedAt!).toBeLessThan(25_000);
			expect(service.requests).toHaveLength(100);
			expect(service.inFlight.peak).toBeLessThanOrEqual(mostInFlight);
		}),
	);

	test.concurrent(
		'ten requests without an answer block their own run, other runs for at most thirty seconds, and "Stop" frees the account',
		withEmulator(async (service) => {
			const hanging = runWith(service, 0, 15);
			service.faults.add({
				kind: 'timeout',
				when: 'before',
				match: { where: ({ input }) => hanging.ids.has(Number(input.contact_id)) },
			});
			await until(() => hanging.arrivals().length === mostInFlight);
			const from = performance.now();
			const others = [1, 2, 3].map(() => runWith(service, 0, 4));
			const results = await Promise.all(others.map(async ({ ended }) => await ended));
			expect(results.map(({ error }) => error)).toEqual([undefined, undefined, undefined]);
			expect(performance.now() - from).toBeLessThan(30_000);
			expect(hanging.arrivals()).toHaveLength(mostInFlight);
			hanging.stop();
			await hanging.ended;
			expect(hanging.arrivals()).toHaveLength(mostInFlight);
			const last = await runWith(service, 0, 2).ended;
			expect(last.error).toBeUndefined();
		}),
	);
});

describe('the pace', () => {
	test.concurrent.each<[string, IDataObject]>([
		['', {}],
		[' with Send Once Per', { options: { sendOncePer: 'осень' } }],
	])(
		'messages to WhatsApp%s are sent as soon as their limit allows, although many others precede them in a run',
		withEmulator(async (service, _name, options) => {
			service.setLimits({});
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
			const refusedBy = service.requests
				.map((request) => request.refusedBy)
				.filter((limit) => limit !== undefined);
			expect(refusedBy).not.toContain('whatsapp');
			// On a machine that stalls, requests that were sent at the pace arrive together. Each stall costs one refusal or two.
			expect(refusedBy.length).toBeLessThan(people.length / 4);
		}),
	);

	test.concurrent(
		'two credentials of one account share its pace, which is never faster than the faster of them',
		withEmulator(async (service) => {
			const slow = runWith(service, 3, 45);
			await until(() => service.requests.length > 0);
			const fast = runWith(service, 10, 60);
			const results = await Promise.all([slow.ended, fast.ended]);
			expect(results.map(({ error }) => error)).toEqual([undefined, undefined]);
			const [from, to] = [fast.arrivals()[0]!, fast.arrivals().at(-1)!];
			const meanwhile = service.requests
				.map(({ arrivedAt }) => arrivedAt)
				.filter((at) => at >= from && at <= to);
			// A mean with room for a machine that stalls. If each kept only its own, both would come to 13.
			expect(requestsPerSecondOf(meanwhile.sort((a, b) => a - b))).toBeLessThan(12);
		}),
	);
});
