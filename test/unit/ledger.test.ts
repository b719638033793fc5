import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { digestOf, newId } from '../../nodes/ChatbotService/client/digest';
import { timedOut, valuesRefused } from '../../nodes/ChatbotService/client/failure';
import { nameOf, type Limits } from '../../nodes/ChatbotService/client/pace/limits';
import type { Left, Result } from '../../nodes/ChatbotService/client/result';
import { findOperation } from '../../nodes/ChatbotService/resources';
import {
	fingerprintLength,
	type Fingerprints,
	type Kept,
} from '../../nodes/ChatbotService/run/ledger/execution';
import { Ledger, type LedgerItem, type Verdict } from '../../nodes/ChatbotService/run/ledger/ledger';
import { seededRandom } from '../../sandbox/emulator/random';
import { FakeEntries, isTicket, type Row } from './fakeEntries';
import { range } from './runs';
import { clock, inTime } from './virtualTime';
import type * as VirtualTime from './virtualTime';

jest.mock('n8n-workflow', () => jest.requireActual<typeof VirtualTime>('./virtualTime').n8nWorkflow());

/*
 * What a run asks the ledger, in virtual time: which items may leave, and when it knows that. Whole runs whose process dies, or whose
 * store fails, are in sendOncePer.test.ts. Entries such as "sent …" and "doubt …" stay in n8n's database, so later versions must know them.
 */

const message = findOperation('message', 'sendToWhatsApp')!;
const attach = findOperation('tag', 'attach')!;
const list = findOperation('tag', 'getManyByBot')!;
const listCreate = findOperation('listSchema', 'create')!;
const listDelete = findOperation('listSchema', 'delete')!;

const done: Result = { rows: [{ success: true }] };
const unknown: Result = { failure: timedOut() };
const refused: Result = { failure: valuesRefused(422, [], 'Нет контакта.') };
const failureWith = (outcome: string) => ({ failure: expect.objectContaining({ outcome }) as never });

const perSecond = (count: number): Limits => ({ [`line ${count}`]: { count, windowMs: 1000 } });
const unlimited: Limits = {};
const telegram: Limits = { telegram: { count: 10, windowMs: 10_000 } };

const pace = {
	leaving: (limits: Limits, milliseconds: number) =>
		Math.min(...Object.values(limits).map(({ count, windowMs }) => (milliseconds * count) / windowMs)),
	windowMs: (limits: Limits) => Math.max(0, ...Object.values(limits).map(({ windowMs }) => windowMs)),
};

/** The same fingerprints for all items. */
const alike: Fingerprints = { written: () => 'что-то', identity: () => 'кто-то' };

const ledgerOf = (changes: Partial<ConstructorParameters<typeof Ledger>[0]> = {}) =>
	new Ledger({
		operation: message,
		usesSendOncePer: false,
		triesKey: null,
		kept: null,
		entries: undefined,
		pace,
		signal: new AbortController().signal,
		...changes,
	});

/** n8n's store, as one process calls it. Processes that share their rows share the entries. */
const entriesOf = (row: Row = { stored: [] }, gapMs = 5, owner?: string) =>
	new FakeEntries([], owner, async () => await clock.sleep(gapMs), row);

const pass = async (milliseconds: number) => await clock.run(clock.now() + milliseconds);

type Told = 'go' | 'sent before' | 'done before' | 'in doubt' | 'store failed';

function inWords(verdict: Verdict): Told {
	if (verdict === 'go') return 'go';
	if (verdict.reason === 'skipped') return 'sent before';
	if (verdict.reason === 'storeFailed') return 'store failed';
	return 'failure' in verdict.result ? 'in doubt' : 'done before';
}

interface Wanted {
	limits?: Limits;
	/** Its value of 'Send Once Per' and the recipient; null if it has none. */
	key?: string | null;
	fingerprints?: Fingerprints;
}

/** A run that asks the ledger for items, and sends those that may leave. */
class Run {
	readonly stop = new AbortController();

	readonly ledger: Ledger;

	readonly open: Promise<void>;

	/** What the run was told, in order. */
	readonly told: Array<[index: number, told: Told]> = [];

	verdict: Verdict | undefined;

	answered = 0;

	/** When requests left. */
	readonly leftAt = new Map<number, number>();

