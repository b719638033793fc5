import { SEEDED } from '../../../sandbox/emulator';
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
import { approval } from './pages';

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

/** A tool that gives a customer a discount, by a tag. */
export const discountFor = (customer: number): OurNode => ({
	name: 'Give discount',
	parameters: {
		resource: 'tag',
		operation: 'attach',
		contactId: String(customer),
		tagName: {
			__rl: true,
			mode: 'name',
			value: "={{ $fromAI('discount', 'The tag of the discount', 'string') }}",
		},
	},
});

/** The review of a tool as n8n's editor stores it, with the text that n8n suggests. */
export const reviewBy = (manager: number, parameters: object = {}): OurNode => ({
	name: 'Ask the manager',
	parameters: {
		message: '=The agent wants to run this tool: {{ $tool.name }}\n\nInput:\n{{ $tool.parameters }}',
		contactId: String(manager),
		approvalOptions: approval,
		...parameters,
	},
});

/** n8n tells the model to put the arguments of the tool and those of the review apart. */
export const callWithReview = {
	tool: 'Give_discount',
	arguments: { toolParameters: { discount: 'VIP' }, hitlParameters: {} },
};

const byModel = (name: string, type = 'string') => `={{ $fromAI('${name}', '', '${type}') }}`;

/** Tools that spare the model several calls. */
export const combined: OurNode[] = [
	{
		name: 'Find contact',
		parameters: { resource: 'contact', operation: 'get', findBy: 'phone', findValue: byModel('phone') },
	},
	{
		name: 'Save answers',
		parameters: {
			...{ resource: 'contactVariable', operation: 'upsertMany', contactId: byModel('contact_id') },
			...{ variablesInput: 'json', variablesJson: byModel('answers', 'json') },
		},
	},
	{
		name: 'Save good',
		parameters: {
			...{ resource: 'listItem', operation: 'upsert' },
			schemaId: { __rl: true, mode: 'id', value: SEEDED.schemas.goods },
			matchOn: { __rl: true, mode: 'slug', value: 'article' },
			columns: {
				mappingMode: 'defineBelow',
				value: { article: byModel('article'), price: byModel('price', 'number') },
			},
		},
	},
	{
		name: 'Get referrals',
		parameters: {
			...{ resource: 'api', operation: 'request', endpoint: 'getReferrals' },
			parameters: { parameter: [{ name: 'contact_id', value: byModel('contact_id') }] },
		},
	},
];
