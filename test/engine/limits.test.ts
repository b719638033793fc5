import { LARAVEL_LIMITS, type Limits } from '../../sandbox/emulator';
import { modes, runAll } from './everyOperation';
import { credentialFor, runNode, withEmulator } from './harness';
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
