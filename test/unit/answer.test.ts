import fc from 'fast-check';

import {
	readAnswer,
	type AnswerShape,
	type Labels,
	type ServiceAnswer,
} from '../../nodes/ChatbotService/client/answer';
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
	unknownMethod,
	valuesRefused,
	webPage,
	type Failure,
	type Sought,
} from '../../nodes/ChatbotService/client/failure';

const now = Date.UTC(2026, 10, 5, 9, 30, 0);
/** What can be looked for in vain. */
const sought: Sought[] = [{ label: 'Contact ID', thing: 'contact with this ID' }];
/** What may belong to somebody else, where nothing says that it does. */
const refusedAccess = { sought, isForeign: false };
const labels: Labels = {
	all: new Map([
		['contact_id', 'Contact ID'],
		['text', 'Text'],
		['image', 'Image URL'],
		['file', 'File URL'],
		['messenger', 'Messenger'],
		['fields', 'Fields'],
		['field.type', 'Field Type'],
	]),
	sought,
};
const shapes: AnswerShape[] = ['many', 'one', 'created', 'done', 'deleted'];
/** Of the operations that change something, with the row where the service says nothing more. */
const changing: Array<[AnswerShape, Record<string, boolean>]> = [
	['created', { success: true }],
	['done', { success: true }],
	['deleted', { deleted: true }],
];

const answer = (
	statusCode: number,
	body: unknown,
	headers: ServiceAnswer['headers'] = {},
): ServiceAnswer => ({
	statusCode,
	headers: { 'content-type': 'application/json', ...headers },
	body,
});

const read = (given: ServiceAnswer, shape: AnswerShape = 'done') => readAnswer(given, shape, labels, now);

function rowsOf(body: unknown, shape: AnswerShape, status = 200) {
	const result = read(answer(status, body), shape);
	if ('failure' in result) throw new Error(result.failure.message);
	return result.rows;
}

function failureOf(given: ServiceAnswer, shape: AnswerShape = 'done'): Failure {
	const result = read(given, shape);
	if (!('failure' in result)) throw new Error(`it was read as ${JSON.stringify(result.rows)}`);
	return result.failure;
}

/** The same whatever was asked for. */
function expectFailure(given: ServiceAnswer, expected: Failure) {
	for (const shape of shapes) expect(read(given, shape)).toEqual({ failure: expected });
}

describe('the bodies of the interface, under any status', () => {
	test.each([200, 400, 403, 404, 405, 422, 500, 503])('Forbidden under %d', (status) => {
		expectFailure(
			answer(status, { message: 'Forbidden' }),
			accessRefused(status, refusedAccess, 'Forbidden'),
		);
	});

	test.each([200, 403, 404, 500])(
		'the words of the framework for what is not allowed, under %d',
		(status) => {
			const message = 'This action is unauthorized.';
			expectFailure(answer(status, { message }), accessRefused(status, { sought, isForeign: true }, message));
		},
	);

	test.each([200, 404, 422])(
		'the words of the framework for a record that is not there, under %d',
		(status) => {
			const message = 'No query results for model [App\\Models\\Contact] 5001';
			expectFailure(answer(status, { message }), notFound(status, sought, message));
		},
	);

	test.each([200, 404, 500, 503])('the words of the framework for a fault of its own, under %d', (status) => {
		const message = 'Server Error';
		expectFailure(answer(status, { message }), serviceFailed(status, undefined, message));
	});

	test('words that are like those of the framework are none', () => {
		for (const message of ['Server Error 5', 'There were No query results for model', 'Unauthorized'])
			expect(rowsOf({ message }, 'done')).toEqual([{ message }]);
	});

	const invalid = {
		message: 'The given data was invalid.',
		errors: {
			text: ['Поле text обязательно для заполнения, когда ни одно из image / file не указано.'],
			image: ['Поле image обязательно для заполнения.', 'Поле image должно быть ссылкой.'],
		},
	};

	test.each([200, 400, 404, 422, 500, 503])('a validation of several parameters under %d', (status) => {
		expectFailure(
			answer(status, invalid),
			valuesRefused(
				status,
				['Text', 'Image URL'],
				[...invalid.errors.text, ...invalid.errors.image].join(' '),
			),
		);
	});

	test.each<[string, Record<string, unknown>, string[], string]>([
		['of one parameter', { contact_id: ['Контакт не найден.'] }, ['Contact ID'], 'Контакт не найден.'],
		['of a part of a parameter', { 'fields.city.type': ['Неверный тип.'] }, ['Fields'], 'Неверный тип.'],
		['of an attribute', { 'field.type': ['Неверный тип.'] }, ['Field Type'], 'Неверный тип.'],
		['of two parts of a parameter', { 'fields.a': ['Нет.'], 'fields.b': ['Нет.'] }, ['Fields'], 'Нет. Нет.'],
		['of a parameter without a label', { list_id: ['Нет списка.'] }, ['list_id'], 'Нет списка.'],
		['with a text instead of a list', { text: 'Слишком длинно.' }, ['Text'], 'Слишком длинно.'],
		['without texts', { text: [] }, ['Text'], 'The given data was invalid.'],
		['without parameters', {}, [], 'The given data was invalid.'],
	])('a validation %s', (_, errors, named, words) => {
		expectFailure(answer(422, { message: invalid.message, errors }), valuesRefused(422, named, words));
	});

	test('what the service says is quoted for the person to read', () => {
		const { message, description } = failureOf(answer(422, invalid));
		expect(message).toContain("'Text', 'Image URL'");
		expect(description).toContain('Поле image должно быть ссылкой.');
	});
});

