import { NodeConnectionTypes, type INodeType, type INodeTypeDescription } from 'n8n-workflow';

import { waitingNodeTooltip, webhooks } from './ask/link';
import { credentialType } from './client/account';
import { baseUrlExpression } from './client/baseUrl';
import { requestDefaults } from './client/request';
import { builderHintFor, type NodeBuilderHint } from './description/builderHint';
import { hints } from './description/hints';
import { describeResources } from './description/properties';
import { requestOptions } from './description/requestOptions';
import { subtitleOf } from './description/subtitle';
import { resources } from './resources';

/* The description of the node, without logic. n8n loads it when it starts, and runtime.ts when somebody uses the node. */

type Runtime = typeof import('./runtime');

/** A function of runtime.ts. The first call of one of them loads the file. */
const later = <Name extends keyof Runtime>(name: Name) =>
	async function (this: unknown, ...values: unknown[]) {
		const runtime: Runtime = await import('./runtime');
		return await Reflect.apply(runtime[name], this, values);
	} as Runtime[Name];

export class ChatbotService implements INodeType {
	// The types of older versions of n8n lack `builderHint`.
	description: INodeTypeDescription & { builderHint: NodeBuilderHint } = {
		displayName: 'Chatbot Service',
		name: 'chatbotService',
		icon: { light: 'file:../../icons/chatbotService.svg', dark: 'file:../../icons/chatbotService.dark.svg' },
		group: [],
		version: 1,
		subtitle: subtitleOf(resources),
		description:
			'Send messages and manage contacts, tags, variables and lists in WatBot, CleverApp, OneBot, JetBot or LEADTEX',
		builderHint: builderHintFor(resources),
		defaults: { name: 'Chatbot Service' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: credentialType, required: true }],
		requestDefaults: { baseURL: baseUrlExpression, ...requestDefaults },
		requestOperations: { pagination: later('runItem') },
		webhooks,
		waitingNodeTooltip,
		hints,
		properties: [...describeResources(resources, { send: { paginate: true } }), requestOptions],
	};
	methods = {
		listSearch: {
			searchTags: later('searchTags'),
			searchVariableNames: later('searchVariableNames'),
			searchVariableIds: later('searchVariableIds'),
			searchListSchemas: later('searchListSchemas'),
			searchListItems: later('searchListItems'),
			searchSchemaFields: later('searchSchemaFields'),
		},
		resourceMapping: { getListFields: later('getListFields') },
	};
	customOperations = Object.fromEntries(
		resources.map(({ option, operations }) => [
			option.value,
			Object.fromEntries(operations.map((operation) => [operation.option.value, later('runOperation')])),
		]),
	);
	webhook = later('answerQuestion');
}
