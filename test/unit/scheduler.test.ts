import fc from 'fast-check';

import { deliver } from '../../bench/simulation/broadcast';
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
import { Attempts } from '../../nodes/ChatbotService/client/retry';
import {
	Scheduler,
	type Ending,
	type Place,
	type Slot,
} from '../../nodes/ChatbotService/client/pace/scheduler';
import { messageLimits } from '../../nodes/ChatbotService/resources/message/limits';
import { seededRandom } from '../../sandbox/emulator/random';

/* The scheduler of an account in virtual time. Whole broadcasts are in pace.test.ts. */

const account = accountLimits(2);
const slow = accountLimits(1);

/** What requests with these limits have to keep, by a credential of a single process without bursts where nothing else is said. */
const termsOf = (limits: Limits, { workers = 1, bursts = false } = {}): Terms => ({
	limits,
	workers,
	bursts,
});

/** A request that the service refuses, and that waits for what it asks. */
const refusal = (askedMs: number | undefined): Ending => ({ refused: { askedMs, waitMs: askedMs } });

/** A request that the service refuses, and that is given up. */
const givenUp = (askedMs: number | undefined): Ending => ({ refused: { askedMs, waitMs: undefined } });

type Behaviour = ConstructorParameters<typeof SimulatedService>[1];

/** A request waits for its slot, or it is enqueued and called back. Both share the scheduler. */
type Way = 'acquire' | 'enqueue';
const ways: Way[] = ['acquire', 'enqueue'];

/** Sends a request and releases its slot, whatever its end. @throws what the request throws */
async function use<T extends Ending>(slot: Slot, request: () => Promise<T>): Promise<T> {
	let ending: Ending = {};
	try {
		const answer = await request();
		ending = answer;
		return answer;
	} finally {
		slot.scheduler.release(slot, ending);
	}
}

/** Waits for a slot and sends a request in it. @returns undefined when the run left first */
async function take<T extends Ending>(scheduler: Scheduler, place: Place, request: () => Promise<T>) {
	const slot = await scheduler.acquire(place);
	return slot && (await use(slot, request));
}

interface Given {
	run?: object;
	name?: string;
	counted?: Limits;
	way?: Way;
	first?: boolean;
}

/** A service with limits, and requests to it. */
function setUp(limits: Limits = account, behaviour: Partial<Behaviour> = {}) {
	const clock = new VirtualClock();
	const service = new SimulatedService(clock, { limits, ...behaviour });
	const scheduler = new Scheduler(clock);
	/** Names of the requests that have got their slot. */
	const begun: string[] = [];
	/** Sends a request when it has its slot, by a run of its own where none is given. */
	const send = async ({ run = {}, name = 'x', counted = limits, way = 'acquire', first }: Given = {}) => {
		const request = async (): Promise<Ending> => {
			begun.push(name);
			const { count } = await service.receive(name, Object.keys(counted));
			return { count };
		};
		const terms = termsOf(counted);
		if (way === 'acquire') return await take(scheduler, { run, terms, first }, request);
		scheduler.enqueue(run, terms, (slot) => void use(slot, request));
		return undefined;
	};
	const sendAll = (names: string[], given: Given = {}) => {
		for (const name of names) void send({ ...given, name });
	};
	const names = () => service.arrivals.map(({ name }) => name);
	return { clock, service, scheduler, begun, send, sendAll, names };
}

/** What is remembered of runs. */
function kept(scheduler: Scheduler) {
	const inside = scheduler as unknown as {
		lanes: { lanes: Map<string, unknown>; served: Map<object, number> };
	};
	const { lanes, served } = inside.lanes;
	return lanes.size + served.size;
}

const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);

describe('an example', () => {
	test('Requests leave when the example at the head of scheduler.ts says', async () => {
		const clock = new VirtualClock();
		const scheduler = new Scheduler(clock);
		const run = {};
		const left: Array<[at: number, request: number]> = [];
		const send = async (request: number, isAgain = false): Promise<void> => {
			const terms = termsOf(account);
			const ending = await take(scheduler, { run, terms, first: isAgain }, async (): Promise<Ending> => {
				left.push([clock.now(), request]);
				await clock.sleep(request === 3 ? 300 : 40);
				if (request !== 5 || isAgain) return {};
				const waitMs = new Attempts(false).nextAfter(tooManyRequests(429, 1000));
				return { refused: { askedMs: 1000, waitMs } };
			});
			if (ending?.refused) await send(request, true);
		};
		for (const request of [1, 2, 3, 4, 5, 6, 7]) void send(request);
		await clock.run();
		expect(left).toEqual([
			[0, 1],
			[0, 2],
			[1040, 3],
			[1040, 4],
			[2075, 5],
			[2080, 6],
			[4115, 5],
			[4115, 7],
		]);
	});
});

