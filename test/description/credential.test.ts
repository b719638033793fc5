import { NodeHelpers, type ICredentialDataDecryptedObject, type INodePropertyOptions } from 'n8n-workflow';

import { baseUrlExpression } from '../../nodes/ChatbotService/client/credential/baseUrl';
import * as failures from '../../nodes/ChatbotService/client/failure/failure';
import { ChatbotServiceApi } from '../../credentials/ChatbotServiceApi.credentials';
import { rows } from '../unit/tableRows';
import { description } from './editor';

/* The credential as n8n uses it: what it asks for, where it puts the token, and what its test says. */

const credential = new ChatbotServiceApi();
const { properties } = credential;
const fieldOf = (name: string) => properties.find((each) => each.name === name)!;

test('the fields have permanent names and usual defaults', () => {
	const found = properties.map(({ displayName, name, type, default: standard, ...others }) => {
		const { required = false, typeOptions } = others;
		return [displayName, name, type, standard, required, typeOptions];
	});
	expect(found).toEqual([
		['Base URL', 'baseUrl', 'string', '', true, undefined],
		// Only the token is masked.
		['API Token', 'token', 'string', '', true, { password: true }],
		['Token Placement', 'tokenPlacement', 'options', 'query', false, undefined],
		['Parameter or Header Name', 'tokenName', 'string', 'api_token', false, undefined],
		['Requests per Second', 'requestsPerSecond', 'number', 2, false, { minValue: 0 }],
		['n8n Processes', 'workers', 'number', 1, false, { minValue: 1 }],
		['Allow Bursts', 'bursts', 'boolean', false, false, undefined],
	]);
	const places = (fieldOf('tokenPlacement').options as INodePropertyOptions[]).map(({ value }) => value);
	expect(places).toEqual(['bearer', 'header', 'query']);
	const isNamed = (tokenPlacement: unknown) =>
		NodeHelpers.displayParameter({ tokenPlacement } as never, fieldOf('tokenName'), null, null);
	expect(places.filter(isNamed)).toEqual(['header', 'query']);
});

// n8n evaluates the display options of a credential before each request, and limits a regular expression there to 250 ms. On a
// busy server, n8n could therefore not read the credential.
test('display options have no regular expressions', () => {
	expect(JSON.stringify(properties)).not.toContain('_cnd');
});

const data = { baseUrl: 'https://app.example.com', token: ' secret\n', tokenPlacement: 'query' };
const request = () => ({ url: '/getBotTags', qs: { bot_id: 2048 }, headers: { Accept: 'application/json' } });

const sent = async (changes: object, options: { url: string } = request()) =>
	await credential.authenticate(
		{ ...data, tokenName: 'api_token', ...changes } as ICredentialDataDecryptedObject,
		options,
	);

const inHeader = (tokenName: string) => ({ tokenPlacement: 'header', tokenName });
/** As an older version stored it. */
const withoutPlace = { tokenPlacement: undefined, tokenName: undefined };

test.each<[changes: object, qs: object, headers?: object]>([
	[{}, { api_token: 'secret' }],
	[{ tokenName: ' key ' }, { key: 'secret' }],
	[withoutPlace, { api_token: 'secret' }],
	[{ tokenPlacement: 'bearer' }, {}, { Authorization: 'Bearer secret' }],
	[inHeader(' X-Api-Key '), {}, { 'X-Api-Key': 'secret' }],
	// A header without a name of its own.
	[inHeader(''), {}, { Authorization: 'secret' }],
	[inHeader(' api_token\n'), {}, { Authorization: 'secret' }],
])('with %j, the token is added only to %j', async (changes, qs, headers = {}) => {
	const given = request();
	expect(await sent(changes, given)).toEqual({
		url: '/getBotTags',
		qs: { bot_id: 2048, ...qs },
		headers: { Accept: 'application/json', ...headers },
	});
	expect(given).toEqual(request());
	// A request without query or headers.
	expect(JSON.stringify(await sent(changes, { url: '/' }))).toContain('secret');
});

test.each<[object, failures.Failure]>([
	// Some host could answer to such an address.
	...rows([{ baseUrl: '' }, { baseUrl: '  ' }], failures.invalidAddress()),
	[{ requestsPerSecond: 'быстро' }, failures.invalidPace('быстро')],
	[{ tokenPlacement: 'bearer', token: 'секрет' }, failures.invalidToken('API Token')],
])('the token is not sent with %j', async (changes, { message }) => {
	await expect(sent(changes)).rejects.toThrow(message);
});

type Rule = { type: string; properties: { key?: string; value: unknown; message: string } };

/** Judges an answer like n8n: a rule fails the test by its status, or when a key of the body equals its value. */
function verdict(status: number, body: unknown): string {
	const type = status > 299 ? 'responseCode' : 'responseSuccessBody';
	const met = (credential.test.rules as Rule[]).find(({ type: ofRule, properties: { key, value } }) => {
		const found = status > 299 ? status : (body as Record<string, unknown>)[key!];
		return ofRule === type && value === found;
	});
	return met?.properties.message ?? (status > 299 ? 'unexplained' : 'fine');
}

test.each<readonly [number, unknown, RegExp]>([
	[200, { data: [], links: {}, meta: {} }, /^fine$/],
	[401, '', /token/],
	[403, '', /plan/],
	[429, '', /too many requests/],
	[404, '', /not found at Base URL/],
	...[301, 302, 303, 307, 308].map((status) => [status, '', /redirects/] as const),
	[200, { message: 'Forbidden' }, /plan/],
	[200, { message: 'Unauthenticated.' }, /token/],
	[200, '<html></html>', /not look like a supported service/],
])('the test of the credential explains %i, %j', (status, body, words) => {
	expect(verdict(status, body)).toMatch(words);
});

test('the credential test asks for lists, like the node', () => {
	const { headers } = description.requestDefaults!;
	const asked = { baseURL: baseUrlExpression, url: '/getListSchemas', headers, disableFollowRedirect: true };
	expect(credential.test.request).toMatchObject(asked);
	// n8n must receive a failure as an answer. Otherwise it does not read the rules for status codes.
	expect(credential.test.request).not.toHaveProperty('ignoreHttpStatusErrors');
});