	/** Items that may leave and have not left. */
	readonly ready: LedgerItem[] = [];

	private readonly slots = new Map<string, number>();

	/** @param sends whether requests leave by themselves, at the pace of their limits, and are answered after 40 ms */
	constructor(
		readonly entries = entriesOf(),
		private readonly sends = true,
		changes: Parameters<typeof ledgerOf>[0] = {},
	) {
		this.ledger = ledgerOf({ usesSendOncePer: true, entries, signal: this.stop.signal, ...changes });
		this.open = this.ledger.open();
	}

	want(index: number, { limits = perSecond(2), key = `ключ ${index}`, fingerprints = alike }: Wanted = {}) {
		const item = { index, values: { limits, dedupKey: key ?? undefined }, fingerprints };
		this.ledger.before(item, (verdict) => {
			this.verdict = verdict;
			this.told.push([index, inWords(verdict)]);
			if (verdict !== 'go') return;
			this.ready.push(item);
			if (this.sends) void this.send(item);
		});
	}

	wantAll(from: number, to: number, limits?: Limits) {
		for (const index of range(from, to)) this.want(index, { limits });
	}

	/** Lets the next requests leave. */
	leave(count = 1): LedgerItem[] {
		const leaving = this.ready.splice(0, count);
		for (const item of leaving) {
			this.leftAt.set(item.index, clock.now());
			this.ledger.left(item);
		}
		return leaving;
	}

	end(items: LedgerItem[], outcome: Result | Left = done) {
		for (const item of items) this.ledger.after(item, outcome);
		this.answered += items.length;
	}

	toldOf = (told: Told) => this.told.filter((each) => each[1] === told).map(([index]) => index);

	/** Ends the run. @returns how long that takes, and how many recipients are not recorded */
	async close(stopped?: AbortSignal) {
		const from = clock.now();
		return await inTime(this.ledger.close(stopped).then((lost) => ({ lost, ms: clock.now() - from })));
	}

	private async send(item: LedgerItem) {
		const { limits } = item.values;
		const slot = Math.max(clock.now(), this.slots.get(nameOf(limits)) ?? 0);
		this.slots.set(nameOf(limits), slot + 1 / pace.leaving(limits, 1));
		await clock.sleep(slot - clock.now());
		if (this.entries.isDead) return;
		this.ready.splice(this.ready.indexOf(item), 1);
		this.leftAt.set(item.index, clock.now());
		this.ledger.left(item);
		await clock.sleep(40);
		this.end([item]);
	}
}

/** A run whose ledger is open, which sends nothing by itself. */
async function opened(entries = entriesOf(), changes: Parameters<typeof ledgerOf>[0] = {}) {
	const run = new Run(entries, false, changes);
	await pass(2000);
	return run;
}

/** How the message to a recipient ended in one run, and what another run is told. */
const ends: Array<[string, Result | Left, Told]> = [
	['was sent', done, 'sent before'],
	['was refused', refused, 'go'],
	['got no answer', unknown, 'in doubt'],
	['was interrupted', 'interrupted', 'in doubt'],
	['could not leave', 'notSent', 'go'],
];

describe('a recipient of an earlier run', () => {
	const results: Partial<Record<Told, Verdict>> = {
		go: 'go',
		'sent before': { reason: 'skipped', result: { rows: [{ success: true, alreadySent: true }] } },
		'in doubt': { reason: 'earlier', result: failureWith('unknown') },
	};

	test.each(ends)('A recipient whose message %s', async (_, outcome, told) => {
		const first = await opened();
		first.want(0);
		await pass(2000);
		first.end(first.leave(), outcome);
		expect(await first.close()).toMatchObject({ lost: 0 });
		await pass(10_000);
		const second = await opened(entriesOf(first.entries.row));
		second.want(0);
		await pass(2000);
		expect(second.verdict).toEqual(results[told]);
	});

	test('An item without a value of Send Once Per leaves at once, and nothing of it is stored', async () => {
		const run = await opened();
		run.want(0, { key: null });
		expect(run.told).toEqual([[0, 'go']]);
		run.end(run.leave());
		await run.close();
		expect(run.entries.recipients).toEqual([]);
	});
});

