import { type HostApi, packageName, type StoredCredential, type WorkflowData } from '../../../sandbox/host';
import type { Model } from '../../../sandbox/model';
import { manualTrigger } from './workflow';

/** A node of ours that an agent may use. */
export interface AgentTool {
	name: string;
	parameters: Record<string, unknown>;
	[setting: string]: unknown;
}

/** Stores a credential for n8n's "OpenAI Chat Model", under the name that the examples use. */
export async function storeModelCredential(api: HostApi, model: Model): Promise<StoredCredential> {
	return await api.createCredential({
		name: 'OpenAI',
		type: 'openAiApi',
		data: { apiKey: model.apiKey, url: model.url, header: false },
	});
}

/** A workflow in which an agent gets one request and has nodes of ours as its tools. */
export function agentWorkflow(
	name: string,
	{ request, version }: { request: string; version: number },
	tools: AgentTool[],
	credentials: { service: StoredCredential; model: StoredCredential },
): WorkflowData {
	const use = ({ id, name: credentialName, type }: StoredCredential) => ({
		[type]: { id, name: credentialName },
	});
	const agent = {
		id: 'agent',
		name: 'Agent',
		type: '@n8n/n8n-nodes-langchain.agent',
		typeVersion: version,
		position: [400, 0],
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
		credentials: use(credentials.model),
	};
	const toolNodes = tools.map((tool, index) => ({
		id: `tool-${index}`,
		type: `${packageName}.chatbotServiceTool`,
		typeVersion: 1,
		position: [500 + 150 * index, 200],
		credentials: use(credentials.service),
		...tool,
	}));
	const to = (type: string, node: string) => ({ [type]: [[{ node, type, index: 0 }]] });
	return {
		name,
		nodes: [manualTrigger, agent, model, ...toolNodes],
		connections: {
			[manualTrigger.name]: to('main', agent.name),
			[model.name]: to('ai_languageModel', agent.name),
			...Object.fromEntries(toolNodes.map((tool) => [tool.name, to('ai_tool', agent.name)])),
		},
		settings: { executionOrder: 'v1' },
	};
}
