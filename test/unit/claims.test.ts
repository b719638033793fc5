import fc from 'fast-check';

import type { Limits } from '../../nodes/ChatbotService/client/limits';
import { Claims } from '../../nodes/ChatbotService/run/claims';
import { Store, type Standing } from '../../nodes/ChatbotService/run/store';
import { FakeEntries } from './fakeEntries';

/* When recipients are claimed, in virtual time, in a store whose calls take 5 ms. */

const callMs = 5;

beforeEach(() => {
	jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'performance'] });
	// Nobody else is busy.
	jest.spyOn(performance, 'eventLoopUtilization').mockReturnValue({ active: 0, idle: 1, utilization: 0 });
});
afterEach(() => {
	jest.useRealTimers();
	jest.restoreAllMocks();
});

const pass = async (milliseconds: number) => await jest.advanceTimersByTimeAsync(milliseconds);

const entriesOf = (stored: string[] = [], owner?: string) =>
	new FakeEntries(
		stored,
		owner,
		async () => await new Promise<void>((resolve) => setTimeout(resolve, callMs)),
	);

/** Limits of which so many requests leave in a second. */
const line = (perSecond: number): Limits =>
	Number.isFinite(perSecond) ? { line: { count: perSecond, windowMs: 1000 } } : {};

type Told = Standing | { error: unknown };

/** The claims of a run, with what it was told, and who may leave. */
class Run {
	readonly stop = new AbortController();

	readonly asked: Array<[Limits, number]> = [];

	readonly claims: Claims;

	/** What was told of each item, in the order of telling. */
	readonly told: Array<[item: number, told: Told]> = [];

	/** Claimed, and not left, by limits. */
	private readonly ready = new Map<Limits, string[]>();

	constructor(
		readonly entries: FakeEntries,
		private readonly then: (told: Told, key: string, item: number) => void = () => {},
	) {
		const leaving = (limits: Limits, milliseconds: number) => {
			this.asked.push([limits, milliseconds]);
			const { count, windowMs } = limits.line ?? { count: Infinity, windowMs: 1 };
			return (count / windowMs) * milliseconds;
		};
		this.claims = new Claims(new Store(entries), leaving, this.stop.signal);
	}

	want(limits: Limits, item: number, key = `ключ ${item}`) {
		const known = (told: Told) => {
			this.told.push([item, told]);
			if (told === 'claimed') this.ready.set(limits, [...this.readyOf(limits), key]);
			this.then(told, key, item);
		};
		this.claims.want({ item, key, limits, known });
	}

	wantAll(limits: Limits, from: number, to: number) {
		for (let item = from; item < to; item++) this.want(limits, item);
	}

	readyOf(limits: Limits): string[] {
		return this.ready.get(limits) ?? [];
	}

	get countReady() {
		return [...this.ready.values()].flat().length;
	}

	/** Lets the next of those who are claimed leave. */
	leave(limits: Limits, count = 1): string[] {
		const left = this.readyOf(limits).splice(0, count);
		for (const key of left) this.claims.left(key);
		return left;
	}

	end(keys: string[], as: 'sent' | 'notSent' | 'inDoubt' = 'sent') {
		for (const key of keys) this.claims.ended(key, as);
	}

	items(standing: Standing): number[] {
		return this.told.filter(([, told]) => told === standing).map(([item]) => item);
	}

	/** How many were looked for in each call. */
	get batches(): number[] {
		return this.entries
			.entriesOf('add')
			.map((entries) => entries.filter((entry) => entry.startsWith('doubt ')).length);
	}

	get calls() {
		return this.entries.calls.length;
	}
}

const runOf = (stored: string[] = []) => new Run(entriesOf(stored));
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);
const sent = (from: number, to: number) => range(from, to).map((item) => `sent ключ ${item}`);

