import {
	ApplicationError,
	type ICredentialDataDecryptedObject,
	ICredentialTestRequest,
	ICredentialType,
	IHttpRequestOptions,
	Icon,
	INodeProperties,
} from 'n8n-workflow';

import { credentialType, requestsPerSecondOf } from '../nodes/ChatbotService/client/account';
import { baseUrlExpression, isAddress, services } from '../nodes/ChatbotService/client/baseUrl';
import { usualRequestsPerSecond } from '../nodes/ChatbotService/client/pace/limits';
import { requestDefaults, witnessOf } from '../nodes/ChatbotService/client/request';
import { tokenPlaceOf, unsendablePartOf } from '../nodes/ChatbotService/client/token';

/* The next two tell where the token goes; neither is a secret that the editor should mask. */

const tokenPlacement: INodeProperties = {
	displayName: 'Token Placement',
	name: 'tokenPlacement',
	type: 'options',
	options: [
		{ name: 'Query Parameter', value: 'query', description: 'What the services document' },
		{
			name: 'Bearer Header',
			value: 'bearer',
			description: 'Keeps the token out of addresses and proxy logs, where the service accepts it',
		},
		{ name: 'Other Header', value: 'header', description: 'A header of your own naming' },
	],
	default: 'query',
	description: 'Where the token travels',
};

const tokenName: INodeProperties = {
	displayName: 'Token Name',
	name: 'tokenName',
	type: 'string',
	default: 'api_token',
	description:
		'Name of the query parameter that carries the token, or of the header. The services known so far call the parameter api_token.',
	displayOptions: { show: { tokenPlacement: ['query', 'header'] } },
};

const badToken = 'The service does not accept the token: paste it again, and check Token Placement';
const noAccess = 'The service refuses access: check that the tariff includes API access, and the token';
const badAddress = 'Base URL is not an address: it must look like https://example.com';
const badPace = 'Requests per Second is not a number from 0 on: it must look like 2 or 0.5';
const noService =
	'There is no such service at Base URL: check the address, and leave out a path that is not part of it';
const otherService =
	'What answers at Base URL is not the service: check the address, and leave out a path that is not part of it';
const loginPage =
	'The service sends the request to another page, usually its login: check Base URL and the token';

const byStatus = (statuses: number[], message: string) =>
	statuses.map((value) => ({ type: 'responseCode' as const, properties: { value, message } }));

/** Fails the test when the key of the answer equals the value. */
const byBody = (key: string, value: unknown, message: string) => ({
	type: 'responseSuccessBody' as const,
	properties: { key, value, message },
});

export class ChatbotServiceApi implements ICredentialType {
	name = credentialType;

	displayName = 'Chatbot Service API';

	documentationUrl = 'https://www.npmjs.com/package/n8n-nodes-chatbot-service#credential';

	icon: Icon = { light: 'file:../icons/chatbotService.svg', dark: 'file:../icons/chatbotService.dark.svg' };

	properties: INodeProperties[] = [
		{
			displayName: 'Base URL',
			name: 'baseUrl',
			type: 'string',
			required: true,
			default: '',
			placeholder: 'e.g. https://app.example.com',
			description: `Address of the service, as in the browser's address bar when you are logged in: ${services.map(({ name, host }) => `https://${host} (${name})`).join(', ')}`,
			// n8n has no words for a test that passes, so this says it ahead of the test.
			hint: 'You can paste the address of a page: the node leaves out /bots/…, /account/api, ? and # and what follows them',
		},
		{
			displayName: 'API Token',
			name: 'token',
			type: 'string',
			typeOptions: { password: true },
			required: true,
			default: '',
			description:
				'The API token of your account, from its page API: https://watbot.ru/account/api (WatBot), https://app.cleverapp.pro/account/api (CleverApp), https://account.onebot.tech/account/api (OneBot). The tariff must include API access.',
		},
		tokenPlacement,
		tokenName,
		{
			displayName: 'Requests per Second',
			name: 'requestsPerSecond',
			type: 'number',
			typeOptions: { minValue: 0 },
			default: usualRequestsPerSecond,
			description:
				'How many requests per second the account may send, over all operations. 0 for no limit; then messages to contacts whose messenger is not known are not slowed down either.',
		},
		{
			displayName: 'Workers',
			name: 'workers',
			type: 'number',
			typeOptions: { minValue: 1 },
			default: 1,
			description:
				'How many n8n processes use this account at the same time; each keeps to its share of the limits',
		},
		{
			displayName: 'Bursts',
			name: 'bursts',
			type: 'boolean',
			default: false,
			description:
				'Whether to use the requests of a minute at once when the service says that they are left, instead of evenly. A tenth is left for others. The limits of the messengers are kept all the same.',
		},
	];

	async authenticate(
		credentials: ICredentialDataDecryptedObject,
		requestOptions: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> {
		witnessOf(requestOptions)?.(credentials);
		if (!isAddress(credentials.baseUrl)) throw new ApplicationError(badAddress);
		if (requestsPerSecondOf(credentials) === undefined) throw new ApplicationError(badPace);
		const unsendable = unsendablePartOf(credentials);
		if (unsendable) throw new ApplicationError(`${unsendable} has characters that a header cannot carry`);
		const { in: part, name, value } = tokenPlaceOf(credentials);
		return part === 'query'
			? { ...requestOptions, qs: { ...requestOptions.qs, [name]: value } }
			: { ...requestOptions, headers: { ...requestOptions.headers, [name]: value } };
	}

	test: ICredentialTestRequest = {
		request: {
			baseURL: baseUrlExpression,
			url: '/getListSchemas',
			...requestDefaults,
		},
		// The type wants rules of one kind only; n8n reads both kinds.
		rules: [
			...byStatus([401], badToken),
			...byStatus([403], noAccess),
			...byStatus([301, 302, 303, 307, 308], loginPage),
			...byStatus([404], noService),
			...byStatus([429], 'The service gets too many requests right now: try again in a minute'),
			byBody('message', 'Unauthenticated.', badToken),
			byBody('message', 'Forbidden', noAccess),
			byBody('data', undefined, otherService),
		] as ICredentialTestRequest['rules'],
	};
}
