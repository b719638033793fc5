import fc from 'fast-check';

import { baseUrlExpression, baseUrlOf, isAddress } from '../../nodes/ChatbotService/client/baseUrl';
import { evaluate } from './expression';

/** As n8n resolves it in the description and in the test of the credential. */
const resolved = (baseUrl: unknown) =>
	evaluate(baseUrlExpression, { $credentials: { baseUrl } } as Parameters<typeof evaluate>[1]);

/** Both ways of reading the credential, which must agree. */
function read(baseUrl: string): string {
	const url = baseUrlOf(baseUrl);
	expect(resolved(baseUrl)).toBe(url);
	return url;
}

test.each<[string, string, string]>([
	['as it should be', 'https://app.example.com', 'https://app.example.com/api/v1'],
	['with a slash', 'https://app.example.com/', 'https://app.example.com/api/v1'],
	['with slashes', 'https://app.example.com///', 'https://app.example.com/api/v1'],
	['with /api', 'https://app.example.com/api', 'https://app.example.com/api/v1'],
	['with /api/', 'https://app.example.com/api/', 'https://app.example.com/api/v1'],
	['with /api/v1', 'https://app.example.com/api/v1', 'https://app.example.com/api/v1'],
	['with /api/v1/', 'https://app.example.com/api/v1/', 'https://app.example.com/api/v1'],
	['with /API/V1//', 'https://app.example.com/API/V1//', 'https://app.example.com/api/v1'],
	['with slashes before /api/v1', 'https://app.example.com///api/v1', 'https://app.example.com/api/v1'],
	[
		'with a path that begins like it',
		'https://app.example.com/apiary',
		'https://app.example.com/apiary/api/v1',
	],
	['without a scheme', 'app.example.com', 'https://app.example.com/api/v1'],
	['without a scheme, with a port', 'app.example.com:8443/', 'https://app.example.com:8443/api/v1'],
	['without a scheme, with /api/v1', 'app.example.com/api/v1', 'https://app.example.com/api/v1'],
	['with http', 'http://localhost:8080', 'http://localhost:8080/api/v1'],
	['with a scheme in capitals', 'HTTPS://app.example.com', 'HTTPS://app.example.com/api/v1'],
	['with blanks around', '  https://app.example.com/ \n', 'https://app.example.com/api/v1'],
	['with a path before', 'https://example.com/bots', 'https://example.com/bots/api/v1'],
	['with a path before /api/v1', 'https://example.com/bots/api/v1/', 'https://example.com/bots/api/v1'],
	['with a path that ends alike', 'https://example.com/botapi', 'https://example.com/botapi/api/v1'],
	['with a host that ends alike', 'https://bot.api', 'https://bot.api/api/v1'],
	['with a host called api', 'http://api', 'http://api/api/v1'],
	['with a host called api and /api/v1', 'http://api/api/v1', 'http://api/api/v1'],
	['with a host called api, without a scheme', 'api', 'https://api/api/v1'],
	['with a host called api and a port', 'http://api:3000/', 'http://api:3000/api/v1'],
	['with letters of a country', 'https://чат.рф/', 'https://чат.рф/api/v1'],
])('an address %s', (_, given, expected) => {
	expect(read(given)).toBe(expected);
	expect(isAddress(given)).toBe(true);
});

test.each<[string, unknown]>([
	['nothing', ''],
	['blanks', '  '],
	['a slash', '/'],
	['a scheme alone', 'https://'],
	['/api/v1 alone', '/api/v1'],
	['a scheme and /api/v1', 'https:///api/v1'],
	['a scheme and another address', 'https:///http://example.com'],
	['words', 'мой сервис'],
	['what was never filled in', undefined],
	['null', null],
])('%s is no address, lest the token goes to a host called api', (_, given) => {
	expect(isAddress(given)).toBe(false);
});

test.each([
	['', 'https:///api/v1'],
	['https://', 'https:///api/v1'],
	['https:///api', 'https:///api/api/v1'],
])('of %j nothing is made that looks like an address', (given, expected) => {
	expect(read(given)).toBe(expected);
	expect(isAddress(expected)).toBe(false);
});

test('what was never filled in is read as nothing', () => {
	expect(baseUrlOf(undefined)).toBe(baseUrlOf(''));
});

test('every way of writing an address comes to the same, with its host and its path', () => {
	const name = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/);
	const host = fc.oneof(
		fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('.')),
		fc.constantFrom('api', 'v1', 'api.v1', 'localhost', '127.0.0.1'),
	);
	const port = fc.oneof(
		fc.constant(''),
		fc.integer({ min: 1, max: 65535 }).map((number) => `:${number}`),
	);
	const path = fc.array(name, { maxLength: 2 }).map((parts) => parts.map((part) => `/${part}`).join(''));
	const scheme = fc.constantFrom('https://', 'http://', '');
	const suffix = fc.constantFrom('', '/', '//', '/api', '/api/', '/api/v1', '/api/v1/', '/api/v1//');
	const blanks = fc.constantFrom('', ' ', '\n', '\t ');
	fc.assert(
		fc.property(scheme, host, port, path, suffix, blanks, blanks, (start, a, b, c, end, before, after) => {
			fc.pre(!/\/api(\/v1)?$/.test(c));
			expect(isAddress(`${start}${a}${b}${c}${end}`)).toBe(true);
			expect(read(`${before}${start}${a}${b}${c}${end}${after}`)).toBe(
				`${start || 'https://'}${a}${b}${c}/api/v1`,
			);
		}),
		{ numRuns: 300 },
	);
});

test('whatever is pasted, both ways of reading agree', () => {
	fc.assert(
		fc.property(
			fc.oneof(
				fc.string({ unit: 'grapheme' }),
				fc.webUrl({ withQueryParameters: true, withFragments: true }),
			),
			(given) => {
				read(given);
			},
		),
	);
});