describe('refusals', () => {
	test.each<[string, ServiceAnswer, Failure]>([
		['401', answer(401, ''), tokenRefused(401)],
		['401 with words', answer(401, { message: 'Unauthenticated.' }), tokenRefused(401, 'Unauthenticated.')],
		[
			'the words of a 401 under 200',
			answer(200, { message: 'Unauthenticated.' }),
			tokenRefused(200, 'Unauthenticated.'),
		],
		['403 without words', answer(403, ''), accessRefused(403, refusedAccess)],
		['403 with a page', answer(403, '<html>403</html>'), accessRefused(403, refusedAccess)],
		['404', answer(404, { message: 'Контакт не найден' }), notFound(404, sought, 'Контакт не найден')],
		[
			'405',
			answer(405, { message: 'The GET method is not supported.' }),
			unknownMethod(405, sought, 'The GET method is not supported.'),
		],
		[
			'407, a page of the proxy',
			answer(407, '<html><title>Proxy Authentication Required</title></html>', {
				'content-type': 'text/html',
			}),
			proxyRefused(407),
		],
		['407 without words', answer(407, ''), proxyRefused(407)],
		['413', answer(413, '<html>'), requestTooLong(413)],
		[
			'414, a page of the web server',
			answer(414, '<html><title>414 Request-URI Too Large</title></html>'),
			requestTooLong(414),
		],
		['431', answer(431, ''), requestTooLong(431)],
		['400 with words', answer(400, { error: 'Нет бота' }), valuesRefused(400, [], 'Нет бота')],
		[
			'400 that says one thing twice',
			answer(400, { message: 'Нет бота', error: 'Нет бота', errors: ['Нет бота'] }),
			valuesRefused(400, [], 'Нет бота'),
		],
		[
			'400 with nested words',
			answer(400, { error: { message: 'Нет бота' } }),
			valuesRefused(400, [], 'Нет бота'),
		],
		[
			'422 with a list of words',
			answer(422, { errors: ['Нет бота', 'Нет текста'] }),
			valuesRefused(422, [], 'Нет бота Нет текста'),
		],
		['418 without words', answer(418, ''), valuesRefused(418, [], '')],
		[
			'400 with blanks beside the words',
			answer(400, { message: ' ', error: 'Нет бота' }),
			valuesRefused(400, [], 'Нет бота'),
		],
		['success: false without words', answer(200, { success: false }), valuesRefused(200, [], '')],
		[
			'a validation without texts',
			answer(422, { message: 'Неверно.', errors: { text: [null, 5] } }),
			valuesRefused(422, ['Text'], 'Неверно.'),
		],
		['a validation without words', answer(422, { errors: { text: [] } }), valuesRefused(422, ['Text'], '')],
		[
			'success: false under 200',
			answer(200, { success: false, message: 'Бот остановлен' }),
			valuesRefused(200, [], 'Бот остановлен'),
		],
		[
			'an error under 200',
			answer(200, { error: 'Бот остановлен' }),
			valuesRefused(200, [], 'Бот остановлен'),
		],
		['500', answer(500, { message: 'Server Error' }), serviceFailed(500, undefined, 'Server Error')],
		['502 with a page', answer(502, '<html><title>502 Bad Gateway</title></html>'), serviceFailed(502)],
		['503 that asks to wait', answer(503, '', { 'retry-after': '30' }), serviceFailed(503, 30_000)],
	])('%s', (_, given, expected) => {
		expectFailure(given, expected);
	});

	test('what may have been done is told apart from what was not', () => {
		for (const status of [400, 401, 403, 404, 407, 414, 422, 429]) {
			expect(failureOf(answer(status, { message: 'Нет' })).outcome).toBe('notDone');
		}
		for (const status of [500, 502, 503, 504]) {
			expect(failureOf(answer(status, { message: 'Нет' })).outcome).toBe('unknown');
		}
	});
});