describe('who is claimed', () => {
	test.each([
		[0.1, 1],
		[0.5, 1],
		[1, 2],
		[2, 4],
		[10, 20],
		[24.9, 49],
		[25, 50],
		[40, 50],
		[Infinity, 50],
	])('at %d messages a second: the %i that leave within two seconds, and 50 at most', async (pace, count) => {
		const run = runOf();
		const limits = line(pace);
		run.wantAll(limits, 0, 200);
		await pass(1000);
		expect(run.items('claimed')).toEqual(range(0, count));
		expect(run.batches).toEqual([count]);
		expect(run.asked).toEqual([[limits, 2000]]);
	});

	test('is told after the store has said so, and not before', async () => {
		const run = runOf();
		run.want(line(2), 0);
		await pass(callMs - 1);
		expect(run.told).toEqual([]);
		await pass(10);
		expect(run.told).toEqual([[0, 'claimed']]);
	});

	test('are the first by their place, whenever they came', async () => {
		const run = runOf();
		const limits = line(2);
		for (const item of [5, 3, 9, 0, 7, 2]) run.want(limits, item);
		await pass(100);
		expect(run.items('claimed')).toEqual([0, 2, 3, 5]);
		run.want(limits, 1);
		run.leave(limits, 4);
		await pass(100);
		expect(run.items('claimed')).toEqual([0, 2, 3, 5, 1, 7, 9]);
	});

	test('comes after a pause of any length without a call in between', async () => {
		const run = runOf();
		run.want(line(2), 0);
		await pass(60_000);
		expect(run.calls).toBe(1);
		run.want(line(2), 1);
		await pass(100);
		expect(run.items('claimed')).toEqual([0, 1]);
	});
});

describe('the next are claimed', () => {
	test('when no more than a quarter of those before is left, all in one call', async () => {
		const run = runOf();
		const limits = line(4);
		run.wantAll(limits, 0, 40);
		await pass(100);
		run.leave(limits, 5);
		await pass(1000);
		expect(run.batches).toEqual([8]);
		run.leave(limits, 1);
		await pass(100);
		expect(run.batches).toEqual([8, 6]);
		expect(run.countReady).toBe(8);
	});

	test('one by one where less than one leaves in two seconds', async () => {
		const run = runOf();
		const limits = line(0.1);
		run.wantAll(limits, 0, 3);
		for (let item = 0; item < 3; item++) {
			await pass(10_000);
			expect(run.items('claimed')).toEqual(range(0, item + 1));
			run.leave(limits);
		}
	});

	test('also while none of those who have left has an answer', async () => {
		const run = runOf();
		const limits = line(4);
		run.wantAll(limits, 0, 40);
		for (let round = 0; round < 10; round++) {
			await pass(100);
			run.leave(limits, 8);
		}
		expect(run.items('claimed')).toEqual(range(0, 40));
	});

	test('never so many that more than 50 are claimed and have not left, of any lines (generated)', async () => {
		const step = fc.record({
			wants: fc.array(fc.constantFrom(0, 1, 2, 3), { maxLength: 60 }),
			leaves: fc.array(fc.tuple(fc.constantFrom(0, 1, 2, 3), fc.nat({ max: 40 })), { maxLength: 3 }),
			ms: fc.nat({ max: 60 }),
		});
		const pool = [line(0.1), line(8), line(30), line(Infinity)];
		await fc.assert(
			fc.asyncProperty(
				fc.array(step, { minLength: 1, maxLength: 12 }),
				fc.subarray(range(0, 200)),
				async (steps, known) => {
					const entries = entriesOf(known.map((item) => `sent ключ ${item}`));
					const run = new Run(entries);
					let claimedInStore = 0;
					let under = 0;
					entries.after = () => {
						const doubts = entries.stored.filter((entry) => entry.startsWith('doubt '));
						claimedInStore = Math.max(claimedInStore, doubts.length - under);
					};
					let item = 0;
					for (const { wants, leaves, ms } of steps) {
						for (const at of wants) run.want(pool[at]!, item++);
						for (const [at, count] of leaves) under += run.leave(pool[at]!, count).length;
						await pass(ms);
						expect(run.countReady).toBeLessThanOrEqual(50);
					}
					// Nobody waits for ever, and everybody is told once.
					for (let round = 0; round < 2000 && run.told.length < item; round++) {
						for (const limits of pool) under += run.leave(limits, 50).length;
						await pass(50);
					}
					expect(run.told.map(([each]) => each).sort((a, b) => a - b)).toEqual(range(0, item));
					const wereKnown = new Set(known);
					for (const [each, told] of run.told) expect(told).toBe(wereKnown.has(each) ? 'sent' : 'claimed');
					// Whom a process that dies leaves in doubt without need.
					expect(claimedInStore).toBeLessThanOrEqual(50);
				},
			),
			{ numRuns: 40 },
		);
	});
});

