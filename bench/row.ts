import { releasedVersion } from './build';
import { spreadOf, type Ledger, type Spread } from './figures';
import type { NodeName, RunReport, Setting } from './job';
import type { Busy } from './machine';

/** What a row needs to be measured. */
export interface Bench {
	/** A short version. */
	quick: boolean;
	/** Of an engine's process. */
	program: string;
	/** Tells which state of the node is measured, see buildEngine. */
	mark: string;
	log: (text: string) => void;
}

/** What our node has to reach, in words, and whether it did. */
export interface Aim {
	text: string;
	reached: boolean;
}

/** A table of the results. */
export interface Row {
	/** As the command line calls it. One row has several tables when it is measured in several ways. */
	name: string;
	title: string;
	aims: Aim[];
	/** Figures that the table shows, by their titles. */
	columns: Record<string, string>;
	date: string;
	mark: string;
	busy: Busy;
	lines: Line[];
}

/** The figures of one contender. */
export interface Line {
	contender: string;
	figures: Record<string, Spread>;
	/** How n8n showed the runs. */
	ended: string;
}

/** A run with what it cost, what the service saw of it, and how it compares. */
export interface Measured extends Ledger, RunReport {
	share?: number;
	wallRatio?: number;
	cpuRatio?: number;
	memoryRatio?: number;
}

const names: Record<NodeName, string> = {
	ours: 'Chatbot Service',
	released: `Chatbot Service ${releasedVersion}`,
	httpRequest: 'HTTP Request',
	bare: 'bare declarative node',
};

export function labelOf({
	node,
	batching,
	retry,
	continues,
	sendOncePer,
	bursts,
	processes,
}: Setting): string {
	const batches = batching && `${batching.size} per ${batching.intervalMs} ms`;
	return [
		names[node],
		batches,
		retry && 'Retry On Fail',
		continues && 'continues on errors',
		sendOncePer && 'Send Once Per',
		bursts && 'Bursts',
		processes && `${processes} processes`,
	]
		.filter(Boolean)
		.join(', ');
}

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

export const today = () => new Date().toISOString().slice(0, 10);
