import fc from 'fast-check';

import type { Limits } from '../../nodes/ChatbotService/client/pace/limits';
import type { Left, Result } from '../../nodes/ChatbotService/client/result';
import type { Withheld } from '../../nodes/ChatbotService/run/ledger/ledger';
import { brokenHere, underMaintenance } from '../../nodes/ChatbotService/client/failure';
import { FakeEntries } from './fakeEntries';
import {
	alike,
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
 * Which items of a run leave, and when: its lanes claim their recipients in n8n's store. Whole runs whose process dies, or whose store
 * fails, are in sendOncePer.test.ts. Entries such as "sent …" and "doubt …" stay in n8n's database, so later versions must know them.
 */

/** How the message to a recipient ended in one run, and how an item of another run ends. */
const ends: Array<[string, Result | Left, Told]> = [
	['was sent', done, 'sent before'],
	['was refused', refused, 'go'],
	['got no answer', unknown, 'in doubt'],
	['was interrupted', 'interrupted', 'in doubt'],
	['could not leave', 'notSent', 'go'],
];

describe('a recipient of an earlier run', () => {
	const results: Partial<Record<Told, Withheld>> = {
		'sent before': { when: 'skipped', result: { rows: [{ success: true, alreadySent: true }] } },
		'in doubt': { when: 'earlier', result: failureWith('unknown') },
	};

	test.each(ends)('A recipient whose message %s', async (_, outcome, told) => {
		const first = await opened();
		first.want(0);
		await pass(2000);
		first.end(await first.leave(), outcome);
		const { lost, ms } = await first.close();
		expect(lost).toBe(0);
		expect(ms).toBeLessThan(500);
		await pass(10_000);
		const second = await opened(entriesOf(first.entries.row));
		second.want(0);
		await pass(2000);
		await second.leave();
		expect(second.told).toEqual([[0, told]]);
		expect(second.withheld).toEqual(results[told]);
	});

	test('The entries of version 0.3.0 say the same as then, and its other entries say nothing', async () => {
		const claimed = ['sent ключ 3', 'doubt ключ 3'];
		const stored = ['open', 'sent ключ 1', 'ticket 7c9e6679', 'doubt ключ 2', ...claimed];
		const run = await opened(entriesOf({ stored }), { isShared: false });
		run.wantAll(0, 4);
		await pass(20_000);
		await run.leave();
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
		run.end(await run.leave());
		expect(run.told).toEqual([[0, 'go']]);
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
		const left = await first.leave();
		const second = await other(first);
		second.told.length = 0;
		second.want(1, { key: 'Анна' });
		second.wantAll(2, 4);
		await pass(6000);
		second.end(await second.leave(3));
		expect(second.told).toEqual([
			[2, 'go'],
			[3, 'go'],
		]);
		first.end(left, outcome);
		await pass(7000);
		await second.leave();
		expect(second.told.slice(2)).toEqual([[1, told]]);
	});

	test('Of many items with one recipient only one leaves, and the others end shortly after it', async () => {
		const run = await opened();
		for (const index of range(0, 5)) run.want(index, { key: 'Анна' });
		await pass(2000);
		const left = await run.leave(5);
		expect(run.told).toEqual([[0, 'go']]);
		run.end(left);
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
			const claimed = dead.claimedAhead.length;
			expect([claimed > 0, claimed <= 50]).toEqual([true, true]);
			dead.entries.die();
			const run = await opened(entriesOf(dead.entries.row));
			run.wantAll(0, 200, limits);
			await run.leaveAll(windowMs / 1000 + 9);
			expect(run.toldOf('in doubt')).toEqual([]);
			// The others do not wait for these, and all are known in the end.
			expect(run.leftAt.size).toBeGreaterThan(0);
			await run.leaveAll(6);
			expect(run.toldOf('in doubt')).toHaveLength(claimed);
			await run.leaveAll(94);
			expect([run.toldOf('in doubt').length, run.told.length]).toEqual([claimed, 200]);
		},
	);
});

describe('claims', () => {
	test('Each item ends once, and never are more claimed than leave within two seconds, or 50 (generated)', async () => {
		const step = fc.record({
			wants: fc.array(fc.constantFrom(0, 1, 2, 3), { maxLength: 60 }),
			leaves: fc.oneof(fc.nat({ max: 20 }), fc.constant(Infinity)),
			// After the longer time, everything is recorded.
			ms: fc.oneof(fc.nat({ max: 600 }), fc.constant(3000)),
		});
		const lines = [perSecond(0.1), perSecond(8), perSecond(30), unlimited];
		const most = lines.map((limits) => Math.min(50, Math.max(1, pace.leaving(limits, 2000))));
		await fc.assert(
			fc.asyncProperty(
				fc.array(step, { minLength: 1, maxLength: 12 }),
				fc.subarray(range(0, 200)),
				async (steps, known) => {
					const run = await opened(entriesOf({ stored: known.map((index) => `sent ключ ${index}`) }));
					const lineOf: number[] = [];
					for (const { wants, leaves, ms } of steps) {
						for (const line of wants) run.want(lineOf.push(line) - 1, { limits: lines[line]! });
						const left = await run.leave(leaves);
						run.end(left);
						await pass(ms);
						for (const line of lines.keys()) {
							const ofLine = (index: number) => lineOf[index] === line;
							expect(left.filter(({ index }) => ofLine(index)).length).toBeLessThanOrEqual(most[line]!);
							const claimed = run.claimedAhead.filter(ofLine).length;
							if (ms === 3000) expect(claimed).toBeLessThanOrEqual(most[line]!);
							else expect(claimed).toBeLessThanOrEqual(50 + most[line]!);
						}
					}
					for (let second = 0; second < 300 && run.told.length < lineOf.length; second++)
						await run.leaveAll(1);
					const wereKnown = new Set(known);
					const expected = lineOf.map((_, index) => [index, wereKnown.has(index) ? 'sent before' : 'go']);
					expect([...run.told].sort(([a], [b]) => a - b)).toEqual(expected);
					await run.close();
					expect(run.claimedAhead).toEqual([]);
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
			run.end(await run.leave(4));
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
		run.end(await run.leave(4));
		await pass(2000);
		await run.leave(4);
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
		await second.leave();
		expect(second.told).toEqual([[0, 'go']]);
	});

	test('Items do not leave if the store fails, their recipients are free, and the next items leave', async () => {
		const run = await opened();
		run.entries.fail(3, 'add');
		run.wantAll(0, 10);
		await pass(6000);
		const failed = run.toldOf('store failed');
		expect(failed.length).toBeGreaterThan(0);
		const left = await run.leave(10);
		expect(left.length).toBeGreaterThan(0);
		run.end(left);
		for (const index of failed) run.want(index);
		await run.leaveAll(10);
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
		run.end(await run.leave());
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
		await run.leave(3);
		expect(run.told).toEqual(range(0, 3).map((index) => [index, 'go']));
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
			run.end(await run.leave(2));
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
		run.end(await run.leave(2));
		run.end(await run.leave(1), refused);
		run.end(await run.leave(1), unknown);
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
			run.end(await run.leave(4));
			run.entries.before = async () => await clock.sleep(30_000);
			const user = new AbortController();
			if (isBefore) user.abort();
			else void clock.sleep(5000).then(() => user.abort());
			const { ms } = await run.close(user.signal);
			expect(ms).toBeLessThan(isBefore ? 1000 : 6000);
			await pass(600_000);
			expect(run.entries.recipients).toEqual(range(0, 4).map((index) => `sent ключ ${index}`));
		},
	);

	test.each([0, 5000])('A stopped run claims nobody any more; it ends %i ms after the stop', async (ms) => {
		const run = await opened();
		run.wantAll(0, 20);
		// The store is being called.
		await pass(8);
		run.stop.abort();
		await pass(ms);
		await run.leave(20);
		expect((await run.close(run.stop.signal)).ms).toBeLessThan(1000);
		expect(run.entries.recipients).toEqual([]);
		await pass(60_000);
		expect(run.told).toEqual([]);
		expect(run.entries.calls.filter(({ name }) => name === 'add')).toHaveLength(1);
		expect(run.entries.recipients).toEqual([]);
	});

	test('What gets its slot at the moment of a stop does not leave, and gives the slot back', async () => {
		const run = await opened();
		run.wantAll(0, 4);
		await pass(2000);
		run.give();
		run.stop.abort();
		await pass(1000);
		expect([run.told, run.released]).toEqual([[], 1]);
		await run.close();
		expect(run.entries.recipients).toEqual([]);
	});
});

describe('trouble of the account', () => {
	const maintenance = underMaintenance(503);
	const claims = ({ entries }: Run) => entries.calls.filter(({ name }) => name === 'add').length;
	const notAttempted = (from: number, to: number) =>
		range(from, to).map((index) => [index, 'not attempted'] as const);

	test.each<[string, (run: Run) => void]>([
		['that a slot waits for', (run) => run.refuse(maintenance)],
		['that a request has met', (run) => run.endAll(maintenance)],
	])('After trouble %s, nothing more leaves or is claimed, and what was claimed is free', async (_, meet) => {
		const run = await opened();
		run.wantAll(0, 20);
		await pass(2000);
		run.end(await run.leave(2));
		await pass(2000);
		const before = claims(run);
		meet(run);
		await pass(0);
		expect(run.told.slice(2)).toEqual(notAttempted(2, 20));
		run.wantAll(20, 22);
		run.want(22, { key: null });
		await run.leave(20);
		expect(run.told.slice(20)).toEqual(notAttempted(20, 23));
		await pass(5000);
		expect([claims(run), run.entries.recipients]).toEqual([before, ['sent ключ 0', 'sent ключ 1']]);
	});

	test('Items whose recipients somebody else has end when these are free, or after some seconds', async () => {
		const beside = await opened();
		const elsewhere = await opened(entriesOf(beside.entries.row));
		beside.want(0);
		elsewhere.want(1);
		await pass(2000);
		const left = await beside.leave();
		const run = await opened(beside.entries);
		run.wantAll(0, 2);
		await pass(1000);
		const before = claims(run);
		run.endAll(maintenance);
		await pass(3000);
		beside.end(left, refused);
		await pass(5000);
		expect([run.told, claims(run)]).toEqual([[...notAttempted(1, 2), ...notAttempted(0, 1)], before]);
	});

	test('Recipients that are being claimed at that moment are free again', async () => {
		const run = await opened();
		run.wantAll(0, 20);
		await pass(8);
		run.endAll(maintenance);
		await pass(5000);
		expect([...run.told].sort(([a], [b]) => a - b)).toEqual(notAttempted(0, 20));
		expect(run.entries.recipients).toEqual([]);
	});

	test('What gets its slot at that moment does not leave, and gives the slot back', async () => {
		const run = await opened();
		run.wantAll(0, 2);
		await pass(2000);
		run.give();
		run.endAll(maintenance);
		await pass(5000);
		expect([run.told, run.released]).toEqual([notAttempted(0, 2), 1]);
	});

	test('Items with other limits continue if only one slot waits too long', async () => {
		const run = await opened();
		run.wantAll(0, 2, telegram);
		await pass(1000);
		run.wantAll(2, 4, unlimited);
		await pass(1000);
		run.refuse(maintenance);
		await run.leave(4);
		expect(run.told).toEqual([...notAttempted(0, 2), [2, 'go'], [3, 'go']]);
	});
});

describe('an exception in this node ends its item, and the others leave', () => {
	const thrower = () => {
		throw new Error('Ошибка в коде');
	};
	const retry = { kept: { origin: 'исходная' }, usesSendOncePer: false };
	const itemOfRetry = (identity: () => string) => ({ key: null, fingerprints: { ...alike, identity } });

	test('while a recipient is identified', async () => {
		const run = await opened(entriesOf(), retry);
		for (const index of range(0, 4)) run.want(index, itemOfRetry(index === 1 ? thrower : () => 'кто-то'));
		await pass(2000);
		run.end(await run.leave(4));
		expect(run.told).toEqual([
			[1, 'broken'],
			[0, 'go'],
			[2, 'go'],
			[3, 'go'],
		]);
	});

	test("while an answer of n8n's store is read: the outcome is unknown, and the recipient is free for other items", async () => {
		const first = await opened(entriesOf(), retry);
		first.want(
			0,
			itemOfRetry(() => 'кто-то'),
		);
		await pass(2000);
		first.end(await first.leave());
		await first.close();
		const run = await opened(first.entries, retry);
		const identity = jest.fn(thrower as () => string).mockReturnValueOnce('кто-то');
		run.want(0, itemOfRetry(identity));
		run.want(
			1,
			itemOfRetry(() => 'кто-то'),
		);
		await pass(2000);
		run.end(await run.leave());
		expect(run.told).toEqual([
			[0, 'broken'],
			[1, 'go'],
		]);
		expect(run.withheld!.result).toEqual({ failure: brokenHere(new Error('Ошибка в коде'), 'unknown') });
		const other = await opened(first.entries, retry);
		other.want(
			0,
			itemOfRetry(() => 'кто-то'),
		);
		await pass(2000);
		expect(other.told).toEqual([[0, 'done before']]);
	});

	test('while its lane waits for a slot: nothing leaves, and the recipients are free', async () => {
		const run = await opened();
		jest.spyOn(run.client, 'slot').mockImplementationOnce(thrower);
		run.wantAll(0, 3);
		await pass(2000);
		expect(run.toldOf('not attempted')).toEqual([0, 1, 2]);
		const other = await opened(run.entries);
		other.want(0, { key: 'ключ 0' });
		await pass(2000);
		await other.leave();
		expect(other.told).toEqual([[0, 'go']]);
	});

	test.each([
		['because its recipient has the message', 'skipped', 0],
		['because of trouble of the account', 'notAttempted', 2],
	])('while it ends %s', async (_, when, broken) => {
		const run = await opened(entriesOf({ stored: ['sent ключ 0', 'sent ключ 1'] }));
		const withhold = run.withhold.bind(run);
		let hasThrown = false;
		jest.spyOn(run, 'withhold').mockImplementation((item, withheld) => {
			if (withheld.when !== when || hasThrown) return withhold(item, withheld);
			hasThrown = true;
			return thrower();
		});
		run.wantAll(0, 4);
		await pass(2000);
		run.endAll(underMaintenance(503));
		await pass(2000);
		expect(run.toldOf('broken')).toEqual([broken]);
		expect(run.told.map(([index]) => index).sort()).toEqual(range(0, 4));
	});

	test('while the pace is calculated: no item is left behind', async () => {
		const run = await opened();
		jest.spyOn(run.client, 'leaving').mockImplementationOnce(thrower);
		run.wantAll(0, 4);
		await pass(2000);
		expect(run.toldOf('not attempted')).toEqual(range(0, 4));
	});
});
