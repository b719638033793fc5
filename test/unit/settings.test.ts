import type { Sending } from '../../nodes/ChatbotService/client/request';
import type { Problem } from '../../nodes/ChatbotService/client/failure';
import { unreadableProblem } from '../../nodes/ChatbotService/run/values/problems';
import { Reader } from '../../nodes/ChatbotService/run/values/reading';
import { noProxy, noTimeout, Settings, type Batching } from '../../nodes/ChatbotService/run/values/settings';
import { FakeN8n } from './fakeN8n';
import { hostile } from './hostile';
import { faultsOf } from './sentences';

/* How the node reads Request Options. Tests in test/engine compare with n8n's own declarative engine. */

const settingsOf = (requestOptions: unknown) =>
	new Settings(new Reader({ raw: { requestOptions }, evaluated: () => requestOptions, input: () => ({}) }));

/** How a request is sent. */
function sendingBy(requestOptions: unknown): Sending {
	const found = settingsOf(requestOptions).of(0);
	if ('problems' in found) throw new Error(found.problems.map(({ message }) => message).join('; '));
	return found.sending;
}

test.each<[Problem, message: string, advice: string]>([
	[
		noTimeout,
		"'Timeout' is not a number of milliseconds",
		"Under 'Request Options' on the Settings tab of the node, enter a number from 1 to 2147483647 for 'Timeout', or remove it.",
	],
	[
		noProxy,
		"'Proxy' is not the address of a proxy",
		"Under 'Request Options' on the Settings tab of the node, enter an address such as http://proxy.example.com:3128 for 'Proxy', or remove it.",
	],
])('a refusal says what is wrong, where the option is and what to enter', (problem, message, advice) => {
	expect(problem).toEqual({ message, advice });
	expect(faultsOf({ message, description: advice })).toEqual([]);
});

test.each<[string, unknown]>([
	['are empty', {}],
	['are missing', undefined],
	['are null', null],
	['hold nothing', { batching: {}, proxy: '', timeout: undefined, allowUnauthorizedCerts: false }],
	['hold null', { batching: null, proxy: null, timeout: null, allowUnauthorizedCerts: null }],
	['are not an object', 'быстро'],
])(
	"if Request Options %s, requests are sent with n8n's own time-out and nothing else",
	(_, requestOptions) => {
		expect(sendingBy(requestOptions)).toStrictEqual({ timeout: 300_000 });
		expect(settingsOf(requestOptions).batching()).toBeUndefined();
	},
);

test.each([-1, '-1', 0.5, Infinity, -Infinity, 2 ** 31, '1e99'])(
	'a Timeout of %p is refused, and the error names the field',
	(timeout) => {
		expect(settingsOf({ timeout }).of(0)).toEqual({ problems: [noTimeout] });
	},
);

test.each<[unknown, number]>([
	[5000, 5000],
	[1, 1],
	['5000', 5000],
	[0, 300_000],
	['', 300_000],
	['скоро', 300_000],
	[NaN, 300_000],
	[{}, 300_000],
	[undefined, 300_000],
	[2 ** 31 - 1, 2 ** 31 - 1],
])('a Timeout of %p means %p ms', (timeout, expected) => {
	expect(sendingBy({ timeout }).timeout).toBe(expected);
});

test.each([[true], [false], [undefined], ['true'], ['false'], [1], [{}], ['нет']])(
	'SSL issues are ignored only if the value is true: %p',
	(ignored) => {
		expect(sendingBy({ allowUnauthorizedCerts: ignored })).toStrictEqual({
			timeout: 300_000,
			...(ignored === true && { skipSslCertificateValidation: true }),
		});
	},
);

