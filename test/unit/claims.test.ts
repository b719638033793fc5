import fc from 'fast-check';

import { nameOf, type Limits } from '../../nodes/ChatbotService/client/pace/limits';
import { Claim, Line, type State } from '../../nodes/ChatbotService/run/ledger/claim';
import { Claims, type Known } from '../../nodes/ChatbotService/run/ledger/claims';
import type { End } from '../../nodes/ChatbotService/run/ledger/entries';
import { Store, storeOf } from '../../nodes/ChatbotService/run/ledger/store';
import { FakeEntries } from './fakeEntries';

/* The claims of a run in virtual time. Calls of the store take 5 ms. */

const callMs = 5;

/** The longest time until a claim is confirmed: two calls and the wait between them, after another such wait. */
const claimMs = 2 * (250 + 4 * callMs);

beforeEach(() => jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick'] }));
afterEach(() => {
	jest.useRealTimers();
	jest.restoreAllMocks();
});

const pass = async (milliseconds: number) => await jest.advanceTimersByTimeAsync(milliseconds);

const entriesOf = (stored: string[] = [], gapMs = callMs) =>
	new FakeEntries(
		stored,
		undefined,
		async () => await new Promise<void>((resolve) => setTimeout(resolve, gapMs)),
	);

/** Limits that allow a number of requests per second. */
const line = (perSecond: number, name = `line ${perSecond}`): Limits =>
	Number.isFinite(perSecond) ? { [name]: { count: perSecond, windowMs: 1000 } } : {};

const pace = {
	leaving(limits: Limits, milliseconds: number) {
		const [{ count, windowMs } = { count: Infinity, windowMs: 1 }] = Object.values(limits);
		return (count / windowMs) * milliseconds;
	},
	windowMs: (limits: Limits) => Math.max(0, ...Object.values(limits).map(({ windowMs }) => windowMs)),
};

/** The claims of a run, what it was told, and which requests may leave. */
class Run {
	readonly stop = new AbortController();

	readonly claims: Claims;

	isClosed = false;

	private readonly heard: Array<[item: number, known: Known]> = [];

	/** Recipients that are claimed and whose requests have not left, by the names of their limits. */
	private readonly ready = new Map<string, string[]>();

	constructor(
		readonly entries = entriesOf(),
		private readonly onKnown: (known: Known, key: string, item: number) => void = () => {},
	) {
		const store = storeOf(entries);
		void store.open();
		this.claims = new Claims(store, pace, this.stop.signal);
	}

	want(limits: Limits, item: number, key = `ключ ${item}`) {
		const known = (standing: Known) => {
			this.heard.push([item, standing]);
			if (standing === 'claimed') this.ready.set(nameOf(limits), [...this.readyOf(limits), key]);
			this.onKnown(standing, key, item);
		};
		this.claims.want({ item, key, limits, known });
	}

	/** Each item has its own object with its limits. */
	wantAll(limits: Limits, from: number, to: number) {
		for (let item = from; item < to; item++) this.want({ ...limits }, item);
	}

	readyOf(limits: Limits): string[] {
		return this.ready.get(nameOf(limits)) ?? [];
	}

	get countReady() {
		return [...this.ready.values()].flat().length;
	}

	/** Lets the next claimed requests leave. */
	leave(limits: Limits, count = 1): string[] {
		const left = this.readyOf(limits).splice(0, count);
		for (const key of left) this.claims.left(key);
		return left;
	}

	end(keys: string[], end: End = 'sent') {
		for (const key of keys) this.claims.ended(key, end);
	}

	beginClose(stopped: AbortSignal | undefined) {
		void this.claims.close(stopped).then(() => (this.isClosed = true));
	}

	/** Closes the claims, and waits until that has ended. */
	async close() {
		this.beginClose(this.stop.signal);
		await pass(20_000);
		expect(this.isClosed).toBe(true);
	}

	/** What the run was told, in order, such as '0 claimed'. */
	get told(): string[] {
		return this.heard.map(
			([item, known]) => `${item} ${typeof known === 'object' ? (known.error as Error).message : known}`,
		);
	}

	items(standing: Known): number[] {
		return this.heard.filter(([, known]) => known === standing).map(([item]) => item);
	}

	/** How many recipients each call looked for that the call before did not. */
	get batches(): number[] {
		const asked = this.entries
			.entriesOf('add')
			.map((entries) => entries.filter((entry) => entry.startsWith('doubt ')));
		return asked
			.map((keys, call) => keys.filter((key) => !asked[call - 1]?.includes(key)).length)
			.filter((count) => count > 0);
	}

	get calls() {
		return this.entries.calls.length;
	}
}

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);
const sent = (from: number, to: number) => range(from, to).map((item) => `sent ключ ${item}`);
const doubt = (from: number, to: number) => range(from, to).map((item) => `doubt ключ ${item}`);

