import { NodeConnectionTypes, type INodeType, type INodeTypeDescription } from 'n8n-workflow';

import { answerQuestion, waitingNodeTooltip, webhooks } from './ask/link';
import { credentialType } from './client/credential/account';
import { baseUrlExpression } from './client/credential/baseUrl';
import { requestDefaults } from './client/http/request';
import { hints } from './description/hints';
import { builderHintFor, subtitleOf } from './description/ofNode';
import { describeResources } from './description/properties';
import { methods } from './listSearch';
import { resources } from './resources';
import { runItem, runOperation } from './run/context';

/*
 * What the node is, without logic. n8n reads all that runs when it starts, so a package that is incomplete or updated meanwhile cannot run
 * in parts.
 */

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
		requestOperations: { pagination: runItem },
		webhooks,
		waitingNodeTooltip,
		hints: Object.values(hints).flat(),
		properties: describeResources(resources, { send: { paginate: true } }),
	};
	methods = methods;
	customOperations = Object.fromEntries(
		resources.map(({ option, operations }) => [
			option.value,
			Object.fromEntries(operations.map((operation) => [operation.option.value, runOperation])),
		]),
	);
	webhook = answerQuestion;
}
