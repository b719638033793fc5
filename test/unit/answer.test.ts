import fc from 'fast-check';

import {
	readAnswer,
	type AnswerShape,
	type Labels,
	type ServiceAnswer,
} from '../../nodes/ChatbotService/client/answer';
import type { Expected } from '../../nodes/ChatbotService/client/advice';
import {
	accessRefused,
	emptyAnswer,
	malformedAnswer,
	notFound,
	proxyRefused,
	redirected,
	requestTooLong,
	serviceFailed,
	tokenRefused,
	tooManyRequests,
	underMaintenance,
	unconfirmed,
	unknownEndpoint,
	valuesRefused,
	webPage,
	type Failure,
} from '../../nodes/ChatbotService/client/failure';

const now = Date.UTC(2026, 10, 5, 9, 30, 0);
/** What a search can fail to find. */
const expected: Expected[] = [
	{ label: 'Contact ID', whatItIs: 'contact with this ID' },
	{ label: 'List', whatItIs: 'list with this ID' },
];
/** Records that may belong to somebody else, although no message says so. */
const refusedAccess = { expected, isForeign: false };
const labels: Labels = {
	all: new Map([
		['contact_id', 'Contact ID'],
		['text', 'Text'],
		['image', 'Image URL'],
		['fields', 'Fields'],
		['field.type', 'Field Type'],
	]),
	expected,
	empty: new Set(),
};
/** For a request that names no record. */
const labelsOfNothing: Labels = { ...labels, expected: [] };
const shapes: AnswerShape[] = ['many', 'one', 'created', 'done', 'confirmed', 'sent', 'deleted'];
const contentTypes = ['text/html; charset=UTF-8', 'text/plain', 'application/json', undefined];

const answer = (statusCode: number, body: unknown, headers: ServiceAnswer['headers'] = {}) => ({
	statusCode,
	headers: { 'content-type': 'application/json', ...headers },
	body,
});

const read = (given: ServiceAnswer, shape: AnswerShape) => readAnswer(given, shape, labels, now);

function expectRows(body: unknown, shape: AnswerShape, rows: unknown[]) {
	expect(read(answer(200, body), shape)).toEqual({ rows });
}

/** Checks that the result is the same for every shape of answer. */
function expectFailure(given: ServiceAnswer, failure: Failure, named = labels) {
	for (const shape of shapes) expect(readAnswer(given, shape, named, now)).toEqual({ failure });
}

describe('texts of the framework have the same meaning with any status:', () => {
	const limited = (status: number, words: string) => tooManyRequests(status, undefined, words);
	const failed = (status: number, words: string) => serviceFailed(status, undefined, words);
	const missing = (status: number, words: string) => notFound(status, expected, words);
	const accessRefusedTo = (isForeign: boolean) => (status: number, words: string) =>
		accessRefused(status, { expected, isForeign }, words);

	test.each<[string, number[], (status: number, words: string) => Failure]>([
		['Unauthenticated.', [200, 401, 500], tokenRefused],
		['Too Many Attempts.', [200, 403, 429, 500, 503], limited],
		['Too Many Requests', [200, 403, 429, 500, 503], limited],
		['Forbidden', [200, 400, 403, 404, 405, 422, 500, 503], accessRefusedTo(false)],
		['This action is unauthorized.', [200, 403, 404, 500], accessRefusedTo(true)],
		['No query results for model [App\\Models\\Contact] 5001', [200, 404, 422], missing],
		['Server Error', [200, 404, 500, 503], failed],
	])('"%s" with each of %j', (message, statuses, expected) => {
		for (const status of statuses) expectFailure(answer(status, { message }), expected(status, message));
	});

	test('similar texts are not a failure', () => {
		for (const message of ['Server Error 5', 'There were No query results for model', 'Unauthorized'])
			expectRows({ message }, 'done', [{ message }]);
	});
});