/** A run that wants the given number of items, after the time that a claim takes. */
async function startedWith(limits: Limits, count: number, stored: string[] = []): Promise<Run> {
	const run = new Run(entriesOf(stored));
	run.wantAll(limits, 0, count);
	await pass(claimMs);
	return run;
}

describe('the states of a claim', () => {
	/** The states that lead to a state from `waiting`, and those that may follow it. */
	const known: Record<State, { path: State[]; next: State[] }> = {
		waiting: { path: [], next: ['asked', 'blocked'] },
		blocked: { path: ['blocked'], next: ['waiting', 'known'] },
		asked: { path: ['asked'], next: ['claimed', 'waiting', 'elsewhere', 'known'] },
		elsewhere: { path: ['asked', 'elsewhere'], next: ['asked', 'blocked', 'known'] },
		claimed: { path: ['asked', 'claimed'], next: ['left', 'ended'] },
		left: { path: ['asked', 'claimed', 'left'], next: ['ended'] },
		known: { path: ['asked', 'known'], next: [] },
		ended: { path: ['asked', 'claimed', 'left', 'ended'], next: [] },
	};
	const states = Object.keys(known) as State[];

	/** A claim that is the next one of its line. */
	function claimIn(state: State) {
		const heard: Known[] = [];
		const queue = new Line({});
		const claim = new Claim({ item: 0, key: '', limits: {}, known: (known) => heard.push(known) }, queue);
		if (state !== 'waiting') queue.waiting.shift();
		for (const each of known[state].path) claim.become(each);
		return { claim, queue, heard };
	}

	test.each(states)('that may follow %s, and no others', (from) => {
		for (const to of states) {
			const { claim, queue } = claimIn(from);
			const isAllowed = known[from].next.includes(to);
			if (isAllowed) claim.become(to);
			else expect(() => claim.become(to)).toThrow(`A claim that is "${from}" cannot become "${to}"`);
			const now = isAllowed ? to : from;
			expect([...queue.asked]).toEqual(now === 'asked' ? [claim] : []);
			expect([...queue.claimed]).toEqual(now === 'claimed' ? [claim] : []);
			expect(queue.underWay).toBe(now === 'asked' || now === 'claimed' ? 1 : 0);
		}
	});

	test.each(states)('after an exception in %s, the run is told once if it waits for the item', (state) => {
		const { claim, heard } = claimIn(state);
		const error = new Error('Сломано');
		claim.fail(error);
		claim.fail(error);
		const waits = ['blocked', 'asked', 'elsewhere'].includes(state);
		expect(heard).toEqual(waits ? [{ error }] : []);
	});

	test('do not allow a request to leave or end without a claim, nor twice', async () => {
		const { claims } = new Run();
		expect(() => claims.left('ключ 0')).toThrow('A claim that is "ended" cannot become "left"');
		expect(() => claims.ended('ключ 0', 'sent')).toThrow('"ended" cannot become "ended"');
		const run = await startedWith(line(2), 1);
		run.claims.left('ключ 0');
		expect(() => run.claims.left('ключ 0')).toThrow('"left" cannot become "left"');
		run.claims.ended('ключ 0', 'sent');
		expect(() => run.claims.ended('ключ 0', 'sent')).toThrow('"ended" cannot become "ended"');
		expect(() => run.claims.left('ключ 0')).toThrow('"ended" cannot become "left"');
		await run.close();
		expect(run.entries.recipients).toEqual(sent(0, 1));
	});

	test('allow a claim to end that cannot leave, which is not released again at the end of the run', async () => {
		const run = await startedWith(line(2), 2);
		run.claims.ended('ключ 0', 'unknown');
		await run.close();
		expect(run.entries.recipients).toEqual(doubt(0, 1));
		expect(run.claims.notRecorded).toBe(0);
	});

	const thrower = () => {
		throw new Error('Сломано');
	};

	test.each<[string, string[], () => unknown]>([
		[
			'while another process has its recipient',
			['sent ключ 0', 'doubt ключ 0'],
			() => jest.spyOn(pace, 'windowMs').mockImplementation(thrower),
		],
		[
			'while another item has its recipient',
			[],
			() => jest.spyOn(Store.prototype, 'whenFree').mockImplementation(async () => thrower()),
		],
		['while it is asked for', [], () => jest.spyOn(Store.prototype, 'look').mockImplementation(thrower)],
	])('an item ends with the exception that is thrown %s', async (_, stored, breakIt) => {
		const run = new Run(entriesOf(stored));
		breakIt();
		run.want(line(2), 0);
		await pass(claimMs);
		expect(run.told).toEqual(['0 Сломано']);
	});

	test('count a recipient as not recorded if its end cannot be recorded', async () => {
		const run = await startedWith(line(2), 1);
		jest.spyOn(Store.prototype, 'record').mockRejectedValue(new Error('Сломано'));
		run.end(run.leave(line(2)));
		await pass(0);
		expect(run.claims.notRecorded).toBe(1);
	});
});

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
	])(
		'at %d messages per second: the %i that leave within two seconds, and at most 50',
		async (pace, count) => {
			const run = await startedWith(line(pace), 200);
			expect(run.items('claimed')).toEqual(range(0, count));
			expect(run.batches).toEqual([count]);
		},
	);

	test('more at a time with a slow store, so that the pace is kept', async () => {
		// A call that takes a second makes the wait three seconds, and the claim five.
		const run = new Run(entriesOf([], 1000));
		jest.spyOn(performance, 'now').mockImplementation(() => Date.now());
		run.wantAll(line(2), 0, 200);
		await pass(1500);
		run.want(line(2), 200);
		await pass(20_000);
		expect(run.batches[0]).toBeLessThanOrEqual(4 * 5 * 2);
		run.leave(line(2), 40);
		await pass(20_000);
		expect(run.readyOf(line(2)).length).toBe(40);
	});

	test("in the order of their items' indexes, even if the items come in another order", async () => {
		const run = new Run();
		const limits = line(2);
		for (const item of [5, 3, 9, 0, 7, 2]) run.want(limits, item);
		await pass(claimMs);
		expect(run.items('claimed')).toEqual([0, 2, 3, 5]);
		run.want(limits, 1);
		run.leave(limits, 4);
		await pass(claimMs);
		expect(run.items('claimed')).toEqual([0, 2, 3, 5, 1, 7, 9]);
	});

	test('after a pause of any length without a call', async () => {
		const run = await startedWith(line(2), 100);
		const { calls } = run;
		await pass(600_000);
		expect(run.calls).toBe(calls);
		run.leave(line(2), 4);
		await pass(claimMs);
		expect(run.items('claimed')).toEqual(range(0, 8));
	});

	test('in one call when at most a quarter of the earlier claims is left', async () => {
		const limits = line(4);
		const run = await startedWith(limits, 40);
		run.leave(limits, 5);
		await pass(1000);
		expect(run.batches).toEqual([8]);
		run.leave(limits, 1);
		await pass(claimMs);
		expect(run.batches).toEqual([8, 6]);
		expect(run.countReady).toBe(8);
	});

	test('one by one if less than one leaves in two seconds, even if their limits are different objects', async () => {
		const limits = line(0.1);
		const run = await startedWith(limits, 3);
		for (let item = 0; item < 3; item++) {
			await pass(10_000);
			expect(run.items('claimed')).toEqual(range(0, item + 1));
			run.leave(limits);
		}
	});

	test('more at a time if the service accepts them faster than they are claimed, and at most 200', async () => {
		const limits = line(Infinity);
		const run = await startedWith(limits, 2000);
		for (let round = 0; round < 8; round++) {
			run.end(run.leave(limits, 200));
			await pass(claimMs);
		}
		expect(run.batches.slice(0, 3)).toEqual([50, 50, 100]);
		expect(Math.max(...run.batches)).toBe(200);
	});

	test('not more at a time if the service is slower', async () => {
		const limits = line(Infinity);
		const run = await startedWith(limits, 2000);
		for (let round = 0; round < 200; round++) {
			run.end(run.leave(limits));
			await pass(50);
		}
		expect(run.countReady).toBeLessThanOrEqual(50);
		expect(Math.max(...run.batches)).toBe(50);
	});

	test('each once, and never more than 200 that have not left (generated)', async () => {
		const step = fc.record({
			wants: fc.array(fc.constantFrom(0, 1, 2, 3), { maxLength: 60 }),
			leaves: fc.array(fc.tuple(fc.constantFrom(0, 1, 2, 3), fc.nat({ max: 40 })), { maxLength: 3 }),
			ms: fc.nat({ max: 600 }),
		});
		const pool = [line(0.1), line(8), line(30), line(Infinity)];
		await fc.assert(
			fc.asyncProperty(
				fc.array(step, { minLength: 1, maxLength: 12 }),
				fc.subarray(range(0, 200)),
				async (steps, known) => {
					const run = new Run(entriesOf(known.map((item) => `sent ключ ${item}`)));
					let item = 0;
					for (const { wants, leaves, ms } of steps) {
						for (const at of wants) run.want(pool[at]!, item++);
						for (const [at, count] of leaves) run.end(run.leave(pool[at]!, count));
						await pass(ms);
						expect(run.countReady).toBeLessThanOrEqual(200);
					}
					// No item waits forever, and each is told once.
					for (let round = 0; round < 2000 && run.told.length < item; round++) {
						for (const limits of pool) run.end(run.leave(limits, 50));
						await pass(100);
					}
					const wereKnown = new Set(known);
					const expected = range(0, item).map(
						(each) => `${each} ${wereKnown.has(each) ? 'sent' : 'claimed'}`,
					);
					expect([...run.told].sort()).toEqual(expected.sort());
				},
			),
			{ numRuns: 40 },
		);
	});
});

