import fc from 'fast-check';

import { VirtualClock } from '../../bench/simulation/clock';
import { SimulatedService } from '../../bench/simulation/service';
import { tooManyRequests } from '../../nodes/ChatbotService/client/failure';
import {
	accountLimits,
	joinLimits,
	shareOf,
	type Limits,
	type Terms,
} from '../../nodes/ChatbotService/client/pace/limits';
import { Scheduler, type Ending, type Slot } from '../../nodes/ChatbotService/client/pace/scheduler';
import { Attempts } from '../../nodes/ChatbotService/client/retry';
import { messageLimits } from '../../nodes/ChatbotService/resources/message/limits';
import { seededRandom } from '../../sandbox/emulator/random';

/*
 * The scheduler of an account in virtual time. Its parts have tests of their own, in lanes.test.ts, paces.test.ts and window.test.ts.
 * Whole broadcasts are in pace.test.ts.
 */

/** The terms of requests. By default, the credential is for a single process, without bursts. */
const termsOf = (limits: Limits, changes: Partial<Terms> = {}): Terms => ({
	limits,
	workers: 1,
	bursts: false,
	...changes,
});
const pace = (perSecond: number, changes: Partial<Terms> = {}) => termsOf(accountLimits(perSecond), changes);

const unlimited = termsOf({});
const telegram = messageLimits('telegram');

const short = (count: number) => ({ short: { count, windowMs: 1000 } });
const long = (count: number) => ({ long: { count, windowMs: 10_000 } });

/** A refusal after which the request waits as long as the service asks. */
const refusal = (askedMs?: number): Ending => ({ refused: { askedMs, waitMs: askedMs } });

/** A refusal after which the request is given up. */
const givenUp = (askedMs: number): Ending => ({ refused: { askedMs, waitMs: undefined } });

/** A request waits for its slot, or it is enqueued and called back. Both share the scheduler. */
type Way = 'acquire' | 'enqueue';
const ways: Way[] = ['acquire', 'enqueue'];

/** A request. By default, it belongs to its own run, has a limit of two per second, and is answered at once. */
interface Request {
	run?: object;
	name?: string;
	terms?: Terms;
	way?: Way;
	first?: boolean;
	answer?: () => Ending | Promise<Ending>;
}

function setUp() {
	const clock = new VirtualClock();
	const scheduler = new Scheduler(clock);
	/** The requests that have left, and when. */
	const left: Array<{ name: string; at: number }> = [];
	const names = () => left.map(({ name }) => name);
	const timesOf = (name: string) => left.filter((each) => each.name === name).map(({ at }) => at);

	/** Sends a request when it has its slot. @returns how a request that waits for its slot ends; undefined if its run leaves first */
	const send = async ({
		run = {},
		name = 'x',
		terms = pace(2),
		way = 'acquire',
		first,
		answer = () => ({}),
	}: Request = {}) => {
		const use = async (slot: Slot) => {
			left.push({ name, at: clock.now() });
			const ending = await answer();
			scheduler.release(slot, ending);
			return ending;
		};
		if (way === 'enqueue') {
			scheduler.enqueue(run, terms, (slot) => void use(slot));
			return undefined;
		}
		const slot = await scheduler.acquire({ run, terms, first });
		return slot && (await use(slot));
	};
	const sendAll = (requests: string[], given: Request = {}) => {
		for (const name of requests) void send({ ...given, name });
	};
	/** Sends requests together at the given time. @returns how long after it each of them leaves */
	const sendAt = async (at: number, requests: number, given: Request) => {
		await clock.run(at);
		const before = left.length;
		sendAll(times(requests, 'x'), given);
		await clock.run();
		return left.slice(before).map((each) => each.at - at);
	};

	/** An answer that takes a while. */
	const after =
		(milliseconds: number, ending: Ending = {}) =>
		async () => {
			await clock.sleep(milliseconds);
			return ending;
		};
	/** Functions that let the open requests of `pending` be answered. */
	const open: Array<() => void> = [];
	const pending = async () => await new Promise<Ending>((resolve) => open.push(() => resolve({})));

	return { clock, scheduler, left, names, timesOf, send, sendAll, sendAt, after, open, pending };
}

