import type { ICredentialDataDecryptedObject, IExecutePaginationFunctions, INodeExecutionData } from 'n8n-workflow';

import type { Failure } from './failure';
import { Gate } from './gate';

/** How an item ended, for the counts in a stopped run's message. */
export type Ending = 'done' | 'failed' | 'notSent';

/** What an item came to in an earlier try of the same run, where that must not be tried again. */
export type Remembered = { items: INodeExecutionData[] } | { failure: Failure };

/** What the items of one run of the node share. */
export interface Run {
	/** Number of items the run has; 1 for a call as a tool. */
	readonly expected: number;
	/** Undefined where the items do not come all at once. */
	readonly gate: Gate | undefined;
	/** By item index. Lives as long as the run's execution data, so Retry On Fail finds it and no other run does. */
	readonly memory: Map<number, Remembered>;
	/** Set by the first item that fails in stop mode: nothing more leaves then. */
	stopped: boolean;
	readonly counts: Record<Ending, number>;
	/** The credential, read once for all items. */
	credential: Promise<ICredentialDataDecryptedObject> | undefined;
	/** Notes how an item ended and resolves when all items of the run have. */
	end(ending: Ending): Promise<void>;
}

interface Tries {
	memory: Map<number, Remembered>;
	current: Run | undefined;
	joined: number;
}

/* Retry On Fail runs the node again with the very same execution data object, and nothing else lives as long. */
const triesByExecution = new WeakMap<object, Tries>();

/**
 * The run that an item belongs to. Called once for every item, before it waits for anything.
 *
 * An AI agent that calls the node as a tool hands every call its own execution data, which tells neither the calls apart nor
 * their items: such a call is a run of its own, without a memory.
 */
export function joinRun(context: IExecutePaginationFunctions): Run {
	const execution = context.getExecuteData();
	const node = context.getNode();
	if (execution.node?.id !== node.id) return createRun(1, false, new Map());

	let tries = triesByExecution.get(execution);
	if (!tries) {
		tries = { memory: new Map(), current: undefined, joined: 0 };
		triesByExecution.set(execution, tries);
	}
	const expected = node.executeOnce ? 1 : (execution.data.main?.[0]?.length ?? 1);
	// The engine visits the items in order, so the first of them begins a new try.
	if (!tries.current || context.getItemIndex() === 0) {
		tries.current = createRun(expected, !isBatched(context), tries.memory);
	}
	return tries.current;
}

function createRun(expected: number, gated: boolean, memory: Map<number, Remembered>): Run {
	const counts: Record<Ending, number> = { done: 0, failed: 0, notSent: 0 };
	let allEnded = () => {};
	const ended = new Promise<void>((resolve) => {
		allEnded = resolve;
	});
	return {
		expected,
		gate: gated && expected > 1 ? new Gate(expected) : undefined,
		memory,
		stopped: false,
		counts,
		credential: undefined,
		async end(ending) {
			counts[ending]++;
			if (counts.done + counts.failed + counts.notSent >= expected) allEnded();
			await ended;
		},
	};
}

/** Whether the user spaces the items out with the node setting 'Batching', which makes the engine wait between them. */
function isBatched(context: IExecutePaginationFunctions): boolean {
	const options = context.getNodeParameter('requestOptions', {}) as {
		batching?: { batch?: { batchInterval?: number } };
	};
	return Number(options.batching?.batch?.batchInterval ?? 0) > 0;
}