describe('items with different limits', () => {
	const slow = line(0.1);
	const fast = line(Infinity);

	test('the slow ones do not delay the fast ones', async () => {
		const run = new Run();
		run.wantAll(slow, 0, 100);
		run.wantAll(fast, 100, 400);
		for (let round = 0; round < 20; round++) {
			await pass(claimMs);
			run.end(run.leave(fast, 200));
		}
		// One of the slow ones has been claimed all the time, and has not left.
		expect(run.items('claimed').filter((item) => item < 100)).toEqual([0]);
		expect(run.items('claimed').filter((item) => item >= 100)).toEqual(range(100, 400));
	});

	test('the fast ones do not delay the slow ones', async () => {
		const run = await startedWith(fast, 1000);
		run.wantAll(slow, 1000, 1010);
		for (let round = 0; round < 10; round++) {
			run.end(run.leave(fast, 30));
			await pass(2 * claimMs);
			expect(run.readyOf(slow)).toHaveLength(1);
			run.end(run.leave(slow));
		}
		expect(run.items('claimed').filter((item) => item >= 1000)).toEqual(range(1000, 1010));
	});

	test('the slow ones come first if not all can be claimed', async () => {
		const run = new Run();
		run.wantAll(fast, 0, 100);
		run.wantAll(line(10), 100, 200);
		run.wantAll(slow, 200, 300);
		await pass(claimMs);
		expect(run.batches).toEqual([50]);
		expect(run.items('claimed').sort((a, b) => a - b)).toEqual([...range(0, 29), ...range(100, 120), 200]);
	});
});

