import type { INodeParameters, INodeProperties, INodeType, VersionedNodeType } from 'n8n-workflow';

import { ChatbotService } from '../../nodes/ChatbotService/ChatbotService.node';
import { loadAsN8n } from '../../sandbox/workflow';
import { pairs } from '../../sandbox/workflow/httpRequest';
import type { Job, NodeName } from '../job';
import { contactId, texts } from '../messages';

export interface Contender {
	typeName: string;
	typeVersion: number;
	nodeType: INodeType;
	credentialType: 'chatbotServiceApi' | 'httpQueryAuth';
	parameters: INodeParameters;
}

const contenders: Record<NodeName, (job: Job) => Contender> = {
	ours: ({ expressions, sendOncePer }) =>
		declarative(new ChatbotService(), {
			resource: 'message',
			operation: 'send',
			recipient: 'contact',
			contactId,
			contactMessenger: 'vk',
			content: ['text'],
			text: texts[expressions].expression,
			...(sendOncePer && { options: { sendOncePer } }),
		}),
	bare: ({ expressions }) => declarative(new BareNode(), { contactId, text: texts[expressions].expression }),
	httpRequest,
};

export const contenderFor = (job: Job): Contender => contenders[job.node](job);

const declarative = (nodeType: INodeType, parameters: INodeParameters): Contender => ({
	typeName: 'n8n-nodes-chatbot-service.chatbotService',
	typeVersion: 1,
	nodeType: loadAsN8n(nodeType),
	credentialType: 'chatbotServiceApi',
	parameters,
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
	return {
		displayName: name,
		name,
		type: 'string',
		default: '',
		routing: { send: { type: 'query', property } },
	};
}

/** The HTTP Request node of the same n8n, with parameters from the service's documentation. */
function httpRequest({ expressions, url, batching }: Job): Contender {
	// Not a dependency of this project: only the modules of the pinned n8n contain it.
	// eslint-disable-next-line @typescript-eslint/no-require-imports
	const { HttpRequest } = require('n8n-nodes-base/dist/nodes/HttpRequest/HttpRequest.node') as {
		HttpRequest: new () => VersionedNodeType;
	};
	const versions = new HttpRequest();
	return {
		typeName: 'n8n-nodes-base.httpRequest',
		typeVersion: versions.currentVersion,
		nodeType: versions.getNodeType(),
		credentialType: 'httpQueryAuth',
		parameters: {
			method: 'POST',
			url: `${url}/api/v1/sendMessage`,
			authentication: 'genericCredentialType',
			genericAuthType: 'httpQueryAuth',
			sendQuery: true,
			queryParameters: pairs({ contact_id: contactId, text: texts[expressions].expression }),
			sendHeaders: true,
			headerParameters: pairs({ Accept: 'application/json', 'X-Requested-With': 'XMLHttpRequest' }),
			options: batching
				? { batching: { batch: { batchSize: batching.size, batchInterval: batching.intervalMs } } }
				: {},
		},
	};
}