describe('which request goes next', () => {
	const second = { account: { count: 1, windowMs: 1000 } };

	test('Runs share the slots evenly, however they ask, and each keeps its own order', async () => {
		const { clock, sendAll, names } = setUp();
		const own = (run: string) => Array.from({ length: 20 }, (_, index) => `${run}${index}`);
		sendAll(own('a'), { run: {}, way: 'acquire' });
		sendAll(own('b'), { run: {}, way: 'enqueue' });
		sendAll(own('c'), { run: {}, way: 'acquire' });
		await clock.run(10_000);
		for (const run of ['a', 'b', 'c']) {
			const mine = names().filter((name) => name.startsWith(run));
			expect(mine.length).toBeGreaterThanOrEqual(6);
			expect(mine).toEqual(own(run).slice(0, mine.length));
		}
	});

	test('A run that asks for more does not lose its place', async () => {
		const { clock, send, names } = setUp(second);
		const runs = ['a', 'b', 'c'].map((name) => ({ name }));
		for (const run of [...runs, ...runs]) void send({ run, name: run.name });
		await clock.run(2500);
		expect(names()).toEqual(['a', 'b', 'c']);
		void send({ run: runs[0], name: 'a' });
		await clock.run();
		expect(names()).toEqual(['a', 'b', 'c', 'a', 'b', 'c', 'a']);
	});

	test('No run goes on and on at a limit at which another waits, whatever else both have waiting', async () => {
		const { clock, sendAll, names } = setUp({});
		const [a, b] = [{}, {}];
		const limits = (name: string) => ({ [name]: { count: 1, windowMs: 1000 } });
		for (let index = 0; index < 4; index++) {
			sendAll(['a'], { run: a, counted: limits('both') });
			sendAll(['b'], { run: b, counted: limits('both') });
			sendAll(['only a'], { run: a, counted: limits('of a') });
			sendAll(['only b'], { run: b, counted: limits('of b') });
		}
		await clock.run();
		const atBoth = names().filter((name) => name.length === 1);
		expect(atBoth).toHaveLength(8);
		expect(atBoth.join('')).not.toMatch(/aaa.*b|bbb.*a/);
	});

	test('A repetition goes before the other requests of its run, however they ask', async () => {
		const { clock, sendAll, names } = setUp(second);
		const run = {};
		sendAll(['a', 'b'], { run, way: 'enqueue' });
		sendAll(['c'], { run });
		sendAll(['again', 'again first'], { run, first: true });
		sendAll(['d'], { run, way: 'enqueue' });
		await clock.run();
		expect(names()).toEqual(['a', 'again first', 'again', 'b', 'c', 'd']);
	});

	test('A short wait is not held up by a longer one', async () => {
		const { clock, service, sendAll } = setUp({});
		sendAll(['long', 'long'], { counted: { long: { count: 1, windowMs: 10_000 } } });
		sendAll(['short', 'short'], { counted: { short: { count: 1, windowMs: 100 } } });
		await clock.run();
		const [, last] = service.arrivals.filter(({ name }) => name === 'short');
		expect(last!.at).toBeLessThan(110);
	});
});

describe('a run that leaves', () => {
	test.each(ways)(
		'A run that leaves takes its waiting requests along, and nothing else, by %s',
		async (way) => {
			const { clock, scheduler, send, sendAll, begun, names } = setUp();
			const leaving = {};
			const left = times(20, 'leaving').map((name) => send({ run: leaving, name, way }));
			sendAll(times(4, 'staying'), { run: {}, way });
			await clock.run(1500);
			const sent = begun.filter((name) => name === 'leaving').length;
			expect(sent).toBeGreaterThan(0);
			scheduler.leave(leaving);
			await clock.run();
			expect(names().sort()).toEqual([...times(sent, 'leaving'), ...times(4, 'staying')]);
			const unsent = (await Promise.all(left)).filter((ending) => ending === undefined);
			expect(unsent).toHaveLength(way === 'acquire' ? 20 - sent : 20);
			expect(kept(scheduler)).toBe(0);
			expect(clock.sleeping).toBe(0);
		},
	);

	test('A run may leave while it is called back: none of its others is called back any more', async () => {
		const { clock, scheduler } = setUp();
		const run = {};
		const begun: number[] = [];
		for (let index = 0; index < 8; index++) {
			scheduler.enqueue(run, termsOf(account), (slot) => {
				begun.push(index);
				if (index === 2) scheduler.leave(run);
				void use(slot, async () => ({}));
			});
		}
		await clock.run();
		expect(begun).toEqual([0, 1, 2]);
		expect(kept(scheduler)).toBe(0);
	});
});

describe('requests that are enqueued', () => {
	test('A request is called back at once while there is room, and later in the order of the queue', async () => {
		const { clock, service, begun, sendAll, names } = setUp();
		sendAll(['a', 'b', 'c', 'd', 'e'], { run: {}, way: 'enqueue' });
		expect(begun).toEqual(['a', 'b']);
		await clock.run();
		expect(names()).toEqual(['a', 'b', 'c', 'd', 'e']);
		expect(service.refused).toBe(0);
		expect(service.arrivals[4]!.at).toBeGreaterThan(2000);
	});

	test('A run of hundreds of thousands leaves at once', () => {
		const { scheduler } = setUp();
		const run = {};
		for (let item = 0; item < 300_000; item++) scheduler.enqueue(run, termsOf(account), () => {});
		expect(() => scheduler.leave(run)).not.toThrow();
	});

	test('A run that is enqueued again at another scheduler keeps its order, and loses nothing', async () => {
		const [old, other] = [setUp(), setUp()];
		const run = {};
		const begun: string[] = [];
		const begin = (name: string) => (slot: Slot) => {
			begun.push(name);
			slot.scheduler.release(slot);
		};
		for (const name of ['a', 'b', 'c', 'd'])
			old.scheduler.enqueue(run, termsOf(account), begin(name), () =>
				other.scheduler.enqueue(run, termsOf({}), begin(name)),
			);
		const repeated = old.scheduler.acquire({
			run,
			terms: termsOf(account),
			first: true,
			again: async () => await other.scheduler.acquire({ run, terms: termsOf({}), first: true }),
		});
		old.scheduler.enqueueAgain(run);
		await Promise.all([old.clock.run(), other.clock.run()]);
		expect(begun).toEqual(['a', 'b', 'c', 'd']);
		const slot = await repeated;
		expect(slot!.scheduler).toBe(other.scheduler);
		other.scheduler.release(slot!);
		expect([old.scheduler.isLikeNew, other.scheduler.isLikeNew]).toEqual([false, true]);
	});

	test('Enqueuing one run again leaves other runs where they are; what cannot be enqueued ends without a slot', async () => {
		const { clock, scheduler, sendAll, names } = setUp(slow);
		const run = {};
		sendAll(['a', 'b'], { way: 'enqueue' });
		scheduler.enqueueAgain(run);
		const slot = scheduler.acquire({ run, terms: termsOf(slow) });
		sendAll(['lost'], { run, way: 'enqueue' });
		scheduler.enqueueAgain(run);
		expect(await slot).toBeUndefined();
		await clock.run();
		expect(names()).toEqual(['a', 'b']);
		expect(kept(scheduler)).toBe(0);
	});

	test('A run may enqueue more while it is called back', async () => {
		const { clock, scheduler, begun, sendAll } = setUp();
		const run = {};
		scheduler.enqueue(run, termsOf(account), (slot) => {
			begun.push('a');
			sendAll(['c'], { run, way: 'enqueue' });
			sendAll(['other'], { way: 'enqueue' });
			void use(slot, async () => ({}));
		});
		sendAll(['b'], { run, way: 'enqueue' });
		await clock.run();
		// There is room for two; then a run that begins goes before the one that was served last.
		expect(begun).toEqual(['a', 'c', 'other', 'b']);
	});
});

