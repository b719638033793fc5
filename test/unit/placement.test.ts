import type { IDataObject } from 'n8n-workflow';

import { placeParameters, type WireParameter } from '../../nodes/ChatbotService/client/http/placement';

/* Parameters travel where the API documents them, and in the body if the request target would be too long. */

const path = '/api/v1/sendMessage';
/** `&api_token=` and the token. */
const tokenLength = 52;

const put = (parameters: Record<string, WireParameter['value']>, changes = {}) =>
	placeParameters(
		Object.entries(parameters).map(([name, value]) => ({ name, value })),
		{ place: 'query', path, tokenLength, longInBody: true, ...changes },
	);

describe('a long request target', () => {
	/** Where the message travels, as a whole. */
	const placeOf = (text: string, token = tokenLength) => {
		const whole = { contact_id: 1048576, text };
		const { query, body } = put(whole, { tokenLength: token });
		expect([query, body]).toEqual('text' in query ? [whole, {}] : [{}, whole]);
		return 'text' in query ? 'query' : 'body';
	};
	const room = 4000 - `${path}?contact_id=1048576&text=`.length - tokenLength;

	test.each<[string, number, string]>([
		['Latin letters, of one byte', 1, 'a'],
		['Cyrillic letters, of six bytes in a URL', 6, 'я'],
		['brackets and quotes, of three, because the engine encodes them too', 3, "'"],
	])('starts above 4,000 bytes: %s', (_, bytes, character) => {
		const fits = Math.floor(room / bytes);
		expect(placeOf(character.repeat(fits))).toBe('query');
		expect(placeOf(character.repeat(fits + 1))).toBe('body');
	});

	test('includes every parameter of the query, and moves them unchanged, integers as integers', () => {
		const half = 'a'.repeat(2000);
		const long = { bot_id: 2048, deletable: 1, image: half, file: half };
		expect(put(long)).toStrictEqual({ query: {}, body: long });
	});

	test('remains when the API has no body', () => {
		const name = 'я'.repeat(4000);
		expect(put({ name }, { longInBody: false }).query).toEqual({ name });
	});
});

describe('values that stand in the query too', () => {
	const path = '/api/v1/getListItems';
	const list = { schema_id: 'a', page: 2 };
	const inBoth = (filters: IDataObject, token = tokenLength) => {
		const whole = { ...list, filters };
		const placed = put(whole, { place: 'body', path, tokenLength: token, alsoInQuery: 'filters' });
		expect(placed.body).toStrictEqual(whole);
		return placed.query;
	};

	test('stay what they are in the body, and are in the query what a web form sends', () => {
		const filters = { цвет: 'белый', stock: 7, active: true, sold: false, 'order.id': 'true' };
		expect(inBoth(filters)).toStrictEqual({
			...{ 'filters[цвет]': 'белый', 'filters[stock]': 7, 'filters[active]': 1, 'filters[sold]': 0 },
			'filters[order.id]': 'true',
		});
	});

	test.each([
		['a', 1],
		['я', 6],
	])('stay out of the query if it would be longer than 4,000 bytes: %s', (character, bytes) => {
		const room = 4000 - `${path}?filters%5Ba%5D=`.length - tokenLength;
		const long = { a: character.repeat(Math.floor(room / bytes)) };
		expect(inBoth(long)).toEqual({ 'filters[a]': long.a });
		expect(inBoth(long, tokenLength + bytes)).toEqual({});
		expect(inBoth({ a: `${long.a}${character}` })).toEqual({});
	});

	test('are none if there are none', () => {
		expect(put(list, { place: 'body', alsoInQuery: 'filters' }).query).toEqual({});
	});
});
