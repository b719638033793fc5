import {
	UserError,
	type ICredentialDataDecryptedObject,
	type ICredentialTestRequest,
	type ICredentialType,
	type IHttpRequestOptions,
	type Icon,
	type INodeProperties,
} from 'n8n-workflow';

import {
	credentialType,
	readAccount,
	usualRequestsPerSecond,
	usualTokenName,
} from '../nodes/ChatbotService/client/credential/account';
import { baseUrlExpression, services } from '../nodes/ChatbotService/client/credential/baseUrl';
import { requestDefaults, witnessOf } from '../nodes/ChatbotService/client/http/request';

/*
 * The credential and its test. n8n loads it without the node, so what both use is in client/ and shared/. The tests: test/description/credential.test.ts.
 */

/*
 * These two parameters say where the token goes. They stand here because n8n's lint rules take every parameter in `properties` with
 * "token" in its name for a secret that the editor must mask.
 */

const tokenPlacement: INodeProperties = {
	displayName: 'Token Placement',
	name: 'tokenPlacement',
	type: 'options',
	options: [
		{
			name: 'Bearer Header',
			value: 'bearer',
			description: 'Keeps the token out of URLs and proxy logs, if the service accepts it',
		},
		{ name: 'Other Header', value: 'header', description: 'A header whose name you enter below' },
		{ name: 'Query Parameter', value: 'query', description: 'Recommended: what all known services document' },
	],
	default: 'query',
	description: 'Where the request carries the token',
};

const tokenName: INodeProperties = {
	displayName: 'Parameter or Header Name',
	name: 'tokenName',
	type: 'string',
	default: usualTokenName,
	description:
		'Name of the query parameter, or of the header, that carries the token. If you choose a header and leave api_token here, the header is Authorization.',
	displayOptions: { show: { tokenPlacement: ['query', 'header'] } },
};

const badToken = 'The service does not accept the token: paste it again, and check Token Placement';
const noAccess = 'The service denies access: check that the plan includes API access, and check the token';
const loginPage =
	'The service redirects the request, usually to its login page: check Base URL and the token';

const byStatus = (statuses: number[], message: string) =>
	statuses.map((value) => ({ type: 'responseCode' as const, properties: { value, message } }));

/** Fails the test if the key of the answer equals the value. */
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
			placeholder: 'e.g. https://watbot.ru',
			description: `Address of the service, as in the browser's address bar when you are logged in: ${services.map(({ name, host }) => `https://${host} (${name})`).join(', ')}`,
			// n8n's test cannot say this: of an attempt without a response, it shows only the code.
			hint: 'You can paste the URL of any page of the service. If the test shows ENOTFOUND, check the spelling of the address',
		},
		{
			displayName: 'API Token',
			name: 'token',
			type: 'string',
			typeOptions: { password: true },
			required: true,
			default: '',
			description:
				'The API token of your account, whose plan must include API access. You find it at https://watbot.ru/account/api (WatBot), https://app.cleverapp.pro/account/api (CleverApp), https://account.onebot.tech/account/api (OneBot), or in the settings (JetBot, LEADTEX).',
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
				'How many requests per second the account may send, in all operations together. 0 means no limit for the account: only the limits of known messengers still apply.',
		},
		{
			displayName: 'n8n Processes',
			name: 'workers',
			type: 'number',
			typeOptions: { minValue: 1 },
			default: 1,
			description:
				'How many n8n processes, such as workers, use this account at the same time; each uses only its share of the limits',
		},
		{
			displayName: 'Allow Bursts',
			name: 'bursts',
			type: 'boolean',
			default: false,
			description:
				'Whether to send the remaining requests of a minute at once instead of evenly, if the service reports how many remain. The limits of the messengers still apply.',
		},
	];

	async authenticate(
		credentials: ICredentialDataDecryptedObject,
		requestOptions: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> {
		witnessOf(requestOptions)?.(credentials);
		const { unusable, tokenPlace } = readAccount(credentials);
		if (unusable) throw new UserError(unusable.message);
		const { in: part, name, value } = tokenPlace;
		return part === 'query'
			? { ...requestOptions, qs: { ...requestOptions.qs, [name]: value } }
			: { ...requestOptions, headers: { ...requestOptions.headers, [name]: value } };
	}

	test: ICredentialTestRequest = {
		request: { baseURL: baseUrlExpression, url: '/getListSchemas', ...requestDefaults },
		// The type allows rules of one kind only; n8n reads both kinds.
		rules: [
			...byStatus([401], badToken),
			...byStatus([403], noAccess),
			...byStatus([301, 302, 303, 307, 308], loginPage),
			...byStatus([404], 'The service was not found at Base URL: check the address'),
			...byStatus([429], 'The service is receiving too many requests: try again in a minute'),
			byBody('message', 'Unauthenticated.', badToken),
			byBody('message', 'Forbidden', noAccess),
			byBody(
				'data',
				undefined,
				'The server at Base URL does not look like a supported service: check the address',
			),
		] as ICredentialTestRequest['rules'],
	};
}
