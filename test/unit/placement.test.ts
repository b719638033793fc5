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

test.each<[string, bytes: number]>([
	['a', 1],
	['я', 6],
	// The engine encodes it too.
	["'", 3],
])('4,000 bytes fit into a query, not more: %s', (character, bytes) => {
	const room = 4000 - `${path}?contact_id=1048576&text=`.length - tokenLength;
	const whole = (count: number) => ({ contact_id: 1048576, text: character.repeat(count) });
	const fits = Math.floor(room / bytes);
	expect(put(whole(fits))).toStrictEqual({ query: whole(fits), body: {} });
	expect(put(whole(fits + 1))).toStrictEqual({ query: {}, body: whole(fits + 1) });
});

test('all parameters count, and move unchanged', () => {
	const half = 'a'.repeat(2000);
	const long = { bot_id: 2048, deletable: 1, image: half, file: half };
	expect(put(long)).toStrictEqual({ query: {}, body: long });
});

test('a query stays long if the API has no body', () => {
	const name = 'я'.repeat(4000);
	expect(put({ name }, { longInBody: false }).query).toEqual({ name });
});

describe('values that stand in the query too', () => {
	const list = { schema_id: 'a', page: 2 };
	const inBoth = (filters: IDataObject, changes = {}) => {
		const whole = { ...list, filters };
		const { query, body } = put(whole, { place: 'body', alsoInQuery: 'filters', ...changes });
		expect(body).toStrictEqual(whole);
		return query;
	};

	test('are there what a web form sends', () => {
		const filters = { цвет: 'белый', stock: 7, active: true, sold: false, 'order.id': 'true' };
		expect(inBoth(filters)).toStrictEqual({
			...{ 'filters[цвет]': 'белый', 'filters[stock]': 7, 'filters[active]': 1, 'filters[sold]': 0 },
			'filters[order.id]': 'true',
		});
		expect(put(list, { place: 'body', alsoInQuery: 'filters' }).query).toEqual({});
	});

	test.each<[string, bytes: number]>([
		['a', 1],
		['я', 6],
	])('are not there if that takes over 4,000 bytes: %s', (character, bytes) => {
		const room = 4000 - `${path}?filters%5Ba%5D=`.length - tokenLength;
		const a = character.repeat(Math.floor(room / bytes));
		expect(inBoth({ a })).toEqual({ 'filters[a]': a });
		expect(inBoth({ a }, { tokenLength: tokenLength + bytes })).toEqual({});
		expect(inBoth({ a: a + character })).toEqual({});
	});
});
