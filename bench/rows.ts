import { setTimeout } from 'node:timers/promises';

import type { Fault, Limits } from '../sandbox/service';
import { shareOfLimit, readLedger, spreadOf, type Ledger, type Spread } from './figures';
import type { ExpressionEngine, Job, RunReport } from './job';
import { measureBusy, type Busy } from './machine';
import { Engine, StandIn } from './processes';

/** The figures of one contender in a row. */
export interface Line {
	contender: string;
	repetitions: number;
	figures: Record<string, Spread>;
	/** How n8n showed the runs. */
	ended: string;
}

export interface Row {
	/** As in the documentation of the bench. */
	number: string;
	title: string;
	/** What our node has to reach, in words, and whether it did. */
	aim?: { text: string; reached: boolean };
	/** Figures that the table shows, by their titles. */
	columns: Record<string, string>;
	date: string;
	/** Which node it was, see buildEngine. */
	mark: string;
	busy: Busy;
	lines: Line[];
}

const today = () => new Date().toISOString().slice(0, 10);

export interface Scale {
	quick: boolean;
	program: string;
	mark: string;
	log: (text: string) => void;
}

type Setting = Pick<Job, 'node' | 'batching' | 'retry'>;

const http = (size: number, intervalMs: number, retry?: Job['retry']): Setting => ({
	node: 'httpRequest',
	batching: { size, intervalMs },
	retry,
});

const labels: Record<Job['node'], string> = {
	ours: 'Chatbot Service',
	httpRequest: 'HTTP Request',
	bare: 'bare node, 5 properties',
	ourDescription: 'our description, no pipeline',
	ourPipeline: 'our pipeline, 6 properties',
	oursFewestExpressions: 'ours, address no expression',
};

function labelOf({ node, batching, retry }: Setting): string {
	const batches = batching && `${batching.size} per ${batching.intervalMs} ms`;
	return [labels[node], batches, retry && 'Retry On Fail'].filter(Boolean).join(', ');
}

/** A run with what it cost and what the service saw of it. */
interface Measured extends Ledger {
	report: RunReport;
	share?: number;
}

function lineOf(contender: string, runs: Measured[], ratios: Record<string, number[]> = {}): Line {
	const figure = (of: (run: Measured) => number) => spreadOf(runs.map(of));
	const endings = new Map<string, number>();
	for (const { report } of runs) endings.set(report.status, (endings.get(report.status) ?? 0) + 1);
	return {
		contender,
		repetitions: runs.length,
		figures: {
			...(runs[0]!.share === undefined ? {} : { share: figure(({ share }) => share!) }),
			requests: figure(({ requests }) => requests),
			refused: figure(({ refused }) => refused),
			once: figure(({ once }) => once),
			lost: figure(({ lost }) => lost),
			doubled: figure(({ doubled }) => doubled),
			items: figure(({ report }) => report.items),
			wallMs: figure(({ report }) => report.wallMs),
			cpuMs: figure(({ report }) => report.cpuMs),
			firstSendMs: figure(({ report }) => report.firstSendMs),
			blockedBeforeSendMs: figure(({ report }) => report.blockedBeforeSendMs),
			blockedMs: figure(({ report }) => report.blockedMs),
			openConnections: figure(({ report }) => report.openConnections),
			inFlight: figure(({ report }) => report.inFlight),
			memoryPeakMb: figure(({ report }) => report.memoryPeakMb),
			memoryGrowthMb: figure(({ report }) => report.memoryPeakMb - report.memoryBeforeMb),
			...Object.fromEntries(Object.entries(ratios).map(([name, values]) => [name, spreadOf(values)])),
		},
		ended: [...endings].map(([status, count]) => `${count} × ${status}`).join(', '),
	};
}

/* Rows 1 to 4: as fast as the service allows. */

interface PacedRow {
	number: number;
	title: string;
	limit: { requests: number; windowMs: number };
	faults: (repetition: number) => Fault[];
	messages: number;
	aim: { text: string; share: number; refused: number };
	rivals: Setting[];
}

const twice = { tries: 3, waitMs: 1000 };
const usual = [http(2, 1000), http(2, 1020), http(2, 1100), http(2, 1000, twice)];
const perSecond = (requests: number) => ({ requests, windowMs: 1000 });
const delay =
	(when: 'before' | 'after', ms: [number, number]) =>
	(seed: number): Fault[] => [{ kind: 'delay', when, ms, match: { seed } }];

export const pacedRows: PacedRow[] = [
	{
		number: 1,
		title: 'Messages against a limit of 2 per second',
		limit: perSecond(2),
		faults: () => [],
		messages: 60,
		aim: { text: 'at least 99 % of the limit, none refused', share: 0.99, refused: 0 },
		rivals: [...usual, http(1, 500), http(1, 520)],
	},
	{
		number: 2,
		title: 'The same, answers delayed by 0 to 300 ms',
		limit: perSecond(2),
		faults: delay('after', [0, 300]),
		messages: 60,
		aim: { text: 'at least 96 % of the limit, none refused', share: 0.96, refused: 0 },
		rivals: usual,
	},
	{
		number: 3,
		title: 'The same, 0 to 60 ms on the way to the service',
		limit: perSecond(2),
		faults: delay('before', [0, 60]),
		messages: 60,
		aim: { text: 'at least 95 % of the limit, under 1 % refused', share: 0.95, refused: 0.01 },
		rivals: usual,
	},
	{
		number: 4,
		title: 'A service that allows 1 per second, where the credential says 2',
		limit: perSecond(1),
		faults: () => [],
		messages: 40,
		aim: { text: 'at least 87 % of what the service allows, all delivered once', share: 0.87, refused: 1 },
		rivals: usual,
	},
];