describe('a recipient whose message is under way', () => {
	const places: Array<[string, (first: Run) => Promise<Run>]> = [
		['another item of the run', async (first) => await Promise.resolve(first)],
		['another run of the process', async ({ entries }) => await opened(entries)],
		['another process', async ({ entries }) => await opened(entriesOf(entries.row))],
	];

	test.each(
		places.flatMap(([place, other]) => ends.map(([end, ...each]) => [place, end, other, ...each] as const)),
	)('%s waits for its end, and others do not wait: the message %s', async (_, __, other, outcome, told) => {
		const first = await opened();
		first.want(0, { key: 'Анна' });
		await pass(2000);
		const left = first.leave();
		const second = await other(first);
		second.told.length = 0;
		second.want(1, { key: 'Анна' });
		second.wantAll(2, 4);
		await pass(6000);
		expect(second.told).toEqual([
			[2, 'go'],
			[3, 'go'],
		]);
		second.end(second.leave(2));
		first.end(left, outcome);
		await pass(7000);
		expect(second.told.slice(2)).toEqual([[1, told]]);
	});

	test('Of many items with one recipient only one leaves', async () => {
		const run = await opened();
		for (const index of range(0, 5)) run.want(index, { key: 'Анна' });
		await pass(2000);
		expect(run.told).toEqual([[0, 'go']]);
		run.end(run.leave());
		await pass(5000);
		expect(run.toldOf('sent before').sort()).toEqual([1, 2, 3, 4]);
	});

	test.each([
		['an account', perSecond(2), 1000],
		['a messenger with a long window', telegram, 10_000],
	])(
		'A recipient of a process that has died is in doubt when its message should have left at the limit of %s',
		async (_, limits, windowMs) => {
			const dead = await opened();
			dead.wantAll(0, 200, unlimited);
			await pass(2000);
			const claimed = dead.toldOf('go').length;
			dead.entries.die();
			const run = await opened(entriesOf(dead.entries.row));
			run.wantAll(0, 200, limits);
			await pass(windowMs + 9000);
			expect(run.toldOf('in doubt')).toEqual([]);
			// The others do not wait for these, and all are known in the end.
			expect(run.toldOf('go').length).toBeGreaterThan(0);
			run.end(run.leave(200));
			for (let round = 0; round < 100; round++) {
				await pass(1000);
				run.end(run.leave(200));
			}
			expect([run.toldOf('in doubt').length, run.told.length]).toEqual([claimed, 200]);
		},
	);
});

