import fc from 'fast-check';

import { baseUrlExpression, baseUrlOf, isAddress } from '../../nodes/ChatbotService/client/baseUrl';
import { evaluate } from './expression';

/** The result of n8n in the description and in the test of the credential. */
const resolved = (baseUrl: unknown) =>
	evaluate(baseUrlExpression, { $credentials: { baseUrl } } as Parameters<typeof evaluate>[1]);

/** Both ways of reading the credential, which must agree. */
function read(baseUrl: string): string {
	const url = baseUrlOf(baseUrl);
	expect(resolved(baseUrl)).toBe(url);
	return url;
}

test.each<[string, string]>([
	['https://app.example.com', 'https://app.example.com/api/v1'],
	['https://app.example.com/API/V1//', 'https://app.example.com/api/v1'],
	['https://app.example.com/apiary', 'https://app.example.com/apiary/api/v1'],
	['https://example.com/botapi', 'https://example.com/botapi/api/v1'],
	['http://api/api/v1', 'http://api/api/v1'],
	['HTTPS://app.example.com', 'HTTPS://app.example.com/api/v1'],
	['https://чат.рф/', 'https://чат.рф/api/v1'],
])('the methods of %s are at %s', (given, expected) => {
	expect(read(given)).toBe(expected);
	expect(isAddress(given)).toBe(true);
});

test.each<[unknown]>([
	[''],
	['  '],
	['/'],
	['https://'],
	['/api/v1'],
	['https:///api/v1'],
	['https:///http://example.com'],
	['мой сервис'],
	[undefined],
	[null],
])('%j is not an address, so that the token is not sent to a host with the name api', (given) => {
	expect(isAddress(given)).toBe(false);
});

test.each([
	['', 'https:///api/v1'],
	['https://', 'https:///api/v1'],
	['https:///api', 'https:///api/api/v1'],
])('%j does not become an address', (given, expected) => {
	expect(read(given)).toBe(expected);
	expect(isAddress(expected)).toBe(false);
});

test('an empty field is read as an empty string', () => {
	expect(baseUrlOf(undefined)).toBe(baseUrlOf(''));
});

test('an address has the same result with or without spaces, the scheme, slashes and /api/v1', () => {
	const name = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/);
	const host = fc.oneof(
		fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('.')),
		fc.constantFrom('api', 'v1', 'bot.api', 'localhost', '127.0.0.1'),
	);
	const port = fc.oneof(
		fc.constant(''),
		fc.integer({ min: 1, max: 65535 }).map((number) => `:${number}`),
	);
	const path = fc.array(name, { maxLength: 2 }).map((parts) => parts.map((part) => `/${part}`).join(''));
	const scheme = fc.constantFrom('https://', 'http://', '');
	const suffix = fc.constantFrom('', '/', '///', '/api', '/api/', '/api/v1', '/api/v1//', '///api/v1');
	const blanks = fc.constantFrom('', ' ', '\n', '\t ');
	fc.assert(
		fc.property(scheme, host, port, path, suffix, blanks, blanks, (start, a, b, c, end, before, after) => {
			fc.pre(!/\/api(\/v1)?$/.test(c));
			expect(isAddress(`${start}${a}${b}${c}${end}`)).toBe(true);
			expect(read(`${before}${start}${a}${b}${c}${end}${after}`)).toBe(
				`${start || 'https://'}${a}${b}${c}/api/v1`,
			);
		}),
	);
});

test('both ways of reading agree for any pasted text', () => {
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
