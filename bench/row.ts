import { spreadOf, type Ledger, type Spread } from './figures';
import type { NodeName, RunReport, Setting } from './job';
import type { Busy } from './machine';

export interface Bench {
	quick: boolean;
	program: string;
	/** Identifies the state of the node that is measured, see buildEngine. */
	mark: string;
	log: (text: string) => void;
}

/** The targets of this package's node as text, and whether it reached them. */
export interface Aim {
	text: string;
	reached: boolean;
}

export interface Row {
	/** Its name on the command line. A row has several tables if it is measured in several ways. */
	name: string;
	title: string;
	aims: Aim[];
	columns: Column[];
	date: string;
	mark: string;
	busy: Busy;
	lines: Line[];
}

export interface Line {
	contender: string;
	figures: Record<string, Spread>;
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

const names: Record<NodeName, string> = {
	ours: 'Chatbot Service',
	httpRequest: 'HTTP Request',
	bare: 'bare declarative node',
};

export const labelOf = ({ node, batching, retry, continues, sendOncePer }: Setting): string =>
	[
		names[node],
		batching && `${batching.size} per ${batching.intervalMs} ms`,
		retry && 'Retry On Fail',
		continues && 'continues on errors',
		sendOncePer && 'Send Once Per',
	]
		.filter(Boolean)
		.join(', ');

export function lineOf(setting: Setting, runs: Measured[]): Line {
	const figures: Record<string, number[]> = {};
	const endings: Record<string, number> = {};
	for (const run of runs) {
		endings[run.status] = (endings[run.status] ?? 0) + 1;
		for (const [name, value] of Object.entries(run)) {
			if (typeof value === 'number') (figures[name] ??= []).push(value);
		}
	}
	return {
		contender: labelOf(setting),
		figures: Object.fromEntries(Object.entries(figures).map(([name, values]) => [name, spreadOf(values)])),
		ended: Object.entries(endings)
			.map(([status, count]) => `${count} × ${status}`)
			.join(', '),
	};
}

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
