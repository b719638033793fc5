import { NodeConnectionTypes, type INodeType, type INodeTypeDescription } from 'n8n-workflow';

import * as listSearch from './listSearch';
import { pipelineRouting, requestItem } from './request/pipeline';
import { resources } from './resources';
import { describeResources } from './shared/describe';
import { paceHints } from './shared/paceHints';
import { subtitleOf } from './shared/subtitle';

export class ChatbotService implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Chatbot Service',
		name: 'chatbotService',
		icon: { light: 'file:../../icons/chatbotService.svg', dark: 'file:../../icons/chatbotService.dark.svg' },
		group: [],
		version: 1,
		subtitle: subtitleOf(resources),
		description: 'Work with tags, contact variables, messages and lists of a chatbot service',
		defaults: { name: 'Chatbot Service' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'chatbotServiceApi', required: true }],
		requestDefaults: {
			// Tidied by the pipeline, once for a run: an expression that does it would be evaluated for every item.
			baseURL: '={{ $credentials.baseUrl }}',
			headers: {
				// Without both, the service answers with a web page or sends the request to its login page.
				Accept: 'application/json',
				'X-Requested-With': 'XMLHttpRequest',
			},
			disableFollowRedirect: true,
			ignoreHttpStatusErrors: true,
		},
		requestOperations: { pagination: requestItem },
		hints: paceHints,
		properties: describeResources(resources, pipelineRouting),
	};

	methods = { listSearch: { ...listSearch } };
}
