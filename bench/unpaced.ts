/* Without limits: the cost of a run of many items in time, in memory, and in time that other work in the process does not get. */

import type { ExpressionEngine, Setting, Work } from './job';
import { measureBusy } from './machine';
import type { Expressions } from './messages';
import { startEngine, startEmulator, type Emulator } from './processes';
import { compare, labelOf, lineOf, today, type Bench, type Column, type Measured, type Row } from './row';

export const contenders = {
	http: { node: 'httpRequest' },
	ours: { node: 'ours' },
	continue: { node: 'ours', continues: true },
	once: { node: 'ours', sendOncePer: 'осенняя распродажа' },
	bare: { node: 'bare' },
} satisfies Record<string, Setting>;

export type ContenderName = keyof typeof contenders;

export interface Choice {
	items: number[];
	expressions: Expressions[];
	engines: ExpressionEngine[];
	contenders: ContenderName[];
	repetitions: number;
}

interface UnpacedRow {
	title: string;
	choice: Choice;
	quick: Partial<Choice>;
	/** The contender that the ratios refer to. */
	baseline: ContenderName;
	/** Entries that n8n has stored for the node before each run. */
	remembered?: number;
	columns: Column[];
}

const times: Column[] = ['wallMs', 'wallRatio', 'cpuRatio', 'blockedMs'];
const deliveries = ['once', 'lost', 'doubled'] as const;

export const unpacedRows = {
	large: {
		title: 'messages at once',
		choice: {
			items: [1_000, 10_000],
			expressions: ['2', '5'],
			engines: ['vm', 'legacy'],
			contenders: ['http', 'ours', 'continue', 'bare'],
			repetitions: 3,
		},
		quick: { items: [200], engines: ['vm'], repetitions: 1 },
		baseline: 'http',
		columns: [
			...times,
			'firstSendMs',
			'memoryGrowthMb',
			'memoryRatio',
			'memoryPeakMb',
			'inFlight',
			'openConnections',
			...deliveries,
		],
	},
	once: {
		title: 'messages at once, 50000 entries remembered',
		choice: {
			items: [10_000],
			expressions: ['2'],
			engines: ['vm'],
			contenders: ['ours', 'once'],
			repetitions: 3,
		},
		quick: { items: [1_000], repetitions: 1 },
		baseline: 'ours',
		remembered: 50_000,
		columns: [...times, 'storeCalls', 'firstSendMs', 'memoryGrowthMb', 'inFlight', ...deliveries],
	},
} satisfies Record<string, UnpacedRow>;

/** One table for each way of measuring the selected row, as soon as it is available. */
export async function* runUnpaced(
	name: keyof typeof unpacedRows,
	chosen: Partial<Choice>,
	bench: Bench,
): AsyncGenerator<Row> {
	const row: UnpacedRow = unpacedRows[name];
	const choice: Choice = { ...row.choice, ...(bench.quick && row.quick), ...chosen };
	const emulator = await startEmulator();
	for (const engine of choice.engines) {
		for (const expressions of choice.expressions) {
			for (const items of choice.items) {
				const title = `${items} ${row.title}, ${expressions} expressions, engine ${engine}`;
				bench.log(`${title} ...`);
				const busy = await measureBusy();
				const work = { engine, expressions, requestsPerSecond: 0, remembered: row.remembered };
				const runs = await sideBySide({ ...row, ...choice, work, items, emulator }, bench);
				yield {
					name,
					title,
					messages: items,
					expressions,
					date: today(),
					mark: bench.mark,
					busy,
					lines: [...runs].map(([contender, measured]) =>
						lineOf(contenders[contender], measured, row.columns),
					),
				};
			}
		}
	}
	await emulator.end();
}

interface Comparison extends Pick<Choice, 'contenders' | 'repetitions'> {
	baseline: ContenderName;
	work: Work;
	items: number;
	emulator: Emulator;
}

/** Runs the contenders in turn, each run in a new process, because a process does not return its memory. */
async function sideBySide(
	{ work, items, emulator, baseline, repetitions, ...comparison }: Comparison,
	{ program, log }: Bench,
): Promise<Map<ContenderName, Measured[]>> {
	const runs = new Map(comparison.contenders.map((contender) => [contender, [] as Measured[]]));
	for (let repetition = 1; repetition <= repetitions; repetition++) {
		// Alternating in both directions, so that a temporary slowdown of the machine does not always affect the same contenders.
		const order = repetition % 2 ? comparison.contenders : [...comparison.contenders].reverse();
		for (const contender of order) {
			// Only its order of magnitude matters, and a run takes more than a minute.
			if (contender === 'bare' && repetition > 1) continue;
			const setting = contenders[contender];
			const engine = await startEngine(program, { ...work, ...setting }, emulator, 50);
			const batch = { contactIds: await emulator.open({ contacts: items }), label: `run ${repetition}` };
			const report = await engine.run(batch);
			await engine.end();
			const run: Measured = { ...report, ...(await emulator.read(batch, work.expressions)) };
			runs.get(contender)!.push(run);
			log(`  ${labelOf(setting)}: ${summaryOf(run)}`);
		}
	}
	const base = runs.get(baseline);
	if (base) for (const measured of runs.values()) compare(measured, base);
	return runs;
}

function summaryOf({ wallMs, firstSendMs, blockedMs, blockedAtMs, memoryGrowthMb, once, error }: Measured) {
	const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
	return [
		seconds(wallMs),
		`first request after ${Math.round(firstSendMs)} ms`,
		`longest block ${Math.round(blockedMs)} ms at ${seconds(blockedAtMs)}`,
		`${Math.round(memoryGrowthMb)} MB more`,
		`${once} delivered once`,
		...(error ? [error] : []),
	].join(', ');
}