describe('recipients who have the message already', () => {
	test('take no time: while a run finds only these, each call looks for twice as many, and at most 200', async () => {
		const run = await startedWith(line(2), 1000, sent(0, 1000));
		await pass(4000);
		expect(run.batches).toEqual([4, 8, 16, 32, 64, 128, 200, 200, 200, 148]);
		expect(run.items('sent')).toEqual(range(0, 1000));
		expect(run.entries.recipients).toEqual(sent(0, 1000).sort());
	});

	test('are followed by others: only as many of those are claimed as leave within two seconds', async () => {
		const limits = line(2);
		const run = await startedWith(limits, 120, sent(0, 60));
		await pass(3000);
		expect(run.items('sent')).toEqual(range(0, 60));
		expect(run.items('claimed')).toEqual(range(60, 64));
		expect(run.entries.recipients.filter((entry) => entry.startsWith('doubt '))).toEqual(
			doubt(60, 64).sort(),
		);
		for (let round = 0; round < 20; round++) {
			run.end(run.leave(limits, 4));
			await pass(claimMs);
			expect(run.countReady).toBeLessThanOrEqual(4);
		}
		expect(run.items('claimed')).toEqual(range(60, 120));
	});

	test('do not increase the number of looks if only some of the recipients have the message', async () => {
		const limits = line(2);
		const run = await startedWith(limits, 40, sent(0, 1));
		expect(run.leave(limits, 2)).toHaveLength(2);
		await pass(claimMs);
		expect(run.batches).toEqual([4, 3]);
	});

	test('do not affect items with other limits', async () => {
		const run = new Run(entriesOf(sent(0, 50)));
		run.wantAll(line(2), 0, 50);
		run.wantAll(line(1), 100, 150);
		await pass(4000);
		expect(run.items('sent')).toEqual(range(0, 50));
		expect(run.items('claimed')).toEqual([100, 101]);
	});
});

