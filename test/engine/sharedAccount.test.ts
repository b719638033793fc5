import { lettersFor, send } from './messages';
import { credentialFor, runNode, stoppable, until, useEmulator } from './harness';

/* Runs of several workflows on one account: the same base URL and token, with credentials of any name. */

const service = useEmulator({ limits: false });

let tokens = 0;
/** An account that no other test uses. */
function newAccount(): string {
	const token = `account-of-several-${tokens++}`;
	service.data.accounts.push({ token, apiAccess: true });
	return token;
}

/** VK has no limit of its own. */
const parameters = { ...send, contactMessenger: 'vk' };

/** Starts a run with its own credential. */
function runWith(token: string, requestsPerSecond: number, count: number) {
	const items = lettersFor(service, count);
	const credential = credentialFor(service, { token, requestsPerSecond });
	const run = stoppable(async (onStart) => await runNode({ parameters, credential, items, onStart }));
	const ids = new Set(items.map(({ id }) => id));
	/** The times at which the service received the requests of this run. */
	const arrivals = () =>
		service.requests
			.filter(({ input }) => ids.has(Number(input.contact_id)))
			.map(({ arrivedAt }) => arrivedAt)
			.sort((a, b) => a - b);
	return { ...run, ids, arrivals };
}

/** The most requests within any second, minus a few milliseconds for variations in transit. */
const mostInASecond = (arrivals: number[]) =>
	Math.max(...arrivals.map((from) => arrivals.filter((at) => at >= from && at < from + 960).length));

describe('two credentials of one account', () => {
	test.each([
		['the slow one first', 2, 10],
		['the fast one first', 10, 2],
	])('each respect their own rate limit, and together the higher one: %s', async (_, first, second) => {
		const token = newAccount();
		const counts = { 2: 9, 10: 20 } as Record<number, number>;
		const one = runWith(token, first, counts[first]!);
		await until(() => service.requests.length > 0);
		const other = runWith(token, second, counts[second]!);
		const results = await Promise.all([one.ended, other.ended]);
		expect(results.map(({ error }) => error)).toEqual([undefined, undefined]);
		const [slow, fast] = first === 2 ? [one, other] : [other, one];
		expect(mostInASecond(slow.arrivals())).toBeLessThanOrEqual(2);
		expect(mostInASecond(fast.arrivals())).toBeLessThanOrEqual(10);
		expect(mostInASecond([...slow.arrivals(), ...fast.arrivals()].sort((a, b) => a - b))).toBeLessThanOrEqual(
			10,
		);
		// The fast run does not slow down to the rate of the slow one, at which 20 messages take ten seconds.
		expect(fast.arrivals().at(-1)! - fast.arrivals()[0]!).toBeLessThan(5000);
	});
});

describe('ten requests that get no answer', () => {
	test('block their own run, block other runs for at most thirty seconds, and "Stop" frees the account', async () => {
		const token = newAccount();
		const hanging = runWith(token, 0, 15);
		service.faults.add({
			kind: 'timeout',
			when: 'before',
			match: { where: ({ input }) => hanging.ids.has(Number(input.contact_id)) },
		});
		await until(() => hanging.arrivals().length === 10);
		const from = performance.now();
		const others = [1, 2, 3].map(() => runWith(token, 0, 4));
		const results = await Promise.all(others.map(async ({ ended }) => await ended));
		expect(results.map(({ error }) => error)).toEqual([undefined, undefined, undefined]);
		expect(performance.now() - from).toBeLessThan(30_000);
		expect(hanging.arrivals()).toHaveLength(10);
		hanging.stop();
		await hanging.ended;
		expect(hanging.arrivals()).toHaveLength(10);
		const last = await runWith(token, 0, 2).ended;
		expect(last.error).toBeUndefined();
	}, 60_000);
});
