import type { INodeParameters, INodeProperties, INodeType, VersionedNodeType } from 'n8n-workflow';

import { ChatbotService } from '../../nodes/ChatbotService/ChatbotService.node';
import { loadAsN8n } from '../../sandbox/workflow';
import type { Job, NodeName, Task } from '../job';

/** A node type under its n8n name, with the parameters a user would give it. */
export interface Contender {
	typeName: string;
	typeVersion: number;
	nodeType: INodeType;
	credentialType: 'chatbotServiceApi' | 'httpQueryAuth';
	parameters: INodeParameters;
}

const ourTypeName = 'n8n-nodes-chatbot-service.chatbotService';
const variableName = 'Город';
const contactId = '={{ $json.contactId }}';
const text = '={{ $json.text }}';

export function contenderFor(job: Job): Contender {
	if (job.node === 'httpRequest') return httpRequest(job);
	const nodeType = declarative[job.node](job.task);
	return {
		typeName: ourTypeName,
		typeVersion: 1,
		nodeType: loadAsN8n(nodeType),
		credentialType: 'chatbotServiceApi',
		parameters: job.node === 'bare' ? bareParameters(job.task) : ourParameters(job),
	};
}

const declarative: Record<Exclude<NodeName, 'httpRequest'>, (task: Task) => INodeType> = {
	ours: () => new ChatbotService(),
	bare: () => new BareNode(),
	ourDescription: withoutPipeline,
	ourPipeline: withFewProperties,
	oursFewestExpressions: withFewestExpressions,
};

function ourParameters({ task, node }: Job): INodeParameters {
	if (task === 'message') {
		return {
			resource: 'message',
			operation: 'send',
			recipient: 'contact',
			contactId,
			contactMessenger: 'vk',
			content: ['text'],
			text,
		};
	}
	return {
		resource: 'contactVariable',
		operation: 'upsert',
		contactId,
		variableName: { __rl: true, mode: 'name', value: variableName },
		variableValue: text,
		// What the pipeline makes of the switch; the description alone would send a word.
		deletable: node === 'ourDescription' ? 0 : false,
	};
}

const plainAddress = '={{ $credentials.baseUrl }}/api/v1';

/** The least that does the same: five properties, nothing between the engine and the service. */
class BareNode implements INodeType {
	description = {
		...new ChatbotService().description,
		requestDefaults: {
			baseURL: plainAddress,
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

function bareParameters(operation: Task): INodeParameters {
	if (operation === 'message') return { operation, contactId, text };
	return { operation, contactId, variableName, variableValue: text };
}

/** Our whole description; what it declares is sent by the engine alone. */
function withoutPipeline(): INodeType {
	const node = new ChatbotService();
	node.description = {
		...node.description,
		requestDefaults: { ...node.description.requestDefaults, baseURL: plainAddress },
		requestOperations: undefined,
		properties: node.description.properties.map((property) =>
			property.name === 'operation' ? { ...property, routing: undefined } : property,
		),
	};
	return node;
}

/** Our pipeline; of the description only what setting a variable needs. */
function withFewProperties(): INodeType {
	const node = new ChatbotService();
	const needed = ['resource', 'operation', 'contactId', 'variableName', 'variableValue', 'deletable'];
	const shown = ({ displayOptions }: INodeProperties) =>
		displayOptions?.show?.resource?.includes('contactVariable') ?? true;
	node.description = {
		...node.description,
		properties: node.description.properties.filter(
			(property) => needed.includes(property.name) && shown(property),
		),
	};
	return node;
}

/** Our node, with an address that is no expression, which only the pipeline replaces. */
function withFewestExpressions(): INodeType {
	const node = new ChatbotService();
	const requestDefaults = { ...node.description.requestDefaults, baseURL: 'http://127.0.0.1' };
	node.description = { ...node.description, requestDefaults };
	return node;
}

/** The HTTP Request node of the same n8n, filled in from the service's documentation. */
function httpRequest({ task, url, batching }: Job): Contender {
	// Not a dependency of this project: found among the modules of the pinned n8n only.
	// eslint-disable-next-line @typescript-eslint/no-require-imports
	const { HttpRequest } = require('n8n-nodes-base/dist/nodes/HttpRequest/HttpRequest.node') as {
		HttpRequest: new () => VersionedNodeType;
	};
	const versions = new HttpRequest();
	const pairs = (values: Record<string, string>) => ({
		parameters: Object.entries(values).map(([name, value]) => ({ name, value })),
	});
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