describe('recipients in doubt', () => {
	test('are recognized at once, and stay in doubt for all runs', async () => {
		const run = await startedWith(line(2), 3, ['doubt ключ 1']);
		expect(run.told.sort()).toEqual(['0 claimed', '1 inDoubt', '2 claimed']);
		const other = new Run(run.entries);
		other.want(line(2), 1);
		await pass(claimMs);
		expect(other.told).toEqual(['1 inDoubt']);
		await pass(1000);
		expect(run.entries.recipients).toContain('doubt ключ 1');
		expect(run.entries.recipients).not.toContain('sent ключ 1');
	});

	test('do not count as claimed', async () => {
		const run = await startedWith(line(2), 30, doubt(0, 20));
		await pass(4000);
		expect(run.items('inDoubt')).toEqual(range(0, 20));
		expect(run.items('claimed')).toEqual(range(20, 24));
	});
});

describe('a recipient that another process has claimed', () => {
	const claimed = ['sent ключ 0', 'doubt ключ 0'];

	test.each<[string, string[], string]>([
		['is sent to there, it is known as sent to here', ['sent ключ 0'], '0 sent'],
		['is released there, it is claimed here', [], '0 claimed'],
		['gets no answer there, it is in doubt here', ['doubt ключ 0'], '0 inDoubt'],
	])('is looked for again every three seconds, while others continue: if it %s', async (_, stored, told) => {
		const run = await startedWith(line(2), 3, claimed);
		expect(run.told).toEqual(['1 claimed', '2 claimed']);
		await pass(5000);
		expect(run.told).toEqual(['1 claimed', '2 claimed']);
		const rest = run.entries.stored.filter((entry) => !claimed.includes(entry));
		run.entries.stored = [...stored, ...rest];
		await pass(3000 + claimMs);
		expect(run.told.slice(2)).toEqual([told]);
	});

	test.each<[string, Limits, number]>([
		// 10 seconds, the window, and four times the 260 ms that a claim takes; then up to the next look.
		['at the pace of an account', line(2), 15_000],
		['at a limit with a long window', { telegram: { count: 10, windowMs: 10_000 } }, 24_000],
		['at a limit that makes it exactly 12 seconds', { telegram: { count: 10, windowMs: 960 } }, 12_000],
	])('is in doubt when its message should have left and been answered: %s', async (_, limits, patienceMs) => {
		const run = new Run(entriesOf(claimed));
		run.want(limits, 0);
		await pass(patienceMs - 1000);
		expect(run.told).toEqual([]);
		await pass(2500);
		expect(run.told).toEqual(['0 inDoubt']);
		// The other process may still be alive.
		expect(run.entries.recipients).toEqual([...claimed].sort());
	});

	test('is no longer looked for when the run has ended', async () => {
		const run = await startedWith(line(2), 1, claimed);
		const look = jest.spyOn(Store.prototype, 'look');
		await run.close();
		const { calls } = run;
		await pass(60_000);
		expect(run.calls).toBe(calls);
		expect(look).not.toHaveBeenCalled();
		expect(run.told).toEqual([]);
	});

	test.each([10, 40, 200])(
		'does not keep others waiting forever and causes no warning of a leak, even if %i are looked for again at once',
		async (count) => {
			const warn = jest.spyOn(process, 'emitWarning').mockImplementation(() => {});
			const taken = [...sent(0, count), ...doubt(0, count)];
			for (const limits of [line(20), line(Infinity)]) {
				const run = new Run(entriesOf(taken));
				run.wantAll(limits, 0, count + 10);
				for (let ms = 0; ms < 60_000 && run.told.length < count + 10; ms += 50) {
					run.end(run.leave(limits, 200));
					await pass(50);
				}
				expect(run.items('inDoubt')).toEqual(range(0, count));
				expect(run.items('claimed')).toEqual(range(count, count + 10));
			}
			expect(warn).not.toHaveBeenCalled();
		},
	);

	test('does not count as late when it is finally claimed', async () => {
		const limits = line(Infinity);
		const run = await startedWith(limits, 11, claimed);
		run.end(run.leave(limits, 10));
		await pass(1000);
		run.entries.stored = run.entries.stored.filter((entry) => !claimed.includes(entry));
		await pass(3000);
		expect(run.readyOf(limits)).toEqual(['ключ 0']);
		run.end(run.leave(limits));
		run.wantAll(limits, 11, 200);
		await pass(claimMs);
		expect(run.batches.at(-1)).toBe(50);
	});
});

