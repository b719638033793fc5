import { addContacts, LARAVEL_LIMITS, type Limits } from '../../sandbox/emulator';
import { modes, runAll } from './everyOperation';
import { credentialFor, runNode, stoppable, until, withEmulator } from './harness';
import { lettersFor, send } from './messages';

/* The pace in real time, with an emulator. Limits, paces and services of all kinds, in virtual time: test/simulation/pace.test.ts. */

/** The most requests of an account that the node has in flight. */
const mostInFlight = 10;

/** VK has no limit of its own. */
const toVk = { ...send, contactMessenger: 'vk', text: 'Привет' };

/*
 * A service that counts in consecutive windows, as the framework does. In their last second it says 0 as the time to wait, and its
 * headers may say anything about the remaining requests. In every case, each request succeeds once, and none is given up.
 */
const framework = {
	...LARAVEL_LIMITS,
	account: { ...LARAVEL_LIMITS.account!, requests: 10, windowMs: 1500 },
};
/** Minutes of three seconds. A node that believes these headers waits for the ends of minutes: too long. */
const jumping: Partial<Limits> = { ...LARAVEL_LIMITS, scale: 0.05, headers: 'jumping' };

test.concurrent.each<[string, Partial<Limits>, Record<string, unknown>]>([
	['without a rate limit, though the service asks to wait 0 seconds', framework, { requestsPerSecond: 0 }],
	['with headers that jump', jumping, { requestsPerSecond: 2, bursts: true }],
])(
	'on a busy account every operation and a broadcast succeed together, %s',
	withEmulator(async (service, _name, limits, credential) => {
		service.setLimits(limits);
		const people = lettersFor(service, 5);
		const [operations, broadcast] = await Promise.all([
			runAll(service, modes[0]!, { credential }),
			runNode({ parameters: toVk, credential: credentialFor(service, credential), items: people }),
		]);
		for (const { context, result, sent, title } of operations) {
			const own = title === 'message/send' ? sent.filter(({ input }) => input.text !== 'Привет') : sent;
			const accepted = own.filter((request) => request.accepted);
			expect([context, result.error, accepted.length]).toEqual([context, undefined, 1]);
		}
		expect([broadcast.error, broadcast.json]).toEqual([undefined, people.map(() => ({ success: true }))]);
		const reached = service.deliveries().map(({ contactId }) => contactId);
		for (const { id } of people) expect(reached.filter((contactId) => contactId === id)).toEqual([id]);
		// Requests in progress when a window is full are refused, and may be sent again too early once or twice.
		const refused = service.requests.filter(({ refusedBy }) => refusedBy === 'account').length;
		const accepted = service.requests.filter((request) => request.accepted).length;
		expect(refused).toBeLessThanOrEqual(3 * mostInFlight * Math.ceil(accepted / limits.account!.requests));
	}),
);

test.concurrent(
	'ten requests without an answer block their own run, others for at most thirty seconds, and "Stop" frees the account',
	withEmulator(async (service) => {
		const credential = credentialFor(service);
		const options = (items: Array<{ id: number }>) => ({ parameters: toVk, credential, items });
		const run = async (count: number) => await runNode(options(lettersFor(service, count)));
		const people = lettersFor(service, 15);
		const isHanging = ({ input }: { input: Record<string, unknown> }) =>
			people.some(({ id }) => id === Number(input.contact_id));
		service.faults.add({ kind: 'timeout', when: 'before', match: { where: isHanging } });
		const hanging = stoppable(async (onStart) => await runNode({ ...options(people), onStart }));
		await until(() => service.requests.length === mostInFlight);
		const from = performance.now();
		const others = await Promise.all([run(4), run(4)]);
		expect(others.map(({ error }) => error)).toEqual([undefined, undefined]);
		expect(performance.now() - from).toBeLessThan(30_000);
		hanging.stop();
		await hanging.ended;
		expect(service.requests.filter(isHanging)).toHaveLength(mostInFlight);
		expect((await run(2)).error).toBeUndefined();
	}),
);

test.concurrent(
	'messages to WhatsApp are sent as soon as their limit allows, although many others precede them in a run',
	withEmulator(async (service) => {
		service.setLimits({});
		const to = (messenger: 'vk' | 'whatsapp', count: number) =>
			addContacts(service.data, count, { messenger }).map(({ id }) => ({ id, messenger }));
		const people = [...to('vk', 30), ...to('whatsapp', 2)];
		const { json, error } = await runNode({
			parameters: { ...send, text: 'Привет', contactMessenger: '={{ $json.messenger }}' },
			credential: credentialFor(service, { requestsPerSecond: 2 }),
			items: people,
		});
		expect([error, json]).toEqual([undefined, people.map(() => ({ success: true }))]);
		const reached = service.deliveries().map(({ contactId }) => contactId);
		const [first, second] = people.slice(-2).map(({ id }) => reached.indexOf(id));
		expect(first).toBeLessThan(5);
		// Ten seconds later, 20 of the others have been sent.
		expect(second).toBeLessThan(30);
		const refusedBy = service.requests.flatMap((request) => request.refusedBy ?? []);
		expect(refusedBy).not.toContain('whatsapp');
		// On a machine that stalls, requests that were sent at the pace arrive together. Each stall costs one refusal or two.
		expect(refusedBy.length).toBeLessThan(people.length / 4);
	}),
);
