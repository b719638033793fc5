import { basename } from 'node:path';

import {
	type IConnections,
	type ICredentialDataDecryptedObject,
	type INode,
	type INodeParameters,
	type INodeProperties,
	type INodeType,
	type INodeTypeDescription,
	type IRun,
	NodeHelpers,
	type VersionedNodeType,
	Workflow,
} from 'n8n-workflow';

import pictured from '../docs/comparison/with-http-request.json';
import { ChatbotService } from '../nodes/ChatbotService/ChatbotService.node';
import { loadAsN8n, nodeTypesOf, start } from '../test/engine/n8n';
import { pairs } from '../test/engine/n8n/httpRequest';
import { contactId, texts } from './messages';
import type { Contender, Row } from './rows';

/* The nodes that are compared, and their credentials. */

/** What an engine's process needs to know for all its runs. */
export interface Job extends Contender, Pick<Row, 'expressions' | 'limit' | 'remembered'> {
	url: string;
	token: string;
}

const account = { id: '1', name: 'Account' };

/** The node of a contender as a workflow contains it, and its class. */
export function tested(job: Job) {
	const text = texts[job.expressions].expression;
	if (job.node === 'HTTP Request') return httpRequest(job, text);
	if (job.node === 'Declarative node') return declarative(new LeastNode(), { contactId, text });
	return declarative(new ChatbotService(), {
		...{ resource: 'message', operation: 'send', recipient: 'contact', contactId },
		...{ contactMessenger: 'vk', content: ['text'], text },
		...(job.sendOncePer && { options: { sendOncePer: job.sendOncePer } }),
	});
}

const declarative = (nodeType: INodeType, parameters: INodeParameters) => ({
	nodeType: loadAsN8n(nodeType),
	type: 'n8n-nodes-chatbot-service.chatbotService',
	typeVersion: 1,
	parameters,
	credentials: { chatbotServiceApi: account },
});

const queryField = (name: string, property: string): INodeProperties => ({
	...{ displayName: name, name, type: 'string', default: '' },
	routing: { send: { type: 'query', property } },
});

class LeastNode implements INodeType {
	description: INodeTypeDescription = {
		...new ChatbotService().description,
		requestDefaults: {
			...{ method: 'POST', baseURL: '={{ $credentials.baseUrl }}/api/v1', url: '/sendMessage' },
			headers: { Accept: 'application/json', 'X-Requested-With': 'XMLHttpRequest' },
		},
		requestOperations: undefined,
		properties: [queryField('contactId', 'contact_id'), queryField('text', 'text')],
	};
}

/** The nodes that users see in docs/from-http-request.md. */
const [picturedSend, ...picturedWayBack] = ['Send message', 'Other than 429?', 'Wait 10 seconds'].map(
	(name) => pictured.nodes.find((node) => node.name === name) as unknown as INode,
);

/** Not a dependency of this project: only the modules of the pinned n8n contain these nodes. */
const modules: Record<string, string> = {
	'n8n-nodes-base.httpRequest': 'HttpRequest/HttpRequest',
	'n8n-nodes-base.if': 'If/If',
	'n8n-nodes-base.wait': 'Wait/Wait',
};

function typeOf({ type, typeVersion }: INode): INodeType {
	const file = modules[type]!;
	// eslint-disable-next-line @typescript-eslint/no-require-imports
	const classes = require(`n8n-nodes-base/dist/nodes/${file}.node`) as Record<
		string,
		new () => INodeType | VersionedNodeType
	>;
	return NodeHelpers.getVersionedNodeType(new classes[basename(file)]!(), typeVersion);
}

/** The pictured HTTP Request node, with the messages of this bench. */
function httpRequest({ url, batching, pictured: isPictured }: Job, text: string) {
	const { type, typeVersion, name, parameters } = picturedSend!;
	const batch = batching && { batchSize: batching.size, batchInterval: batching.intervalMs };
	return {
		...{ nodeType: typeOf(picturedSend!), type, typeVersion, name },
		parameters: {
			...parameters,
			url: `${url}/api/v1/sendMessage`,
			queryParameters: pairs({ contact_id: contactId, text }),
			...(!isPictured && { options: batch ? { batching: { batch } } : {} }),
		},
		...(isPictured && { onError: picturedSend!.onError }),
		credentials: { httpQueryAuth: account },
	};
}

/** Adds the pictured nodes behind the error output, and their connections. */
export function withWayBack(workflow: Workflow, nodeType: INodeType): Workflow {
	const { [picturedSend!.name]: send, ...connections } = pictured.connections as IConnections;
	const types = Object.fromEntries(picturedWayBack.map((node) => [node.type, typeOf(node)]));
	const { id, settings, active } = workflow;
	return new Workflow({
		...{ id, settings, active },
		nodes: [...Object.values(workflow.nodes), ...picturedWayBack],
		connections: {
			...Object.fromEntries(picturedWayBack.map(({ name }) => [name, connections[name]!])),
			...workflow.connectionsBySourceNode,
			[picturedSend!.name]: { main: [[], send!.main![1]!] },
		},
		nodeTypes: nodeTypesOf({ start, [picturedSend!.type]: nodeType, ...types }),
	});
}

/** How many items come out as failed, if the contender lists them. */
export function failedItems({ pictured: isPictured, continues }: Job, node: INode, run: IRun) {
	if (!isPictured && !continues) return undefined;
	const { runData } = run.data.resultData;
	const runs = runData[isPictured ? picturedWayBack[0]!.name : node.name] ?? [];
	return runs.flatMap(({ data }) => data?.main?.[0] ?? []).filter(({ json }) => json.error).length;
}

type Credentials = Record<string, ICredentialDataDecryptedObject>;

export const credentialsOf = ({ url, token, limit }: Job): Credentials => ({
	chatbotServiceApi: {
		baseUrl: url,
		token,
		tokenPlacement: 'query',
		tokenName: 'api_token',
		requestsPerSecond: limit?.requests ?? 0,
		workers: 1,
		bursts: false,
	},
	httpQueryAuth: { name: 'api_token', value: token },
});