/** The number of lanes and runs that a scheduler remembers. */
function kept(scheduler: Scheduler) {
	const inside = scheduler as unknown as {
		lanes: { lanes: Map<string, unknown>; served: Map<object, number> };
	};
	const { lanes, served } = inside.lanes;
	return lanes.size + served.size;
}

const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);

test('Requests leave at the times in the example in scheduler.ts', async () => {
	const { clock, left, send, after } = setUp();
	const run = {};
	const waitMs = new Attempts(false).nextAfter(tooManyRequests(429, 1000));
	const refused: Ending = { refused: { askedMs: 1000, waitMs } };
	for (const name of '1234567') {
		const answer = after(name === '3' ? 300 : 40, name === '5' ? refused : {});
		void send({ run, name, answer }).then(async (ending) => {
			if (ending?.refused) await send({ run, name, first: true });
		});
	}
	await clock.run();
	expect(left.map(({ name, at }) => [at, name])).toEqual([
		[0, '1'],
		[0, '2'],
		[1040, '3'],
		[1040, '4'],
		[2075, '5'],
		[2080, '6'],
		[4115, '5'],
		[4115, '7'],
	]);
});

describe('which request goes next', () => {
	test('Runs share the slots evenly, whichever way they ask, and each keeps its own order', async () => {
		const { clock, sendAll, names } = setUp();
		const terms = pace(1);
		sendAll(['first'], { terms });
		sendAll(['a1', 'a2', 'a3'], { run: {}, terms, way: 'acquire' });
		sendAll(['b1', 'b2', 'b3'], { run: {}, terms, way: 'enqueue' });
		sendAll(['c1', 'c2', 'c3'], { run: {}, terms, way: 'acquire' });
		await clock.run();
		expect(names()).toEqual(['first', 'a1', 'b1', 'c1', 'a2', 'b2', 'c2', 'a3', 'b3', 'c3']);
	});

	test('No run takes all slots of a limit while another run waits for it, whatever else both have waiting', async () => {
		const { clock, sendAll, names } = setUp();
		const perSecond = (name: string) => termsOf({ [name]: { count: 1, windowMs: 1000 } });
		for (const name of ['a', 'b']) {
			const run = {};
			sendAll(times(4, name), { run, terms: perSecond('both') });
			sendAll(times(4, `only ${name}`), { run, terms: perSecond(`of ${name}`) });
		}
		await clock.run();
		const atBoth = names().filter((name) => name.length === 1);
		expect(atBoth).toHaveLength(8);
		expect(atBoth.join('')).not.toMatch(/aaa.*b|bbb.*a/);
	});

	test('A retry goes before the other requests of its run, whichever way they ask', async () => {
		const { clock, sendAll, names } = setUp();
		const given = { run: {}, terms: pace(1) };
		sendAll(['a', 'b'], { ...given, way: 'enqueue' });
		sendAll(['c'], given);
		sendAll(['again', 'again first'], { ...given, first: true });
		sendAll(['d'], { ...given, way: 'enqueue' });
		await clock.run();
		expect(names()).toEqual(['a', 'again first', 'again', 'b', 'c', 'd']);
	});

	test('A longer wait does not delay a shorter one, and only one timer is set', async () => {
		const { clock, send, timesOf } = setUp();
		const sendTwo = async (name: string, windowMs: number) => {
			const given = { name, terms: termsOf({ [name]: { count: 1, windowMs } }) };
			await send(given);
			void send(given);
		};
		await sendTwo('long', 10_000);
		await clock.run(100);
		await sendTwo('short', 500);
		await clock.run(550);
		expect(clock.sleeping).toBe(1);
		await clock.run();
		expect([timesOf('long'), timesOf('short')]).toEqual([
			[0, 10_000],
			[100, 600],
		]);
	});
});