describe('of several lines', () => {
	const slow = line(0.1);
	const fast = line(Infinity);

	test('the slow one does not hold up the fast one', async () => {
		const run = runOf();
		run.wantAll(slow, 0, 100);
		run.wantAll(fast, 100, 400);
		for (let round = 0; round < 12; round++) {
			await pass(100);
			run.leave(fast, 50);
		}
		// One of the slow line has been claimed all the time, and has not left.
		expect(run.items('claimed').filter((item) => item < 100)).toEqual([0]);
		expect(run.items('claimed').filter((item) => item >= 100)).toEqual(range(100, 400));
	});

	test('the fast one does not hold up the slow one', async () => {
		const run = runOf();
		run.wantAll(fast, 0, 1000);
		await pass(100);
		run.wantAll(slow, 1000, 1010);
		for (let round = 0; round < 10; round++) {
			run.leave(fast, 30);
			await pass(100);
			expect(run.readyOf(slow)).toHaveLength(1);
			run.leave(slow);
		}
		expect(run.items('claimed').filter((item) => item >= 1000)).toEqual(range(1000, 1010));
	});

	test('the slow ones come first where there is not room for all', async () => {
		const run = runOf();
		run.wantAll(fast, 0, 100);
		run.wantAll(line(10), 100, 200);
		run.wantAll(slow, 200, 300);
		await pass(100);
		expect(run.batches).toEqual([50]);
		expect(run.items('claimed').sort((a, b) => a - b)).toEqual([...range(0, 29), ...range(100, 120), 200]);
	});

	test('two fast ones share the room for 50, and nobody is looked for before half of it is free', async () => {
		const [one, other] = [line(Infinity), line(40)];
		const run = runOf();
		run.wantAll(one, 0, 300);
		run.wantAll(other, 300, 600);
		await pass(100);
		const counts = () => [run.readyOf(one).length, run.readyOf(other).length];
		expect([counts(), run.batches]).toEqual([[50, 0], [50]]);
		run.leave(one, 24);
		await pass(100);
		expect([counts(), run.batches]).toEqual([[26, 0], [50]]);
		run.leave(one, 1);
		await pass(100);
		expect([counts(), run.batches]).toEqual([
			[25, 25],
			[50, 25],
		]);
		run.leave(one, 13);
		run.leave(other, 13);
		await pass(100);
		expect([counts(), run.batches]).toEqual([
			[38, 12],
			[50, 25, 26],
		]);
	});

	test('each is asked for once how many leave', async () => {
		const run = runOf();
		const middle = line(3);
		for (let item = 0; item < 30; item += 3) {
			run.want(slow, item);
			run.want(middle, item + 1);
			run.want(fast, item + 2);
		}
		await pass(100);
		expect(run.asked).toEqual([
			[slow, 2000],
			[middle, 2000],
			[fast, 2000],
		]);
	});
});