describe('too many requests', () => {
	const body = { message: 'Too Many Attempts.' };

	test.each<[string, unknown, number | undefined]>([
		['in seconds', '30', 30_000],
		['in a number', 2, 2000],
		['in fractions of a second', '0.5', 500],
		['at once', '0', 0],
		['in the past', '-5', 0],
		['at a date', 'Thu, 05 Nov 2026 09:30:45 GMT', 45_000],
		['at a date that is over', 'Thu, 05 Nov 2026 09:29:00 GMT', 0],
		['not at all', undefined, undefined],
		['in an empty header', '', undefined],
		['in blanks', ' ', undefined],
		['in words', 'скоро', undefined],
	])('asked to come back %s', (_, header, milliseconds) => {
		const given = answer(429, body, header === undefined ? {} : { 'retry-after': header });
		expectFailure(given, tooManyRequests(429, milliseconds, 'Too Many Attempts.'));
		expect(failureOf(given)).toMatchObject({
			repeat: 'afterLimit',
			outcome: 'notDone',
			retryAfterMs: milliseconds,
		});
	});

	test.each([200, 403, 500, 503])('the words of the framework under %d', (status) => {
		for (const message of ['Too Many Attempts.', 'Too Many Requests']) {
			expectFailure(answer(status, { message }), tooManyRequests(status, undefined, message));
		}
	});

	test('with a page instead of JSON', () => {
		expectFailure(answer(429, '<html>429</html>', { 'retry-after': '1' }), tooManyRequests(429, 1000));
	});
});