describe('a run that leaves', () => {
	test.each(ways)('A run that leaves removes its waiting requests and no others, by %s', async (way) => {
		const { clock, scheduler, send, sendAll, names } = setUp();
		const run = {};
		const leaving = times(20, 'leaving').map((name) => send({ run, name, way }));
		sendAll(times(4, 'staying'), { run: {}, way });
		await clock.run(1500);
		const sent = names().filter((name) => name === 'leaving').length;
		expect(sent).toBeGreaterThan(0);
		scheduler.leave(run);
		await clock.run();
		expect(names().sort()).toEqual([...times(sent, 'leaving'), ...times(4, 'staying')]);
		const unsent = (await Promise.all(leaving)).filter((ending) => ending === undefined);
		expect(unsent).toHaveLength(way === 'acquire' ? 20 - sent : 20);
		expect([kept(scheduler), clock.sleeping]).toEqual([0, 0]);
	});

	test('A run can leave while it is called back: its other requests are not called back any more', async () => {
		const { clock, scheduler, send, names } = setUp();
		const run = {};
		const leave = () => {
			scheduler.leave(run);
			return {};
		};
		for (const name of 'abcdefgh')
			void send({ run, name, way: 'enqueue', ...(name === 'c' && { answer: leave }) });
		await clock.run();
		expect(names()).toEqual(['a', 'b', 'c']);
		expect(kept(scheduler)).toBe(0);
	});
});

describe('requests that are enqueued', () => {
	test('A request is called back at once while there is room', () => {
		const { sendAll, names } = setUp();
		sendAll(['a', 'b', 'c'], { run: {}, way: 'enqueue' });
		expect(names()).toEqual(['a', 'b']);
	});

	test('A run that is enqueued again in another scheduler keeps its order, and loses no request', async () => {
		const [old, other] = [setUp(), setUp()];
		const run = {};
		const begun: string[] = [];
		const begin = (name: string) => (slot: Slot) => {
			begun.push(name);
			slot.scheduler.release(slot);
		};
		for (const name of 'abcd')
			old.scheduler.enqueue(run, pace(2), begin(name), () =>
				other.scheduler.enqueue(run, unlimited, begin(name)),
			);
		const repeated = old.scheduler.acquire({
			run,
			terms: pace(2),
			first: true,
			again: async () => await other.scheduler.acquire({ run, terms: unlimited, first: true }),
		});
		old.scheduler.enqueueAgain(run);
		await Promise.all([old.clock.run(), other.clock.run()]);
		expect(begun).toEqual(['a', 'b', 'c', 'd']);
		const slot = await repeated;
		expect(slot!.scheduler).toBe(other.scheduler);
		other.scheduler.release(slot!);
		expect([old.scheduler.isLikeNew, other.scheduler.isLikeNew]).toEqual([false, true]);
	});

	test('Enqueuing a run again does not affect other runs; a request that cannot be enqueued ends without a slot', async () => {
		const { clock, scheduler, send, sendAll, names } = setUp();
		const terms = pace(1);
		const run = {};
		sendAll(['a', 'b'], { terms, way: 'enqueue' });
		scheduler.enqueueAgain(run);
		const lost = send({ run, terms });
		sendAll(['lost'], { run, terms, way: 'enqueue' });
		scheduler.enqueueAgain(run);
		expect(await lost).toBeUndefined();
		await clock.run();
		expect(names()).toEqual(['a', 'b']);
		expect(kept(scheduler)).toBe(0);
	});

	test('A run can enqueue more requests while it is called back', async () => {
		const { clock, send, sendAll, names } = setUp();
		const given = { run: {}, way: 'enqueue' as const };
		const sendMore = () => {
			sendAll(['c'], given);
			sendAll(['other'], { way: 'enqueue' });
			return {};
		};
		void send({ ...given, name: 'a', answer: sendMore });
		sendAll(['b'], given);
		await clock.run();
		// There is room for two; then a run that begins goes before the one that was served last.
		expect(names()).toEqual(['a', 'c', 'other', 'b']);
	});
});

