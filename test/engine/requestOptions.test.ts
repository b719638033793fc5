import { ClientRequest } from 'node:http';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { certificateRefused, timedOut, unreachable } from '../../nodes/ChatbotService/client/failure/failure';
import { certificate, SEEDED, type Emulator } from '../../sandbox/emulator';
import { duringTests } from '../duringTests';
import { operationOf, unknownOf } from '../operations';
import { trustCertificate } from './certificate';
import { callAsTool, credentialFor, runNode, useEmulator, type RunOptions } from './harness';
import { lettersFor, send } from './messages';
import { startProxy, type ProxyOptions } from './proxy';

/*
 * The settings that n8n adds to every declarative node, 'Request Options'. A node with custom operations has to apply them itself;
 * n8n's engine reads them only when an older AI agent calls the node.
 */

const unknownMessage = unknownOf(operationOf('message/send'));

const service = useEmulator();
const secure = useEmulator({ tls: true });
const proxy = duringTests(startProxy);
afterEach(() => {
	jest.restoreAllMocks();
	proxy.passages.length = 0;
});

/** n8n 1.x and 2.8 ignore 'Ignore SSL Issues' in the tunnel of a proxy, and a node cannot change that. */
const ignoresSslThroughProxy = (process.env.ENGINE ?? '2.8') === '2.41';

interface Asked extends Partial<RunOptions> {
	/** The service to call; by default the one without HTTPS. */
	of?: Emulator;
}

/** Runs the node with the given 'Request Options'; by default it sends messages. */
async function run(requestOptions: INodeParameters, { of = service, ...options }: Asked = {}) {
	const { parameters = send, credential = credentialFor(of), items = letters(1, of) } = options;
	return await runNode({ ...options, credential, items, parameters: { ...parameters, requestOptions } });
}

const letters = (count: number, of = service): IDataObject[] => lettersFor(of, count);
/** Texts of the requests that reached the service, whatever their outcome. */
const arrived = ({ requests }: Emulator = service) => requests.map(({ input }) => input.text);

const late = timedOut();
const untrusted = certificateRefused('').message;

/** Records the timeouts that Node.js receives for requests from now on. */
function watchTimeouts() {
	const watched = jest.spyOn(ClientRequest.prototype, 'setTimeout');
	return () => watched.mock.calls.map(([milliseconds]) => milliseconds);
}

describe('Timeout', () => {
	test('a message that is answered later than Timeout allows is reported as possibly delivered, and is not sent again', async () => {
		service.faults.add({ kind: 'delay', ms: 5000 });
		const startedAt = performance.now();
		const { error } = await run({ timeout: 500 });
		const took = performance.now() - startedAt;
		expect(error?.message).toBe(`${late.message} [Item 0]`);
		expect(error?.description).toBe(`${unknownMessage} ${late.description}`);
		expect(took).toBeGreaterThan(450);
		expect(took).toBeLessThan(5000);
		expect(service.requests).toHaveLength(1);
	});

	test('each item has its own Timeout, and without one a minute for a message, and otherwise 300 seconds as any declarative node', async () => {
		const timeouts = watchTimeouts();
		const items = [5000, 5001, 0].map((wait) => ({ ...letters(1)[0]!, wait }));
		await run({ timeout: '={{ $json.wait }}' }, { items });
		await run({});
		const parameters = { resource: 'tag', operation: 'getManyByBot', botId: SEEDED.bots.school };
		await run({}, { parameters });
		expect(timeouts().sort()).toEqual([300_000, 5000, 5001, 60_000, 60_000]);
	});
});

