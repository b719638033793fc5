import type { Sending } from '../../nodes/ChatbotService/client/client';
import { Settings, type Batching } from '../../nodes/ChatbotService/run/settings';
import { FakeN8n } from './fakeN8n';
import { hostile } from './hostile';
import { faultsOf } from './sentences';

/* What becomes of Request Options; that n8n's own declarative engine does the same is for test/engine. */

const settingsOf = (requestOptions: unknown) =>
	new Settings({ raw: { requestOptions }, evaluated: () => requestOptions });

/** How a request is sent. */
function sendingBy(requestOptions: unknown): Sending {
	const found = settingsOf(requestOptions).of(0);
	if ('problems' in found) throw new Error(found.problems.map(({ message }) => message).join('; '));
	return found.sending;
}

const batchingOf = (batch: unknown) => settingsOf({ batching: { batch } }).batching();

test.each<[string, unknown]>([
	['is empty', {}],
	['is missing', undefined],
	['is nothing', null],
	['holds nothing', { batching: {}, proxy: '', timeout: undefined, allowUnauthorizedCerts: false }],
	['holds null', { batching: null, proxy: null, timeout: null, allowUnauthorizedCerts: null }],
	['is no object', 'быстро'],
])('all is as usual where Request Options %s', (_, requestOptions) => {
	expect(sendingBy(requestOptions)).toStrictEqual({ timeout: 300_000 });
	expect(settingsOf(requestOptions).batching()).toBeUndefined();
});

test('all of them together', () => {
	const requestOptions = {
		batching: { batch: { batchSize: 20, batchInterval: 1500 } },
		allowUnauthorizedCerts: true,
		proxy: 'http://proxy.example.com:3128',
		timeout: 5000,
	};
	expect(sendingBy(requestOptions)).toStrictEqual({
		timeout: 5000,
		skipSslCertificateValidation: true,
		proxy: { host: 'proxy.example.com', port: 3128, protocol: 'http' },
	});
	expect(settingsOf(requestOptions).batching()).toEqual({ size: 20, intervalMs: 1500 });
});

describe('the time-out', () => {
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
	])('of %p is %p ms', (timeout, expected) => {
		expect(sendingBy({ timeout }).timeout).toBe(expected);
	});
});

describe('certificates', () => {
	test('are not looked at when the user says so', () => {
		expect(sendingBy({ allowUnauthorizedCerts: true })).toStrictEqual({
			timeout: 300_000,
			skipSslCertificateValidation: true,
		});
	});

	test.each([[false], [undefined], ['true'], ['false'], [1], [{}], ['нет']])('are, for %p', (said) => {
		expect(sendingBy({ allowUnauthorizedCerts: said })).toStrictEqual({ timeout: 300_000 });
	});
});