describe('what is under way', () => {
	test('A request is under way from its slot to its answer', async () => {
		const { clock, scheduler } = setUp({});
		const begun: Slot[] = [];
		for (let index = 0; index < 30; index++) scheduler.enqueue({}, termsOf({}), (slot) => begun.push(slot));
		await clock.run(1000);
		expect(begun).toHaveLength(10);
		let answer = () => {};
		void use(begun[3]!, async () => {
			await new Promise<void>((resolve) => (answer = resolve));
			return {};
		});
		await clock.run(2000);
		expect(begun).toHaveLength(10);
		answer();
		await clock.run(3000);
		expect(begun).toHaveLength(11);
	});

	test('A request that ends without an answer counts for the limit all the same: it may have arrived', async () => {
		const { clock, scheduler } = setUp();
		const left: number[] = [];
		for (let index = 0; index < 4; index++)
			scheduler.enqueue({}, termsOf(account), (slot) => {
				left.push(clock.now());
				scheduler.release(slot);
			});
		await clock.run();
		expect(left).toEqual([0, 0, 1000, 1000]);
	});

	test('A wait that a shorter one comes before costs no further timer', async () => {
		const { clock, scheduler } = setUp();
		/** A request of a limit that waits for a window, since another one has just been answered. */
		const wait = async (name: string, windowMs: number) => {
			for (let sent = 0; sent < 2; sent++) {
				void take(
					scheduler,
					{ run: {}, terms: termsOf({ [name]: { count: 1, windowMs } }) },
					async () => ({}),
				);
				await clock.run(clock.now());
			}
		};
		await wait('long', 10_000);
		await clock.run(100);
		await wait('short', 500);
		await clock.run(550);
		expect(clock.sleeping).toBe(1);
	});

	test('A request that counts towards no limit costs no timer', async () => {
		const { clock, send } = setUp({});
		void send();
		await clock.run(0);
		expect(clock.sleeping).toBe(1);
	});
});

describe('requests without an answer', () => {
	const setUpUnanswered = () => {
		const clock = new VirtualClock();
		const scheduler = new Scheduler(clock);
		/** Requests that have left, and how each gets its answer. */
		const left: Array<{ name: string; at: number; answer: () => void }> = [];
		const send = (run: object, names: string[], { limits = {} as Limits, way = 'acquire' as Way } = {}) => {
			for (const name of names) {
				const request = async (): Promise<Ending> => {
					await new Promise<void>((answer) => left.push({ name, at: clock.now(), answer }));
					return {};
				};
				if (way === 'acquire') void take(scheduler, { run, terms: termsOf(limits) }, request);
				else scheduler.enqueue(run, termsOf(limits), (slot) => void use(slot, request));
			}
		};
		const timesOf = (name: string) => left.flatMap((each) => (each.name === name ? each.at : []));
		const answer = (name: string, count = Infinity) => {
			for (const each of left.filter((one) => one.name === name).slice(0, count)) each.answer();
		};
		return { clock, scheduler, send, timesOf, answer };
	};

	test.each(ways)(
		'Requests without an answer free their slots for other runs after ten seconds, not for their own, by %s',
		async (way) => {
			const { clock, send, timesOf, answer } = setUpUnanswered();
			const [a, b] = [{}, {}];
			send(a, times(12, 'a'), { way });
			await clock.run(500);
			send(b, times(3, 'b'), { way });
			await clock.run();
			expect(timesOf('a')).toEqual(times(10, 0));
			expect(timesOf('b')).toEqual(times(3, 10_000));
			await clock.run(60_000);
			answer('a', 1);
			await clock.run(61_000);
			expect(timesOf('a')).toEqual([...times(10, 0), 60_000]);
		},
	);

	test('Requests without an answer free their slots one after the other, as they were sent', async () => {
		const { clock, send, timesOf } = setUpUnanswered();
		const a = {};
		send(a, times(4, 'a'));
		await clock.run(3000);
		send(a, times(6, 'a'));
		await clock.run(4000);
		send({}, times(10, 'b'));
		await clock.run();
		expect(timesOf('a')).toEqual([...times(4, 0), ...times(6, 3000)]);
		expect(timesOf('b')).toEqual([...times(4, 10_000), ...times(6, 13_000)]);
	});

	test('A run whose requests have no answer keeps them under way when it leaves', async () => {
		const { clock, scheduler, send, timesOf, answer } = setUpUnanswered();
		const a = {};
		send(a, times(20, 'a'));
		await clock.run(500);
		send({}, ['b']);
		scheduler.leave(a);
		send(a, ['a again']);
		await clock.run(20_000);
		expect(timesOf('a')).toEqual(times(10, 0));
		expect(timesOf('b')).toEqual([10_000]);
		expect(timesOf('a again')).toEqual([]);
		answer('a');
		await clock.run();
		expect(timesOf('a again')).toEqual([20_000]);
		expect(timesOf('a')).toHaveLength(10);
		expect(kept(scheduler)).toBe(0);
	});

	test('A run that waits for its own answers costs no timer', async () => {
		const { clock, send } = setUpUnanswered();
		send({}, times(11, 'a'));
		await clock.run(500);
		expect(clock.sleeping).toBe(0);
	});

	/** A request as it is generated: when it is asked for, by which run, and how long its answer takes. */
	const generatedRequest = (answerMs: fc.Arbitrary<number>) =>
		fc.record({ at: fc.nat(20_000), run: fc.nat(2), answerMs, way: fc.constantFrom(...ways) });

	/** Sends requests without any limit. @returns the most under way in all, of those sent within ten seconds, and of a run */
	async function mostUnderWay(requests: Array<{ at: number; run: number; answerMs: number; way: Way }>) {
		const clock = new VirtualClock();
		const scheduler = new Scheduler(clock);
		const runs = [{}, {}, {}];
		const underWay = new Set<{ run: number; at: number }>();
		const most = { all: 0, fresh: 0, ofRun: 0 };
		let left = 0;
		const note = (run: number) => {
			const all = [...underWay];
			most.all = Math.max(most.all, all.length);
			most.fresh = Math.max(most.fresh, all.filter(({ at }) => at > clock.now() - 10_000).length);
			most.ofRun = Math.max(most.ofRun, all.filter((each) => each.run === run).length);
		};
		for (const { at, run, answerMs, way } of requests) {
			const request = async (): Promise<Ending> => {
				const sent = { run, at: clock.now() };
				left++;
				underWay.add(sent);
				note(run);
				await clock.sleep(answerMs);
				underWay.delete(sent);
				return {};
			};
			void clock.sleep(at).then(() => {
				if (way === 'acquire') void take(scheduler, { run: runs[run]!, terms: termsOf({}) }, request);
				else scheduler.enqueue(runs[run]!, termsOf({}), (slot) => void use(slot, request));
			});
		}
		await clock.run();
		expect(left).toBe(requests.length);
		expect(kept(scheduler)).toBe(0);
		return most;
	}

	test.each([
		['answered within ten seconds', fc.nat(9999), 10],
		['answered late', fc.nat(60_000), Infinity],
	])(
		'Of requests that are %s at most ten hold a slot, and at most ten are of one run (generated)',
		async (_, answerMs, all) => {
			await fc.assert(
				fc.asyncProperty(
					fc.array(generatedRequest(answerMs), { minLength: 30, maxLength: 60 }),
					async (requests) => {
						const most = await mostUnderWay(requests);
						expect(most.all).toBeLessThanOrEqual(all);
						expect(most.fresh).toBeLessThanOrEqual(10);
						expect(most.ofRun).toBeLessThanOrEqual(10);
					},
				),
			);
		},
	);
});