describe('a proxy', () => {
	const host = 'proxy.example.com';

	test.each<[string, string, string, number, protocol?: string]>([
		['with a port', `http://${host}:3128`, host, 3128],
		['without a port', `http://${host}`, host, 80],
		['of https', `https://${host}:8443`, host, 8443, 'https'],
		['of https without a port', `https://${host}`, host, 443, 'https'],
		['with the usual port', `http://${host}:80`, host, 80],
		['with the usual port of https', `https://${host}:443`, host, 443, 'https'],
		['of https with the usual port of http', `https://${host}:80`, host, 80, 'https'],
		['with a slash', `http://${host}:3128/`, host, 3128],
		['in capitals', 'HTTP://PROXY.EXAMPLE.COM:3128', host, 3128],
		['with blanks around', ` http://${host}:3128\n`, host, 3128],
		['of four numbers', 'http://10.0.0.1:3128', '10.0.0.1', 3128],
		['of IPv6', 'http://[2001:db8::1]:3128', '[2001:db8::1]', 3128],
		['of IPv6 without a port', 'https://[::1]', '[::1]', 443, 'https'],
		['with a Russian name', 'http://прокси.рф:3128', 'xn--h1adldfi.xn--p1ai', 3128],
	])('is read from an address %s', (_, proxy, hostname, port, protocol = 'http') => {
		expect(sendingBy({ proxy }).proxy).toStrictEqual({ host: hostname, port, protocol });
	});

	// n8n puts name and password back into an address, so they stay encoded as in one.
	const anna = '%D0%B0%D0%BD%D0%BD%D0%B0';
	test.each<[string, string, username: string, password: string]>([
		['a name and a password', 'user:pass', 'user', 'pass'],
		['a name alone', 'user', 'user', ''],
		['a name and nothing for a password', 'user:', 'user', ''],
		['a percent-encoded name', `${anna}:pass`, anna, 'pass'],
		['a percent-encoded password', 'user:p%40ss%3A', 'user', 'p%40ss%3A'],
		['signs of an address in the password', 'user:p:a@s', 'user', 'p%3Aa%40s'],
		['percent signs that encode nothing', 'us%er:100%', 'us%er', '100%'],
		['Russian letters', 'анна:мир', anna, '%D0%BC%D0%B8%D1%80'],
	])('is read with %s', (_, user, username, password) => {
		const auth = { username, password };
		const proxy = { host, port: 3128, protocol: 'http', auth };
		expect(sendingBy({ proxy: `http://${user}@${host}:3128` }).proxy).toStrictEqual(proxy);
	});

	const notOne = [
		...['proxy.example.com:3128', 'proxy.example.com', 'localhost:3128', '10.0.0.1:3128'],
		...['//proxy.example.com:3128', 'socks5://proxy.example.com:1080', 'ftp://proxy.example.com'],
		...['file:///etc/passwd', 'javascript:alert(1)', 'http://', 'http://:3128', 'shttp://proxy.example.com'],
		...['http://proxy.example.com:нет', 'http://proxy.example.com:99999', 'http://[нет]:3128'],
		...['http://анна:пароль@', 'нет', ' ', 5, true, {}, { host: 'proxy.example.com' }, []],
	];

	test.each(notOne.map((proxy) => [proxy]))('is refused if it is not the address of a proxy: %j', (proxy) => {
		// The error does not quote the value, which may contain a password.
		expect(settingsOf({ proxy }).of(0)).toEqual({ problems: [noProxy] });
	});

	test('that is refused does not affect Batching', () => {
		const batching = { batch: { batchSize: 5, batchInterval: 1000 } };
		expect(settingsOf({ proxy: 'нет', batching }).batching()).toEqual({ size: 5, intervalMs: 1000 });
	});
});

