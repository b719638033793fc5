import { DirectoryLoader, ExecutionLifecycleHooks, RoutingNode, WorkflowExecute } from 'n8n-core';
import {
	createRunExecutionData,
	jsonParse,
	jsonStringify,
	NodeHelpers,
	Workflow,
	type ICredentialDataDecryptedObject,
	type ICredentialsHelper,
	type IExecuteFunctions,
	type IHttpRequestOptions,
	type INode,
	type INodeExecutionData,
	type INodeParameters,
	type INodeType,
	type INodeTypes,
	type IRun,
	type IRunExecutionData,
	type IWorkflowExecuteAdditionalData as AdditionalData,
} from 'n8n-workflow';

import { ChatbotServiceApi } from '../../../credentials/ChatbotServiceApi.credentials';

/*
 * What n8n has around its engine, without its database: node types, credentials, a workflow, a run. The importing code
 * determines the n8n release line of the engine, by how it resolves `n8n-core` and `n8n-workflow`.
 */

type Decrypt = (type: string) => Promise<ICredentialDataDecryptedObject>;

export type Mode = 'manual' | 'trigger' | 'retry';

const ourCredential = new ChatbotServiceApi();

/** n8n's own helper reads credentials from its database. It evaluates their expressions in the same way. */
const credentialsHelperOf = (decrypt: Decrypt) =>
	({
		getParentTypes: () => [],
		isCredentialUsableByNode: () => true,
		preAuthentication: async () => undefined,
		runPreAuthentication: async () => undefined,
		authenticate: async (credentials, _type, options) =>
			await ourCredential.authenticate(credentials, options as IHttpRequestOptions),
		async getDecrypted(_data, _node, type, mode, executeData, _raw, resolveWith) {
			const stored = (await decrypt(type)) as INodeParameters;
			if (!resolveWith) return stored as ICredentialDataDecryptedObject;
			const { workflow, runExecutionData, runIndex, itemIndex, node, connectionInputData } = resolveWith;
			return workflow.expression.getParameterValue(
				...([stored, runExecutionData, runIndex, itemIndex, node.name, connectionInputData] as const),
				...([mode, {}, executeData, false, stored] as const),
			) as ICredentialDataDecryptedObject;
		},
		getCredentialsProperties: () => ourCredential.properties,
	}) satisfies Partial<ICredentialsHelper> & Record<string, unknown>;

/** The type of a node that passes on its items. */
export const start: INodeType = {
	description: {
		...{ displayName: 'Start', name: 'start', group: ['trigger'], version: 1, description: '' },
		...{ defaults: { name: 'Start' }, inputs: [], outputs: ['main'], properties: [] },
	},
	async execute(this: IExecuteFunctions) {
		return [this.getInputData()];
	},
};

const usualNode = { typeVersion: 1, position: [0, 0] as [number, number], parameters: {} };
export const startNode: INode = { id: 'start', name: 'Start', type: 'start', ...usualNode };

/** A node type as n8n loads it: with 'Request Options', and with an `execute` that runs the declarative engine. */
export function loadAsN8n(nodeType: INodeType): INodeType {
	DirectoryLoader.applyDeclarativeNodeOptionParameters(nodeType);
	nodeType.execute = async function (this: IExecuteFunctions) {
		return (await new RoutingNode(this as never, nodeType).runNode()) as INodeExecutionData[][];
	};
	return nodeType;
}

export const nodeTypesOf = (types: Record<string, INodeType>) =>
	({
		getByName: (name: string) => types[name],
		getByNameAndVersion: (name: string) => types[name],
		getKnownTypes: () => ({}),
	}) as unknown as INodeTypes;

/** What n8n keeps for a run. */
export const additionalDataOf = (decrypt: Decrypt, mode: Mode) =>
	({
		hooks: new ExecutionLifecycleHooks(mode, 'execution', { id: 'workflow', name: 'workflow' } as never),
		executionId: 'execution',
		currentNodeExecutionIndex: 0,
		restApiUrl: 'http://n8n/rest',
		instanceBaseUrl: 'http://n8n/',
		webhookBaseUrl: 'http://n8n/webhook',
		webhookWaitingBaseUrl: 'http://n8n/webhook-waiting',
		formWaitingBaseUrl: 'http://n8n/form-waiting',
		credentialsHelper: credentialsHelperOf(decrypt),
		variables: {},
	}) as unknown as AdditionalData;