/**
 * When a request of each limit alone may leave, after one of both was refused.
 *
 * @param both in the order in which the request has them
 */
async function after(both: Limits, ending: Ending, { workers = 1 } = {}) {
	const clock = new VirtualClock();
	const scheduler = new Scheduler(clock);
	void take(scheduler, { run: {}, terms: termsOf(both, { workers }) }, async () => ending);
	await clock.run(0);
	const left: Record<string, number> = {};
	for (const [name, limit] of Object.entries(both)) {
		void take(scheduler, { run: {}, terms: termsOf({ [name]: limit }, { workers }) }, async () => {
			left[name] = clock.now();
			return {};
		});
	}
	await clock.run();
	return left;
}

const short = (count: number) => ({ short: { count, windowMs: 1000 } });
const long = (count: number) => ({ long: { count, windowMs: 10_000 } });

/** In both orders, which make no difference. */
async function expectAfter(limits: Limits, ending: Ending, expected: Record<string, number>) {
	expect(await after(limits, ending)).toEqual(expected);
	expect(await after(Object.fromEntries(Object.entries(limits).reverse()), ending)).toEqual(expected);
}

describe('after a refusal', () => {
	test.each<[string, Limits, Ending, Record<string, number>]>([
		['a single limit waits for what it asks', short(2), refusal(7000), { short: 7000 }],
		['a limit waits its window where it asks for nothing', short(2), refusal(undefined), { short: 1000 }],
		[
			'the fuller limit waits, though that is the longer',
			{ ...short(10), ...long(2) },
			refusal(undefined),
			{ short: 0, long: 10_000 },
		],
		[
			'the fuller limit waits, though that is the shorter',
			{ ...short(2), ...long(10) },
			refusal(undefined),
			{ short: 1000, long: 0 },
		],
		[
			'the shorter of two limits waits that are as full',
			{ ...short(2), ...long(2) },
			refusal(undefined),
			{ short: 1000, long: 0 },
		],
		[
			'no limit waits longer than its window where another one may',
			{ ...short(2), ...long(10) },
			refusal(1001),
			{ short: 0, long: 1001 },
		],
		[
			'a limit may wait just its window',
			{ ...short(2), ...long(10) },
			refusal(1000),
			{ short: 1000, long: 0 },
		],
		[
			'the fullest limit waits where it asks for more than all windows',
			{ ...short(2), ...long(10) },
			refusal(60_000),
			{ short: 60_000, long: 0 },
		],
		['others wait for the window where it is given up', short(2), givenUp(500), { short: 1000 }],
		['others wait for no more where it asks for long', short(2), givenUp(120_001), { short: 1000 }],
		[
			'a limit waits longer than asked where the waits of the request grow',
			short(2),
			{ refused: { askedMs: 500, waitMs: 4000 } },
			{ short: 4000 },
		],
	])('After a refusal %s', async (_, limits, ending, expected) => {
		await expectAfter(limits, ending, expected);
	});

	test.each([
		['what it asks for', refusal(5000), 5000],
		['a second when it does not say', refusal(undefined), 1000],
		['a second when it asks for more than a request waits', givenUp(120_001), 1000],
	])('Without any limit all requests wait after a refusal: %s', async (_name, ending, expected) => {
		const clock = new VirtualClock();
		const scheduler = new Scheduler(clock);
		const times: number[] = [];
		for (let index = 0; index < 11; index++) {
			void take(scheduler, { run: {}, terms: termsOf({}) }, async () => {
				times.push(clock.now());
				return index === 0 ? ending : {};
			});
		}
		await clock.run();
		expect(times.at(-1)).toBe(expected);
	});

	test.each([
		['takes nothing of an account that is shared by Workers', 2, 0],
		['counts where the account is not shared', 1, 10_000],
	])('A request that was refused %s', async (_name, workers, expected) => {
		const left = await after({ long: { count: 2 * workers - 1, windowMs: 10_000 } }, refusal(0), { workers });
		expect(left.long).toBe(expected);
	});

	test('After two refusals in a row the pace comes back to the limit step by step', async () => {
		const clock = new VirtualClock();
		const scheduler = new Scheduler(clock);
		const run = {};
		const times: number[] = [];
		for (let index = 0; index < 400; index++) {
			void take(scheduler, { run, terms: termsOf(account) }, async () => {
				times.push(clock.now());
				return index === 10 || index === 12 ? refusal(1000) : {};
			});
		}
		await clock.run();
		const perSecond = (from: number) => times.filter((at) => at >= from && at < from + 10_000).length / 10;
		const refusedAt = times[12]!;
		expect(perSecond(refusedAt + 1000)).toBeLessThan(1.95);
		expect(perSecond(refusedAt + 70_000)).toBeGreaterThan(1.98);
	});
});