describe('claims', () => {
	test('Each item is told once, and never wait more claims than leave within two seconds, or 200 (generated)', async () => {
		const step = fc.record({
			wants: fc.array(fc.constantFrom(0, 1, 2, 3), { maxLength: 60 }),
			leaves: fc.nat({ max: 40 }),
			ms: fc.nat({ max: 600 }),
		});
		const lines = [perSecond(0.1), perSecond(8), perSecond(30), unlimited];
		await fc.assert(
			fc.asyncProperty(
				fc.array(step, { minLength: 1, maxLength: 12 }),
				fc.subarray(range(0, 200)),
				async (steps, known) => {
					const run = await opened(entriesOf({ stored: known.map((index) => `sent ключ ${index}`) }));
					let count = 0;
					for (const { wants, leaves, ms } of steps) {
						for (const line of wants) run.want(count++, { limits: lines[line]! });
						run.end(run.leave(leaves));
						await pass(ms);
						expect(run.ready.length).toBeLessThanOrEqual(200);
						for (const limits of lines) {
							const ahead = run.ready.filter(({ values }) => values.limits === limits).length;
							expect(ahead).toBeLessThanOrEqual(Math.max(1, pace.leaving(limits, 2000)));
						}
					}
					for (let round = 0; round < 2000 && run.told.length < count; round++) {
						run.end(run.leave(50));
						await pass(100);
					}
					const wereKnown = new Set(known);
					const expected = range(0, count).map((index) => [
						index,
						wereKnown.has(index) ? 'sent before' : 'go',
					]);
					expect([...run.told].sort(([a], [b]) => a - b)).toEqual(expected);
				},
			),
			{ numRuns: 30 },
		);
	});

	test('Items leave in the order of their indexes, even if they come in another order', async () => {
		const run = await opened();
		for (const index of [5, 3, 9, 0, 7, 2]) run.want(index);
		await pass(1000);
		run.want(1);
		for (let round = 0; round < 4; round++) {
			run.end(run.leave(4));
			await pass(1000);
		}
		expect([...run.leftAt.keys()]).toEqual([0, 2, 3, 5, 1, 7, 9]);
	});

	test('Items with slow limits and with a fast one do not delay each other', async () => {
		const run = new Run();
		await pass(1000);
		const from = clock.now();
		run.wantAll(0, 1000, unlimited);
		run.wantAll(1000, 1004, perSecond(0.1));
		run.wantAll(2000, 2040, perSecond(10));
		await pass(60_000);
		const lastOf = (index: number, until: number) =>
			Math.max(...range(index, until).map((each) => run.leftAt.get(each)!)) - from;
		expect(lastOf(0, 1000)).toBeLessThan(10_000);
		expect(lastOf(1000, 1004)).toBeLessThan(32_000);
		expect(lastOf(2000, 2040)).toBeLessThan(5000);
	});

	const known = range(0, 1000).map((index) => `sent ключ ${index}`);

	test.each<[string, number, string[], number, Limits, number, number]>([
		['of a thousand recipients without a limit', 1000, [], 5, unlimited, 10, 70],
		['of a thousand recipients who have the message already', 1000, known, 5, perSecond(2), 10, 70],
		['with a slow store at two per second', 100, [], 1000, perSecond(2), 60, 40],
		['with a fast store at two per second', 100, [], 5, perSecond(2), 52, 200],
	])(
		'The ledger holds up no broadcast %s, and calls the store rarely',
		async (_, count, stored, gapMs, limits, seconds, calls) => {
			const run = new Run(entriesOf({ stored }, gapMs));
			await pass(10_000);
			const from = clock.now();
			run.wantAll(0, count, limits);
			await pass(seconds * 1000);
			expect(run.told).toHaveLength(count);
			expect(Math.max(0, ...run.leftAt.values()) - from).toBeLessThan(seconds * 1000);
			expect(run.entries.calls.length).toBeLessThanOrEqual(calls);
		},
	);

	test('Many runs at once call the store as rarely as one run, and never side by side', async () => {
		const entries = entriesOf();
		const runs = range(0, 30).map(() => new Run(entries));
		await pass(1000);
		for (const [index, run] of runs.entries()) run.want(0, { key: `ключ ${index}` });
		await pass(2000);
		await Promise.all(runs.map(async (run) => await run.close()));
		expect(entries.recipients).toEqual(
			range(0, 30)
				.map((index) => `sent ключ ${index}`)
				.sort(),
		);
		expect(entries.calls.length).toBeLessThanOrEqual(10);
		expect(entries.peak).toBe(1);
	});

	test('While claimed items wait for their slots, the store is not called', async () => {
		const run = await opened();
		run.wantAll(0, 100);
		await pass(2000);
		const calls = run.entries.calls.length;
		await pass(600_000);
		expect(run.entries.calls).toHaveLength(calls);
		run.end(run.leave(4));
		await pass(2000);
		expect(run.told.length).toBeGreaterThan(4);
	});
});