export async function runPaced(row: PacedRow, { quick, program, mark, log }: Scale): Promise<Row> {
	const busy = await measureBusy();
	const messages = quick ? Math.ceil(row.messages / 5) : row.messages;
	const settings: Setting[] = [{ node: 'ours' }, ...(quick ? row.rivals.slice(0, 2) : row.rivals)];
	const limits: Partial<Limits> = { account: row.limit };

	// All contenders at the same time, each with a service of its own: none has a quieter machine than the others.
	// Every repetition has a process of its own, since a node may remember how the service treated it.
	const teams = await Promise.all(
		settings.map(async (setting) => {
			const standIn = await StandIn.start();
			const job: Job = {
				...setting,
				engine: 'vm',
				task: 'message',
				url: standIn.url,
				token: standIn.token,
				requestsPerSecond: 2,
			};
			const engines: Engine[] = [];
			// One that does the same thing three times over takes as long as the others' repetitions together.
			for (let count = quick || setting.retry ? 1 : 3; count > 0; count--) {
				const engine = await Engine.start(program, job);
				await engine.run({ contactIds: await standIn.reset(4), label: 'warm-up' });
				engines.push(engine);
			}
			return { setting, standIn, engines, runs: [] as Measured[] };
		}),
	);
	await Promise.all(
		teams.map(async ({ setting, standIn, engines, runs }) => {
			for (const [repetition, engine] of engines.entries()) {
				const contactIds = await standIn.reset(messages);
				await standIn.limit(limits, row.faults(repetition + 1));
				// What went before must not count towards anybody's limit.
				await setTimeout(2500);
				const label = `run ${repetition + 1}`;
				const report = await engine.run({ contactIds, label });
				await setTimeout(500);
				const ledger = readLedger((await standIn.books()).requests, label, messages);
				runs.push({ ...ledger, report, share: shareOfLimit(ledger, row.limit) });
				log(`  ${labelOf(setting)}: ${Math.round(report.wallMs / 1000)} s, ${ledger.refused} refused`);
			}
			await Promise.all([...engines.map(async (engine) => await engine.stop()), standIn.stop()]);
		}),
	);
	const ours = teams[0]!.runs;
	return {
		number: String(row.number),
		title: `${row.title} (${messages} messages)`,
		aim: {
			text: row.aim.text,
			reached:
				spreadOf(ours.map(({ share }) => share!)).median >= row.aim.share &&
				sum(ours, 'refused') <= row.aim.refused * sum(ours, 'requests') &&
				ours.every(({ once, doubled }) => once === messages && doubled === 0),
		},
		columns: {
			share: 'share of the limit',
			refused: 'refused',
			once: 'delivered once',
			lost: 'lost',
			doubled: 'doubled',
			openConnections: 'connections',
			memoryGrowthMb: 'memory +MB',
			blockedMs: 'loop blocked ms',
		},
		date: today(),
		mark,
		busy,
		lines: teams.map(({ setting, runs }) => lineOf(labelOf(setting), runs)),
	};
}

const sum = (runs: Measured[], figure: 'refused' | 'requests') =>
	runs.reduce((total, run) => total + run[figure], 0);

/* Row 5: what the pipeline costs where nothing has to wait. */

const parts: Setting[] = (
	['ours', 'httpRequest', 'ourDescription', 'ourPipeline', 'oursFewestExpressions'] as const
).map((node) => ({ node }));

