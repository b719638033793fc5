/* Without limits: what a run of many items costs, in time, in memory, and in time that nobody else in the process gets. */

import { join } from 'node:path';

import { benchFolder } from './build';
import type { ExpressionEngine, Setting, Work } from './job';
import { measureBusy } from './machine';
import type { Expressions, Task } from './messages';
import { type Engine, startEngine, startStandIn, type StandIn } from './processes';
import { labelOf, lineOf, today, type Aim, type Bench, type Measured, type Row } from './row';

export const contenders = {
	http: { node: 'httpRequest' },
	ours: { node: 'ours' },
	continue: { node: 'ours', continues: true },
	once: { node: 'ours', sendOncePer: 'осенняя распродажа' },
	released: { node: 'released' },
	bare: { node: 'bare' },
} satisfies Record<string, Setting>;

export type ContenderName = keyof typeof contenders;

/** What can be chosen of a row. */
export interface Choice {
	items: number[];
	expressions: Expressions[];
	engines: ExpressionEngine[];
	contenders: ContenderName[];
	repetitions: number;
	/** Notes what the time goes into, in runs of their own: the profiler takes time itself. */
	profile: boolean;
}

interface UnpacedRow {
	task: Task;
	title: string;
	/** All that there is to choose. */
	choice: Choice;
	quick: Partial<Choice>;
	/** Everybody keeps one process for all repetitions. Else each has a fresh one: memory that was once taken stays taken. */
	warm: boolean;
	/** Whom the ratios are to. */
	baseline: ContenderName;
	/** Entries that n8n remembers of the node before each run. */
	remembered?: number;
	aims: (runsOf: (contender: ContenderName) => Measured[], items: number) => Aim[];
	columns: Record<string, string>;
}

/** Nothing when nobody ran whose aim it is. */
function atMost(most: number, text: string, figures: Array<number | undefined>): Aim[] {
	const known = figures.filter((figure) => figure !== undefined);
	return known.length ? [{ text, reached: Math.max(...known) <= most }] : [];
}

const deliveries = { once: 'delivered once', lost: 'lost', doubled: 'doubled' };

export const unpacedRows = {
	cost: {
		task: 'variable',
		title: 'contacts get a variable',
		choice: {
			items: [1_000],
			expressions: ['2'],
			engines: ['vm', 'legacy'],
			contenders: ['bare', 'ours', 'http'],
			repetitions: 6,
			profile: false,
		},
		quick: { items: [300], engines: ['vm'], repetitions: 2 },
		warm: true,
		baseline: 'bare',
		aims: (runsOf) =>
			atMost(
				1.15,
				'wall time at most 1.15 of the bare node’s',
				runsOf('ours').map(({ wallRatio }) => wallRatio),
			),
		columns: {
			wallRatio: 'wall time, ratio',
			cpuRatio: 'processor time, ratio',
			wallMs: 'wall ms',
			cpuMs: 'processor ms',
			inFlight: 'in flight',
			...deliveries,
		},
	},
	large: {
		task: 'message',
		title: 'messages at once',
		choice: {
			items: [1_000, 10_000],
			expressions: ['2', '5'],
			engines: ['vm', 'legacy'],
			contenders: ['http', 'ours', 'continue', 'released', 'bare'],
			repetitions: 1,
			profile: false,
		},
		quick: { items: [200], engines: ['vm'] },
		warm: false,
		baseline: 'http',
		aims: (runsOf, items) => {
			const continuing = runsOf('continue');
			const ours = [...runsOf('ours'), ...continuing];
			const figure = (name: keyof Measured, runs = ours) =>
				runs.map((run) => run[name] as number | undefined);
			return [
				...atMost(50, 'longest block at most 50 ms', figure('blockedMs')),
				...atMost(0.5, 'wall time at most 0.5 of HTTP Request’s', figure('wallRatio')),
				...atMost(1, 'memory at most HTTP Request’s', figure('memoryRatio')),
				...atMost(
					500,
					'first request of a run that continues within 500 ms',
					figure('firstSendMs', continuing),
				),
				...atMost(10, 'at most 10 requests in flight', figure('inFlight')),
				...atMost(
					0,
					'each message delivered once',
					ours.map(({ once, doubled }) => items - once + doubled),
				),
			];
		},
		columns: {
			wallMs: 'wall ms',
			wallRatio: 'wall, ratio',
			cpuRatio: 'processor, ratio',
			blockedMs: 'longest block ms',
			firstSendMs: 'first request ms',
			memoryGrowthMb: 'memory +MB',
			memoryRatio: 'memory, ratio',
			memoryPeakMb: 'peak MB',
			inFlight: 'in flight',
			openConnections: 'connections',
			...deliveries,
		},
	},
	once: {
		task: 'message',
		title: 'messages at once, 50000 entries remembered',
		choice: {
			items: [10_000],
			expressions: ['2'],
			engines: ['vm'],
			contenders: ['ours', 'once'],
			repetitions: 3,
			profile: false,
		},
		quick: { items: [1_000], repetitions: 1 },
		warm: false,
		baseline: 'ours',
		remembered: 50_000,
		aims: (runsOf, items) => {
			const once = runsOf('once');
			const wall = once.map(({ wallRatio }) => wallRatio);
			return [
				...atMost(1.2, 'wall time at most 1.2 of that without Send Once Per', wall),
				...atMost(
					0,
					'each message delivered once',
					once.map((run) => items - run.once + run.doubled),
				),
			];
		},
		columns: {
			wallMs: 'wall ms',
			wallRatio: 'wall, ratio',
			cpuRatio: 'processor, ratio',
			blockedMs: 'longest block ms',
			storeCalls: 'store calls',
			firstSendMs: 'first request ms',
			memoryGrowthMb: 'memory +MB',
			inFlight: 'in flight',
			...deliveries,
		},
	},
} satisfies Record<string, UnpacedRow>;