describe('a recipient that another run of this process has claimed', () => {
	const limits = line(2);

	/** A run that waits for the answer to its message, and another one of the same node. */
	async function twoRuns() {
		const first = await startedWith(limits, 1);
		first.leave(limits);
		return { first, second: new Run(first.entries) };
	}

	test.each<[End, Known]>([
		['sent', 'sent'],
		['notSent', 'claimed'],
		['unknown', 'inDoubt'],
	])('is waited for, while others continue: if it ends there as %s, it is %s here', async (end, known) => {
		const { first, second } = await twoRuns();
		second.wantAll(limits, 0, 3);
		await pass(30_000);
		expect(second.told).toEqual(['1 claimed', '2 claimed']);
		second.leave(limits, 2);
		first.end(['ключ 0'], end);
		await pass(2 * claimMs);
		expect(second.told.slice(2)).toEqual([`0 ${known as string}`]);
	});

	test('does not count as one who has the message: the run does not look for more at a time', async () => {
		const { second } = await twoRuns();
		second.want(limits, 0);
		await pass(100);
		second.wantAll(limits, 1, 20);
		await pass(claimMs);
		expect(second.batches.at(-1)).toBe(4);
	});

	test('is waited for again if a third run claims it next', async () => {
		const { first, second } = await twoRuns();
		const third = new Run(first.entries);
		for (const run of [second, third]) run.want(limits, 0);
		await pass(100);
		first.end(['ключ 0'], 'notSent');
		await pass(3000);
		const [winner, waiting] = second.told.length ? [second, third] : [third, second];
		expect([winner.told, waiting.told]).toEqual([['0 claimed'], []]);
		winner.end(winner.leave(limits));
		await pass(3000);
		expect(waiting.told).toEqual(['0 sent']);
	});

	test('keeps the place of its item among the others', async () => {
		const { first, second } = await twoRuns();
		second.wantAll(limits, 0, 9);
		await pass(claimMs);
		first.end(['ключ 0'], 'notSent');
		await pass(3000);
		second.leave(limits, 4);
		await pass(claimMs);
		expect(second.items('claimed')).toEqual([1, 2, 3, 4, 0, 5, 6, 7]);
	});
});