describe('those who were sent to before', () => {
	test('take no time: as long as all are such, twice as many are looked for, and 50 in the end', async () => {
		const run = runOf(sent(0, 200));
		run.wantAll(line(2), 0, 200);
		await pass(2000);
		expect(run.batches.slice(0, 7)).toEqual([4, 8, 16, 32, 50, 50, 40]);
		expect(run.items('sent')).toEqual(range(0, 200));
		expect(run.entries.stored.filter((entry) => entry.startsWith('doubt'))).toEqual([]);
	});

	test('are followed by others, of whom no more are kept than leave; the rest is looked for later', async () => {
		const run = runOf(sent(0, 60));
		const limits = line(2);
		run.wantAll(limits, 0, 120);
		await pass(500);
		expect(run.batches.filter(Boolean)).toEqual([4, 8, 16, 32, 50]);
		expect(run.items('sent')).toEqual(range(0, 60));
		expect(run.items('claimed')).toEqual(range(60, 64));
		// All others are as nobody had looked for them.
		expect(run.entries.stored.filter((entry) => entry.startsWith('doubt ')).sort()).toEqual(
			range(60, 64).map((item) => `doubt ключ ${item}`),
		);
		for (let round = 0; round < 20; round++) {
			run.leave(limits, 4);
			await pass(100);
			expect(run.countReady).toBeLessThanOrEqual(4);
		}
		expect(run.items('claimed')).toEqual(range(60, 120));
		expect(run.batches.filter(Boolean).slice(5)).toEqual(Array.from({ length: 14 }, () => 4));
	});

	test('let those among whom one is new be looked for as before', async () => {
		const run = runOf([...sent(0, 11), ...sent(12, 100)]);
		const limits = line(2);
		run.wantAll(limits, 0, 100);
		await pass(100);
		expect(run.items('claimed')).toEqual([11]);
		expect(run.batches.slice(0, 4)).toEqual([4, 8, 3, 7]);
	});

	test('do not count for one line what was found in another', async () => {
		const run = runOf(sent(0, 50));
		run.wantAll(line(2), 0, 50);
		run.wantAll(line(1), 100, 150);
		await pass(200);
		expect(run.items('sent')).toEqual(range(0, 50));
		expect(run.items('claimed')).toEqual([100, 101]);
	});
});

describe('those in doubt', () => {
	test('are told, stay in doubt, and are open to other runs, who are told the same', async () => {
		const run = runOf(['sent ключ 1', 'doubt ключ 1']);
		const other = new Run(run.entries);
		run.wantAll(line(2), 0, 3);
		await pass(100);
		expect(run.told).toEqual([
			[0, 'claimed'],
			[1, 'inDoubt'],
			[2, 'claimed'],
		]);
		other.want(line(2), 1);
		await pass(100);
		expect(other.told).toEqual([[1, 'inDoubt']]);
	});

	test('are not counted as claimed', async () => {
		const run = runOf(range(0, 20).flatMap((item) => [`sent ключ ${item}`, `doubt ключ ${item}`]));
		run.wantAll(line(2), 0, 30);
		await pass(500);
		expect(run.items('inDoubt')).toEqual(range(0, 20));
		expect(run.items('claimed')).toEqual(range(20, 24));
	});
});

