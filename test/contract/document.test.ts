/** docs/openapi.yaml is valid and shows what the emulator does; requests and answers that break it are noticed. */

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { SEEDED, loadContract, startEmulator, type TokenPlacement } from '../../sandbox/emulator';
import { DOCUMENT, readOperations, type DocumentedOperation } from '../../sandbox/emulator/document';
import { MAINTENANCE_PAGE, serverPage } from '../../sandbox/emulator/html';
import { byTitle, isReading, operations, requestOf, variants } from '../operations';
import { clientOf, useEmulator, type Question } from './client';

const text = readFileSync(DOCUMENT, 'utf8');
const documented = readOperations();

const service = useEmulator();
const ask = clientOf(service);

async function problemsOf(path: string): Promise<string> {
	const run = promisify(execFile);
	return (await run(process.execPath, [join(__dirname, 'validator.mjs'), path])).stdout;
}

test('A public validator finds nothing wrong with docs/openapi.yaml', async () => {
	expect(await problemsOf(DOCUMENT)).toBe('');
});

test('A public validator finds what is wrong with other documents', async () => {
	const folder = await mkdtemp(join(tmpdir(), 'openapi-'));
	try {
		const path = join(folder, 'openapi.yaml');
		await writeFile(path, text.replace('in: query', 'in: nowhere').replace('value: 5001', 'value: Анна'));
		const problems = await problemsOf(path);
		expect(problems).toMatch(/^struct at #\/paths\/.*\/in: /m);
		expect(problems).toMatch(/^no-invalid-\S+-examples at /m);
	} finally {
		await rm(folder, { recursive: true });
	}
});

const byName = documented.map((each): [string, DocumentedOperation] => [each.operationId, each]);

test.each(byName)(
	'docs/openapi.yaml shows two or more requests for %s, which the service accepts unchanged',
	async (name, operation) => {
		const requests = requestsOf(operation);
		expect(requests.length).toBeGreaterThanOrEqual(2);
		for (const question of requests) {
			service.reset();
			const { status } = await ask(name, question);
			expect({ ...question, status }).toEqual({ ...question, status: 200 });
			service.assertContract();
		}
	},
);

test.each(byName)(
	'docs/openapi.yaml shows a success, a refusal and a failure of %s',
	(_name, { responses }) => {
		const shown = Object.entries(responses).filter(([, { content = {} }]) =>
			Object.values(content).some(({ examples }) => examples),
		);
		expect([...new Set(shown.map(([status]) => status[0]))].sort()).toEqual(['2', '4', '5']);
	},
);

test('The emulator answers with the headers that docs/openapi.yaml describes', async () => {
	service.setLimits({ account: { requests: 2, windowMs: 60_000 } });
	const { responses } = documented.find(({ operationId }) => operationId === 'getListSchema')!;
	for (const [schema_id, status] of [
		['5dee4800c2cc5a38ec797235', 200],
		['unknown', 404],
		['unknown', 429],
	] as const) {
		const { headers } = await ask('getListSchema', { query: { schema_id } });
		const limiting = [...headers.keys()].filter((name) => /^(x-ratelimit|retry-after)/.test(name));
		const described = Object.keys(responses[status]!.headers!).map((name) => name.toLowerCase());
		expect([status, limiting.sort()]).toEqual([status, described.sort()]);
	}
});

/** The requests that an operation shows: examples of its parameters with the same name belong together. */
function requestsOf({ parameters, requestBody }: DocumentedOperation): Question[] {
	const queries: Record<string, NonNullable<Question['query']>> = {};
	for (const { name, examples = {} } of parameters) {
		for (const [example, { value }] of Object.entries(examples)) {
			(queries[example] ??= {})[name] = value as string;
		}
	}
	const bodies = Object.values(requestBody?.content['application/json']?.examples ?? {});
	return [
		...Object.values(queries).map((query) => ({ query })),
		...bodies.map(({ value }) => ({ body: value })),
	];
}

describe('compared with the emulator', () => {
	const { telegram: contact_id } = SEEDED.contacts;
	const { checkAnswer, checkParameters } = loadContract();

	async function problemsOf(operation: string, question: Question): Promise<string> {
		await ask(operation, question);
		return service.violations.flatMap(({ problems }) => problems).join('\n');
	}

	test('Only the two operations with long texts accept their parameters in query or body', () => {
		const both = readOperations().filter(
			({ requestBody, parameters }) => requestBody && parameters.some((each) => each.in === 'query'),
		);
		expect(both.map(({ operationId }) => operationId)).toEqual(['setContactVariable', 'sendMessage']);
	});

	test.each(byTitle(variants))(
		'The request for %s conforms to the contract and takes effect',
		async (_title, variant) => {
			const { isDone = () => true, of } = variant;
			if (!isReading(of)) expect(isDone(service.data)).toBe(false);
			expect(await problemsOf(of.endpoint, requestOf(variant))).toBe('');
			expect(service.requests[0]).toMatchObject({ operation: of.endpoint, accepted: true });
			expect(isDone(service.data)).toBe(true);
			expect(() => service.assertContract()).not.toThrow();
		},
	);

	const tag = { contact_id, name: 'VIP' };
	const variable = { contact_id, name: 'Город', value: 'Уфа' };
	const message = { contact_id, text: 'Привет' };
	const field = { name: 'Сумма', slug: 'sum', type: 'number' };
	const contact = { bot_id: 101, messenger: 'telegram', name: 'Анна', telegram_id: '284119035' };
	const form = { 'content-type': 'application/x-www-form-urlencoded' };

	test.each<[string, Question, RegExp]>([
		// In the query.
		['getBotTags', {}, /query must have required property 'bot_id'/],
		['getBotTags', { query: { bot_id: 'первый' } }, /bot_id must be integer/],
		['getBotTags', { query: { bot_id: 101, limit: 5 } }, /additional properties: limit/],
		['getListSchemas', { query: { page: 0 } }, /page must be >= 1/],
		['getContacts', { query: { count: 501 } }, /count must be <= 500/],
		['getContacts', { query: { with: 'tags, variables' } }, /tags, variables, tags,variables/],
		['getContacts', { query: { date_from: '2023-03-01' } }, /date_from must be integer/],
		['deleteContactVariable', { body: { ...tag, id: 1 } }, /takes no body/],
		['deleteContactVariable', { query: { contact_id } }, /id is required without name/],

		// In the body.
		['attachTagToContact', { query: tag }, /requestBody must be/],
		['attachTagToContact', { body: { ...tag, id: 3 } }, /additional properties: id/],
		['attachTagToContact', { body: '{"contact_id":' }, /requestBody/],
		['attachTagToContact', { body: 'contact_id=5001&name=VIP', headers: form }, /must be application\/json/],
		['createOrUpdateContact', { body: { ...contact, telegram_id: 284119035 } }, /telegram_id must be string/],
		['createOrUpdateContact', { body: { ...contact, tags: 'VIP' } }, /tags must be array/],
		['createOrUpdateContact', { body: { ...contact, messenger: 'max' } }, /whatsapp, telegram, viber, vk/],
		[
			'createOrUpdateContact',
			{ body: { ...contact, messenger: 'whatsapp' } },
			/phone is required for whatsapp/,
		],
		['createOrUpdateContact', { body: { ...contact, messenger: 'vk' } }, /vk_id is required for vk/],
		['createListSchema', { body: { name: 'a', fields: [field] } }, /fields must be object/],
		[
			'createListSchema',
			{ body: { name: 'a', fields: { total: field } } },
			/fields\/total must have the same slug as its key/,
		],
		[
			'createListSchema',
			{ body: { name: 'a', fields: { sum: { ...field, type: 'bool' } } } },
			/string, number, boolean, contact, bot/,
		],

		['getListItems', { body: { filters: {} } }, /required property 'schema_id'/],
		['getListItems', { body: { schema_id: 'a', limit: 0 } }, /limit must be >= 1/],
		['getListItems', { body: { schema_id: 'a', page: '2' } }, /page must be integer/],
		['getListItems', { body: { schema_id: 'a', filters: { b: null } } }, /filters\/b must/],
		['getListItems', { query: { schema_id: 'a' } }, /requestBody must be/],
		['addListItem', { body: { schema_id: 'a', data: {} } }, /fewer than 1/],
		['addListItem', { body: { schema_id: 'a', data: { b: ['c'] } } }, /data\/b must/],
		['updateListItem', { body: { schema_id: 'a', data: { b: 1 } } }, /required property 'item_id'/],
		['deleteListItem', { body: { item_id: 'a', schema_id: 'b' } }, /additional properties: schema_id/],

		// In either query or body.
		['sendMessage', { query: { contact_id } }, /schema in anyOf/],
		['sendMessage', { query: { ...message, text: '' } }, /text must NOT have fewer than 1/],
		['sendMessage', { query: { text: 'Привет' } }, /exactly one schema in oneOf/],
		['sendMessage', { query: { text: 'a', messenger: 'vk', bot_id: 101 } }, /contact_external_id/],
		['sendMessage', { query: { ...message, bot_id: 101 } }, /one schema in oneOf/],
		['sendMessage', { query: { ...message, messenger: 'icq' } }, /whatsapp, telegram, viber, vk, max/],
		['sendMessage', { query: { text: 'x' }, body: message }, /both the query and the body/],
		['sendMessage', { body: { ...message, contact_id: '5001' } }, /must be integer/],
		['setContactVariable', { body: { ...variable, deletable: true } }, /deletable must be integer/],
		['setContactVariable', { body: { ...variable, value: 5 } }, /value must be string/],

		// In the headers.
		['getListSchemas', { headers: { accept: undefined } }, /accept must be equal/],
		['getListSchemas', { headers: { accept: 'application/json, */*' } }, /accept must be equal/],
		['getListSchemas', { headers: { 'x-requested-with': undefined } }, /x-requested-with/],
		['getListSchemas', { token: null }, /no token/],
		['getListSchemas', { headers: { authorization: 'Bearer x' } }, /more than once/],
	])('%s with %j violates the contract', async (name, question, problem) => {
		expect(await problemsOf(name, question)).toMatch(problem);
		expect(() => service.assertContract()).toThrow(name);
	});

	test('A request to an unknown path or with another method violates the contract', async () => {
		await ask('/api/v1/getBots');
		await ask('/api/v1/sendMessage', { method: 'GET' });
		expect(service.violations.map(({ problems }) => problems)).toEqual([
			['no such path: /api/v1/getBots'],
			['/api/v1/sendMessage takes POST only'],
		]);
	});

	test.each<{ tokenIn: TokenPlacement } & Question>([
		{ tokenIn: { placement: 'query', name: 'key' }, query: { key: 'secret' } },
		{ tokenIn: { placement: 'bearer' }, headers: { authorization: 'Bearer secret' } },
		{ tokenIn: { placement: 'header', name: 'X-Api-Key' }, headers: { 'x-api-key': 'secret' } },
	])('The token belongs where the installation expects it: $tokenIn', async ({ tokenIn, ...question }) => {
		const own = await startEmulator({ token: 'secret', tokenIn });
		try {
			expect(await clientOf(own)('getListSchemas', { ...question, token: null })).toMatchObject({
				status: 200,
			});
			own.assertContract();

			expect(await clientOf(own)('getListSchemas', { token: 'secret' })).toMatchObject({ status: 401 });
			expect(own.violations[0]!.problems).toEqual([
				'no token where it belongs',
				'/query must NOT have additional properties: api_token',
			]);
		} finally {
			await own.stop();
		}
	});

	// checkRequest sees only the texts of a query in a URL. Here the values have their original types.
	test.each<[string, query: object, body: object]>([
		['getBotTags', { bot_id: '5' }, {}],
		['setContactVariable', { ...variable, deletable: true }, {}],
		['getBotTags', {}, { bot_id: 5 }],
		['sendMessage', { contact_id }, { text: 'Привет' }],
		['deleteContactVariable', { contact_id }, {}],
	])('The parameters of %s in query %j and body %j violate the contract', (endpoint, query, body) => {
		expect(checkParameters(endpoint, { query, body })).not.toEqual([]);
	});

	const html = 'text/html; charset=UTF-8';
	const json = 'application/json';

	test.each<[string, number, string, string, RegExp]>([
		// A documented answer.
		['getBotTags', 200, json, '{"data":[1]}', /data\/0 must be string/],
		['getBotTags', 200, json, '{"data":[],"id":1}', /additional properties: id/],
		[
			'getContactVariables',
			200,
			json,
			'{"data":[{"id":1,"value":"B1"}]}',
			/data\/0 must match a schema in anyOf/,
		],
		['getBotTags', 418, json, '{}', /418 is not described/],
		['getBotTags', 200, html, '<html></html>', /text\/html is not described/],
		['getBotTags', 200, html, '', /body is missing/],
		['getBotTags', 200, json, '{"data":[', /not JSON/],
		['addListItem', 200, json, '{"data":{"id":"a"}}', /required property 'created_at'/],
		['getBotTags', 200, json, '{"data":[],"success":false}', /success must be equal/],

		// Answers that are not documented, but not arbitrary.
		...['deleteListSchema', 'createListSchema'].flatMap(
			(operation): Array<[string, number, string, string, RegExp]> => [
				[operation, 200, html, '<html></html>', /must match pattern/],
				[operation, 200, html, 'Fatal error: Uncaught TypeError', /must match pattern/],
				[operation, 200, json, '{"success":false}', /must be equal/],
				[operation, 200, json, '{"message":"Forbidden"}', /additional/],
				[operation, 200, json, 'false', /must be equal/],
				[operation, 200, json, '"ok"', /must be/],
				[operation, 200, json, 'ok', /not JSON/],
			],
		),
	])('An answer of %s with %i, %s and %s violates the contract', (operation, status, type, body, problem) => {
		expect(checkAnswer(operation, status, type, body).join('\n')).toMatch(problem);
	});

	test.each([
		['maintenance as JSON', 503, json, '{"message":"Service Unavailable"}'],
		['maintenance as a page', 503, html, MAINTENANCE_PAGE],
		["the web server's page", 502, html, serverPage('502 Bad Gateway')],
	])('An answer with %s conforms to the contract of every operation', (_title, status, type, body) => {
		for (const { endpoint } of operations) {
			expect([endpoint, checkAnswer(endpoint, status, type, body)]).toEqual([endpoint, []]);
			expect(checkAnswer(endpoint, status, html, '')).not.toEqual([]);
		}
	});
});
