import fc from 'fast-check';

import { deliver, seeded } from '../../bench/simulation/broadcast';
import { VirtualClock } from '../../bench/simulation/clock';
import { SimulatedService } from '../../bench/simulation/service';
import { accountLimits, joinLimits, type Limits } from '../../nodes/ChatbotService/client/limits';
import { Turns, turnsOf, type Taken, type Turn } from '../../nodes/ChatbotService/client/turn';
import { messageLimits } from '../../nodes/ChatbotService/resources/message/limits';

/* The turns in virtual time. What the pace comes to over whole broadcasts is in pace.test.ts. */

/** Sends a request that nothing becomes of but an answer, refused or not. */
const receiveBy = (service: SimulatedService, name: string, limits: string[]) => async (): Promise<Taken> => {
	const { count } = await service.receive(name, limits);
	return { count };
};

/** A request that the service refuses, and that waits for what it asks. */
const refusal = (askedMs: number | undefined): Taken => ({ refused: { askedMs, waitMs: askedMs } });

/** A request that the service refuses, and that is given up. */
const givenUp = (askedMs: number | undefined): Taken => ({ refused: { askedMs, waitMs: undefined } });

/**
 * When a request of each limit alone may leave, after one of both was refused.
 *
 * @param both in the order in which the request has them
 */
async function after(both: Limits, taken: Taken, workers = 1) {
	const clock = new VirtualClock();
	const turns = new Turns(clock);
	turns.adjust({ workers, bursts: false });
	void turns.take({}, both, false, async () => taken);
	await clock.run(0);
	const left: Record<string, number> = {};
	for (const [name, limit] of Object.entries(both)) {
		void turns.take({}, { [name]: limit }, false, async () => {
			left[name] = clock.now();
			return {};
		});
	}
	await clock.run();
	return left;
}

const account = accountLimits(2);
const slow = accountLimits(1);

