import fc from 'fast-check';

import { readAccount } from '../../nodes/ChatbotService/client/account';
import { baseUrlExpression, baseUrlOf, isAddress } from '../../nodes/ChatbotService/client/baseUrl';
import { invalidAddress } from '../../nodes/ChatbotService/client/failure';
import { noBaseUrls, pastedBaseUrls } from '../pasted/values';
import { evaluate } from './expression';

/** The result of both ways of reading the credential, by the node and by n8n, which must agree. */
function read(baseUrl: string): string {
	const url = baseUrlOf(baseUrl);
	expect(evaluate(baseUrlExpression, { $credentials: { baseUrl } } as never)).toBe(url);
	return url;
}

const accountAt = (baseUrl: unknown) => readAccount({ baseUrl, token: 'x' } as never);

/** Paths of proxies that look like addresses, and a host that looks like a path. */
const unusual = [
	['https://proxy.example.com/http://https:/app', 'https://proxy.example.com/http://https:/app/api/v1'],
	['https://proxy.example.com/http://a@b', 'https://proxy.example.com/http://a@b/api/v1'],
	['https://api/v1/sendMessage', 'https://api/v1/api/v1'],
] as const;

test.each([...pastedBaseUrls, ...unusual])('%j is read as %s, by the node and by n8n', (received, url) => {
	expect(isAddress(received)).toBe(true);
	expect(read(received)).toBe(url);
	expect(accountAt(received).unusable).toBeUndefined();
});

test.each([...noBaseUrls, '  ', undefined, null])('%j is refused, and the token is not sent', (received) => {
	expect(isAddress(received)).toBe(false);
	expect(accountAt(received).unusable).toEqual(invalidAddress());
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

test('an address has the same result with or without blanks, the scheme, slashes, /api/v1 and the path of a page', () => {
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
	const suffix = fc.constantFrom(
		...['', '/', '///', '/api', '/api/', '/api/v1', '/api/v1//', '///api/v1', '?tab=1', '#/bots'],
		...['/?a=/api/v1', '/bots/7/schema/1', '/account/api'],
	);
	const around = fc.constantFrom('', ' ', '\n', '\t ', '"', '\u200b', '\u00a0');
	fc.assert(
		fc.property(scheme, host, port, path, suffix, around, around, (start, a, b, c, end, before, after) => {
			fc.pre(!/\/api(\/v1)?$/.test(c));
			const url = `${start || 'https://'}${a}${b}${c}/api/v1`;
			expect(isAddress(`${start}${a}${b}${c}${end}`)).toBe(true);
			expect(read(`${before}${start}${a}${b}${c}${end}${after}`)).toBe(url);
			expect(read(url)).toBe(url);
		}),
	);
});

test('both ways of reading agree for any pasted text', () => {
	const text = fc.oneof(
		fc.string({ unit: 'grapheme' }),
		fc.webUrl({ withQueryParameters: true, withFragments: true }),
	);
	fc.assert(fc.property(text, (given) => void read(given)));
});

test('two spellings of one address are one account', () => {
	const keyOf = (baseUrl: string) => accountAt(baseUrl).key;
	const spellings = [
		...['https://app.example.ru', 'HTTPS://APP.Example.RU/', 'app.example.ru:443'],
		...['https://app.example.ru/bots/7', ' https://app.example.ru/api/v1/ '],
	];
	expect(new Set(spellings.map(keyOf)).size).toBe(1);
	expect(keyOf('http://app.example.ru')).not.toBe(keyOf(spellings[0]!));
	expect(keyOf('https://app.example.ru/Chatbot')).not.toBe(keyOf('https://app.example.ru/chatbot'));
});