describe('whoever is claimed already', () => {
	const limits = line(2);

	test.each<['sent' | 'notSent' | 'inDoubt', Standing]>([
		['sent', 'sent'],
		['notSent', 'claimed'],
		['inDoubt', 'inDoubt'],
	])('by another run is waited for, while others go on: there it is %s, here %s', async (as, standing) => {
		const first = runOf();
		const second = new Run(first.entries);
		first.want(limits, 0, 'анна');
		await pass(100);
		first.leave(limits);
		second.want(limits, 0, 'анна');
		second.wantAll(limits, 1, 3);
		await pass(30_000);
		expect(second.told).toEqual([
			[1, 'claimed'],
			[2, 'claimed'],
		]);
		second.leave(limits, 2);
		first.end(['анна'], as);
		await pass(3000);
		expect(second.told.slice(2)).toEqual([[0, standing]]);
	});

	test('by another run may be claimed by a third one next, and is waited for again', async () => {
		const first = runOf();
		const others = [new Run(first.entries), new Run(first.entries)];
		first.want(limits, 0, 'анна');
		await pass(100);
		first.leave(limits);
		for (const run of others) run.want(limits, 0, 'анна');
		await pass(100);
		first.end(['анна'], 'notSent');
		await pass(3000);
		const [winner, waiting] = others[0]!.told.length ? others : [others[1]!, others[0]!];
		expect([winner!.told, waiting!.told]).toEqual([[[0, 'claimed']], []]);
		winner!.leave(limits);
		winner!.end(['анна']);
		await pass(3000);
		expect(waiting!.told).toEqual([[0, 'sent']]);
	});

	test('and never left there is released when that run closes', async () => {
		const first = runOf();
		const second = new Run(first.entries);
		first.want(limits, 0, 'анна');
		await pass(100);
		second.want(limits, 0, 'анна');
		await pass(100);
		const closing = first.claims.close();
		await pass(100);
		await closing;
		expect(second.told).toEqual([[0, 'claimed']]);
	});

	test('by an item before is waited for, and how that ended is noted at once', async () => {
		const run = runOf();
		run.want(limits, 0, 'анна');
		await pass(100);
		run.leave(limits);
		run.want(limits, 1, 'анна');
		run.want(limits, 2, 'иван');
		await pass(30_000);
		expect(run.told).toEqual([
			[0, 'claimed'],
			[2, 'claimed'],
		]);
		run.end(['анна']);
		await pass(100);
		expect(run.told.slice(2)).toEqual([[1, 'sent']]);
	});

	test('by an item that has just ended is not waited for: that is noted first', async () => {
		const run = runOf();
		run.want(limits, 0, 'анна');
		await pass(100);
		run.leave(limits);
		run.end(['анна']);
		run.want(limits, 1, 'анна');
		await pass(100);
		expect(run.told).toEqual([
			[0, 'claimed'],
			[1, 'sent'],
		]);
	});

	test('keeps its place in the line', async () => {
		const first = runOf();
		const second = new Run(first.entries);
		first.want(limits, 0, 'анна');
		await pass(100);
		first.leave(limits);
		second.want(limits, 0, 'анна');
		second.wantAll(limits, 1, 9);
		await pass(100);
		first.end(['анна'], 'notSent');
		await pass(3000);
		second.leave(limits, 4);
		await pass(100);
		expect(second.items('claimed')).toEqual([1, 2, 3, 4, 0, 5, 6, 7]);
	});

	test('leaves room in the call for others', async () => {
		const first = runOf();
		const second = new Run(first.entries);
		first.wantAll(line(Infinity), 0, 40);
		await pass(100);
		const before = first.batches.length;
		second.wantAll(limits, 0, 60);
		await pass(100);
		expect(second.items('claimed')).toEqual([40, 41, 42, 43]);
		expect(first.batches.slice(before)).toEqual([4]);
	});
});

describe('what became of a claim', () => {
	const limits = line(2);

	test('is noted with the next claims, in one go', async () => {
		const run = runOf();
		run.wantAll(limits, 0, 8);
		await pass(100);
		const left = run.leave(limits, 2);
		run.end(left);
		await pass(100);
		expect(run.calls).toBe(1);
		const released = run.leave(limits, 1);
		run.end(released, 'notSent');
		await pass(100);
		expect(run.entries.calls.slice(1).map(({ name, entries }) => [name, ...entries])).toEqual([
			['remove', 'doubt ключ 0', 'doubt ключ 1', 'sent ключ 2', 'doubt ключ 2'],
			[
				'add',
				...['sent ключ 0', 'sent ключ 1'],
				...range(4, 7).flatMap((item) => [`sent ключ ${item}`, `doubt ключ ${item}`]),
			],
		]);
	});

	test('is noted after two seconds where there are no more claims, all at once', async () => {
		const run = runOf();
		run.wantAll(limits, 0, 4);
		await pass(100);
		for (let index = 0; index < 4; index++) {
			run.end(run.leave(limits));
			await pass(400);
		}
		expect(run.calls).toBe(1);
		await pass(500);
		expect(run.entries.calls.map(({ name }) => name)).toEqual(['add', 'remove', 'add']);
		expect([...run.entries.stored].sort()).toEqual(sent(0, 4));
	});

	test('is noted again and again, not only once', async () => {
		const run = runOf();
		run.wantAll(limits, 0, 2);
		await pass(100);
		run.end(run.leave(limits));
		await pass(3000);
		run.end(run.leave(limits));
		await pass(3000);
		expect([...run.entries.stored].sort()).toEqual(sent(0, 2));
	});

	test('is left in doubt without a call', async () => {
		const run = runOf();
		run.want(limits, 0);
		await pass(100);
		run.end(run.leave(limits), 'inDoubt');
		await pass(10_000);
		expect(run.calls).toBe(1);
		expect(run.entries.stored).toEqual(['sent ключ 0', 'doubt ключ 0']);
	});
});