describe('a proxy', () => {
	const host = 'proxy.example.com';

	test.each<[string, unknown, object]>([
		['with a port', `http://${host}:3128`, { host, port: 3128, protocol: 'http' }],
		['without one', `http://${host}`, { host, port: 80, protocol: 'http' }],
		['of https', `https://${host}:8443`, { host, port: 8443, protocol: 'https' }],
		['of https without a port', `https://${host}`, { host, port: 443, protocol: 'https' }],
		['with the usual port', `http://${host}:80`, { host, port: 80, protocol: 'http' }],
		['with the usual port of https', `https://${host}:443`, { host, port: 443, protocol: 'https' }],
		['with the port of the other', `https://${host}:80`, { host, port: 80, protocol: 'https' }],
		['with a slash', `http://${host}:3128/`, { host, port: 3128, protocol: 'http' }],
		['in capitals', 'HTTP://PROXY.EXAMPLE.COM:3128', { host, port: 3128, protocol: 'http' }],
		['with blanks around', ` http://${host}:3128\n`, { host, port: 3128, protocol: 'http' }],
		['of four numbers', 'http://10.0.0.1:3128', { host: '10.0.0.1', port: 3128, protocol: 'http' }],
		['of IPv6', 'http://[2001:db8::1]:3128', { host: '2001:db8::1', port: 3128, protocol: 'http' }],
		['of IPv6 without a port', 'https://[::1]', { host: '::1', port: 443, protocol: 'https' }],
		[
			'with a Russian name',
			'http://прокси.рф:3128',
			{ host: 'xn--h1adldfi.xn--p1ai', port: 3128, protocol: 'http' },
		],
	])('%s', (_, proxy, expected) => {
		expect(sendingBy({ proxy }).proxy).toStrictEqual(expected);
	});

	// n8n puts them into an address again, and so they stay as they are in one.
	test.each<[string, string, { username: string; password: string }]>([
		['a name and a password', 'user:pass', { username: 'user', password: 'pass' }],
		['a name alone', 'user', { username: 'user', password: '' }],
		['a name and nothing for a password', 'user:', { username: 'user', password: '' }],
		[
			'a percent-encoded name',
			'%D0%B0%D0%BD%D0%BD%D0%B0:pass',
			{ username: '%D0%B0%D0%BD%D0%BD%D0%B0', password: 'pass' },
		],
		['a percent-encoded password', 'user:p%40ss%3A', { username: 'user', password: 'p%40ss%3A' }],
		['signs of an address in the password', 'user:p:a@s', { username: 'user', password: 'p%3Aa%40s' }],
		['percent signs that encode nothing', 'us%er:100%', { username: 'us%er', password: '100%' }],
		['Russian letters', 'аня:мир', { username: '%D0%B0%D0%BD%D1%8F', password: '%D0%BC%D0%B8%D1%80' }],
	])('with %s', (_, user, auth) => {
		expect(sendingBy({ proxy: `http://${user}@${host}:3128` }).proxy).toStrictEqual({
			host,
			port: 3128,
			protocol: 'http',
			auth,
		});
	});

	test.each<[unknown]>([
		['proxy.example.com:3128'],
		['proxy.example.com'],
		['localhost:3128'],
		['10.0.0.1:3128'],
		['//proxy.example.com:3128'],
		['socks5://proxy.example.com:1080'],
		['ftp://proxy.example.com'],
		['file:///etc/passwd'],
		['javascript:alert(1)'],
		['http://'],
		['http://:3128'],
		['http://proxy.example.com:нет'],
		['http://proxy.example.com:99999'],
		['http://[нет]:3128'],
		['http://анна:пароль@'],
		['нет'],
		[' '],
		[5],
		[true],
		[{}],
		[{ host: 'proxy.example.com' }],
		[[]],
	])('is refused where it is none: %j', (proxy) => {
		const found = settingsOf({ proxy }).of(0);
		expect(found).toEqual({
			problems: [
				{
					message: "'Proxy' is not the address of a proxy",
					advice:
						"Under 'Request Options' in the Settings of the node, enter an address such as http://proxy.example.com:3128 for 'Proxy', or remove it.",
				},
			],
		});
		const [{ message, advice }] = (found as { problems: [{ message: string; advice: string }] }).problems;
		expect(faultsOf({ message, description: advice })).toEqual([]);
		// There may be a password in it.
		expect(`${message} ${advice}`).not.toContain('пароль');
	});

	test('that is none has nothing to do with batching', () => {
		const settings = settingsOf({
			proxy: 'нет',
			batching: { batch: { batchSize: 5, batchInterval: 1000 } },
		});
		expect(settings.batching()).toEqual({ size: 5, intervalMs: 1000 });
	});
});

describe('batching', () => {
	test.each<[string, unknown, Batching | undefined]>([
		['so many, then a pause', { batchSize: 50, batchInterval: 1000 }, { size: 50, intervalMs: 1000 }],
		['one at a time', { batchSize: 1, batchInterval: 500 }, { size: 1, intervalMs: 500 }],
		['0 counts as 1', { batchSize: 0, batchInterval: 500 }, { size: 1, intervalMs: 500 }],
		['-1 switches it off', { batchSize: -1, batchInterval: 500 }, undefined],
		['anything less does too', { batchSize: -0.5, batchInterval: 500 }, undefined],
		[
			'a part of an item counts as none',
			{ batchSize: 2.9, batchInterval: 0.5 },
			{ size: 2, intervalMs: 0.5 },
		],
		[
			'a part of one item counts as one',
			{ batchSize: 0.5, batchInterval: 500 },
			{ size: 1, intervalMs: 500 },
		],
		['numbers may be texts', { batchSize: '20', batchInterval: '500' }, { size: 20, intervalMs: 500 }],
		['no pause is no batching', { batchSize: 50, batchInterval: 0 }, undefined],
		['nor is one of less than nothing', { batchSize: 50, batchInterval: -1000 }, undefined],
		['nor is one that is not said', { batchSize: 50 }, undefined],
		['no size is no batching', { batchInterval: 1000 }, undefined],
		['nor is a size that is none', { batchSize: 'много', batchInterval: 1000 }, undefined],
		['nor is a pause that is none', { batchSize: 50, batchInterval: 'долго' }, undefined],
		['nothing at all', {}, undefined],
		['nothing', null, undefined],
		['missing', undefined, undefined],
	])('%s', (_, batch, expected) => {
		expect(batchingOf(batch)).toStrictEqual(expected);
	});

	test('that is switched off leaves all else as it is', () => {
		expect(sendingBy({ batching: { batch: { batchSize: -1 } }, timeout: 7 })).toStrictEqual({ timeout: 7 });
	});
});

