import fc from 'fast-check';

import type { Expected } from '../../nodes/ChatbotService/client/failure/advice';
import * as failures from '../../nodes/ChatbotService/client/failure/failure';
import type { Failure } from '../../nodes/ChatbotService/client/failure/failure';
import {
	readAnswer,
	type AnswerShape,
	type Labels,
	type ServiceAnswer,
} from '../../nodes/ChatbotService/client/http/answer';

/* Which answers are failures, and which. Their words are in failure.test.ts, and what other answers mean in answerRows.test.ts. */

const now = Date.UTC(2026, 10, 5, 9, 30, 0);
const expected: Expected[] = [{ label: 'Contact ID', whatItIs: 'contact with this ID' }];
const fields = { text: 'Text', image: 'Image URL', fields: 'Fields', 'field.type': 'Field Type' };
const all = new Map(Object.entries({ contact_id: 'Contact ID', ...fields }));
const labels: Labels = { all, expected, empty: new Set(['image']) };
const shapes: AnswerShape[] = ['many', 'one', 'created', 'done', 'confirmed', 'sent', 'deleted'];

type Headers = ServiceAnswer['headers'];
const answer = (statusCode: number, body: unknown, headers: Headers = {}) => ({ statusCode, headers, body });

const read = (given: ServiceAnswer, shape: AnswerShape) => readAnswer(given, shape, labels, now);

/** Checks that the result is the same for every shape of answer. */
function expectFailure(given: ServiceAnswer, failure: Failure, named = labels) {
	const { statusCode: status } = given;
	for (const shape of shapes)
		expect(readAnswer(given, shape, named, now)).toEqual({ failure: { ...failure, status } });
}

const { malformedAnswer, redirected, serviceFailed, tooManyRequests, underMaintenance } = failures;
const { unknownEndpoint, valuesMissing, valuesRefused, webPage } = failures;

const limited = (words: string) => tooManyRequests(undefined, words);
const failed = (words: string, status: number) => serviceFailed(status, undefined, words);
const missing = (words?: string) => failures.notFound(expected, words);
const noAccess = (words: string, isForeign = false) => failures.accessRefused({ expected, isForeign }, words);

test.each<[string, number[], (words: string, status: number) => Failure]>([
	['Unauthenticated.', [200, 401, 500], failures.tokenRefused],
	['Too Many Attempts.', [200, 403, 503], limited],
	['Too Many Requests', [200, 403, 503], limited],
	['Forbidden', [200, 404, 500], (words) => noAccess(words)],
	['This action is unauthorized.', [200, 403, 404], (words) => noAccess(words, true)],
	['No query results for model [Contact] 5001', [200, 422], missing],
	['Server Error', [200, 404, 500], failed],
])('"%s" counts more than the status, %j', (message, statuses, failure) => {
	for (const status of statuses) expectFailure(answer(status, { message }), failure(message, status));
});

const page = (title: string, rest = '') => `<html><head><title>${title}</title></head>${rest}</html>`;
const noRoute = 'The route api/v1/getBotTags could not be found.';
const unavailable = 'Service Unavailable';
const invalid = (errors: object) => ({ message: 'Так нельзя.', errors });
const isRequired = 'Поле list_id обязательно для заполнения.';
const sixErrors = { 1: 'А.', 2: 'Б.', 3: 'В.', 4: 'Г.', 5: 'Д.', 6: 'Е.' };

const denials = [
	...[{ success: 'False' }, { success: null }, { ok: 0 }, { result: false }],
	...[{ success: true, error: { code: 5 } }, { status: 'ERROR' }, { status: ' Fail ' }, { status: 'failed' }],
];

/** Pages of the framework, or of people who write one for it. */
const ofMaintenance = [
	...[page('503 | Service Unavailable'), page('503: Сервис недоступен'), page('Site maintenance')],
	page('\n Service Unavailable\n ', '<h1> 503 </h1>'),
	page('', '<h1 class="big">We will be right back!</h1>'),
	page('503', '<H1>На сервере проводится техническое обслуживание</H1>'),
	page('Чат-боты', '<h1>Профилактические работы до 5:00</h1>'),
	page('Чат-боты', '<h1>Идут регламентные работы</h1>'),
];