/** One table for each way of measuring the row that was chosen, as soon as it is there. */
export async function* runUnpaced(
	name: keyof typeof unpacedRows,
	chosen: Partial<Choice>,
	bench: Bench,
): AsyncGenerator<Row> {
	const row: UnpacedRow = unpacedRows[name];
	const choice: Choice = { ...row.choice, ...(bench.quick && row.quick), ...chosen };
	const standIn = await startStandIn();
	for (const engine of choice.engines) {
		for (const expressions of choice.expressions) {
			for (const items of choice.items) {
				const title = `${items} ${row.title}, ${expressions} expressions, engine ${engine}`;
				bench.log(`${title} ...`);
				const busy = await measureBusy();
				const { task, remembered } = row;
				const work = { engine, task, expressions, requestsPerSecond: 0, remembered };
				const runs = await sideBySide({ ...row, ...choice, work, items, standIn }, bench);
				yield {
					name,
					title,
					aims: row.aims((contender) => runs.get(contender) ?? [], items),
					columns: row.columns,
					date: today(),
					mark: bench.mark,
					busy,
					lines: [...runs].map(([contender, measured]) => lineOf(contenders[contender], measured)),
				};
			}
		}
	}
	await standIn.end();
}

type Comparison = Pick<UnpacedRow, 'warm' | 'baseline'> &
	Pick<Choice, 'contenders' | 'repetitions' | 'profile'> & { work: Work; items: number; standIn: StandIn };

/** Lets the contenders take turns. */
async function sideBySide(
	comparison: Comparison,
	{ program, log }: Bench,
): Promise<Map<ContenderName, Measured[]>> {
	const { work, items, standIn, warm, baseline } = comparison;
	const runs = new Map(comparison.contenders.map((contender) => [contender, [] as Measured[]]));
	const engines = new Map<ContenderName, Engine>();

	const runOnce = async (contender: ContenderName, label: string, profileTo?: string): Promise<Measured> => {
		const job = { ...work, ...contenders[contender] };
		const engine = engines.get(contender) ?? (await startEngine(program, job, standIn, 50));
		const batch = { contactIds: await standIn.open({ contacts: items }), label };
		const report = await engine.run({ batch, profileTo });
		if (warm) engines.set(contender, engine);
		else await engine.end();
		return { ...report, ...(await standIn.read(batch, work)) };
	};

	for (let repetition = 1; repetition <= comparison.repetitions; repetition++) {
		// To and fro, so that what slows the machine down for a while does not always slow the same ones.
		const order = repetition % 2 ? comparison.contenders : [...comparison.contenders].reverse();
		for (const contender of order) {
			const run = await runOnce(contender, `run ${repetition}`);
			runs.get(contender)!.push(run);
			log(`  ${labelOf(contenders[contender])}: ${summaryOf(run)}`);
		}
	}
	for (const contender of comparison.profile ? comparison.contenders : []) {
		const file = join(benchFolder, `${contender}-${work.engine}.cpuprofile`);
		await runOnce(contender, 'profile', file);
		log(`  ${labelOf(contenders[contender])}: the profile is ${file}`);
	}
	await Promise.all([...engines.values()].map(async (engine) => await engine.end()));

	for (const measured of runs.values()) {
		for (const [repetition, run] of measured.entries()) {
			const base = runs.get(baseline)?.[repetition];
			if (!base) continue;
			run.wallRatio = run.wallMs / base.wallMs;
			run.cpuRatio = run.cpuMs / base.cpuMs;
			run.memoryRatio = run.memoryGrowthMb / base.memoryGrowthMb;
		}
	}
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