describe('answers that are not the service', () => {
	const page =
		'<!DOCTYPE html>\n<html><head><title> Вход в личный кабинет </title></head><body>…</body></html>';

	test.each<[string, string, string, string | undefined]>([
		['a login page', page, 'text/html; charset=UTF-8', 'Вход в личный кабинет'],
		['a page that calls itself JSON', page, 'application/json', 'Вход в личный кабинет'],
		['a page without a title', '<html><body>OK</body></html>', 'text/html', undefined],
		['a page with an empty title', '<html><title></title></html>', 'text/html', undefined],
		['a page with blanks for a title', '<html><title> </title></html>', 'text/html', undefined],
		['a title with attributes', '<HTML><TITLE lang="ru">Вход</TITLE>', '', 'Вход'],
		['a page behind blank lines', '\n\n  <html></html>', '', undefined],
		['a document of XML', '<?xml version="1.0"?><a/>', 'application/xml', undefined],
		['the beginning of one', '<?xml version="1.0"?>', 'application/xml', undefined],
		['a tag of old', 'It works!<BR>', 'text/html', undefined],
		['words with a tag behind them', 'It works! <br>', 'text/plain', undefined],
		['words with a remark in them', 'It works! <!-- 0.04 s -->', 'text/plain', undefined],
		['the end of a page', 'It works!</body>', 'application/json', undefined],
		['a page without a type', '<p>OK</p>', '', undefined],
	])('%s', (_, body, type, title) => {
		const headers = { 'content-type': type };
		expectFailure(answer(200, body, headers), webPage(200, title));
		expectFailure(answer(404, body, headers), webPage(404, title));
	});

	test.each(['It works!', '1', 'a < b, b > c', 'I <3 you', 'wait <a moment'])(
		'words without a tag are no page: %s',
		(words) => {
			for (const type of ['text/html; charset=UTF-8', 'application/json', '']) {
				const given = answer(200, words, { 'content-type': type });
				expect(read(given, 'done')).toEqual({ rows: [{ success: true }] });
				expect(failureOf(given, 'many')).toEqual(malformedAnswer(200, words));
				expect(failureOf(given, 'one')).toEqual(malformedAnswer(200, words));
			}
		},
	);

	test('a page under 200 may be the answer to something that was done, one under 404 is not', () => {
		expect(failureOf(answer(200, page)).outcome).toBe('unknown');
		expect(failureOf(answer(404, page)).outcome).toBe('notDone');
	});

	test.each<[string, unknown, string | undefined]>([
		['to another page', 'https://example.com/login', 'https://example.com/login'],
		[
			'with the token in its query',
			'https://example.com/login?api_token=секрет&x=1',
			'https://example.com/login',
		],
		[
			'with the token in its fragment',
			'https://example.com/login#api_token=секрет',
			'https://example.com/login',
		],
		['to a path', '/login?api_token=секрет', '/login'],
		['over several lines', '/login?a=1\napi_token=секрет', '/login'],
		['to nowhere', undefined, undefined],
		['to many places', ['/a', '/b'], undefined],
	])('a redirect %s', (_, location, target) => {
		for (const status of [300, 301, 302, 303, 307, 308]) {
			expectFailure(answer(status, '<html>Redirecting</html>', { location }), redirected(status, target));
			expect(JSON.stringify(failureOf(answer(status, '', { location })))).not.toContain('секрет');
		}
	});

	test.each<[unknown]>([[''], [null], [undefined], ['  \n']])(
		'nothing, %j, where data was asked for',
		(body) => {
			for (const shape of ['many', 'one'] as const) {
				expect(failureOf(answer(200, body), shape)).toEqual(emptyAnswer(200));
				expect(failureOf(answer(204, body), shape)).toEqual(emptyAnswer(204));
			}
		},
	);

	test.each<[string, AnswerShape, unknown]>([
		['half a document', 'many', '{"data":["Клиент","VI'],
		['half a document', 'one', '{"id":"5dee","na'],
		['half a document', 'done', '{"succ'],
		['half a document', 'created', '{"succ'],
		['half a document', 'deleted', '{"succ'],
		['a text', 'many', 'OK'],
		['a text', 'one', 'OK'],
		['a number', 'many', 5],
		['a number', 'one', 5],
		['false', 'many', false],
		['false', 'one', false],
		['a list', 'many', ['Клиент']],
		['a list', 'one', [{ id: '5dee' }]],
		['data that is no list', 'many', { data: { name: 'Клиент' } }],
		['data that is null', 'many', { data: null }],
		['no data', 'many', { tags: ['Клиент'] }],
		['a number among tags', 'many', { data: ['Клиент', 5] }],
		['a null among schemas', 'many', { data: [{ id: '5dee' }, null] }],
		['a list in a list', 'many', { data: [['Клиент']] }],
		['data without anything in it', 'one', { data: {} }],
		['data that is null', 'one', { data: null }],
	])('%s for %s', (_, shape, body) => {
		expect(failureOf(answer(200, body), shape)).toEqual(malformedAnswer(200, body));
	});

	test.each<[AnswerShape]>([['many'], ['one']])('words instead of the data of %s', (shape) => {
		const failure = failureOf(answer(200, { message: 'Список не найден' }), shape);
		expect(failure).toEqual(valuesRefused(200, [], 'Список не найден'));
	});
});

describe('many', () => {
	test('tags are items with a name', () => {
		expect(rowsOf({ data: ['Клиент', 'VIP', ''] }, 'many')).toEqual([
			{ name: 'Клиент' },
			{ name: 'VIP' },
			{ name: '' },
		]);
	});

	test('variables and schemas are items as the service gives them, without links', () => {
		const variable = { id: 9001, name: 'Город', value: 'Уфа', deletable: false };
		const schema = {
			id: '5dee',
			name: 'Заказы',
			is_menu: true,
			fields: { links: { name: 'Ссылки', type: 'string' } },
		};
		expect(
			rowsOf({ data: [variable], links: { first: 'https://example.com?api_token=секрет' } }, 'many'),
		).toEqual([variable]);
		expect(
			rowsOf({ data: [{ ...schema, links: { self: 'https://example.com?api_token=секрет' } }] }, 'many'),
		).toEqual([schema]);
	});

	test('none is no failure', () => {
		expect(read(answer(200, { data: [] }), 'many')).toEqual({ rows: [] });
	});

	const meta = { current_page: 1, last_page: 3, per_page: 50, from: 1, to: 50, total: 120, path: '' };

	test.each<[string, unknown, { current: number; last: number } | undefined]>([
		['of several', meta, { current: 1, last: 3 }],
		['the last one', { ...meta, current_page: 3 }, { current: 3, last: 3 }],
		['in texts', { current_page: '2', last_page: '3' }, { current: 2, last: 3 }],
		['none', undefined, undefined],
		['in an empty meta', {}, undefined],
		['of nothing', { current_page: 1, last_page: 0 }, undefined],
		['before the first', { current_page: 0, last_page: 3 }, undefined],
		['in words', { current_page: 'первая', last_page: 'третья' }, undefined],
		['in a list', [1, 3], undefined],
		['in null', null, undefined],
	])('pages: %s', (_, given, page) => {
		const result = read(answer(200, { data: ['Клиент'], meta: given }), 'many');
		expect(result).toEqual(page ? { rows: [{ name: 'Клиент' }], page } : { rows: [{ name: 'Клиент' }] });
	});
});

