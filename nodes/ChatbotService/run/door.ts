import {
	NodeConnectionTypes,
	type IExecuteFunctions,
	type IExecutePaginationFunctions,
	type IHttpRequestOptions,
	type INode,
	type INodeExecutionData,
} from 'n8n-workflow';

import type { ServiceAnswer } from '../client/answer';
import { resources } from '../resources';
import { isTool } from './output';
import type { Source } from './reading';
import { run, type Door } from './run';
import type { Entries } from './store';

/*
 * n8n calls the node in two ways, and only this file knows them.
 *
 * `customOperations` is n8n's own way for declarative nodes that run themselves: one call with all items. Without it n8n would
 * evaluate every parameter of every item in one go before anything else in its process gets on, a minute for ten thousand items.
 *
 * Some callers know only declarative nodes: AI agents that call their tools by themselves, n8n's MCP server in queue mode, the
 * ephemeral executor. They reach the hook `requestOperations.pagination`, one item at a time. It is meant for pages, but is called
 * for whatever asks for it (`send.paginate`), and is the only declarative hook that may replace a request. What n8n has put
 * together of the item's request by then is left alone.
 */

const credentialType = 'chatbotServiceApi';

/** The first way, which is the same for every operation. */
export const customOperations = Object.fromEntries(
	resources.map(({ option, operations }) => [
		option.value,
		Object.fromEntries(operations.map((operation) => [operation.option.value, runOperation])),
	]),
);

async function runOperation(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	return [await run(doorOfExecute(this))];
}

/** The second way, for one item. */
export async function runItem(this: IExecutePaginationFunctions): Promise<INodeExecutionData[]> {
	return await run(doorOfHook(this));
}

function doorOfExecute(context: IExecuteFunctions): Door {
	const node = context.getNode();
	const items = context.getInputData();
	return {
		...inCommon(context, node),
		count: items.length,
		first: 0,
		source: sourceOf(context, node, items),
		calledByAgent: false,
		triesKey: context.getExecuteData(),
		// An agent may call its tool many times in one execution, each time for something new.
		kept: isTool(node) ? null : context.getContext('node'),
		entries: entriesOf(context, node),
		hint: (hint) => context.addExecutionHints(hint),
	};
}

/** What the values of all items are read from. */
export const sourceOf = (context: IExecuteFunctions, node: INode, items: INodeExecutionData[]): Source => ({
	raw: node.parameters,
	evaluated: (path, item) => context.getNodeParameter(path, item, null),
	json: (item) => items[item]?.json,
	template: (template, item) => context.evaluateExpression(template, item),
});

function doorOfHook(context: IExecutePaginationFunctions): Door {
	const node = context.getNode();
	const item = context.getItemIndex();
	// Such an agent hands over its own data instead of the node's.
	const calledByAgent = context.getExecuteData().node?.id !== node.id;
	// What tells its calls apart is the object with the arguments that the model gave, the same in all tries of one call.
	// Without arguments n8n makes up an item for every question, and nobody finds its memory again.
	const args: unknown = calledByAgent ? context.getInputData(0, NodeConnectionTypes.AiTool).json : null;
	return {
		...inCommon(context, node),
		count: 1,
		first: item,
		source: {
			raw: node.parameters,
			evaluated: (path) => context.getNodeParameter(path, null),
		},
		calledByAgent,
		triesKey: typeof args === 'object' ? args : null,
		kept: null,
		entries: undefined,
		hint: () => {},
	};
}

/** n8n's helpers for deduplication. They fail where the workflow is not saved; nodes without an ID would share their entries. */
function entriesOf(context: IExecuteFunctions, node: INode): Entries | undefined {
	const { helpers } = context;
	if (!node.id) return undefined;
	const scope = 'node';
	const mode = 'entries';
	return {
		owner: `${context.getWorkflow().id} ${node.id}`,
		async add(entries, maxEntries) {
			return (await helpers.checkProcessedAndRecord(entries, scope, { mode, maxEntries }))
				.processed as string[];
		},
		remove: async (entries) => await helpers.removeProcessed(entries, scope, { mode }),
	};
}

const inCommon = (context: IExecuteFunctions | IExecutePaginationFunctions, node: INode) => ({
	node,
	continues: context.continueOnFail(),
	signal: context.getExecutionCancelSignal(),
	credential: async () => await context.getCredentials(credentialType),
	send: async (options: IHttpRequestOptions) =>
		(await context.helpers.httpRequestWithAuthentication.call(
			context,
			credentialType,
			options,
		)) as ServiceAnswer,
	log: (text: string) => context.logger.info(text),
});