describe('a recipient of two items of a run', () => {
	const limits = line(2);

	test('keeps the second item waiting, and the end of the first is recorded at once', async () => {
		const run = await startedWith(limits, 1);
		run.leave(limits);
		run.want(limits, 1, 'ключ 0');
		run.want(limits, 2);
		await pass(30_000);
		expect(run.told).toEqual(['0 claimed', '2 claimed']);
		run.end(['ключ 0']);
		await pass(claimMs);
		expect(run.told.slice(2)).toEqual(['1 sent']);
	});

	test('keeps the others waiting if all are wanted together', async () => {
		const run = new Run();
		for (let item = 0; item < 3; item++) run.want(limits, item, 'ключ');
		await pass(claimMs);
		expect(run.told).toEqual(['0 claimed']);
		run.end(run.leave(limits));
		await pass(4 * claimMs);
		expect(run.told.slice(1).sort()).toEqual(['1 sent', '2 sent']);
	});
});

describe('when the store fails', () => {
	const limits = line(2);
	const words = 'Занято';

	/** After three failures a store gives up. */
	const failOnce = ({ entries }: Run) => entries.fail(3, 'add');

	test('all items of the failed call get the error, and the next items are asked for', async () => {
		const run = new Run();
		await pass(100);
		run.wantAll(limits, 0, 10);
		failOnce(run);
		await pass(3000);
		expect(run.told.slice(0, 4)).toEqual(range(0, 4).map((item) => `${item} ${words}`));
		expect(run.told.slice(4)).toEqual(range(4, 8).map((item) => `${item} claimed`));
	});

	test('all items whose claims could not be confirmed get the error, none of them leaves, and the claims are released', async () => {
		const run = new Run();
		run.wantAll(limits, 0, 4);
		await pass(50);
		expect(run.entries.recipients).toHaveLength(8);
		failOnce(run);
		await pass(5000);
		expect(run.told).toEqual(range(0, 4).map((item) => `${item} ${words}`));
		expect(run.countReady).toBe(0);
		expect(run.entries.recipients).toEqual([]);
	});

	test('an item that gets the error can be followed at once by another one with the same recipient', async () => {
		const run: Run = new Run(undefined, (known, key, item) => {
			if (typeof known === 'object' && item < 100) run.want(limits, item + 100, key);
		});
		await pass(100);
		run.want(limits, 0);
		failOnce(run);
		await pass(3000);
		expect(run.told).toEqual([`0 ${words}`, '100 claimed']);
	});

	test('the claims count the recipients that n8n could not record', async () => {
		const run = await startedWith(limits, 4);
		run.end(run.leave(limits, 2));
		run.entries.fail(Infinity, 'remove');
		await run.close();
		expect(run.claims.notRecorded).toBe(4);
	});
});

