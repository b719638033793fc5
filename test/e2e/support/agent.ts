import {
	chained,
	type CredentialData,
	credentialsOf,
	manualTrigger,
	type OurNode,
	ourNode,
	packageName,
	type StoredCredential,
	type WorkflowData,
} from '../../../sandbox/host';
import type { Emulator } from '../../../sandbox/emulator';
import type { Model } from './model';

/* Workflows in which an AI agent has this package's nodes as its tools. */

export const AGENT = 'Agent';

/** The credential for the scripted model, with the name that the examples use. */
export const modelCredential = ({ apiKey, url }: Model): CredentialData => ({
	name: 'OpenAI',
	type: 'openAiApi',
	data: { apiKey, url, header: false },
});

/** Checks that the requests of a test conform to the API, and that its script was followed to the end. */
export function checkAndReset({ service }: { service: Emulator }, model: Model): void {
	try {
		service.assertContract();
		model.assertFinished();
	} finally {
		service.reset();
	}
}

interface AgentOptions {
	/** Of n8n's AI Agent: from version 3 on, n8n's engine runs its tools. */
	version?: number;
	tools: OurNode[];
	/** The node that asks a person before a tool runs; by default no tool needs a review. */
	review?: OurNode;
	model: StoredCredential;
	credential: StoredCredential;
}

/** A workflow in which an agent gets one request. */
export function agentWorkflow({
	version = 3.1,
	tools,
	review,
	model,
	credential,
}: AgentOptions): WorkflowData {
	const agent = {
		name: AGENT,
		type: '@n8n/n8n-nodes-langchain.agent',
		typeVersion: version,
		parameters: { promptType: 'define', text: 'Запишите меня на пробный урок, пожалуйста.', options: {} },
	};
	const modelNode = {
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
		credentials: credentialsOf(model),
	};
	const asTool = (node: OurNode, index: number, ending: 'Tool' | 'HitlTool') => ({
		...ourNode(node, credential),
		type: `${packageName}.chatbotService${ending}`,
		position: [500 + 150 * index, 200],
	});
	const toolNodes = tools.map((tool, index) => asTool(tool, index, 'Tool'));
	const reviewNodes = review ? [asTool(review, tools.length, 'HitlTool')] : [];
	const to = (node: string, type: string) => ({ [type]: [[{ node, type, index: 0 }]] });
	const { nodes, connections, ...workflow } = chained(AGENT, [manualTrigger, agent]);
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
