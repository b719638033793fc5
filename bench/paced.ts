/* As fast as the service allows: all contenders against the same limit. */

import { setTimeout } from 'node:timers/promises';

import type { Fault } from '../sandbox/emulator';
import { shareOfLimit, spreadOf } from './figures';
import type { Setting, Work } from './job';
import { measureBusy } from './machine';
import { type Engine, startEngine, startEmulator } from './processes';
import { compare, labelOf, lineOf, today, type Bench, type Column, type Measured, type Row } from './row';

export interface PacedRow {
	title: string;
	/** Requests per second that the service allows; the default of the credential. */
	allowed?: number;
	/** Random delays of requests in transit, which are repeatable with the same seed. */
	faults?: (seed: number) => Fault[];
	messages: number;
	/** The targets: minimum share of the limit, maximum share of refusals, and maximum wall time relative to the first other contender. */
	aim: { text: string; share: number; refused: number; wallRatio?: number };
	/** Settings of this package's node; by default its own defaults. */
	ours?: Omit<Setting, 'node'>;
	/** Entries that n8n has stored for the node before each run. */
	remembered?: number;
	others: Setting[];
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
		aim: { text: 'at least 99 % of the limit, none refused', share: 0.99, refused: 0 },
		others: [...usual, http(1, 500), http(1, 520)],
	},
	answers: {
		title: 'The same, answers delayed by 0 to 300 ms',
		faults: delay('after', [0, 300]),
		messages: 60,
		aim: { text: 'at least 96 % of the limit, none refused', share: 0.96, refused: 0 },
		others: usual,
	},
	way: {
		title: 'The same, 0 to 60 ms on the way to the service',
		faults: delay('before', [0, 60]),
		messages: 60,
		aim: { text: 'at least 95 % of the limit, under 1 % refused', share: 0.95, refused: 0.01 },
		others: usual,
	},
	late: {
		title: 'The same, requests counted 0 to 150 ms late',
		faults: delay('before', [0, 150]),
		messages: 150,
		aim: { text: 'at least 90 % of the limit, at most 3 of 150 refused', share: 0.9, refused: 3 / 150 },
		others: usual,
	},
	stricter: {
		title: 'A service that allows 1 per second, where the credential says 2',
		allowed: 1,
		messages: 40,
		aim: { text: 'at least 90 % of what the service allows, all delivered once', share: 0.9, refused: 1 },
		others: usual,
	},
	oncePaced: {
		title: 'Send Once Per at the default pace, 50000 entries remembered',
		// This takes a minute and a quarter; 10,000 would take nearly an hour and a half.
		messages: 150,
		aim: {
			text: 'wall time at most 1.1 of that without Send Once Per, none refused',
			share: 0,
			refused: 0,
			wallRatio: 1.1,
		},
		ours: { sendOncePer: 'осенняя распродажа' },
		remembered: 50_000,
		others: [{ node: 'ours' }],
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
	const limit = { requests: row.allowed ?? work.requestsPerSecond, windowMs: 1000 };
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
			// A contender that does the same three times takes as long as all repetitions of the others.
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
				runs.push({ ...report, ...ledger, share: shareOfLimit(ledger, limit) });
				log(`  ${labelOf(setting)}: ${Math.round(report.wallMs / 1000)} s, ${ledger.refused} refused`);
			}
			await Promise.all([...engines.map(async (engine) => await engine.end()), emulator.end()]);
		}),
	);
	const ours = contenders[0]!.runs;
	if (row.aim.wallRatio) compare(ours, contenders[1]!.runs);
	const sum = (figure: 'refused' | 'requests') => ours.reduce((total, run) => total + run[figure], 0);
	const reached =
		spreadOf(ours.map(({ share }) => share!)).median >= row.aim.share &&
		sum('refused') <= row.aim.refused * sum('requests') &&
		ours.every(({ wallRatio }) => (wallRatio ?? 0) <= (row.aim.wallRatio ?? Infinity)) &&
		ours.every(({ once, doubled }) => once === messages && doubled === 0);
	return {
		name,
		title,
		aims: [{ text: row.aim.text, reached }],
		columns: row.aim.wallRatio ? [...columns, 'wallMs', 'wallRatio', 'storeCalls'] : columns,
		date: today(),
		mark,
		busy,
		lines: contenders.map(({ setting, runs }) => lineOf(setting, runs)),
	};
}