export const usualIds = { workflowId: 'workflow', nodeId: 'tested' };

/**
 * A workflow of a start node and one node with the name 'Tested'. As in the editor, parameters without a value have the defaults
 * of the description.
 *
 * @param filled the node under test, with the values that a user has entered
 * @param workflowId undefined for a workflow that has never been saved
 * @param timezone of the workflow, if it has its own
 */
export function workflowOf(
	nodeType: INodeType,
	filled: Partial<INode> & Pick<INode, 'type' | 'parameters'>,
	workflowId: string | null = usualIds.workflowId,
	timezone?: string,
): { workflow: Workflow; tested: INode } {
	const tested: INode = { id: usualIds.nodeId, name: 'Tested', ...usualNode, ...filled };
	const { description } = nodeType;
	const { properties } = description;
	const given = [properties, filled.parameters, true, false, tested, description] as const;
	tested.parameters = NodeHelpers.getNodeParameters(...given) ?? {};
	const workflow = new Workflow({
		id: workflowId ?? undefined,
		active: false,
		settings: { executionOrder: 'v1', ...(timezone && { timezone }) },
		nodes: [startNode, tested],
		connections: { Start: { main: [[{ node: tested.name, type: 'main', index: 0 }]] } },
		nodeTypes: nodeTypesOf({ start, [tested.type]: nodeType }),
	});
	return { workflow, tested };
}

/** Runs a workflow from its start node, which passes on the items. @returns the run, which can be canceled */
export function startRun(
	workflow: Workflow,
	additionalData: AdditionalData,
	mode: Mode,
	items: INodeExecutionData[],
) {
	const nodeExecutionStack = [{ node: startNode, data: { main: [paired(items)] }, source: null }];
	const data = createRunExecutionData({ executionData: { nodeExecutionStack } as never });
	return new WorkflowExecute(additionalData, mode, data).processRunExecutionData(workflow);
}

/** The data of a run, saved and loaded in between as by n8n's database. */
export const loadedData = ({ data }: IRun): IRunExecutionData =>
	jsonParse(jsonStringify(data, { replaceCircularRefs: true }));

/** Continues a run that waits, when its time limit is reached: n8n has saved and loaded its data in between. */
export const startAfterWait = (workflow: Workflow, additionalData: AdditionalData, run: IRun) =>
	new WorkflowExecute(additionalData, 'manual', loadedData(run)).processRunExecutionData(workflow);

/**
 * Continues a workflow where a run of it has failed, as n8n's retry does in dist/executions/execution.service.js. The
 * data of the failed run is saved and loaded in between, so that only data remains of it.
 *
 * @param changes.loadWorkflow 'Retry with currently saved workflow': the workflow provides the nodes that still have to run
 * @param changes.items for the failed node, instead of its previous ones
 * @returns the run, which can be canceled
 */
export function startRetry(
	workflow: Workflow,
	additionalData: AdditionalData,
	failed: IRun,
	{ loadWorkflow, items }: { loadWorkflow: boolean; items?: INodeExecutionData[] },
) {
	if (failed.finished) throw new Error('The execution succeeded, so it cannot be retried.');
	const data = loadedData(failed);
	const { executionData, resultData } = data;
	if (resultData.lastNodeExecuted) {
		delete resultData.error;
		const runs = resultData.runData[resultData.lastNodeExecuted];
		if (runs?.at(-1)?.error !== undefined) runs.pop();
	}
	const stack = executionData!.nodeExecutionStack;
	if (loadWorkflow) for (const waiting of stack) waiting.node = workflow.getNode(waiting.node.name)!;
	const next = stack[0];
	if (items && next) next.data = { main: [paired(items)] };
	return new WorkflowExecute(additionalData, 'retry', data).processRunExecutionData(workflow);
}

const paired = (items: INodeExecutionData[]) =>
	items.map((each, item) => ({ ...each, pairedItem: { item } }));