describe('a refusal whose answer says what is counted', () => {
	const both = { ...short(2), ...long(10) };

	const told = (limit: number, remaining: number, askedMs: number): Ending => ({
		count: { limit, remaining },
		...refusal(askedMs),
	});
	const refusedBy = (limit: number, askedMs: number) => told(limit, 0, askedMs);

	test.each<[string, Ending, Record<string, number>]>([
		[
			'the one whose minute is used up, though it asks for little',
			refusedBy(60, 500),
			{ short: 0, long: 500 },
		],
		[
			'the one whose minute is used up, though it asks for much',
			refusedBy(120, 5000),
			{ short: 5000, long: 0 },
		],
		['the fuller one where it counts neither of them', refusedBy(77, 500), { short: 500, long: 0 }],
		[
			'one that is long enough where it counts neither of them',
			refusedBy(77, 5000),
			{ short: 0, long: 5000 },
		],
		['one that is long enough where it counts no minute', refusedBy(2, 5000), { short: 0, long: 5000 }],
		['the fuller one while the minute of the short one lasts', told(120, 5, 500), { short: 500, long: 0 }],
		['a longer one while the minute of the short one lasts', told(120, 5, 5000), { short: 0, long: 5000 }],
		['the fuller one while the minute of the long one lasts', told(60, 5, 500), { short: 500, long: 0 }],
		['a longer one while the minute of the long one lasts', told(60, 5, 5000), { short: 0, long: 5000 }],
	])('A refusal with a count meant %s', async (_name, ending, expected) => {
		await expectAfter(both, ending, expected);
	});

	test('A refusal meant the only limit, whatever it counts', async () => {
		expect(await after(short(2), told(120, 5, 500))).toEqual({ short: 500 });
		expect(await after(short(2), refusedBy(60, 5000))).toEqual({ short: 5000 });
	});

	test.each([
		['slows down a single limit at once', short(2), [0, 1000, 2000, 3000]],
		['says nothing of either of two limits', both, [0, 0, 1000, 1000]],
	])('A refusal that names less than any limit %s', async (_name, limits, expected) => {
		const { clock, scheduler } = setUp();
		const left: number[] = [];
		void take(scheduler, { run: {}, terms: termsOf(limits) }, async () => refusedBy(1, 0));
		await clock.run(20_000);
		for (let sent = 0; sent < 4; sent++)
			void take(scheduler, { run: {}, terms: termsOf(limits) }, async () => {
				left.push(clock.now() - 20_000);
				return {};
			});
		await clock.run();
		expect(left).toEqual(expected);
	});

	test('A minute that may be of either of two limits is not waited for', async () => {
		const { clock, scheduler } = setUp();
		const left: number[] = [];
		for (let sent = 0; sent < 14; sent++)
			void take(
				scheduler,
				{ run: {}, terms: termsOf({ ...slow, ...messageLimits('telegram') }) },
				async () => {
					left.push(clock.now());
					return { count: { limit: 60, remaining: Math.max(0, 10 - left.length) } };
				},
			);
		await clock.run();
		expect(left.at(-1)).toBe(13_000);
	});

	test('A minute of which nothing is left is waited for by the requests that count towards its limit', async () => {
		const { clock, scheduler } = setUp();
		const left: Record<string, number> = {};
		const send = (name: string, limits: Limits, ending: Ending = {}) =>
			void take(scheduler, { run: {}, terms: termsOf(limits) }, async () => {
				left[name] = clock.now();
				return ending;
			});
		for (let sent = 1; sent <= 8; sent++) {
			send(
				'told',
				{ ...slow, long: { count: 5, windowMs: 1000 } },
				{ count: { limit: 60, remaining: 8 - sent } },
			);
			await clock.run(clock.now() + 2000);
		}
		send('account', slow);
		send('long', { long: { count: 5, windowMs: 1000 } });
		await clock.run();
		expect(left).toEqual({ told: 14_000, account: 60_000, long: 16_000 });
	});

	test('A refusal does not tell two limits apart that look alike', async () => {
		const alike = { ...accountLimits(1), ...messageLimits('telegram') };
		expect(await after(alike, refusedBy(60, 500))).toEqual({ account: 1000, telegram: 0 });
		expect(await after(alike, refusedBy(60, 5000))).toEqual({ account: 1000, telegram: 5000 });
	});
});

