import fc from 'fast-check';

import {
	readAnswer,
	type AnswerShape,
	type Labels,
	type ServiceAnswer,
} from '../../nodes/ChatbotService/client/http/answer';
import type { Expected } from '../../nodes/ChatbotService/client/failure/advice';
import * as failures from '../../nodes/ChatbotService/client/failure/failure';
import type { Failure } from '../../nodes/ChatbotService/client/failure/failure';

/* Which answers are failures, and which. Their words are in failure.test.ts, and what other answers mean in answerRows.test.ts. */

const now = Date.UTC(2026, 10, 5, 9, 30, 0);
const expected: Expected[] = [{ label: 'Contact ID', whatItIs: 'contact with this ID' }];
const fields = { text: 'Text', image: 'Image URL', fields: 'Fields', 'field.type': 'Field Type' };
const all = new Map(Object.entries({ contact_id: 'Contact ID', ...fields }));
const labels: Labels = { all, expected, empty: new Set(['image']) };
/** For a request that names no record. */
const labelsOfNothing: Labels = { ...labels, expected: [] };
const shapes: AnswerShape[] = ['many', 'one', 'created', 'done', 'confirmed', 'sent', 'deleted'];

type Headers = ServiceAnswer['headers'];
const answer = (statusCode: number, body: unknown, headers: Headers = {}) => ({ statusCode, headers, body });

const read = (given: ServiceAnswer, shape: AnswerShape) => readAnswer(given, shape, labels, now);

/** Checks that the result is the same for every shape of answer. */
function expectFailure(given: ServiceAnswer, failure: Failure, named = labels) {
	for (const shape of shapes) expect(readAnswer(given, shape, named, now)).toEqual({ failure });
}

const { accessRefused, malformedAnswer, notFound, redirected, serviceFailed } = failures;
const { tooManyRequests, unknownEndpoint, valuesMissing, valuesRefused, webPage } = failures;

const limited = (status: number, words: string) => tooManyRequests(status, undefined, words);
const failed = (status: number, words: string) => serviceFailed(status, undefined, words);
const missing = (status: number, words: string) => notFound(status, expected, words);
const noAccess = (status: number, words?: string, isForeign = false) =>
	accessRefused(status, { expected, isForeign }, words);
const foreign = (status: number, words: string) => noAccess(status, words, true);