describe('who goes next', () => {
	const setUp = (limits: Limits = account) => {
		const clock = new VirtualClock();
		const service = new SimulatedService(clock, { limits });
		return { clock, service, turns: new Turns(clock) };
	};

	test('a single message leaves within one turn although a broadcast is under way', async () => {
		const { clock, service, turns } = setUp();
		const broadcaster = {};
		for (let index = 0; index < 100; index++) void deliver(turns, service, broadcaster, account, 'broadcast');
		await clock.run(20_000);
		const before = service.arrivals.length;
		void deliver(turns, service, {}, account, 'single');
		await clock.run(22_000);
		const place = service.arrivals.slice(before).findIndex(({ name }) => name === 'single');
		expect(place).toBeGreaterThanOrEqual(0);
		expect(place).toBeLessThanOrEqual(1);
	});

	test('a run that begins comes after those that wait, and before the one that was served last', async () => {
		const { clock, service, turns } = setUp({ account: { count: 1, windowMs: 1000 } });
		const [a, b] = [{}, {}];
		for (let index = 0; index < 3; index++) void deliver(turns, service, a, slow, 'a');
		void deliver(turns, service, b, slow, 'b');
		await clock.run(1500);
		void deliver(turns, service, {}, slow, 'c');
		await clock.run();
		expect(service.arrivals.map(({ name }) => name)).toEqual(['a', 'a', 'b', 'c', 'a']);
	});

	test('runs share the turns evenly, and each keeps its own order', async () => {
		const { clock, service, turns } = setUp();
		for (const run of ['a', 'b', 'c']) {
			const key = {};
			for (let index = 0; index < 20; index++) void deliver(turns, service, key, account, `${run}${index}`);
		}
		await clock.run(10_000);
		for (const run of ['a', 'b', 'c']) {
			const mine = service.arrivals.filter(({ name }) => name.startsWith(run)).map(({ name }) => name);
			expect(mine.length).toBeGreaterThanOrEqual(6);
			expect(mine).toEqual(mine.map((_, index) => `${run}${index}`));
		}
	});

	test('a run that leaves takes its waiting requests along, and nothing else', async () => {
		const { clock, service, turns } = setUp();
		const [leaving, staying] = [{}, {}];
		const left = Array.from({ length: 20 }, () =>
			turns.take(leaving, account, false, receiveBy(service, 'leaving', ['account'])),
		);
		const stayed = Array.from({ length: 4 }, () => deliver(turns, service, staying, account, 'staying'));
		await clock.run(1500);
		const sent = service.arrivals.filter(({ name }) => name === 'leaving').length;
		turns.leave(leaving);
		await clock.run();
		await Promise.all(stayed);
		const outcomes = await Promise.all(left);
		expect(outcomes.filter((outcome) => outcome === undefined)).toHaveLength(20 - sent);
		expect(service.arrivals.filter(({ name }) => name === 'leaving')).toHaveLength(sent);
		expect(service.arrivals.filter(({ name }) => name === 'staying')).toHaveLength(4);
		expect(clock.sleeping).toBe(0);
	});

	test('a run that has nothing waiting may leave too', async () => {
		const { clock, service, turns } = setUp();
		for (let index = 0; index < 4; index++) void deliver(turns, service, {}, account, 'staying');
		turns.leave({});
		await clock.run();
		expect(service.arrivals).toHaveLength(4);
	});

	test('of two runs that begin together the first to come goes first', async () => {
		const { clock, service, turns } = setUp({ account: { count: 1, windowMs: 1000 } });
		for (const name of ['a', 'b', 'c']) void deliver(turns, service, {}, slow, name);
		await clock.run();
		expect(service.arrivals.map(({ name }) => name)).toEqual(['a', 'b', 'c']);
	});

	test('a run that asks for more does not lose its place', async () => {
		const { clock, service, turns } = setUp({ account: { count: 1, windowMs: 1000 } });
		const runs = ['a', 'b', 'c'].map((name) => ({ name }));
		for (const run of [...runs, ...runs]) void deliver(turns, service, run, slow, run.name);
		await clock.run(2500);
		expect(service.arrivals.map(({ name }) => name)).toEqual(['a', 'b', 'c']);
		void deliver(turns, service, runs[0]!, slow, 'a');
		await clock.run();
		expect(service.arrivals.map(({ name }) => name)).toEqual(['a', 'b', 'c', 'a', 'b', 'c', 'a']);
	});

	test('no run goes on and on at a limit at which another waits, whatever else both have waiting', async () => {
		const { clock, service, turns } = setUp({});
		const [a, b] = [{}, {}];
		const limits = (name: string) => ({ [name]: { count: 1, windowMs: 1000 } });
		for (let index = 0; index < 4; index++) {
			void deliver(turns, service, a, limits('both'), 'a');
			void deliver(turns, service, b, limits('both'), 'b');
			void deliver(turns, service, a, limits('of a'), 'only a');
			void deliver(turns, service, b, limits('of b'), 'only b');
		}
		await clock.run();
		const atBoth = service.arrivals.map(({ name }) => name).filter((name) => name.length === 1);
		expect(atBoth).toHaveLength(8);
		expect(atBoth.join('')).not.toMatch(/aaa.*b|bbb.*a/);
	});

	test('a repetition goes before the other requests of its run', async () => {
		const { clock, service, turns } = setUp({ account: { count: 1, windowMs: 1000 } });
		const run = {};
		const send = (name: string, first: boolean) =>
			turns.take(run, slow, first, receiveBy(service, name, ['account']));
		for (const name of ['a', 'b', 'c']) void send(name, false);
		void send('again', true);
		await clock.run();
		expect(service.arrivals.map(({ name }) => name)).toEqual(['a', 'again', 'b', 'c']);
	});

	test('a short wait is not held up by a longer one', async () => {
		const { clock, service, turns } = setUp({});
		const limits = {
			long: { long: { count: 1, windowMs: 10_000 } },
			short: { short: { count: 1, windowMs: 100 } },
		};
		for (const name of ['long', 'long', 'short', 'short'] as const) {
			void deliver(turns, service, {}, limits[name], name);
		}
		await clock.run();
		const [, second] = service.arrivals.filter(({ name }) => name === 'short');
		expect(second!.at).toBeLessThan(110);
	});

	test('nothing is kept of runs that have ended or left', async () => {
		const { clock, service, turns } = setUp();
		const leaving = {};
		for (let index = 0; index < 5; index++) {
			void deliver(turns, service, {}, account, 'staying');
			void deliver(turns, service, leaving, messageLimits('whatsapp'), 'leaving');
		}
		await clock.run(100);
		turns.leave(leaving);
		await clock.run();
		const { queues, served } = turns as unknown as Record<string, { size: number }>;
		expect([queues!.size, served!.size]).toEqual([0, 0]);
	});

	test('a request that throws gives its place back, and its error is what the caller sees', async () => {
		const { clock, turns } = setUp();
		const lost = turns.take({}, account, false, async () => await Promise.reject(new Error('lost')));
		const expected = expect(lost).rejects.toThrow('lost');
		await clock.run();
		await expected;
	});

	test('requests that throw leave room for others', async () => {
		const { clock, turns, service } = setUp({});
		const failing = Array.from({ length: 30 }, () =>
			turns
				.take({}, {}, false, async () => await Promise.reject(new Error('lost')))
				.catch((error: Error) => error.message),
		);
		await clock.run();
		expect(await Promise.all(failing)).toEqual(Array.from({ length: 30 }, () => 'lost'));
		void deliver(turns, service, {}, {}, 'next');
		await clock.run();
		expect(service.arrivals).toHaveLength(1);
	});

	test('a request that counts towards no limit costs no timer', async () => {
		const { clock, service, turns } = setUp({});
		void turns.take({}, {}, false, receiveBy(service, 'x', []));
		await clock.run(0);
		expect(clock.sleeping).toBe(1);
	});

	test('at most ten are under way without any limit', async () => {
		const { clock, service, turns } = setUp({});
		const sent = Array.from({ length: 200 }, () => deliver(turns, service, {}, {}, 'x'));
		await clock.run();
		await Promise.all(sent);
		expect(service.peak).toBe(10);
	});
});

