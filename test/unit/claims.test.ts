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

	private readonly heard: Array<[item: number, told: Told]> = [];

	/** Claimed, and not left, by limits. */
	private readonly ready = new Map<Limits, string[]>();

	constructor(
		readonly entries: FakeEntries,
		private readonly onTold: (told: Told, key: string, item: number) => void = () => {},
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
			this.heard.push([item, told]);
			if (told === 'claimed') this.ready.set(limits, [...this.readyOf(limits), key]);
			this.onTold(told, key, item);
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

	/** Closes the claims, and waits until that has ended. */
	async close() {
		const closing = this.claims.close();
		await pass(3000);
		await closing;
	}

	/** What was told of each item, such as '0 claimed', in the order of telling. */
	get told(): string[] {
		return this.heard.map(
			([item, told]) => `${item} ${typeof told === 'object' ? (told.error as Error).message : told}`,
		);
	}

	items(standing: Standing): number[] {
		return this.heard.filter(([, told]) => told === standing).map(([item]) => item);
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

/** A run that has looked for as many items as it may. */
async function startedWith(limits: Limits, count: number, stored: string[] = []): Promise<Run> {
	const run = runOf(stored);
	run.wantAll(limits, 0, count);
	await pass(100);
	return run;
}

describe('recipients are claimed', () => {
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
		const limits = line(pace);
		const run = await startedWith(limits, 200);
		expect(run.items('claimed')).toEqual(range(0, count));
		expect(run.batches).toEqual([count]);
		expect(run.asked).toEqual([[limits, 2000]]);
	});

	test('when the store has said how they stand, and not before', async () => {
		const run = runOf();
		run.want(line(2), 0);
		await pass(callMs - 1);
		expect(run.told).toEqual([]);
		await pass(10);
		expect(run.told).toEqual(['0 claimed']);
	});

	test('by the index of their items, in whatever order these came', async () => {
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

	test('after a pause of any length, in which no call is made', async () => {
		const run = await startedWith(line(2), 1);
		await pass(60_000);
		expect(run.calls).toBe(1);
		run.want(line(2), 1);
		await pass(100);
		expect(run.items('claimed')).toEqual([0, 1]);
	});

	test('in one call when no more than a quarter of those before is left', async () => {
		const limits = line(4);
		const run = await startedWith(limits, 40);
		run.leave(limits, 5);
		await pass(1000);
		expect(run.batches).toEqual([8]);
		run.leave(limits, 1);
		await pass(100);
		expect(run.batches).toEqual([8, 6]);
		expect(run.countReady).toBe(8);
	});

	test('fewer at once where requests have ended meanwhile, as these stay in doubt until they are noted', async () => {
		const limits = line(Infinity);
		const run = await startedWith(limits, 200);
		const left = run.leave(limits, 38);
		run.end(left.slice(0, 19));
		await pass(callMs - 2);
		run.end(left.slice(19));
		await pass(100);
		expect(run.batches.filter(Boolean)).toEqual([50, 19]);
	});

	test('one by one where less than one leaves in two seconds', async () => {
		const limits = line(0.1);
		const run = await startedWith(limits, 3);
		for (let item = 0; item < 3; item++) {
			await pass(10_000);
			expect(run.items('claimed')).toEqual(range(0, item + 1));
			run.leave(limits);
		}
	});

	test('each once, though others have no answer yet, and never more than 50 that have not left (generated)', async () => {
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
					const wereKnown = new Set(known);
					const expected = range(0, item).map(
						(each) => `${each} ${wereKnown.has(each) ? 'sent' : 'claimed'}`,
					);
					expect([...run.told].sort()).toEqual(expected.sort());
					// Whom a process that dies leaves in doubt without need.
					expect(claimedInStore).toBeLessThanOrEqual(50);
				},
			),
			{ numRuns: 40 },
		);
	});
});

