import fc from 'fast-check';

import { placeParameters, type Place, type WireParameter } from '../../nodes/ChatbotService/client/placement';

const given = (name: string, value: WireParameter['value']): WireParameter => ({ name, value });

const path = '/api/v1/sendMessage';
/** `&api_token=` and the token. */
const tokenLength = 52;

const put = (
	parameters: WireParameter[],
	{
		place = 'query',
		longInBody = true,
		token = tokenLength,
	}: { place?: Place; longInBody?: boolean; token?: number } = {},
) => placeParameters(parameters, { place, path, tokenLength: token, longInBody });

/** The message in the query while the request target is at most 4,000 bytes, and in the body beyond. */
const placeOf = (text: string, token = tokenLength): Place => {
	const { query, body } = put([given('contact_id', 1048576), given('text', text)], { token });
	const whole = { contact_id: 1048576, text };
	expect([query, body]).toEqual('text' in query ? [whole, {}] : [{}, whole]);
	return 'text' in query ? 'query' : 'body';
};

/** Length of the request target without the text's characters. */
const bare = `${path}?contact_id=1048576&text=`.length;
const room = 4000 - bare - tokenLength;

describe('the documented places', () => {
	test('are used when nothing is long', () => {
		const parameters = [given('contact_id', 5), given('text', 'Привет')];
		const placed = { contact_id: 5, text: 'Привет' };
		expect(put(parameters)).toEqual({ query: placed, body: {} });
		expect(put(parameters, { place: 'body' })).toEqual({ query: {}, body: placed });
	});

	test('put the attributes of a field into one object, and keep integers, switches and objects', () => {
		const fields = { city: { name: 'Город', slug: 'city', type: 'string' } };
		const parameters = [
			given('bot_id', 2048),
			given('is_menu', false),
			given('fields', fields),
			given('field.name', 'Город'),
			given('field.slug', 'city'),
			given('field.is_hidden', false),
		];
		const { query, body } = put(parameters, { place: 'body' });
		const field = { name: 'Город', slug: 'city', is_hidden: false };
		expect(query).toEqual({});
		expect(body).toStrictEqual({ bot_id: 2048, is_menu: false, fields, field });
	});
});

describe('a long request target', () => {
	test.each<[string, number, string]>([
		['Latin letters, of one byte', 1, 'a'],
		['Cyrillic letters, of six bytes in a URL', 6, 'я'],
		['emoji, of twelve bytes in a URL', 12, '😀'],
		['blanks and percent signs, of three', 3, '%'],
		['brackets and quotes, which the engine encodes too', 3, "'"],
	])('starts above 4,000 bytes: %s', (_, bytes, character) => {
		const fits = Math.floor(room / bytes);
		expect(placeOf(character.repeat(fits))).toBe('query');
		expect(placeOf(character.repeat(fits + 1))).toBe('body');
	});

	test('includes the token, which is sent there too', () => {
		const text = 'a'.repeat(room);
		expect(placeOf(text, tokenLength)).toBe('query');
		expect(placeOf(text, tokenLength + 1)).toBe('body');
		expect(placeOf('a'.repeat(room + tokenLength), 0)).toBe('query');
	});

	test('includes every parameter of the query, and moves them unchanged, integers as integers', () => {
		const half = 'a'.repeat(2000);
		const long = { bot_id: 2048, deletable: 1, image: half, file: half };
		const { query, body } = put(Object.entries(long).map(([name, value]) => given(name, value)));
		expect(query).toEqual({});
		expect(body).toStrictEqual(long);
	});

	test('remains when the API has no body', () => {
		const name = 'я'.repeat(4000);
		expect(put([given('name', name)], { longInBody: false })).toEqual({ query: { name }, body: {} });
	});

	test('is never too long for web servers, with any text', () => {
		const character = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 3 });
		fc.assert(
			fc.property(character, fc.nat(4000), fc.nat(200), (part, count, token) => {
				const text = part.repeat(count);
				if (placeOf(text, token) === 'body') return;
				const target = `${path}?${new URLSearchParams({ contact_id: '1048576', text }).toString()}`;
				expect(target.length + token).toBeLessThanOrEqual(4000);
			}),
		);
	});
});
