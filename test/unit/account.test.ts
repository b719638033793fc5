import fc from 'fast-check';

import { ChatbotServiceApi } from '../../credentials/ChatbotServiceApi.credentials';
import { readAccount } from '../../nodes/ChatbotService/client/credential/account';
import {
	baseUrlExpression,
	baseUrlOf,
	isAddress,
} from '../../nodes/ChatbotService/client/credential/baseUrl';
import {
	invalidAddress,
	invalidPace,
	invalidToken,
	invalidWorkers,
} from '../../nodes/ChatbotService/client/failure/failure';
import { noBaseUrls, noPaces, pastedBaseUrls, pastedPaces } from '../pasted/credential';
import { evaluate } from './expression';

/* What is read of a credential: the account and its limits, the token, and the address of the service. */

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
		['another spelling of its address', { baseUrl: ' app.example.com:443/bots/7' }],
		['blanks around the token', { token: ' секрет\n' }],
		['another place for the token', { tokenPlacement: 'bearer' }],
		['another pace', { requestsPerSecond: 5, workers: 2, bursts: true }],
	])('is the same in a credential with %s, so that both credentials share its limits', (_, changes) => {
		expect(accountWith(changes).key).toBe(key);
	});

	test.each<[string, object]>([
		['address', { baseUrl: 'https://app.example.org' }],
		['scheme', { baseUrl: 'http://app.example.com' }],
		['token', { token: 'другой' }],
	])('is another one with another %s', (_, changes) => {
		expect(accountWith(changes).key).not.toBe(key);
	});

	test('has a key that reveals nothing about its token and address', () => {
		expect(key).toMatch(/^[\w-]{32}$/);
	});
});

describe('Requests per Second', () => {
	test.each(pastedPaces)('%j is read as %i in %i ms', (requestsPerSecond, count, windowMs) => {
		const account = accountWith({ requestsPerSecond });
		expect(account).toMatchObject({ unusable: undefined, limits: { account: { count, windowMs } } });
	});

	test.each([0, '0,0'])('%j means no limit', (requestsPerSecond) => {
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
});

test.each([3, '3,0', "'3"])('%j n8n Processes are read as 3', (workers) => {
	expect(accountWith({ workers })).toMatchObject({ workers: 3, unusable: undefined });
});

test.each([...noPaces, 0, 0.5, 1e300].map((value) => [value]))(
	'%j n8n Processes are refused, because each process would use all of the limits',
	(workers) => expect(accountWith({ workers }).unusable).toEqual(invalidWorkers(workers)),
);

test.each([true, undefined, 'true', 1])('bursts are on only for the value true: %p', (bursts) => {
	expect(accountWith({ bursts }).bursts).toBe(bursts === true);
});

describe('the token', () => {
	const bearer = { tokenPlacement: 'bearer', token: 'secret' };
	const header = { tokenPlacement: 'header', tokenName: 'X-Token', token: 'secret' };

	test.each<[string, object, 'API Token' | 'Parameter or Header Name' | undefined]>([
		['a tab and signs of Western Europe', { ...bearer, token: 'sec\tré~' }, undefined],
		['Cyrillic letters', { ...bearer, token: 'sесret' }, 'API Token'],
		['a zero-width blank', { ...bearer, token: 'sec\u200bret' }, 'API Token'],
		['a line break', { ...header, token: 'sec\nret' }, 'API Token'],
		['a name', header, undefined],
		['a name with a blank', { ...header, tokenName: 'X Token' }, 'Parameter or Header Name'],
		['Cyrillic letters in the query', { token: 'секрет', tokenName: 'ключ' }, undefined],
	])('is refused if HTTP cannot carry it: with %s', (_, changes, label) => {
		expect(accountWith(changes).unusable).toEqual(label && invalidToken(label));
	});

	test.each<[string, object]>([
		['by its own name, with blanks', { tokenName: ' key ' }],
		['encoded, without the blanks around it', { token: ' 12|аб+в ' }],
	])('makes the request target longer by its parameter: %s', async (_, changes) => {
		const changed = { ...credential, ...changes };
		const { qs } = await new ChatbotServiceApi().authenticate(changed as typeof credential, { url: '/' });
		const [[name, token]] = Object.entries(qs!) as [[string, string]];
		const added = `&${encodeURIComponent(name)}=${encodeURIComponent(token)}`;
		expect(accountWith(changes).tokenLength).toBe(added.length);
		expect(accountWith({ ...changes, tokenPlacement: 'bearer' }).tokenLength).toBe(0);
	});
});

describe('the Base URL', () => {
	/** The result of both ways of reading the credential, by the node and by n8n, which must agree. */
	function read(baseUrl: string): string {
		const url = baseUrlOf(baseUrl);
		expect(evaluate(baseUrlExpression, { $credentials: { baseUrl } } as never)).toBe(url);
		return url;
	}

	test.each(pastedBaseUrls)('%j is read as %s, by the node and by n8n', (received, url) => {
		expect(read(received)).toBe(url);
		expect(accountWith({ baseUrl: received }).unusable).toBeUndefined();
	});

	test.each([...noBaseUrls, '  ', undefined, null])(
		'%j is refused, and the token is not sent',
		(received) => {
			const wrong = { baseUrl: received, requestsPerSecond: 'быстро' };
			expect(accountWith(wrong).unusable).toEqual(invalidAddress());
			// Where n8n reads it, it is no address either.
			expect(isAddress(read(received ?? ''))).toBe(false);
		},
	);

	test('both ways of reading agree for any pasted text (generated)', () => {
		const part = fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('https', ':', '//', 'чат.рф'));
		const text = fc.array(part, { maxLength: 6 }).map((parts) => parts.join(''));
		fc.assert(fc.property(text, (given) => void read(given)));
	});
});