describe('a validation', () => {
	const message = 'The given data was invalid.';
	const manyErrors = Object.fromEntries([1, 2, 3, 4, 5, 6].map((name) => [name, ['Нет.']]));

	test('of several parameters names their fields and includes all its texts, with any status', () => {
		const errors = { text: ['Нет текста.'], image: ['Нет картинки.', 'Это не ссылка.'] };
		const words = 'Нет текста. Нет картинки. Это не ссылка.';
		for (const status of [200, 400, 404, 422, 500, 503])
			expectFailure(answer(status, { message, errors }), valuesRefused(status, ['Text', 'Image URL'], words));
	});

	test.each<[string, Record<string, unknown>, string[], string]>([
		['of one parameter', { contact_id: ['Контакт не найден.'] }, ['Contact ID'], 'Контакт не найден.'],
		[
			'of a part of a parameter',
			{ 'fields.city.type': ['Неверный тип.'] },
			['Fields: city.type'],
			'Неверный тип.',
		],
		['of an attribute', { 'field.type': ['Неверный тип.'] }, ['Field Type'], 'Неверный тип.'],
		['of two parts of a parameter', { 'fields.0': ['Нет.'], 'fields.1': ['Нет.'] }, ['Fields'], 'Нет. Нет.'],
		['of a parameter without a label', { list_id: ['Нет списка.'] }, ['list_id'], 'Нет списка.'],
		['with a text instead of a list', { text: 'Слишком длинно.' }, ['Text'], 'Слишком длинно.'],
		['without texts', { text: [] }, ['Text'], message],
		['with values that are no texts', { text: [null, 5] }, ['Text'], message],
		['without parameters', {}, [], message],
		[
			'of more parameters than a message can name',
			manyErrors,
			['1', '2', '3', '4', '5'],
			'Нет. '.repeat(6).trim(),
		],
	])('%s names the fields, and quotes its texts or otherwise its message', (_, errors, named, words) => {
		expectFailure(answer(422, { message, errors }), valuesRefused(422, named, words));
	});

	test('without any texts names only the field', () => {
		expectFailure(answer(422, { errors: { text: [] } }), valuesRefused(422, ['Text'], ''));
	});
});

const noGet = 'The GET method is not supported.';
const missingBot = 'No query results for model [Bot] 5';

test.each<[number, unknown, Failure]>([
	[401, '', tokenRefused(401)],
	[403, '', accessRefused(403, refusedAccess)],
	[403, '<html>403</html>', accessRefused(403, refusedAccess)],
	[403, { message: 'Нет доступа' }, accessRefused(403, refusedAccess, 'Нет доступа')],
	[404, { message: 'Контакт не найден' }, notFound(404, expected, 'Контакт не найден')],
	[405, { message: noGet }, unknownEndpoint(405, expected, noGet)],
	[405, { message: missingBot }, unknownEndpoint(405, expected, missingBot)],
	[407, '', proxyRefused(407)],
	[407, '<html><title>Proxy Authentication Required</title></html>', proxyRefused(407)],
	[413, '<html>', requestTooLong(413)],
	[414, '<html><title>414 Request-URI Too Large</title></html>', requestTooLong(414)],
	[418, '', valuesRefused(418, [], '')],
	[429, '<html>429</html>', tooManyRequests(429)],
	[431, '', requestTooLong(431)],
	[500, '', serviceFailed(500)],
	[502, '<html><title>502 Bad Gateway</title></html>', serviceFailed(502)],
])('status %d with %j is the corresponding failure', (status, body, failure) => {
	expectFailure(answer(status, body), failure);
});

test.each<[unknown, string]>([
	[{ error: 'Нет бота' }, 'Нет бота'],
	[{ error: { message: 'Нет бота' } }, 'Нет бота'],
	[{ errors: ['Нет бота', 'Нет текста'] }, 'Нет бота Нет текста'],
	[{ message: 'Нет бота', error: 'Нет бота', errors: ['Нет бота'] }, 'Нет бота'],
	[{ message: ' ', error: 'Нет бота' }, 'Нет бота'],
	[{ message: ' ', error: '\n' }, ''],
])('the texts of the service are found in any place, each once: %j', (body, words) => {
	expectFailure(answer(400, body), valuesRefused(400, [], words));
});

test('when PHP stops with an error, its text is the failure, unless the status says more', () => {
	const fatal = 'Fatal error: no in /app/a.php on line 4';
	for (const status of [200, 299, 500, 503])
		expectFailure(answer(status, fatal), serviceFailed(status, undefined, fatal));
	expectFailure(answer(300, fatal), redirected(300, undefined));
	expectFailure(answer(404, fatal), notFound(404, expected));
});