describe('items with different limits', () => {
	const slow = line(0.1);
	const fast = line(Infinity);

	test('the slow ones do not hold up the fast ones', async () => {
		const run = runOf();
		run.wantAll(slow, 0, 100);
		run.wantAll(fast, 100, 400);
		for (let round = 0; round < 12; round++) {
			await pass(100);
			run.leave(fast, 50);
		}
		// One of the slow ones has been claimed all the time, and has not left.
		expect(run.items('claimed').filter((item) => item < 100)).toEqual([0]);
		expect(run.items('claimed').filter((item) => item >= 100)).toEqual(range(100, 400));
	});

	test('the fast ones do not hold up the slow ones', async () => {
		const run = await startedWith(fast, 1000);
		run.wantAll(slow, 1000, 1010);
		for (let round = 0; round < 10; round++) {
			run.leave(fast, 30);
			await pass(100);
			expect(run.readyOf(slow)).toHaveLength(1);
			run.leave(slow);
		}
		expect(run.items('claimed').filter((item) => item >= 1000)).toEqual(range(1000, 1010));
	});

	test('the slow ones come first where not all can be claimed', async () => {
		const run = runOf();
		run.wantAll(fast, 0, 100);
		run.wantAll(line(10), 100, 200);
		run.wantAll(slow, 200, 300);
		await pass(100);
		expect(run.batches).toEqual([50]);
		expect(run.items('claimed').sort((a, b) => a - b)).toEqual([...range(0, 29), ...range(100, 120), 200]);
	});

	test('fast ones share 50 claims, and nobody is looked for before half of these have left', async () => {
		const [one, other] = [line(Infinity), line(40)];
		const run = runOf();
		run.wantAll(one, 0, 300);
		run.wantAll(other, 300, 600);
		const expectReady = async (ofOne: number, ofOther: number, batches: number[]) => {
			await pass(100);
			expect([run.readyOf(one).length, run.readyOf(other).length]).toEqual([ofOne, ofOther]);
			expect(run.batches).toEqual(batches);
		};
		await expectReady(50, 0, [50]);
		run.leave(one, 24);
		await expectReady(26, 0, [50]);
		run.leave(one, 1);
		await expectReady(25, 25, [50, 25]);
		run.leave(one, 13);
		run.leave(other, 13);
		await expectReady(38, 12, [50, 25, 26]);
	});

	test('it is asked once for each limit how many leave', async () => {
		const run = runOf();
		const all = [slow, line(3), fast];
		for (let item = 0; item < 30; item++) run.want(all[item % 3]!, item);
		await pass(100);
		expect(run.asked).toEqual(all.map((limits) => [limits, 2000]));
	});
});

