import 'reflect-metadata';
import { Container } from '@n8n/di';
import { ExecuteContext, LoadOptionsContext, SupplyDataContext, WebhookContext } from 'n8n-core';
import {
	createRunExecutionData,
	Expression,
	NodeConnectionTypes,
	NodeHelpers,
	Workflow,
	type EngineResponse,
	type ICredentialDataDecryptedObject,
	type IDataDeduplicator,
	type IDataObject,
	type IExecuteFunctions,
	type INode,
	type INodeExecutionData,
	type INodeListSearchResult,
	type ResourceMapperFields,
	type INodeParameters,
	type INodeType,
	type INodeTypeDescription,
	type IRun,
} from 'n8n-workflow';

import { ChatbotServiceApi } from '../../credentials/ChatbotServiceApi.credentials';
import { ChatbotService } from '../../nodes/ChatbotService/ChatbotService.node';
import { until as patiently } from '../../sandbox/processes/poll';
import { startEmulator, type Emulator, type EmulatorOptions } from '../../sandbox/emulator';
import {
	additionalDataOf,
	loadAsN8n,
	loadedData,
	nodeTypesOf,
	start,
	startNode,
	startRetry,
	startRun,
	usualIds,
	workflowOf,
	type Mode,
} from '../../sandbox/workflow';
import { MemoryDeduplicator, useDeduplication } from '../../sandbox/workflow/deduplication';

/* Runs the node through n8n-core's own WorkflowExecute and RoutingNode, as the editor's "Execute workflow" does. */

const credentialType = new ChatbotServiceApi();

const chatbotService = loadAsN8n(new ChatbotService());

export interface RunOptions {
	parameters: INodeParameters;
	credential: ICredentialDataDecryptedObject;
	/** One empty item by default. */
	items?: Array<INodeExecutionData['json']>;
	/** Used in place of `items`: items with more than JSON data. */
	rawItems?: INodeExecutionData[];
	/** On Error, Retry On Fail, Execute Once and so on. */
	node?: Partial<INode>;
	nodeType?: INodeType;
	/** 'workflow' by default; null for a workflow that has never been saved. */
	workflowId?: string | null;
	/** Of the workflow; by default that of n8n, America/New_York. */
	timezone?: string;
	/** null for an execution that n8n does not keep, as some of its own tools have. */
	executionId?: null;
	/** The beginning of the links to waiting executions. */
	webhookUrl?: string;
	/** Stores entries from run to run; null for an n8n without a store. By default each run has a new one, in its own workflow. */
	deduplication?: IDataDeduplicator | null;
	onStart?: (cancel: () => void) => void;
}

export interface RunResult {
	run: IRun;
	/** The options of the run, including its deduplication. */
	options: RunOptions;
	/** Items by output; the second is the error output. */
	outputs: INodeExecutionData[][];
	/** The JSON data of the first output's items. */
	json: Array<INodeExecutionData['json']>;
	/** The error that stopped the run. */
	error:
		| (Error & { description?: string | null; context?: { itemIndex?: number }; httpCode?: string })
		| undefined;
}

/** A node type that a test defines. */
export const nodeTypeOf = ({
	description,
	...methods
}: Omit<INodeType, 'description'> & { description?: Partial<INodeTypeDescription> }): INodeType => ({
	...methods,
	description: {
		displayName: 'Made Up',
		name: 'madeUp',
		group: [],
		version: 1,
		description: '',
		defaults: { name: 'Made Up' },
		inputs: ['main'],
		outputs: ['main'],
		properties: [],
		...description,
	},
});

/** An emulator for the tests of a file: starts before them; after each test, checks the contract and resets. */
export function useEmulator(options?: EmulatorOptions): Emulator {
	let started: Emulator;
	beforeAll(async () => {
		started = await startEmulator(options);
	});
	afterEach(() => {
		try {
			started.assertContract();
		} finally {
			started.reset();
		}
	});
	afterAll(async () => await started.stop());
	return new Proxy({} as Emulator, { get: (_, key: keyof Emulator) => started[key] });
}

