import { readAccount } from '../../nodes/ChatbotService/client/credential/account';
import {
	baseUrlExpression,
	baseUrlOf,
	isAddress,
} from '../../nodes/ChatbotService/client/credential/baseUrl';
import { withoutTokens } from '../../nodes/ChatbotService/client/credential/secrets';
import * as failures from '../../nodes/ChatbotService/client/failure/failure';
import { noBaseUrls, noPaces, pastedBaseUrls, pastedPaces } from '../pasted/pastedCredential';
import { evaluate } from './expression';
import { rows } from './tableRows';

/* What is read of a credential: the account and its limits, the address of the service, and the token, which no output contains. */

const credential = {
	...{ baseUrl: 'https://app.example.com', token: 'секрет', tokenPlacement: 'query' },
	...{ tokenName: 'api_token', requestsPerSecond: 2, workers: 1 },
};

const accountWith = (changes: object) => readAccount({ ...credential, ...changes } as typeof credential);

test.each<[boolean, object]>([
	[true, { baseUrl: ' app.example.com:443/bots/7' }],
	[true, { token: ' секрет\n' }],
	[true, { tokenPlacement: 'bearer', requestsPerSecond: 5, workers: 2, bursts: true }],
	[false, { baseUrl: 'http://app.example.com' }],
	[false, { token: 'другой' }],
])('an account is the same: %s with %j', (isSame, changes) => {
	const { key } = accountWith({});
	expect(accountWith(changes).key === key).toBe(isSame);
	// It reveals nothing.
	expect(key).toMatch(/^[\w-]{32}$/);
});

test.each(pastedPaces)('%j Requests per Second are %j', (requestsPerSecond, limits) => {
	const account = accountWith({ requestsPerSecond });
	expect([account.unusable, account.limits]).toEqual([undefined, limits]);
});

test.each(rows(noPaces))('%j is no pace', (value) => {
	const { limits, unusable } = accountWith({ requestsPerSecond: value });
	expect(unusable).toEqual(failures.invalidPace(value));
	expect(limits).toHaveProperty('account');
});

// Without their number, each process would use all of the limits.
test.each<[unknown, boolean]>([
	...rows<unknown, [boolean]>([3, '3,0', "'3"], true),
	...rows([...noPaces, 0, 0.5, 1e300], false),
])('%j n8n Processes are 3: %s', (workers, isNumber) => {
	const account = accountWith({ workers });
	if (isNumber) expect(account).toMatchObject({ workers: 3, unusable: undefined });
	else expect(account.unusable).toEqual(failures.invalidWorkers(workers));
});

test.each([true, undefined, 'true', 1])('bursts are on only for true: %p', (bursts) => {
	expect(accountWith({ bursts }).bursts).toBe(bursts === true);
});

describe('the Base URL', () => {
	/** Read by the node and by n8n, which must agree. */
	function read(baseUrl: string): string {
		const url = baseUrlOf(baseUrl);
		expect(evaluate(baseUrlExpression, { $credentials: { baseUrl } } as never)).toBe(url);
		return url;
	}

	test.each(pastedBaseUrls)('%j is read as %s', (received, url) => {
		expect(read(received)).toBe(url);
		expect(accountWith({ baseUrl: received }).unusable).toBeUndefined();
	});

	test.each([...noBaseUrls, '  ', undefined, null])('%j gets no token', (received) => {
		const wrong = { baseUrl: received, requestsPerSecond: 'быстро' };
		expect(accountWith(wrong).unusable).toEqual(failures.invalidAddress());
		// Where n8n reads it, it is no address either.
		expect(isAddress(read(received ?? ''))).toBe(false);
	});
});

const bearer = { tokenPlacement: 'bearer', token: 'secret' };
const header = { tokenPlacement: 'header', tokenName: 'X-Token', token: 'secret' };

test.each<[object, 'API Token' | 'Parameter or Header Name' | undefined]>([
	[{ ...bearer, token: 'sec\tré~' }, undefined],
	[{ ...bearer, token: 'sесret' }, 'API Token'],
	[{ ...header, token: 'sec\nret' }, 'API Token'],
	[{ ...header, tokenName: 'X Token' }, 'Parameter or Header Name'],
	[{ token: 'секрет', tokenName: 'ключ' }, undefined],
])('a token that HTTP cannot carry is refused: %j', (changes, label) => {
	expect(accountWith(changes).unusable).toEqual(label && failures.invalidToken(label));
});

describe('the token is hidden', () => {
	const token = '12|aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5bC7d';
	const hide = <T>(value: T, each = token) => withoutTokens(value, [each]);

	test('in texts, keys and JSON within texts', () => {
		const value = { a: [{ b: `Токен ${token} и ${token}`, [token]: JSON.stringify({ token }) }] };
		expect(hide(value)).toEqual({ a: [{ b: 'Токен *** и ***', '***': '{"token":"***"}' }] });
		const odd = JSON.parse(`{"__proto__":{"x":"${token}"},"constructor":"${token}"}`) as object;
		expect(JSON.stringify(hide(odd))).toBe('{"__proto__":{"x":"***"},"constructor":"***"}');
	});

	const encoded = (sign: string) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`;

	// Programs differ in what they encode, and any of them can have created the quoted URL.
	test.each<[string, (value: string) => string]>([
		['this package, twice', (value) => encodeURIComponent(encodeURIComponent(value))],
		['programs with small digits', (value) => encodeURIComponent(value).toLowerCase()],
		['a web form', (value) => new URLSearchParams({ v: value }).toString().slice(2)],
		['the framework of the services', (value) => encodeURIComponent(value).replace(/[!'()*~]/g, encoded)],
	])('in a URL that was encoded by %s', (_, encode) => {
		for (const each of ['12|aB:cD$e', '12|(aB)*cD!', '12|aB cD~eF', "12|aB'cD,eF", '12|тайна🔑'])
			expect(hide(`https://a.ru?api_token=${encode(each)}&a=1`, each)).toBe('https://a.ru?api_token=***&a=1');
	});

	const slashed = '12|aB/dE"fG&hJ<kЯ>\'🔑1';
	const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
	const hexadecimal = (sign: string) => `&#x${sign.codePointAt(0)!.toString(16)};`;
	const ofPhp = (text: string) =>
		JSON.stringify(text)
			.replace(/\//g, '\\/')
			.replace(/[\u0080-\uffff]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);

	test.each<[string, string]>([
		["PHP's JSON in capitals", ofPhp(slashed).replace(/u042f/g, 'u042F')],
		["PHP's JSON within JSON", ofPhp(ofPhp(slashed))],
		['HTML', slashed.replace(/[&<>"']/g, (sign) => entities[sign] ?? '&#39;')],
		['HTML by names', slashed.replace(/[&<>"']/g, (sign) => entities[sign] ?? '&apos;')],
		['HTML by hexadecimal numbers', slashed.replace(/[^a-z\d]/giu, hexadecimal)],
	])('in %s, next to another token', (_, written) => {
		const cleaned = withoutTokens({ page: `<p>${token}, api_token=${written}</p>` }, [token, slashed, '']);
		expect(cleaned.page).toMatch(/^<p>\*\*\*, api_token=.*\*\*\*/);
		for (const piece of ['aB', 'dE', 'fG', 'hJ']) expect(cleaned.page).not.toContain(piece);
	});

	test.each<[string, string]>([
		// A short token, and a plus sign for its blank.
		['abc a', 'abc'],
		['+++++ ', 'секре'],
	])('and nothing else: %j with %j', (text, each) =>
		expect(withoutTokens({ text }, [each])).toEqual({ text }),
	);
});
