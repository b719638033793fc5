import { NodeConnectionTypes, type IExecutePaginationFunctions } from 'n8n-workflow';

import { Run, type Remembered } from './run';

/** What outlives a run: Retry On Fail makes a new run of the same execution data, for all items. */
interface Tries {
	/** By item index. */
	memory: Map<number, Remembered>;
	current: Run | undefined;
}

const triesByExecution = new WeakMap<object, Tries>();

/** The run that an item belongs to. Called once for every item, before it waits for anything. */
export function joinRun(context: IExecutePaginationFunctions): Run {
	const execution = context.getExecuteData();
	const node = context.getNode();
	const signal = context.getExecutionCancelSignal();
	const isToolCall = isCalledByAgent(context);
	const key = isToolCall ? argumentsOfToolCall(context) : execution;
	if (!key) return new Run(1, false, new Map(), signal);

	let tries = triesByExecution.get(key);
	if (!tries) {
		tries = { memory: new Map(), current: undefined };
		triesByExecution.set(key, tries);
	}
	// The engine visits the items in order, so the first of them begins a new try.
	if (!tries.current || context.getItemIndex() === 0) {
		const expected = isToolCall || node.executeOnce ? 1 : (execution.data.main?.[0]?.length ?? 1);
		tries.current = new Run(expected, !isBatched(context), tries.memory, signal);
	}
	return tries.current;
}

/** Whether an AI agent calls the node by itself, with its own execution data; newer ones leave that to the engine. */
export const isCalledByAgent = (context: IExecutePaginationFunctions): boolean =>
	context.getExecuteData().node?.id !== context.getNode().id;

/**
 * What tells the calls of a tool apart, while an AI agent hands them all its own execution data: the object with the
 * arguments that the model gave, which is the same in all tries of one call.
 */
function argumentsOfToolCall(context: IExecutePaginationFunctions): object | null {
	// Without arguments the engine makes up an item for every question, and nobody finds its memory again.
	const json: unknown = context.getInputData(0, NodeConnectionTypes.AiTool).json;
	return typeof json === 'object' ? json : null;
}

/** Whether the user spaces the items out with the node setting 'Batching', which makes the engine wait between them. */
function isBatched(context: IExecutePaginationFunctions): boolean {
	const options = context.getNodeParameter('requestOptions', {}) as {
		batching?: { batch: { batchInterval?: number } };
	};
	return Number(options.batching?.batch.batchInterval ?? 0) > 0;
}
