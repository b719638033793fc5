import fc from 'fast-check';

import { withoutTokens } from '../../nodes/ChatbotService/client/credential/secrets';

/* The token is replaced in whatever a service returns, however it is written, and nothing else changes. */

const withoutToken = <T>(value: T, each: string) => withoutTokens(value, [each]);

const token = '12|aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5bC7d';

/** A link of the service, which repeats the query of the request. */
const linkWith = (written: string) => `https://a.ru?api_token=${written}&page=2`;

/** Every text in a value, keys included. */
function textsIn(value: unknown): string[] {
	if (typeof value === 'string') return [value];
	if (typeof value !== 'object' || value === null) return [];
	return Object.entries(value).flatMap(([key, each]) => [key, ...textsIn(each)]);
}

describe('the token is hidden', () => {
	test('in texts, keys and JSON within texts, under names that every object has too', () => {
		const value = { a: [{ b: `Токен ${token} и ${token}`, [token]: JSON.stringify({ token }) }] };
		expect(withoutToken(value, token)).toEqual({ a: [{ b: 'Токен *** и ***', '***': '{"token":"***"}' }] });
		const odd = JSON.parse(`{"__proto__":{"x":"${token}"},"constructor":"${token}"}`) as object;
		expect(JSON.stringify(withoutToken(odd, token))).toBe('{"__proto__":{"x":"***"},"constructor":"***"}');
	});

	test('whatever characters it has, as it is and in a URL (generated)', () => {
		const secret = fc
			.string({ unit: 'grapheme', minLength: 4, maxLength: 12 })
			.filter((each) => !'***'.includes(each));
		fc.assert(
			fc.property(secret, fc.jsonValue(), fc.string(), fc.string(), (each, value, before, after) => {
				const texts = [`${before}${each}${after}`, encodeURIComponent(each)];
				const hidden = withoutToken({ value, texts }, each);
				for (const text of textsIn(hidden)) expect(text).not.toContain(each);
				expect(hidden.texts[1]).toBe('***');
			}),
		);
	});

	const encoded = (sign: string) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`;
	// Programs differ in what they encode, and any of them can have created the quoted URL.
	test.each<[string, (value: string) => string]>([
		['this package, twice', (value) => encodeURIComponent(encodeURIComponent(value))],
		['programs with small digits', (value) => encodeURIComponent(value).toLowerCase()],
		['a web form', (value) => new URLSearchParams({ v: value }).toString().slice(2)],
		['the framework of the services', (value) => encodeURIComponent(value).replace(/[!'()*~]/g, encoded)],
	])('as encoded for a URL by %s', (_, encode) => {
		for (const each of ['12|aB:cD$e', '12|(aB)*cD!', '12|aB cD~eF', "12|aB'cD,eF", '12|тайна🔑'])
			expect(withoutToken(linkWith(encode(each)), each)).toBe(linkWith('***'));
	});

	const slashed = '12|aB/dE"fG&hJ<kЯ>\'🔑1';
	const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
	const hexadecimal = (sign: string) => `&#x${sign.codePointAt(0)!.toString(16)};`;
	const ofPhp = (text: string) =>
		JSON.stringify(text)
			.replace(/\//g, '\\/')
			.replace(/[\u0080-\uffff]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);

	test.each<[string, string]>([
		["by PHP's JSON in capitals", ofPhp(slashed).replace(/u042f/g, 'u042F')],
		["by PHP's JSON within JSON", ofPhp(ofPhp(slashed))],
		['in HTML', slashed.replace(/[&<>"']/g, (sign) => entities[sign] ?? '&#39;')],
		['in HTML by names', slashed.replace(/[&<>"']/g, (sign) => entities[sign] ?? '&apos;')],
		['in HTML by hexadecimal numbers', slashed.replace(/[^a-z\d]/giu, hexadecimal)],
	])('as escaped %s, next to another token', (_, written) => {
		const cleaned = withoutTokens({ page: `<p>${token}, api_token=${written}</p>` }, [token, slashed, '']);
		expect(cleaned.page).toMatch(/^<p>\*\*\*, api_token=.*\*\*\*/);
		for (const piece of ['aB', 'dE', 'fG', 'hJ']) expect(cleaned.page).not.toContain(piece);
	});
});

describe('hiding the token changes nothing else:', () => {
	test('numbers, switches and nothing, although they look like the token', () => {
		const value = { id: 12345678, yes: true, none: null };
		for (const alike of ['12345678', 'true', 'null']) expect(withoutToken(value, alike)).toEqual(value);
	});

	test('ordinary words, although they contain a short token', () => {
		for (const short of ['', 'abc']) expect(withoutToken('abc a', short)).toBe('abc a');
	});

	test('plus signs, although they may stand for its spaces', () => {
		expect(withoutToken('+++++ ', 'секре')).toBe('+++++ ');
	});
});