describe('a service that is closed', () => {
	const setUp = (closedMs: number[]) => {
		const clock = new VirtualClock();
		const scheduler = new Scheduler(clock);
		const left: Record<string, number[]> = {};
		const send = (name: string, limits: Limits) =>
			void take(scheduler, { run: {}, terms: termsOf(limits) }, async () => {
				(left[name] ??= []).push(clock.now());
				const next = closedMs.shift();
				return next === undefined ? {} : { closedMs: next };
			});
		return { clock, left, send };
	};

	test('Nothing of the account is sent to a closed service, whatever it counts towards', async () => {
		const { clock, left, send } = setUp([5000]);
		send('first', account);
		await clock.run(0);
		send('account', account);
		send('whatsapp', messageLimits('whatsapp'));
		send('nothing', {});
		await clock.run();
		expect(left).toEqual({ first: [0], account: [5000], whatsapp: [5000], nothing: [5000] });
	});

	test('A service that opens is asked as fast as ever, however often it was closed', async () => {
		const { clock, left, send } = setUp([1000, 2000, 4000, 8000]);
		for (let index = 0; index < 9; index++) {
			send('x', account);
			await clock.run(clock.now());
		}
		await clock.run();
		const open = left.x!.slice(-4).map((at) => at - left.x!.at(-4)!);
		expect(open[1]).toBe(0);
		expect(open[2]).toBeGreaterThanOrEqual(1000);
		expect(open[3]! - open[2]!).toBe(0);
		expect(open[3]).toBeLessThan(1100);
	});

	test('A service is closed for as long as it said last, and at least as long as before', async () => {
		const { clock, left, send } = setUp([5000, 100]);
		send('first', account);
		send('second', account);
		await clock.run(0);
		send('third', account);
		await clock.run();
		expect(left).toEqual({ first: [0], second: [0], third: [5000] });
	});
});

describe('bursts', () => {
	const minute = { account: { count: 120, windowMs: 60_000 } };

	/** A service that counts by the minute and says so, and a process that may use what is left at once. */
	const setUpBursts = ({ limits = minute as Limits, isSteady = false } = {}) => {
		const random = seededRandom(7);
		const all = setUp(limits, {
			window: 'fixed',
			headers: 'true',
			latencyMs: () => (isSteady ? 1 : random() * 20),
			answerMs: () => (isSteady ? 40 : 20 + random() * 60),
		});
		const { scheduler, service } = all;
		const run = {};
		const send = (requests: number, counted: Limits = account, { bursts = true } = {}) => {
			const terms = termsOf(counted, { bursts });
			for (let index = 0; index < requests; index++) void deliver(scheduler, service, run, terms, 'x');
		};
		const sentBetween = (from: number, until: number) =>
			service.arrivals.filter(({ at }) => at >= from && at < until).length;
		return { ...all, run, send, sentBetween };
	};

	test('Bursts keep the limits of the messenger', async () => {
		const { clock, service, send } = setUpBursts();
		send(25, joinLimits(account, messageLimits('telegram')));
		await clock.run();
		const times = service.arrivals.map(({ at }) => at);
		expect(times[9]).toBeLessThan(1000);
		for (let index = 10; index < 25; index++) {
			expect(times[index]! - times[index - 10]!).toBeGreaterThanOrEqual(10_000);
		}
	});

	test.each([
		['the service says nothing of its count', {}],
		['the service refuses one', { count: { limit: 120, remaining: 0 }, ...refusal(1000) }],
		['the service refuses one and says nothing', refusal(1000)],
		['a request is lost', 'lost'],
	] as const)('Bursts give way to the even pace when %s', async (_name, twentieth) => {
		const { clock, scheduler } = setUpBursts();
		const times: number[] = [];
		for (let index = 0; index < 60; index++) {
			const sent = take(scheduler, { run: {}, terms: termsOf(account, { bursts: true }) }, async () => {
				times.push(clock.now());
				const remaining = 120 - times.length;
				await clock.sleep(40);
				if (times.length < 20) return { count: { limit: 120, remaining } };
				if (remaining === 100 && twentieth === 'lost') throw new Error('lost');
				return remaining === 100 && twentieth !== 'lost' ? twentieth : {};
			});
			void sent.catch(() => {});
		}
		await clock.run(5000);
		expect(times[18]).toBeLessThan(1000);
		const later = times.filter((at) => at >= 1500);
		expect(later.length).toBeGreaterThan(3);
		expect(later.length).toBeLessThanOrEqual(8);
	});

	test('Bursts give way to the even pace when an answer counts the limit of a messenger', async () => {
		const { clock, scheduler } = setUpBursts();
		const terms = termsOf(joinLimits(account, messageLimits('telegram')), { bursts: true });
		const left: number[] = [];
		for (let sent = 0; sent < 9; sent++)
			void take(scheduler, { run: {}, terms }, async () => {
				left.push(clock.now());
				const number = left.length;
				await clock.sleep(40);
				const limit = number >= 5 ? 60 : 120;
				return { count: { limit, remaining: limit - number } };
			});
		await clock.run();
		expect(left[4]).toBeLessThan(200);
		expect(left.at(-1)).toBeGreaterThan(1000);
	});

	test('Bursts begin when the credential has switched them on', async () => {
		const { clock, scheduler, run, send, sentBetween } = setUpBursts();
		send(100, account, { bursts: false });
		await clock.run(5000);
		expect(sentBetween(0, 5000)).toBeLessThanOrEqual(10);
		scheduler.leave(run);
		send(90);
		await clock.run(9000);
		expect(sentBetween(5000, 9000)).toBeGreaterThan(80);
	});

	test('Bursts are of the account alone: what a messenger says of its own count changes nothing', async () => {
		const telegram = messageLimits('telegram');
		const { clock, service, send } = setUpBursts({ limits: { telegram: { count: 60, windowMs: 60_000 } } });
		send(30, telegram);
		await clock.run(9000);
		expect(service.arrivals).toHaveLength(10);
	});
});