test("remarks of PHP before the application's own answer are not part of it", () => {
	const remark = 'Warning: a in /app/a.php on line 4\n';
	expectRows(`${remark}{"success":true,"id":5}`, 'done', [{ success: true, id: 5 }]);
	expectFailure(
		answer(200, `${remark}{"message":"Unauthenticated."}`),
		tokenRefused(200, 'Unauthenticated.'),
	);
});

test.each<[Record<string, unknown>, string | undefined]>([
	[{ message: '' }, undefined],
	[{ exception: 'ErrorException', message: 'Undefined' }, 'Undefined'],
])('an exception of the framework is a failure also with status 200: %j', (body, words) => {
	expectFailure(answer(200, body), serviceFailed(200, undefined, words));
	expectRows({ id: 5, message: '', exception: null }, 'done', [{ id: 5, message: '', exception: null }]);
});

const halfPast = 'Thu, 05 Nov 2026 09:30:45 GMT';

test.each<[unknown, string | undefined, number | undefined]>([
	['30', undefined, 30_000],
	[2, undefined, 2000],
	['0.5', undefined, 500],
	['0', undefined, 0],
	['-5', undefined, 0],
	[undefined, undefined, undefined],
	['', undefined, undefined],
	[' ', undefined, undefined],
	['скоро', undefined, undefined],
	[halfPast, undefined, 45_000],
	['Thu, 05 Nov 2026 09:29:00 GMT', undefined, 0],
	// The clock of the service counts.
	[halfPast, 'Thu, 05 Nov 2026 09:30:15 GMT', 30_000],
	[halfPast, 'Thu, 05 Nov 2026 00:00:45 GMT', 34_200_000],
	[halfPast, 'Thu, 05 Nov 2026 10:00:00 GMT', 0],
	[halfPast, 'скоро', 45_000],
])('Retry-After %j with the date %j asks for a wait of %j ms', (header, date, waitMs) => {
	const headers = { 'retry-after': header, date };
	expectFailure(answer(429, {}, headers), tooManyRequests(429, waitMs));
	expectFailure(answer(503, '', headers), serviceFailed(503, waitMs));
});

describe('answers from other sources:', () => {
	const login = '<!DOCTYPE html>\n<html><head><title> Вход в кабинет </title></head><body>…</body></html>';

	test.each<[string, string | undefined]>([
		[login, 'Вход в кабинет'],
		['<HTML><TITLE lang="ru">Вход</TITLE>', 'Вход'],
		['<html><body>OK</body></html>', undefined],
		['<html><title></title></html>', undefined],
		['<html><title> </title></html>', undefined],
		['\n\n  <html></html>', undefined],
		['<?xml version="1.0"?><a/>', undefined],
		['<?xml version="1.0"?>', undefined],
		['It works!<BR>', undefined],
		['It works! <br>', undefined],
		['It works! <!-- 0.04 s -->', undefined],
		['It works!</body>', undefined],
		['<p>OK</p>', undefined],
	])('a text with a tag is a web page, with any content type: %j', (body, title) => {
		for (const type of contentTypes) {
			for (const status of [200, 404])
				expectFailure(answer(status, body, { 'content-type': type }), webPage(status, title));
		}
	});

	test.each(['It works!', '1', 'a < b, b > c', 'I <3 you', 'wait <a moment'])(
		'a text without a tag is not a web page, with any content type: %j',
		(words) => {
			for (const type of contentTypes) {
				const given = answer(200, words, { 'content-type': type });
				expect(read(given, 'done')).toEqual({ rows: [{ success: true }] });
				for (const shape of ['many', 'one'] as const)
					expect(read(given, shape)).toEqual({ failure: malformedAnswer(200, words) });
			}
		},
	);

	test.each<[unknown, string | undefined]>([
		['https://example.com/login', 'https://example.com/login'],
		['https://example.com/login?api_token=секрет&x=1', 'https://example.com/login'],
		['https://example.com/login#api_token=секрет', 'https://example.com/login'],
		['/login?api_token=секрет', '/login'],
		['/login?a=1\napi_token=секрет', '/login'],
		[undefined, undefined],
		[['/a', '/b'], undefined],
	])('a redirect to %j is reported without parts that can contain the token', (location, target) => {
		for (const status of [300, 301, 302, 303, 307, 308])
			expectFailure(answer(status, '<html>Redirecting</html>', { location }), redirected(status, target));
	});
});