describe('one, created, done and deleted', () => {
	const schema = { id: '5dee4800c2cc5a38ec797235', name: 'Заказы', is_menu: true, fields: {} };
	const nothing: unknown[] = ['', ' \n', null, undefined, [], {}, true];

	test.each<[AnswerShape]>([['one'], ['created']])(
		'%s: the schema, taken out of data where it is wrapped',
		(shape) => {
			expect(rowsOf(schema, shape)).toEqual([schema]);
			expect(rowsOf({ data: schema }, shape)).toEqual([schema]);
			expect(
				rowsOf({ data: { ...schema, links: { self: 'секрет' } }, links: { self: 'секрет' } }, shape),
			).toEqual([schema]);
			expect(rowsOf({ ...schema, links: { self: 'секрет' } }, shape)).toEqual([schema]);
		},
	);

	test('one: a schema may have fields called message and data', () => {
		expect(rowsOf({ ...schema, message: 'Привет', data: null }, 'one')).toEqual([
			{ ...schema, message: 'Привет', data: null },
		]);
	});

	test.each<[AnswerShape]>([['created'], ['done']])('%s: nothing means success', (shape) => {
		for (const body of nothing) expect(rowsOf(body, shape)).toEqual([{ success: true }]);
		expect(rowsOf('', shape, 204)).toEqual([{ success: true }]);
		const blankPage = answer(200, ' \n', { 'content-type': 'text/html; charset=UTF-8' });
		expect(read(blankPage, shape)).toEqual({ rows: [{ success: true }] });
		expect(rowsOf({ success: true }, shape, 201)).toEqual([{ success: true }]);
	});

	test('done: what the service answered, and data stays where it is', () => {
		expect(rowsOf({ success: true, message_id: 77 }, 'done')).toEqual([{ success: true, message_id: 77 }]);
		expect(rowsOf({ data: { id: 5 }, links: {} }, 'done')).toEqual([{ data: { id: 5 } }]);
		expect(rowsOf({ message: 'Отправлено' }, 'done')).toEqual([{ message: 'Отправлено' }]);
	});

	test('deleted: always the same, unless the answer cannot be read', () => {
		expect(() => rowsOf('{"succ', 'deleted')).toThrow('cannot be read');
		for (const body of [...nothing, { success: true }, { message: 'Удалено' }]) {
			expect(rowsOf(body, 'deleted')).toEqual([{ deleted: true }]);
		}
	});

	test.each([0, 1, 5, 1.5, 'ok', '"ok', [], {}, [{ id: 5, links: {} }], ['VIP'], [[]]])(
		'one: %j is no record',
		(body) => {
			expect('failure' in read(answer(200, body), 'one')).toBe(true);
		},
	);

	test('an error that is none does not count as one', () => {
		for (const error of [null, false])
			expect(rowsOf({ success: true, error }, 'done')).toEqual([{ success: true, error }]);
	});
});

