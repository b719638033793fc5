import { NodeConnectionTypes, type INodeType, type INodeTypeDescription } from 'n8n-workflow';

import { waitingNodeTooltip, webhooks } from './ask/link';
import { credentialType } from './client/credential/account';
import { baseUrlExpression } from './client/credential/baseUrl';
import { requestDefaults } from './client/http/request';
import { builderHintFor } from './description/builderHint';
import { hints } from './description/hints';
import { describeResources } from './description/properties';
import { subtitleOf } from './description/subtitle';
import { later } from './later';
import { resources } from './resources';

/* The description of the node, without logic. What runs: runtime.ts, which later.ts loads. */

export class ChatbotService implements INodeType {
	// The types of older versions of n8n lack `builderHint`.
	description: INodeTypeDescription & { builderHint: ReturnType<typeof builderHintFor> } = {
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
		requestOperations: { pagination: later('runItem', 'item') },
		webhooks,
		waitingNodeTooltip,
		hints: Object.values(hints).flat(),
		properties: describeResources(resources, { send: { paginate: true } }),
	};
	methods = {
		listSearch: {
			searchTags: later('searchTags'),
			searchVariableNames: later('searchVariableNames'),
			searchVariableIds: later('searchVariableIds'),
			searchListSchemas: later('searchListSchemas'),
			searchListItems: later('searchListItems'),
			searchSchemaFields: later('searchSchemaFields'),
			searchOrderFields: later('searchOrderFields'),
		},
		resourceMapping: { getListFields: later('getListFields') },
	};
	customOperations = Object.fromEntries(
		resources.map(({ option, operations }) => [
			option.value,
			Object.fromEntries(
				operations.map((operation) => [operation.option.value, later('runOperation', 'run')]),
			),
		]),
	);
	webhook = later('answerQuestion', 'page');
}
