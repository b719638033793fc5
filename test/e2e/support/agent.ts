import {
	chained,
	credentialsOf,
	type HostApi,
	manualTrigger,
	type OurNode,
	ourNode,
	packageName,
	type StoredCredential,
	type WorkflowData,
} from '../../../sandbox/host';
import type { Model } from '../../../sandbox/model';

/** Stores a credential for n8n's "OpenAI Chat Model", with the name that the examples use. */
export async function storeModelCredential(api: HostApi, model: Model): Promise<StoredCredential> {
	return await api.createCredential({
		name: 'OpenAI',
		type: 'openAiApi',
		data: { apiKey: model.apiKey, url: model.url, header: false },
	});
}

/** A workflow in which an agent gets one request and has this package's nodes as its tools. */
export function agentWorkflow(
	name: string,
	{ request, version }: { request: string; version: number },
	tools: OurNode[],
	credentials: { service: StoredCredential; model: StoredCredential },
): WorkflowData {
	const agent = {
		name: 'Agent',
		type: '@n8n/n8n-nodes-langchain.agent',
		typeVersion: version,
		parameters: { promptType: 'define', text: request, options: {} },
	};
	const model = {
		id: 'model',
		name: 'Model',
		type: '@n8n/n8n-nodes-langchain.lmChatOpenAi',
		typeVersion: 1.3,
		position: [300, 200],
		parameters: {
			model: { __rl: true, mode: 'id', value: 'scripted' },
			responsesApiEnabled: false,
			options: {},
		},
		credentials: credentialsOf(credentials.model),
	};
	const toolNodes = tools.map((tool, index) => ({
		...ourNode(tool, credentials.service),
		type: `${packageName}.chatbotServiceTool`,
		position: [500 + 150 * index, 200],
	}));
	const toAgent = (type: string) => ({ [type]: [[{ node: agent.name, type, index: 0 }]] });
	const { nodes, connections, ...workflow } = chained(name, [manualTrigger, agent]);
	return {
		...workflow,
		nodes: [...nodes, model, ...toolNodes],
		connections: {
			...connections,
			[model.name]: toAgent('ai_languageModel'),
			...Object.fromEntries(toolNodes.map((tool) => [tool.name, toAgent('ai_tool')])),
		},
	};
}