describe('two credentials of an account', () => {
	/** A run with one of them. */
	interface Run {
		terms: Terms;
		requests: number;
		startsAt?: number;
	}

	/** When the requests of each run leave. @param answer how long it takes, and what it says */
	async function departures(runs: Run[], answer: () => [afterMs: number, ending: Ending] = () => [40, {}]) {
		const clock = new VirtualClock();
		const scheduler = new Scheduler(clock);
		const send = async ({ terms, requests, startsAt = 0 }: Run, left: number[]) => {
			await clock.sleep(startsAt);
			const run = {};
			for (let sent = 0; sent < requests; sent++)
				void take(scheduler, { run, terms }, async () => {
					left.push(clock.now());
					const [afterMs, ending] = answer();
					await clock.sleep(afterMs);
					return ending;
				});
		};
		const left = runs.map((): number[] => []);
		for (const [index, run] of runs.entries()) void send(run, left[index]!);
		await clock.run();
		expect(left.map(({ length }) => length)).toEqual(runs.map(({ requests }) => requests));
		return left as [number[], number[]];
	}

	/** Those that leave within a stretch of time up to one of them. */
	const upTo = (at: number, lengthMs: number, times: number[]) =>
		times.filter((each) => each > at - lengthMs && each <= at);

	/** The most that leave within a stretch of time of this length. */
	const mostWithin = (lengthMs: number, times: number[]) =>
		Math.max(...times.map((at) => upTo(at, lengthMs, times).length));

	const pace = (perSecond: number, settings: Parameters<typeof termsOf>[1] = {}) =>
		termsOf(accountLimits(perSecond), settings);

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
			// Four of five, beside the slow one.
			expect(quickly.at(-1)! - fastAt).toBeLessThan(5000);
			expect(slowly.at(-1)! - quickly.at(-1)!).toBeGreaterThan(20_000);
		},
	);

	test.each(paces)(
		'A single request of a fast credential, of those %s, leaves at once and changes nothing of a slow run',
		async (_, fast, slow) => {
			const run = { terms: slow, requests: 30 };
			const [alone] = await departures([run]);
			expect(await departures([run, { terms: fast, requests: 1, startsAt: 3500 }])).toEqual([alone, [3500]]);
		},
	);

	test.each([
		['say nothing of the count', false],
		['tell the count', true],
	])(
		'Credentials that differ in Bursts alone have one pace while both wait, where answers %s',
		async (_, isTold) => {
			let remaining = 120;
			const [bursting, even] = await departures(
				[
					{ terms: pace(2, { bursts: true }), requests: 20 },
					{ terms: pace(2), requests: 20 },
				],
				() => [40, isTold ? { count: { limit: 120, remaining: --remaining } } : {}],
			);
			expect(mostWithin(1000, [...bursting, ...even])).toBe(2);
		},
	);

	/** A run as it is generated, by the requests per second and the Workers of its credential. */
	interface GeneratedRun {
		perSecond: number;
		workers: number;
		requests: number;
		startsAt: number;
	}

	/** Sends the requests of all runs, and looks at each that leaves: what left with it, and within the time before it. */
	async function expectPaces(given: GeneratedRun[], answerMs: () => number) {
		const left = await departures(
			given.map((run) => ({ ...run, terms: pace(run.perSecond, run) })),
			() => [answerMs(), {}],
		);
		const runs = given.map(({ perSecond, workers, startsAt }, index) => {
			const times = left[index]!;
			const share = shareOf(accountLimits(perSecond).account!, workers);
			return { perSecond: perSecond / workers, ...share, times, startsAt, endsAt: times.at(-1)! };
		});
		for (const { count, windowMs, times } of runs)
			expect(mostWithin(windowMs, times)).toBeLessThanOrEqual(count);
		for (const at of left.flat()) {
			const begun = runs.filter(({ startsAt }) => startsAt <= at);
			const waiting = begun.filter(({ endsAt }) => endsAt >= at);
			const perSecond = Math.max(...waiting.map((run) => run.perSecond));
			// What has left while a faster run was there had its pace.
			const faster = begun.filter((run) => run.perSecond > perSecond).map(({ endsAt }) => endsAt);
			const fastest = waiting.filter((run) => run.perSecond === perSecond);
			for (const { count, windowMs } of fastest) {
				const lengthMs = Math.min(windowMs, ...faster.map((endsAt) => at - endsAt));
				expect(upTo(at, lengthMs, left.flat()).length).toBeLessThanOrEqual(count);
			}
		}
	}

	const generatedRun = fc.record({
		perSecond: fc.constantFrom(0.5, 1, 2, 2.5, 3, 5, 9),
		workers: fc.integer({ min: 1, max: 3 }),
		bursts: fc.boolean(),
		requests: fc.integer({ min: 1, max: 12 }),
		startsAt: fc.integer({ min: 0, max: 6000 }),
	});

	test('Each run keeps its own pace, and all together the fastest of those that wait (generated)', async () => {
		const runs = fc.array(generatedRun, { minLength: 1, maxLength: 4 });
		await fc.assert(
			fc.asyncProperty(runs, fc.integer(), async (given, seed) => {
				const random = seededRandom(seed);
				await expectPaces(given, () => random() * 300);
			}),
			{ numRuns: 200 },
		);
	});

	/**
	 * A request with one credential is refused, and another run asks with another one.
	 *
	 * Times are from when the request leaves; it is refused after 40 ms.
	 *
	 * @param given.isKnown whether the other credential has been used before
	 * @param given.asksAfterMs when the other run asks
	 * @param given.leavesAfterMs when the run that was refused leaves
	 * @returns when the nine requests of the other run leave
	 */
	async function beside(
		[refused, other]: readonly [Terms, Terms],
		{ isKnown = true, asksAfterMs = 20, leavesAfterMs = Infinity } = {},
	) {
		const clock = new VirtualClock();
		const scheduler = new Scheduler(clock);
		if (isKnown)
			for (const terms of [refused, other]) void take(scheduler, { run: {}, terms }, async () => ({}));
		await clock.run(10_000);
		const run = {};
		const answer = async () => {
			await clock.sleep(40);
			return refusal(7000);
		};
		const again = async () => await take(scheduler, { run, terms: refused, first: true }, async () => ({}));
		void take(scheduler, { run, terms: refused }, answer).then(again);
		await clock.run(10_000 + asksAfterMs);
		const left: number[] = [];
		for (let sent = 0; sent < 9; sent++)
			void take(scheduler, { run: {}, terms: other }, async () => {
				left.push(clock.now() - 10_000);
				return {};
			});
		if (leavesAfterMs < Infinity) {
			await clock.run(10_000 + leavesAfterMs);
			scheduler.leave(run);
		}
		await clock.run();
		return left;
	}

	const pairs = [
		['a slow credential holds back a fast one', [pace(1), pace(5)]],
		['a fast credential holds back a slow one', [pace(5), pace(1)]],
		['a credential with Workers holds back one without', [pace(2, { workers: 2 }), pace(2)]],
		['a credential without Workers holds back one with', [pace(2), pace(2, { workers: 2 })]],
		['a credential with Bursts holds back one without', [pace(2, { bursts: true }), pace(2)]],
		['a credential without Bursts holds back one with', [pace(2), pace(2, { bursts: true })]],
	] as const;

	test.each(pairs)('A refusal of %s, also where it is used for the first time', async (_, terms) => {
		for (const isKnown of [true, false]) {
			const left = await beside(terms, { isKnown });
			expect(left).toHaveLength(9);
			expect(left.filter((at) => at > 40 && at < 7040)).toEqual([]);
			expect((await beside(terms, { isKnown, asksAfterMs: 2000 }))[0]).toBe(7040);
		}
	});

	test('A refusal holds back other credentials also when the run that was refused has left', async () => {
		for (const [, terms] of pairs)
			expect((await beside(terms, { asksAfterMs: 2000, leavesAfterMs: 3000 }))[0]).toBe(7040);
	});

	/** Has requests of one credential refused, each of which asks for a second. @returns when those of another leave, four seconds later */
	async function afterRefusals(
		refused: Terms,
		other: Terms,
		{ refusals, requests }: { refusals: number; requests: number },
	) {
		const clock = new VirtualClock();
		const scheduler = new Scheduler(clock);
		for (const terms of [refused, other]) void take(scheduler, { run: {}, terms }, async () => ({}));
		await clock.run(96_000);
		for (let sent = 0; sent < refusals; sent++) {
			void take(scheduler, { run: {}, terms: refused }, async () => refusal(1000));
			await clock.run(clock.now() + 2000);
		}
		await clock.run(100_000);
		const left: number[] = [];
		for (let sent = 0; sent < requests; sent++)
			void take(scheduler, { run: {}, terms: other }, async () => {
				left.push(clock.now() - 100_000);
				return {};
			});
		await clock.run();
		return left;
	}

	test('Refusals soon after each other slow down the paces of all credentials that are not slower', async () => {
		const left = await afterRefusals(pace(1), pace(4), { refusals: 2, requests: 4 });
		expect(left).toEqual([0, 500, 1000, 1500]);
	});

	test('A refusal that names less slows down the pace of its credential at once, and no faster one', async () => {
		const clock = new VirtualClock();
		const scheduler = new Scheduler(clock);
		const left: number[] = [];
		const send = (terms: Terms, ending: Ending = {}) =>
			void take(scheduler, { run: {}, terms }, async () => {
				left.push(clock.now());
				return ending;
			});
		send(pace(5));
		await clock.run(10_000);
		send(pace(2), { count: { limit: 1, remaining: 0 }, ...refusal(0) });
		await clock.run(20_000);
		for (let sent = 0; sent < 5; sent++) send(pace(5));
		await clock.run(30_000);
		for (let sent = 0; sent < 3; sent++) send(pace(2));
		await clock.run();
		expect(left.slice(2)).toEqual([...times(5, 20_000), 30_000, 31_000, 32_000]);
	});

	test('A request that was refused takes nothing of an account that is shared by Workers, at any pace', async () => {
		const [four, two] = [4, 2].map((workers) =>
			termsOf({ long: { count: 20, windowMs: 100_000 } }, { workers }),
		);
		const left = await afterRefusals(four!, two!, { refusals: 1, requests: 11 });
		expect(left.filter((at) => at < 10_000)).toHaveLength(10);
	});
});

