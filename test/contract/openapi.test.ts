/** What docs/openapi.yaml accepts and what it refuses, compared with the emulator. */

import { SEEDED, loadContract, startEmulator, type TokenPlacement } from '../../sandbox/emulator';
import { readOperations } from '../../sandbox/emulator/document';
import { MAINTENANCE_PAGE, serverPage } from '../../sandbox/emulator/html';
import { byTitle, isReading, operations, requestOf, variants } from '../operations';
import { clientOf, useEmulator, type Question } from './client';

const { telegram } = SEEDED.contacts;
const { checkAnswer, checkParameters } = loadContract();

const service = useEmulator();
const ask = clientOf(service);

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

const variable = { contact_id: telegram, name: 'Город' };
const message = { contact_id: telegram, text: 'Привет' };
const tag = { contact_id: telegram, name: 'VIP' };
const external = { bot_id: 101, messenger: 'vk', contact_external_id: '17450283' };
const field = { name: 'Сумма', slug: 'sum', type: 'number' };

test.each<[string, string, Question]>([
	['a long variable', 'setContactVariable', { body: { ...variable, value: 'У'.repeat(5000), deletable: 1 } }],
	['a long text', 'sendMessage', { body: { ...message, text: 'Привет! '.repeat(1000) } }],
	['the second page', 'getListSchemas', { query: { page: 2 } }],
])('A request for %s conforms to the contract and is accepted', async (_title, name, question) => {
	expect(await problemsOf(name, question)).toBe('');
	expect(service.requests[0]).toMatchObject({ operation: name, accepted: true });
});

