import { existsSync } from 'node:fs';
import { join } from 'node:path';

import {
	NodeHelpers,
	type ICredentialDataDecryptedObject,
	type IHttpRequestOptions,
	type INodePropertyOptions,
} from 'n8n-workflow';

import { baseUrlExpression } from '../../nodes/ChatbotService/client/baseUrl';
import { ChatbotServiceApi } from '../../credentials/ChatbotServiceApi.credentials';
import { name as packageName } from '../../package.json';
import { description } from './editor';

const credential = new ChatbotServiceApi();
const data = {
	baseUrl: 'https://app.example.com',
	token: ' secret\n',
	tokenPlacement: 'query',
	tokenName: 'api_token',
};

test('has its permanent name, a page about it, and icons that are there', () => {
	expect(credential.name).toBe('chatbotServiceApi');
	expect(credential.displayName).toBe('Chatbot Service API');
	expect(credential.documentationUrl).toBe(`https://www.npmjs.com/package/${packageName}#credential`);
	const { light, dark } = credential.icon as { light: string; dark: string };
	expect(light).not.toBe(dark);
	for (const icon of [light, dark]) {
		expect(icon).toMatch(/^file:.*\.svg$/);
		expect(existsSync(join(__dirname, '../../credentials', icon.replace('file:', '')))).toBe(true);
	}
});