describe('requests in flight', () => {
	test('At most ten requests are in flight, each from its slot to its answer', async () => {
		const { clock, sendAll, left, open, pending } = setUp();
		sendAll(times(30, 'x'), { terms: unlimited, way: 'enqueue', answer: pending });
		await clock.run(1000);
		expect(left).toHaveLength(10);
		open[3]!();
		await clock.run(2000);
		expect(left).toHaveLength(11);
	});

	test.each(ways)(
		'Requests without an answer free their slots for other runs after ten seconds, not for their own, by %s',
		async (way) => {
			const { clock, sendAll, timesOf, open, pending } = setUp();
			const given = { terms: unlimited, way, answer: pending };
			sendAll(times(12, 'a'), { ...given, run: {} });
			await clock.run(500);
			sendAll(times(3, 'b'), { ...given, run: {} });
			await clock.run();
			expect(timesOf('a')).toEqual(times(10, 0));
			expect(timesOf('b')).toEqual(times(3, 10_000));
			await clock.run(60_000);
			open[0]!();
			await clock.run(61_000);
			expect(timesOf('a')).toEqual([...times(10, 0), 60_000]);
		},
	);

	test('Requests without an answer free their slots one after the other, in the order in which they were sent', async () => {
		const { clock, sendAll, timesOf, pending } = setUp();
		const given = { terms: unlimited, answer: pending };
		sendAll(times(4, 'a'), given);
		await clock.run(3000);
		sendAll(times(6, 'a'), given);
		await clock.run(4000);
		sendAll(times(10, 'b'), given);
		await clock.run();
		expect(timesOf('a')).toEqual([...times(4, 0), ...times(6, 3000)]);
		expect(timesOf('b')).toEqual([...times(4, 10_000), ...times(6, 13_000)]);
	});

	test('A run that leaves keeps its unanswered requests in flight', async () => {
		const { clock, scheduler, sendAll, timesOf, open, pending } = setUp();
		const given = { run: {}, terms: unlimited, answer: pending };
		sendAll(times(20, 'a'), given);
		await clock.run(500);
		sendAll(['b'], { ...given, run: {} });
		scheduler.leave(given.run);
		sendAll(['a again'], given);
		await clock.run(20_000);
		expect([timesOf('b'), timesOf('a again')]).toEqual([[10_000], []]);
		for (const answer of open) answer();
		await clock.run();
		expect(timesOf('a again')).toEqual([20_000]);
		expect(timesOf('a')).toEqual(times(10, 0));
		expect(kept(scheduler)).toBe(0);
	});

	test('Neither a request without a limit nor a run that waits for its own answers sets a timer', async () => {
		const { clock, sendAll, left, pending } = setUp();
		sendAll(times(11, 'x'), { run: {}, terms: unlimited, answer: pending });
		await clock.run(0);
		expect(left).toHaveLength(10);
		expect(clock.sleeping).toBe(0);
	});
});

/** When a request with only one of the limits may leave, after a request with all of them was refused. */
async function afterRefusal(limits: Limits, ending: Ending) {
	const { clock, left, send } = setUp();
	void send({ terms: termsOf(limits), answer: () => ending });
	await clock.run(0);
	for (const [name, limit] of Object.entries(limits)) void send({ name, terms: termsOf({ [name]: limit }) });
	await clock.run();
	return Object.fromEntries(left.slice(1).map(({ name, at }) => [name, at]));
}

const told = (limit: number, remaining: number, askedMs: number): Ending => ({
	count: { limit, remaining },
	...refusal(askedMs),
});
const refusedBy = (limit: number, askedMs: number) => told(limit, 0, askedMs);