/** The body of a concurrent test, with an emulator of its own: Jest runs no `afterEach` for concurrent tests. */
export const withEmulator =
	<Row extends unknown[]>(body: (service: Emulator, ...row: Row) => Promise<void>) =>
	async (...row: Row) => {
		const service = await startEmulator();
		try {
			await body(service, ...row);
			service.assertContract();
		} finally {
			await service.stop();
		}
	};

/** A credential for the emulator without a rate limit. */
export const credentialFor = (
	{ url, token }: Pick<Emulator, 'url' | 'token'>,
	changes: Record<string, unknown> = {},
): RunOptions['credential'] => ({
	baseUrl: url,
	token,
	tokenPlacement: 'query',
	tokenName: 'api_token',
	requestsPerSecond: 0,
	workers: 1,
	...(changes as RunOptions['credential']),
});

/** Adds the defaults of fields that are not stored, as n8n does. */
const decryptOf = (credential: ICredentialDataDecryptedObject) => async () => {
	const values = credential as INodeParameters;
	const { properties } = credentialType;
	return NodeHelpers.getNodeParameters(
		properties,
		values,
		true,
		false,
		null,
		null,
	) as ICredentialDataDecryptedObject;
};

let workflows = 0;

/** A workflow ID that no other test uses: state that runs of one workflow share lasts as long as the process. */
export const newWorkflowId = () => `workflow ${++workflows}`;

/** The workflows of runs without a deduplication of their own. */
const workflowIds = new WeakMap<IDataDeduplicator, string>();

function newDeduplication(): MemoryDeduplicator {
	const deduplication = new MemoryDeduplicator();
	workflowIds.set(deduplication, newWorkflowId());
	return deduplication;
}

/** A workflow of two nodes, a start node and the node under test, with the data that n8n keeps for a run. */
function setUp(options: RunOptions, mode: Mode = 'manual') {
	const { nodeType = chatbotService, node, parameters, credential } = options;
	const { deduplication = newDeduplication() } = options;
	const { workflowId = deduplication ? workflowIds.get(deduplication) : undefined } = options;
	const credentials = { chatbotServiceApi: { id: '1', name: 'Chatbot Service' } };
	const { workflow, tested } = workflowOf(
		nodeType,
		{ type: 'tested', credentials, ...node, parameters },
		workflowId,
		options.timezone,
	);
	useDeduplication(workflow, deduplication ?? undefined);
	const additionalData = additionalDataOf(decryptOf(credential), mode);
	if (options.executionId === null) delete additionalData.executionId;
	if (options.webhookUrl) additionalData.webhookWaitingBaseUrl = options.webhookUrl;
	return { nodeType, workflow, tested, additionalData, used: { ...options, deduplication } };
}

/** The output of a node in a finished run. */
function resultOf(run: IRun, options: RunOptions, node = 'Tested'): RunResult {
	const { runData, error } = run.data.resultData;
	const outputs = (runData[node]?.at(-1)?.data?.main ?? []) as INodeExecutionData[][];
	return {
		run,
		options,
		outputs,
		json: (outputs[0] ?? []).map((item) => item.json),
		error: error as RunResult['error'],
	};
}

/** The execution hints that n8n shows above the output. */
export const hintsOf = ({ run: { data } }: RunResult): string[] =>
	data.resultData.runData.Tested?.at(-1)?.hints?.map(({ message }) => message) ?? [];

const itemsOf = ({ rawItems, items }: Partial<RunOptions>): INodeExecutionData[] | undefined =>
	rawItems ?? items?.map((json) => ({ json }));

/** Runs the workflow: the start node passes all items to the node. */
export async function runNode(options: RunOptions): Promise<RunResult> {
	const { workflow, additionalData, used } = setUp(options);
	const items = itemsOf(options) ?? [{ json: {} }];
	const execution = startRun(workflow, additionalData, 'manual', startNode, items);
	options.onStart?.(() => execution.cancel());
	return resultOf(await execution, used);
}

/** Starts a run that can be stopped, as users do. */
export function stoppable(start: (onStart: RunOptions['onStart']) => Promise<RunResult>) {
	let stop = () => {};
	const ended = start((cancel) => (stop = cancel));
	return { ended, stop: () => stop() };
}