describe('the fields', () => {
	test('are called as the README calls them', () => {
		expect(credential.properties.map(({ displayName, type }) => [displayName, type])).toEqual([
			['Base URL', 'string'],
			['API Token', 'string'],
			['Token Placement', 'options'],
			['Token Name', 'string'],
			['Requests per Second', 'number'],
			['Workers', 'number'],
			['Bursts', 'boolean'],
		]);
	});

	test('offer every place that a token can have, and say what each is for', () => {
		const placement = credential.properties.find(({ name }) => name === 'tokenPlacement')!;
		const options = placement.options as INodePropertyOptions[];
		expect(options.map(({ name, value }) => [name, value])).toEqual([
			['Query Parameter', 'query'],
			['Bearer Header', 'bearer'],
			['Other Header', 'header'],
		]);
		for (const { description: words } of options) expect(words).toMatch(/^[A-Z].{8,}[^.]$/);
	});

	test('have the permanent names, and the defaults most people need', () => {
		const defaults = credential.properties.map(({ name, default: standard }) => [name, standard]);
		expect(defaults).toEqual([
			['baseUrl', ''],
			['token', ''],
			['tokenPlacement', 'query'],
			['tokenName', 'api_token'],
			['requestsPerSecond', 2],
			['workers', 1],
			['bursts', false],
		]);
	});

	test('need the address and the token', () => {
		expect(credential.properties.filter(({ required }) => required).map(({ name }) => name)).toEqual([
			'baseUrl',
			'token',
		]);
	});

	test('mask the token, and only the token', () => {
		const masked = credential.properties
			.filter(({ typeOptions }) => typeOptions?.password)
			.map(({ name }) => name);
		expect(masked).toEqual(['token']);
	});

	test('take no pace below none and no fewer than one worker', () => {
		const least = credential.properties.map(({ name, typeOptions }) => [name, typeOptions?.minValue]);
		expect(Object.fromEntries(least)).toMatchObject({ requestsPerSecond: 0, workers: 1 });
	});

	test('are described', () => {
		for (const field of credential.properties) expect(field.description).toMatch(/^[A-Z].{8,}/);
		expect(credential.properties[0]!.placeholder).toMatch(/^e\.g\. https:/);
	});

	test('say what the node leaves out of the address of a page', () => {
		expect(credential.properties[0]!.hint).toMatch(
			/address of a page: the node leaves out \/bots\/…, \/account\/api/,
		);
	});

	// n8n reads the display options of a credential before each request, and gives a regular expression there 250 ms: a busy server
	// could not read the credential.
	test('are shown by no regular expression', () => {
		expect(JSON.stringify(credential.properties)).not.toContain('_cnd');
	});

	test.each([
		['query', true],
		['bearer', false],
		['header', true],
	])('ask for a name where the token goes into %s: %p', (tokenPlacement, asked) => {
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
	/** A credential that was stored by an older version can lack fields. */
	const sent = async (changes: object, options = request()) =>
		await credential.authenticate({ ...data, ...changes } as ICredentialDataDecryptedObject, options);

	test.each<[string, object, object, object]>([
		['the query', {}, { api_token: 'secret' }, {}],
		['the query by another name', { tokenName: ' key ' }, { key: 'secret' }, {}],
		['the query without a name', { tokenName: '  ' }, { api_token: 'secret' }, {}],
		[
			'the query in a credential of few words',
			{ tokenPlacement: undefined, tokenName: undefined },
			{ api_token: 'secret' },
			{},
		],
		['a bearer header', { tokenPlacement: 'bearer' }, {}, { Authorization: 'Bearer secret' }],
		['a header', { tokenPlacement: 'header', tokenName: ' X-Api-Key ' }, {}, { 'X-Api-Key': 'secret' }],
		['a header without a name', { tokenPlacement: 'header', tokenName: '' }, {}, { Authorization: 'secret' }],
	])('goes into %s, trimmed, and nowhere else', async (_, changes, qs, headers) => {
		expect(await sent(changes)).toEqual({
			url: '/getBotTags',
			qs: { bot_id: 2048, ...qs },
			headers: { Accept: 'application/json', ...headers },
		});
	});

	test.each(['query', 'bearer', 'header'])(
		'leaves the request it was given alone: %s',
		async (tokenPlacement) => {
			const given = request();
			const authenticated = await sent({ tokenPlacement }, given);
			expect(given).toEqual(request());
			expect(authenticated).not.toBe(given);
		},
	);

	test.each(['query', 'bearer', 'header'])(
		'needs neither query nor headers to be there: %s',
		async (tokenPlacement) => {
			expect(JSON.stringify(await sent({ tokenPlacement }, { url: '/' }))).toContain('secret');
		},
	);

	test.each(['', '  ', 'https://', '/api/v1'])(
		'goes nowhere while the address is %j, which some host would answer',
		async (baseUrl) => {
			await expect(sent({ baseUrl })).rejects.toThrow(/Base URL/);
		},
	);

	test('that is missing is sent as nothing, not as a word', async () => {
		expect((await sent({ token: undefined })).qs).toEqual({ bot_id: 2048, api_token: '' });
	});
});

describe('the test of the credential', () => {
	const { request, rules } = credential.test;

	test('asks for lists, as the node itself would', () => {
		expect(request).toMatchObject({
			baseURL: baseUrlExpression,
			url: '/getListSchemas',
			headers: description.requestDefaults!.headers,
			disableFollowRedirect: true,
		});
		// A failure must reach n8n as one, or no rule for its status would ever be read.
		expect(request).not.toHaveProperty('ignoreHttpStatusErrors');
	});

	/** As n8n judges an answer: a rule fails the test by its status, or by a key of the body that equals the value. */
	function verdict(status: number, body: unknown): string {
		for (const { type, properties } of rules as Array<{
			type: string;
			properties: { key?: string; value: unknown; message: string };
		}>) {
			const fails =
				status > 299
					? type === 'responseCode' && properties.value === status
					: type === 'responseSuccessBody' &&
						(body as Record<string, unknown> | undefined)?.[properties.key!] === properties.value;
			if (fails) return properties.message;
		}
		return status > 299 ? 'unexplained' : 'fine';
	}

	test.each<[string, number, unknown, RegExp]>([
		['a page of lists', 200, { data: [], links: {}, meta: {} }, /^fine$/],
		['401', 401, '', /token/],
		['403', 403, '', /plan/],
		['404', 404, '', /Base URL/],
		['429', 429, '', /too many requests/],
		['a redirect to the login', 302, '', /login/],
		['a redirect for good', 301, '', /Base URL/],
		['a redirect of another kind', 307, '', /Base URL/],
		['Forbidden under 200', 200, { message: 'Forbidden' }, /plan/],
		['a refused token under 200', 200, { message: 'Unauthenticated.' }, /token/],
		['a web page', 200, '<html></html>', /not answer like the service/],
		['JSON of another service', 200, { ok: true }, /not answer like the service/],
		['an empty object', 200, {}, /not answer like the service/],
	])('says what %s means', (_, status, body, words) => {
		expect(verdict(status, body)).toMatch(words);
	});

	test('says so without the words that n8n advises against, and without a final period', () => {
		for (const { properties } of rules as Array<{ properties: { message: string } }>) {
			expect(properties.message).toMatch(/^[A-Z].*[^.]$/);
			expect(properties.message).not.toMatch(/\b(error|problem|failure|mistake)s?\b/i);
		}
	});
});
