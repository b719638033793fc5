import { inspect } from 'node:util';

import fc from 'fast-check';

import { VirtualClock } from '../../bench/simulation/clock';
import { SimulatedService } from '../../bench/simulation/service';
import { readAccount } from '../../nodes/ChatbotService/client/account';
import { Accounts, accounts as accountsOfProcess } from '../../nodes/ChatbotService/client/pace/accounts';
import { readCount } from '../../nodes/ChatbotService/client/pace/bursts';
import {
	accountLimits,
	joinLimits,
	shareOf,
	type Limits,
	type Terms,
} from '../../nodes/ChatbotService/client/pace/limits';
import { Scheduler, type Ending, type Slot } from '../../nodes/ChatbotService/client/pace/scheduler';
import { messageLimits } from '../../nodes/ChatbotService/resources/message/limits';
import { seededRandom } from '../../sandbox/emulator/random';

/*
 * The promises of the pace, by the scheduler of an account in virtual time. How much of a limit whole broadcasts use, and how often the
 * service refuses them, is in pace.test.ts.
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

function setUp(clock = new VirtualClock(), scheduler = new Scheduler(clock)) {
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
	/** Sends a request now. @returns how long it waits */
	const waitOf = async (terms: Terms) => {
		const [at, before] = [clock.now(), left.length];
		void send({ terms });
		await clock.run();
		return left[before]!.at - at;
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

	return { clock, scheduler, left, names, timesOf, send, sendAll, waitOf, after, open, pending };
}

const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);

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
				const { clock, send, names } = setUp();
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
				expect(clock.sleeping).toBe(0);
			},
		),
		{ numRuns: 60 },
	);
});

describe('fairness', () => {
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

	test('A message of another run leaves at the next slot, while a run sends thousands', async () => {
		const { clock, sendAll, timesOf } = setUp();
		sendAll(times(3000, 'many'), { run: {}, way: 'enqueue' });
		await clock.run(10_200);
		sendAll(['one']);
		await clock.run(12_000);
		const next = timesOf('many').find((at) => at > 10_200)!;
		expect(timesOf('one')[0]).toBeLessThanOrEqual(next);
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
		sendAll(['again'], { ...given, first: true });
		sendAll(['d'], { ...given, way: 'enqueue' });
		await clock.run();
		expect(names()).toEqual(['a', 'again', 'b', 'c', 'd']);
	});

	test('A longer wait does not delay a shorter one', async () => {
		const { clock, send, timesOf } = setUp();
		for (const [name, windowMs] of [
			['long', 10_000],
			['short', 500],
		] as const) {
			const given = { name, terms: termsOf({ [name]: { count: 1, windowMs } }) };
			await send(given);
			void send(given);
		}
		await clock.run();
		expect([timesOf('long'), timesOf('short')]).toEqual([
			[0, 10_000],
			[0, 500],
		]);
	});
});

