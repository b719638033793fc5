import { ExecutionLifecycleHooks, WorkflowExecute } from 'n8n-core';
import {
	createRunExecutionData,
	ICredentialsHelper,
	NodeHelpers,
	Workflow,
	type ICredentialDataDecryptedObject,
	type IExecuteFunctions,
	type IHttpRequestOptions,
	type INode,
	type INodeCredentialsDetails,
	type INodeType,
	type INodeTypes,
	type IRun,
	type IWorkflowExecuteAdditionalData,
} from 'n8n-workflow';
import { setImmediate } from 'node:timers/promises';

import { ChatbotServiceApi } from '../../credentials/ChatbotServiceApi.credentials';
import type { Job } from '../job';
import type { Contender } from './nodes';

/* Runs a node through WorkflowExecute, as the editor's "Execute workflow" does. */

const ourCredential = new ChatbotServiceApi();

class BenchCredentials extends ICredentialsHelper {
	private readonly data: Record<string, ICredentialDataDecryptedObject>;

	constructor({ url, token, requestsPerSecond }: Job) {
		super();
		this.data = {
			chatbotServiceApi: {
				baseUrl: url,
				token,
				tokenPlacement: 'query',
				tokenName: 'api_token',
				requestsPerSecond,
				workers: 1,
			},
			httpQueryAuth: { name: 'api_token', value: token },
		};
	}

	getParentTypes(): string[] {
		return [];
	}

	isCredentialUsableByNode(): boolean {
		return true;
	}

	async authenticate(credentials: ICredentialDataDecryptedObject, _type: string, options: unknown) {
		return await ourCredential.authenticate(credentials, options as IHttpRequestOptions);
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

	async getDecrypted(_data: IWorkflowExecuteAdditionalData, _node: INodeCredentialsDetails, type: string) {
		// n8n asks its database here, so that the event loop goes round before the answer is there.
		await setImmediate();
		return { ...this.data[type] };
	}

	async updateCredentials() {}

	async updateCredentialsOauthTokenData() {}

	getCredentialsProperties() {
		return ourCredential.properties;
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

/** A workflow of two nodes, a start that hands on the items and the contender. @returns what runs it once */
export function prepareRun(contender: Contender, job: Job, items: Array<Record<string, unknown>>) {
	const { nodeType, typeName, typeVersion, credentialType, parameters } = contender;
	const types: Record<string, INodeType> = { start, [typeName]: nodeType };
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
		type: typeName,
		typeVersion,
		position: [0, 0],
		parameters: {},
		credentials: { [credentialType]: { id: '1', name: 'Account' } },
		...(job.retry && { retryOnFail: true, maxTries: job.retry.tries, waitBetweenTries: job.retry.waitMs }),
	};
	tested.parameters =
		NodeHelpers.getNodeParameters(
			nodeType.description.properties,
			parameters,
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
	const additionalData = {
		hooks: new ExecutionLifecycleHooks('trigger', 'execution', { id: 'workflow', name: 'workflow' } as never),
		executionId: 'execution',
		currentNodeExecutionIndex: 0,
		restApiUrl: 'http://n8n/rest',
		instanceBaseUrl: 'http://n8n/',
		webhookBaseUrl: 'http://n8n/webhook',
		webhookWaitingBaseUrl: 'http://n8n/webhook-waiting',
		formWaitingBaseUrl: 'http://n8n/form-waiting',
		credentialsHelper: new BenchCredentials(job),
		variables: {},
	} as unknown as IWorkflowExecuteAdditionalData;
	const main = [items.map((json, item) => ({ json, pairedItem: { item } }))];
	const data = createRunExecutionData({
		executionData: { nodeExecutionStack: [{ node: startNode, data: { main }, source: null }] } as never,
	});
	return async (): Promise<IRun> =>
		await new WorkflowExecute(additionalData, 'trigger', data).processRunExecutionData(workflow);
}
