/* What the bench asks of the processes it starts, and what an engine answers. */

import type { Fault, Limits } from '../sandbox/emulator';
import type { Batch, Expressions } from './messages';

/** Who sends the requests. */
export type NodeName = 'ours' | 'httpRequest' | 'bare';

export const expressionEngines = ['vm', 'legacy'] as const;
export type ExpressionEngine = (typeof expressionEngines)[number];

/** What is the same for all that run side by side. */
export interface Work {
	engine: ExpressionEngine;
	expressions: Expressions;
	/** Of the credential; 0 for no limit. Only our node reads it. */
	requestsPerSecond: number;
	/** Entries that n8n remembers of the node before each run. */
	remembered?: number;
}

/** What a contender is, and how its user has set it up. */
export interface Setting {
	node: NodeName;
	/** Node setting 'Batching'. */
	batching?: { size: number; intervalMs: number };
	/** Node setting 'Retry On Fail'. */
	retry?: { tries: number; waitMs: number };
	/** Node setting 'On Error': 'Continue'. */
	continues?: boolean;
	/** Option 'Send Once Per', which only our node has. */
	sendOncePer?: string;
}

/** Of an engine's process, for all its runs. */
export interface Job extends Work, Setting {
	url: string;
	token: string;
}

/** One run of the workflow. */
export interface RunRequest {
	batch: Batch;
	/** Writes what the processor was busy with to this file. */
	profileTo?: string;
}

/** What a run cost the process it ran in. */
export interface RunReport {
	wallMs: number;
	cpuMs: number;
	/** From the start of the run to the start of its first request. */
	firstSendMs: number;
	/** Longest time the event loop stood still, and how far into the run that was. */
	blockedMs: number;
	blockedAtMs: number;
	/** Most connections open at the same time. */
	openConnections: number;
	/** Most requests that were sent and not answered at the same time. */
	inFlight: number;
	/** The most resident memory there was, and how much more that is than before the run. */
	memoryPeakMb: number;
	memoryGrowthMb: number;
	/** How often n8n's deduplication was asked. */
	storeCalls: number;
	/** Items on the first output. */
	items: number;
	/** How n8n shows the run; the message of the error that ended it. */
	status: string;
	error?: string;
}

/** What the emulator is to be before a run: as new, but for so many contacts more. */
export interface Opening {
	contacts: number;
	/** None by default. */
	limits?: Partial<Limits>;
	faults?: Fault[];
}
