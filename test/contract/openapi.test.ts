/** What docs/openapi.yaml takes and what it refuses, held against the stand-in. */

import { SEEDED, loadContract, startService, type Service } from '../../sandbox/service';
import { MAINTENANCE_PAGE, serverPage } from '../../sandbox/service/html';
import { readOperations } from '../../sandbox/service/document';
import { byTitle, isReading, operations, requestOf, variants } from '../operations';
import { ask, type Question } from './client';

const { telegram } = SEEDED.contacts;
const { orders } = SEEDED.schemas;
const FIELD = {
	name: 'Сумма',
	slug: 'sum',
	type: 'number',
	is_required: true,
	is_hidden: false,
	is_encryptable: false,
};

describe('the document', () => {
	it('allows parameters in query or body for the two operations with long texts only', async () => {
		const both = readOperations().filter(
			({ requestBody, parameters }) => requestBody && parameters.some((each) => each.in === 'query'),
		);
		expect(both.map(({ operationId }) => operationId)).toEqual(['setContactVariable', 'sendMessage']);
	});
});

describe('a request', () => {
	let service: Service;
	beforeAll(async () => {
		service = await startService();
	});
	afterEach(() => service.reset());
	afterAll(async () => await service.stop());

	async function problemsOf(name: string, question: Question): Promise<string> {
		await ask(service, operations.find(({ endpoint }) => endpoint === name)!.method, name, question);
		return service.violations.flatMap(({ problems }) => problems).join('\n');
	}

	it.each(byTitle(variants))(
		'for %s keeps the contract, and does what it is for',
		async (_title, variant) => {
			const { isDone = () => true, of } = variant;
			if (!isReading(of)) expect(isDone(service.data)).toBe(false);
			const { method: _, ...question } = requestOf(variant);
			expect(await problemsOf(of.endpoint, question)).toBe('');
			expect(service.requests[0]).toMatchObject({ operation: of.endpoint, accepted: true });
			expect(isDone(service.data)).toBe(true);
			expect(() => service.assertContract()).not.toThrow();
		},
	);

	const allowed: Array<[string, string, Question]> = [
		[
			'a long variable',
			'setContactVariable',
			{ body: { contact_id: telegram, name: 'Город', value: 'У'.repeat(5000), deletable: 1 } },
		],
		['a long text', 'sendMessage', { body: { contact_id: telegram, text: 'Привет! '.repeat(1000) } }],
		['the second page', 'getListSchemas', { query: { page: 2 } }],
	];

	it.each(allowed)('for %s keeps the contract and is accepted', async (_title, name, question) => {
		expect(await problemsOf(name, question)).toBe('');
		expect(service.requests[0]).toMatchObject({ operation: name, accepted: true });
		expect(() => service.assertContract()).not.toThrow();
	});

	const text = { contact_id: telegram, text: 'Привет' };
	const refusedOnes: Array<[string, string, Question, RegExp]> = [
		['no bot', 'getBotTags', {}, /query must have required property 'bot_id'/],
		['a bot that is no number', 'getBotTags', { query: { bot_id: 'первый' } }, /bot_id must be integer/],
		[
			'an unknown parameter',
			'getBotTags',
			{ query: { bot_id: 101, limit: 5 } },
			/additional properties: limit/,
		],
		[
			'a body where there is none',
			'deleteContactVariable',
			{ body: { contact_id: 1, id: 1 } },
			/takes no body/,
		],
		[
			'neither name nor ID',
			'deleteContactVariable',
			{ query: { contact_id: 5001 } },
			/id is required without name/,
		],
		['page 0', 'getListSchemas', { query: { page: 0 } }, /page must be >= 1/],
		[
			'parameters in the query of an operation with a body',
			'attachTagToContact',
			{ query: { contact_id: telegram, name: 'VIP' } },
			/requestBody[^]*additional properties: contact_id/,
		],
		[
			'an ID as a string in JSON',
			'attachTagToContact',
			{ body: { contact_id: String(telegram), name: 'VIP' } },
			/contact_id must be integer/,
		],
		[
			'an unknown attribute in JSON',
			'attachTagToContact',
			{ body: { contact_id: telegram, name: 'VIP', id: 3 } },
			/additional properties: id/,
		],
		['JSON that is none', 'attachTagToContact', { body: '{"contact_id":' }, /requestBody/],
		[
			'a form',
			'attachTagToContact',
			{ body: 'contact_id=5001&name=VIP', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
			/must be application\/json/,
		],
		[
			'a message without content',
			'sendMessage',
			{ query: { contact_id: 5001 } },
			/must match a schema in anyOf/,
		],
		[
			'an empty text',
			'sendMessage',
			{ query: { ...text, text: '' } },
			/text must NOT have fewer than 1 char/,
		],
		['a message to nobody', 'sendMessage', { query: { text: 'Привет' } }, /exactly one schema in oneOf/],
		[
			'half of an external ID',
			'sendMessage',
			{ query: { text: 'Привет', messenger: 'vk', bot_id: 101 } },
			/contact_external_id/,
		],
		['two recipients', 'sendMessage', { query: { ...text, bot_id: 101 } }, /exactly one schema in oneOf/],
		[
			'two whole recipients',
			'sendMessage',
			{ query: { ...text, bot_id: 101, messenger: 'vk', contact_external_id: '17450283' } },
			/exactly one schema in oneOf/,
		],
		[
			'an unknown messenger',
			'sendMessage',
			{ query: { ...text, messenger: 'icq' } },
			/whatsapp, telegram, viber, vk, max/,
		],
		[
			'parameters in both places',
			'sendMessage',
			{ query: { text: 'x' }, body: text },
			/both the query and the body/,
		],
		['the same in both places', 'sendMessage', { query: text, body: text }, /both the query and the body/],
		[
			'a string ID in a long message',
			'sendMessage',
			{ body: { ...text, contact_id: '5001' } },
			/must be integer/,
		],
		[
			'an unknown attribute in a long message',
			'sendMessage',
			{ body: { ...text, to: 1 } },
			/additional properties: to/,
		],
		[
			'a boolean for deletable',
			'setContactVariable',
			{ body: { contact_id: 5001, name: 'a', value: 'b', deletable: true } },
			/deletable must be integer/,
		],
		[
			'deletable beyond 0 and 1',
			'setContactVariable',
			{ query: { contact_id: 5001, name: 'a', value: 'b', deletable: 2 } },
			/deletable must be equal to one of the allowed values: 0, 1/,
		],
		[
			'a number as value in JSON',
			'setContactVariable',
			{ body: { contact_id: 5001, name: 'a', value: 5 } },
			/value must be string/,
		],
		[
			'fields in an array',
			'createListSchema',
			{ body: { name: 'a', fields: [FIELD] } },
			/fields must be object/,
		],
		[
			'a field under another key',
			'createListSchema',
			{ body: { name: 'a', fields: { total: FIELD } } },
			/fields\/total must have the same slug as its key/,
		],
		[
			'a field without its slug',
			'createListSchema',
			{ body: { name: 'a', fields: { sum: { name: 'Сумма', type: 'number' } } } },
			/required property 'slug'/,
		],
		[
			'the type of answers',
			'createListSchema',
			{ body: { name: 'a', fields: { sum: { ...FIELD, type: 'bool' } } } },
			/string, number, boolean, contact, bot/,
		],
		[
			'0 for a boolean',
			'addListSchemaField',
			{ body: { schema_id: orders, field: { ...FIELD, is_hidden: 0 } } },
			/is_hidden must be boolean/,
		],
		['no Accept of its own', 'getListSchemas', { headers: { accept: undefined } }, /accept must be equal/],
		[
			'a longer Accept',
			'getListSchemas',
			{ headers: { accept: 'application/json, */*' } },
			/accept must be equal/,
		],
		[
			'no X-Requested-With',
			'getListSchemas',
			{ headers: { 'x-requested-with': undefined } },
			/x-requested-with/,
		],
		['no token', 'getListSchemas', { token: null }, /no token/],
		['two tokens', 'getListSchemas', { headers: { authorization: 'Bearer x' } }, /more than once/],
	];

	it.each(refusedOnes)('with %s breaks it', async (_title, name, question, problem) => {
		expect(await problemsOf(name, question)).toMatch(problem);
		expect(() => service.assertContract()).toThrow(name);
	});

	it('is told everything that is wrong with it at once', async () => {
		await problemsOf('attachTagToContact', { body: { contact_id: '5001', name: '', id: 3 } });
		expect(service.violations[0]?.problems).toHaveLength(3);
	});

	it('to an unknown path or with another method breaks it', async () => {
		await ask(service, 'GET', '/api/v1/getBots');
		await ask(service, 'GET', '/api/v1/sendMessage');
		expect(service.violations.map(({ problems }) => problems)).toEqual([
			['no such path: /api/v1/getBots'],
			['/api/v1/sendMessage takes post only'],
		]);
	});
});

describe('a token', () => {
	const places = [
		{ tokenIn: { placement: 'query', name: 'key' }, headers: {}, query: { key: 'secret' } },
		{ tokenIn: { placement: 'bearer' }, headers: { authorization: 'Bearer secret' }, query: {} },
		{ tokenIn: { placement: 'header', name: 'X-Api-Key' }, headers: { 'x-api-key': 'secret' }, query: {} },
	] as const;

	it.each(places)(
		'belongs where the installation expects it: $tokenIn',
		async ({ tokenIn, headers, query }) => {
			const service = await startService({ token: 'secret', tokenIn });
			try {
				const right = await ask(service, 'GET', 'getListSchemas', { headers, query, token: null });
				expect(right.status).toBe(200);
				service.assertContract();

				const wrong = await ask(service, 'GET', 'getListSchemas', { token: 'secret' });
				expect(wrong.status).toBe(401);
				expect(service.violations[0]?.problems).toEqual([
					'no token where it belongs',
					'/query must NOT have additional properties: api_token',
				]);
			} finally {
				await service.stop();
			}
		},
	);
});

it('a second token where it does not belong breaks the contract', async () => {
	const service = await startService({ tokenIn: { placement: 'query' } });
	try {
		await ask(service, 'GET', 'getListSchemas', { headers: { authorization: 'Bearer x' } });
		expect(() => service.assertContract()).toThrow(
			'an Authorization header although the token belongs elsewhere',
		);
	} finally {
		await service.stop();
	}
});

const listOf = (slug: string, type: string) => ({
	name: 'Заказы',
	fields: { a: { name: 'А', slug, type } },
});

it.each<[string, string, query: object, body: object]>([
	['an integer that is a text', 'getBotTags', { bot_id: '5' }, {}],
	['a parameter in the wrong place', 'getBotTags', {}, { bot_id: 5 }],
	['a parameter nobody knows', 'getBotTags', { bot_id: 5, page: 1 }, {}],
	['a value that is missing', 'setContactVariable', { contact_id: 5, name: 'Город' }, {}],
	['neither name nor ID', 'deleteContactVariable', { contact_id: 5 }, {}],
	[
		'a switch that is a boolean',
		'setContactVariable',
		{ contact_id: 5, name: 'Я', value: 'Я', deletable: true },
		{},
	],
	['both places at once', 'sendMessage', { contact_id: 5 }, { text: 'Привет' }],
	['two recipients', 'sendMessage', { contact_id: 5, bot_id: 5, text: 'Привет' }, {}],
	['a key that is not the slug', 'createListSchema', {}, listOf('b', 'string')],
	['the type of an answer', 'createListSchema', {}, listOf('a', 'bool')],
])('parameters with %s break the contract', async (_title, endpoint, query, body) => {
	const { checkParameters } = loadContract();
	expect(checkParameters(endpoint, { query, body })).not.toEqual([]);
});

describe('an answer', () => {
	it.each([
		['a wrong type', 'getBotTags', 200, 'application/json', '{"data":[1]}', /data\/0 must be string/],
		['an unknown attribute', 'sendMessage', 200, 'application/json', '{"success":true,"id":1}', /additional/],
		['an undescribed status', 'sendMessage', 418, 'application/json', '{}', /418 is not described/],
		['a page', 'sendMessage', 200, 'text/html', '<html></html>', /text\/html is not described/],
		['no body', 'getBotTags', 200, 'text/html', '', /body is missing/],
		['half of one', 'getBotTags', 200, 'application/json', '{"data":[', /not JSON/],
		['boolean for bool', 'getListSchema', 200, 'application/json', schemaOfType('boolean'), /type/],
	])('with %s is told apart', async (_title, operation, status, type, body, problem) => {
		const { checkAnswer } = loadContract();
		expect(checkAnswer(operation, status, type, body).join('\n')).toMatch(problem);
	});

	const html = 'text/html; charset=UTF-8';
	const json = 'application/json';

	it.each([
		['nothing', 200, html, ''],
		['nothing, and no type', 204, '', ''],
		['nothing under another 2xx', 202, '', ''],
		['1', 200, html, '1'],
		['true', 200, html, 'true'],
		['ok', 201, html, 'ok'],
		['a list', 200, json, '[]'],
		['rows', 200, json, '[{"id":1,"name":"Анна"}]'],
		['an object', 200, json, '{}'],
		['null', 200, json, 'null'],
		['success', 200, json, '{"success":true}'],
	])('of %s is fine where none is documented', async (_title, status, type, body) => {
		const { checkAnswer } = loadContract();
		expect(checkAnswer('deleteListSchema', status, type, body)).toEqual([]);
		expect(checkAnswer('createListSchema', status, type, body)).toEqual([]);
		expect(checkAnswer('getBotTags', status, type, body)).not.toEqual([]);
	});

	it.each([
		['a page', html, '<html></html>', /must match pattern/],
		["PHP's words about an error", html, 'Fatal error: Uncaught TypeError', /must match pattern/],
		['a failure', json, '{"success":false}', /must be equal/],
		['a refusal', json, '{"message":"Forbidden"}', /additional/],
		['false', json, 'false', /must be equal/],
		['a text as JSON', json, '"ok"', /must be/],
		['no JSON', json, 'ok', /not JSON/],
	])('of %s is not', async (_title, type, body, problem) => {
		const { checkAnswer } = loadContract();
		for (const operation of ['deleteListSchema', 'createListSchema']) {
			expect(checkAnswer(operation, 200, type, body).join('\n')).toMatch(problem);
		}
	});

	it.each([
		['maintenance as JSON', 503, json, '{"message":"Service Unavailable"}'],
		['maintenance as a page', 503, html, MAINTENANCE_PAGE],
		["the web server's page", 502, html, serverPage('502 Bad Gateway')],
	])('with %s is fine for all', async (_title, status, type, body) => {
		const { checkAnswer } = loadContract();
		for (const { endpoint: operation } of operations) {
			expect([operation, checkAnswer(operation, status, type, body)]).toEqual([operation, []]);
			expect(checkAnswer(operation, status, html, '')).not.toEqual([]);
		}
	});

	it('with the logical type as answers name it is fine', async () => {
		const { checkAnswer } = loadContract();
		expect(checkAnswer('getListSchema', 200, json, schemaOfType('bool'))).toEqual([]);
	});

	function schemaOfType(type: string) {
		const at = '2024-01-01T00:00:00+03:00';
		const field = { name: 'a', type, is_required: false, is_hidden: false, is_encryptable: false };
		const schema = {
			id: 'a',
			name: 'a',
			is_menu: true,
			fields: { a: field },
			created_at: at,
			updated_at: at,
		};
		return JSON.stringify({ data: schema });
	}
});
