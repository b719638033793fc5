import {
	NodeHelpers,
	type ICredentialDataDecryptedObject,
	type IHttpRequestOptions,
	type INodePropertyOptions,
} from 'n8n-workflow';

import { baseUrlExpression } from '../../nodes/ChatbotService/client/credential/baseUrl';
import {
	invalidAddress,
	invalidPace,
	invalidToken,
	invalidWorkers,
	type Failure,
} from '../../nodes/ChatbotService/client/failure/failure';
import { ChatbotServiceApi } from '../../credentials/ChatbotServiceApi.credentials';
import { description } from './editor';

/* The credential as n8n uses it: where it puts the token, and what its test says. */

const credential = new ChatbotServiceApi();
const data = {
	baseUrl: 'https://app.example.com',
	token: ' secret\n',
	tokenPlacement: 'query',
	tokenName: 'api_token',
};

describe('the fields', () => {
	test('have their labels, permanent names, and the defaults most people need; only the token is masked', () => {
		const found = credential.properties.map((field) => {
			const { displayName, name, type, required = false, typeOptions } = field;
			return [displayName, name, type, field.default, required, typeOptions];
		});
		expect(found).toEqual([
			['Base URL', 'baseUrl', 'string', '', true, undefined],
			['API Token', 'token', 'string', '', true, { password: true }],
			['Token Placement', 'tokenPlacement', 'options', 'query', false, undefined],
			['Parameter or Header Name', 'tokenName', 'string', 'api_token', false, undefined],
			['Requests per Second', 'requestsPerSecond', 'number', 2, false, { minValue: 0 }],
			['n8n Processes', 'workers', 'number', 1, false, { minValue: 1 }],
			['Use the Rest of the Minute at Once', 'bursts', 'boolean', false, false, undefined],
		]);
		const { options } = credential.properties.find(({ name }) => name === 'tokenPlacement')!;
		const places = (options as INodePropertyOptions[]).map(({ value }) => value);
		expect(places).toEqual(['bearer', 'header', 'query']);
	});

	// n8n evaluates the display options of a credential before each request, and limits a regular expression there to 250 ms. On a
	// busy server, n8n could therefore not read the credential.
	test('have no regular expressions in their display options', () => {
		expect(JSON.stringify(credential.properties)).not.toContain('_cnd');
	});

	test.each([
		['query', true],
		['bearer', false],
		['header', true],
	])('ask for a name when the token is sent in %s: %p', (tokenPlacement, asked) => {
		const field = credential.properties.find(({ name }) => name === 'tokenName')!;
		expect(NodeHelpers.displayParameter({ tokenPlacement }, field, null, null)).toBe(asked);
	});
});

describe('the token', () => {
	const request = (): IHttpRequestOptions => ({
		url: '/getBotTags',
		qs: { bot_id: 2048 },
		headers: { Accept: 'application/json' },
	});
	/** As an older version stored it. */
	const withoutPlace = { tokenPlacement: undefined, tokenName: undefined };
	const sent = async (changes: object, options = request()) =>
		await credential.authenticate({ ...data, ...changes } as ICredentialDataDecryptedObject, options);

	test.each<[string, object, object, object]>([
		['the query', {}, { api_token: 'secret' }, {}],
		['the query under another name', { tokenName: ' key ' }, { key: 'secret' }, {}],
		['the query of an old credential', withoutPlace, { api_token: 'secret' }, {}],
		['a bearer header', { tokenPlacement: 'bearer' }, {}, { Authorization: 'Bearer secret' }],
		['a header', { tokenPlacement: 'header', tokenName: ' X-Api-Key ' }, {}, { 'X-Api-Key': 'secret' }],
		...['', 'api_token', ' api_token\n'].map((tokenName): [string, object, object, object] => [
			`a header without a name of its own, but ${JSON.stringify(tokenName)}`,
			{ tokenPlacement: 'header', tokenName },
			{},
			{ Authorization: 'secret' },
		]),
		[
			'a header that differs',
			{ tokenPlacement: 'header', tokenName: 'api-token' },
			{},
			{ 'api-token': 'secret' },
		],
	])(
		'is sent only in %s, trimmed, and the original request does not change',
		async (_, changes, qs, headers) => {
			const given = request();
			expect(await sent(changes, given)).toEqual({
				url: '/getBotTags',
				qs: { bot_id: 2048, ...qs },
				headers: { Accept: 'application/json', ...headers },
			});
			expect(given).toEqual(request());
			// A request without query or headers.
			expect(JSON.stringify(await sent(changes, { url: '/' }))).toContain('secret');
		},
	);

	test.each<[object, Failure]>([
		// Some host could answer to such an address.
		...['', '  ', 'https://', '/api/v1'].map((baseUrl): [object, Failure] => [{ baseUrl }, invalidAddress()]),
		[{ requestsPerSecond: 'быстро' }, invalidPace('быстро')],
		[{ workers: 'два' }, invalidWorkers('два')],
		[{ tokenPlacement: 'bearer', token: 'секрет' }, invalidToken('API Token')],
		[{ tokenPlacement: 'header', tokenName: 'X Token' }, invalidToken('Parameter or Header Name')],
	])('is not sent with %j', async (changes, { message }) => {
		await expect(sent(changes)).rejects.toThrow(message);
	});
});

describe('the test of the credential', () => {
	const { request, rules } = credential.test;

	test('requests lists, like the node itself', () => {
		expect(request).toMatchObject({
			baseURL: baseUrlExpression,
			url: '/getListSchemas',
			headers: description.requestDefaults!.headers,
			disableFollowRedirect: true,
		});
		// n8n must receive a failure as an answer. Otherwise it does not read the rules for status codes.
		expect(request).not.toHaveProperty('ignoreHttpStatusErrors');
	});

	type Rule = { type: string; properties: { key?: string; value: unknown; message: string } };

	/** Judges an answer like n8n: a rule fails the test by its status, or when a key of the body equals its value. */
	function verdict(status: number, body: unknown): string {
		const isFailed = status > 299;
		const met = (rules as Rule[]).find(({ type, properties: { key, value } }) =>
			isFailed
				? type === 'responseCode' && value === status
				: type === 'responseSuccessBody' && value === (body as Record<string, unknown>)[key!],
		);
		return met?.properties.message ?? (isFailed ? 'unexplained' : 'fine');
	}

	test.each<[string, number, unknown, RegExp]>([
		['a page of lists', 200, { data: [], links: {}, meta: {} }, /^fine$/],
		['401', 401, '', /token/],
		['403', 403, '', /plan/],
		['429', 429, '', /too many requests/],
		['404', 404, '', /not found at Base URL/],
		...[301, 302, 303, 307, 308].map((status): [string, number, string, RegExp] => [
			`${status}, a redirect`,
			status,
			'',
			/redirects/,
		]),
		['Forbidden with status 200', 200, { message: 'Forbidden' }, /plan/],
		['a refused token with status 200', 200, { message: 'Unauthenticated.' }, /token/],
		['a web page', 200, '<html></html>', /not look like a supported service/],
	])('explains %s', (_, status, body, words) => {
		expect(verdict(status, body)).toMatch(words);
	});
});