describe('who lines up', () => {
	const setUp = (limits: Limits = account) => {
		const clock = new VirtualClock();
		const service = new SimulatedService(clock, { limits });
		const turns = new Turns(clock);
		const begun: string[] = [];
		/** Lines up, and sends in its turn. */
		const send = (run: object, name: string, counted: Limits = limits) =>
			turns.lineUp(run, counted, (turn) => {
				begun.push(name);
				void turns.use(turn, receiveBy(service, name, Object.keys(counted)));
			});
		return { clock, service, turns, begun, send };
	};
	const kept = (turns: Turns) => {
		const { queues, served } = turns as unknown as Record<string, { size: number }>;
		return queues!.size + served!.size;
	};
	const namesOf = ({ arrivals }: SimulatedService) => arrivals.map(({ name }) => name);

	test('is called at once while there is room, and later in turn', async () => {
		const { clock, service, begun, send } = setUp();
		const run = {};
		for (const name of ['a', 'b', 'c', 'd', 'e']) send(run, name);
		expect(begun).toEqual(['a', 'b']);
		await clock.run();
		expect(begun).toEqual(['a', 'b', 'c', 'd', 'e']);
		expect(namesOf(service)).toEqual(['a', 'b', 'c', 'd', 'e']);
		expect(service.refused).toBe(0);
		expect(service.arrivals[4]!.at).toBeGreaterThan(2000);
	});

	test('is told of every limit that the request counts towards', () => {
		const { turns } = setUp();
		const begun: Turn[] = [];
		const both = { ...account, ...messageLimits('whatsapp') };
		turns.lineUp({}, both, (turn) => begun.push(turn));
		expect(begun).toHaveLength(1);
		expect(begun[0]!.uses).toHaveLength(2);
	});

	test('gets what the request comes to', async () => {
		const { clock, turns } = setUp();
		const results: unknown[] = [];
		turns.lineUp({}, account, (turn) => {
			const send = async (): Promise<Taken & { rows: string[] }> => ({ rows: ['а'] });
			void turns.use(turn, send).then((result) => results.push(result));
		});
		await clock.run();
		expect(results).toEqual([{ rows: ['а'] }]);
	});

	test('is never called after leaving, and others are', async () => {
		const { clock, service, turns, begun, send } = setUp();
		const [leaving, staying] = [{}, {}];
		for (let index = 0; index < 20; index++) send(leaving, 'leaving');
		for (let index = 0; index < 4; index++) send(staying, 'staying');
		await clock.run(1500);
		const before = begun.filter((name) => name === 'leaving').length;
		expect(before).toBeGreaterThan(0);
		turns.leave(leaving);
		await clock.run();
		expect(begun.filter((name) => name === 'leaving')).toHaveLength(before);
		expect(begun.filter((name) => name === 'staying')).toHaveLength(4);
		expect(namesOf(service).sort()).toEqual([...begun].sort());
		expect(kept(turns)).toBe(0);
		expect(clock.sleeping).toBe(0);
	});

	test('may leave while being called: none of the others is called any more', async () => {
		const { clock, turns } = setUp();
		const run = {};
		const begun: number[] = [];
		for (let index = 0; index < 8; index++) {
			turns.lineUp(run, account, (turn) => {
				begun.push(index);
				if (index === 2) turns.leave(run);
				void turns.use(turn, async () => ({}));
			});
		}
		await clock.run();
		expect(begun).toEqual([0, 1, 2]);
		expect(kept(turns)).toBe(0);
	});

	test('may line up again after leaving', async () => {
		const { clock, turns, begun, send } = setUp();
		const run = {};
		for (const name of ['a', 'b', 'c']) send(run, name);
		turns.leave(run);
		send(run, 'd');
		await clock.run();
		expect(begun).toEqual(['a', 'b', 'd']);
	});

	test('may line up for more while being called', async () => {
		const { clock, turns, begun, send } = setUp();
		const run = {};
		turns.lineUp(run, account, (turn) => {
			begun.push('a');
			send(run, 'c');
			send({}, 'other');
			void turns.use(turn, async () => ({}));
		});
		send(run, 'b');
		await clock.run();
		// There is room for two; then a run that begins goes before the one that was served last.
		expect(begun).toEqual(['a', 'c', 'other', 'b']);
	});

	test('by the thousands may leave at once', async () => {
		const { clock, turns, begun, send } = setUp();
		const run = {};
		for (let index = 0; index < 10_000; index++) send(run, String(index));
		await clock.run(5000);
		const before = begun.length;
		turns.leave(run);
		await clock.run();
		expect(begun).toHaveLength(before);
		expect(before).toBeLessThan(15);
		expect(kept(turns)).toBe(0);
	});

	test('takes turns with who waits', async () => {
		const { clock, service, turns, send } = setUp();
		const [lining, waiting] = [{}, {}];
		for (let index = 0; index < 30; index++) {
			send(lining, `lining ${index}`);
			void deliver(turns, service, waiting, account, `waiting ${index}`);
		}
		await clock.run(10_000);
		for (const who of ['lining', 'waiting']) {
			const mine = namesOf(service).filter((name) => name.startsWith(who));
			expect(mine.length).toBeGreaterThanOrEqual(9);
			expect(mine).toEqual(mine.map((_, index) => `${who} ${index}`));
		}
	});

	test('with a broadcast lets a single message by within one turn', async () => {
		const { clock, service, turns, send } = setUp();
		const broadcaster = {};
		for (let index = 0; index < 100; index++) send(broadcaster, 'broadcast');
		await clock.run(20_000);
		const before = service.arrivals.length;
		void deliver(turns, service, {}, account, 'single');
		await clock.run(22_000);
		const place = namesOf(service).slice(before).indexOf('single');
		expect(place).toBeGreaterThanOrEqual(0);
		expect(place).toBeLessThanOrEqual(1);
	});

	test('goes behind a repetition of the same run, and before what comes later', async () => {
		const { clock, service, turns, send } = setUp({ account: { count: 1, windowMs: 1000 } });
		const run = {};
		for (const name of ['a', 'b']) send(run, name, slow);
		void turns.take(run, slow, false, receiveBy(service, 'd', ['account']));
		void turns.take(run, slow, true, receiveBy(service, 'again', ['account']));
		send(run, 'e', slow);
		await clock.run();
		expect(namesOf(service)).toEqual(['a', 'again', 'b', 'd', 'e']);
	});

	test('is under way from the call to the answer: ten at most', async () => {
		const { clock, turns } = setUp({});
		const begun: Turn[] = [];
		for (let index = 0; index < 30; index++) turns.lineUp({}, {}, (turn) => begun.push(turn));
		await clock.run();
		expect(begun).toHaveLength(10);
		let answer = () => {};
		void turns.use(begun[3]!, async () => {
			await new Promise<void>((resolve) => (answer = resolve));
			return {};
		});
		await clock.run();
		expect(begun).toHaveLength(10);
		answer();
		await clock.run();
		expect(begun).toHaveLength(11);
	});

	test('shares the ten with who waits', async () => {
		const { clock, service, turns, send } = setUp({});
		const sent = Array.from({ length: 100 }, (_, index) => {
			if (index % 2) return deliver(turns, service, {}, {}, 'waiting');
			return send({}, 'lining', {});
		});
		await clock.run();
		await Promise.all(sent);
		expect(service.arrivals).toHaveLength(100);
		expect(service.peak).toBe(10);
	});

	test('and throws gives its place back, and the error goes to whom it belongs', async () => {
		const { clock, service, turns, send } = setUp({});
		const errors: string[] = [];
		for (let index = 0; index < 30; index++) {
			turns.lineUp({}, {}, (turn) => {
				const lost = turns.use(turn, async () => await Promise.reject(new Error(`lost ${index}`)));
				void lost.catch((error: Error) => errors.push(error.message));
			});
		}
		await clock.run();
		expect(errors).toEqual(Array.from({ length: 30 }, (_, index) => `lost ${index}`));
		send({}, 'next', {});
		await clock.run();
		expect(namesOf(service)).toEqual(['next']);
	});

	test('and throws counts for the limit all the same: it may have arrived', async () => {
		const { clock, turns } = setUp();
		const times: number[] = [];
		for (let index = 0; index < 4; index++) {
			turns.lineUp({}, account, (turn) => {
				times.push(clock.now());
				void turns.use(turn, async () => await Promise.reject(new Error('lost'))).catch(() => {});
			});
		}
		await clock.run();
		expect(times.slice(0, 2)).toEqual([0, 0]);
		for (const at of times.slice(2)) expect(at).toBeGreaterThanOrEqual(1000);
	});

	test.each([
		['what the service asks for', 7000, 7000],
		['the length of the window when it does not say', undefined, 1000],
	])('and is refused makes all wait %s', async (_name, waitMs, expected) => {
		const { clock, turns } = setUp();
		const times: number[] = [];
		for (let index = 0; index < 3; index++) {
			turns.lineUp({}, account, (turn) => {
				times.push(clock.now());
				void turns.use(turn, async () => (index === 0 ? refusal(waitMs) : {}));
			});
		}
		await clock.run(10);
		const before = times.length;
		await clock.run();
		expect(times).toHaveLength(3);
		for (const at of times.slice(before)) {
			expect(at).toBeGreaterThanOrEqual(expected);
			expect(at).toBeLessThan(expected + 600);
		}
		expect(before).toBeLessThan(3);
	});

	test('counts from the answer, not from when the turn came', async () => {
		const { clock, turns } = setUp({ account: { count: 1, windowMs: 1000 } });
		const begun: Array<{ at: number; turn: Turn }> = [];
		for (let index = 0; index < 2; index++) {
			turns.lineUp({}, slow, (turn) => begun.push({ at: clock.now(), turn }));
		}
		void turns.use(begun[0]!.turn, async () => {
			await clock.sleep(400);
			return {};
		});
		await clock.run(1399);
		expect(begun).toHaveLength(1);
		await clock.run();
		expect(begun[1]!.at).toBe(1400);
	});

	test('is never over any limit, mixed with who waits in any way (generated)', async () => {
		const message = fc.record({
			run: fc.nat(3),
			messenger: fc.constantFrom('whatsapp', 'telegram', 'vk', undefined),
			linesUp: fc.boolean(),
		});
		await fc.assert(
			fc.asyncProperty(
				fc.integer({ min: 1, max: 9 }),
				fc.array(message, { minLength: 1, maxLength: 30 }),
				fc.integer({ min: 1, max: 1000 }),
				async (perSecond, messages, seed) => {
					const random = seeded(seed);
					const limits = {
						...accountLimits(perSecond),
						...messageLimits(undefined),
						...messageLimits('whatsapp'),
					};
					const clock = new VirtualClock();
					const service = new SimulatedService(clock, {
						limits,
						wayMs: () => random() * 30,
						answerMs: () => random() * 200,
					});
					const turns = new Turns(clock);
					const runs = [{}, {}, {}, {}];
					for (const [index, { run, messenger, linesUp }] of messages.entries()) {
						const counted = joinLimits(accountLimits(perSecond), messageLimits(messenger));
						const receive = receiveBy(service, String(index), Object.keys(counted));
						if (!linesUp) void turns.take(runs[run]!, counted, false, receive);
						else turns.lineUp(runs[run]!, counted, (turn) => void turns.use(turn, receive));
					}
					await clock.run();
					expect(service.refused).toBe(0);
					expect(service.peak).toBeLessThanOrEqual(10);
					expect(
						namesOf(service)
							.map(Number)
							.sort((a, b) => a - b),
					).toEqual(messages.map((_, index) => index));
					expect(kept(turns)).toBe(0);
					expect(clock.sleeping).toBe(0);
				},
			),
			{ numRuns: 60 },
		);
	});
});