describe('requests in flight', () => {
	test('An answer lets the next request leave, while ten are in flight', async () => {
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

	test('At most ten requests sent within ten seconds are in flight, and at most ten of a run (generated)', async () => {
		const request = fc.record({
			at: fc.nat(20_000),
			run: anyRun,
			answerMs: fc.oneof(fc.integer({ min: 1, max: 9999 }), fc.integer({ min: 1, max: 60_000 })),
			way: anyWay,
		});
		await fc.assert(
			fc.asyncProperty(fc.array(request, { minLength: 30, maxLength: 60 }), async (requests) => {
				const { clock, send } = setUp();
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
				const counts = sent.flatMap(({ from: at, run }) => {
					const underWay = sent.filter(({ from, until }) => from <= at && at < until);
					return [
						underWay.filter(({ from }) => from > at - 10_000).length,
						underWay.filter((each) => each.run === run).length,
					];
				});
				expect(Math.max(...counts)).toBeLessThanOrEqual(10);
			}),
			{ numRuns: 50 },
		);
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
	});

	test('A run with hundreds of thousands of requests leaves at once', async () => {
		const { clock, scheduler, sendAll, names } = setUp();
		const run = {};
		const terms = pace(1);
		for (let sent = 0; sent < 150_000; sent++) scheduler.enqueue(run, terms, () => {});
		scheduler.leave(run);
		sendAll(['other'], { terms });
		await clock.run();
		expect(names()).toEqual(['other']);
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
		old.sendAll(['of another run'], { terms: pace(2) });
		old.scheduler.enqueueAgain(run);
		await Promise.all([old.clock.run(), other.clock.run()]);
		expect([begun, old.names()]).toEqual([['a', 'b', 'c', 'd'], ['of another run']]);
		expect((await repeated)!.scheduler).toBe(other.scheduler);
	});
});

describe('after a refusal', () => {
	const short = { short: { count: 2, windowMs: 1000 } };
	const long = { long: { count: 10, windowMs: 10_000 } };

	/** How long requests with only one of the limits wait, after a request with all of them was refused. */
	async function afterRefusal(limits: Limits, ending: Ending) {
		const { clock, left, send } = setUp();
		void send({ terms: termsOf(limits), answer: () => ending });
		await clock.run(0);
		for (const [name, limit] of Object.entries(limits))
			void send({ name, terms: termsOf({ [name]: limit }) });
		await clock.run();
		return Object.fromEntries(left.slice(1).map(({ name, at }) => [name, at]));
	}

	test.each([
		['as long as the service asks', refusal(7000), 7000],
		['for its window if the service asks for nothing', refusal(), 1000],
		['for its window if the request is given up', givenUp(500), 1000],
		['for its window if the service asks for too long', givenUp(120_001), 1000],
		['longer if the waits of the request grow', { refused: { askedMs: 500, waitMs: 4000 } }, 4000],
	])('A limit waits %s', async (_, ending, expected) => {
		expect(await afterRefusal(short, ending)).toEqual({ short: expected });
	});

	const usedUp: Ending = { count: { limit: 60, remaining: 0 }, ...refusal(500) };

	test.each<[string, Ending, object]>([
		['that is fuller', refusal(1000), { short: 1000, long: 0 }],
		['whose window is as long as the wait', refusal(7000), { short: 0, long: 7000 }],
		['whose minute is used up, by the count of the answer', usedUp, { short: 0, long: 500 }],
	])('Of two limits, only the one waits %s', async (_, ending, expected) => {
		expect(await afterRefusal({ ...short, ...long }, ending)).toEqual(expected);
		expect(await afterRefusal({ ...long, ...short }, ending)).toEqual(expected);
	});

	test.each([
		['what the service asks for', refusal(5000), 5000],
		['a second if it does not say', refusal(), 1000],
	])('Without a limit, all requests wait %s', async (_, ending, expected) => {
		const { clock, send, waitOf } = setUp();
		void send({ terms: unlimited, answer: () => ending });
		await clock.run(0);
		expect(await waitOf(unlimited)).toBe(expected);
	});

	test.each([
		['another Requests per Second', pace(5)],
		['Workers', pace(1, { workers: 2 })],
		['Bursts', pace(1, { bursts: true })],
	])('Requests of a credential of the account with %s wait too', async (_, terms) => {
		const { clock, send, waitOf } = setUp();
		void send({ terms: pace(1), answer: () => refusal(7000) });
		await clock.run(2000);
		expect(await waitOf(terms)).toBe(5000);
	});

	test.each([1, 2])(
		'An account slows down while it is refused again and again, and recovers afterwards, with %i workers',
		async (workers) => {
			const { clock, sendAll, left } = setUp();
			const answer = () => (clock.now() < 30_000 * workers ? refusal(1000) : {});
			// As many as can leave within 660 seconds.
			sendAll(times(1320 / workers, 'x'), { run: {}, terms: pace(2, { workers }), answer });
			await clock.run();
			const share = (from: number, until: number) =>
				(left.filter(({ at }) => at >= from && at < until).length * 500 * workers) / (until - from);
			expect(share(60_000, 90_000)).toBeLessThan(0.95);
			expect(share(600_000, 660_000)).toBeGreaterThan(0.98);
		},
	);
});

test('A closed service gets nothing until the latest time that it has given, whatever limit a request counts towards', async () => {
	const { clock, left, send } = setUp();
	for (const closedMs of [5000, 100]) void send({ answer: () => ({ closedMs }) });
	await clock.run(0);
	for (const terms of [pace(2), pace(2), termsOf(telegram), unlimited]) void send({ terms });
	await clock.run();
	// It is no refusal: the pace stays.
	expect(left.slice(2).map(({ at }) => at)).toEqual(times(4, 5000));
});

describe('the count of the service', () => {
	const read = (total: unknown, remaining: unknown) =>
		readCount({ 'x-ratelimit-limit': total, 'x-ratelimit-remaining': remaining });

	test.each<[unknown, unknown, object]>([
		['120', '119', { limit: 120, remaining: 119 }],
		[120, 0, { limit: 120, remaining: 0 }],
		['120', '120', { limit: 120, remaining: 120 }],
	])('Headers are a count: %p and %p', (total, remaining, count) => {
		expect(read(total, remaining)).toEqual(count);
	});

	const texts = ['', 'abc', '-1', '1.5', '1e3', '0x78', '1000000000', '120, 120'];
	const others = [undefined, null, true, {}, ['120', '60']];

	test.each<unknown>([...texts, ...others])('Headers are not a count if one of them is %j', (value) => {
		expect([read(value, '1'), read('120', value)]).toEqual([undefined, undefined]);
	});

	test('Headers are not a count if the limit is zero, or if more is left than the limit', () => {
		expect([read('0', '0'), read('120', '121')]).toEqual([undefined, undefined]);
	});

	test.each([
		['beside the account', joinLimits(accountLimits(2), telegram), 120],
		['whose own count the answers tell', telegram, 60],
	])('Bursts keep the limit of a messenger %s', async (_, limits, limit) => {
		const { clock, left, sendAll, after } = setUp();
		const terms = termsOf(limits, { bursts: true });
		const answer = async () => await after(40, { count: { limit, remaining: limit - left.length } })();
		sendAll(times(25, 'x'), { terms, answer });
		await clock.run();
		expect(left[9]!.at).toBeLessThan(1000);
		for (const [index, { at }] of left.slice(10).entries())
			expect(at - left[index]!.at).toBeGreaterThanOrEqual(10_000);
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

	test.each([
		['Requests per Second', pace(1)],
		['Workers', pace(5, { workers: 5 })],
	])(
		'A slow run with other %s does not slow down a fast one, and together they keep the pace of the fast one',
		async (_, slow) => {
			const [slowly, quickly] = await departures([
				{ terms: slow, requests: 30 },
				{ terms: pace(5), requests: 20, startsAt: 3500 },
			]);
			expect(mostWithin(1000, slowly)).toBe(1);
			expect(mostWithin(1000, [...slowly, ...quickly])).toBe(5);
			// Four of the five per second; the slow run uses the fifth.
			expect(quickly.at(-1)! - 3500).toBeLessThan(5000);
			expect(slowly.at(-1)).toBeLessThan(33_000);
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
			{ numRuns: 60 },
		);
	});
});

describe('the accounts of a process', () => {
	const token = 'секретный-токен';
	const credential = { baseUrl: 'https://app.example.com', token, requestsPerSecond: 2, workers: 1 };
	const { key } = readAccount(credential);

	function setUpAccounts() {
		const clock = new VirtualClock();
		const accounts = new Accounts(clock);
		/** Whether the account starts anew when another account is used at the given time. */
		const isForgottenAt = async (at: number) => {
			const before = accounts.schedulerOf(key);
			await clock.run(at);
			accounts.schedulerOf(`another one at ${at}`);
			return accounts.schedulerOf(key) !== before;
		};
		return { ...setUp(clock, accounts.schedulerOf(key)), accounts, isForgottenAt };
	}

	test('All credentials of an account share a pace, and each account has its own', () => {
		const { accounts, scheduler } = setUpAccounts();
		const schedulerWith = (changes: Partial<typeof credential>) =>
			accounts.schedulerOf(readAccount({ ...credential, ...changes }).key);
		expect(schedulerWith({ baseUrl: 'app.example.com/api/v1/', requestsPerSecond: 5 })).toBe(scheduler);
		expect(schedulerWith({ token: 'другой' })).not.toBe(scheduler);
		expect(schedulerWith({ baseUrl: 'https://app.example.org' })).not.toBe(scheduler);
	});

	test('An account keeps neither its token nor its address', async () => {
		const { clock, accounts, sendAll } = setUpAccounts();
		sendAll(times(5, 'x'), { answer: () => refusal(1000) });
		await clock.run(100);
		const shown = inspect(accounts, { depth: Infinity, showHidden: true, maxArrayLength: null });
		expect(shown).toContain(key);
		for (const hidden of [token, encodeURIComponent(token), 'app.example.com'])
			expect(shown).not.toContain(hidden);
	});

	/** A request that is never sent within the time of the test, because another one is just before it. */
	const slow = pace(0.000_001);

	test.each<[string, (scene: ReturnType<typeof setUpAccounts>) => unknown, number]>([
		['its window holds a request', ({ send }) => send(), 999],
		['a refusal tells it to wait', ({ send }) => send({ answer: () => refusal(200_000) }), 199_999],
		['the service is closed', ({ send }) => send({ answer: () => ({ closedMs: 200_000 }) }), 199_999],
		['a request has no answer', ({ send, pending }) => send({ answer: pending }), 9_000_000],
		['a request waits', ({ sendAll }) => sendAll(['a', 'b'], { terms: slow }), 9_000_000],
	])('An account is not forgotten while %s', async (_, use, at) => {
		const scene = setUpAccounts();
		void use(scene);
		expect(await scene.isForgottenAt(at)).toBe(false);
	});

	test('An account that is idle is forgotten when another one is used', async () => {
		const { send, isForgottenAt } = setUpAccounts();
		void send({ answer: () => refusal(1000) });
		expect(await isForgottenAt(3_600_000)).toBe(true);
	});

	test('The accounts of the process use the system clock', async () => {
		const scheduler = accountsOfProcess.schedulerOf('real time');
		const terms = termsOf({ short: { count: 1, windowMs: 100 } });
		const send = async () => {
			scheduler.release((await scheduler.acquire({ run: {}, terms }))!);
			return performance.now();
		};
		const [first, second] = await Promise.all([send(), send()]);
		expect(second - first).toBeGreaterThanOrEqual(99);
	});
});
