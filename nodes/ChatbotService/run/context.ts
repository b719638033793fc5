import {
	NodeConnectionTypes,
	tryToParseDateTime,
	type DeduplicationMode,
	type IExecuteFunctions,
	type IExecutePaginationFunctions,
	type IHttpRequestOptions,
	type INode,
	type INodeExecutionData,
	type IPairedItemData,
	type ISourceData,
} from 'n8n-workflow';

import { questionHostOf } from '../ask/link';
import { credentialType } from '../client/credential/account';
import type { ServiceAnswer } from '../client/http/answer';
import type { Entries } from './ledger/store';
import { isExpression } from '../shared/values';
import { isTool } from './output';
import type { Source } from './values/expressions';
import type { RunContext } from './prepare';
import { run } from './run';

/*
 * n8n runs the node in two ways, and only this file knows them. No other file of this folder uses n8n's contexts.
 *
 * `customOperations` is n8n's way for declarative nodes that run themselves: one call with all items. Without it, n8n would first
 * evaluate every parameter of every item. With its default engine that blocks the process for more than a minute if there are 10,000
 * messages (bench/results.md).
 *
 * Some callers know only declarative nodes: AI agents that call their tools themselves, n8n's MCP server in queue mode, and the
 * ephemeral executor. They reach the hook `requestOperations.pagination`, with one item at a time. The hook is meant for pages,
 * but n8n calls it for every parameter with `send.paginate`, and it is the only declarative hook that can replace a request. The
 * node ignores the request that n8n has built by then. n8n's engine 2.0 does the same with all items of a broadcast, which the node
 * refuses: the promises of a run need all of its items. A third way, `webhook`, is in ask/link.ts.
 */

/** The first way. It is the same for every operation. */
export async function runOperation(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	const items = await run(contextOfExecute(this));
	return [this.getNode().onError === 'continueErrorOutput' ? withFoundLinks(this, items) : items];
}

const isFailed = ({ json, error }: INodeExecutionData) => Boolean(json.error ?? error);

/**
 * For the error output, n8n looks up the input item of each failed one. If that throws, n8n passes all input on by the success output. It
 * does not look for an item without a link.
 */
function withFoundLinks(n8n: IExecuteFunctions, items: INodeExecutionData[]): INodeExecutionData[] {
	const { source } = n8n.getExecuteData();
	if (!source || !items.some(isFailed)) return items;
	const kept = countKept(n8n, source.main![0]);
	return items.map((item) => {
		const { pairedItem, ...others } = item;
		return isFailed(item) && (pairedItem as IPairedItemData).item >= kept ? others : item;
	});
}

/** How many items n8n has kept of the output from which the input comes. n8n 3 has no `$getPairedItem` to ask about one. */
function countKept(n8n: IExecuteFunctions, previous: ISourceData | null | undefined): number {
	try {
		const { previousNode, previousNodeOutput = 0, previousNodeRun = 0 } = previous!;
		const { $ } = n8n.getWorkflowDataProxy(0) as unknown as {
			$(node: string): { all(output: number, run: number): INodeExecutionData[] };
		};
		return $(previousNode).all(previousNodeOutput, previousNodeRun).length;
	} catch {
		return 0;
	}
}

/** The second way, for one item. */
export async function runItem(this: IExecutePaginationFunctions): Promise<INodeExecutionData[]> {
	return await run(contextOfHook(this));
}

function contextOfExecute(n8n: IExecuteFunctions): RunContext {
	const node = n8n.getNode();
	const items = n8n.getInputData();
	return {
		...inCommon(n8n, node),
		count: items.length,
		first: 0,
		isOneOfSeveral: false,
		source: sourceOf(n8n, node, items),
		calledByAgent: false,
		triesKey: n8n.getExecuteData(),
		// An agent can call its tool many times in one execution, each time with new data.
		kept: isTool(node) ? null : n8n.getContext('node'),
		entries: entriesOf(n8n, node),
		isWorker: isWorker(n8n),
		questionHost: questionHostOf(n8n, node, items, isTool(node)),
		hint: (hint) => n8n.addExecutionHints(hint),
	};
}

export const sourceOf = (n8n: IExecuteFunctions, node: INode, items: INodeExecutionData[]): Source => ({
	raw: node.parameters,
	parameter(path, item) {
		const raw = node.parameters[path];
		return isExpression(raw) && raw.search(toolInput) >= 0
			? n8n.evaluateExpression(readable(raw.slice(1)), item)
			: n8n.getNodeParameter(path, item, null);
	},
	evaluated: (template, item) => n8n.evaluateExpression(readable(template), item),
	input: (item) => items[item]!.json,
	json: (item) => items[item]!.json,
});

