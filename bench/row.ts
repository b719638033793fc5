import type { Ledger } from './figures';
import type { NodeName, RunReport, Setting } from './job';
import type { Busy } from './machine';
import type { Expressions } from './messages';

export interface Bench {
	quick: boolean;
	program: string;
	/** Identifies the state of the node that is measured, see buildEngine. */
	mark: string;
	log: (text: string) => void;
}

/** What was measured for one table. */
export interface Row {
	/** Its name on the command line. A row has several tables if it is measured in several ways. */
	name: string;
	title: string;
	messages: number;
	/** If the row is measured with several numbers of expressions. */
	expressions?: Expressions;
	date: string;
	mark: string;
	busy: Busy;
	lines: Line[];
}

export interface Line {
	contender: string;
	/** The values of each run, in the order of the columns. */
	figures: Figures;
	/** The status that n8n showed for the runs. */
	ended: string;
}

/** A run with its cost, the figures of the service, and its comparisons. */
export interface Measured extends Ledger, RunReport {
	share?: number;
	wallRatio?: number;
	cpuRatio?: number;
	memoryRatio?: number;
}

/** Figures that a table can show, by the names of its columns. */
export const titles = {
	share: 'share of the limit',
	refused: 'refused',
	once: 'delivered once',
	lost: 'lost',
	doubled: 'doubled',
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
	storeCalls: 'store calls',
} satisfies Partial<Record<keyof Measured, string>>;

export type Column = keyof typeof titles;
export type Figures = Partial<Record<Column, number[]>>;

const names: Record<NodeName, string> = {
	ours: 'Chatbot Service',
	httpRequest: 'HTTP Request',
	bare: 'bare declarative node',
};

/** The contenders that are this package's node, with any settings. */
export const oursIn = ({ lines }: Row): Line[] =>
	lines.filter(({ contender }) => contender.startsWith(names.ours));

export const labelOf = ({ node, batching, retry, continues, bursts, sendOncePer }: Setting): string =>
	[
		names[node],
		batching && `${batching.size} per ${batching.intervalMs} ms`,
		retry && 'Retry On Fail',
		continues && 'continues on errors',
		bursts && 'Bursts',
		sendOncePer && 'Send Once Per',
	]
		.filter(Boolean)
		.join(', ');

export function lineOf(setting: Setting, runs: Measured[], columns: Column[]): Line {
	const figures: Figures = {};
	for (const column of columns) {
		const values = runs.flatMap((run) => run[column] ?? []);
		if (values.length) figures[column] = values.map(rounded);
	}
	const endings: Record<string, number> = {};
	for (const { status } of runs) endings[status] = (endings[status] ?? 0) + 1;
	return {
		contender: labelOf(setting),
		figures,
		ended: Object.entries(endings)
			.map(([status, count]) => `${count} × ${status}`)
			.join(', '),
	};
}

/** Whole numbers may be counts. */
const rounded = (value: number) => (Number.isInteger(value) ? value : Number(value.toPrecision(4)));

/** Adds the comparisons of runs with those of the same rounds. */
export function compare(runs: Measured[], rounds: Measured[]) {
	for (const [index, run] of runs.entries()) {
		const base = rounds[index]!;
		run.wallRatio = run.wallMs / base.wallMs;
		run.cpuRatio = run.cpuMs / base.cpuMs;
		run.memoryRatio = run.memoryGrowthMb / base.memoryGrowthMb;
	}
}

export const today = () => new Date().toISOString().slice(0, 10);
