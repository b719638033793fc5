import {
	chained,
	type CredentialData,
	credentialsOf,
	itemsNode,
	manualTrigger,
	type OurNode,
	ourNode,
	packageName,
	type StoredCredential,
	type WorkflowData,
} from '../../../sandbox/host';
import type { Model } from './model';

/* Workflows in which an AI agent has this package's nodes as its tools. */

export const AGENT = 'Agent';

/** The credential for the scripted model, with the name that the examples use. */
export const modelCredential = ({ url }: Model): CredentialData => ({
	name: 'OpenAI account',
	type: 'openAiApi',
	data: { apiKey: 'any', url, header: false },
});

interface AgentOptions {
	/** Of n8n's AI Agent: from version 3 on, n8n's engine runs its tools. */
	version?: number;
	/** What the agent receives; an empty item by default. */
	item?: object;
	tools: OurNode[];
	/** The node that asks a person before a tool runs. */
	review?: OurNode;
	model: StoredCredential;
	credential: StoredCredential;
}

/** A workflow in which an agent gets one request. */
export function agentWorkflow(options: AgentOptions): WorkflowData {
	const { version = 3.1, item, tools, review, model, credential } = options;
	const agent = {
		...{ name: AGENT, type: '@n8n/n8n-nodes-langchain.agent', typeVersion: version },
		parameters: { promptType: 'define', text: 'Запишите меня на пробный урок, пожалуйста.', options: {} },
	};
	const scripted = { __rl: true, mode: 'id', value: 'scripted' };
	const modelNode = {
		...{ id: 'model', name: 'Model', position: [300, 200] },
		...{ type: '@n8n/n8n-nodes-langchain.lmChatOpenAi', typeVersion: 1.3 },
		parameters: { model: scripted, responsesApiEnabled: false, options: {} },
		credentials: credentialsOf(model),
	};
	const asTool = (node: OurNode, ending: 'Tool' | 'HitlTool') => ({
		...ourNode(node, credential),
		type: `${packageName}.chatbotService${ending}`,
		position: [500, 200],
	});
	const toolNodes = tools.map((tool) => asTool(tool, 'Tool'));
	const reviewNodes = review ? [asTool(review, 'HitlTool')] : [];
	const to = (node: string, type: string) => ({ [type]: [[{ node, type, index: 0 }]] });
	const items = item ? [itemsNode('Item', [item])] : [];
	const { nodes, connections, ...workflow } = chained(AGENT, [manualTrigger, ...items, agent]);
	return {
		...workflow,
		nodes: [...nodes, modelNode, ...toolNodes, ...reviewNodes],
		connections: {
			...connections,
			[modelNode.name]: to(AGENT, 'ai_languageModel'),
			...Object.fromEntries(toolNodes.map(({ name }) => [name, to(review?.name ?? AGENT, 'ai_tool')])),
			...Object.fromEntries(reviewNodes.map(({ name }) => [name, to(AGENT, 'ai_tool')])),
		},
	};
}

/** What n8n's button beside a field sets there. */
export const byModel = (name: string, about = '', type = 'string') =>
	`={{ $fromAI('${name}', '${about}', '${type}') }}`;

/** The value of a field that can also be selected from a list. */
export const named = (value: string) => ({ __rl: true, mode: 'name', value });
