import fc from 'fast-check';

import { ChatbotServiceApi } from '../../credentials/ChatbotServiceApi.credentials';
import { readAccount } from '../../nodes/ChatbotService/client/account';
import { baseUrlExpression, baseUrlOf, isAddress } from '../../nodes/ChatbotService/client/baseUrl';
import {
	invalidAddress,
	invalidPace,
	invalidToken,
	invalidWorkers,
} from '../../nodes/ChatbotService/client/failure';
import { tokenPlaceOf } from '../../nodes/ChatbotService/client/token';
import { noBaseUrls, noPaces, pastedBaseUrls, pastedPaces } from '../pasted/values';
import { address } from './codePoints';
import { evaluate } from './expression';

const credential = {
	baseUrl: 'https://app.example.com',
	token: 'секрет',
	tokenPlacement: 'query',
	tokenName: 'api_token',
	requestsPerSecond: 2,
	workers: 1,
};

const accountWith = (changes: object) => readAccount({ ...credential, ...changes } as typeof credential);

describe('an account', () => {
	const { key } = readAccount(credential);

	test.each<[string, object]>([
		['blanks around the token', { token: ' секрет\n' }],
		['another place for the token', { tokenPlacement: 'bearer' }],
		['another pace', { requestsPerSecond: 5, workers: 2, bursts: true }],
	])('is the same in a credential with %s, so that both credentials share its limits', (_, changes) => {
		expect(accountWith(changes).key).toBe(key);
	});

	test.each<[string, object]>([
		['address', { baseUrl: 'https://app.example.org' }],
		['token', { token: 'другой' }],
	])('is another one with another %s', (_, changes) => {
		expect(accountWith(changes).key).not.toBe(key);
	});

	test('cannot be used with an invalid address, whatever else is wrong', () => {
		const wrong = { baseUrl: 'ftp://example.com', requestsPerSecond: 'быстро' };
		expect(accountWith(wrong).unusable).toEqual(invalidAddress());
	});

	test('has a key that reveals nothing about its token and address', () => {
		expect(key).toMatch(/^[\w-]{32}$/);
	});
});

describe('Requests per Second', () => {
	test.each(pastedPaces)('%j is read as %i in %i ms', (requestsPerSecond, count, windowMs) => {
		const { limits, unusable } = accountWith({ requestsPerSecond });
		expect(unusable).toBeUndefined();
		expect(limits).toEqual({ account: { count, windowMs } });
	});

	test.each([0, '0', '0,0', ' 0 '])('%j means no limit', (requestsPerSecond) => {
		expect(accountWith({ requestsPerSecond })).toMatchObject({ limits: {}, unusable: undefined });
	});

	test.each(noPaces.map((value) => [value]))(
		'%j is refused, and never means no limit',
		(requestsPerSecond) => {
			const { limits, unusable } = accountWith({ requestsPerSecond });
			expect(unusable).toEqual(invalidPace(requestsPerSecond));
			expect(limits).toHaveProperty('account');
		},
	);

	test('every value of an expression results in a limit or a refusal, except for 0 (generated)', () => {
		fc.assert(
			fc.property(fc.oneof(fc.anything(), fc.float().map(String)), (requestsPerSecond) => {
				const { limits, unusable } = accountWith({ requestsPerSecond });
				if (!unusable && !('account' in limits))
					expect(Number(String(requestsPerSecond).replace(',', '.'))).toBe(0);
			}),
		);
	});
});

describe('Workers', () => {
	test.each<[unknown, number]>([
		...[3, '3', ' 3 ', '3,0', '3.00', "'3"].map((three): [unknown, number] => [three, 3]),
		...[1, undefined, null, '', ' '].map((one): [unknown, number] => [one, 1]),
	])('%j are read as %d', (workers, expected) => {
		expect(accountWith({ workers })).toMatchObject({ workers: expected, unusable: undefined });
	});

	test.each([...noPaces, 0, '0', 0.5, '2,5', 2.5, 1e300, 'два'].map((value) => [value]))(
		'%j are refused, because each process would use all of the limits',
		(workers) => {
			expect(accountWith({ workers })).toMatchObject({ workers: 1, unusable: invalidWorkers(workers) });
		},
	);
});

test.each([true, false, undefined, null, 'true', '={{ true }}', 1, {}])(
	'bursts are on only for the value true: %p',
	(bursts) => {
		expect(accountWith({ bursts }).bursts).toBe(bursts === true);
		// A credential of an earlier version.
		expect(readAccount(credential).bursts).toBe(false);
	},
);