/**
 * Retries a failed run, as n8n does from its list of executions: the node runs again with its items and with the context that
 * it left.
 *
 * @param changes to the options of the run. With parameters or node settings this is 'Retry with currently saved workflow',
 * without them 'Retry with original workflow'. Items replace the items that the node had
 * @throws if the run has not failed
 */
export async function retryNode(failed: RunResult, changes: Partial<RunOptions> = {}): Promise<RunResult> {
	const { onStart: _, ...before } = failed.options;
	const { workflow, additionalData, used } = setUp({ ...before, ...changes }, 'retry');
	const execution = startRetry(workflow, additionalData, failed.run, {
		loadWorkflow: 'parameters' in changes || 'node' in changes,
		items: itemsOf(changes),
	});
	changes.onStart?.(() => execution.cancel());
	return resultOf(await execution, used);
}

/** A request for the link of a waiting execution. */
export interface LinkRequest {
	method?: string;
	body?: unknown;
	/** The parameters of the link, which n8n has verified by then; by default those in the link. */
	query?: Record<string, unknown>;
}

/** What a person gets, and what the workflow gets: undefined while the execution continues to wait. */
export interface Opened {
	status?: number;
	headers: Record<string, string>;
	html: string;
	items: INodeExecutionData[] | undefined;
}

/**
 * Opens the link of a waiting execution, as n8n does when its signature is right: the execution is loaded from the database, and the
 * node's `webhook` is called.
 *
 * @param spoil changes the context that n8n gives to the node
 */
export async function openLink(
	{ run, options }: RunResult,
	link: string,
	{ method = 'GET', body, query = Object.fromEntries(new URL(link).searchParams) }: LinkRequest = {},
	spoil: (context: Record<string, unknown>) => void = () => {},
): Promise<Opened> {
	const { nodeType, tested, workflow, additionalData } = setUp(options);
	const opened: Opened = { headers: {}, html: '', items: undefined };
	const response = {
		status(code: number) {
			opened.status = code;
			return this;
		},
		set(headers: Record<string, string>) {
			Object.assign(opened.headers, headers);
			return this;
		},
		send(html: string) {
			opened.html = html;
		},
	};
	additionalData.httpRequest = { method, query, body, headers: {} } as never;
	additionalData.httpResponse = response as never;
	await prepareExpressions(workflow);
	const context = new WebhookContext(
		workflow,
		tested,
		additionalData,
		'manual',
		{} as never,
		[],
		loadedData(run),
	);
	spoil(context as never);
	const result = await nodeType.webhook!.call(context as never);
	expect(result.noWebhookResponse).toBe(true);
	opened.items = result.workflowData?.[0];
	return opened;
}

/** The preparation that the engine does before a workflow runs, in releases where an isolate evaluates expressions. */
const prepareExpressions = async ({ expression }: Workflow) =>
	await (expression as { acquireIsolate?: () => Promise<void> }).acquireIsolate?.();

/**
 * Calls the node as AI agents do: all calls of one agent share its execution data, and each has its own arguments.
 * Retry On Fail repeats a call with the same arguments.
 */
export async function callAsTool(
	options: RunOptions,
	calls: Array<{ arguments: IDataObject; tries?: number }>,
): Promise<Array<IDataObject[] | Error>> {
	// n8n adds a second node type with this name, which is the tool.
	const node = { ...options.node, type: 'testedTool' };
	const { nodeType, tested, workflow, additionalData } = setUp({ ...options, node });
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
				const output = (await nodeType.execute!.call(context as never)) as INodeExecutionData[][];
				result = output[0]!.map(({ json }) => json);
				break;
			} catch (error) {
				result = error as Error;
			}
		}
		results.push(result);
	}
	return results;
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
	const output = (await nodeType.execute!.call(context)) as INodeExecutionData[][];
	return output[0]!.map(({ json }) => json);
}

/** An AI agent that lets n8n run its tools: it requests calls, is called again with their results, and outputs these. */
const agent = nodeTypeOf({
	description: { inputs: ['main', { type: NodeConnectionTypes.AiTool }] },
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
});

