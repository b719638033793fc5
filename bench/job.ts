/* What the bench asks of a process that runs the engine, and what that process answers. */

/** Who sends the requests. From 'ourDescription' on it is our node with a part left out, to see what costs how much. */
export type NodeName =
	| 'ours'
	| 'httpRequest'
	| 'bare'
	| 'ourDescription'
	| 'ourPipeline'
	| 'oursFewestExpressions';

export type ExpressionEngine = 'vm' | 'legacy';

/** 'message' sends messages, 'variable' sets a variable of each contact. */
export type Task = 'message' | 'variable';

/** How a contender is set up for all its runs. */
export interface Job {
	node: NodeName;
	engine: ExpressionEngine;
	task: Task;
	url: string;
	token: string;
	/** Of the credential; 0 for no limit. Only our node reads it. */
	requestsPerSecond: number;
	/** Node setting 'Batching'. */
	batching?: { size: number; intervalMs: number };
	/** Node setting 'Retry On Fail'. */
	retry?: { tries: number; waitMs: number };
}

/** One run of the workflow. */
export interface RunRequest {
	/** Contacts that the items name, one each. */
	contactIds: number[];
	/** Begins the text of every item, so that the ledger tells runs apart. */
	label: string;
	/** Writes what the processor was busy with to this file. */
	profileTo?: string;
}

/** What a run cost the process it ran in. */
export interface RunReport {
	wallMs: number;
	cpuMs: number;
	/** From the start of the run to the start of its first request. */
	firstSendMs: number;
	/** Longest time the event loop stood still, up to the first request and over the whole run. */
	blockedBeforeSendMs: number;
	blockedMs: number;
	/** Most connections open at the same time. */
	openConnections: number;
	/** Most requests that were sent and not answered at the same time. */
	inFlight: number;
	/** Resident memory before the run and the most there was. */
	memoryBeforeMb: number;
	memoryPeakMb: number;
	/** Items on the first output. */
	items: number;
	/** How n8n shows the run; the message of the error that ended it. */
	status: string;
	error?: string;
}

/** Messages to the engine's process: the job first, then runs one after the other. */
export type ToEngine = { job: Job } | { run: RunRequest };

/** Its answers, in the same order. */
export type FromEngine = { ready: { node: string } } | { report: RunReport } | { failed: string };