describe('an answer is a failure, whatever was asked:', () => {
	test.each<[string, number[], (status: number, words: string) => Failure]>([
		['Unauthenticated.', [200, 401, 500], failures.tokenRefused],
		['Too Many Attempts.', [200, 403, 503], limited],
		['Too Many Requests', [200, 403, 503], limited],
		['Forbidden', [200, 404, 500], noAccess],
		['This action is unauthorized.', [200, 403, 404], foreign],
		['No query results for model [Contact] 5001', [200, 422], missing],
		['Server Error', [200, 404, 500], failed],
	])('the text "%s" of the framework, with each of %j', (message, statuses, failure) => {
		for (const status of statuses) expectFailure(answer(status, { message }), failure(status, message));
	});

	test.each<[number, unknown, Failure]>([
		[401, '', failures.tokenRefused(401)],
		[403, { message: 'Нет' }, noAccess(403, 'Нет')],
		[404, { message: 'Контакт не найден' }, notFound(404, expected, 'Контакт не найден')],
		[405, { message: 'No GET.' }, unknownEndpoint(405, expected, 'No GET.')],
		[407, '<html><title>Proxy Authentication Required</title></html>', failures.proxyRefused(407)],
		...[413, 414, 431].map((status): [number, unknown, Failure] => [
			status,
			'<html><title>Request-URI Too Large</title></html>',
			failures.requestTooLong(status),
		]),
		[429, '<html>429</html>', tooManyRequests(429)],
		[502, '<html><title>502 Bad Gateway</title></html>', serviceFailed(502)],
		[200, { message: '' }, serviceFailed(200)],
		[200, { exception: 'ErrorException', message: 'Undefined' }, failed(200, 'Undefined')],
		// When PHP stops with an error, its text is the failure, unless the status says more.
		[200, 'Fatal error: no', failed(200, 'Fatal error: no')],
		[404, 'Fatal error: no', notFound(404, expected)],
		[200, 'Notice: a in /a.php on line 4\n{"success":false}', valuesRefused(200, [], '')],
	])('status %d with %j', (status, body, failure) => {
		expectFailure(answer(status, body), failure);
	});

	test.each<[unknown, string]>([
		[{ error: { message: 'Нет бота' } }, 'Нет бота'],
		[{ message: 'Нет бота', error: 'Нет бота', errors: ['Нет бота', 'Нет текста'] }, 'Нет бота Нет текста'],
		[{ message: ' ', error: '\n' }, ''],
	])('its words are found in any place, each once: %j', (body, words) => {
		expectFailure(answer(400, body), valuesRefused(400, [], words));
	});

	const sixErrors = { 1: 'А.', 2: 'Б.', 3: 'В.', 4: 'Г.', 5: 'Д.', 6: 'Е.' };

	test.each<[string, Record<string, unknown>, string[], string]>([
		['several', { text: ['Нет.'], contact_id: ['А.', 'Б.'] }, ['Text', 'Contact ID'], 'Нет. А. Б.'],
		['an empty field and another', { image: ['А.'], text: ['Нет.'] }, ['Image URL', 'Text'], 'А. Нет.'],
		['parts', { 'fields.city.type': ['А.'], 'fields.0': ['Б.'] }, ['Fields: city.type', 'Fields'], 'А. Б.'],
		['an attribute', { 'field.type': ['Нет.'] }, ['Field Type'], 'Нет.'],
		['one without a label', { list_id: 'Нет.' }, ['list_id'], 'Нет.'],
		['none', {}, [], 'Так нельзя.'],
		['more than five', sixErrors, ['1', '2', '3', '4', '5'], 'А. Б. В. Г. Д. Е.'],
	])('a validation that names %s', (_, errors, named, words) => {
		expectFailure(answer(422, { message: 'Так нельзя.', errors }), valuesRefused(422, named, words));
	});

	test('a validation, with any status; one of values that were left empty', () => {
		for (const status of [200, 404, 500])
			expectFailure(answer(status, { errors: { text: ['Нет.'] } }), valuesRefused(status, ['Text'], 'Нет.'));
		expectFailure(answer(422, { errors: { image: ['Нет.'] } }), valuesMissing(422, ['Image URL'], 'Нет.'));
	});

	test.each<[unknown, string]>([
		[{ success: false, message: 'Диалог закрыт' }, 'Диалог закрыт'],
		[{ success: 'False' }, ''],
		[{ success: null }, ''],
		[{ ok: 0 }, ''],
		[{ result: false }, ''],
		...['ERROR', ' Fail ', 'failed'].map((word): [unknown, string] => [{ status: word }, '']),
		[{ success: true, error: 'Нет' }, 'Нет'],
		[{ success: true, error: { code: 5 } }, ''],
	])('%j denies success', (body, words) => {
		expectFailure(answer(200, body), valuesRefused(200, [], words));
	});
});

const halfPast = 'Thu, 05 Nov 2026 09:30:45 GMT';

test.each<[unknown, string | undefined, number | undefined]>([
	['30', undefined, 30_000],
	['0.5', undefined, 500],
	['скоро', undefined, undefined],
	[halfPast, undefined, 45_000],
	['Thu, 05 Nov 2026 09:29:00 GMT', undefined, 0],
	// The clock of the service counts.
	[halfPast, 'Thu, 05 Nov 2026 09:30:15 GMT', 30_000],
	[halfPast, 'скоро', 45_000],
])('Retry-After %j with the date %j asks for a wait of %j ms', (header, date, waitMs) => {
	const headers = { 'retry-after': header, date };
	expectFailure(answer(429, {}, headers), tooManyRequests(429, waitMs));
	expectFailure(answer(503, '', headers), serviceFailed(503, waitMs));
});

describe('an answer from somewhere else', () => {
	test.each<[string, string | undefined]>([
		['<!DOCTYPE html>\n<html><head><title> Вход </title></head><body>…</body></html>', 'Вход'],
		['<HTML><TITLE lang="ru">Вход</TITLE>', 'Вход'],
		['\n\n  <html><title> </title></html>', undefined],
		['It works! <!-- 0.04 s -->', undefined],
	])('is a web page if its text has a tag, with any content type: %j', (body, title) => {
		for (const type of ['text/plain', 'application/json', undefined])
			for (const status of [200, 404])
				expectFailure(answer(status, body, { 'content-type': type }), webPage(status, title));
	});

	test.each(['1', 'a < b, b > c', 'I <3 you'])('is no web page without a tag: %j', (words) => {
		const given = answer(200, words, { 'content-type': 'text/html' });
		expect(read(given, 'done')).toEqual({ rows: [{ success: true }] });
		expect(read(given, 'many')).toEqual({ failure: malformedAnswer(200, words) });
	});

	test.each<[unknown, string | undefined]>([
		['https://example.com/login?api_token=секрет&x=1', 'https://example.com/login'],
		['https://example.com/login#api_token=секрет', 'https://example.com/login'],
		['/login?a=1\napi_token=секрет', '/login'],
		[['/a', '/b'], undefined],
	])('that is a redirect to %j is reported without parts that can contain the token', (location, target) => {
		for (const status of [300, 301, 302, 303, 307, 308])
			expectFailure(answer(status, '<html>Redirecting</html>', { location }), redirected(status, target));
	});
});

