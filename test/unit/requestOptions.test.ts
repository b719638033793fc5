import { unreadableProblem } from '../../nodes/ChatbotService/run/values/problems';
import { Reader } from '../../nodes/ChatbotService/run/values/reading';
import { noProxy, noTimeout, sendingOf } from '../../nodes/ChatbotService/run/values/requestOptions';
import { FakeN8n } from './fakeN8n';
import { hostile } from './hostile';

/* How the node reads Request Options. Tests in test/engine compare with n8n's own declarative engine. */

const tag = {};

/** How a request is sent with these options, or with what its expressions give. */
function sendingWith(requestOptions: unknown, evaluated = requestOptions) {
	const raw = { requestOptions };
	return sendingOf(new Reader({ raw, evaluated: () => evaluated, input: () => ({}) }).valuesOf(0), raw, tag);
}

const usual = { sending: { timeout: 300_000 } };

test.each([{}, undefined, 'быстро', { proxy: null, timeout: null }])(
	"without options, requests are sent with n8n's own time-out and nothing else: %j",
	(requestOptions) => {
		expect(sendingWith(requestOptions)).toStrictEqual(usual);
	},
);

test.each<[unknown, number | undefined]>([
	['5000', 5000],
	[1, 1],
	[2 ** 31 - 1, 2 ** 31 - 1],
	...['', 0, 'скоро', NaN].map((unusual): [unknown, number] => [unusual, 300_000]),
	...[-1, 0.5, Infinity, 2 ** 31].map((wrong): [unknown, undefined] => [wrong, undefined]),
])('a Timeout of %p means %p ms, or is refused', (given, timeout) => {
	const expected = timeout ? { sending: { timeout } } : { problems: [noTimeout] };
	expect(sendingWith({ timeout: given })).toEqual(expected);
});

test.each([true, false, 'true', 1])('SSL issues are ignored only if the value is true: %p', (ignored) => {
	expect(sendingWith({ allowUnauthorizedCerts: ignored })).toStrictEqual({
		sending: { ...usual.sending, ...(ignored === true && { skipSslCertificateValidation: true }) },
	});
});

describe('a proxy', () => {
	test.each<[string, host: string, port: number, protocol: string]>([
		['http://proxy.example.com', 'proxy.example.com', 80, 'http'],
		[' HTTP://PROXY.EXAMPLE.COM:3128/\n', 'proxy.example.com', 3128, 'http'],
		['https://proxy.example.com', 'proxy.example.com', 443, 'https'],
		['http://[2001:db8::1]:3128', '[2001:db8::1]', 3128, 'http'],
	])('at %j is read', (proxy, host, port, protocol) => {
		const sending = { ...usual.sending, proxy: { host, port, protocol } };
		expect(sendingWith({ proxy })).toStrictEqual({ sending });
	});

	test.each([
		...['proxy.example.com:3128', '10.0.0.1:3128', 'socks5://proxy.example.com', 'http://:3128', ' '],
		...[5, { host: 'proxy.example.com' }],
	])('is refused if it is not the address of one: %j', (proxy) => {
		// The error does not quote the value, which may contain a password.
		expect(sendingWith({ proxy })).toEqual({ problems: [noProxy] });
	});
});

describe('expressions under Request Options', () => {
	const requestOptions = { timeout: '={{ $json.timeout }}' };
	const error = new Error("Referenced node doesn't exist");
	const bad = {
		get timeout() {
			throw error;
		},
	};

	test('are evaluated with each item', () => {
		const reader = new Reader(new FakeN8n({ requestOptions }, [{ timeout: 1000 }, bad, { timeout: 2000 }]));
		expect([0, 1, 2].map((item) => sendingOf(reader.valuesOf(item), { requestOptions }, tag))).toEqual([
			{ sending: { timeout: 1000 } },
			// A problem of that item only, with the error of n8n.
			{ problems: [unreadableProblem('Request Options', error)] },
			{ sending: { timeout: 2000 } },
		]);
	});

	test.each(hostile)('can return a value that throws when it is read: %s', (_, make) => {
		for (const evaluated of [
			...[{ timeout: make() }, { proxy: make() }, { allowUnauthorizedCerts: make() }],
			{ batching: make() },
		]) {
			const found = sendingWith(requestOptions, evaluated);
			expect('problems' in found || found.sending.timeout! > 0).toBe(true);
		}
	});
});