test.each<[string, string, Question, RegExp]>([
	// In the query.
	['without a required parameter', 'getBotTags', {}, /query must have required property 'bot_id'/],
	['with a text for a number', 'getBotTags', { query: { bot_id: 'первый' } }, /bot_id must be integer/],
	['with an unknown parameter', 'getBotTags', { query: { bot_id: 101, limit: 5 } }, /properties: limit/],
	['for page 0', 'getListSchemas', { query: { page: 0 } }, /page must be >= 1/],
	['with a body where there is none', 'deleteContactVariable', { body: { ...tag, id: 1 } }, /takes no body/],
	[
		'for a variable with neither name nor ID',
		'deleteContactVariable',
		{ query: { contact_id: telegram } },
		/id is required without name/,
	],

	// In the body.
	[
		'with the parameters of its body in the query',
		'attachTagToContact',
		{ query: tag },
		/requestBody must be/,
	],
	[
		'with an ID as a text in JSON',
		'attachTagToContact',
		{ body: { ...tag, contact_id: String(telegram) } },
		/contact_id must be integer/,
	],
	[
		'with an unknown attribute in JSON',
		'attachTagToContact',
		{ body: { ...tag, id: 3 } },
		/additional properties: id/,
	],
	['with JSON that is none', 'attachTagToContact', { body: '{"contact_id":' }, /requestBody/],
	[
		'with a form',
		'attachTagToContact',
		{ body: 'contact_id=5001&name=VIP', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
		/must be application\/json/,
	],
	[
		'with a list of fields',
		'createListSchema',
		{ body: { name: 'a', fields: [field] } },
		/fields must be object/,
	],
	[
		'with a field under another key',
		'createListSchema',
		{ body: { name: 'a', fields: { total: field } } },
		/fields\/total must have the same slug as its key/,
	],
	[
		'with the type of a field as answers name it',
		'createListSchema',
		{ body: { name: 'a', fields: { sum: { ...field, type: 'bool' } } } },
		/string, number, boolean, contact, bot/,
	],

	// In either query or body.
	['with a message without content', 'sendMessage', { query: { contact_id: telegram } }, /schema in anyOf/],
	[
		'with an empty text',
		'sendMessage',
		{ query: { ...message, text: '' } },
		/text must NOT have fewer than 1/,
	],
	['with a message to nobody', 'sendMessage', { query: { text: 'Привет' } }, /exactly one schema in oneOf/],
	[
		'with half of an external ID',
		'sendMessage',
		{ query: { text: 'Привет', messenger: 'vk', bot_id: 101 } },
		/contact_external_id/,
	],
	[
		'with parts of two recipients',
		'sendMessage',
		{ query: { ...message, bot_id: 101 } },
		/one schema in oneOf/,
	],
	['with two recipients', 'sendMessage', { query: { ...message, ...external } }, /one schema in oneOf/],
	[
		'with an unknown messenger',
		'sendMessage',
		{ query: { ...message, messenger: 'icq' } },
		/whatsapp, telegram, viber, vk, max/,
	],
	[
		'with parameters in both places',
		'sendMessage',
		{ query: { text: 'x' }, body: message },
		/both the query and the body/,
	],
	[
		'with an ID as a text in a long message',
		'sendMessage',
		{ body: { ...message, contact_id: '5001' } },
		/must be integer/,
	],
	[
		'with a boolean for a number in JSON',
		'setContactVariable',
		{ body: { ...variable, value: 'b', deletable: true } },
		/deletable must be integer/,
	],
	[
		'with a number for a text in JSON',
		'setContactVariable',
		{ body: { ...variable, value: 5 } },
		/value must be string/,
	],

	// In the headers.
	[
		'without an Accept of its own',
		'getListSchemas',
		{ headers: { accept: undefined } },
		/accept must be equal/,
	],
	[
		'with a longer Accept',
		'getListSchemas',
		{ headers: { accept: 'application/json, */*' } },
		/accept must be equal/,
	],
	[
		'without X-Requested-With',
		'getListSchemas',
		{ headers: { 'x-requested-with': undefined } },
		/x-requested-with/,
	],
	['without a token', 'getListSchemas', { token: null }, /no token/],
	['with two tokens', 'getListSchemas', { headers: { authorization: 'Bearer x' } }, /more than once/],
])('A request %s violates the contract', async (_title, name, question, problem) => {
	expect(await problemsOf(name, question)).toMatch(problem);
	expect(() => service.assertContract()).toThrow(name);
});

test('All problems of a request are reported at once', async () => {
	await problemsOf('attachTagToContact', { body: { contact_id: '5001', name: '', id: 3 } });
	expect(service.violations[0]!.problems).toHaveLength(3);
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

test('A second token in another place violates the contract', async () => {
	const own = await startEmulator({ tokenIn: { placement: 'query' } });
	try {
		await clientOf(own)('getListSchemas', { headers: { authorization: 'Bearer x' } });
		const problem = 'an Authorization header although the token belongs elsewhere';
		expect(() => own.assertContract()).toThrow(problem);
	} finally {
		await own.stop();
	}
});

// checkRequest sees only the texts of a query in a URL. Here the values have their original types.
test.each<[string, string, query: object, body: object]>([
	['with a number that is a text', 'getBotTags', { bot_id: '5' }, {}],
	['with a switch that is a boolean', 'setContactVariable', { ...variable, value: 'Я', deletable: true }, {}],
	['in the wrong place', 'getBotTags', {}, { bot_id: 5 }],
	['in both places at once', 'sendMessage', { contact_id: 5 }, { text: 'Привет' }],
	['with neither name nor ID', 'deleteContactVariable', { contact_id: 5 }, {}],
])('Parameters %s violate the contract before they become a request', (_title, endpoint, query, body) => {
	expect(checkParameters(endpoint, { query, body })).not.toEqual([]);
});

const html = 'text/html; charset=UTF-8';
const json = 'application/json';

test.each([
	['a wrong type', 200, json, '{"data":[1]}', /data\/0 must be string/],
	['an unknown attribute', 200, json, '{"data":[],"id":1}', /additional properties: id/],
	['an undescribed status', 418, json, '{}', /418 is not described/],
	['a page', 200, html, '<html></html>', /text\/html is not described/],
	['no body', 200, html, '', /body is missing/],
	['half of one', 200, json, '{"data":[', /not JSON/],
])(
	'An answer with %s violates the contract of a documented answer',
	(_title, status, type, body, problem) => {
		expect(checkAnswer('getBotTags', status, type, body).join('\n')).toMatch(problem);
	},
);

test.each([
	['a page', html, '<html></html>', /must match pattern/],
	["PHP's words about an error", html, 'Fatal error: Uncaught TypeError', /must match pattern/],
	['a failure', json, '{"success":false}', /must be equal/],
	['a refusal', json, '{"message":"Forbidden"}', /additional/],
	['false', json, 'false', /must be equal/],
	['a text as JSON', json, '"ok"', /must be/],
	['no JSON', json, 'ok', /not JSON/],
])(
	'An answer of %s violates the contract even of an answer that is not documented',
	(_title, type, body, problem) => {
		for (const operation of ['deleteListSchema', 'createListSchema']) {
			expect(checkAnswer(operation, 200, type, body).join('\n')).toMatch(problem);
		}
	},
);

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