describe('after a refusal', () => {
	test.each([
		['as long as it asks', refusal(7000), 7000],
		['for its window if it asks for nothing', refusal(), 1000],
		['for its window if the request is given up', givenUp(500), 1000],
		['for its window if it asks for too long', givenUp(120_001), 1000],
		['longer if the waits of the request grow', { refused: { askedMs: 500, waitMs: 4000 } }, 4000],
		['whatever minute it counts', told(120, 5, 500), 500],
		['whatever minute is used up', refusedBy(60, 5000), 5000],
	])('A refusal refers to the only limit, which waits %s', async (_, ending, expected) => {
		expect(await afterRefusal(short(2), ending)).toEqual({ short: expected });
	});

	/** The counts of a short and of a long limit, and when a request of each may leave. */
	type Both = [short: number, long: number];
	const bothOf = ([shortCount, longCount]: Both): Limits => ({ ...short(shortCount), ...long(longCount) });

	test.each<[string, Both, Ending, Both]>([
		['the fuller one, though that is the longer', [10, 2], refusal(), [0, 10_000]],
		['the fuller one, though that is the shorter', [2, 10], refusal(), [1000, 0]],
		['the shorter one if both are as full', [2, 2], refusal(), [1000, 0]],
		['the longer one if it asks for more than the window of the other', [2, 10], refusal(1001), [0, 1001]],
		['the fuller one if it asks for just its window', [2, 10], refusal(1000), [1000, 0]],
		['the fuller one if it asks for more than both windows', [2, 10], refusal(60_000), [60_000, 0]],
		['the one whose minute is used up, though it asks for little', [2, 10], refusedBy(60, 500), [0, 500]],
		['the one whose minute is used up, though it asks for much', [2, 10], refusedBy(120, 5000), [5000, 0]],
		['the fuller one if it counts neither of them', [2, 10], refusedBy(77, 500), [500, 0]],
		['one that is long enough if it counts neither of them', [2, 10], refusedBy(77, 5000), [0, 5000]],
		['one that is long enough if it counts no minute', [2, 10], refusedBy(2, 5000), [0, 5000]],
		['the fuller one while the minute of the short one lasts', [2, 10], told(120, 5, 500), [500, 0]],
		['a longer one while the minute of the short one lasts', [2, 10], told(120, 5, 5000), [0, 5000]],
		['the fuller one while the minute of the long one lasts', [2, 10], told(60, 5, 500), [500, 0]],
		['a longer one while the minute of the long one lasts', [2, 10], told(60, 5, 5000), [0, 5000]],
	])('With two limits in any order, a refusal refers to %s', async (_, counts, ending, [shortAt, longAt]) => {
		const limits = bothOf(counts);
		const expected = { short: shortAt, long: longAt };
		expect(await afterRefusal(limits, ending)).toEqual(expected);
		const reversed = Object.fromEntries(Object.entries(limits).reverse());
		expect(await afterRefusal(reversed, ending)).toEqual(expected);
	});

	test('A refusal does not distinguish two limits with the same values', async () => {
		const alike = { ...accountLimits(1), ...telegram };
		expect(await afterRefusal(alike, refusedBy(60, 500))).toEqual({ account: 1000, telegram: 0 });
		expect(await afterRefusal(alike, refusedBy(60, 5000))).toEqual({ account: 1000, telegram: 5000 });
	});

	test.each([
		['what it asks for', refusal(5000), 5000],
		['a second when it does not say', refusal(), 1000],
		['a second when it asks for more than a request waits', givenUp(120_001), 1000],
	])('Without a limit, all requests wait after a refusal: %s', async (_, ending, expected) => {
		const { clock, send, sendAt } = setUp();
		void send({ terms: unlimited, answer: () => ending });
		await clock.run(0);
		expect(await sendAt(0, 1, { terms: unlimited })).toEqual([expected]);
	});

	test.each([
		['slows down a single limit at once', short(2), [0, 1000, 2000, 3000]],
		['says nothing of either of two limits', bothOf([2, 10]), [0, 0, 1000, 1000]],
	])('A refusal with a lower count than any limit %s', async (_, limits, expected) => {
		const { send, sendAt } = setUp();
		const terms = termsOf(limits);
		void send({ terms, answer: () => refusedBy(1, 0) });
		expect(await sendAt(20_000, 4, { terms })).toEqual(expected);
	});
});