describe('recipients who were sent to before', () => {
	test('take no time: while all are such, twice as many are looked for each time, and 50 at most', async () => {
		const run = await startedWith(line(2), 200, sent(0, 200));
		await pass(2000);
		expect(run.batches.slice(0, 7)).toEqual([4, 8, 16, 32, 50, 50, 40]);
		expect(run.items('sent')).toEqual(range(0, 200));
		expect(run.entries.stored.filter((entry) => entry.startsWith('doubt'))).toEqual([]);
	});

	test('are followed by others, of whom no more stay claimed than leave within two seconds', async () => {
		const limits = line(2);
		const run = await startedWith(limits, 120, sent(0, 60));
		await pass(500);
		expect(run.batches.filter(Boolean)).toEqual([4, 8, 16, 32, 50]);
		expect(run.items('sent')).toEqual(range(0, 60));
		expect(run.items('claimed')).toEqual(range(60, 64));
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

	test('are looked for a few at a time again as soon as one among them is new', async () => {
		const run = await startedWith(line(2), 100, [...sent(0, 11), ...sent(12, 100)]);
		expect(run.items('claimed')).toEqual([11]);
		expect(run.batches.slice(0, 4)).toEqual([4, 8, 3, 7]);
	});

	test('do not let more be looked for of other limits', async () => {
		const run = runOf(sent(0, 50));
		run.wantAll(line(2), 0, 50);
		run.wantAll(line(1), 100, 150);
		await pass(200);
		expect(run.items('sent')).toEqual(range(0, 50));
		expect(run.items('claimed')).toEqual([100, 101]);
	});
});

describe('recipients in doubt', () => {
	test('stay in doubt, and are open to other runs, who are told the same', async () => {
		const run = await startedWith(line(2), 3, ['sent ключ 1', 'doubt ключ 1']);
		expect(run.told).toEqual(['0 claimed', '1 inDoubt', '2 claimed']);
		const other = new Run(run.entries);
		other.want(line(2), 1);
		await pass(100);
		expect(other.told).toEqual(['1 inDoubt']);
	});

	test('do not count as claimed', async () => {
		const inDoubt = range(0, 20).flatMap((item) => [`sent ключ ${item}`, `doubt ключ ${item}`]);
		const run = await startedWith(line(2), 30, inDoubt);
		await pass(500);
		expect(run.items('inDoubt')).toEqual(range(0, 20));
		expect(run.items('claimed')).toEqual(range(20, 24));
	});
});

describe('a recipient who is claimed by another run', () => {
	const limits = line(2);

	/** A run that has claimed a recipient, and others of the same node. */
	async function claimedBefore(others: number): Promise<[first: Run, ...others: Run[]]> {
		const first = await startedWith(limits, 1);
		return [first, ...range(0, others).map(() => new Run(first.entries))];
	}

	test.each<['sent' | 'notSent' | 'inDoubt', Standing]>([
		['sent', 'sent'],
		['notSent', 'claimed'],
		['inDoubt', 'inDoubt'],
	])('is waited for, while others go on: where it ends there as %s, it is %s here', async (as, standing) => {
		const [first, second] = (await claimedBefore(1)) as [Run, Run];
		first.leave(limits);
		second.wantAll(limits, 0, 3);
		await pass(30_000);
		expect(second.told).toEqual(['1 claimed', '2 claimed']);
		second.leave(limits, 2);
		first.end(['ключ 0'], as);
		await pass(3000);
		expect(second.told.slice(2)).toEqual([`0 ${standing}`]);
	});

	test('is waited for again where a third run claims it next', async () => {
		const [first, ...others] = await claimedBefore(2);
		first.leave(limits);
		for (const run of others) run.want(limits, 0);
		await pass(100);
		first.end(['ключ 0'], 'notSent');
		await pass(3000);
		const [winner, waiting] = (others[0]!.told.length ? others : [...others].reverse()) as [Run, Run];
		expect([winner.told, waiting.told]).toEqual([['0 claimed'], []]);
		winner.end(winner.leave(limits));
		await pass(3000);
		expect(waiting.told).toEqual(['0 sent']);
	});

	test('may be claimed when that run closes without having sent', async () => {
		const [first, second] = (await claimedBefore(1)) as [Run, Run];
		second.want(limits, 0);
		await pass(100);
		await first.close();
		expect(second.told).toEqual(['0 claimed']);
	});

	test('keeps the place of its item among the others', async () => {
		const [first, second] = (await claimedBefore(1)) as [Run, Run];
		first.leave(limits);
		second.wantAll(limits, 0, 9);
		await pass(100);
		first.end(['ключ 0'], 'notSent');
		await pass(3000);
		second.leave(limits, 4);
		await pass(100);
		expect(second.items('claimed')).toEqual([1, 2, 3, 4, 0, 5, 6, 7]);
	});

	test('does not count among those who are looked for in a call', async () => {
		const first = await startedWith(line(Infinity), 40);
		const second = new Run(first.entries);
		const before = first.batches.length;
		second.wantAll(limits, 0, 60);
		await pass(100);
		expect(second.items('claimed')).toEqual([40, 41, 42, 43]);
		expect(first.batches.slice(before)).toEqual([4]);
	});
});

describe('a recipient of two items of a run', () => {
	const limits = line(2);

	test('is waited for by the second item, and how the first ended is noted at once', async () => {
		const run = await startedWith(limits, 1);
		run.leave(limits);
		run.want(limits, 1, 'ключ 0');
		run.want(limits, 2);
		await pass(30_000);
		expect(run.told).toEqual(['0 claimed', '2 claimed']);
		run.end(['ключ 0']);
		await pass(100);
		expect(run.told.slice(2)).toEqual(['1 sent']);
	});

	test('has its end noted at once as long as the second item waits, though others have ended shortly before', async () => {
		const run = await startedWith(limits, 3);
		run.leave(limits, 3);
		run.end(['ключ 0']);
		run.want(limits, 3, 'ключ 1');
		await pass(100);
		run.end(['ключ 1']);
		await pass(100);
		expect(run.told.slice(3)).toEqual(['3 sent']);
		const { calls } = run;
		run.end(['ключ 2']);
		await pass(100);
		expect(run.calls).toBe(calls);
	});

	test('is not waited for where the first item has just ended, which is noted first', async () => {
		const run = await startedWith(limits, 1);
		run.end(run.leave(limits));
		run.want(limits, 1, 'ключ 0');
		await pass(100);
		expect(run.told).toEqual(['0 claimed', '1 sent']);
	});
});

describe('how a claim ended', () => {
	const limits = line(2);

	test('is noted with the next claims, in one go', async () => {
		const run = await startedWith(limits, 8);
		run.end(run.leave(limits, 2));
		await pass(100);
		expect(run.calls).toBe(1);
		run.end(run.leave(limits), 'notSent');
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

	test('is noted after two seconds where there are no more claims, all at once, each time anew', async () => {
		const run = await startedWith(limits, 4);
		for (let index = 0; index < 3; index++) {
			run.end(run.leave(limits));
			await pass(600);
		}
		expect(run.calls).toBe(1);
		await pass(300);
		expect(run.entries.calls.map(({ name }) => name)).toEqual(['add', 'remove', 'add']);
		expect(run.entries.stored.filter((entry) => entry.startsWith('doubt '))).toEqual(['doubt ключ 3']);
		run.end(run.leave(limits));
		await pass(3000);
		expect([...run.entries.stored].sort()).toEqual(sent(0, 4));
	});

	test('takes no call where it is in doubt', async () => {
		const run = await startedWith(limits, 1);
		run.end(run.leave(limits), 'inDoubt');
		await pass(10_000);
		expect(run.calls).toBe(1);
		expect(run.entries.stored).toEqual(['sent ключ 0', 'doubt ключ 0']);
	});
});

describe('where the store fails', () => {
	const limits = line(2);
	const words = 'Нет связи с базой';

	/** Lets the next three calls that add fail, after which a store gives up. */
	function letAddFail({ entries }: Run) {
		let left = 3;
		entries.before = ({ name }) => {
			if (name === 'add' && left-- > 0) throw new Error(words);
		};
	}

	test('all items that were looked for are told why, and the next are looked for', async () => {
		const run = runOf();
		run.wantAll(limits, 0, 10);
		letAddFail(run);
		await pass(1000);
		expect(run.told.slice(0, 4)).toEqual(range(0, 4).map((item) => `${item} ${words}`));
		expect(run.told.slice(4)).toEqual(range(4, 8).map((item) => `${item} claimed`));
	});

	test('an item that is told why may be followed by another of its recipient at once', async () => {
		const run: Run = new Run(entriesOf(), (told, key, item) => {
			if (typeof told === 'object' && item < 100) run.want(limits, item + 100, key);
		});
		run.want(limits, 0);
		letAddFail(run);
		await pass(3000);
		expect(run.told).toEqual([`0 ${words}`, '100 claimed']);
	});

	test('a recipient who could not be looked for is open to other runs again', async () => {
		const run = runOf();
		const other = new Run(run.entries);
		run.want(limits, 0);
		letAddFail(run);
		await pass(100);
		other.want(limits, 0);
		await pass(3000);
		expect([run.told, other.told]).toEqual([[`0 ${words}`], ['0 claimed']]);
	});

	test('recipients who could not be looked for stand as before, sent to or in doubt', async () => {
		const before = ['sent ключ 0', 'sent ключ 1', 'doubt ключ 1'];
		const run = runOf(before);
		run.wantAll(limits, 0, 2);
		letAddFail(run);
		await pass(3000);
		await run.close();
		expect(run.told).toEqual([`0 ${words}`, `1 ${words}`]);
		expect([...run.entries.stored].sort()).toEqual([...before].sort());
		const next = await startedWith(limits, 2, run.entries.stored);
		expect(next.told).toEqual(['0 sent', '1 inDoubt']);
	});

	test('recipients who were sent to shortly before are known as such all the same', async () => {
		const run = await startedWith(limits, 8);
		run.end(run.leave(limits, 3));
		letAddFail(run);
		await pass(3000);
		expect(run.told.filter((each) => each.endsWith(words))).toHaveLength(3);
		const next = await startedWith(limits, 3, run.entries.stored);
		expect(next.items('sent')).toEqual([0, 1, 2]);
	});
});

describe('closing', () => {
	const limits = line(4);

	test('releases those who never left, and notes how the others ended, without waiting two seconds', async () => {
		const run = await startedWith(limits, 20);
		run.end(run.leave(limits, 2));
		run.end(run.leave(limits, 1), 'notSent');
		run.end(run.leave(limits, 1), 'inDoubt');
		run.stop.abort();
		let isOver = false;
		void run.claims.close().then(() => (isOver = true));
		await pass(100);
		expect(isOver).toBe(true);
		expect([...run.entries.stored].sort()).toEqual(['doubt ключ 3', ...sent(0, 2), 'sent ключ 3']);
		const other = new Run(run.entries);
		other.wantAll(limits, 0, 8);
		await pass(100);
		expect(other.items('sent')).toEqual([0, 1]);
		expect(other.items('inDoubt')).toEqual([3]);
		expect(other.items('claimed')).toEqual([2, ...range(4, 8)]);
	});

	test('notes those who were sent to though another process has overwritten their entries', async () => {
		const run = await startedWith(limits, 2);
		run.end(run.leave(limits, 2));
		run.entries.stored = [];
		await run.close();
		expect([...run.entries.stored].sort()).toEqual(sent(0, 2));
	});

	test('makes no call where nothing is to be noted', async () => {
		const run = runOf();
		await run.close();
		expect(run.calls).toBe(0);
		run.want(limits, 0);
		await pass(100);
		run.end(run.leave(limits), 'inDoubt');
		await run.close();
		expect(run.calls).toBe(1);
	});

	test('is the end: nothing is noted later', async () => {
		const run = await startedWith(limits, 1);
		run.end(run.leave(limits));
		await run.close();
		const { calls } = run;
		await pass(60_000);
		expect(run.calls).toBe(calls);
		expect(jest.getTimerCount()).toBe(0);
	});

	test('waits for a call that is under way when the run is stopped, and releases whom it has claimed', async () => {
		const run = runOf(sent(1, 2));
		run.wantAll(limits, 0, 20);
		await pass(callMs - 2);
		run.stop.abort();
		await run.close();
		expect(run.items('claimed')).toEqual([]);
		expect(run.entries.stored).toEqual(sent(1, 2));
		expect(run.calls).toBeGreaterThan(1);
	});

	test('looks for nobody any more when the run is stopped', async () => {
		const run = await startedWith(limits, 20);
		run.stop.abort();
		run.end(run.leave(limits, 8));
		run.wantAll(limits, 20, 40);
		await run.close();
		expect(run.batches.filter(Boolean)).toEqual([8]);
		expect([...run.entries.stored].sort()).toEqual(sent(0, 8));
	});

	test('does not throw where the store fails, which leaves all in doubt who were claimed', async () => {
		const run = await startedWith(limits, 8);
		run.end(run.leave(limits, 2));
		run.entries.before = () => {
			throw new Error('Нет связи с базой');
		};
		run.stop.abort();
		await run.close();
		const next = await startedWith(limits, 8, run.entries.stored);
		expect(next.items('inDoubt')).toEqual(range(0, 8));
	});
});

describe('calls of the store are few', () => {
	/** Sends to a thousand as fast as the service answers, `answerMs` later, ten at a time. */
	async function sendToAll(run: Run, limits: Limits, count: number, answerMs: number) {
		let underWay = 0;
		run.wantAll(limits, 0, count);
		for (let ms = 0; ms < 600_000 && run.told.length < count; ms++) {
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

	test.each<[string, Standing, Limits, string[]]>([
		['at full speed', 'claimed', line(Infinity), []],
		['who were sent to before', 'sent', line(2), sent(0, 1000)],
	])('for a thousand recipients %s', async (_, standing, limits, stored) => {
		const run = runOf(stored);
		await sendToAll(run, limits, 1000, 20);
		expect(run.items(standing)).toEqual(range(0, 1000));
		expect(run.calls).toBeLessThanOrEqual((1000 / 30) * 2);
	});

	test('as none is made while nothing is to be done', async () => {
		const run = await startedWith(line(2), 100);
		await pass(600_000);
		expect(run.calls).toBe(1);
	});
});
