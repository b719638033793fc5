import { Reader } from '../../nodes/ChatbotService/run/values/reading';
import { noProxy, noTimeout, sendingOf } from '../../nodes/ChatbotService/run/values/requestOptions';
import { hostile } from './hostile';
import { rows } from './tableRows';

/* How the node reads Request Options. Tests in test/engine compare with n8n's own declarative engine. */

const tag = {};
const timeout = 300_000;

/** How a request is sent with these options, or with what its expressions give. */
function sendingWith(requestOptions: unknown, evaluated = requestOptions) {
	const raw = { requestOptions };
	return sendingOf(new Reader({ raw, evaluated: () => evaluated, input: () => ({}) }).valuesOf(0), raw, tag);
}

const at = (host: string, port: number, protocol = 'http') => ({ proxy: { host, port, protocol } });

test.each<[options: unknown, sending: object]>([
	...rows([{}, undefined, 'быстро', { proxy: null, timeout: null }], {}),
	...rows([{ timeout: '' }, { timeout: 0 }, { timeout: 'скоро' }, { timeout: NaN }], {}),
	...rows([{ timeout: '5000' }, { timeout: 5000 }], { timeout: 5000 }),
	[{ timeout: 1 }, { timeout: 1 }],
	[{ timeout: 2 ** 31 - 1 }, { timeout: 2 ** 31 - 1 }],
	[{ allowUnauthorizedCerts: true }, { skipSslCertificateValidation: true }],
	...rows([{ allowUnauthorizedCerts: 'true' }, { allowUnauthorizedCerts: 1 }], {}),
	[{ proxy: 'http://proxy.example.com' }, at('proxy.example.com', 80)],
	[{ proxy: ' HTTP://PROXY.EXAMPLE.COM:3128/\n' }, at('proxy.example.com', 3128)],
	[{ proxy: 'https://proxy.example.com' }, at('proxy.example.com', 443, 'https')],
	[{ proxy: 'http://[2001:db8::1]:3128' }, at('[2001:db8::1]', 3128)],
])('%j is read', (options, sending) => {
	expect(sendingWith(options)).toStrictEqual({ sending: { timeout, ...sending } });
});

test.each([-1, 0.5, Infinity, 2 ** 31])('a Timeout of %p is refused', (given) => {
	expect(sendingWith({ timeout: given })).toEqual({ problems: [noTimeout] });
});

test.each([
	...['proxy.example.com:3128', '10.0.0.1:3128', 'socks5://proxy.example.com', 'http://:3128', ' '],
	...[5, { host: 'proxy.example.com' }],
])('a Proxy that is none is refused: %j', (proxy) => {
	// The error does not quote the value, which may contain a password.
	expect(sendingWith({ proxy })).toEqual({ problems: [noProxy] });
});

test.each(hostile)('an expression can return anything: %s', (_, make) => {
	for (const option of ['timeout', 'proxy', 'allowUnauthorizedCerts', 'batching']) {
		const found = sendingWith({ timeout: '={{ $json.timeout }}' }, { [option]: make() });
		expect('problems' in found || found.sending.timeout! > 0).toBe(true);
	}
});