describe('the count of a minute', () => {
	test('A request does not wait for a minute that can belong to either of two limits', async () => {
		const { left, sendAt } = setUp();
		const terms = termsOf({ ...accountLimits(1), ...telegram });
		const answer = () => ({ count: { limit: 60, remaining: Math.max(0, 10 - left.length) } });
		expect((await sendAt(0, 14, { terms, answer })).at(-1)).toBe(13_000);
	});

	test('If nothing is left of a minute, the requests that count towards its limit wait', async () => {
		const { clock, send, timesOf } = setUp();
		const five = { five: { count: 5, windowMs: 1000 } };
		for (let remaining = 7; remaining >= 0; remaining--) {
			const answer = () => ({ count: { limit: 60, remaining } });
			void send({ terms: termsOf({ ...accountLimits(1), ...five }), answer });
			await clock.run(clock.now() + 2000);
		}
		void send({ name: 'account', terms: pace(1) });
		void send({ name: 'five', terms: termsOf(five) });
		await clock.run();
		expect([timesOf('account'), timesOf('five')]).toEqual([[60_000], [16_000]]);
	});

	test.each([
		['beside the account', joinLimits(accountLimits(2), telegram), 120],
		['whose own count the answers tell', telegram, 60],
	])('Bursts keep the limit of a messenger %s', async (_, limits, limit) => {
		const { left, sendAt, after } = setUp();
		const terms = termsOf(limits, { bursts: true });
		const answer = async () => await after(40, { count: { limit, remaining: limit - left.length } })();
		const leave = await sendAt(0, 25, { terms, answer });
		expect(leave[9]).toBeLessThan(1000);
		for (const [index, at] of leave.slice(10).entries())
			expect(at - leave[index]!).toBeGreaterThanOrEqual(10_000);
	});
});

describe('a closed service', () => {
	test('The account sends nothing to a closed service, whatever limit a request counts towards', async () => {
		const { clock, left, send } = setUp();
		void send({ answer: () => ({ closedMs: 5000 }) });
		await clock.run(0);
		void send({ name: 'account' });
		void send({ name: 'telegram', terms: termsOf(telegram) });
		void send({ name: 'nothing', terms: unlimited });
		await clock.run();
		expect(left.slice(1).map(({ name, at }) => [name, at])).toEqual([
			['account', 5000],
			['telegram', 5000],
			['nothing', 5000],
		]);
	});

	test('After a closure, the pace is as fast as before, however often the service was closed', async () => {
		const { clock, send, sendAt } = setUp();
		for (const closedMs of [1000, 2000, 4000, 8000]) {
			void send({ answer: () => ({ closedMs }) });
			await clock.run();
		}
		expect(await sendAt(15_000, 4, {})).toEqual([0, 0, 1000, 1000]);
	});

	test('A service stays closed until the latest time that it has given', async () => {
		const { clock, send, sendAt } = setUp();
		for (const closedMs of [5000, 100]) void send({ answer: () => ({ closedMs }) });
		await clock.run(0);
		expect(await sendAt(0, 1, {})).toEqual([5000]);
	});
});

