/* As fast as the service allows: all contenders against the same limit. */

import { setTimeout } from 'node:timers/promises';

import type { Fault } from '../sandbox/emulator';
import { conditionsNow } from './conditions';
import { shareOfLimit } from './figures';
import type { Setting, Work } from './job';
import { type Engine, startEngine, startEmulator } from './processes';
import { labelOf, lineOf, type Bench, type Column, type Measured, type Row } from './row';

interface PacedRow {
	title: string;
	messages: number;
	/** The limit of the account; by default that of the credential. */
	limit?: { requests: number; windowMs: number; window?: 'fixed' };
	/** Random delays of requests in transit: the same seed gives the same delays. */
	faults?: (seed: number) => Fault[];
	/** Entries that n8n has stored for the node before each run. */
	remembered?: number;
	contenders: Setting[];
}

const ours: Setting = { node: 'ours' };
const http = (size: number, intervalMs: number, retry?: Setting['retry']): Setting => ({
	node: 'httpRequest',
	batching: { size, intervalMs },
	retry,
});
const twice = { tries: 3, waitMs: 1000 };
const many = [ours, http(2, 1000), http(2, 1020), http(2, 1100), http(2, 1000, twice)];
const few = [ours, http(2, 1000), http(2, 1100)];
const delay =
	(when: 'before' | 'after', ms: [number, number]) =>
	(seed: number): Fault[] => [{ kind: 'delay', when, ms, match: { seed } }];

export const pacedRows = {
	limit: {
		title: '60 messages',
		messages: 60,
		contenders: [...many, http(1, 500), http(1, 520)],
	},
	late: {
		title: '150 messages, counted 0 to 150 ms late',
		faults: delay('before', [0, 150]),
		messages: 150,
		contenders: [...many, http(2, 1100, twice)],
	},
	answers: {
		title: '60 messages, answers take 0 to 300 ms',
		faults: delay('after', [0, 300]),
		messages: 60,
		contenders: few,
	},
	way: {
		title: '60 messages, 0 to 60 ms on the way to the service',
		faults: delay('before', [0, 60]),
		messages: 60,
		contenders: few,
	},
	stricter: {
		title: '40 messages, the service allows only 1 per second',
		limit: { requests: 1, windowMs: 1000 },
		messages: 40,
		contenders: few,
	},
	oncePaced: {
		title: '150 messages, 50000 entries stored',
		// This takes a minute and a quarter; 10,000 would take nearly an hour and a half.
		messages: 150,
		remembered: 50_000,
		contenders: [{ ...ours, sendOncePer: 'осенняя распродажа' }, ours],
	},
	bursts: {
		title: '100 messages, the service allows 120 per minute and reports its count',
		limit: { requests: 120, windowMs: 60_000, window: 'fixed' },
		messages: 100,
		contenders: [{ ...ours, bursts: true }, ours, http(2, 1000)],
	},
} satisfies Record<string, PacedRow>;

const work: Work = { engine: 'vm', expressions: '2', requestsPerSecond: 2 };

const columns: Column[] = ['share', 'refused', 'once', 'lost', 'doubled', 'wallMs', 'storeCalls'];

/**
 * All contenders run at the same time, each with its own service, so that the load of the machine is the same for all. Every repetition
 * has its own process, because a node may remember how the service treated it.
 */
export async function runPaced(row: PacedRow, { quick, program, log }: Bench): Promise<Row> {
	const { title, remembered, limit = { requests: work.requestsPerSecond, windowMs: 1000 } } = row;
	const messages = quick ? Math.ceil(row.messages / 5) : row.messages;
	const conditions = await conditionsNow();
	const started = await Promise.all(
		row.contenders.slice(0, quick ? 2 : undefined).map(async (setting) => {
			const emulator = await startEmulator();
			const engines: Engine[] = [];
			// A contender that makes three tries takes as long as three repetitions of the others.
			for (let count = quick || setting.retry ? 1 : 3; count > 0; count--)
				engines.push(await startEngine(program, { ...work, ...setting, remembered }, emulator, 4));
			return { setting, emulator, engines };
		}),
	);
	const lines = started.map(async ({ setting, emulator, engines }) => {
		const runs: Measured[] = [];
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
		return lineOf(setting, runs, columns);
	});
	return { ...conditions, title, lines: await Promise.all(lines) };
}
