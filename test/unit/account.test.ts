import { ChatbotServiceApi } from '../../credentials/ChatbotServiceApi.credentials';
import { readAccount } from '../../nodes/ChatbotService/client/account';
import { tokenPlaceOf } from '../../nodes/ChatbotService/client/token';

const credential = {
	baseUrl: 'https://app.example.com',
	token: 'секрет',
	tokenPlacement: 'query',
	tokenName: 'api_token',
	requestsPerSecond: 2,
	workers: 1,
};

describe('an account', () => {
	const { key } = readAccount(credential);

	test.each<[string, object]>([
		['a slash after the address', { baseUrl: 'https://app.example.com/' }],
		['/api/v1 after the address', { baseUrl: ' https://app.example.com/api/v1/ ' }],
		['no scheme', { baseUrl: 'app.example.com' }],
		['blanks around the token', { token: ' секрет\n' }],
		['another place for the token', { tokenPlacement: 'bearer' }],
		['another pace', { requestsPerSecond: 5, workers: 2, bursts: true }],
	])(
		'An account is the same in a credential with %s, so that both credentials share its limits',
		(_, changes) => {
			expect(readAccount({ ...credential, ...changes }).key).toBe(key);
		},
	);

	test.each<[string, object]>([
		['address', { baseUrl: 'https://app.example.org' }],
		['token', { token: 'другой' }],
	])('An account is another one with another %s', (_, changes) => {
		expect(readAccount({ ...credential, ...changes }).key).not.toBe(key);
	});

	test('The key of an account reveals nothing about its token and address', () => {
		expect(key).toMatch(/^[\w-]{32}$/);
	});
});

describe('the limits of an account', () => {
	test.each<[unknown, object]>([
		[5, { account: { count: 5, windowMs: 1000 } }],
		['5', { account: { count: 5, windowMs: 1000 } }],
		[0.5, { account: { count: 1, windowMs: 2000 } }],
		[undefined, { account: { count: 2, windowMs: 1000 } }],
		[0, {}],
	])('The limits of an account with %p requests per second', (requestsPerSecond, limits) => {
		expect(readAccount({ ...credential, requestsPerSecond } as typeof credential).limits).toEqual(limits);
	});

	test.each<[unknown, number]>([
		[3, 3],
		['3', 3],
		[1, 1],
		[undefined, 1],
		[0, 1],
		[-2, 1],
		['много', 1],
	])('The number of workers of an account with %p', (workers, expected) => {
		expect(readAccount({ ...credential, workers } as typeof credential).workers).toBe(expected);
	});
});

describe('the bursts of an account', () => {
	test.each([
		[true, true],
		[false, false],
		[undefined, false],
		[null, false],
		['true', false],
		['={{ true }}', false],
		[1, false],
		[{}, false],
	])('Bursts are on only for the value true: %p', (bursts, expected) => {
		expect(readAccount({ ...credential, bursts } as typeof credential).bursts).toBe(expected);
	});

	test('Bursts are off in a credential of an earlier version', () => {
		expect(readAccount(credential).bursts).toBe(false);
	});
});

test.each([
	['query', { in: 'query', name: 'api_token', value: 'секрет' }],
	['bearer', { in: 'header', name: 'Authorization', value: 'Bearer секрет' }],
	['header', { in: 'header', name: 'api_token', value: 'секрет' }],
])('The place of the token: %s', (tokenPlacement, place) => {
	expect(tokenPlaceOf({ ...credential, tokenPlacement })).toEqual(place);
});

test.each([
	['query', 'api_token'],
	['header', 'Authorization'],
])('A token without a name has the usual one: %s', (tokenPlacement, name) => {
	for (const tokenName of ['', ' ', undefined]) {
		const unnamed = { ...credential, tokenPlacement, tokenName } as typeof credential;
		expect(tokenPlaceOf(unnamed)).toMatchObject({ name });
	}
});

test('Spaces around the name and the token are removed', () => {
	const padded = { ...credential, tokenName: ' key ', token: ' секрет\n' };
	expect(tokenPlaceOf(padded)).toEqual({ in: 'query', name: 'key', value: 'секрет' });
});

test('A credential without a token has an empty one', () => {
	const { token: _, ...without } = credential;
	expect(tokenPlaceOf(without)).toMatchObject({ value: '' });
});

describe('the length that the token adds to the request target', () => {
	test.each<[string, object]>([
		['by its usual name', {}],
		['by a name of its own', { tokenName: 'key' }],
		['by a name with blanks', { tokenName: ' key ' }],
		['by no name', { tokenName: '' }],
		['encoded', { token: '12|аб+в' }],
		['with blanks around it', { token: '  секрет ' }],
		['where nobody says where it goes', { tokenPlacement: undefined }],
	])('The token adds the length of its parameter to the request target: %s', async (_, changes) => {
		const changed = { ...credential, ...changes };
		const { qs } = await new ChatbotServiceApi().authenticate(changed as typeof credential, { url: '/' });
		const [[name, token]] = Object.entries(qs!) as [[string, string]];
		expect(readAccount(changed as typeof credential).tokenLength).toBe(
			`&${encodeURIComponent(name)}=${encodeURIComponent(token)}`.length,
		);
	});

	test.each(['bearer', 'header'])(
		'A token in a header adds nothing to the request target: %s',
		(tokenPlacement) => {
			expect(readAccount({ ...credential, tokenPlacement }).tokenLength).toBe(0);
		},
	);
});