/** In the text that n8n suggests for a human review, the input of the tool would read "[object Object]". */
const toolInput = /\{\{\s*\$tool\.parameters\s*\}\}/g;

const readable = (template: string) =>
	template.replace(toolInput, '{{ JSON.stringify($tool.parameters, null, 2) }}');

function contextOfHook(n8n: IExecutePaginationFunctions): RunContext {
	const node = n8n.getNode();
	const item = n8n.getItemIndex();
	const { node: caller, data } = n8n.getExecuteData();
	// Agents that call their tools themselves pass their own data instead of the node's.
	const calledByAgent = caller.id !== node.id;
	// The object with the model's arguments identifies a call, because all tries of the call get the same object. Without
	// arguments n8n returns a new item each time, so nothing identifies the call.
	const args: unknown = calledByAgent ? n8n.getInputData(0, NodeConnectionTypes.AiTool).json : null;
	return {
		...inCommon(n8n, node),
		count: 1,
		first: item,
		isOneOfSeveral: !isTool(node) && (data.main ?? []).flat().length > 1,
		source: {
			raw: node.parameters,
			parameter: (path) => n8n.getNodeParameter(path, null),
			evaluated: (template) => n8n.evaluateExpression(template, item),
			input: () => n8n.getInputData().json,
		},
		calledByAgent,
		triesKey: typeof args === 'object' ? args : null,
		kept: null,
		entries: undefined,
		isWorker: false,
		questionHost: undefined,
		hint: () => {},
	};
}

/** n8n's deduplication helpers. They fail in an unsaved workflow. Nodes without an ID would share their entries. */
function entriesOf(n8n: IExecuteFunctions, node: INode): Entries | undefined {
	const { helpers } = n8n;
	const workflow = n8n.getWorkflow().id;
	if (!node.id || !workflow) return undefined;
	const scope = 'node';
	const mode = 'entries';
	return {
		owner: `${workflow} ${node.id}`,
		count: async () => await helpers.getProcessedDataCount(scope, { mode }),
		async add(entries, maxEntries) {
			return (await helpers.checkProcessedAndRecord(entries, scope, { mode, maxEntries }))
				.processed as string[];
		},
		remove: async (entries) => await helpers.removeProcessed(entries, scope, { mode }),
		lockRow: {
			async create(entries) {
				const { processed } = await helpers.checkProcessedAndRecord(entries, 'workflow', { mode: lockMode });
				return !processed.length;
			},
			// In this mode, n8n counts the entries of rows in any mode that have several.
			size: async () => await helpers.getProcessedDataCount('workflow', { mode }),
			delete: async () => await helpers.clearAllProcessedItems('workflow', { mode: lockMode }),
		},
	};
}

/** n8n adds to a row only in the mode in which the row was created. */
const lockMode = 'lock' as DeduplicationMode;

/** Whether this process is one of several that run workflows. n8n's types do not allow to read this. */
function isWorker(n8n: IExecuteFunctions): boolean {
	const type = (n8n as { instanceSettings?: { instanceType?: unknown } }).instanceSettings?.instanceType;
	return type !== undefined && type !== 'main';
}

const inCommon = (n8n: IExecuteFunctions | IExecutePaginationFunctions, node: INode) => ({
	node,
	continues: n8n.continueOnFail(),
	signal: n8n.getExecutionCancelSignal(),
	timeOf: (date: string) => timeOf(date, n8n.getTimezone()),
	timezone: n8n.getTimezone(),
	credential: async (item = 0) => await n8n.getCredentials(credentialType, item),
	send: async (options: IHttpRequestOptions) =>
		(await n8n.helpers.httpRequestWithAuthentication.call(n8n, credentialType, options)) as ServiceAnswer,
	log: (text: string) => n8n.logger.info(text),
});

type Reader = (text: string, options: { zone: string }) => ReturnType<typeof tryToParseDateTime>;

/** n8n's own class of dates, which its package for nodes does not export. */
const luxon = tryToParseDateTime('1970-01-01').constructor as unknown as Record<string, Reader>;

/**
 * The time of a date in the notations that mean one time, in milliseconds since 1970; NaN for any other text. n8n itself would pass
 * those on to JavaScript, which reads 01.12.2030 as January 12, and "VIP 3" as March 2001.
 */
export function timeOf(date: string, timezone: string): number {
	const found = ['fromISO', 'fromSQL', 'fromRFC2822', 'fromHTTP']
		.map((reader) => luxon[reader]!(date, { zone: timezone }))
		.find(({ isValid }) => isValid);
	return found?.toMillis() ?? NaN;
}