test.each<[number, unknown, string | undefined]>([
	[404, '', undefined],
	[404, { message: 'The route is closed.' }, 'The route is closed.'],
	[200, { message: 'No query results for model [Bot] 5' }, 'No query results for model [Bot] 5'],
])('what cannot be found is what the request names, or otherwise the address: %d with %j', (...row) => {
	const [status, body, words] = row;
	expectFailure(answer(status, body), notFound(status, expected, words));
	expectFailure(answer(status, body), unknownEndpoint(status, [], words), labelsOfNothing);
});

test.each([{ message: 'The route api/v1/getBotTags could not be found.' }, { message: '' }])(
	'the address cannot be found if 404 comes with %j',
	(body) => expectFailure(answer(404, body), unknownEndpoint(404, expected, body.message || undefined)),
);

describe('maintenance', () => {
	const words = 'Service Unavailable';
	const page = (title: string, rest = '') => `<html><head><title>${title}</title></head>${rest}</html>`;

	test.each([200, 503])('is recognized by what only the framework says, with status %d', (status) => {
		const body = { message: words, exception: 'HttpException', trace: [] };
		const failure = failures.underMaintenance(status, 7000, words);
		expectFailure(answer(status, body, { 'retry-after': '7', 'my-apigw-id': '1' }), failure);
	});

	test.each([
		...[page('503 | Service Unavailable'), page('503: Сервис недоступен'), page('Site maintenance')],
		page('\n Service Unavailable\n ', '<h1> 503 </h1>'),
		page('', '<h1 class="big">We will be right back!</h1>'),
		page('503', '<H1>На сервере проводится техническое обслуживание</H1>'),
		page('Чат-боты', '<h1>Профилактические работы до 5:00</h1>'),
		page('Чат-боты', '<h1>Идут регламентные работы</h1>'),
	])('is recognized by the title or heading of a page with status 503: %s', (body) => {
		expectFailure(answer(503, body), failures.underMaintenance(503));
	});

	test.each<[string, string]>([
		['a text of a proxy', words],
		["nginx's own page", page('503 Service Temporarily Unavailable')],
		["Apache's own page", page(`503 ${words}`, `<h1>${words}</h1><p>Perhaps maintenance downtime.</p>`)],
		["the page of Windows' own server", page(words, '<h2>Service Unavailable</h2><p>HTTP Error 503.</p>')],
		["HAProxy's own page", `<html><body><h1>503 ${words}</h1>\nNo server is there.\n</body></html>`],
		['a page that speaks of it in a lower heading', page('Chatbots', '<h1>Welcome</h1><h2>maintenance</h2>')],
		['a page about other works', page('Технические вопросы')],
	])('is not recognized with status 503 by %s: the request may have been processed', (_, body) => {
		expectFailure(answer(503, body), serviceFailed(503));
	});

	test.each<[string, Headers]>([
		[words, { 'x-ratelimit-limit': '1' }],
		[words, { 'x-amzn-requestid': '1' }],
		[words, { 'apigw-requestid': '1' }],
		[`${words}.`, {}],
	])('is not recognized by %j if the headers are %j: the request may have been processed', (...row) => {
		const [message, headers] = row;
		expectFailure(answer(503, { message }, headers), failed(503, message));
	});

	test.each([302, 400, 401, 429, 500, 502, 504])('is not recognized with status %d', (status) => {
		const { message } = failures.underMaintenance(503);
		for (const body of [{ message: words }, page(words)])
			expect(read(answer(status, body), 'done')).not.toHaveProperty('failure.message', message);
	});
});

test('any answer is read or refused, and a refusal has no rows (generated)', () => {
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
	const property = (answered: ServiceAnswer, shape: AnswerShape) => {
		const result = read(answered, shape);
		if ('failure' in result) {
			expect(result.failure.status).toBe(answered.statusCode);
			expect(result.failure.retryAfterMs ?? 0).toBeGreaterThanOrEqual(0);
		} else {
			expect(answered.statusCode).toBeLessThan(300);
			for (const row of result.rows) expect(row).not.toHaveProperty('links');
		}
	};
	fc.assert(fc.property(given, fc.constantFrom(...shapes), property));
});
