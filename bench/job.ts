/* The messages between the bench and its processes. */

import type { Fault, Limits } from '../sandbox/emulator';
import type { Expressions } from './messages';

export type NodeName = 'ours' | 'httpRequest' | 'bare';

export const expressionEngines = ['vm', 'legacy'] as const;
export type ExpressionEngine = (typeof expressionEngines)[number];

/** The settings that all contenders of a comparison share. */
export interface Work {
	engine: ExpressionEngine;
	expressions: Expressions;
	/** The rate in the credential; 0 for no limit. Only this package's node reads it. */
	requestsPerSecond: number;
	/** Entries that n8n has stored for the node before each run. */
	remembered?: number;
}

/** A contender, and its settings. */
export interface Setting {
	node: NodeName;
	/** Node setting 'Batching'. */
	batching?: { size: number; intervalMs: number };
	/** Node setting 'Retry On Fail'. */
	retry?: { tries: number; waitMs: number };
	/** Node setting 'On Error': 'Continue'. */
	continues?: boolean;
	/** Bursts in the credential, which only this package's node reads. */
	bursts?: boolean;
	/** Option 'Send Once Per', which only this package's node has. */
	sendOncePer?: string;
}

/** Options of an engine's process, for all its runs. */
export interface Job extends Work, Setting {
	url: string;
	token: string;
}

export interface RunReport {
	wallMs: number;
	/** From the start of the run to the start of its first request. */
	firstSendMs: number;
	/** The longest time that the event loop was blocked, and when in the run that started. */
	blockedMs: number;
	blockedAtMs: number;
	/** The maximum number of requests in progress. */
	inFlight: number;
	/** The increase of the peak of resident memory over the time before the run. */
	memoryGrowthMb: number;
	/** Calls of n8n's deduplication, with Send Once Per. */
	storeCalls?: number;
	/** Items on the first output. */
	items: number;
	/** The status that n8n shows for the run; the message of the error that ended it. */
	status: string;
	error?: string;
}

/** The state of the emulator before a run: new, with this many additional contacts. */
export interface Opening {
	contacts: number;
	/** None by default. */
	limits?: Partial<Limits>;
	faults?: Fault[];
}