describe('two credentials of an account', () => {
	interface Run {
		terms: Terms;
		requests: number;
		startsAt?: number;
	}

	/** When the requests of each run leave. */
	async function departures(runs: Run[], answerMs = () => 40, ending = (): Ending => ({})) {
		const { clock, sendAll, timesOf, after } = setUp();
		for (const [index, { terms, requests, startsAt = 0 }] of runs.entries()) {
			const given = { run: {}, terms, answer: async () => await after(answerMs(), ending())() };
			void clock.sleep(startsAt).then(() => sendAll(times(requests, String(index)), given));
		}
		await clock.run();
		const left = runs.map((_, index) => timesOf(String(index)));
		expect(left.map(({ length }) => length)).toEqual(runs.map(({ requests }) => requests));
		return left as [number[], number[]];
	}

	/** The requests that leave within an interval that ends with one of them. */
	const upTo = (at: number, lengthMs: number, all: number[]) =>
		all.filter((each) => each > at - lengthMs && each <= at);

	/** The most requests that leave within an interval of this length. */
	const mostWithin = (lengthMs: number, all: number[]) =>
		Math.max(...all.map((at) => upTo(at, lengthMs, all).length));

	/** Five per second, and one per second. */
	const paces = [
		['that have Requests per Second of their own', pace(5), pace(1)],
		['that have Workers of their own', pace(5), pace(5, { workers: 5 })],
	] as const;

	const orders = [
		['the slow one first', 0, 3500],
		['the fast one first', 3500, 0],
		['together', 0, 0],
	] as const;

	test.each(
		paces.flatMap(([words, ...terms]) => orders.map(([order, ...at]) => [words, order, terms, at] as const)),
	)(
		'Runs with credentials %s keep their own pace each, and that of the fast one together, %s',
		async (_, __, [fast, slow], [slowAt, fastAt]) => {
			const [slowly, quickly] = await departures([
				{ terms: slow, requests: 30, startsAt: slowAt },
				{ terms: fast, requests: 20, startsAt: fastAt },
			]);
			for (const [index, at] of slowly.slice(1).entries()) {
				expect(at - slowly[index]!).toBeGreaterThanOrEqual(1000);
				expect(at - slowly[index]!).toBeLessThan(1100);
			}
			expect(mostWithin(1000, [...slowly, ...quickly])).toBe(5);
			// Four of the five per second; the slow run uses the fifth.
			expect(quickly.at(-1)! - fastAt).toBeLessThan(5000);
			expect(slowly.at(-1)! - quickly.at(-1)!).toBeGreaterThan(20_000);
		},
	);

	test('Credentials that differ only in Bursts share a pace while both wait, even if answers have a count', async () => {
		const runs = [true, false].map((bursts) => ({ terms: pace(2, { bursts }), requests: 20 }));
		let remaining = 120;
		const left = await departures(
			runs,
			() => 40,
			() => ({ count: { limit: 120, remaining: --remaining } }),
		);
		expect(mostWithin(1000, left.flat())).toBe(2);
	});

	const generatedRun = fc.record({
		perSecond: fc.constantFrom(0.5, 1, 2, 2.5, 3, 5, 9),
		workers: fc.integer({ min: 1, max: 3 }),
		bursts: fc.boolean(),
		requests: fc.integer({ min: 1, max: 12 }),
		startsAt: fc.integer({ min: 0, max: 6000 }),
	});

	test('Each run keeps its own pace, and all together the fastest of those that wait (generated)', async () => {
		const generatedRuns = fc.array(generatedRun, { minLength: 1, maxLength: 4 });
		await fc.assert(
			fc.asyncProperty(generatedRuns, fc.integer(), async (given, seed) => {
				const random = seededRandom(seed);
				const left = await departures(
					given.map(({ perSecond, workers, bursts, ...run }) => ({
						...run,
						terms: pace(perSecond, { workers, bursts }),
					})),
					() => random() * 300,
				);
				const runs = given.map(({ perSecond, workers, startsAt }, index) => {
					const share = shareOf(accountLimits(perSecond).account!, workers);
					return { perSecond: perSecond / workers, ...share, startsAt, endsAt: left[index]!.at(-1)! };
				});
				for (const [index, { count, windowMs }] of runs.entries())
					expect(mostWithin(windowMs, left[index]!)).toBeLessThanOrEqual(count);
				for (const at of left.flat()) {
					const begun = runs.filter(({ startsAt }) => startsAt <= at);
					const waiting = begun.filter(({ endsAt }) => endsAt >= at);
					const perSecond = Math.max(...waiting.map((run) => run.perSecond));
					// Requests that left while a faster run was active had the pace of that run.
					const faster = begun.filter((run) => run.perSecond > perSecond).map(({ endsAt }) => endsAt);
					for (const { count, windowMs } of waiting.filter((run) => run.perSecond === perSecond)) {
						const lengthMs = Math.min(windowMs, ...faster.map((endsAt) => at - endsAt));
						expect(upTo(at, lengthMs, left.flat()).length).toBeLessThanOrEqual(count);
					}
				}
			}),
			{ numRuns: 200 },
		);
	});

	test('A refusal of one credential delays requests with another one', async () => {
		const { send, sendAt } = setUp();
		void send({ terms: pace(1), answer: () => refusal(7000) });
		expect(await sendAt(2000, 1, { terms: pace(5) })).toEqual([5000]);
	});

	test('Refusals in close succession slow down the paces of all credentials that are not slower', async () => {
		const { clock, send, sendAt } = setUp();
		for (const terms of [pace(1), pace(4)]) void send({ terms });
		for (const at of [96_000, 98_000]) {
			await clock.run(at);
			void send({ terms: pace(1), answer: () => refusal(1000) });
		}
		expect(await sendAt(100_000, 4, { terms: pace(4) })).toEqual([0, 500, 1000, 1500]);
	});

	test('A refusal with a lower count slows down the pace of its credential at once, but no faster one', async () => {
		const { clock, send, sendAt } = setUp();
		void send({ terms: pace(5) });
		await clock.run(10_000);
		void send({ terms: pace(2), answer: () => refusedBy(1, 0) });
		expect(await sendAt(20_000, 5, { terms: pace(5) })).toEqual(times(5, 0));
		expect(await sendAt(30_000, 3, { terms: pace(2) })).toEqual([0, 1000, 2000]);
	});

	test('A refused request does not count towards an account that Workers share, at any pace', async () => {
		const { clock, send, sendAt } = setUp();
		const termsWith = (workers: number) => termsOf({ long: { count: 20, windowMs: 100_000 } }, { workers });
		for (const workers of [4, 2]) void send({ terms: termsWith(workers) });
		await clock.run(96_000);
		void send({ terms: termsWith(4), answer: () => refusal(1000) });
		const left = await sendAt(100_000, 11, { terms: termsWith(2) });
		expect(left.filter((at) => at < 10_000)).toHaveLength(10);
	});
});