describe.each(changing)('what a method may answer that has %s something', (shape, row) => {
	test.each<[string, unknown]>([
		['nothing', ''],
		['blanks', ' \n'],
		['null', null],
		['no body', undefined],
		['true', true],
		['one', 1],
		['none', 0],
		['a number of rows', 3],
		['a fraction', 1.5],
		['a word', 'ok'],
		['words', 'Тег добавлен.'],
		['words that say what is false', 'false alarm'],
		['a number in a text', '1'],
		['brackets in words', 'ok [1] {2} "3"'],
		['an empty object', {}],
		['an empty list', []],
		['a list with rows', [{ id: 1, name: 'Анна' }, { id: 2 }]],
		['a list with texts', ['VIP']],
		['the longest words', 'я'.repeat(200)],
	])('%s', (_, body) => {
		for (const status of [200, 201, 202, 204])
			expect(read(answer(status, body), shape)).toEqual({ rows: [row] });
		const asPage = answer(200, body, { 'content-type': 'text/html; charset=UTF-8' });
		expect(read(asPage, shape)).toEqual({ rows: [row] });
	});

	test.each<[string, unknown]>([
		['false', false],
		['longer words', 'я'.repeat(201)],
		['an object that was cut off', '{"success":tr'],
		['a list that was cut off', '[{"id":1},{"i'],
		['a text that was cut off', '"Тег доб'],
		['an object of two halves', '{"success":{"message":"Server Error"}'],
		['an object that was cut off, behind blanks', ' \n{"success":tr'],
	])('not %s', (_, body) => {
		const failure = failureOf(answer(200, body), shape);
		const found = typeof body === 'string' ? body.trim() : body;
		expect(failure).toEqual(malformedAnswer(200, found));
		expect(failure.outcome).toBe('unknown');
	});

	test('any short text', () => {
		const text = fc
			.oneof(fc.string({ maxLength: 200 }), fc.string({ unit: 'grapheme', maxLength: 60 }))
			.filter((words) => words.length <= 200 && !/<|(?:error|on line )/i.test(words))
			// JSON is parsed before it is read.
			.filter((words) => !/^(?:[[{"]|false$)/.test(words.trim()));
		const type = fc.constantFrom('text/html', 'text/plain', 'application/json', undefined);
		fc.assert(
			fc.property(text, type, fc.integer({ min: 200, max: 299 }), (words, contentType, status) => {
				const given = answer(status, words, { 'content-type': contentType });
				expect(read(given, shape)).toEqual({ rows: [row] });
			}),
		);
	});
});

describe('maintenance', () => {
	const words = 'Service Unavailable';
	const page = (title: string, rest = '') =>
		`<!DOCTYPE html>\n<html lang="en"><head><title>${title}</title></head><body>${rest}</body></html>`;
	const asPage = { 'content-type': 'text/html; charset=UTF-8' };
	const counted = { 'x-ratelimit-limit': '120', 'x-ratelimit-remaining': '5' };

	test.each<[string, ServiceAnswer, number | undefined]>([
		['', answer(503, { message: words }), undefined],
		['with the time that it takes', answer(503, { message: words }, { 'retry-after': '7' }), 7000],
		[
			'with what a developer wants to see',
			answer(503, { message: words, exception: 'HttpException', file: '/app/a.php', line: 78, trace: [] }),
			undefined,
		],
		['under a status of its own', answer(200, { message: words }), undefined],
		['under another one', answer(202, { message: words }, { 'retry-after': '7' }), 7000],
		[
			'in a text, with a mark of the byte order',
			answer(503, `\uFEFF${JSON.stringify({ message: words })}`),
			undefined,
		],
	])('in the words of the framework %s', (_, given, milliseconds) => {
		expectFailure(given, underMaintenance(given.statusCode, milliseconds, words));
		expect(failureOf(given)).toMatchObject({ outcome: 'notDone', repeat: 'afterMaintenance' });
	});

	test.each([
		page('Service Unavailable', '<div>503</div><div>Service Unavailable</div>'),
		page('\n Service Unavailable\n '),
		page('503 | Service Unavailable'),
		page('503 - service unavailable'),
		page('503: Сервис недоступен'),
		page('Сервис недоступен'),
		page('Site Maintenance'),
		page('Under maintenance | Chatbots'),
		page('Be right back.'),
		page('Chatbots', '<h1>Down for maintenance</h1>'),
		page('', '<h1 class="big">We will be right back!</h1>'),
		page('Технические работы'),
		page('Ведутся технические работы — Чат-боты'),
		page('Техническое обслуживание'),
		page('503', '<H1>На сервере проводится техническое обслуживание</H1>'),
		page('Чат-боты', '<h1>Профилактические работы до 5:00</h1>'),
		page('Чат-боты', '<h1>Регламентные работы</h1>'),
	])('by a page that says so: %s', (body) => {
		expectFailure(answer(503, body, asPage), underMaintenance(503));
		expectFailure(answer(503, body, { 'retry-after': '60' }), underMaintenance(503, 60_000));
	});

	test.each<[string, unknown]>([
		['what a method says that gives up', { message: '' }],
		['other words', { message: 'Service Unavailable.' }],
		['words of somebody else', { error: words }],
		['no words', ''],
		['a text of a proxy', words],
		['words about maintenance that are no page', 'Down for maintenance'],
		[
			"nginx's own page",
			page('503 Service Temporarily Unavailable', '<h1>503 Service Temporarily Unavailable</h1>'),
		],
		[
			"Apache's own page",
			page(
				'503 Service Unavailable',
				'<h1>Service Unavailable</h1><p>The server cannot answer you now, for maintenance downtime or for want of room.</p>',
			),
		],
		[
			"HAProxy's own page",
			'<html><body><h1>503 Service Unavailable</h1>\nNo server is there.\n</body></html>',
		],
		['a page that speaks of it below', page('Chatbots', '<h1>Welcome</h1><h2>maintenance</h2>')],
		['a page that speaks of it in a lower heading', page('Chatbots', '<h2>maintenance</h2>')],
		['a page with a longer title', page('Service Unavailable for you')],
		['a page of a balancer', page('Service Temporarily Unavailable')],
		['a page with a title of its own', page('Is the Service Unavailable')],
		['a page about other works', page('Технические вопросы')],
	])('not by %s', (_, body) => {
		for (const shape of shapes) {
			const failure = failureOf(answer(503, body, asPage), shape);
			expect(failure).toMatchObject({ outcome: 'unknown', repeat: 'ifHarmless' });
			expect(failure.message).toBe(serviceFailed(503).message);
		}
	});

	test.each<[string, unknown]>([
		['in the words of the framework', { message: words }],
		['by a page', page(words)],
	])('not %s, where the request was counted', (_, body) => {
		const said = typeof body === 'string' ? undefined : words;
		expectFailure(answer(503, body, counted), serviceFailed(503, undefined, said));
	});

	test.each([500, 501, 502, 504])('not under %d', (status) => {
		expectFailure(answer(status, { message: words }), serviceFailed(status, undefined, words));
		expectFailure(answer(status, page(words), asPage), serviceFailed(status));
	});

	test('not under a status that says something else', () => {
		expectFailure(answer(302, { message: words }), redirected(302, undefined));
		expectFailure(answer(400, { message: words }), valuesRefused(400, [], words));
		expectFailure(answer(401, { message: words }), tokenRefused(401, words));
		expectFailure(answer(403, { message: words }), accessRefused(403, refusedAccess, words));
		expectFailure(answer(429, { message: words }), tooManyRequests(429, undefined, words));
		for (const status of [200, 404]) expectFailure(answer(status, page(words)), webPage(status, words));
	});
});

describe('what cannot be found', () => {
	const all = new Map([
		['text', 'Text'],
		['bot_id', 'Bot ID'],
	]);
	const several: Sought[] = [
		{ label: 'Bot ID', thing: 'bot with this ID' },
		{ label: 'List', thing: 'list with this ID' },
		{ label: 'Field', thing: 'field with this slug' },
	];
	const failureFor = (status: number, body: unknown, asked: Labels) =>
		(readAnswer(answer(status, body), 'done', asked, now) as { failure: Failure }).failure;

	test('is all that was looked for', () => {
		const failure = failureFor(404, {}, { all, sought: several });
		expect(failure).toEqual(notFound(404, several));
		expect(failure.message).toBe(
			'No bot with this ID or no list with this ID or no field with this slug in this account',
		);
	});

	const ofRouting = [
		'',
		'The route api/v1/getBotTags could not be found.',
		'The route login/api/v1/getBotTags could not be found',
		'The route a\nb could not be found.',
	];
	const ofRecord: Array<[string, unknown, string | undefined]> = [
		['no body', undefined, undefined],
		['an empty body', '', undefined],
		['no words', {}, undefined],
		['words that are none', { message: null }, undefined],
		['blanks', { message: ' ' }, undefined],
		['words of the method', { message: 'Контакт не найден' }, 'Контакт не найден'],
		['words in another place', { error: 'Контакт не найден' }, 'Контакт не найден'],
		[
			'words in another place than the empty one',
			{ message: '', error: 'Контакт не найден' },
			'Контакт не найден',
		],
		[
			'the words of the framework for a record',
			{ message: 'No query results for model [App\\Models\\Bot] 5' },
			'No query results for model [App\\Models\\Bot] 5',
		],
		[
			'words about a route of somebody else',
			{ message: 'Бот: The route to it could not be found.' },
			'Бот: The route to it could not be found.',
		],
		['words about a route that is there', { message: 'The route is closed.' }, 'The route is closed.'],
	];

	test.each(ofRouting)(
		'is the address where the framework has no route, whatever was looked for: %j',
		(message) => {
			for (const looked of [several, []]) {
				const failure = failureFor(404, { message }, { all, sought: looked });
				expect(failure).toEqual(unknownMethod(404, looked, message || undefined));
				expect(failure.message).toBe('The service has nothing at this address');
			}
		},
	);

	test.each(ofRecord)('is what was looked for where the answer is %s', (_, body, words) => {
		expect(failureFor(404, body, { all, sought: several })).toEqual(notFound(404, several, words));
	});

	test.each(ofRecord)(
		'is the address where nothing was looked for and the answer is %s',
		(_, body, words) => {
			expect(failureFor(404, body, { all, sought: [] })).toEqual(unknownMethod(404, [], words));
		},
	);

	test.each<[string, unknown, string | undefined]>([
		['nothing', {}, undefined],
		[
			'the words for a record',
			{ message: 'No query results for model [Bot] 5' },
			'No query results for model [Bot] 5',
		],
	])(
		'is the address where it takes no such request and says %s, whatever was looked for',
		(_, body, words) => {
			for (const looked of [several, []])
				expect(failureFor(405, body, { all, sought: looked })).toEqual(unknownMethod(405, looked, words));
		},
	);

	test('is named by the framework under other statuses, too, and then it is no address', () => {
		const message = 'No query results for model [App\\Models\\Bot] 5';
		for (const status of [200, 404, 422]) {
			expect(failureFor(status, { message }, { all, sought: several })).toEqual(
				notFound(status, several, message),
			);
			expect(failureFor(status, { message }, { all, sought: [] })).toEqual(
				unknownMethod(status, [], message),
			);
		}
	});

	test('is no address where the words of a route come under another status', () => {
		const message = 'The route api/v1/getBotTags could not be found.';
		expect(failureFor(422, { message }, { all, sought: several })).toEqual(valuesRefused(422, [], message));
		expect(read(answer(200, { message }), 'done')).toEqual({ rows: [{ message }] });
	});

	test('is somebody else’s where the framework says so, and that is looked for first', () => {
		const asked: Labels = { all, sought: several };
		const refused = (message: string) => failureFor(403, { message }, asked).description;
		expect(refused('This action is unauthorized.')).toMatch(/^Check 'Bot ID', 'List', 'Field': /);
		expect(refused('Forbidden')).toMatch(/^Check that the tariff /);
		expect(refused('Нет доступа')).toMatch(/^Check that the tariff /);
	});

	test('is not what a validation names: that has the label of any field', () => {
		const body = { message: 'Неверно.', errors: { text: ['Нет.'] } };
		expect(failureOf(answer(404, body))).toEqual(valuesRefused(404, ['Text'], 'Нет.'));
	});
});

test('blanks are no words of the service', () => {
	expectFailure(answer(400, { message: ' ', error: '\n' }), valuesRefused(400, [], ''));
	expect(failureOf(answer(200, { message: ' ' }), 'one')).toEqual(malformedAnswer(200, { message: ' ' }));
});

test('any answer is read or refused, and no refusal gets rows', () => {
	const status = fc.constantFrom(200, 201, 204, 301, 400, 401, 403, 404, 422, 429, 500);
	const header = fc.oneof(fc.string(), fc.array(fc.string()), fc.constant(undefined));
	const body = fc.oneof(
		fc.jsonValue(),
		fc.record(
			{
				data: fc.jsonValue(),
				meta: fc.jsonValue(),
				message: fc.jsonValue(),
				errors: fc.jsonValue(),
				error: fc.jsonValue(),
				success: fc.jsonValue(),
			},
			{ requiredKeys: [] },
		),
		fc.string(),
		fc.constant(undefined),
	);
	fc.assert(
		fc.property(
			status,
			header,
			header,
			header,
			body,
			fc.constantFrom(...shapes),
			(statusCode, a, b, c, given, shape) => {
				const headers = { 'retry-after': a, location: b, 'content-type': c };
				const result = readAnswer({ statusCode, headers, body: given }, shape, labels, now);
				if ('failure' in result) {
					expect(result.failure.status).toBe(statusCode);
					if (result.failure.retryAfterMs !== undefined) {
						expect(result.failure.retryAfterMs).toBeGreaterThanOrEqual(0);
					}
				} else {
					expect(statusCode).toBeLessThan(300);
					for (const row of result.rows) expect(Object.keys(row)).not.toContain('links');
				}
			},
		),
		{ numRuns: 500 },
	);
});
