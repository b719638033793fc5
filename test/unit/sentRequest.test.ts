import type { IDataObject } from 'n8n-workflow';

import { placeParameters, type WireParameter } from '../../nodes/ChatbotService/client/http/placement';
import { Expressions } from '../../nodes/ChatbotService/run/values/expressions';
import { sendingOf } from '../../nodes/ChatbotService/run/values/requestOptions';
import { rows } from './tableRows';

/*
 * How a request is sent: what Request Options mean, which test/engine/requestOptions.test.ts compares with n8n's own engine, and where
 * parameters travel: where the API documents them, or in the body if the request target would be too long.
 */

describe('Request Options', () => {
	const timeout = 300_000;

	/** How a request is sent with these options, or with what its expressions give. */
	function sendingWith(requestOptions: unknown, evaluated = requestOptions) {
		const raw = { requestOptions };
		const reader = new Expressions({
			raw,
			parameter: () => evaluated,
			evaluated: () => undefined,
			input: () => ({}),
		});
		return sendingOf(reader.valuesOf(0), raw, {});
	}

	const at = (host: string, port: number, protocol = 'http') => ({ proxy: { host, port, protocol } });

	test.each<[options: unknown, sending: object]>([
		...rows([{}, undefined, 'быстро', { proxy: null, timeout: null }], {}),
		...rows([{ timeout: '' }, { timeout: 0 }, { timeout: 'скоро' }, { timeout: NaN }], {}),
		...rows([{ timeout: '5000' }, { timeout: 5000 }], { timeout: 5000 }),
		[{ allowUnauthorizedCerts: true }, { skipSslCertificateValidation: true }],
		[{ proxy: 'http://proxy.example.com' }, at('proxy.example.com', 80)],
		[{ proxy: ' HTTP://PROXY.EXAMPLE.COM:3128/\n' }, at('proxy.example.com', 3128)],
		[{ proxy: 'https://proxy.example.com' }, at('proxy.example.com', 443, 'https')],
		[{ proxy: 'http://[2001:db8::1]:3128' }, at('[2001:db8::1]', 3128)],
	])('%j is read', (options, sending) => {
		expect(sendingWith(options)).toStrictEqual({ sending: { timeout, ...sending } });
	});
});

describe('parameters', () => {
	const path = '/api/v1/sendMessage';
	/** `&api_token=` and the token. */
	const tokenLength = 52;
	const tokenOf = (length: number) => ({
		tokenPlace: { in: 'query' as const, name: 'api_token', value: 'x'.repeat(length - '&api_token='.length) },
	});

	const put = (parameters: Record<string, WireParameter['value']>, changes = {}) =>
		placeParameters(
			Object.entries(parameters).map(([name, value]) => ({ name, value })),
			{ place: 'query', path, ...tokenOf(tokenLength), longInBody: true, ...changes },
		);
	const inBoth = (filters: IDataObject, changes = {}) => {
		const whole = { schema_id: 'a', page: 2, filters };
		const { query, body } = put(whole, { place: 'body', alsoInQuery: 'filters', ...changes });
		expect(body).toStrictEqual(whole);
		return query;
	};

	test('of 4,000 bytes fit into a query, not more', () => {
		// The last one is a sign that the engine encodes too.
		for (const [character, bytes] of Object.entries({ a: 1, я: 6, "'": 3 })) {
			const room = 4000 - `${path}?contact_id=1048576&text=`.length - tokenLength;
			const whole = (count: number) => ({ contact_id: 1048576, text: character.repeat(count) });
			const fits = Math.floor(room / bytes);
			expect(put(whole(fits))).toStrictEqual({ query: whole(fits), body: {} });
			expect(put(whole(fits + 1))).toStrictEqual({ query: {}, body: whole(fits + 1) });
		}
	});

	test('count all, and move unchanged if there is a body', () => {
		const half = 'a'.repeat(2000);
		const long = { bot_id: 2048, deletable: 1, image: half, file: half };
		expect(put(long)).toStrictEqual({ query: {}, body: long });
		expect(put(long, { longInBody: false }).query).toEqual(long);
	});

	test('that are filters are in the query as in a web form', () => {
		const filters = { цвет: 'белый', stock: 7, active: true, sold: false, 'order.id': 'true' };
		expect(inBoth(filters)).toStrictEqual({
			...{ 'filters[цвет]': 'белый', 'filters[stock]': 7, 'filters[active]': 1, 'filters[sold]': 0 },
			'filters[order.id]': 'true',
		});
		expect(put({ page: 2 }, { place: 'body', alsoInQuery: 'filters' }).query).toEqual({});
	});

	test('that are filters are there only below 4,000 bytes', () => {
		for (const [character, bytes] of Object.entries({ a: 1, я: 6 })) {
			const room = 4000 - `${path}?filters%5Ba%5D=`.length - tokenLength;
			const a = character.repeat(Math.floor(room / bytes));
			expect(inBoth({ a })).toEqual({ 'filters[a]': a });
			expect(inBoth({ a }, tokenOf(tokenLength + bytes))).toEqual({});
			expect(inBoth({ a: a + character })).toEqual({});
		}
	});
});
