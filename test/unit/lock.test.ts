import fc from 'fast-check';

import { recordTaken } from '../../nodes/ChatbotService/client/failure';
import { seededRandom } from '../../sandbox/emulator/random';
import { FakeEntries, type Row } from './fakeEntries';
import { entriesOf, opened, pass, perSecond, Run, unlimited, type Told } from './ledgerRuns';
import { range } from './runs';
import { clock, inTime } from './virtualTime';
import type * as VirtualTime from './virtualTime';

jest.mock('n8n-workflow', () => jest.requireActual<typeof VirtualTime>('./virtualTime').n8nWorkflow());

/*
 * Several processes use n8n's store, in which calls that overlap lose what one of them has written. A row of the database serves as
 * their lock.
 */

describe('several processes at once', () => {
	const broadcast = fc.record({
		processes: fc.integer({ min: 2, max: 3 }),
		count: fc.integer({ min: 1, max: 40 }),
		areSame: fc.boolean(),
		limits: fc.constantFrom(unlimited, perSecond(20)),
		gapMs: fc.constantFrom([5, 20], [5, 120], [60, 120], [100, 103], [200, 500]),
		/** How long a process stands still in some of its calls. */
		stallMs: fc.constantFrom(0, 0, 600, 3000, 8000),
		startsMs: fc.constantFrom(0, 30, 400),
		diesMs: fc.option(fc.integer({ min: 100, max: 3000 }), { nil: undefined }),
		/** Without a seed, all processes run in step. */
		seed: fc.option(fc.integer({ min: 1 }), { freq: 9, nil: undefined }),
	});

	test('No recipient gets a message twice, and each gets it or is in doubt, whatever stands still or dies (generated)', async () => {
		await fc.assert(
			fc.asyncProperty(
				broadcast,
				async ({ processes, count, areSame, limits, gapMs, stallMs, startsMs, diesMs, seed }) => {
					const random = seed === undefined ? () => 0 : seededRandom(seed);
					const [least, most] = gapMs as [number, number];
					const row: Row = { stored: [] };
					const pause = async () => await clock.sleep(least + random() * (most - least));
					const send = async (keys: string[], startsMs: number, diesMs?: number) => {
						const entries = new FakeEntries([], undefined, pause, row);
						entries.stall = async () => await clock.sleep(random() < 0.03 ? stallMs : 0);
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
					// A process that stands still for long has not told the others how its messages ended.
					if (!hasDied && stallMs < 3000)
						expect(runs.flatMap(({ run }) => run.toldOf('in doubt'))).toEqual([]);

					const all = [...new Set(range(0, processes).flatMap(keysOf))];
					const last = await inTime(send(all, 0));
					expect(last.keysOf('sent before').filter((key) => !sent.includes(key))).toEqual([]);
					expect(last.sent.filter((key) => sent.includes(key))).toEqual([]);
					// Only a process that has died leaves somebody in doubt.
					if (!hasDied) expect(last.run.toldOf('in doubt')).toEqual([]);
				},
			),
			{ numRuns: 100 },
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
			for (const run of [one, other]) await run.leave();
			expect([ms, ...one.told, ...other.told]).toEqual([ms, [0, 'go']]);
		}
	});
});

describe('the row of the lock', () => {
	const lockOf = (...entries: string[]) => ({ mode: 'lock' as const, entries });
	const others = () => ({ mode: 'of another node' as const, entries: ['ключ 1', 'ключ 2'] });

	test('A process alone never uses it', async () => {
		const entries = entriesOf({ stored: [], workflow: others() });
		const run = await opened(entries, { isShared: false });
		run.wantAll(0, 4);
		await pass(1000);
		run.end(await run.leave(4));
		await run.close();
		expect([run.toldOf('go'), entries.lockCalls, entries.row.workflow]).toEqual([range(0, 4), 0, others()]);
	});

	test('A single message takes two calls and their locks, and leaves no lock behind', async () => {
		const run = await opened();
		run.want(0);
		await pass(1000);
		run.end(await run.leave());
		await run.close();
		expect([run.entries.calls.length, run.entries.lockCalls]).toEqual([2, 4]);
		expect(run.entries.row.workflow).toBeUndefined();
	});

	test('When it belongs to Remove Duplicates, items end at once with what to do, and that row stays as it is', async () => {
		const row: Row = { stored: [], workflow: others() };
		const run = await opened(entriesOf(row));
		run.wantAll(0, 3);
		await pass(2000);
		expect(run.toldOf('store failed')).toEqual([0, 1, 2]);
		expect(run.withheld).toEqual({ when: 'now', result: { failure: recordTaken() } });
		expect(row).toEqual({ stored: [], workflow: others() });
	});

	test('When Remove Duplicates creates it while a process waits for it, the process leaves it as it is', async () => {
		const row: Row = { stored: [], workflow: lockOf('lock 0') };
		const run = await opened(entriesOf(row));
		run.want(0);
		await pass(3000);
		row.workflow = others();
		await pass(60_000);
		expect(run.told).toEqual([[0, 'store failed']]);
		expect(row).toEqual({ stored: [], workflow: others() });
	});

	test('When its owner has died, five processes wait for less than a minute, and nobody gets a message twice', async () => {
		for (const stallMs of [0, 3000]) {
			const random = seededRandom(stallMs + 1);
			const row: Row = { stored: [], workflow: lockOf('lock 0', 'lock 1') };
			const runs = range(0, 5).map(() => {
				const entries = new FakeEntries(
					[],
					undefined,
					async () => await clock.sleep(5 + 100 * random()),
					row,
				);
				entries.stall = async () => await clock.sleep(random() < 0.02 ? stallMs : 0);
				return new Run(entries);
			});
			await inTime(Promise.all(runs.map(async ({ open }) => await open)));
			for (const run of runs) run.wantAll(0, 20, unlimited);
			await pass(100_000);
			const left = runs.flatMap(({ leftAt }) => [...leftAt.keys()]);
			expect(left.sort((a, b) => a - b)).toEqual(range(0, 20));
			expect(runs.flatMap((run) => run.toldOf('store failed'))).toEqual([]);
		}
	});

	test('When its owner has died and two processes replace it at once, only one of them claims a recipient', async () => {
		jest.spyOn(Math, 'random').mockReturnValue(0.5);
		const row: Row = { stored: [], workflow: lockOf('lock 0') };
		const [one, other] = [await opened(entriesOf(row)), await opened(entriesOf(row))];
		// One stands still before it deletes the row, the other while it claims.
		const { lockRow } = other.entries;
		const deletes = lockRow.delete;
		lockRow.delete = async () => {
			await clock.sleep(5000);
			await deletes();
		};
		one.entries.before = async () => await clock.sleep(10_000);
		for (const run of [one, other]) run.want(0);
		await pass(100_000);
		for (const run of [one, other]) await run.leave();
		expect([...one.toldOf('go'), ...other.toldOf('go')]).toEqual([0]);
	});

	test('When others take it again and again, items end within three minutes', async () => {
		const row: Row = { stored: [] };
		const run = await opened(entriesOf(row));
		const keepBusy = async () => {
			for (const each of range(0, 18_000)) {
				row.workflow = lockOf(...range(0, 1 + (each % 5)).map(String));
				await clock.sleep(10);
			}
		};
		void keepBusy();
		run.want(0);
		await pass(179_000);
		expect(run.told).toEqual([[0, 'store failed']]);
	});

	test('A call that takes so long that others may have replaced the lock counts as failed, and the next one works', async () => {
		const run = await opened();
		let isFirst = true;
		run.entries.before = async () => {
			if (isFirst) await clock.sleep(30_000);
			isFirst = false;
		};
		run.want(0);
		await pass(40_000);
		expect(run.told).toEqual([[0, 'store failed']]);
		run.want(1);
		await pass(60_000);
		await run.leave();
		expect(run.told.slice(1)).toEqual([[1, 'go']]);
	});

	test('When the database writes nothing, items end within seconds', async () => {
		const entries = entriesOf();
		const run = await opened(entries);
		jest.spyOn(entries.lockRow, 'create').mockRejectedValue(new Error('read-only'));
		run.wantAll(0, 3);
		await pass(10_000);
		expect(run.toldOf('store failed')).toEqual([0, 1, 2]);
	});
});
