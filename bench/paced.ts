/* As fast as the service allows: all contenders against the same limit. */

import { setTimeout } from 'node:timers/promises';

import type { Fault } from '../sandbox/emulator';
import { shareOfLimit } from './figures';
import type { Setting, Work } from './job';
import { measureBusy } from './machine';
import { type Engine, startEngine, startEmulator } from './processes';
import { compare, labelOf, lineOf, today, type Bench, type Column, type Measured, type Row } from './row';

export interface PacedRow {
	title: string;
	/** The limit of the account; by default that of the credential. */
	limit?: { requests: number; windowMs: number; window?: 'fixed' };
	/** Random delays of requests in transit: the same seed gives the same delays. */
	faults?: (seed: number) => Fault[];
	messages: number;
	/** Settings of this package's node; by default its own defaults. */
	ours?: Omit<Setting, 'node'>;
	/** Entries that n8n has stored for the node before each run. */
	remembered?: number;
	others: Setting[];
	/** Shown besides the columns of all rows. */
	columns?: Column[];
}

const http = (size: number, intervalMs: number, retry?: Setting['retry']): Setting => ({
	node: 'httpRequest',
	batching: { size, intervalMs },
	retry,
});
const twice = { tries: 3, waitMs: 1000 };
const usual = [http(2, 1000), http(2, 1020), http(2, 1100), http(2, 1000, twice)];
const delay =
	(when: 'before' | 'after', ms: [number, number]) =>
	(seed: number): Fault[] => [{ kind: 'delay', when, ms, match: { seed } }];

export const pacedRows = {
	limit: {
		title: 'Messages against a limit of 2 per second',
		messages: 60,
		others: [...usual, http(1, 500), http(1, 520)],
	},
	answers: {
		title: 'The same, answers delayed by 0 to 300 ms',
		faults: delay('after', [0, 300]),
		messages: 60,
		others: usual,
	},
	way: {
		title: 'The same, 0 to 60 ms on the way to the service',
		faults: delay('before', [0, 60]),
		messages: 60,
		others: usual,
	},
	late: {
		title: 'The same, requests counted 0 to 150 ms late',
		faults: delay('before', [0, 150]),
		messages: 150,
		others: [...usual, http(2, 1100, twice)],
	},
	stricter: {
		title: 'A service that allows 1 per second, where the credential says 2',
		limit: { requests: 1, windowMs: 1000 },
		messages: 40,
		others: usual,
	},
	oncePaced: {
		title: 'Send Once Per at the default pace, 50000 entries remembered',
		// This takes a minute and a quarter; 10,000 would take nearly an hour and a half.
		messages: 150,
		ours: { sendOncePer: 'осенняя распродажа' },
		remembered: 50_000,
		others: [{ node: 'ours' }],
		columns: ['wallMs', 'wallRatio', 'storeCalls'],
	},
	bursts: {
		title: 'Bursts, at a service that counts by the minute and reports its count',
		limit: { requests: 120, windowMs: 60_000, window: 'fixed' },
		messages: 100,
		ours: { bursts: true },
		others: [{ node: 'ours' }, http(2, 1000)],
		columns: ['wallMs', 'wallRatio'],
	},
} satisfies Record<string, PacedRow>;

const work: Work = { engine: 'vm', expressions: '2', requestsPerSecond: 2 };

const columns: Column[] = [
	'share',
	'refused',
	'once',
	'lost',
	'doubled',
	'openConnections',
	'memoryGrowthMb',
	'blockedMs',
];

export async function runPaced(name: keyof typeof pacedRows, bench: Bench): Promise<Row> {
	const { quick, program, mark, log } = bench;
	const row: PacedRow = pacedRows[name];
	const limit = row.limit ?? { requests: work.requestsPerSecond, windowMs: 1000 };
	const messages = quick ? Math.ceil(row.messages / 5) : row.messages;
	const settings: Setting[] = [
		{ node: 'ours', ...row.ours },
		...(quick ? row.others.slice(0, 2) : row.others),
	];
	const title = `${row.title} (${messages} messages)`;
	log(`${title} ...`);
	const busy = await measureBusy();

	// All contenders run at the same time, each with its own service, so that the load of the machine is the same for all.
	// Every repetition has its own process, because a node may remember how the service treated it.
	const contenders = await Promise.all(
		settings.map(async (setting) => {
			const emulator = await startEmulator();
			const engines: Engine[] = [];
			// A contender that makes three tries takes as long as three repetitions of the others.
			for (let count = quick || setting.retry ? 1 : 3; count > 0; count--) {
				const job = { ...work, ...setting, remembered: row.remembered };
				engines.push(await startEngine(program, job, emulator, 4));
			}
			return { setting, emulator, engines, runs: [] as Measured[] };
		}),
	);
	await Promise.all(
		contenders.map(async ({ setting, emulator, engines, runs }) => {
			for (const [index, engine] of engines.entries()) {
				const contactIds = await emulator.open({
					contacts: messages,
					limits: { account: limit },
					faults: row.faults?.(index + 1),
				});
				// Earlier requests must not count towards any limit.
				await setTimeout(2500);
				const batch = { contactIds, label: `run ${index + 1}` };
				const report = await engine.run(batch);
				await setTimeout(500);
				const ledger = await emulator.read(batch, work.expressions);
				// Requests that all fit into the limit at once have no shortest time.
				const share = messages > limit.requests ? { share: shareOfLimit(ledger, limit) } : {};
				runs.push({ ...report, ...ledger, ...share });
				log(`  ${labelOf(setting)}: ${Math.round(report.wallMs / 1000)} s, ${ledger.refused} refused`);
			}
			await Promise.all([...engines.map(async (engine) => await engine.end()), emulator.end()]);
		}),
	);
	// Compares the node with this row's settings to the node without them.
	if (row.ours) compare(contenders[0]!.runs, contenders[1]!.runs);
	const shown = [...columns, ...(row.columns ?? [])];
	return {
		name,
		title,
		messages,
		date: today(),
		mark,
		busy,
		lines: contenders.map(({ setting, runs }) => lineOf(setting, runs, shown)),
	};
}
