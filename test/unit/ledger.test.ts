import fc from 'fast-check';

import type { Limits } from '../../nodes/ChatbotService/client/pace/limits';
import type { Left, Result } from '../../nodes/ChatbotService/client/result';
import type { Verdict } from '../../nodes/ChatbotService/run/ledger/ledger';
import { FakeEntries } from './fakeEntries';
import {
	done,
	entriesOf,
	failureWith,
	ledgerOf,
	opened,
	pace,
	pass,
	perSecond,
	refused,
	Run,
	telegram,
	unknown,
	unlimited,
	type Told,
} from './ledgerRuns';
import { range } from './runs';
import { clock, inTime } from './virtualTime';
import type * as VirtualTime from './virtualTime';

jest.mock('n8n-workflow', () => jest.requireActual<typeof VirtualTime>('./virtualTime').n8nWorkflow());

/*
 * What a run asks the ledger: which items may leave, and when it knows that. Whole runs whose process dies, or whose store fails, are
 * in sendOncePer.test.ts. Entries such as "sent …" and "doubt …" stay in n8n's database, so later versions must know them.
 */

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
		const { lost, ms } = await first.close();
		expect(lost).toBe(0);
		expect(ms).toBeLessThan(500);
		await pass(10_000);
		const second = await opened(entriesOf(first.entries.row));
		second.want(0);
		await pass(2000);
		expect(second.verdict).toEqual(results[told]);
	});

	test('The entries of version 0.3.0 say the same as then, and its other entries say nothing', async () => {
		const claimed = ['sent ключ 3', 'doubt ключ 3'];
		const stored = ['open', 'sent ключ 1', 'ticket 7c9e6679', 'doubt ключ 2', ...claimed];
		const run = await opened(entriesOf({ stored }), { isShared: false });
		run.wantAll(0, 4);
		await pass(20_000);
		expect([...run.told].sort()).toEqual([
			[0, 'go'],
			[1, 'sent before'],
			[2, 'in doubt'],
			[3, 'in doubt'],
		]);
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

	test('Of many items with one recipient only one leaves, and the others end shortly after it', async () => {
		const run = await opened();
		for (const index of range(0, 5)) run.want(index, { key: 'Анна' });
		await pass(2000);
		expect(run.told).toEqual([[0, 'go']]);
		run.end(run.leave());
		await pass(1000);
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
	test('Each item is told once, and never wait more claims than leave within two seconds, or 50 (generated)', async () => {
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
						for (const limits of lines) {
							const ahead = run.ready.filter(({ values }) => values.limits === limits).length;
							expect(ahead).toBeLessThanOrEqual(Math.min(50, Math.max(1, pace.leaving(limits, 2000))));
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
		['with a slow store at two per second', 100, [], 150, perSecond(2), 52, 100],
		['with a fast store at two per second', 100, [], 5, perSecond(2), 52, 100],
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

describe('when the store fails', () => {
	test('A run does not need the entries of an earlier run of its node, which may no longer answer', async () => {
		const first = await opened();
		const second = await opened(entriesOf(first.entries.row, 5, first.entries.owner));
		first.entries.die();
		second.want(0);
		await pass(2000);
		expect(second.told).toEqual([[0, 'go']]);
	});

	test('Items do not leave if the store fails, their recipients are free, and the next items are asked for', async () => {
		const run = await opened();
		run.entries.fail(3, 'add');
		run.wantAll(0, 10);
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
	});

	test('Items do not leave if the store fails after it has written, and are in doubt for the next run', async () => {
		const run = await opened();
		run.entries.fail(3, 'add', 'after');
		run.want(0);
		await pass(6000);
		expect(run.told).toEqual([[0, 'store failed']]);
		const next = await opened(entriesOf(run.entries.row));
		next.want(0);
		await pass(20_000);
		expect(next.told).toEqual([[0, 'in doubt']]);
	});

	test('How a message ended is recorded although the store fails for some seconds', async () => {
		const run = await opened();
		run.want(0);
		await pass(2000);
		run.end(run.leave());
		run.entries.fail(9, 'remove');
		expect(await run.close()).toMatchObject({ lost: 0 });
		expect(run.entries.recipients).toEqual(['sent ключ 0']);
	});

	test('A run continues while nothing can be removed from the store, and ends', async () => {
		const run = new Run();
		await pass(1000);
		run.entries.fail(Infinity, 'remove');
		run.wantAll(0, 60);
		await pass(60_000);
		expect(run.toldOf('go')).toEqual(range(0, 60));
		expect(await run.close()).toMatchObject({ lost: 60 });
	});

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
			check: async () => await Promise.reject(new Error('There is no store')),
		} as unknown as FakeEntries;
		const needed = ledgerOf({ usesSendOncePer: true, entries: failing });
		await inTime(needed.open());
		expect([needed.canClaim, needed.storeError]).toEqual([false, new Error('There is no store')]);
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
		expect([...run.entries.stored].sort()).toEqual(['doubt ключ 3', 'sent ключ 0', 'sent ключ 1']);
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
		// The store is being called.
		await pass(8);
		run.stop.abort();
		await pass(5000);
		expect(run.told).toEqual([]);
		expect((await run.close(run.stop.signal)).ms).toBeLessThan(1000);
		await pass(60_000);
		expect(run.entries.recipients).toEqual([]);
	});
});
