import 'reflect-metadata';
import { Container } from '@n8n/di';
import * as n8nWorkflow from 'n8n-workflow';
import {
	Expression,
	NodeHelpers,
	type ICredentialDataDecryptedObject,
	type IDataDeduplicator,
} from 'n8n-workflow';
import type { INode, INodeExecutionData, INodeParameters, INodeType, IRun, Workflow } from 'n8n-workflow';

import { ChatbotServiceApi } from '../../credentials/ChatbotServiceApi.credentials';
import { ChatbotService } from '../../nodes/ChatbotService/ChatbotService.node';
import { startEmulator, type Emulator, type EmulatorOptions } from '../../sandbox/emulator';
import { duringTests } from '../duringTests';
import { additionalDataOf, loadAsN8n, workflowOf, type Mode } from './n8n';
import { MemoryDeduplicator, useDeduplication } from './n8n/deduplication';

/* The node in a workflow, as n8n has it before a run, and the emulator that it talks to. */

const { properties } = new ChatbotServiceApi();

export const chatbotService = loadAsN8n(new ChatbotService());

type Node = typeof import('../../nodes/ChatbotService/ChatbotService.node');

/** The node as a process of its own loads it, with nothing in memory from other processes. */
export function nodeOfOneProcess(): INodeType {
	let loaded!: Node;
	jest.isolateModules(() => {
		jest.doMock('n8n-workflow', () => n8nWorkflow);
		loaded = jest.requireActual<Node>('../../nodes/ChatbotService/ChatbotService.node');
	});
	return loadAsN8n(new loaded.ChatbotService());
}

export interface RunOptions {
	parameters: INodeParameters;
	credential: ICredentialDataDecryptedObject;
	/** One empty item by default. */
	items?: Array<INodeExecutionData['json']>;
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
	error: (Error & { description?: string | null; context?: { itemIndex?: number } }) | undefined;
}

/** An emulator for the tests of a file: starts before them; after each test, checks the contract and resets. */
export function useEmulator(options?: EmulatorOptions): Emulator {
	const service = duringTests(async () => await startEmulator(options));
	afterEach(() => {
		try {
			service.assertContract();
		} finally {
			service.reset();
		}
	});
	return service;
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
	...{ baseUrl: url, token, tokenPlacement: 'query', tokenName: 'api_token' },
	...{ requestsPerSecond: 0, workers: 1 },
	...(changes as RunOptions['credential']),
});

/** Adds the defaults of fields that are not stored, as n8n does. */
const decryptOf = (credential: ICredentialDataDecryptedObject) => async () => {
	const given = [properties, credential as INodeParameters, true, false, null, null] as const;
	return NodeHelpers.getNodeParameters(...given) as ICredentialDataDecryptedObject;
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
export function setUp(options: RunOptions, mode: Mode = 'manual') {
	const { nodeType = chatbotService, node, parameters, credential } = options;
	const { deduplication = newDeduplication() } = options;
	const { workflowId = deduplication ? workflowIds.get(deduplication) : undefined } = options;
	const credentials = { chatbotServiceApi: { id: '1', name: 'Chatbot Service' } };
	const filled = { type: 'tested', credentials, ...node, parameters };
	const { workflow, tested } = workflowOf(nodeType, filled, workflowId, options.timezone);
	useDeduplication(workflow, deduplication ?? undefined);
	const additionalData = additionalDataOf(decryptOf(credential), mode);
	if (options.executionId === null) delete additionalData.executionId;
	if (options.webhookUrl) additionalData.webhookWaitingBaseUrl = options.webhookUrl;
	return { nodeType, workflow, tested, additionalData, used: { ...options, deduplication } };
}

export const itemsOf = ({ items }: Partial<RunOptions>): INodeExecutionData[] | undefined =>
	items?.map((json) => ({ json }));

/** The output of a node in a finished run. */
export function resultOf(run: IRun, options: RunOptions, node = 'Tested'): RunResult {
	const { runData, error } = run.data.resultData;
	const outputs = (runData[node]?.at(-1)?.data?.main ?? []) as INodeExecutionData[][];
	const json = (outputs[0] ?? []).map((item) => item.json);
	return { run, options, outputs, json, error: error as RunResult['error'] };
}

/** The preparation that the engine does before a workflow runs, in releases where an isolate evaluates expressions. */
export const prepareExpressions = async ({ expression }: Workflow) =>
	await (expression as { acquireIsolate?: () => Promise<void> }).acquireIsolate?.();

/* All n8n releases but 2.8 have more than one expression engine. By default, an engine evaluates expressions in an isolate. */
const engine = process.env.EXPRESSION_ENGINE ?? 'legacy';
const engines = Expression as unknown as {
	initExpressionEngine(options: Record<string, unknown>): Promise<void>;
	disposeExpressionEngine(): Promise<void>;
	setExpressionEngine(engine: string): void;
};

beforeAll(async () => {
	if (engine === 'legacy') return;
	const bridge = { bridgeTimeout: 5000, bridgeMemoryLimit: 128 };
	await engines.initExpressionEngine({ engine, ...bridge, poolSize: 1, maxCodeCacheSize: 1024 });
});

/* The next test file evaluates expressions before it has an engine, and each engine keeps the isolates of its runs. */
afterAll(async () => {
	if (engine === 'legacy') return;
	await engines.disposeExpressionEngine();
	engines.setExpressionEngine('legacy');
});

/* n8n-core checks its SSH connections every minute for the lifetime of the process. It does not export the class that does this. */
afterAll(() => {
	const { SSHClientsManager } = jest.requireActual<{ SSHClientsManager: new () => { onShutdown(): void } }>(
		'n8n-core/dist/execution-engine/ssh-clients-manager',
	);
	Container.get(SSHClientsManager).onShutdown();
});
