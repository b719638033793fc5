import type { Conditions } from './conditions';
import type { Ledger } from './figures';
import type { NodeName, RunReport, Setting } from './job';

export interface Bench {
	quick: boolean;
	program: string;
	log: (text: string) => void;
}

/** What was measured for one row: several contenders under the same conditions. */
export interface Row extends Conditions {
	title: string;
	lines: Line[];
}

export interface Line {
	contender: string;
	/** The values of each run. */
	figures: Figures;
	/** The status that n8n showed for the runs. */
	ended: string;
}

/** A run with its cost, the figures of the service, and its comparisons. */
export interface Measured extends Ledger, RunReport {
	share?: number;
	wallRatio?: number;
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
	blockedMs: 'longest block ms',
	firstSendMs: 'first request ms',
	memoryGrowthMb: 'memory +MB',
	inFlight: 'in flight',
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
