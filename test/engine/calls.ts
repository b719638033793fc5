import { ExecuteContext, SupplyDataContext } from 'n8n-core';
import {
	createRunExecutionData,
	NodeConnectionTypes,
	Workflow,
	type EngineResponse,
	type IDataObject,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
} from 'n8n-workflow';

import { nodeTypesOf, start, startNode, startRun, usualIds } from './n8n';
import { useDeduplication } from './n8n/deduplication';
import {
	chatbotService,
	itemsOf,
	prepareExpressions,
	resultOf,
	setUp,
	type RunOptions,
	type RunResult,
} from './setUp';

/* The other ways in which n8n calls the node: as a tool of AI agents, and outside a workflow. */

const toolNode = ({ node }: RunOptions) => ({ ...node, type: 'testedTool' });

/**
 * Calls the node as AI agents do: all calls of one agent share its execution data, and each has its own arguments.
 * Retry On Fail repeats a call with the same arguments.
 */
export async function callAsTool(
	options: RunOptions,
	calls: Array<{ arguments: IDataObject; tries?: number }>,
): Promise<Array<IDataObject[] | Error>> {
	const { nodeType, tested, workflow, additionalData } = setUp({ ...options, node: toolNode(options) });
	const runExecutionData = createRunExecutionData({});
	const ofAgent = { node: startNode, data: { main: [[{ json: {} }]] }, source: null };
	const results: Array<IDataObject[] | Error> = [];
	await prepareExpressions(workflow);
	let runIndex = 0;
	for (const call of calls) {
		let result: IDataObject[] | Error = [];
		for (let made = 0; made < (call.tries ?? 1); made++) {
			const context = new SupplyDataContext(
				workflow,
				tested,
				additionalData,
				'manual',
				runExecutionData,
				runIndex++,
				[{ json: {} }],
				{},
				NodeConnectionTypes.AiTool,
				ofAgent,
				[],
			);
			context.addInputData(NodeConnectionTypes.AiTool, [[{ json: call.arguments }]]);
			try {
				result = await jsonOf(nodeType, context);
				break;
			} catch (error) {
				result = error as Error;
			}
		}
		results.push(result);
	}
	return results;
}

async function jsonOf({ execute }: INodeType, context: unknown): Promise<IDataObject[]> {
	const output = (await execute!.call(context as never)) as INodeExecutionData[][];
	return output[0]!.map(({ json }) => json);
}

/**
 * Calls the node outside a workflow, as n8n's ephemeral executor does: the executor supports only nodes with `execute`, which n8n
 * adds to declarative nodes.
 */
export async function callAlone(options: RunOptions): Promise<IDataObject[]> {
	const { nodeType, tested, workflow, additionalData } = setUp(options);
	const items = itemsOf(options)!;
	const input = { main: [items] };
	await prepareExpressions(workflow);
	const context = new ExecuteContext(
		workflow,
		tested,
		additionalData,
		'internal',
		createRunExecutionData({}),
		0,
		items,
		input,
		{ node: tested, data: input, source: null },
		[],
	);
	return await jsonOf(nodeType, context);
}

/** An AI agent that lets n8n run its tools: it requests calls, is called again with their results, and outputs these. */
const agent: INodeType = {
	description: { ...start.description, inputs: ['main', { type: NodeConnectionTypes.AiTool }] },
	async execute(this: IExecuteFunctions, response?: EngineResponse) {
		if (response?.actionResponses.length) {
			const answers = response.actionResponses.map(({ data }) => data.data?.ai_tool?.[0] ?? []);
			return [answers.flat().map(({ json }) => ({ json }))];
		}
		const actions = this.getInputData().map(({ json }, itemIndex) => ({
			actionType: 'ExecutionNodeAction' as const,
			nodeName: 'Tested',
			input: json,
			type: NodeConnectionTypes.AiTool,
			id: `call-${itemIndex}`,
			metadata: { itemIndex },
		}));
		return { actions, metadata: {} } as never;
	},
};

/**
 * Calls the node as newer AI agents do: n8n's engine runs it once for each call, with the arguments as its item.
 *
 * @returns what the agent received, by call
 */
export async function callByEngine(options: RunOptions, calls: IDataObject[]): Promise<RunResult> {
	// This path exists only for custom operations.
	const byRouting = async () => await Promise.reject(new Error('It was called in the other way'));
	const nodeType = { ...chatbotService, description: chatbotService.description, execute: byRouting };
	const { tested, additionalData, used } = setUp({ ...options, node: toolNode(options) });
	const workflow = new Workflow({
		id: used.workflowId === null ? undefined : (used.workflowId ?? usualIds.workflowId),
		active: false,
		settings: { executionOrder: 'v1' },
		nodes: [startNode, { ...startNode, id: 'agent', name: 'Agent', type: 'agent' }, tested],
		connections: {
			Start: { main: [[{ node: 'Agent', type: NodeConnectionTypes.Main, index: 0 }]] },
			Tested: { ai_tool: [[{ node: 'Agent', type: NodeConnectionTypes.AiTool, index: 0 }]] },
		},
		nodeTypes: nodeTypesOf({ start, agent, testedTool: nodeType }),
	});
	useDeduplication(workflow, used.deduplication ?? undefined);
	const items = calls.map((json) => ({ json }));
	const run = await startRun(workflow, additionalData, 'manual', items);
	return resultOf(run, used, 'Agent');
}
