import type {
	ICredentialDataDecryptedObject,
	INode,
	INodeParameters,
	INodeProperties,
	INodeType,
	VersionedNodeType,
	Workflow,
} from 'n8n-workflow';

import { ChatbotService } from '../nodes/ChatbotService/ChatbotService.node';
import { loadAsN8n, nodeTypesOf, start } from '../test/engine/n8n';
import { pairs } from '../test/engine/n8n/httpRequest';
import { contactId, texts } from './messages';
import type { Contender, Row } from './rows';

/* The nodes that are compared, and their credentials. */

/** What an engine's process needs to know for all its runs. */
export interface Job extends Contender, Pick<Row, 'engine' | 'expressions' | 'limit' | 'remembered'> {
	url: string;
	token: string;
}

/** The node of a contender as a workflow contains it, and its class. */
export function tested(job: Job) {
	const text = texts[job.expressions].expression;
	if (job.node === 'HTTP Request') return httpRequest(job, text);
	if (job.node === 'bare declarative node') return declarative(new BareNode(), { contactId, text });
	return declarative(new ChatbotService(), {
		resource: 'message',
		operation: 'send',
		recipient: 'contact',
		contactId,
		contactMessenger: 'vk',
		content: ['text'],
		text,
		...(job.sendOncePer && { options: { sendOncePer: job.sendOncePer } }),
	});
}

const account = { id: '1', name: 'Account' };

const declarative = (nodeType: INodeType, parameters: INodeParameters) => ({
	nodeType: loadAsN8n(nodeType),
	type: 'n8n-nodes-chatbot-service.chatbotService',
	typeVersion: 1,
	parameters,
	credentials: { chatbotServiceApi: account },
});

/** The minimal node with the same effect: nothing between the engine and the service. */
class BareNode implements INodeType {
	description = {
		...new ChatbotService().description,
		requestDefaults: {
			method: 'POST' as const,
			baseURL: '={{ $credentials.baseUrl }}/api/v1',
			url: '/sendMessage',
			headers: { Accept: 'application/json', 'X-Requested-With': 'XMLHttpRequest' },
		},
		requestOperations: undefined,
		properties: [queryField('contactId', 'contact_id'), queryField('text', 'text')],
	};
}

function queryField(name: string, property: string): INodeProperties {
	const routing = { send: { type: 'query' as const, property } };
	return { displayName: name, name, type: 'string', default: '', routing };
}

/** The HTTP Request node of the same n8n, with parameters from the service's documentation. */
function httpRequest({ url, batching }: Job, text: string) {
	// Not a dependency of this project: only the modules of the pinned n8n contain it.
	// eslint-disable-next-line @typescript-eslint/no-require-imports
	const { HttpRequest } = require('n8n-nodes-base/dist/nodes/HttpRequest/HttpRequest.node') as {
		HttpRequest: new () => VersionedNodeType;
	};
	const versions = new HttpRequest();
	const batch = batching && { batchSize: batching.size, batchInterval: batching.intervalMs };
	const parameters: INodeParameters = {
		method: 'POST',
		url: `${url}/api/v1/sendMessage`,
		authentication: 'genericCredentialType',
		genericAuthType: 'httpQueryAuth',
		sendQuery: true,
		queryParameters: pairs({ contact_id: contactId, text }),
		sendHeaders: true,
		headerParameters: pairs({ Accept: 'application/json', 'X-Requested-With': 'XMLHttpRequest' }),
		options: batch ? { batching: { batch } } : {},
	};
	return {
		nodeType: versions.getNodeType(),
		type: 'n8n-nodes-base.httpRequest',
		typeVersion: versions.currentVersion,
		parameters,
		credentials: { httpQueryAuth: account },
	};
}

/** Connects the error output of a workflow's last node back to that node, through a 'Wait' node. */
export function sendAgain(workflow: Workflow, tested: INode, nodeType: INodeType, afterMs: number): void {
	// eslint-disable-next-line @typescript-eslint/no-require-imports
	const { Wait } = require('n8n-nodes-base/dist/nodes/Wait/Wait.node') as { Wait: new () => INodeType };
	const wait: INode = {
		id: 'wait',
		name: 'Wait',
		type: 'wait',
		typeVersion: 1.1,
		position: [0, 0],
		parameters: { resume: 'timeInterval', amount: afterMs / 1000, unit: 'seconds' },
	};
	workflow.nodeTypes = nodeTypesOf({ start, [tested.type]: nodeType, [wait.type]: new Wait() });
	workflow.nodes[wait.name] = wait;
	const to = ({ name }: INode) => [{ node: name, type: 'main' as const, index: 0 }];
	workflow.setConnections({
		...workflow.connectionsBySourceNode,
		[tested.name]: { main: [[], to(wait)] },
		[wait.name]: { main: [to(tested)] },
	});
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