/* Calls of two processes that overlap lose what one of them has written. */
describe('several processes at once', () => {
	const broadcast = fc.record({
		processes: fc.integer({ min: 2, max: 3 }),
		count: fc.integer({ min: 1, max: 40 }),
		areSame: fc.boolean(),
		limits: fc.constantFrom(unlimited, perSecond(20)),
		gapMs: fc.constantFrom([5, 20], [5, 120], [60, 120], [100, 103], [200, 500]),
		startsMs: fc.constantFrom(0, 30, 400),
		diesMs: fc.option(fc.integer({ min: 100, max: 3000 }), { nil: undefined }),
		/** Without a seed, all processes run in step. */
		seed: fc.option(fc.integer({ min: 1 }), { freq: 9, nil: undefined }),
	});

	test('No recipient gets a message twice, each gets it or is in doubt, and only a few tickets remain (generated)', async () => {
		await fc.assert(
			fc.asyncProperty(
				broadcast,
				async ({ processes, count, areSame, limits, gapMs, startsMs, diesMs, seed }) => {
					const random = seed === undefined ? () => 0 : seededRandom(seed);
					const [least, most] = gapMs as [number, number];
					const row: Row = { stored: [] };
					const pause = async () => await clock.sleep(least + random() * (most - least));
					const send = async (keys: string[], startsMs: number, diesMs?: number) => {
						const entries = new FakeEntries([], undefined, pause, row);
						const death =
							diesMs === undefined
								? new Promise<void>(() => {})
								: clock.sleep(diesMs).then(() => entries.die());
						await clock.sleep(startsMs);
						const run = new Run(entries);
						await Promise.race([run.open, death]);
						for (const [index, key] of keys.entries()) run.want(index, { limits, key });
						const isOver = () => run.told.length === keys.length && run.answered === run.toldOf('go').length;
						while (!entries.isDead && !isOver()) await clock.sleep(100);
						await Promise.race([run.ledger.close(undefined), death]);
						const keysOf = (told: Told) => run.toldOf(told).map((index) => keys[index]!);
						return { run, keysOf, sent: [...run.leftAt.keys()].map((index) => keys[index]!) };
					};
					const keysOf = (process: number) =>
						range(0, count).map((index) => `${areSame ? '' : process}/${index}`);
					const runs = await inTime(
						Promise.all(
							range(0, processes).map(
								async (process) =>
									await send(keysOf(process), random() * startsMs, process ? undefined : diesMs),
							),
						),
					);
					const sent = runs.flatMap((each) => each.sent);
					expect(sent).toEqual([...new Set(sent)]);
					const hasDied = diesMs !== undefined;
					if (!hasDied) expect(runs.flatMap(({ run }) => run.toldOf('in doubt'))).toEqual([]);

					const all = [...new Set(range(0, processes).flatMap(keysOf))];
					const last = await inTime(send(all, 0));
					expect(last.keysOf('sent before').filter((key) => !sent.includes(key))).toEqual([]);
					expect(last.sent.filter((key) => sent.includes(key))).toEqual([]);
					// Only a process that has died leaves somebody in doubt.
					if (!hasDied) expect(last.run.toldOf('in doubt')).toEqual([]);
					await clock.run();
					expect(row.stored.filter(isTicket).length).toBeLessThanOrEqual(8 * (processes + 1));
				},
			),
			{ numRuns: 60 },
		);
	});

	test('Of two processes with a slow store only one may send to a recipient, whenever the other one asks', async () => {
		for (const ms of range(0, 12).map((step) => 100 * step)) {
			const row: Row = { stored: [] };
			const [one, other] = [await opened(entriesOf(row, 500)), await opened(entriesOf(row, 500))];
			one.want(0);
			await pass(ms);
			other.want(0);
			await pass(15_000);
			expect([ms, ...one.told, ...other.told]).toEqual([ms, [0, 'go']]);
		}
	});

	test.each([0, 2])(
		'A recipient whose claim another process has overwritten does not leave, even if the confirmation fails %i times after it has written',
		async (times) => {
			const run = await opened();
			run.want(0);
			await pass(50);
			run.entries.stored = ['sent ключ 0', 'doubt ключ 0'];
			run.entries.fail(times, 'add', 'after');
			await pass(5000);
			expect(run.told).toEqual([]);
			expect(run.entries.recipients).toEqual(['doubt ключ 0', 'sent ключ 0']);
		},
	);

	test('A run does not need the entries of an earlier run of its node, which may no longer answer', async () => {
		const first = await opened();
		const second = await opened(entriesOf(first.entries.row, 5, first.entries.owner));
		first.entries.die();
		second.want(0);
		await pass(2000);
		expect(second.told).toEqual([[0, 'go']]);
	});
});