/**
 * Calls the node as newer AI agents do: n8n's engine runs it once for each call, with the arguments as its item.
 *
 * @returns what the agent received, by call
 */
export async function callByEngine(options: RunOptions, calls: IDataObject[]): Promise<RunResult> {
	// This path exists only for custom operations.
	const byRouting = async () => await Promise.reject(new Error('It was called in the other way'));
	const nodeType = { ...chatbotService, description: chatbotService.description, execute: byRouting };
	const node = { ...options.node, type: 'testedTool' };
	const { tested, additionalData, used } = setUp({ ...options, node });
	const main = (node: string) => [[{ node, type: NodeConnectionTypes.Main, index: 0 }]];
	const workflow = new Workflow({
		id: used.workflowId === null ? undefined : (used.workflowId ?? usualIds.workflowId),
		active: false,
		settings: { executionOrder: 'v1' },
		nodes: [startNode, { ...startNode, id: 'agent', name: 'Agent', type: 'agent' }, tested],
		connections: {
			Start: { main: main('Agent') },
			Tested: { ai_tool: [[{ node: 'Agent', type: NodeConnectionTypes.AiTool, index: 0 }]] },
		},
		nodeTypes: nodeTypesOf({ start, agent, testedTool: nodeType }),
	});
	useDeduplication(workflow, used.deduplication ?? undefined);
	const run = await startRun(
		workflow,
		additionalData,
		'manual',
		startNode,
		calls.map((json) => ({ json })),
	);
	return resultOf(run, used, 'Agent');
}

/**
 * Loads a list as the editor does when the user opens 'From list' of a field.
 *
 * @param method name of the method in the node's `methods.listSearch`
 * @param options with the parameters as the editor holds them, with expressions resolved
 * @param asked the text in the search box, and where the last page ended
 * @throws the error that the editor shows instead of the list
 */
export async function loadList(
	method: string,
	options: RunOptions,
	asked: { filter?: string; paginationToken?: string } = {},
): Promise<INodeListSearchResult> {
	const { nodeType, context } = inEditor(options);
	const search = nodeType.methods!.listSearch![method]!;
	return await search.call(context, asked.filter, asked.paginationToken);
}

/** Loads the fields of a resource mapper, as the editor does. @param method name in the node's `methods.resourceMapping` */
export async function loadFields(method: string, options: RunOptions): Promise<ResourceMapperFields> {
	const { nodeType, context } = inEditor(options);
	return await nodeType.methods!.resourceMapping![method]!.call(context);
}

function inEditor(options: RunOptions) {
	const { nodeType, tested, workflow, additionalData } = setUp(options);
	additionalData.currentNodeParameters = tested.parameters;
	return { nodeType, context: new LoadOptionsContext(workflow, tested, additionalData, '') as never };
}

/* All n8n releases but 2.8 have more than one expression engine. By default, an engine evaluates expressions in an isolate. */
beforeAll(async () => {
	const engine = process.env.EXPRESSION_ENGINE ?? 'legacy';
	if (engine === 'legacy') return;
	const { initExpressionEngine } = Expression as unknown as {
		initExpressionEngine(options: Record<string, unknown>): Promise<void>;
	};
	await initExpressionEngine.call(Expression, {
		engine,
		bridgeTimeout: 5000,
		bridgeMemoryLimit: 128,
		poolSize: 1,
		maxCodeCacheSize: 1024,
	});
});

/* n8n-core checks its SSH connections every minute for the lifetime of the process. It does not export the class that does this. */
const sshClients = 'n8n-core/dist/execution-engine/ssh-clients-manager';
afterAll(() => {
	let loaded: { SSHClientsManager: new () => { onShutdown(): void } };
	try {
		loaded = jest.requireActual(sshClients);
	} catch (cause) {
		throw new Error(
			`This n8n-core has no ${sshClients}. Find what checks its SSH connections now, and stop it in test/engine/harness.ts.`,
			{ cause },
		);
	}
	Container.get(loaded.SSHClientsManager).onShutdown();
});

/** Waits for a condition during a run. */
export const until = async (isMet: () => boolean): Promise<void> =>
	await patiently(isMet, { timeoutMs: 10_000, everyMs: 5 });