describe('closing', () => {
	const limits = line(4);

	test.each([
		['can stop', new AbortController().signal],
		['cannot stop', undefined],
	])(
		'a run that the user %s releases claims that have not left, and records how the others ended, at once: no call follows',
		async (_, stopped) => {
			const run = await startedWith(limits, 8);
			run.end(run.leave(limits, 2));
			run.end(run.leave(limits, 1), 'notSent');
			run.end(run.leave(limits, 1), 'unknown');
			run.beginClose(stopped);
			await pass(100);
			expect(run.isClosed).toBe(true);
			expect(run.entries.recipients).toEqual(['doubt ключ 3', ...sent(0, 2)]);
			await pass(10_000);
			expect([...run.entries.stored].sort()).toEqual(['doubt ключ 3', 'open', ...sent(0, 2)]);
			expect(run.claims.notRecorded).toBe(0);
			const { calls } = run;
			await pass(60_000);
			expect(run.calls).toBe(calls);
			expect(jest.getTimerCount()).toBe(0);
		},
	);

	test('removes the ticket of the opening if there is nothing to record', async () => {
		const run = new Run();
		await run.close();
		expect(run.calls).toBe(2);
		expect(run.entries.stored).toEqual(['open']);
	});

	test('of a stopped run takes less than a second, and releases the claims that it was about to make', async () => {
		const run = new Run(entriesOf(sent(1, 2), 100));
		run.wantAll(limits, 0, 20);
		await pass(150);
		run.stop.abort();
		run.beginClose(run.stop.signal);
		await pass(800);
		expect(run.isClosed).toBe(true);
		await pass(20_000);
		expect(run.items('claimed')).toEqual([]);
		expect(run.entries.recipients).toEqual(sent(1, 2));
	});

	test.each([
		['before it closes', true],
		['while it closes', false],
	])(
		'takes less than a second after the run is stopped %s, even if the store is slow',
		async (_, isBefore) => {
			const run = await startedWith(limits, 4);
			run.end(run.leave(limits, 4));
			run.entries.before = async () => await new Promise((end) => setTimeout(end, 30_000));
			if (isBefore) run.stop.abort();
			run.beginClose(run.stop.signal);
			if (!isBefore) {
				await pass(5000);
				expect(run.isClosed).toBe(false);
				run.stop.abort();
			}
			await pass(800);
			expect(run.isClosed).toBe(true);
			await pass(200_000);
			expect(run.entries.recipients).toEqual(sent(0, 4));
		},
	);

	test('looks for no more recipients when the run is stopped', async () => {
		const run = await startedWith(limits, 20);
		run.stop.abort();
		run.end(run.leave(limits, 8));
		run.wantAll(limits, 20, 40);
		await run.close();
		expect(run.batches).toEqual([8]);
		expect(run.entries.recipients).toEqual(sent(0, 8));
	});

	test('does not throw if the store fails, which leaves all claimed recipients in doubt', async () => {
		const run = await startedWith(limits, 8);
		run.end(run.leave(limits, 2));
		run.entries.fail(Infinity);
		run.stop.abort();
		await run.close();
		expect(run.entries.recipients).toEqual([...sent(0, 8), ...doubt(0, 8)].sort());
	});
});

test.each<[string, Known, Limits, string[]]>([
	['at full speed', 'claimed', line(Infinity), []],
	['that were sent to before', 'sent', line(2), sent(0, 1000)],
])('calls of the store are few for a thousand recipients %s', async (_, known, limits, stored) => {
	const run = new Run(entriesOf(stored));
	run.wantAll(limits, 0, 1000);
	// Ten requests at a time, each of which takes 20 ms.
	let underWay = 0;
	for (let ms = 0; ms < 10_000 && run.told.length < 1000; ms++) {
		for (const key of run.leave(limits, 10 - underWay)) {
			underWay++;
			setTimeout(() => {
				underWay--;
				run.end([key]);
			}, 20);
		}
		await pass(1);
	}
	expect(run.items(known)).toEqual(range(0, 1000));
	expect(run.calls).toBeLessThanOrEqual((1000 / 30) * 2);
});