describe.each<[AnswerShape, unknown[], unknown[]]>([
	[
		'many',
		['', null, undefined, '  \n'],
		[
			...['{"data":["Клиент","VI', 'OK', 5, false, ['Клиент'], { data: { name: 'Клиент' } }, { data: null }],
			...[{ tags: ['Клиент'] }, { data: ['Клиент', null] }, { data: { 0: 'Клиент', последний: 'VIP' } }],
			...[{ data: { '1-й': 'Клиент' } }, { data: { 'тег 1': 'Клиент' } }],
			...[{ data: [{ id: '5dee' }, null] }, { data: [['Клиент']] }, { message: ' ' }],
		],
	],
	[
		'one',
		['', null, undefined, '  \n', [], {}, true],
		[
			...['{"id":"5dee","na', '"ok', 'OK', 0, 1, 1.5, false, [{ id: '5dee', links: {} }], ['VIP'], [[]]],
			...[{ data: {} }, { data: null }, { message: ' ' }],
		],
	],
])('when the data of %s was requested,', (shape, nothing, unreadable) => {
	test.each(nothing.map((body) => [body]))('%j is an empty answer', (body) => {
		for (const status of [200, 204])
			expect(read(answer(status, body), shape)).toEqual({ failure: emptyAnswer(status) });
	});

	test.each(unreadable.map((body) => [body]))('%j cannot be read', (body) => {
		expect(read(answer(200, body), shape)).toEqual({ failure: malformedAnswer(200, body) });
	});

	test('a message instead of it is a refusal', () => {
		const failure = valuesRefused(200, [], 'Список не найден');
		expect(read(answer(200, { message: 'Список не найден' }), shape)).toEqual({ failure });
	});
});

describe('many rows', () => {
	test('turn tags into items with a name', () => {
		const data = ['Клиент', 'VIP', ''];
		expectRows({ data }, 'many', [{ name: 'Клиент' }, { name: 'VIP' }, { name: '' }]);
		const ofPhp = { data: { 0: 'Клиент', 3: 2024, 7: true, 19: 1.5 } };
		expectRows(ofPhp, 'many', [{ name: 'Клиент' }, { name: '2024' }, { name: 'true' }, { name: '1.5' }]);
		for (const data of [{}, []]) expectRows({ data }, 'many', []);
	});

	test('are the objects from the service, without links', () => {
		const links = { self: 'https://example.com?api_token=секрет' };
		const variable = { id: 9001, name: 'Город', value: 'Уфа', deletable: false };
		const schema = { id: '5dee', name: 'Заказы', is_menu: true, fields: { links: { name: 'Ссылки' } } };
		expectRows({ data: [variable, { ...schema, links }], links }, 'many', [variable, schema]);
	});

	const meta = { current_page: 1, last_page: 3, per_page: 50, from: 1, to: 50, total: 120, path: '' };

	const pageOf = (given: unknown) => read(answer(200, { data: ['Клиент'], meta: given }), 'many');

	test.each<[object, number, number]>([
		[meta, 1, 3],
		[{ ...meta, current_page: 3 }, 3, 3],
		[{ current_page: '2', last_page: '3' }, 2, 3],
	])('come with the page that "meta" names: %j is %d of %d', (given, current, last) => {
		expect(pageOf(given)).toEqual({ rows: [{ name: 'Клиент' }], page: { current, last } });
	});

	test.each([
		...[undefined, null, {}, { current_page: 1, last_page: 0 }, { current_page: 0, last_page: 3 }],
		{ current_page: 'первая', last_page: 'третья' },
	])('come without a page if "meta" names none: %j', (given) => {
		expect(pageOf(given)).toEqual({ rows: [{ name: 'Клиент' }] });
	});
});