const anyRun = fc.constantFrom<object[]>({}, {}, {});
const anyWay = fc.constantFrom(...ways);

test('No limit is ever exceeded, whatever the limits, the order and the way of asking (generated)', async () => {
	const message = fc.record({
		run: anyRun,
		messenger: fc.constantFrom('whatsapp', 'telegram', 'vk', undefined),
		way: anyWay,
	});
	await fc.assert(
		fc.asyncProperty(
			fc.integer({ min: 1, max: 9 }),
			fc.array(message, { minLength: 1, maxLength: 30 }),
			fc.integer({ min: 1, max: 1000 }),
			async (perSecond, messages, seed) => {
				const { clock, scheduler, send, names } = setUp();
				const random = seededRandom(seed);
				const account = accountLimits(perSecond);
				const service = new SimulatedService(clock, {
					limits: { ...account, ...messageLimits(undefined), ...messageLimits('whatsapp') },
					latencyMs: () => random() * 30,
					answerMs: () => random() * 200,
				});
				for (const [index, { run, messenger, way }] of messages.entries()) {
					const limits = joinLimits(account, messageLimits(messenger));
					const answer = async () => {
						await service.receive('x', Object.keys(limits));
						return {};
					};
					void send({ run, name: String(index), terms: termsOf(limits), way, answer });
				}
				await clock.run();
				expect(service.refused).toBe(0);
				expect(service.peak).toBeLessThanOrEqual(10);
				const sent = names().map(Number);
				expect(sent.sort((a, b) => a - b)).toEqual([...messages.keys()]);
				expect([kept(scheduler), clock.sleeping]).toEqual([0, 0]);
			},
		),
		{ numRuns: 120 },
	);
});

test('At most ten requests sent within ten seconds are in flight, and at most ten of a run (generated)', async () => {
	const request = fc.record({
		at: fc.nat(20_000),
		run: anyRun,
		answerMs: fc.oneof(fc.integer({ min: 1, max: 9999 }), fc.integer({ min: 1, max: 60_000 })),
		way: anyWay,
	});
	await fc.assert(
		fc.asyncProperty(fc.array(request, { minLength: 30, maxLength: 60 }), async (requests) => {
			const { clock, scheduler, send } = setUp();
			const sent: Array<{ run: object; from: number; until: number }> = [];
			for (const { at, run, answerMs, way } of requests) {
				const answer = async () => {
					sent.push({ run, from: clock.now(), until: clock.now() + answerMs });
					await clock.sleep(answerMs);
					return {};
				};
				void clock.sleep(at).then(async () => await send({ run, terms: unlimited, way, answer }));
			}
			await clock.run();
			expect(sent).toHaveLength(requests.length);
			for (const { from: at, run } of sent) {
				const underWay = sent.filter(({ from, until }) => from <= at && at < until);
				expect(underWay.filter(({ from }) => from > at - 10_000).length).toBeLessThanOrEqual(10);
				expect(underWay.filter((each) => each.run === run).length).toBeLessThanOrEqual(10);
			}
			expect(kept(scheduler)).toBe(0);
		}),
	);
});
