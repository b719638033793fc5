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

/* The other ways in which n8n calls the node: as a tool of AI agents, in a loop, outside a workflow, and by its engine 2.0. */

const toolNode = ({ node }: RunOptions) => ({ ...node, type: 'testedTool' });

/**
 * Calls the node as AI agents do: all calls of one agent share its execution data, and each has its own arguments.
 * Retry On Fail repeats a call with the same arguments.
 *
 * @param options with the items of the agent
 */
export async function callAsTool(
	options: RunOptions,
	calls: Array<{ arguments: IDataObject; tries?: number }>,
): Promise<Array<IDataObject[] | Error>> {
	const { nodeType, tested, workflow, additionalData } = setUp({ ...options, node: toolNode(options) });
	const runExecutionData = createRunExecutionData({});
	const ofAgent = { node: startNode, data: { main: [itemsOf(options) ?? [{ json: {} }]] }, source: null };
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
				result = (await executed(nodeType, context)).map(({ json }) => json);
				break;
			} catch (error) {
				result = error as Error;
			}
		}
		results.push(result);
	}
	return results;
}

async function executed({ execute }: INodeType, context: unknown): Promise<INodeExecutionData[]> {
	const output = (await execute!.call(context as never)) as INodeExecutionData[][];
	return output[0]!;
}

/**
 * Calls the node outside a workflow, as n8n's ephemeral executor does: the executor supports only nodes with `execute`, which n8n
 * adds to declarative nodes.
 */
export const callAlone = async (options: RunOptions): Promise<IDataObject[]> =>
	(await itemsAlone(options)).map(({ json }) => json);

async function itemsAlone(options: RunOptions): Promise<INodeExecutionData[]> {
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
	return await executed(nodeType, context);
}

/**
 * Runs the node as n8n's engine 2.0 does. On the line of that engine, its own package does this; otherwise, as there, n8n calls the
 * `execute` that it adds to declarative nodes.
 */
export async function callBySecondEngine(options: RunOptions): Promise<INodeExecutionData[]> {
	if (process.env.ENGINE !== 'engine-2.0') return await itemsAlone(options);
	const { nodeType, tested, workflow, additionalData } = setUp(options);
	const { V1StepExecutor } = jest.requireActual<{ V1StepExecutor: new (n8n: object) => StepExecutor }>(
		'@n8n/node-engine-compatibility',
	);
	const { onError = 'stopWorkflow' } = options.node ?? {};
	const config = {
		...{
			nodeType: tested.type,
			typeVersion: 1,
			parameters: tested.parameters,
			credentials: tested.credentials,
		},
		continueOnFail: onError !== 'stopWorkflow',
	};
	const node = { id: 'b', name: tested.name, type: 'v1-node', config };
	const outputs = [itemsOf(options)!];
	const executor = new V1StepExecutor({
		nodeTypes: nodeTypesOf({ start, [tested.type]: nodeType }),
		additionalDataFactory: async () => await Promise.resolve(additionalData),
		loadStepData: async () =>
			await Promise.resolve({
				graph: {
					nodes: [{ id: 'a', name: startNode.name, type: 'trigger' }, node],
					edges: [{ from: 'a', to: 'b', outputIndex: 0, inputIndex: 0 }],
				},
				outputsByNode: { a: { 0: outputs } },
			}),
	});
	const context = {
		...{ executionId: 'execution', workflowId: workflow.id, iteration: 0, stepId: 'step' },
		callerContext: { hostMode: 'manual' },
	};
	const step = await executor.execute({ node, inputs: outputs, context });
	return step.outputs[0]!;
}

/** What the tests use of `@n8n/node-engine-compatibility`. */
interface StepExecutor {
	execute(request: object): Promise<{ outputs: INodeExecutionData[][] }>;
}

/** n8n's Loop Over Items, as small as it can be. */
const loop: INodeType = {
	description: {
		...{ ...start.description, inputs: ['main'], outputs: ['main', 'main'] },
		properties: [{ displayName: 'Size', name: 'size', type: 'number', default: 1 }],
	},
	async execute(this: IExecuteFunctions) {
		const kept = this.getContext('node') as { left?: INodeExecutionData[] };
		kept.left ??= this.getInputData().map((each, item) => ({ ...each, pairedItem: { item } }));
		const batch = kept.left.splice(0, this.getNodeParameter('size', 0) as number);
		return await Promise.resolve(batch.length ? [[], batch] : [[{ json: {} }], []]);
	},
};

/** Runs the node in a loop. @param size of a batch @returns the result of each batch; the last one has the error that stopped the execution */
export async function runInLoop(options: RunOptions, size: number): Promise<RunResult[]> {
	const { nodeType, tested, additionalData, used } = setUp(options);
	const to = (node: string) => ({ node, type: NodeConnectionTypes.Main, index: 0 });
	const workflow = new Workflow({
		id: used.workflowId ?? usualIds.workflowId,
		active: false,
		settings: { executionOrder: 'v1', ...(options.timezone && { timezone: options.timezone }) },
		nodes: [
			startNode,
			{ ...startNode, id: 'loop', name: 'Loop', type: 'loop', parameters: { size } },
			tested,
		],
		connections: {
			Start: { main: [[to('Loop')]] },
			Loop: { main: [[], [to('Tested')]] },
			Tested: { main: [[to('Loop')], [to('Loop')]] },
		},
		nodeTypes: nodeTypesOf({ start, loop, [tested.type]: nodeType }),
	});
	useDeduplication(workflow, used.deduplication ?? undefined);
	const execution = startRun(workflow, additionalData, 'manual', itemsOf(options)!);
	options.onStart?.(() => execution.cancel());
	const run = await execution;
	const { runData, error } = run.data.resultData;
	if (!runData.Tested) return [resultOf(run, used)];
	return runData.Tested.map((batch, index, { length }) => {
		const resultData = { runData: { Tested: [batch] }, ...(index === length - 1 && { error }) };
		return resultOf({ ...run, data: { ...run.data, resultData } } as never, used);
	});
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