describe('where the store fails', () => {
	const limits = line(2);
	const gone = new Error('Нет связи с базой');

	/** Lets the calls that add fail, from one of them on, that many times. */
	function letAddFail({ entries }: Run, after: number, times: number) {
		let adds = 0;
		entries.before = ({ name }) => {
			if (name !== 'add') return;
			adds++;
			if (adds > after && adds <= after + times) throw gone;
		};
	}

	test('each item of the batch is told why, and the others are looked for', async () => {
		const run = runOf();
		run.wantAll(limits, 0, 10);
		letAddFail(run, 0, 3);
		await pass(1000);
		expect(run.told.slice(0, 4)).toEqual(range(0, 4).map((item) => [item, { error: gone }]));
		expect(run.told.slice(4)).toEqual(range(4, 8).map((item) => [item, 'claimed']));
	});

	test('an item that is told why may be followed by another at once', async () => {
		const entries = entriesOf();
		const run: Run = new Run(entries, (told, key, item) => {
			if (typeof told === 'object' && item < 100) run.want(limits, item + 100, key);
		});
		run.want(limits, 0);
		letAddFail(run, 0, 3);
		await pass(3000);
		expect(run.told).toEqual([
			[0, { error: gone }],
			[100, 'claimed'],
		]);
	});

	test('whom nobody could look for is open to other runs again', async () => {
		const run = runOf();
		const other = new Run(run.entries);
		run.want(limits, 0);
		letAddFail(run, 0, 3);
		await pass(100);
		other.want(limits, 0);
		await pass(3000);
		expect(run.told).toEqual([[0, { error: gone }]]);
		expect(other.told).toEqual([[0, 'claimed']]);
	});

	test('whom nobody could look for stands as before, sent to or in doubt', async () => {
		const before = ['sent ключ 0', 'sent ключ 1', 'doubt ключ 1'];
		const run = runOf(before);
		run.wantAll(limits, 0, 2);
		letAddFail(run, 0, 3);
		await pass(3000);
		const closing = run.claims.close();
		await pass(3000);
		await closing;
		expect(run.told).toEqual([
			[0, { error: gone }],
			[1, { error: gone }],
		]);
		expect([...run.entries.stored].sort()).toEqual([...before].sort());
		const next = new Run(entriesOf(run.entries.stored));
		next.wantAll(limits, 0, 2);
		await pass(100);
		expect(next.told).toEqual([
			[0, 'sent'],
			[1, 'inDoubt'],
		]);
	});

	test('who was sent to shortly before is known for it all the same', async () => {
		const run = runOf();
		run.wantAll(limits, 0, 8);
		await pass(100);
		run.end(run.leave(limits, 3));
		letAddFail(run, 0, 3);
		await pass(3000);
		expect(run.told.filter(([, told]) => typeof told === 'object')).toHaveLength(3);
		const next = new Run(entriesOf(run.entries.stored));
		next.wantAll(limits, 0, 3);
		await pass(100);
		expect(next.items('sent')).toEqual([0, 1, 2]);
	});
});