/** From a server in front of the service, or about something else: the request may have been processed. */
const ofServers = [
	...[unavailable, page('503 Service Temporarily Unavailable'), page('Технические вопросы')],
	page(`503 ${unavailable}`, `<h1>${unavailable}</h1><p>Perhaps maintenance downtime.</p>`),
	page(unavailable, '<h2>Service Unavailable</h2><p>HTTP Error 503.</p>'),
	`<html><body><h1>503 ${unavailable}</h1>\nNo server is there.\n</body></html>`,
	page('Chatbots', '<h1>Welcome</h1><h2>maintenance</h2>'),
];

type Row = [status: number, body: unknown, Failure, Headers?];
const inSeven = { 'retry-after': '7' };

test.each<Row>([
	[401, '', failures.tokenRefused()],
	[403, { message: 'Нет' }, noAccess('Нет')],
	[404, '', missing()],
	[404, { message: noRoute }, unknownEndpoint(404, expected, noRoute)],
	[404, { message: '' }, unknownEndpoint(404, expected)],
	[407, page('Proxy Authentication Required'), failures.proxyRefused()],
	...[413, 414, 431].map((status): Row => [status, page('Too Large'), failures.requestTooLong()]),
	[429, '<html>429</html>', tooManyRequests()],
	[200, { message: '' }, serviceFailed(200)],
	[200, { exception: 'ErrorException', message: 'Undefined' }, failed('Undefined', 200)],
	// When PHP stops with an error, its text is the failure, unless the status says more.
	[200, 'Fatal error: no', failed('Fatal error: no', 200)],
	[404, 'Fatal error: no', missing()],
	[200, 'Notice: a in /a.php on line 4\n{"success":false}', valuesRefused([], '')],
	// Words in any place, each once.
	[400, { error: { message: 'Нет бота' } }, valuesRefused([], 'Нет бота')],
	[400, { message: 'Нет', error: 'Нет', errors: ['Нет', 'И нет'] }, valuesRefused([], 'Нет И нет')],
	// A validation, with any status; one of values that were left empty.
	[200, { errors: { text: ['Нет.'] } }, valuesRefused(['Text'], 'Нет.')],
	[500, { errors: { text: ['Нет.'] } }, valuesRefused(['Text'], 'Нет.')],
	[422, invalid({ image: ['Нет.'] }), valuesMissing(['Image URL'], 'Нет.')],
	[422, invalid({ image: ['А.'], text: ['Б.'] }), valuesRefused(['Image URL', 'Text'], 'А. Б.')],
	[422, invalid({ list_id: [isRequired] }), valuesMissing(['list_id'], isRequired)],
	[
		422,
		invalid({ list_id: [isRequired], text: ['Б.'] }),
		valuesRefused(['list_id', 'Text'], `${isRequired} Б.`),
	],
	[422, invalid({ contact_id: ['А.', 'Б.'] }), valuesRefused(['Contact ID'], 'А. Б.')],
	[422, invalid({ 'fields.city.type': ['А.'] }), valuesRefused(['Fields: city.type'], 'А.')],
	[422, invalid({ 'fields.0': ['А.'], 'fields.1': 'Б.' }), valuesRefused(['Fields'], 'А. Б.')],
	[422, invalid({ 'field.type': ['А.'] }), valuesRefused(['Field Type'], 'А.')],
	[422, invalid({ list_id: 'А.' }), valuesRefused(['list_id'], 'А.')],
	[422, invalid(sixErrors), valuesRefused(['1', '2', '3', '4', '5'], 'А. Б. В. Г. Д. Е.')],
	// Denials of success.
	[200, { success: false, message: 'Диалог закрыт' }, valuesRefused([], 'Диалог закрыт')],
	...denials.map((body): Row => [200, body, valuesRefused([], '')]),
	[200, { success: true, error: 'Нет' }, valuesRefused([], 'Нет')],
	[200, { message: unavailable }, underMaintenance(7000, unavailable), inSeven],
	[503, { message: unavailable }, underMaintenance(7000, unavailable), { ...inSeven, 'my-apigw': 1 }],
	...ofMaintenance.map((body): Row => [503, body, underMaintenance()]),
	...ofServers.map((body): Row => [503, body, serviceFailed(503)]),
	...[{ 'x-ratelimit-limit': '1' }, { 'x-amzn-requestid': '1' }, { 'apigw-requestid': '1' }].map(
		(headers): Row => [503, { message: unavailable }, failed(unavailable, 503), headers],
	),
	[503, { message: `${unavailable}.` }, failed(`${unavailable}.`, 503)],
	[500, { message: unavailable }, failed(unavailable, 500)],
	[500, page(unavailable), serviceFailed(500)],
])('status %d with %j', (status, body, failure, headers = {}) => {
	expectFailure(answer(status, body, headers), failure);
});