describe('the token', () => {
	const inQuery = (name: string, value: string) => ({ in: 'query' as const, name, value });
	const inHeader = (name: string, value: string) => ({ in: 'header' as const, name, value });

	test.each<[string, object, ReturnType<typeof tokenPlaceOf>]>([
		['in the query', {}, inQuery('api_token', 'секрет')],
		['as a bearer', { tokenPlacement: 'bearer' }, inHeader('Authorization', 'Bearer секрет')],
		['in a header', { tokenPlacement: 'header' }, inHeader('api_token', 'секрет')],
		['without blanks', { tokenName: ' key ', token: ' секрет\n' }, inQuery('key', 'секрет')],
		['even if there is none', { token: undefined }, inQuery('api_token', '')],
	])('travels %s', (_, changes, place) => {
		expect(tokenPlaceOf({ ...credential, ...changes })).toEqual(place);
	});

	test.each([
		['query', 'api_token'],
		['header', 'Authorization'],
	])('has the usual name if the credential has none: %s', (tokenPlacement, name) => {
		for (const tokenName of ['', ' ', undefined])
			expect(tokenPlaceOf({ ...credential, tokenPlacement, tokenName } as never)).toMatchObject({ name });
	});

	const bearer = { tokenPlacement: 'bearer', token: 'secret' };
	const header = { tokenPlacement: 'header', tokenName: 'X-Token', token: 'secret' };

	test.each<[string, object, 'API Token' | 'Token Name' | undefined]>([
		['latin letters', bearer, undefined],
		['a tab and signs of Western Europe', { ...bearer, token: 'sec\tré~' }, undefined],
		['Cyrillic letters', { ...bearer, token: 'sесret' }, 'API Token'],
		['a zero-width blank', { ...bearer, token: 'sec\u200bret' }, 'API Token'],
		['a line break', { ...bearer, token: 'sec\nret' }, 'API Token'],
		['Cyrillic letters in a header', { ...header, token: 'секрет' }, 'API Token'],
		['a name', header, undefined],
		['a name with a blank', { ...header, tokenName: 'X Token' }, 'Token Name'],
		['a name with a Cyrillic letter first', { ...header, tokenName: 'Тoken' }, 'Token Name'],
		['a name with a colon last', { ...header, tokenName: 'X-Token:' }, 'Token Name'],
		['Cyrillic letters in the query', { token: 'секрет', tokenName: 'ключ' }, undefined],
	])('is refused if HTTP cannot carry it: with %s', (_, changes, label) => {
		expect(accountWith(changes).unusable).toEqual(label && invalidToken(label));
	});
});

describe('the length that the token adds to the request target', () => {
	test.each<[string, object]>([
		['by its usual name', {}],
		['by its own name', { tokenName: 'key' }],
		['by a name with blanks', { tokenName: ' key ' }],
		['by no name', { tokenName: '' }],
		['encoded', { token: '12|аб+в' }],
		['with blanks around it', { token: '  секрет ' }],
		['without a placement', { tokenPlacement: undefined }],
	])('is that of its parameter: %s', async (_, changes) => {
		const changed = { ...credential, ...changes };
		const { qs } = await new ChatbotServiceApi().authenticate(changed as typeof credential, { url: '/' });
		const [[name, token]] = Object.entries(qs!) as [[string, string]];
		expect(accountWith(changes).tokenLength).toBe(
			`&${encodeURIComponent(name)}=${encodeURIComponent(token)}`.length,
		);
	});

	test.each(['bearer', 'header'])('is none for a token in a header: %s', (tokenPlacement) => {
		expect(accountWith({ tokenPlacement }).tokenLength).toBe(0);
	});
});

describe('the Base URL', () => {
	/** The result of both ways of reading the credential, by the node and by n8n, which must agree. */
	function read(baseUrl: string): string {
		const url = baseUrlOf(baseUrl);
		expect(evaluate(baseUrlExpression, { $credentials: { baseUrl } } as never)).toBe(url);
		return url;
	}

	const accountAt = (baseUrl: unknown) => accountWith({ baseUrl });

	test.each(pastedBaseUrls)('%j is read as %s, by the node and by n8n', (received, url) => {
		expect(isAddress(received)).toBe(true);
		expect(read(received)).toBe(url);
		expect(accountAt(received).unusable).toBeUndefined();
	});

	test.each([...noBaseUrls, '  ', undefined, null])(
		'%j is refused, and the token is not sent',
		(received) => {
			expect(isAddress(received)).toBe(false);
			expect(accountAt(received).unusable).toEqual(invalidAddress());
		},
	);

	test.each([
		['', 'https:///api/v1'],
		['https://', 'https:///api/v1'],
		['https:///api', 'https:///api/api/v1'],
		['https://?tab=1', 'https://?tab=1/api/v1'],
	])('%j does not become an address', (given, expected) => {
		expect(read(given)).toBe(expected);
		expect(isAddress(expected)).toBe(false);
	});

	test('an empty field is read as an empty string', () => {
		expect(baseUrlOf(undefined)).toBe(baseUrlOf(''));
	});

	test('an address has the same result with or without blanks, the scheme, slashes, /api/v1 and a path', () => {
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
				const url = `${start || 'https://'}${a}${b}/api/v1`;
				expect(isAddress(`${start}${a}${b}${c}${end}`)).toBe(true);
				expect(read(`${before}${start}${a}${b}${c}${end}${after}`)).toBe(url);
				expect(read(url)).toBe(url);
			}),
		);
	});

	test('both ways of reading agree for any pasted text', () => {
		const text = fc.oneof(fc.string({ unit: 'grapheme' }), address);
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
	});
});