describe('after a refusal', () => {
	test.each([
		['what it asks for', 7000, 7000],
		['the length of the window when it does not say', undefined, 1000],
	])('the account waits %s', async (_name, waitMs, expected) => {
		const clock = new VirtualClock();
		const turns = new Turns(clock);
		const times: number[] = [];
		let refusals = 1;
		const send = async (): Promise<Taken> => {
			times.push(clock.now());
			return refusals-- > 0 ? refusal(waitMs) : {};
		};
		void turns.take({}, account, false, send);
		await clock.run(0);
		void turns.take({}, account, false, send);
		await clock.run();
		expect(times).toHaveLength(2);
		expect(times[1]! - times[0]!).toBeGreaterThanOrEqual(expected);
		expect(times[1]! - times[0]!).toBeLessThan(expected + 600);
	});

	const short = (count: number) => ({ short: { count, windowMs: 1000 } });
	const long = (count: number) => ({ long: { count, windowMs: 10_000 } });
	const everyOrder = (...limits: Limits[]): Array<[Limits]> => [
		[Object.assign({}, ...limits)],
		[Object.assign({}, ...limits.reverse())],
	];

	test.each(everyOrder(short(10), long(2)))(
		'the fuller limit waits its window, the other does not: %j',
		async (both) => {
			expect(await after(both, refusal(undefined))).toEqual({ short: 0, long: 10_000 });
		},
	);

	test.each(everyOrder(short(2), long(10)))(
		'also where the shorter window is the fuller: %j',
		async (both) => {
			expect(await after(both, refusal(undefined))).toEqual({ short: 1000, long: 0 });
		},
	);

	test.each(everyOrder(short(2), long(2)))('of two as full it is the shorter: %j', async (both) => {
		expect(await after(both, refusal(undefined))).toEqual({ short: 1000, long: 0 });
	});

	test.each(everyOrder(short(2), long(10)))(
		'a wait longer than a window tells that it is not that one: %j',
		async (both) => {
			expect(await after(both, refusal(1001))).toEqual({ short: 0, long: 1001 });
			expect(await after(both, refusal(1000))).toEqual({ short: 1000, long: 0 });
		},
	);

	test('a wait longer than all windows is that of the fullest', async () => {
		expect(await after({ ...long(10), ...short(2) }, refusal(60_000))).toEqual({ short: 60_000, long: 0 });
	});

	test.each([500, 120_001])('one that is given up leaves the others their turn: %p ms', async (askedMs) => {
		expect(await after(short(2), givenUp(askedMs))).toEqual({ short: 1000 });
	});

	test('it waits longer than the service asked where its own waits grow', async () => {
		expect(await after(short(2), { refused: { askedMs: 500, waitMs: 4000 } })).toEqual({ short: 4000 });
	});

	test.each([
		['what it asks for', refusal(5000), 5000],
		['a second when it does not say', refusal(undefined), 1000],
		['a second when it asks for more than anybody waits', givenUp(120_001), 1000],
	])('without any limit everything waits: %s', async (_name, taken, expected) => {
		const clock = new VirtualClock();
		const turns = new Turns(clock);
		const times: number[] = [];
		for (let index = 0; index < 11; index++) {
			void turns.take({}, {}, false, async () => {
				times.push(clock.now());
				return index === 0 ? taken : {};
			});
		}
		await clock.run();
		expect(times.at(-1)).toBe(expected);
	});

	test.each([
		['took nothing of an account that is shared by Workers', 2, 0],
		['counts where the account is not shared', 1, 10_000],
	])('the request that was refused %s', async (_name, workers, expected) => {
		const left = await after({ long: { count: 2 * workers - 1, windowMs: 10_000 } }, refusal(0), workers);
		expect(left.long).toBe(expected);
	});

	test('twice in a row, the pace comes back to the limit step by step', async () => {
		const clock = new VirtualClock();
		const turns = new Turns(clock);
		const run = {};
		const times: number[] = [];
		for (let index = 0; index < 400; index++) {
			void turns.take(run, account, false, async () => {
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
	const short = { short: { count: 2, windowMs: 1000 } };
	const long = { long: { count: 10, windowMs: 10_000 } };
	const refusedBy = (limit: number, askedMs: number): Taken => ({
		count: { limit, remaining: 0 },
		...refusal(askedMs),
	});

	test.each([
		['the long one, by the minute, for a short wait', 60, 500, { short: 0, long: 500 }],
		['the short one, by the minute, for a long wait', 120, 5000, { short: 5000, long: 0 }],
		['the short one in its own window', 2, 5000, { short: 5000, long: 0 }],
		['the long one in its own window, which is over after its length', 10, 500, { short: 0, long: 10_000 }],
		['neither of them: the shorter one, which is the fuller', 77, 500, { short: 500, long: 0 }],
		['neither of them: the longer one, as long as it asks', 77, 5000, { short: 0, long: 5000 }],
	])('hits %s', async (_name, limit, askedMs, expected) => {
		expect(await after({ ...short, ...long }, refusedBy(limit, askedMs))).toEqual(expected);
	});

	test.each([
		['the short one: it was the long one', 120, { short: 0, long: 500 }],
		['the long one: it was the short one', 60, { short: 500, long: 0 }],
	])('tells that it was not the limit of which something is left, %s', async (_name, limit, expected) => {
		const taken = { count: { limit, remaining: 5 }, ...refusal(500) };
		expect(await after({ ...short, ...long }, taken)).toEqual(expected);
	});

	test('is that of the only limit, whatever is left of it', async () => {
		expect(await after(short, { count: { limit: 120, remaining: 5 }, ...refusal(500) })).toEqual({
			short: 500,
		});
	});

	test('does not tell two limits apart that look alike', async () => {
		const alike = { ...accountLimits(1), ...messageLimits('telegram') };
		expect(await after(alike, refusedBy(60, 500))).toEqual({ account: 1000, telegram: 0 });
		expect(await after(alike, refusedBy(60, 5000))).toEqual({ account: 1000, telegram: 5000 });
	});

	test('says nothing of a limit that the request does not count towards', async () => {
		expect(await after(short, refusedBy(60, 5000))).toEqual({ short: 5000 });
	});
});

describe('a service that is closed', () => {
	const setUp = (closedMs: number[]) => {
		const clock = new VirtualClock();
		const turns = new Turns(clock);
		const left: Record<string, number[]> = {};
		const send = (name: string, limits: Limits) =>
			void turns.take({}, limits, false, async () => {
				(left[name] ??= []).push(clock.now());
				const next = closedMs.shift();
				return next === undefined ? {} : { closedMs: next };
			});
		return { clock, left, send };
	};

	test('is asked nothing by anybody of the account, whatever it counts towards', async () => {
		const { clock, left, send } = setUp([5000]);
		send('first', account);
		await clock.run(0);
		send('account', account);
		send('whatsapp', messageLimits('whatsapp'));
		send('nothing', {});
		await clock.run();
		expect(left).toEqual({ first: [0], account: [5000], whatsapp: [5000], nothing: [5000] });
	});

	test('is asked as fast as ever when it opens, however often it was closed', async () => {
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

	test('is closed for as long as it was said last, and at least as long as before', async () => {
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

	/** A service that counts by the minute and says so, a process that may use what is left at once, and who sends there. */
	const setUp = ({ bursts = true, limits = minute as Limits, isSteady = false } = {}) => {
		const clock = new VirtualClock();
		const random = seeded(7);
		const service = new SimulatedService(clock, {
			limits,
			window: 'fixed',
			headers: 'true',
			wayMs: () => (isSteady ? 1 : random() * 20),
			answerMs: () => (isSteady ? 40 : 20 + random() * 60),
		});
		const turns = new Turns(clock);
		turns.adjust({ workers: 1, bursts });
		const run = {};
		const send = (requests: number, counted: Limits = account) => {
			for (let index = 0; index < requests; index++) void deliver(turns, service, run, counted, 'x');
		};
		const sentBetween = (from: number, until: number) =>
			service.arrivals.filter(({ at }) => at >= from && at < until).length;
		return { clock, service, turns, send, sentBetween };
	};

	test('send a hundred requests in about a second, ten at a time at most', async () => {
		const { clock, service, send } = setUp();
		send(100);
		await clock.run();
		expect(service.arrivals).toHaveLength(100);
		expect(service.arrivals[99]!.at).toBeLessThan(1500);
		expect(service.peak).toBe(10);
		expect(service.refused).toBe(0);
	});

	test('leave a tenth of the window to others, until it ends', async () => {
		const { clock, service, send, sentBetween } = setUp();
		send(240);
		await clock.run();
		expect(sentBetween(0, 50_000)).toBeGreaterThanOrEqual(99);
		expect(sentBetween(0, 50_000)).toBeLessThanOrEqual(108);
		expect(sentBetween(50_000, 60_000)).toBeGreaterThan(8);
		expect(sentBetween(60_000, 65_000)).toBeGreaterThan(100);
		expect(service.refused).toBe(0);
	});

	test('leave no more than that where all answers take the same time', async () => {
		const { clock, send, sentBetween } = setUp({ isSteady: true });
		send(240);
		await clock.run();
		expect(sentBetween(0, 50_000)).toBe(108);
	});

	test('keep the limits of the messenger all the same', async () => {
		const { clock, service, send } = setUp();
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
	] as const)('give way to the even pace when %s', async (_name, twentieth) => {
		const { clock, turns } = setUp();
		const times: number[] = [];
		for (let index = 0; index < 60; index++) {
			const sent = turns.take({}, account, false, async () => {
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

	test('begin when they are switched on while requests wait', async () => {
		const { clock, turns, send, sentBetween } = setUp({ bursts: false });
		send(100);
		await clock.run(5000);
		expect(sentBetween(0, 5000)).toBeLessThanOrEqual(10);
		turns.adjust({ workers: 1, bursts: true });
		send(1);
		await clock.run(8000);
		expect(sentBetween(5000, 8000)).toBeGreaterThan(80);
	});

	test('end when they are switched off while requests wait', async () => {
		const { clock, turns, send, sentBetween } = setUp();
		send(100);
		await clock.run(400);
		expect(sentBetween(0, 400)).toBeGreaterThan(10);
		turns.adjust({ workers: 1, bursts: false });
		send(1);
		await clock.run(1500);
		await clock.run(5500);
		expect(sentBetween(1500, 5500)).toBeLessThanOrEqual(8);
	});

	test('are of the account alone: what a messenger says of its own count changes nothing', async () => {
		const telegram = messageLimits('telegram');
		const { clock, service, send } = setUp({ limits: { telegram: { count: 60, windowMs: 60_000 } } });
		send(30, telegram);
		await clock.run(9000);
		expect(service.arrivals).toHaveLength(10);
	});
});

describe('the turns of an account', () => {
	test('are the same for all that name it, and others for another', () => {
		const turns = turnsOf('https://a.example/api/v1 token');
		expect(turnsOf('https://a.example/api/v1 token')).toBe(turns);
		expect(turnsOf('https://b.example/api/v1 token')).not.toBe(turns);
	});

	test('go by the time that really passes', async () => {
		const limits = { account: { count: 1, windowMs: 100 } };
		const times: number[] = [];
		const send = async () =>
			await turnsOf('real time').take({}, limits, false, async () => {
				times.push(performance.now());
				return {};
			});
		await Promise.all([send(), send()]);
		expect(times[1]! - times[0]!).toBeGreaterThanOrEqual(99);
	});
});

describe('the pace', () => {
	test('keeps the messenger within the account: WhatsApp waits, others go on', async () => {
		const clock = new VirtualClock();
		const limits = { ...account, ...messageLimits('whatsapp'), ...messageLimits('telegram') };
		const service = new SimulatedService(clock, { limits });
		const turns = new Turns(clock);
		const run = {};
		const sent = ['whatsapp', 'whatsapp', 'whatsapp', ...Array.from({ length: 12 }, () => 'telegram')].map(
			(messenger) => deliver(turns, service, run, joinLimits(account, messageLimits(messenger)), messenger),
		);
		await clock.run();
		await Promise.all(sent);
		const times = (name: string) => service.arrivals.filter((each) => each.name === name).map(({ at }) => at);
		expect(service.refused).toBe(0);
		expect(times('whatsapp').map((at) => Math.floor(at / 10_000))).toEqual([0, 1, 2]);
		expect(times('telegram')[9]).toBeLessThan(6_000);
		expect(times('telegram')[10]).toBeGreaterThan(10_000);
	});

	test('is never over any limit, whatever the limits and the order (generated)', async () => {
		await fc.assert(
			fc.asyncProperty(
				fc.integer({ min: 1, max: 9 }),
				fc.array(fc.constantFrom('whatsapp', 'telegram', 'vk', 'unknown'), { minLength: 1, maxLength: 30 }),
				fc.integer({ min: 1, max: 1000 }),
				async (perSecond, messengers, seed) => {
					const random = seeded(seed);
					const limits = {
						...accountLimits(perSecond),
						...messageLimits(undefined),
						...messageLimits('whatsapp'),
					};
					const clock = new VirtualClock();
					const service = new SimulatedService(clock, {
						limits,
						wayMs: () => random() * 30,
						answerMs: () => random() * 200,
					});
					const turns = new Turns(clock);
					const run = {};
					const sent = messengers.map((messenger, index) =>
						deliver(
							turns,
							service,
							run,
							joinLimits(
								accountLimits(perSecond),
								messageLimits(messenger === 'unknown' ? undefined : messenger),
							),
							String(index),
						),
					);
					await clock.run();
					await Promise.all(sent);
					expect(service.refused).toBe(0);
					expect(service.peak).toBeLessThanOrEqual(10);
					expect(clock.sleeping).toBe(0);
				},
			),
			{ numRuns: 60 },
		);
	});
});