describe('closing', () => {
	const limits = line(4);

	/** Closes, and waits for the end of that. */
	async function close({ claims }: Run) {
		const closing = claims.close();
		await pass(3000);
		await closing;
	}

	test('releases those who never left, and notes what is due, without waiting two seconds', async () => {
		const run = runOf();
		run.wantAll(limits, 0, 20);
		await pass(100);
		run.end(run.leave(limits, 2));
		run.end(run.leave(limits, 1), 'notSent');
		run.end(run.leave(limits, 1), 'inDoubt');
		run.stop.abort();
		let isOver = false;
		void run.claims.close().then(() => (isOver = true));
		await pass(100);
		expect(isOver).toBe(true);
		expect([...run.entries.stored].sort()).toEqual(['doubt ключ 3', ...sent(0, 2), 'sent ключ 3']);
	});

	test('opens all of them to other runs', async () => {
		const run = runOf();
		const other = new Run(run.entries);
		run.wantAll(limits, 0, 20);
		await pass(100);
		run.end(run.leave(limits, 2));
		run.stop.abort();
		await close(run);
		other.wantAll(limits, 0, 8);
		await pass(100);
		expect(other.items('sent')).toEqual([0, 1]);
		expect(other.items('claimed')).toEqual(range(2, 8));
	});

	test('makes no call where nothing is due', async () => {
		const run = runOf();
		await close(run);
		expect(run.calls).toBe(0);
		run.want(limits, 0);
		await pass(100);
		run.end(run.leave(limits), 'inDoubt');
		await close(run);
		expect(run.calls).toBe(1);
	});

	test('is the end: nothing is noted later', async () => {
		const run = runOf();
		run.want(limits, 0);
		await pass(100);
		run.end(run.leave(limits));
		await close(run);
		const { calls } = run;
		await pass(60_000);
		expect(run.calls).toBe(calls);
		expect(jest.getTimerCount()).toBe(0);
	});

	test('waits for a call that is under way, and releases whom it has claimed, when the run was stopped', async () => {
		const run = runOf(sent(1, 2));
		run.wantAll(limits, 0, 20);
		await pass(callMs - 2);
		run.stop.abort();
		await close(run);
		expect(run.items('claimed')).toEqual([]);
		expect(run.entries.stored).toEqual(sent(1, 2));
		expect(run.calls).toBeGreaterThan(1);
	});

	test('looks for nobody any more when the run was stopped', async () => {
		const run = runOf();
		run.wantAll(limits, 0, 20);
		await pass(100);
		run.stop.abort();
		run.end(run.leave(limits, 8));
		run.wantAll(limits, 20, 40);
		await close(run);
		expect(run.batches.filter(Boolean)).toEqual([8]);
		expect([...run.entries.stored].sort()).toEqual(sent(0, 8));
	});

	test('bears a store that fails: what was sent stays known, for a run that comes later at least in doubt', async () => {
		const run = runOf();
		run.wantAll(limits, 0, 8);
		await pass(100);
		run.end(run.leave(limits, 2));
		run.entries.before = () => {
			throw new Error('Нет связи с базой');
		};
		run.stop.abort();
		await close(run);
		const next = new Run(entriesOf(run.entries.stored));
		next.wantAll(limits, 0, 8);
		await pass(100);
		expect(next.told.map(([, told]) => told)).toEqual(range(0, 8).map(() => 'inDoubt'));
	});
});

describe('calls are few', () => {
	/** Sends to a thousand as fast as the service answers, `answerMs` later, ten at a time. */
	async function sendToAll(run: Run, limits: Limits, count: number, answerMs: number) {
		let underWay = 0;
		run.wantAll(limits, 0, count);
		for (let ms = 0; ms < 600_000 && run.items('claimed').length + run.items('sent').length < count; ms++) {
			for (const key of run.leave(limits, 10 - underWay)) {
				underWay++;
				setTimeout(() => {
					underWay--;
					run.end([key]);
				}, answerMs);
			}
			await pass(1);
		}
		run.leave(limits, count);
		await pass(answerMs);
	}

	test('a thousand items at full speed', async () => {
		const run = runOf();
		await sendToAll(run, line(Infinity), 1000, 20);
		expect(run.items('claimed')).toEqual(range(0, 1000));
		expect(run.calls).toBeLessThanOrEqual((1000 / 30) * 2);
	});

	test('a thousand items that were sent to before', async () => {
		const run = runOf(sent(0, 1000));
		await sendToAll(run, line(2), 1000, 20);
		expect(run.items('sent')).toEqual(range(0, 1000));
		expect(run.calls).toBeLessThanOrEqual((1000 / 30) * 2);
	});

	test('and none is made as long as nothing is to be done', async () => {
		const run = runOf();
		run.wantAll(line(2), 0, 100);
		await pass(100);
		run.end(run.leave(line(2), 0));
		await pass(600_000);
		expect(run.calls).toBe(1);
	});
});