export async function runCost(
	expressions: ExpressionEngine,
	{ quick, program, mark, log }: Scale,
	profileTo?: (contender: string) => string,
): Promise<Row> {
	const busy = await measureBusy();
	const items = quick ? 300 : 1000;
	const settings = quick ? parts.slice(0, 2) : parts;
	const standIn = await StandIn.start();
	const start = async (setting: Setting) => {
		const engine = await Engine.start(program, {
			...setting,
			engine: expressions,
			task: 'variable',
			url: standIn.url,
			token: standIn.token,
			requestsPerSecond: 0,
		});
		await engine.run({ contactIds: await standIn.reset(100), label: 'warm-up' });
		return engine;
	};
	const runOnce = async (engine: Engine, label: string, profile?: string): Promise<Measured> => {
		const contactIds = await standIn.reset(items);
		const report = await engine.run({ contactIds, label, profileTo: profile });
		return { ...readLedger((await standIn.books()).requests, label, items), report };
	};
	const bare = await start({ node: 'bare' });
	const bareRuns: Measured[] = [];
	const lines: Line[] = [];
	for (const setting of settings) {
		const engine = await start(setting);
		const runs: Measured[] = [];
		const ratios = { wallRatio: [] as number[], cpuRatio: [] as number[] };
		const pairs = quick ? 2 : setting.node === 'ours' ? 6 : 4;
		for (let pair = 1; pair <= pairs; pair++) {
			// Directly one after the other, first the one and then the other: what slows the machine down slows both.
			const label = `run ${pair}`;
			const early = pair % 2 ? await runOnce(bare, label) : undefined;
			const run = await runOnce(engine, label);
			const bareRun = early ?? (await runOnce(bare, label));
			runs.push(run);
			bareRuns.push(bareRun);
			ratios.wallRatio.push(run.report.wallMs / bareRun.report.wallMs);
			ratios.cpuRatio.push(run.report.cpuMs / bareRun.report.cpuMs);
		}
		// Runs of their own: the profiler takes time itself.
		if (profileTo) await runOnce(engine, 'profile', profileTo(`${setting.node}-${expressions}`));
		await engine.stop();
		lines.push(lineOf(labelOf(setting), runs, ratios));
		log(`  ${labelOf(setting)}: ${ratios.wallRatio.map((ratio) => ratio.toFixed(2)).join(', ')}`);
	}
	if (profileTo) await runOnce(bare, 'profile', profileTo(`bare-${expressions}`));
	await Promise.all([bare.stop(), standIn.stop()]);
	lines.unshift(lineOf(labelOf({ node: 'bare' }), bareRuns, { wallRatio: [1], cpuRatio: [1] }));
	return {
		number: '5',
		title: `${items} items without limits, ${engineName(expressions)}: cost beside a bare declarative node`,
		aim: {
			text: 'wall time at most 1.15 of the bare node',
			reached: lines[1]!.figures.wallRatio!.median <= 1.15,
		},
		columns: {
			wallRatio: 'wall time, ratio',
			cpuRatio: 'processor time, ratio',
			once: 'done once',
			lost: 'lost',
			doubled: 'doubled',
			inFlight: 'in flight',
		},
		date: today(),
		mark,
		busy,
		lines,
	};
}

const engineName = (expressions: ExpressionEngine) =>
	expressions === 'vm' ? 'expression engine vm (the default)' : 'expression engine legacy';

/* Rows 6 and 7: what many items at once do to the machine. */

export async function runCrowd(
	expressions: ExpressionEngine,
	items: number,
	repetitions: number,
	{ program, mark, log }: Scale,
): Promise<Row> {
	const busy = await measureBusy();
	const settings: Setting[] = [{ node: 'bare' }, { node: 'ours' }, { node: 'httpRequest' }];
	const teams = settings.map((setting) => ({ setting, runs: [] as Measured[] }));
	const standIn = await StandIn.start();
	for (let repetition = 1; repetition <= repetitions; repetition++) {
		for (const { setting, runs } of teams) {
			// A fresh process each time: memory that was once taken stays taken.
			const engine = await Engine.start(program, {
				...setting,
				engine: expressions,
				task: 'message',
				url: standIn.url,
				token: standIn.token,
				requestsPerSecond: 0,
			});
			await engine.run({ contactIds: await standIn.reset(50), label: 'warm-up' });
			const contactIds = await standIn.reset(items);
			const label = `run ${repetition}`;
			const report = await engine.run({ contactIds, label });
			runs.push({ ...readLedger((await standIn.books()).requests, label, items), report });
			await engine.stop();
			log(`  ${labelOf(setting)}: ${Math.round(report.wallMs / 1000)} s`);
		}
	}
	await standIn.stop();
	const bare = teams[0]!.runs;
	const lines = teams.map(({ setting, runs }) =>
		lineOf(labelOf(setting), runs, {
			wallRatio: runs.map(({ report }, run) => report.wallMs / bare[run]!.report.wallMs),
			blockedRatio: runs.map(
				({ report }, run) => report.blockedBeforeSendMs / bare[run]!.report.blockedBeforeSendMs,
			),
			memoryRatio: runs.map(({ report }, run) => growth(report) / growth(bare[run]!.report)),
		}),
	);
	const { inFlight } = lines[1]!.figures;
	return {
		number: '6, 7',
		title: `${items} messages at once without limits, ${engineName(expressions)}`,
		aim: { text: 'at most 10 requests in flight', reached: inFlight!.max <= 10 },
		columns: {
			inFlight: 'in flight',
			openConnections: 'connections',
			blockedRatio: 'loop blocked before the first send, ratio',
			blockedBeforeSendMs: 'the same, ms',
			memoryRatio: 'memory, ratio',
			memoryGrowthMb: 'memory +MB',
			memoryPeakMb: 'peak MB',
			wallRatio: 'wall time, ratio',
			once: 'delivered once',
			lost: 'lost',
			doubled: 'doubled',
		},
		date: today(),
		mark,
		busy,
		lines,
	};
}

const growth = ({ memoryPeakMb, memoryBeforeMb }: RunReport) => memoryPeakMb - memoryBeforeMb;
