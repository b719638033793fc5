import 'reflect-metadata';
import { Container } from '@n8n/di';
import { DirectoryLoader, ExecutionLifecycleHooks, RoutingNode, WorkflowExecute } from 'n8n-core';
import {
	createRunExecutionData,
	ICredentialsHelper,
	NodeHelpers,
	Workflow,
	type ICredentialDataDecryptedObject,
	type IExecuteFunctions,
	type IHttpRequestOptions,
	type INode,
	type INodeExecutionData,
	type INodeParameters,
	type INodeType,
	type INodeTypes,
	type IRun,
	type IWorkflowExecuteAdditionalData,
} from 'n8n-workflow';

import { ChatbotServiceApi } from '../../credentials/ChatbotServiceApi.credentials';
import { ChatbotService } from '../../nodes/ChatbotService/ChatbotService.node';

/* Runs the node through n8n-core's own WorkflowExecute and RoutingNode, as the editor's "Execute workflow" does. */

const credentialType = new ChatbotServiceApi();

/** n8n's helper reads credentials from its database; this one from the test. */
class TestCredentials extends ICredentialsHelper {
	constructor(private readonly data: ICredentialDataDecryptedObject) {
		super();
	}

	getParentTypes(): string[] {
		return [];
	}

	isCredentialUsableByNode(): boolean {
		return true;
	}

	async authenticate(credentials: ICredentialDataDecryptedObject, _type: string, options: unknown) {
		return await credentialType.authenticate(credentials, options as IHttpRequestOptions);
	}

	async preAuthentication() {
		return undefined;
	}

	async runPreAuthentication() {
		return undefined;
	}

	async getCredentials(): Promise<never> {
		throw new Error('not used');
	}

	async getDecrypted() {
		return { ...this.data };
	}

	async updateCredentials() {}

	async updateCredentialsOauthTokenData() {}

	getCredentialsProperties() {
		return credentialType.properties;
	}
}

const start: INodeType = {
	description: {
		displayName: 'Start',
		name: 'start',
		group: ['trigger'],
		version: 1,
		description: '',
		defaults: { name: 'Start' },
		inputs: [],
		outputs: ['main'],
		properties: [],
	},
	async execute(this: IExecuteFunctions) {
		return [this.getInputData()];
	},
};

/** A node type as n8n loads it: with 'Request Options', and with an `execute` that is the declarative engine. */
export function loadAsN8n(nodeType: INodeType): INodeType {
	DirectoryLoader.applyDeclarativeNodeOptionParameters(nodeType);
	nodeType.execute = async function (this: IExecuteFunctions) {
		return (await new RoutingNode(this as never, nodeType).runNode()) as INodeExecutionData[][];
	};
	return nodeType;
}

const chatbotService = loadAsN8n(new ChatbotService());

export interface RunOptions {
	parameters: INodeParameters;
	credential: ICredentialDataDecryptedObject;
	/** One empty item by default. */
	items?: Array<INodeExecutionData['json']>;
	/** On Error, Retry On Fail, Execute Once and so on. */
	node?: Partial<INode>;
	nodeType?: INodeType;
	onStart?: (cancel: () => void) => void;
}

export interface RunResult {
	run: IRun;
	/** Items by output; the second is the error output. */
	outputs: INodeExecutionData[][];
	/** What the items of the first output hold. */
	json: Array<INodeExecutionData['json']>;
	/** The error that stopped the run. */
	error: (Error & { description?: string | null; context?: { itemIndex?: number }; httpCode?: string }) | undefined;
}

/** Runs one workflow of two nodes: a start that hands on the items, and the node. */
export async function runNode(options: RunOptions): Promise<RunResult> {
	const nodeType = options.nodeType ?? chatbotService;
	const types: Record<string, INodeType> = { start, tested: nodeType };
	const nodeTypes = {
		getByName: (name: string) => types[name],
		getByNameAndVersion: (name: string) => types[name],
		getKnownTypes: () => ({}),
	} as unknown as INodeTypes;
	const startNode: INode = {
		id: 'start',
		name: 'Start',
		type: 'start',
		typeVersion: 1,
		position: [0, 0],
		parameters: {},
	};
	const tested: INode = {
		id: 'tested',
		name: 'Tested',
		type: 'tested',
		typeVersion: 1,
		position: [0, 0],
		parameters: {},
		credentials: { chatbotServiceApi: { id: '1', name: 'Chatbot Service' } },
		...options.node,
	};
	tested.parameters =
		NodeHelpers.getNodeParameters(
			nodeType.description.properties,
			options.parameters,
			true,
			false,
			tested,
			nodeType.description,
		) ?? {};
	const workflow = new Workflow({
		id: 'workflow',
		active: false,
		settings: { executionOrder: 'v1' },
		nodes: [startNode, tested],
		connections: { Start: { main: [[{ node: 'Tested', type: 'main', index: 0 }]] } },
		nodeTypes,
	});
	const items = (options.items ?? [{}]).map((json, item) => ({ json, pairedItem: { item } }));
	const additionalData = {
		hooks: new ExecutionLifecycleHooks('manual', 'execution', { id: 'workflow', name: 'workflow' } as never),
		executionId: 'execution',
		currentNodeExecutionIndex: 0,
		restApiUrl: 'http://n8n/rest',
		instanceBaseUrl: 'http://n8n/',
		webhookBaseUrl: 'http://n8n/webhook',
		webhookWaitingBaseUrl: 'http://n8n/webhook-waiting',
		formWaitingBaseUrl: 'http://n8n/form-waiting',
		credentialsHelper: new TestCredentials(options.credential),
		variables: {},
	} as unknown as IWorkflowExecuteAdditionalData;
	const data = createRunExecutionData({
		executionData: { nodeExecutionStack: [{ node: startNode, data: { main: [items] }, source: null }] } as never,
	});
	const execution = new WorkflowExecute(additionalData, 'manual', data).processRunExecutionData(workflow);
	options.onStart?.(() => execution.cancel());
	const run = await execution;
	const outputs = (run.data.resultData.runData.Tested?.at(-1)?.data?.main ?? []) as INodeExecutionData[][];
	return {
		run,
		outputs,
		json: (outputs[0] ?? []).map((item) => item.json),
		error: run.data.resultData.error as RunResult['error'],
	};
}

/* n8n-core keeps looking at its SSH connections every minute for as long as the process lives. */
afterAll(() => {
	const { SSHClientsManager } = jest.requireActual<{ SSHClientsManager: new () => { onShutdown(): void } }>(
		'n8n-core/dist/execution-engine/ssh-clients-manager',
	);
	Container.get(SSHClientsManager).onShutdown();
});
