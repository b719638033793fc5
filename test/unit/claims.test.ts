import fc from 'fast-check';

import type { Limits } from '../../nodes/ChatbotService/client/pace/limits';
import { Claim, Line, transitions, type State } from '../../nodes/ChatbotService/run/ledger/claim';
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

	private readonly heard: Array<[item: number, known: Known]> = [];

	/** Claimed, and not left, by the names of their limits. */
	private readonly ready = new Map<string, string[]>();

	constructor(
		readonly entries: FakeEntries,
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

	wantAll(limits: Limits, from: number, to: number) {
		for (let item = from; item < to; item++) this.want(limits, item);
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

	/** Closes the claims, and waits until that has ended. */
	async close() {
		const closing = this.claims.close(this.stop.signal);
		await pass(20_000);
		await closing;
	}

	/** What the run was told, such as '0 claimed', in this order. */
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

const nameOf = (limits: Limits) => Object.keys(limits).join();
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);
const sent = (from: number, to: number) => range(from, to).map((item) => `sent ключ ${item}`);
const doubt = (from: number, to: number) => range(from, to).map((item) => `doubt ключ ${item}`);

/** A run that has asked for as many items as it may. */
async function startedWith(limits: Limits, count: number, stored: string[] = []): Promise<Run> {
	const run = new Run(entriesOf(stored));
	run.wantAll(limits, 0, count);
	await pass(claimMs);
	return run;
}

const states: State[] = ['waiting', 'blocked', 'asked', 'elsewhere', 'claimed', 'left', 'known', 'ended'];

describe('the states of a claim', () => {
	/** The states that lead to a state from `waiting`. */
	const pathTo: Record<State, State[]> = {
		waiting: [],
		blocked: ['blocked'],
		asked: ['asked'],
		elsewhere: ['asked', 'elsewhere'],
		claimed: ['asked', 'claimed'],
		left: ['asked', 'claimed', 'left'],
		known: ['asked', 'known'],
		ended: ['asked', 'claimed', 'left', 'ended'],
	};
	const next: Record<State, State[]> = {
		waiting: ['asked', 'blocked'],
		blocked: ['waiting', 'known'],
		asked: ['claimed', 'waiting', 'elsewhere', 'known'],
		elsewhere: ['asked', 'blocked', 'known'],
		claimed: ['left', 'ended'],
		left: ['ended'],
		known: [],
		ended: [],
	};
	const pairs = states.flatMap((from) => states.map((to) => [from, to] as const));

	test('and no others are known', () => expect(transitions).toEqual(next));

	/** A claim that is the next one of its line. */
	function claimIn(state: State) {
		const heard: Known[] = [];
		const queue = new Line({});
		const claim = new Claim({ item: 0, key: '', limits: {}, known: (known) => heard.push(known) }, queue);
		if (state !== 'waiting') queue.waiting.shift();
		for (const each of pathTo[state]) claim.become(each);
		return { claim, queue, heard };
	}

	test.each(pairs)('from %s to %s', (from, to) => {
		const { claim, queue } = claimIn(from);
		const isAllowed = next[from].includes(to);
		if (isAllowed) claim.become(to);
		else expect(() => claim.become(to)).toThrow(`A claim that is "${from}" cannot become "${to}"`);
		const now = isAllowed ? to : from;
		expect([...queue.asked]).toEqual(now === 'asked' ? [claim] : []);
		expect([...queue.claimed]).toEqual(now === 'claimed' ? [claim] : []);
		expect(queue.underWay).toBe(now === 'asked' || now === 'claimed' ? 1 : 0);
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
		const { claims } = new Run(entriesOf());
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

	test.each<[string, string[], () => void]>([
		[
			'while another process has its recipient',
			['sent ключ 0', 'doubt ключ 0'],
			() => void jest.spyOn(pace, 'windowMs').mockImplementation(thrower),
		],
		[
			'while another item has its recipient',
			[],
			() =>
				void jest.spyOn(Store.prototype, 'whenFree').mockReturnValue(Promise.reject(new Error('Сломано'))),
		],
		['while it is asked for', [], () => void jest.spyOn(Store.prototype, 'look').mockImplementation(thrower)],
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

const thrower = () => {
	throw new Error('Сломано');
};

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
		const run = await startedWith(line(pace), 200);
		expect(run.items('claimed')).toEqual(range(0, count));
		expect(run.batches).toEqual([count]);
	});

	test('in a slow store more of them, so that the pace is kept all the same', async () => {
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

	test('once they are confirmed, not before', async () => {
		const run = new Run(entriesOf());
		run.want(line(2), 0);
		await pass(250);
		expect(run.told).toEqual([]);
		await pass(50);
		expect(run.told).toEqual(['0 claimed']);
	});

	test('by the index of their items, even if these come in another order', async () => {
		const run = new Run(entriesOf());
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
		const run = await startedWith(line(2), 1);
		const { calls } = run;
		await pass(60_000);
		expect(run.calls).toBe(calls);
		run.want(line(2), 1);
		await pass(claimMs);
		expect(run.items('claimed')).toEqual([0, 1]);
	});

	test('in one call when at most a quarter of the claims before is left', async () => {
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

	test('one by one where less than one leaves in two seconds', async () => {
		const limits = line(0.1);
		const run = await startedWith(limits, 3);
		for (let item = 0; item < 3; item++) {
			await pass(10_000);
			expect(run.items('claimed')).toEqual(range(0, item + 1));
			run.leave(limits);
		}
	});

	test('more at a time when the service takes them faster than they are claimed, and 200 at most', async () => {
		const limits = line(Infinity);
		const run = await startedWith(limits, 2000);
		for (let round = 0; round < 8; round++) {
			run.end(run.leave(limits, 200));
			await pass(claimMs);
		}
		expect(run.batches.slice(0, 3)).toEqual([50, 50, 100]);
		expect(Math.max(...run.batches)).toBe(200);
	});

	test('no more at a time when the service is slower', async () => {
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

	test('the slow ones do not hold up the fast ones', async () => {
		const run = new Run(entriesOf());
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

	test('the fast ones do not hold up the slow ones', async () => {
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

	test('the slow ones come first where not all can be claimed', async () => {
		const run = new Run(entriesOf());
		run.wantAll(fast, 0, 100);
		run.wantAll(line(10), 100, 200);
		run.wantAll(slow, 200, 300);
		await pass(claimMs);
		expect(run.batches).toEqual([50]);
		expect(run.items('claimed').sort((a, b) => a - b)).toEqual([...range(0, 29), ...range(100, 120), 200]);
	});

	test('limits of the same name are the same limits, whatever object they are', async () => {
		const run = new Run(entriesOf());
		for (let item = 0; item < 200; item++) run.want(line(0.1), item);
		await pass(claimMs);
		expect(run.items('claimed')).toEqual([0]);
		for (let round = 1; round < 4; round++) {
			run.leave(line(0.1));
			await pass(claimMs);
			expect(run.items('claimed')).toEqual(range(0, round + 1));
		}
	});
});

describe('recipients that were sent to before', () => {
	test('take no time: while all are such, each call looks for twice as many, and 200 at most', async () => {
		const run = await startedWith(line(2), 1000, sent(0, 1000));
		await pass(4000);
		expect(run.batches).toEqual([4, 8, 16, 32, 64, 128, 200, 200, 200, 148]);
		expect(run.items('sent')).toEqual(range(0, 1000));
		expect(run.entries.recipients).toEqual(sent(0, 1000).sort());
	});

	test('are followed by others: no more of these are claimed than leave within two seconds', async () => {
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

	test('do not let more be looked for while only some are such', async () => {
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
	test('are known as such at once, and stay in doubt for all runs', async () => {
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
	])('is looked for again every three seconds, while others go on: where it %s', async (_, stored, told) => {
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
		'does not keep others waiting forever, even if %i are looked for again at once',
		async (count) => {
			const taken = range(0, count).flatMap((item) => [`sent ключ ${item}`, `doubt ключ ${item}`]);
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
		},
	);

	test('does not count as late when it is claimed at last', async () => {
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

	test('warns of no leak, however many there are', async () => {
		const warn = jest.spyOn(process, 'emitWarning').mockImplementation(() => {});
		const run = await startedWith(line(Infinity), 300, [...sent(0, 300), ...doubt(0, 300)]);
		await pass(30_000);
		expect(run.items('inDoubt')).toHaveLength(300);
		expect(warn).not.toHaveBeenCalled();
	});
});

describe('a recipient that another run of this process has claimed', () => {
	const limits = line(2);

	/** A run that has claimed a recipient, and others of the same node. */
	async function claimedBefore(others: number): Promise<[first: Run, ...others: Run[]]> {
		const first = await startedWith(limits, 1);
		return [first, ...range(0, others).map(() => new Run(first.entries))];
	}

	test.each<[End, Known]>([
		['sent', 'sent'],
		['notSent', 'claimed'],
		['unknown', 'inDoubt'],
	])('is waited for, while others go on: where it ends there as %s, it is %s here', async (end, known) => {
		const [first, second] = (await claimedBefore(1)) as [Run, Run];
		first.leave(limits);
		second.wantAll(limits, 0, 3);
		await pass(30_000);
		expect(second.told).toEqual(['1 claimed', '2 claimed']);
		second.leave(limits, 2);
		first.end(['ключ 0'], end);
		await pass(2 * claimMs);
		expect(second.told.slice(2)).toEqual([`0 ${known as string}`]);
	});

	test('is not taken for one that was sent to before: no more are looked for at a time', async () => {
		const [first, second] = (await claimedBefore(1)) as [Run, Run];
		first.leave(limits);
		second.want(limits, 0);
		await pass(100);
		second.wantAll(limits, 1, 20);
		await pass(claimMs);
		expect(second.batches.at(-1)).toBe(4);
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

	test('may be claimed when that run closes without a message', async () => {
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
		const run = new Run(entriesOf());
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
	const words = 'Нет связи с базой';

	/** Makes the next three calls that add fail. After three failures a store gives up. */
	function makeAddFail({ entries }: Run) {
		let left = 3;
		entries.before = ({ name }) => {
			if (name === 'add' && left-- > 0) throw new Error(words);
		};
	}

	test('all items that were asked for are told why, and the next are asked for', async () => {
		const run = new Run(entriesOf());
		await pass(100);
		run.wantAll(limits, 0, 10);
		makeAddFail(run);
		await pass(3000);
		expect(run.told.slice(0, 4)).toEqual(range(0, 4).map((item) => `${item} ${words}`));
		expect(run.told.slice(4)).toEqual(range(4, 8).map((item) => `${item} claimed`));
	});

	test('all items whose claims could not be confirmed are told why, none of them leaves, and the claims are released', async () => {
		const run = new Run(entriesOf());
		run.wantAll(limits, 0, 4);
		await pass(50);
		expect(run.entries.recipients).toHaveLength(8);
		makeAddFail(run);
		await pass(5000);
		expect(run.told).toEqual(range(0, 4).map((item) => `${item} ${words}`));
		expect(run.countReady).toBe(0);
		expect(run.entries.recipients).toEqual([]);
	});

	test('an item that is told why may be followed at once by another one with the same recipient', async () => {
		const run: Run = new Run(entriesOf(), (known, key, item) => {
			if (typeof known === 'object' && item < 100) run.want(limits, item + 100, key);
		});
		await pass(100);
		run.want(limits, 0);
		makeAddFail(run);
		await pass(3000);
		expect(run.told).toEqual([`0 ${words}`, '100 claimed']);
	});

	test('the claims count the recipients that n8n could not record', async () => {
		const run = await startedWith(limits, 4);
		run.end(run.leave(limits, 2));
		run.entries.before = ({ name }) => {
			if (name === 'remove') throw new Error(words);
		};
		await run.close();
		expect(run.claims.notRecorded).toBe(4);
	});
});

describe('closing', () => {
	const limits = line(4);

	test('releases claims that have not left, and records how the others ended, without waiting two seconds', async () => {
		const run = await startedWith(limits, 8);
		run.end(run.leave(limits, 2));
		run.end(run.leave(limits, 1), 'notSent');
		run.end(run.leave(limits, 1), 'unknown');
		let isOver = false;
		void run.claims.close(run.stop.signal).then(() => (isOver = true));
		await pass(100);
		expect(isOver).toBe(true);
		expect(run.entries.recipients).toEqual(['doubt ключ 3', ...sent(0, 2)]);
		await pass(10_000);
		expect([...run.entries.stored].sort()).toEqual(['doubt ключ 3', 'open', ...sent(0, 2)]);
		expect(run.claims.notRecorded).toBe(0);
	});

	test('removes the ticket of the opening if there is nothing to record', async () => {
		const run = new Run(entriesOf());
		await run.close();
		expect(run.calls).toBe(2);
		expect(run.entries.stored).toEqual(['open']);
	});

	test('is the end: no call follows', async () => {
		const run = await startedWith(limits, 1);
		run.end(run.leave(limits));
		await run.close();
		const { calls } = run;
		await pass(60_000);
		expect(run.calls).toBe(calls);
		expect(jest.getTimerCount()).toBe(0);
	});

	test('of a run that is stopped takes less than a second, and releases what it was about to claim', async () => {
		const run = new Run(entriesOf(sent(1, 2), 100));
		run.wantAll(limits, 0, 20);
		await pass(150);
		run.stop.abort();
		let isOver = false;
		void run.claims.close(run.stop.signal).then(() => (isOver = true));
		await pass(800);
		expect(isOver).toBe(true);
		await pass(20_000);
		expect(run.items('claimed')).toEqual([]);
		expect(run.entries.recipients).toEqual(sent(1, 2));
	});

	test('takes less than a second after the run is stopped, even if it is closing already', async () => {
		const run = await startedWith(limits, 4);
		run.end(run.leave(limits, 4));
		run.entries.before = async () => await new Promise((end) => setTimeout(end, 30_000));
		let isOver = false;
		void run.claims.close(run.stop.signal).then(() => (isOver = true));
		await pass(5000);
		expect(isOver).toBe(false);
		run.stop.abort();
		await pass(800);
		expect(isOver).toBe(true);
		await pass(200_000);
		expect(run.entries.recipients).toEqual(sent(0, 4));
	});

	test('needs no signal', async () => {
		const run = await startedWith(limits, 4);
		run.end(run.leave(limits, 4));
		let isOver = false;
		void run.claims.close(undefined).then(() => (isOver = true));
		await pass(20_000);
		expect(isOver).toBe(true);
		expect(run.entries.recipients).toEqual(sent(0, 4));
	});

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
		run.entries.before = () => {
			throw new Error('Нет связи с базой');
		};
		run.stop.abort();
		await run.close();
		expect(run.entries.recipients).toEqual([...sent(0, 8), ...doubt(0, 8)].sort());
	});
});

describe('calls of the store are few', () => {
	/** Sends as fast as the service answers, `answerMs` later, ten at a time. */
	async function sendToAll(run: Run, limits: Limits, count: number, answerMs: number) {
		let underWay = 0;
		run.wantAll(limits, 0, count);
		let ms = 0;
		for (; ms < 600_000 && run.told.length < count; ms++) {
			for (const key of run.leave(limits, 10 - underWay)) {
				underWay++;
				setTimeout(() => {
					underWay--;
					run.end([key]);
				}, answerMs);
			}
			await pass(1);
		}
		return ms;
	}

	test.each<[string, Known, Limits, string[]]>([
		['at full speed', 'claimed', line(Infinity), []],
		['that were sent to before', 'sent', line(2), sent(0, 1000)],
	])('for a thousand recipients %s', async (_, known, limits, stored) => {
		const run = new Run(entriesOf(stored));
		const ms = await sendToAll(run, limits, 1000, 20);
		expect(run.items(known)).toEqual(range(0, 1000));
		expect(run.calls).toBeLessThanOrEqual((1000 / 30) * 2);
		expect(ms).toBeLessThan(10_000);
	});

	test('because none is made while there is nothing to do', async () => {
		const run = await startedWith(line(2), 100);
		const { calls } = run;
		await pass(600_000);
		expect(run.calls).toBe(calls);
	});
});