describe('all limits together', () => {
	test('No limit is ever exceeded, whatever the limits, the order and the way to ask (generated)', async () => {
		const message = fc.record({
			run: fc.nat(3),
			messenger: fc.constantFrom('whatsapp', 'telegram', 'vk', undefined),
			way: fc.constantFrom(...ways),
		});
		await fc.assert(
			fc.asyncProperty(
				fc.integer({ min: 1, max: 9 }),
				fc.array(message, { minLength: 1, maxLength: 30 }),
				fc.integer({ min: 1, max: 1000 }),
				async (perSecond, messages, seed) => {
					const random = seededRandom(seed);
					const limits = {
						...accountLimits(perSecond),
						...messageLimits(undefined),
						...messageLimits('whatsapp'),
					};
					const { clock, service, scheduler, send, names } = setUp(limits, {
						latencyMs: () => random() * 30,
						answerMs: () => random() * 200,
					});
					const runs = [{}, {}, {}, {}];
					for (const [index, { run, messenger, way }] of messages.entries()) {
						const counted = joinLimits(accountLimits(perSecond), messageLimits(messenger));
						void send({ run: runs[run], name: String(index), counted, way });
					}
					await clock.run();
					expect(service.refused).toBe(0);
					expect(service.peak).toBeLessThanOrEqual(10);
					expect(
						names()
							.map(Number)
							.sort((a, b) => a - b),
					).toEqual(messages.map((_, index) => index));
					expect(kept(scheduler)).toBe(0);
					expect(clock.sleeping).toBe(0);
				},
			),
			{ numRuns: 120 },
		);
	});
});
