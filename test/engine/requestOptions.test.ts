import { ClientRequest } from 'node:http';

import { certificateRefused } from '../../nodes/ChatbotService/client/failure/failure';
import { SEEDED, type Emulator } from '../../sandbox/emulator';
import { duringTests } from '../duringTests';
import { trustCertificate } from './connections';
import { callAsTool, credentialFor, runNode, useEmulator, type RunOptions } from './harness';
import { lettersFor, send } from './messages';
import { startProxy } from './proxy';

/*
 * The settings that n8n adds to every declarative node, 'Request Options'. A node with custom operations has to apply them itself;
 * n8n's engine reads them only when an older AI agent calls the node.
 */

const service = useEmulator();
const secure = useEmulator({ tls: true });
const proxy = duringTests(async () => await startProxy());
afterEach(() => {
	jest.restoreAllMocks();
	proxy.passages.length = 0;
});

const untrusted = certificateRefused('').message;
const done = [{ success: true }];
const ignoring = { allowUnauthorizedCerts: true };
const user = (url: string, name: string, password: string) =>
	url.replace('//', `//${encodeURIComponent(name)}:${encodeURIComponent(password)}@`);

/** Sends a message with the given 'Request Options', by default to the service without HTTPS. */
async function run(requestOptions: unknown, of: Emulator = service, options: Partial<RunOptions> = {}) {
	const given = { parameters: send, credential: credentialFor(of), items: lettersFor(of, 1), ...options };
	return await runNode({ ...given, parameters: { ...given.parameters, requestOptions } as never });
}

/** The same by a model whose agent runs its tools itself. */
async function call(requestOptions: unknown, of: Emulator = service) {
	const { id } = lettersFor(of, 1)[0]!;
	const parameters = { ...send, contactId: id, text: "={{ $fromAI('text') }}", requestOptions } as never;
	const given = { parameters, credential: credentialFor(of) };
	return (await callAsTool(given, [{ arguments: { text: 'Да' } }]))[0];
}

test('each request has its Timeout, or the usual one', async () => {
	const watched = jest.spyOn(ClientRequest.prototype, 'setTimeout');
	const items = [5000, 5001, 0].map((wait) => ({ ...lettersFor(service, 1)[0]!, wait }));
	await run({ timeout: '={{ $json.wait }}' }, service, { items });
	await run({});
	await call({ timeout: 7000 });
	const parameters = { resource: 'tag', operation: 'getManyByBot', botId: SEEDED.bots.school };
	await run({}, service, { parameters });
	const timeouts = watched.mock.calls.map(([milliseconds]) => milliseconds);
	expect(timeouts.sort()).toEqual([300_000, 5000, 5001, 60_000, 60_000, 7000]);
});

describe('Proxy', () => {
	test('is used with its user, and nothing bypasses it', async () => {
		trustCertificate();
		const [name, password] = ['Мария', '100%41'];
		const { url, passages, stop } = await startProxy(`${name}:${password}`);
		expect((await run({ proxy: user(url, name, password) }, secure)).json).toEqual(done);
		// In a tunnel, the proxy cannot read the request.
		const passage = { method: 'CONNECT', target: new URL(secure.url).host, user: `${name}:${password}` };
		expect([passages.splice(0), secure.requests.length]).toEqual([[passage], 1]);
		const { error } = await run({ proxy: user(url, name, 'другой') }, secure);
		expect(passages).toHaveLength(1);
		expect(error?.message).toMatch(/proxy/i);
		expect(error?.description).toContain("'Proxy'");
		await stop();
		// Other runs do not use it.
		expect((await run({ proxy: '' })).json).toEqual(done);
	});

	test('goes before HTTP_PROXY, HTTPS_PROXY and NO_PROXY', async () => {
		trustCertificate();
		const variables = await startProxy();
		const env = { HTTP_PROXY: variables.url, HTTPS_PROXY: variables.url, no_proxy: '', NO_PROXY: '' };
		const replaced = jest.replaceProperty(process, 'env', { ...process.env, ...env });
		for (const of of [service, secure]) await run({}, of);
		for (const name of ['no_proxy', 'NO_PROXY'] as const) env[name] = new URL(service.url).hostname;
		replaced.replaceValue({ ...process.env, ...env });
		for (const options of [{}, { proxy: proxy.url }]) await run(options);
		replaced.restore();
		await variables.stop();
		const passed = [variables, proxy].map(({ passages }) => passages.map(({ method }) => method));
		expect([...passed, service.requests.length]).toEqual([['POST', 'CONNECT'], ['POST'], 3]);
	});
});

test('Ignore SSL Issues applies to its own run only', async () => {
	for (let time = 0; time < 2; time++) {
		const { error } = await run({}, secure);
		expect(error?.message).toContain(untrusted);
		// What keeps the connection safe comes first.
		expect(error?.description).toMatch(/NODE_EXTRA_CA_CERTS.*'Ignore SSL Issues'/);
		if (time === 0) expect((await run(ignoring, secure)).json).toEqual(done);
	}
	expect(secure.requests).toHaveLength(1);
});

const hourly = { batch: { batchSize: 1, batchInterval: 3_600_000 } };

test.each([hourly, 'каждый час', null, "={{ $('Нет такой').item }}"])(
	'a stored Batching holds no item back: %j',
	async (batching) => {
		const options = { batching, timeout: 5000 };
		const { json, error } = await run(options, service, { items: lettersFor(service, 3) });
		expect([error, json]).toEqual([undefined, [done, done, done].flat()]);
	},
);

test('a model is answered by the same options', async () => {
	expect(await call({ proxy: user(proxy.url, 'maria', 'p@ss'), batching: 'каждый час' })).toEqual(done);
	expect(proxy.passages).toMatchObject([{ user: 'maria:p@ss' }]);
	const refused = (says: string) => [{ error: expect.stringContaining(says) as string }];
	expect(await call({ proxy: 'socks5://127.0.0.1:3128' })).toMatchObject(refused("'Proxy'"));
	expect(await call({}, secure)).toMatchObject(refused(untrusted));
	expect(await call(ignoring, secure)).toEqual(done);
	expect([service.requests.length, secure.requests.length]).toEqual([1, 1]);
});