test('of a request that names no record, none is missing', () => {
	const message = 'No query results for model [Bot] 5';
	const failure = unknownEndpoint(200, [], message);
	expectFailure(answer(200, { message }), failure, { ...labels, expected: [] });
});

const halfPast = 'Thu, 05 Nov 2026 09:30:45 GMT';

test.each<[unknown, string | undefined, number | undefined]>([
	['30', undefined, 30_000],
	['скоро', undefined, undefined],
	[halfPast, undefined, 45_000],
	['Thu, 05 Nov 2026 09:29:00 GMT', undefined, 0],
	// The clock of the service counts.
	[halfPast, 'Thu, 05 Nov 2026 09:30:15 GMT', 30_000],
])('Retry-After %j at %j asks for a wait of %j ms', (header, date, waitMs) => {
	const headers = { 'retry-after': header, date };
	expectFailure(answer(429, {}, headers), tooManyRequests(waitMs));
	expectFailure(answer(503, '', headers), serviceFailed(503, waitMs));
});

test.each<[string, string | undefined]>([
	['<!DOCTYPE html>\n<html><head><title> Вход </title></head><body>…</body></html>', 'Вход'],
	['\n\n  <html><title> </title></html>', undefined],
	['It works! <!-- 0.04 s -->', undefined],
])('a text with a tag is a web page: %j', (body, title) => {
	for (const type of ['text/plain', 'application/json', undefined])
		for (const status of [200, 404])
			expectFailure(answer(status, body, { 'content-type': type }), webPage(status, title));
});

test.each(['1', 'a < b, b > c', 'I <3 you'])('a text without a tag is no web page: %j', (words) => {
	const given = answer(200, words, { 'content-type': 'text/html' });
	expect(read(given, 'done')).toEqual({ rows: [{ success: true }] });
	expect(read(given, 'many')).toEqual({ failure: { ...malformedAnswer(words), status: 200 } });
});

test.each<[unknown, string | undefined]>([
	['https://example.com/login?api_token=секрет&x=1', 'https://example.com/login'],
	['https://example.com/login#api_token=секрет', 'https://example.com/login'],
	['/login?a=1\napi_token=секрет', '/login'],
	[['/a', '/b'], undefined],
])('a redirect is told without the token: %j', (location, target) => {
	for (const status of [300, 301, 302, 303, 307, 308])
		expectFailure(answer(status, '<html>Redirecting</html>', { location }), redirected(target));
});

test('any answer is read or refused (generated)', () => {
	const any = fc.jsonValue();
	const header = fc.oneof(fc.string(), fc.array(fc.string()), fc.constant(undefined));
	const parts = { data: any, meta: any, message: any, errors: any, error: any, success: any };
	const given = fc.record({
		statusCode: fc.constantFrom(200, 204, 301, 400, 401, 403, 404, 422, 429, 500),
		headers: fc.record({ 'retry-after': header, location: header, 'content-type': header }),
		body: fc.oneof(any, fc.record(parts, { requiredKeys: [] }), fc.string(), fc.constant(undefined)),
	});
	const property = (answered: ServiceAnswer, shape: AnswerShape) => {
		const result = read(answered, shape);
		if ('failure' in result) expect(result.failure.status).toBe(answered.statusCode);
		else expect(answered.statusCode).toBeLessThan(300);
	};
	fc.assert(fc.property(given, fc.constantFrom(...shapes), property));
});
