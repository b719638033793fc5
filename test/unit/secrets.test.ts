import fc from 'fast-check';

import { withoutTokens } from '../../nodes/ChatbotService/client/secrets';

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

describe('the token is hidden,', () => {
	test.each<[string, unknown, unknown]>([
		['as a whole text', token, '***'],
		['within a text', `Токен ${token} не подходит`, 'Токен *** не подходит'],
		['several times', `${token} и ${token}`, '*** и ***'],
		['in a list', ['а', token], ['а', '***']],
		['deep in an object', { a: [{ b: { c: `x${token}` } }] }, { a: [{ b: { c: 'x***' } }] }],
		['as a key', { [token]: 1 }, { '***': 1 }],
		['in the link of a page', { next: linkWith(token) }, { next: linkWith('***') }],
		['encoded for a URL', linkWith(encodeURIComponent(token)), linkWith('***')],
		['encoded with small digits', linkWith(token.replace('|', '%7c')), linkWith('***')],
		['within JSON in a text', JSON.stringify({ api_token: token }), '{"api_token":"***"}'],
	])('%s', (_, value, expected) => {
		expect(withoutToken(value, token)).toEqual(expected);
	});

	test.each<[string, string]>([
		['quotes', 'тайна"в"кавычках'],
		['backslashes', 'C:\\тайна\\n'],
		['line breaks and tabs', 'тайна\nв\tстроках'],
		['Cyrillic letters', 'ОченьСекретно'],
		['emoji', 'ключ🔑🔑🔑'],
		['signs that mean something in a pattern', '$&.*+?^${}()|[]\\'],
		['signs that mean something in a URL', 'a&b=c#d?e/f%g+h'],
		['blanks', 'a b c d'],
		['signs of JSON', '":{[,]}'],
		['a word of JSON', 'true'],
	])('though it has %s', (_, odd) => {
		const value = { texts: [odd, `до ${odd} после`, encodeURIComponent(odd)], other: 'остаётся', yes: true };
		expect(withoutToken(value, odd)).toEqual({ ...value, texts: ['***', 'до *** после', '***'] });
	});

	const encoded = (sign: string) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`;

	// Programs differ in what they encode, and any of them can have created the quoted URL.
	test.each<[string, (value: string) => string]>([
		['this package', encodeURIComponent],
		[
			'the HTTP client of n8n',
			(value) =>
				encodeURIComponent(value)
					.replace(/%(?:3A|24|2C)/g, decodeURIComponent)
					.replace(/%20/g, '+'),
		],
		['a web form', (value) => new URLSearchParams({ v: value }).toString().slice(2)],
		['the framework of the services', (value) => encodeURIComponent(value).replace(/[!'()*~]/g, encoded)],
	])('as encoded by %s', (_, encode) => {
		for (const each of ['12|aB:cD$e', '12|(aB)*cD!', '12|aB cD~eF', "12|aB'cD,eF"])
			expect(withoutToken(linkWith(encode(each)), each)).toBe(linkWith('***'));
	});

	test('for any token and any value (generated)', () => {
		const secret = fc
			.string({ unit: 'grapheme', minLength: 4, maxLength: 12 })
			.filter((each) => !'***'.includes(each));
		fc.assert(
			fc.property(secret, fc.jsonValue(), fc.string(), fc.string(), (each, value, before, after) => {
				const texts = [`${before}${each}${after}`, encodeURIComponent(each)];
				for (const text of textsIn(withoutToken({ value, texts }, each))) expect(text).not.toContain(each);
			}),
		);
	});
});

describe('the token is hidden in every escaped form:', () => {
	const slashed = '12|aB/dE"fG&hJ<kЯ>\'🔑1';
	const entities = (text: string) =>
		text.replace(
			/[&<>"']/g,
			(sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[sign] ?? '&apos;',
		);
	const numbered = (text: string) => text.replace(/[&<"/]/g, (sign) => `&#${sign.charCodeAt(0)};`);
	const inHexadecimal = (text: string) =>
		text.replace(/[^a-z\d]/giu, (sign) => `&#x${sign.codePointAt(0)!.toString(16)};`);
	const ofPhp = (text: string) =>
		JSON.stringify(text)
			.replace(/\//g, '\\/')
			.replace(/[\u0080-\uffff]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);

	test.each<[string, string]>([
		["by PHP's JSON", ofPhp(slashed)],
		["by PHP's JSON in capitals", ofPhp(slashed).replace(/u042f/g, 'u042F')],
		["by PHP's JSON within JSON", ofPhp(ofPhp(slashed))],
		['in HTML', entities(slashed)],
		['in HTML by numbers', numbered(slashed)],
		['in HTML by hexadecimal numbers', inHexadecimal(slashed)],
		['for an address, twice', encodeURIComponent(encodeURIComponent(slashed))],
	])('%s', (_, written) => {
		const cleaned = withoutToken({ page: `<p>api_token=${written}</p>` }, slashed);
		expect(cleaned.page).toContain('***');
		for (const piece of ['aB', 'dE', 'fG', 'hJ']) expect(cleaned.page).not.toContain(piece);
	});

	test('with another token next to it', () => {
		expect(withoutTokens([`${token} ${slashed}`], [token, slashed, ''])).toEqual(['*** ***']);
	});
});

describe('the token is hidden in every place:', () => {
	test('under names that every object has', () => {
		const value = JSON.parse(`{"__proto__":{"x":"${token}"},"constructor":"${token}"}`) as object;
		expect(JSON.stringify(withoutToken(value, token))).toBe('{"__proto__":{"x":"***"},"constructor":"***"}');
	});

	test('in the order of names and rows', () => {
		const value = { b: token, a: [1, token, { d: 2, c: token }], ё: { [token]: 3 } };
		expect(JSON.stringify(withoutToken(value, token))).toBe(
			'{"b":"***","a":[1,"***",{"d":2,"c":"***"}],"ё":{"***":3}}',
		);
	});
});

describe('hiding the token changes nothing else:', () => {
	test('plus signs are not a token, although they may stand for its spaces', () => {
		expect(withoutToken('+++++ ', 'секре')).toBe('+++++ ');
		expect(withoutToken('a+b+c', 'a b c')).toBe('***');
	});

	test.each(['1234', '12345678', 'true', 'false', 'null', '0.12'])(
		'numbers, switches and nothing do not change although they look like the token %s',
		(alike) => {
			const value = { id: 12345678, part: 0.12345, yes: true, no: false, none: null };
			expect(withoutToken(value, alike)).toEqual(value);
		},
	);

	test('values next to it keep their types', () => {
		const value = { token, id: 5, part: 1.5, yes: true, none: null, list: [1, '1'], empty: {} };
		expect(withoutToken(value, token)).toEqual({ ...value, token: '***' });
	});

	test.each(['', 'a', 'abc'])('a token as short as %j hides no ordinary words', (short) => {
		expect(withoutToken({ text: 'abc a' }, short)).toEqual({ text: 'abc a' });
	});

	test('any value next to it (generated)', () => {
		fc.assert(
			fc.property(fc.jsonValue(), (value) => {
				const secret = 'ОченьСекретныйТокен';
				expect(withoutToken({ value, secret }, secret)).toEqual({ value, secret: '***' });
			}),
		);
	});
});