describe('expressions', () => {
	const parameters = {
		requestOptions: {
			timeout: '={{ $json.timeout }}',
			proxy: '={{ $json.proxy }}',
			batching: { batch: { batchSize: '={{ $json.size }}', batchInterval: 1000 } },
		},
	};
	const settingsFor = (...items: unknown[]) => {
		const n8n = new FakeN8n(parameters, items);
		return { n8n, settings: new Settings(n8n) };
	};

	test('are evaluated with each item, but for batching, which is that of the first', () => {
		const { settings } = settingsFor(
			{ timeout: 1000, size: 3 },
			{ timeout: 2000, size: 9 },
			{ proxy: 'http://proxy.example.com', size: -1 },
		);
		expect(settings.batching()).toEqual({ size: 3, intervalMs: 1000 });
		expect([0, 1, 2, 0].map((item) => settings.of(item))).toEqual([
			{ sending: { timeout: 1000 } },
			{ sending: { timeout: 2000 } },
			{
				sending: { timeout: 300_000, proxy: { host: 'proxy.example.com', port: 80, protocol: 'http' } },
			},
			{ sending: { timeout: 1000 } },
		]);
	});

	test('are none where there are none: all items have the very same', () => {
		const n8n = new FakeN8n({ requestOptions: { timeout: 5000 } }, [{}, {}, {}]);
		const settings = new Settings(n8n);
		expect(settings.batching()).toBeUndefined();
		const [first, ...others] = [0, 1, 2].map((item) => settings.of(item));
		expect(first).toEqual({ sending: { timeout: 5000 } });
		for (const each of others) expect(each).toBe(first);
		expect(n8n.asked).toEqual(['requestOptions@0']);
	});

	test('that cannot be evaluated for an item are told by the name of the parameter, with what n8n says', () => {
		const bad = {
			get timeout() {
				throw new Error("Referenced node doesn't exist");
			},
		};
		const { settings } = settingsFor({ timeout: 1000, size: 3 }, bad, { timeout: 2000 });
		const found = settings.of(1);
		expect(found).toEqual({
			problems: [
				{
					message: "'Request Options' cannot be evaluated",
					advice: "Correct the expression of 'Request Options'. n8n says: \"Referenced node doesn't exist\".",
				},
			],
		});
		const [{ message, advice }] = (found as { problems: [{ message: string; advice: string }] }).problems;
		expect(faultsOf({ message, description: advice })).toEqual([]);
		// The others have nothing to do with it.
		expect(settings.of(0)).toEqual({ sending: { timeout: 1000 } });
		expect(settings.of(2)).toEqual({ sending: { timeout: 2000 } });
		expect(settings.batching()).toEqual({ size: 3, intervalMs: 1000 });
	});

	test('that cannot be evaluated for the first item leave the others without batching', () => {
		const bad = {
			get size() {
				throw new Error('lost');
			},
		};
		const { settings } = settingsFor(bad, { timeout: 2000, size: 5 });
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

	test.each(places)('may yield for %s what throws at whoever looks at it', (_, options) => {
		for (const [name, make] of hostile) {
			const requestOptions = options(make());
			const settings = new Settings({
				raw: { requestOptions: { timeout: '={{ $json.timeout }}' } },
				evaluated: () => requestOptions,
			});
			const found = settings.of(0);
			expect([name, 'problems' in found || found.sending.timeout! > 0]).toEqual([name, true]);
			expect([name, settings.batching()?.size ?? 5]).toEqual([name, expect.any(Number)]);
		}
	});
});