describe('Batching', () => {
	test.each<[string, unknown, unknown, Batching | undefined]>([
		['is so many items, then a pause', 50, 1000, { size: 50, intervalMs: 1000 }],
		['may be one item at a time', 1, 500, { size: 1, intervalMs: 500 }],
		['reads 0 items as 1', 0, 500, { size: 1, intervalMs: 500 }],
		['reads a fraction of an item as 1', 0.5, 500, { size: 1, intervalMs: 500 }],
		['omits the fraction of a number of items', 2.9, 0.5, { size: 2, intervalMs: 0.5 }],
		['accepts numbers that are texts', '20', '500', { size: 20, intervalMs: 500 }],
		['is off for -1 items', -1, 500, undefined],
		['is off for less than 0 items', -0.5, 500, undefined],
		['is off for a pause of 0', 50, 0, undefined],
		['is off for a pause of less than 0', 50, -1000, undefined],
		['is off without a pause', 50, undefined, undefined],
		['is off without a number of items', undefined, 1000, undefined],
		['is off for a number of items that is a word', 'много', 1000, undefined],
		['is off for a pause that is a word', 50, 'долго', undefined],
	])('%s', (_, batchSize, batchInterval, expected) => {
		const settings = settingsOf({ batching: { batch: { batchSize, batchInterval } }, timeout: 7 });
		expect(settings.batching()).toStrictEqual(expected);
		expect(settings.of(0)).toEqual({ sending: { timeout: 7 } });
	});

	test.each([{}, { batch: {} }, { batch: null }, { batch: undefined }])('is off if it is %p', (batching) => {
		expect(settingsOf({ batching }).batching()).toBeUndefined();
	});
});

describe('expressions under Request Options', () => {
	const parameters = {
		requestOptions: {
			timeout: '={{ $json.timeout }}',
			proxy: '={{ $json.proxy }}',
			batching: { batch: { batchSize: '={{ $json.size }}', batchInterval: 1000 } },
		},
	};
	const settingsFor = (...items: unknown[]) => new Settings(new Reader(new FakeN8n(parameters, items)));

	test('are evaluated with each item, except for Batching, which is read with the first one', () => {
		const settings = settingsFor(
			{ timeout: 1000, size: 3 },
			{ timeout: 2000, size: 9 },
			{ proxy: 'http://proxy.example.com', size: -1 },
		);
		expect(settings.batching()).toEqual({ size: 3, intervalMs: 1000 });
		expect([0, 1, 2, 0].map((item) => settings.of(item))).toEqual([
			{ sending: { timeout: 1000 } },
			{ sending: { timeout: 2000 } },
			{ sending: { timeout: 300_000, proxy: { host: 'proxy.example.com', port: 80, protocol: 'http' } } },
			{ sending: { timeout: 1000 } },
		]);
	});

	const error = new Error("Referenced node doesn't exist");
	const bad = {
		get timeout() {
			throw error;
		},
	};

	test('that cannot be evaluated for an item are a problem of that item only, with the error of n8n', () => {
		const settings = settingsFor({ timeout: 1000, size: 3 }, bad, { timeout: 2000 });
		expect(settings.of(1)).toEqual({ problems: [unreadableProblem('Request Options', error)] });
		expect(settings.of(0)).toEqual({ sending: { timeout: 1000 } });
		expect(settings.of(2)).toEqual({ sending: { timeout: 2000 } });
		expect(settings.batching()).toEqual({ size: 3, intervalMs: 1000 });
	});

	test('that cannot be evaluated for the first item switch Batching off', () => {
		const settings = settingsFor(bad, { timeout: 2000, size: 5 });
		expect(settings.batching()).toBeUndefined();
		expect(settings.of(0)).toHaveProperty('problems');
		expect(settings.of(1)).toEqual({ sending: { timeout: 2000 } });
	});

	const places: Array<[string, (value: unknown) => unknown]> = [
		['Timeout', (timeout) => ({ timeout })],
		['Proxy', (proxy) => ({ proxy })],
		['Ignore SSL Issues', (allowUnauthorizedCerts) => ({ allowUnauthorizedCerts })],
		['Items per Batch', (batchSize) => ({ batching: { batch: { batchSize, batchInterval: 5 } } })],
		['Batch Interval', (batchInterval) => ({ batching: { batch: { batchSize: 5, batchInterval } } })],
	];

	test.each(places)('can return a value that throws when it is read: %s', (_, options) => {
		for (const [name, make] of hostile) {
			const requestOptions = options(make());
			const raw = { requestOptions: { timeout: '={{ $json.timeout }}' } };
			const settings = new Settings(new Reader({ raw, evaluated: () => requestOptions, input: () => ({}) }));
			const found = settings.of(0);
			expect([name, 'problems' in found || found.sending.timeout! > 0]).toEqual([name, true]);
			expect([name, settings.batching()?.size ?? 5]).toEqual([name, expect.any(Number)]);
		}
	});
});