describe('Proxy', () => {
	test('a request goes through the proxy and is the same as without it, and no other run uses the proxy', async () => {
		const items = letters(1);
		for (const requestOptions of [{ proxy: proxy.url }, {}, { proxy: '' }])
			expect((await run(requestOptions, { items })).json).toEqual([{ success: true }]);
		expect(proxy.passages).toHaveLength(1);
		const [through, direct, empty] = service.requests.map(({ method, target, rawBody, headers }) => {
			const { connection: _way, 'proxy-connection': _throughProxy, ...ours } = headers;
			return { method, target, rawBody, headers: ours };
		});
		expect([direct, empty]).toEqual([through, through]);
	});

	test.each([
		['maria@example.com', 'p@ss/wört:'],
		['Мария', '100%41'],
	])('the proxy receives the user name and password unchanged: %s %s', async (name, password) => {
		const guarded = await startProxy({ user: `${name}:${password}` });
		const user = `${encodeURIComponent(name)}:${encodeURIComponent(password)}`;
		const { json, error } = await run({ proxy: guarded.url.replace('//', `//${user}@`) });
		await guarded.stop();
		expect([error, json]).toEqual([undefined, [{ success: true }]]);
		expect(guarded.passages.map((passage) => passage.user)).toEqual([`${name}:${password}`]);
		expect(service.requests).toHaveLength(1);
	});

	test.each(['http', 'https'])(
		'a proxy that rejects the user forwards nothing, and the error for an %s service names the option',
		async (protocol) => {
			if (protocol === 'https') trustCertificate();
			const of = protocol === 'https' ? secure : service;
			const guarded = await startProxy({ user: 'maria:geheim' });
			const { error } = await run({ proxy: guarded.url.replace('//', '//maria:falsch@') }, { of });
			await guarded.stop();
			expect([arrived(of), guarded.passages.length]).toEqual([[], 1]);
			expect(error?.message).toMatch(/proxy/i);
			expect(error?.description).toContain("'Proxy'");
		},
	);

	test('a request to an https service uses a tunnel, in which the proxy cannot read it', async () => {
		trustCertificate();
		const { json, error } = await run({ proxy: proxy.url }, { of: secure });
		expect(error).toBeUndefined();
		expect(json).toEqual([{ success: true }]);
		expect(secure.deliveries()).toMatchObject([{ text: 'Письмо 0' }]);
		const target = new URL(secure.url).host;
		expect(proxy.passages).toEqual([{ method: 'CONNECT', target, user: undefined }]);
	});

	test.each<[string, () => ProxyOptions]>([
		['has an IPv6 address', () => ({ host: '::1' })],
		['itself uses https', () => ({ tls: certificate() })],
	])('a proxy that %s is used, and nothing bypasses it', async (_name, options) => {
		trustCertificate();
		const hidden = await startProxy(options());
		expect((await run({ proxy: hidden.url })).json).toEqual([{ success: true }]);
		expect(hidden.passages).toHaveLength(1);
		await hidden.stop();
		expect((await run({ proxy: hidden.url })).error?.message).toContain(unreachable('').message);
		expect(arrived()).toHaveLength(1);
	});

	test('without it, the variables HTTP_PROXY, HTTPS_PROXY and NO_PROXY apply, and Proxy goes before all of them', async () => {
		trustCertificate();
		const variables = await startProxy();
		const { env } = process;
		/** By which proxy a message left. */
		const way = async (options: INodeParameters, of: Emulator, values: Record<string, string>) => {
			process.env = { ...env, no_proxy: '', NO_PROXY: '', ...values };
			const { error } = await run(options, { of });
			process.env = env;
			const passed = [variables, proxy].map(({ passages }) => passages.splice(0).map(({ method }) => method));
			return [error, ...passed];
		};
		const all = { HTTP_PROXY: variables.url, HTTPS_PROXY: variables.url };
		const hosts = ['example.com', ...[service, secure].map(({ url }) => new URL(url).hostname)].join();
		const except = { ...all, NO_PROXY: hosts, no_proxy: hosts };
		expect(await way({}, service, all)).toEqual([undefined, ['POST'], []]);
		expect(await way({}, secure, all)).toEqual([undefined, ['CONNECT'], []]);
		expect(await way({}, service, except)).toEqual([undefined, [], []]);
		expect(await way({}, secure, except)).toEqual([undefined, [], []]);
		for (const values of [all, except])
			expect(await way({ proxy: proxy.url }, service, values)).toEqual([undefined, [], ['POST']]);
		await variables.stop();
	});

	test('that is none for one item prevents all requests in stop mode, and the error names the item', async () => {
		const items = letters(3).map((item, index) => ({ ...item, proxy: index === 1 ? 'myproxy' : proxy.url }));
		const { error } = await run({ proxy: '={{ $json.proxy }}' }, { items });
		expect(arrived()).toEqual([]);
		expect(error?.message).toContain("'Proxy'");
		expect(error?.message).toContain('[Item 1]');
	});
});

