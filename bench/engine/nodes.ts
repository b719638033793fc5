import type { INodeParameters, INodeProperties, INodeType, VersionedNodeType } from 'n8n-workflow';

import { ChatbotService } from '../../nodes/ChatbotService/ChatbotService.node';
import { loadAsN8n } from '../../sandbox/workflow';
import { pairs } from '../../sandbox/workflow/httpRequest';
import type { Job, NodeName } from '../job';
import { contactId, tag, texts } from '../messages';

/** A node type under its n8n name, with the parameters a user would give it. */
export interface Contender {
	typeName: string;
	typeVersion: number;
	nodeType: INodeType;
	credentialType: 'chatbotServiceApi' | 'httpQueryAuth';
	parameters: INodeParameters;
}

const variableName = 'Город';

/** Neither is a dependency of this project: one is found among the modules of the pinned n8n only, one in the build. */
const load = <T>(path: string): T =>
	// eslint-disable-next-line @typescript-eslint/no-require-imports
	require(path) as T;

export function contenderFor(job: Job): Contender {
	if (job.node === 'httpRequest') return httpRequest(job);
	return {
		typeName: 'n8n-nodes-chatbot-service.chatbotService',
		typeVersion: 1,
		nodeType: loadAsN8n(declarative[job.node]()),
		credentialType: 'chatbotServiceApi',
		parameters: job.node === 'bare' ? bareParameters(job) : ourParameters(job),
	};
}

const declarative: Record<Exclude<NodeName, 'httpRequest'>, () => INodeType> = {
	ours: () => new ChatbotService(),
	released: () => {
		const built = '../../package/dist/nodes/ChatbotService/ChatbotService.node.js';
		return new (load<{ ChatbotService: new () => INodeType }>(built).ChatbotService)();
	},
	bare: () => new BareNode(),
};

function ourParameters({ task, expressions, sendOncePer }: Job): INodeParameters {
	const text = texts[expressions].expression;
	if (task === 'message') {
		return {
			resource: 'message',
			operation: 'send',
			recipient: 'contact',
			contactId,
			contactMessenger: 'vk',
			content: ['text'],
			text,
			...(sendOncePer && { options: { sendOncePer } }),
		};
	}
	if (task === 'tag') {
		return {
			resource: 'tag',
			operation: 'attach',
			contactId,
			tagName: { __rl: true, mode: 'name', value: tag },
		};
	}
	return {
		resource: 'contactVariable',
		operation: 'upsert',
		contactId,
		variableName: { __rl: true, mode: 'name', value: variableName },
		variableValue: text,
		deletable: false,
	};
}

/** The least that does the same: five properties, nothing between the engine and the service. */
class BareNode implements INodeType {
	description = {
		...new ChatbotService().description,
		requestDefaults: {
			baseURL: '={{ $credentials.baseUrl }}/api/v1',
			headers: { Accept: 'application/json', 'X-Requested-With': 'XMLHttpRequest' },
		},
		requestOperations: undefined,
		properties: [
			{
				displayName: 'Operation',
				name: 'operation',
				type: 'options',
				noDataExpression: true,
				options: [
					{
						name: 'Send',
						value: 'message',
						routing: { request: { method: 'POST', url: '/sendMessage' } },
					},
					{
						name: 'Set',
						value: 'variable',
						routing: { request: { method: 'POST', url: '/setContactVariable' } },
					},
				],
				default: 'message',
			},
			queryField('contactId', 'contact_id'),
			{ ...queryField('text', 'text'), displayOptions: { show: { operation: ['message'] } } },
			{ ...queryField('variableName', 'name'), displayOptions: { show: { operation: ['variable'] } } },
			{ ...queryField('variableValue', 'value'), displayOptions: { show: { operation: ['variable'] } } },
		] as INodeProperties[],
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

function bareParameters({ task: operation, expressions }: Job): INodeParameters {
	const text = texts[expressions].expression;
	if (operation === 'message') return { operation, contactId, text };
	return { operation, contactId, variableName, variableValue: text };
}

/** The HTTP Request node of the same n8n, filled in from the service's documentation. */
function httpRequest({ task, expressions, url, batching }: Job): Contender {
	const { HttpRequest } = load<{ HttpRequest: new () => VersionedNodeType }>(
		'n8n-nodes-base/dist/nodes/HttpRequest/HttpRequest.node',
	);
	const versions = new HttpRequest();
	const text = texts[expressions].expression;
	return {
		typeName: 'n8n-nodes-base.httpRequest',
		typeVersion: versions.currentVersion,
		nodeType: versions.getNodeType(),
		credentialType: 'httpQueryAuth',
		parameters: {
			method: 'POST',
			url: `${url}/api/v1/${task === 'message' ? 'sendMessage' : 'setContactVariable'}`,
			authentication: 'genericCredentialType',
			genericAuthType: 'httpQueryAuth',
			sendQuery: true,
			queryParameters: pairs(
				task === 'message'
					? { contact_id: contactId, text }
					: { contact_id: contactId, name: variableName, value: text },
			),
			sendHeaders: true,
			headerParameters: pairs({ Accept: 'application/json', 'X-Requested-With': 'XMLHttpRequest' }),
			options: batching
				? { batching: { batch: { batchSize: batching.size, batchInterval: batching.intervalMs } } }
				: {},
		},
	};
}