describe('one row', () => {
	const links = { self: 'секрет' };
	const schema = { id: '5dee4800c2cc5a38ec797235', name: 'Заказы', is_menu: true, fields: {} };

	test.each<[AnswerShape]>([['one'], ['created']])(
		'of "%s" is the record without links and without the data wrapper',
		(shape) => {
			const withLinks = { ...schema, links };
			for (const body of [schema, withLinks, { data: schema }, { data: withLinks, links }])
				expectRows(body, shape, [schema]);
		},
	);

	test('of "one" may have fields with the names message and data', () => {
		const record = { ...schema, message: 'Привет', data: null };
		expectRows(record, 'one', [record]);
	});

	test('of "done" is the answer of the service without links, and data does not change', () => {
		expectRows({ success: true, message_id: 77 }, 'done', [{ success: true, message_id: 77 }]);
		expectRows({ data: { id: 5 }, links }, 'done', [{ data: { id: 5 } }]);
	});

	test('of "deleted" is always the same', () => {
		for (const body of [{ success: true }, { message: 'Удалено' }])
			expectRows(body, 'deleted', [{ deleted: true }]);
	});
});

describe.each<[AnswerShape, Record<string, boolean>]>([
	['created', { success: true }],
	['done', { success: true }],
	['deleted', { deleted: true }],
])('when something should be %s,', (shape, row) => {
	const confirmations = [
		...['', ' \n', null, undefined, true, 0, 3, 1.5, 'ok [1] {2} "3"', 'я'.repeat(200)],
		...[{}, [], [{ id: 1, name: 'Анна' }, { id: 2 }], ['VIP']],
	];
	test.each(confirmations.map((body) => [body]))('%j means success', (body) => {
		expectRows(body, shape, [row]);
	});

	test('any short text means success, with any content type', () => {
		const text = fc
			.oneof(fc.string({ maxLength: 200 }), fc.string({ unit: 'grapheme', maxLength: 60 }))
			.filter((words) => words.length <= 200 && !/<|(?:error|on line )/i.test(words))
			// JSON is parsed before it is read.
			.filter((words) => !/^(?:[[{"]|false$)/.test(words.trim()));
		const status = fc.integer({ min: 200, max: 299 });
		fc.assert(
			fc.property(text, fc.constantFrom(...contentTypes), status, (words, type, statusCode) => {
				const given = answer(statusCode, words, { 'content-type': type });
				expect(read(given, shape)).toEqual({ rows: [row] });
			}),
		);
	});

	test.each<[unknown]>([
		[false],
		['я'.repeat(201)],
		['{"success":tr'],
		['[{"id":1},{"i'],
		['"Тег доб'],
		['{"success":{"message":"Server Error"}'],
		// Spaces before a truncated answer do not make it a text.
		[' \n{"success":tr'],
	])('%j cannot be read, and leaves the outcome unknown', (body) => {
		expect(read(answer(200, body), shape)).toEqual({ failure: malformedAnswer(200, body) });
	});
});

describe('maintenance', () => {
	const words = 'Service Unavailable';
	const ofNginx = '503 Service Temporarily Unavailable';
	const page = (title: string, rest = '') =>
		`<!DOCTYPE html>\n<html lang="en"><head><title>${title}</title></head><body>${rest}</body></html>`;

	test.each<[number, unknown]>([
		[503, { message: words }],
		[503, { message: words, exception: 'HttpException', file: '/app/a.php', line: 78, trace: [] }],
		[503, `\uFEFF${JSON.stringify({ message: words })}`],
		[200, { message: words }],
		[202, { message: words }],
	])('is recognized by the text of the framework: %d with %j', (status, body) => {
		expectFailure(answer(status, body), underMaintenance(status, undefined, words));
		expectFailure(answer(status, body, { 'retry-after': '7' }), underMaintenance(status, 7000, words));
	});

	const titles = [
		...['503 | Service Unavailable', '503 - service unavailable', '503: Сервис недоступен'],
		...['503—Сервис недоступен', 'Сервис недоступен', 'Site Maintenance', 'Under maintenance | Chatbots'],
		...['Be right back.', 'Технические работы', 'Ведутся технические работы — Чат-боты'],
		'Техническое обслуживание',
	];

	test.each([
		...titles.map((title) => page(title)),
		page('Service Unavailable', '<div>503</div><div>Service Unavailable</div>'),
		page('\n Service Unavailable\n ', '<h1> 503 </h1>'),
		page('Service Unavailable', '<h1>Service Unavailable</h1>'),
		page('Chatbots', '<h1>Down for maintenance</h1>'),
		page('', '<h1 class="big">We will be right back!</h1>'),
		page('503', '<H1>На сервере проводится техническое обслуживание</H1>'),
		page('Чат-боты', '<h1>Профилактические работы до 5:00</h1>'),
		page('Чат-боты', '<h1>Регламентные работы</h1>'),
	])('is recognized by a page with status 503 whose title or heading says so: %s', (body) => {
		expectFailure(answer(503, body), underMaintenance(503));
		expectFailure(answer(503, body, { 'retry-after': '60' }), underMaintenance(503, 60_000));
	});

	test.each<[string, unknown]>([
		['an empty message', { message: '' }],
		['nothing', ''],
		['a text of a proxy', words],
		['a text about maintenance that is no page', 'Down for maintenance'],
		["nginx's own page", page(ofNginx, `<h1>${ofNginx}</h1>`)],
		[
			"Apache's own page",
			page(`503 ${words}`, `<h1>${words}</h1><p>Perhaps it is maintenance downtime.</p>`),
		],
		["the page of Windows' own server", page(words, '<h2>Service Unavailable</h2><p>HTTP Error 503.</p>')],
		["HAProxy's own page", `<html><body><h1>503 ${words}</h1>\nNo server is there.\n</body></html>`],
		['a page that speaks of it below its heading', page('Chatbots', '<h1>Welcome</h1><h2>maintenance</h2>')],
		['a page that speaks of it in a lower heading', page('Chatbots', '<h2>maintenance</h2>')],
		['a page with another heading', page(words, '<h1>Welcome</h1>')],
		['a page with a longer title', page('Service Unavailable for you')],
		['a page of a balancer', page('Service Temporarily Unavailable')],
		['a page with a title that begins otherwise', page('Is the Service Unavailable')],
		['a page about other works', page('Технические вопросы')],
	])('is not recognized with status 503 by %s', (_, body) => {
		expectFailure(answer(503, body), serviceFailed(503));
	});

	test('is not recognized with status 503 by other texts, or by the same text in another place', () => {
		expectFailure(answer(503, { message: `${words}.` }), serviceFailed(503, undefined, `${words}.`));
		expectFailure(answer(503, { error: words }), serviceFailed(503, undefined, words));
	});

	test.each(['x-ratelimit-limit', 'x-amzn-requestid', 'apigw-requestid'])(
		'is not recognized when the header %s shows that the application has processed the request',
		(header) => {
			const headers = { [header]: '120' };
			expectFailure(answer(503, { message: words }, headers), serviceFailed(503, undefined, words));
			expectFailure(answer(503, page(words), headers), serviceFailed(503));
		},
	);

	test('is recognized when a header only has a similar name', () => {
		const given = answer(503, { message: words }, { 'my-apigw-id': '120', 'my-x-amz-id': '120' });
		expectFailure(given, underMaintenance(503, undefined, words));
	});

	test.each<[number, Failure, Failure]>([
		[302, redirected(302, undefined), redirected(302, undefined)],
		[400, valuesRefused(400, [], words), webPage(400, words)],
		[401, tokenRefused(401, words), tokenRefused(401)],
		[403, accessRefused(403, refusedAccess, words), accessRefused(403, refusedAccess)],
		[429, tooManyRequests(429, undefined, words), tooManyRequests(429)],
		[500, serviceFailed(500, undefined, words), serviceFailed(500)],
		[502, serviceFailed(502, undefined, words), serviceFailed(502)],
		[504, serviceFailed(504, undefined, words), serviceFailed(504)],
	])('is not recognized with status %d, neither by a text nor by a page', (status, inWords, byPage) => {
		expectFailure(answer(status, { message: words }), inWords);
		expectFailure(answer(status, page(words)), byPage);
	});

	test('is not recognized by a page with status 200', () => {
		expectFailure(answer(200, page(words)), webPage(200, words));
	});
});

describe('what cannot be found', () => {
	test.each<[unknown, string | undefined]>([
		[undefined, undefined],
		['', undefined],
		[{}, undefined],
		[{ message: null }, undefined],
		[{ message: ' ' }, undefined],
		[{ message: 'Контакт не найден' }, 'Контакт не найден'],
		[{ error: 'Контакт не найден' }, 'Контакт не найден'],
		[{ message: '', error: 'Контакт не найден' }, 'Контакт не найден'],
		[{ message: missingBot }, missingBot],
		[{ message: 'Бот: The route to it could not be found.' }, 'Бот: The route to it could not be found.'],
		[{ message: 'The route is closed.' }, 'The route is closed.'],
		[{ message: ['The route a could not be found.'] }, undefined],
	])('is what the request names, or otherwise the address, when 404 comes with %j', (body, words) => {
		expectFailure(answer(404, body), notFound(404, expected, words));
		expectFailure(answer(404, body), unknownEndpoint(404, [], words), labelsOfNothing);
	});

	test('is the address when a record is missing with status 200 although the request names none', () => {
		expectFailure(
			answer(200, { message: missingBot }),
			unknownEndpoint(200, [], missingBot),
			labelsOfNothing,
		);
	});

	test.each([
		'',
		'The route api/v1/getBotTags could not be found.',
		'The route login/api/v1/getBotTags could not be found',
		'The route a\nb could not be found.',
	])('is the address, whatever the request names, when 404 comes with the routing error %j', (message) => {
		const words = message || undefined;
		expectFailure(answer(404, { message }), unknownEndpoint(404, expected, words));
		expectFailure(answer(404, { message }), unknownEndpoint(404, [], words), labelsOfNothing);
	});

	test('is not the address when the routing error comes with another status', () => {
		const message = 'The route api/v1/getBotTags could not be found.';
		expectFailure(answer(422, { message }), valuesRefused(422, [], message));
		expectRows({ message }, 'done', [{ message }]);
	});
});

test('any answer is read or refused, and a refusal has no rows', () => {
	const header = fc.oneof(fc.string(), fc.array(fc.string()), fc.constant(undefined));
	const any = fc.jsonValue();
	const object = fc.record(
		{ data: any, meta: any, message: any, errors: any, error: any, success: any },
		{ requiredKeys: [] },
	);
	const given = fc.record({
		statusCode: fc.constantFrom(200, 201, 204, 301, 400, 401, 403, 404, 422, 429, 500),
		headers: fc.record({ 'retry-after': header, location: header, 'content-type': header }),
		body: fc.oneof(any, object, fc.string(), fc.constant(undefined)),
	});
	fc.assert(
		fc.property(given, fc.constantFrom(...shapes), (answered, shape) => {
			const result = read(answered, shape);
			if ('failure' in result) {
				expect(result.failure.status).toBe(answered.statusCode);
				expect(result.failure.retryAfterMs ?? 0).toBeGreaterThanOrEqual(0);
			} else {
				expect(answered.statusCode).toBeLessThan(300);
				for (const row of result.rows) expect(row).not.toHaveProperty('links');
			}
		}),
	);
});

describe('whether the service has done what it was asked, by the body of its answer:', () => {
	const readBody = (body: unknown, shape: AnswerShape) => read(answer(200, body), shape);

	const confirming = [
		...[{ success: true }, { success: 1 }, { success: 'true' }, { success: ' TRUE ' }, { success: '1' }],
		{ success: true, id: 5 },
		{ success: true, error: '' },
		{ success: true, error: null, errors: [] },
		{ success: true, error: 0, errors: {} },
		{ success: true, error: 'false', errors: '0' },
		{ success: true, error: false, errors: 0 },
	];

	const ofMessages = ['confirmed', 'sent'] as const;

	test.each(confirming.map((body) => [body]))('%j confirms a message', (body) => {
		for (const shape of ofMessages) expect(readBody({ ...body, links: {} }, shape)).toEqual({ rows: [body] });
	});

	const contact = { id: 5001, name: 'Ольга', phone: '79160000001', messenger: 'whatsapp' };

	test.each<[object]>([
		[{ data: contact }],
		[contact],
		[{ data: contact, errors: [], message: null }],
		[{ message: 'Отправлено', id: 5 }],
		[{ status: 'queued' }],
	])('%j confirms a message whose answer is not documented, but no other one', (body) => {
		expect(readBody({ ...body, links: {} }, 'sent')).toEqual({ rows: [body] });
		expect(readBody([body], 'sent')).toEqual({ rows: [{ success: true }] });
		const { message } = body as { message?: string };
		const failure = unconfirmed(200, body, message ?? undefined);
		expect(readBody(body, 'confirmed')).toEqual({ failure });
	});

	test.each<[object]>([
		[{ success: true, error: [] }],
		[{ data: contact, errors: [], message: 'Готово', success: true }],
		[{ data: contact, errors: {}, message: '', success: true }],
		[{ data: contact, error: null, errors: null }],
	])('an error that is empty is none, whatever was asked: %j', (body) => {
		for (const shape of ['one', 'created', 'done', 'sent', 'deleted'] as const)
			expect(readBody(body, shape)).toHaveProperty('rows');
		expect(readBody({ ...body, data: [contact] }, 'many')).toEqual({ rows: [contact] });
		expect(readBody({ ...body, success: true }, 'confirmed')).toHaveProperty('rows');
	});

	const empty = [...['', ' \n', '1', 'true', 'ok', ' OK\n', 'null'], ...[null, undefined, 1, true, {}, []]];

	test.each(empty.map((body) => [body]))('%j says nothing against a message', (body) => {
		for (const shape of ofMessages) expect(readBody(body, shape)).toEqual({ rows: [{ success: true }] });
	});

	test.each<[unknown, string]>([
		[{ success: false }, ''],
		[{ success: 0 }, ''],
		[{ success: 'False' }, ''],
		[{ success: '0' }, ''],
		[{ success: null }, ''],
		[{ ok: false }, ''],
		[{ ok: '0' }, ''],
		[{ result: false }, ''],
		[{ result: 'False', message: 'Нельзя' }, 'Нельзя'],
		[{ status: 'error', message: 'Нельзя' }, 'Нельзя'],
		[{ status: ' Fail ' }, ''],
		[{ status: 'failed' }, ''],
		[{ success: true, error: 'Нет' }, 'Нет'],
		[{ error: { message: 'Нет' } }, 'Нет'],
		[{ errors: ['Нет'] }, 'Нет'],
		[{ success: true, error: { code: 5 } }, ''],
		[{ success: false, message: 'Диалог закрыт' }, 'Диалог закрыт'],
	])('%j denies whatever was asked', (body, words) => {
		for (const shape of shapes)
			expect(readBody(body, shape)).toEqual({ failure: valuesRefused(200, [], words) });
	});

	const silent = [
		...[
			{ message: 'Номер не найден' },
			{ code: 404, message: 'Номер не найден' },
			{ data: null, message: 'Номер не найден', errors: [] },
		],
		...[{ data: { message: 'Номер не найден' } }, { data: [], message: 'Номер не найден' }],
		...[{ data: 'Номер не найден' }, { result: null }, ['ok'], ['Номер не найден'], [[]], 0, 3],
		...[
			'false',
			'0',
			'-',
			'not ok',
			'сообщение',
			'Unauthorized',
			'SQLSTATE[HY000] [2002] Connection refused',
		],
	];

	test.each(silent.map((body) => [body]))('%j neither confirms nor denies a message', (body) => {
		const { message } = body as { message?: string };
		for (const shape of ofMessages)
			expect(readBody(body, shape)).toEqual({ failure: unconfirmed(200, body, message) });
	});

	test.each([
		[[{ id: 5 }]],
		[{ id: 5 }],
		[{ status: 'no error' }],
		[{ success: 'maybe' }],
		[{ data: { success: true } }],
	])('%j does not confirm a message whose answer is documented', (body) => {
		expect(readBody(body, 'confirmed')).toEqual({ failure: unconfirmed(200, body) });
	});

	test.each([false, '{"success":tr', '[tru', '"ok', 'я'.repeat(201)])(
		'%j does not confirm a message',
		(body) => {
			for (const shape of ofMessages)
				expect(readBody(body, shape)).toEqual({ failure: malformedAnswer(200, body) });
		},
	);

	test.each([
		{ message: 'Тег прикреплён.' },
		{ success: true, error: '', errors: {} },
		{ status: 'queued' },
		{ status: 'no error' },
		{ status: 'failover' },
		{ ok: true },
		{ ok: 'yes' },
		{ success: 'maybe' },
	])('%j confirms whatever has no documented answer', (body) => {
		for (const shape of ['created', 'done'] as const) expect(readBody(body, shape)).toEqual({ rows: [body] });
	});
});