describe('when the store fails', () => {
	test.each([
		['before its recipient is claimed', 0],
		['before its claim is confirmed', 20],
	])(
		'An item does not leave if the store fails %s, its recipient is free, and the next items are asked for',
		async (_, after) => {
			const run = await opened();
			run.wantAll(0, 10);
			await pass(after);
			run.entries.fail(3, 'add');
			await pass(6000);
			const failed = run.toldOf('store failed');
			expect(failed.length).toBeGreaterThan(0);
			expect(run.toldOf('go').length).toBeGreaterThan(0);
			for (const index of failed) run.want(index);
			for (let round = 0; round < 10; round++) {
				run.end(run.leave(10));
				await pass(1000);
			}
			expect(run.toldOf('go').sort()).toEqual(range(0, 10));
		},
	);

	test('A store that fails for a moment is asked again, and the run does not notice', async () => {
		const run = await opened();
		run.entries.fail(2, 'add');
		run.wantAll(0, 3);
		await pass(3000);
		expect(run.toldOf('go')).toEqual([0, 1, 2]);
	});

	test('The ledger says why n8n has no store, and opens a store only if it needs one', async () => {
		const failing = {
			owner: 'ничей',
			add: async () => await Promise.reject(new Error('This workflow is not saved')),
			remove: async () => {},
		};
		const needed = ledgerOf({ usesSendOncePer: true, entries: failing });
		await inTime(needed.open());
		expect([needed.canClaim, needed.storeError]).toEqual([false, new Error('This workflow is not saved')]);
		const spared = ledgerOf({ entries: failing });
		await inTime(spared.open());
		expect([spared.canClaim, spared.storeError]).toEqual([false, undefined]);
		await expect(spared.close(undefined)).resolves.toBe(0);
	});

	test.each(['remove', undefined] as const)(
		'The run learns how many recipients could not be recorded; they are in doubt (%p)',
		async (call) => {
			const run = await opened();
			run.wantAll(0, 4);
			await pass(2000);
			run.end(run.leave(2));
			run.entries.fail(Infinity, call);
			expect(await run.close()).toMatchObject({ lost: 4 });
			expect(run.entries.recipients.filter((entry) => entry.startsWith('doubt '))).toHaveLength(4);
		},
	);
});

describe('the end of a run', () => {
	test('A run that ends releases what has not left, records the rest at once, and leaves no call and no other entry behind', async () => {
		const run = await opened();
		run.wantAll(0, 20, perSecond(4));
		await pass(2000);
		run.end(run.leave(2));
		run.end(run.leave(1), refused);
		run.end(run.leave(1), unknown);
		expect((await run.close()).ms).toBeLessThan(500);
		expect(run.entries.recipients).toEqual(['doubt ключ 3', 'sent ключ 0', 'sent ключ 1']);
		await pass(10_000);
		expect([...run.entries.stored].sort()).toEqual(['doubt ключ 3', 'open', 'sent ключ 0', 'sent ключ 1']);
		const calls = run.entries.calls.length;
		await pass(600_000);
		expect(run.entries.calls).toHaveLength(calls);
	});

	test.each([true, false])(
		'A stopped run ends within a second, even if the store is slow, and is recorded later; stopped before it ends: %p',
		async (isBefore) => {
			const run = await opened();
			run.wantAll(0, 20);
			await pass(2000);
			run.end(run.leave(4));
			run.entries.before = async () => await clock.sleep(30_000);
			const stopLater = async () => {
				await clock.sleep(5000);
				run.stop.abort();
			};
			if (isBefore) run.stop.abort();
			else void stopLater();
			const { ms } = await run.close(run.stop.signal);
			expect(ms).toBeLessThan(isBefore ? 1000 : 6000);
			await pass(600_000);
			expect(run.entries.recipients).toEqual(range(0, 4).map((index) => `sent ключ ${index}`));
		},
	);

	test('A stopped run claims nobody any more', async () => {
		const run = await opened();
		run.wantAll(0, 20);
		await pass(100);
		run.stop.abort();
		await pass(5000);
		expect(run.told).toEqual([]);
		expect((await run.close(run.stop.signal)).ms).toBeLessThan(1000);
		await pass(60_000);
		expect(run.entries.recipients).toEqual([]);
	});
});

const ended = (written: string | undefined, identity: string | undefined): Fingerprints => ({
	written: () => written && digestOf(written, fingerprintLength),
	identity: () => identity && digestOf(identity, fingerprintLength),
});
const same = ended('текст', 'запрос');

