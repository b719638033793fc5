/* Without limits: the cost of a run of many items in time, in memory, and in time that other work in the process does not get. */

import { conditionsNow } from './conditions';
import type { ExpressionEngine, Setting, Work } from './job';
import type { Expressions } from './messages';
import { startEngine, startEmulator } from './processes';
import { labelOf, lineOf, type Bench, type Column, type Measured, type Row } from './row';

interface UnpacedRow extends Pick<Work, 'engine' | 'expressions' | 'remembered'> {
	title: string;
	/** The ratio refers to the first one. */
	contenders: Setting[];
}

const ours: Setting = { node: 'ours' };

const large = (expressions: Expressions, engine: ExpressionEngine): UnpacedRow => ({
	title: `${expressions} expressions, engine ${engine}`,
	expressions,
	engine,
	contenders: [{ node: 'httpRequest' }, ours, { ...ours, continues: true }, { node: 'bare' }],
});

export const unpacedRows: Record<string, UnpacedRow> = {
	'large-vm-2': large('2', 'vm'),
	'large-vm-5': large('5', 'vm'),
	'large-legacy-2': large('2', 'legacy'),
	'large-legacy-5': large('5', 'legacy'),
	once: {
		title: '50000 entries stored',
		expressions: '2',
		engine: 'vm',
		remembered: 50_000,
		contenders: [ours, { ...ours, sendOncePer: 'осенняя распродажа' }],
	},
};

const columns: Column[] = [
	'once',
	'lost',
	'doubled',
	'wallMs',
	'wallRatio',
	'blockedMs',
	'firstSendMs',
	'memoryGrowthMb',
	'inFlight',
	'storeCalls',
];

/** Runs the contenders in turn, each run in a new process, because a process does not return its memory. */
export async function runUnpaced(row: UnpacedRow, { quick, program, log }: Bench): Promise<Row> {
	const { title, contenders, ...work } = row;
	const messages = quick ? 200 : 10_000;
	const conditions = await conditionsNow();
	const emulator = await startEmulator();
	const measured = contenders.map((setting) => ({ setting, runs: [] as Measured[] }));
	for (let repetition = 1; repetition <= (quick ? 1 : 3); repetition++) {
		// Alternating in both directions, so that a temporary slowdown of the machine does not always affect the same contenders.
		for (const { setting, runs } of repetition % 2 ? measured : [...measured].reverse()) {
			// Only its order of magnitude matters, and a run takes a minute.
			if (setting.node === 'bare' && repetition > 1) continue;
			const engine = await startEngine(program, { ...work, ...setting, requestsPerSecond: 0 }, emulator, 50);
			const batch = { contactIds: await emulator.open({ contacts: messages }), label: `run ${repetition}` };
			const report = await engine.run(batch);
			await engine.end();
			runs.push({ ...report, ...(await emulator.read(batch, work.expressions)) });
			log(`  ${labelOf(setting)}: ${summaryOf(runs.at(-1)!)}`);
		}
	}
	await emulator.end();
	const base = measured[0]!.runs;
	const lines = measured.map(({ setting, runs }) => {
		const compared = runs.map((run, round) => ({ ...run, wallRatio: run.wallMs / base[round]!.wallMs }));
		return lineOf(setting, compared, columns);
	});
	return { ...conditions, title, lines };
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