describe('Ignore SSL Issues', () => {
	const ignoring = { allowUnauthorizedCerts: true };

	test('an untrusted certificate is accepted only by a run in which the option is on, and the error of others names it', async () => {
		const expectRefused = async () => {
			const { error } = await run({}, { of: secure });
			expect(error?.message).toContain(untrusted);
			// What keeps the connection safe comes first.
			expect(error?.description).toMatch(/NODE_EXTRA_CA_CERTS.*'Ignore SSL Issues'/);
		};
		await expectRefused();
		expect((await run(ignoring, { of: secure })).json).toEqual([{ success: true }]);
		await expectRefused();
		expect(arrived(secure)).toHaveLength(1);
	});

	test('through a proxy an untrusted certificate is accepted if n8n supports it, and otherwise refused with nothing sent', async () => {
		const { json, error } = await run({ ...ignoring, proxy: proxy.url }, { of: secure });
		expect(proxy.passages.map(({ method }) => method)).toEqual(['CONNECT']);
		if (ignoresSslThroughProxy) {
			expect(json).toEqual([{ success: true }]);
			expect(secure.requests).toHaveLength(1);
		} else {
			expect(error?.message).toContain(untrusted);
			expect(arrived(secure)).toEqual([]);
		}
	});
});

describe('a stored Batching, which earlier versions of the node had', () => {
	const batch = { batchSize: 1, batchInterval: 3_600_000 };

	test.each([
		['holds no item back', { batch }],
		['may be none', 'каждый час'],
		['may be empty', null],
		['may be an expression that cannot be evaluated', "={{ $('Нет такой').item }}"],
	])('%s', async (_name, batching) => {
		const { json, error } = await run({ batching, timeout: 5000 } as INodeParameters, { items: letters(3) });
		expect([error, json]).toEqual([undefined, Array(3).fill({ success: true })]);
		expect(service.deliveries()).toHaveLength(3);
	});
});

describe('calls by an AI agent that runs the tool itself', () => {
	/** A tool call with the given 'Request Options'. */
	async function call(requestOptions: INodeParameters, of: Emulator = service) {
		const [{ id }] = letters(1, of) as [IDataObject];
		const parameters = { ...send, contactId: String(id), text: "={{ $fromAI('text') }}", requestOptions };
		const calls = [{ arguments: { text: 'Чем помочь?' } }];
		const [result] = await callAsTool({ parameters, credential: credentialFor(of) }, calls);
		return result;
	}

	test('a message of a tool call that is not answered in time is reported as possibly delivered', async () => {
		const timeouts = watchTimeouts();
		service.faults.add({ kind: 'timeout' });
		expect(await call({ timeout: 500 })).toEqual([
			{
				error: late.message,
				message: `${unknownMessage} ${late.description}`,
			},
		]);
		expect(service.requests).toHaveLength(1);
		expect(timeouts()).toEqual([500]);
	});

	test('a tool call goes through the proxy, with user name and password', async () => {
		expect(await call({ proxy: proxy.url.replace('//', '//maria:p%40ss@') })).toEqual([{ success: true }]);
		expect(proxy.passages.map(({ user }) => user)).toEqual(['maria:p@ss']);
		expect(service.requests).toHaveLength(1);
	});

	test('a tool call sends nothing with a Proxy that is none', async () => {
		expect(await call({ proxy: 'socks5://127.0.0.1:3128' })).toMatchObject([
			{ error: expect.stringContaining("'Proxy'") as string },
		]);
		expect(arrived()).toEqual([]);
	});

	test('a tool call ignores a stored Batching, even if it is none', async () => {
		expect(await call({ batching: 'каждый час' })).toEqual([{ success: true }]);
	});

	test('a tool call accepts an untrusted certificate only with Ignore SSL Issues', async () => {
		expect(await call({}, secure)).toMatchObject([{ error: expect.stringContaining(untrusted) as string }]);
		expect(arrived(secure)).toEqual([]);
		expect(await call({ allowUnauthorizedCerts: true }, secure)).toEqual([{ success: true }]);
	});
});