/** Whether an item is the same as one with the fingerprints `same`. */
const comparisons: Array<[string, Fingerprints, boolean]> = [
	['both fingerprints are the same', same, true],
	['only its values before evaluation are the same', ended('текст', 'иной запрос'), true],
	['only its request is the same', ended('иной текст', 'запрос'), true],
	['only its request can be determined, and is the same', ended(undefined, 'запрос'), true],
	['only its values before evaluation can be determined, and are the same', ended('текст', undefined), true],
	['both differ', ended('иной текст', 'иной запрос'), false],
	['they are exchanged', ended('запрос', 'текст'), false],
	['neither can be determined', ended(undefined, undefined), false],
];

/** The data of an execution after a run, as n8n saves it and passes it to a retry. */
function savedBy(
	keep: (ledger: Ledger) => void,
	{ operation = message, kept = {} as Kept, count = 10 } = {},
) {
	const ledger = ledgerOf({ operation, kept });
	keep(ledger);
	ledger.save(count);
	return JSON.parse(JSON.stringify(kept)) as Kept;
}

const itemOf = (index: number, fingerprints: Fingerprints): LedgerItem => ({
	index,
	values: { limits: {}, dedupKey: undefined },
	fingerprints,
});

describe('an execution that failed and is retried', () => {
	test.each<[string, Result | Left, typeof message, boolean, boolean]>([
		['An answer', done, message, true, true],
		['An unknown outcome', unknown, message, true, true],
		['A refusal', refused, message, false, false],
		['What was not sent', 'notSent', message, false, false],
		['What was interrupted', 'interrupted', message, false, false],
		['An answer to an idempotent request', done, attach, true, true],
		['An unknown outcome of an idempotent request', unknown, attach, false, false],
		['An answer to a request that reads', done, list, true, false],
	])(
		'%s is remembered for the next try and for a retry as far as it must not be repeated',
		(_, outcome, operation, byTry, byExecution) => {
			const triesKey = {};
			const kept: Kept = {};
			const ledger = ledgerOf({ operation, triesKey, kept });
			ledger.after(itemOf(3, same), outcome);
			const remembered = typeof outcome === 'string' ? undefined : outcome;
			expect(ledgerOf({ operation, triesKey }).earlier(3, same)).toEqual(byTry ? remembered : undefined);
			expect(ledgerOf({ operation, triesKey: {} }).earlier(3, same)).toBeUndefined();
			expect(kept).toEqual({});
			ledger.save(5);
			const retried = ledgerOf({ operation, kept: { ...kept } }).earlier(3, same);
			const isUnknown = outcome === unknown;
			expect(retried).toEqual(byExecution ? (isUnknown ? failureWith('unknown') : outcome) : undefined);
			ledger.forget();
			expect(kept).toEqual({});
		},
	);

	test.each(comparisons)('A retry knows an item if %s: %p', (_, asked, isKnown) => {
		const kept = savedBy((ledger) => ledger.after(itemOf(7, same), done));
		const retry = ledgerOf({ kept });
		expect(retry.earlier(7, asked)).toEqual(isKnown ? done : undefined);
		expect(retry.earlier(6, asked)).toBeUndefined();
	});

	/* Another retry of the same execution, or this one before a crash, has done the item: n8n's store knows it. */
	test.each(comparisons.slice(0, -2))(
		'A retry claims its items under both fingerprints: %s',
		async (_, asked, isKnown) => {
			for (const [outcome, told] of [
				[done, 'done before'],
				[unknown, 'in doubt'],
			] as const) {
				const changes = { kept: { origin: newId() }, usesSendOncePer: false };
				const first = await opened(undefined, changes);
				first.want(7, { key: null, fingerprints: same });
				await pass(2000);
				first.end(first.leave(), outcome);
				await first.close();
				const triesKey = {};
				const second = await opened(entriesOf(first.entries.row), { ...changes, triesKey });
				second.want(7, { key: null, fingerprints: asked });
				second.want(8, { key: null, fingerprints: asked });
				await pass(2000);
				expect([...second.told].sort()).toEqual([
					[7, isKnown ? told : 'go'],
					[8, 'go'],
				]);
				// With Retry On Fail, the next try knows it too.
				if (isKnown) expect(ledgerOf({ triesKey }).earlier(7, asked)).toBeDefined();
			}
		},
	);

	test('A retry claims nothing for an idempotent operation, and the recipient for Send Once Per', async () => {
		const kept = { origin: newId() };
		const idempotent = await opened(undefined, { kept, operation: attach, usesSendOncePer: false });
		idempotent.want(0, { key: null });
		expect([idempotent.told, idempotent.entries.calls]).toEqual([[[0, 'go']], []]);
		const once = await opened(undefined, { kept });
		once.want(0, { key: 'Анна' });
		await pass(2000);
		expect(once.entries.recipients).toEqual(['doubt Анна', 'sent Анна']);
	});

	test('A retry knows how each item ended, in any order, and passes it on to its own retry (generated)', () => {
		const item = fc.record({
			end: fc.constantFrom('done', 'unknown', 'rows', 'none'),
			written: fc.option(fc.string({ minLength: 1 }), { nil: undefined }),
			request: fc.string({ minLength: 1 }),
			isAgain: fc.boolean(),
		});
		fc.assert(
			fc.property(fc.array(item, { minLength: 1, maxLength: 30 }), fc.nat(), (items, turn) => {
				const endOf = (index: number): Result =>
					({ done, unknown, rows: { rows: [{ id: index }] } })[items[index]!.end as 'done'];
				const order = items.map((_, index) => (index + turn) % items.length);
				const count = items.length;
				const first = savedBy(
					(ledger) => {
						for (const index of order) {
							const { end, written, request } = items[index]!;
							if (end !== 'none') ledger.after(itemOf(index, ended(written, request)), endOf(index));
						}
					},
					{ count },
				);
				const { origin } = first;
				const second = savedBy(
					(ledger) => {
						for (const [index, { isAgain }] of items.entries())
							if (isAgain) ledger.after(itemOf(index, ended('новый', 'новый')), done);
					},
					{ kept: first, count },
				);
				expect(second.origin).toBe(origin);
				const third = ledgerOf({ kept: second });
				for (const [index, { end, written, request, isAgain }] of items.entries()) {
					const expected = end === 'unknown' ? failureWith('unknown') : endOf(index);
					const isKnown = !isAgain && end !== 'none';
					expect(third.earlier(index, ended(undefined, request))).toEqual(isKnown ? expected : undefined);
					const byWritten = third.earlier(index, ended(written, undefined));
					expect(byWritten).toEqual(isKnown && written ? expected : undefined);
					if (isAgain) expect(third.earlier(index, ended('новый', undefined))).toEqual(done);
				}
			}),
			{ numRuns: 30 },
		);
	});

	const nested: IDataObject = {};
	nested.itself = nested;

	test.each<[string, typeof message, Result, Result]>([
		['success', message, done, done],
		['that a list was created', listCreate, done, done],
		['that a list was deleted', listDelete, { rows: [{ deleted: true }] }, { rows: [{ deleted: true }] }],
		[
			'more than success',
			message,
			{ rows: [{ success: true, id: 'мск-5' }] },
			{ rows: [{ success: true, id: 'мск-5' }] },
		],
		['no', message, { rows: [{ success: false }] }, { rows: [{ success: false }] }],
		['nothing', message, { rows: [] }, { rows: [] }],
		['what cannot be saved', message, { rows: [nested] }, done],
	])('A retry outputs an answer that says %s', (_, operation, answer, expected) => {
		const kept = savedBy((ledger) => ledger.after(itemOf(0, same), answer), { operation });
		expect(ledgerOf({ operation, kept }).earlier(0, same)).toEqual(expected);
	});

	test('A retry of a node that has succeeded since, as in a loop, knows only what was done after that', () => {
		const kept = savedBy((ledger) => ledger.after(itemOf(0, same), done));
		ledgerOf({ kept }).forget();
		const next = savedBy((ledger) => ledger.after(itemOf(1, same), done), { kept });
		const retry = ledgerOf({ kept: next });
		expect([0, 1].map((index) => retry.earlier(index, same))).toEqual([undefined, done]);
	});
});

test('A digest is the same for the same value, and another for any other value', () => {
	const values = [5, '5', null, '', [], {}, { а: 1 }, { а: '1' }, ['а', 'б'], ['аб'], [['а'], 'б'], true];
	const digests = values.map((value) => digestOf(value));
	expect(values.map((value) => digestOf(structuredClone(value)))).toEqual(digests);
	expect(new Set(digests).size).toBe(values.length);
	expect(digestOf('Анна', 8)).toBe(digestOf('Анна').slice(0, 8));
});
