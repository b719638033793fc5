import { ClientRequest } from 'node:http';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { certificateRefused, timedOut, unreachable } from '../../nodes/ChatbotService/client/failure';
import { certificate, type Emulator } from '../../sandbox/emulator';
import { operationOf, unknownOf } from '../operations';
import { trustCertificate } from './certificate';
import { callAsTool, credentialFor, runNode, useEmulator, type RunOptions } from './harness';
import { attach, lettersFor, numbersIn, send } from './messages';
import { startProxy, type Proxy, type ProxyOptions } from './proxy';

/*
 * The settings that n8n adds to every declarative node, 'Request Options'. A node with custom operations has to apply them itself;
 * n8n's engine reads them only when an older AI agent calls the node.
 */

const unknownMessage = unknownOf(operationOf('message/send'));

const service = useEmulator();
const secure = useEmulator({ tls: true });
let proxy: Proxy;
beforeAll(async () => {
	proxy = await startProxy();
});
afterEach(() => {
	jest.restoreAllMocks();
	proxy.passages.length = 0;
});
afterAll(async () => await proxy.stop());

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
const delivered = ({ deliveries }: Emulator = service) => deliveries().map(({ text }) => text);
/** Texts of the requests that reached the service, whatever their outcome. */
const arrived = ({ requests }: Emulator = service) => requests.map(({ input }) => input.text);
const arrivals = () => service.requests.map(({ arrivedAt }) => arrivedAt);

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

	test('an idempotent request is repeated after a timeout, with the full timeout', async () => {
		const timeouts = watchTimeouts();
		service.faults.add({ kind: 'timeout', match: { times: 1 } });
		const { json, error } = await run({ timeout: 500 }, { parameters: attach });
		expect(error).toBeUndefined();
		expect(json).toEqual([{ success: true }]);
		expect(service.requests).toHaveLength(2);
		expect(timeouts()).toEqual([500, 500]);
	});

	test.each([{}, { timeout: 0 }])(
		'a request with %j may take 300 seconds, as with any declarative node',
		async (options) => {
			const timeouts = watchTimeouts();
			expect((await run(options)).json).toEqual([{ success: true }]);
			expect(timeouts()).toEqual([300_000]);
		},
	);

	test("each item's own Timeout applies, as with any declarative node", async () => {
		const timeouts = watchTimeouts();
		const items = letters(3).map((item, index) => ({ ...item, wait: 5000 + index }));
		await run({ timeout: '={{ $json.wait }}' }, { items });
		expect(timeouts().sort()).toEqual([5000, 5001, 5002]);
	});
});

describe('Proxy', () => {
	test('a request goes through the proxy and is the same as without it', async () => {
		const items = letters(1);
		await run({}, { items });
		const { json } = await run({ proxy: proxy.url }, { items });
		expect(json).toEqual([{ success: true }]);
		expect(proxy.passages).toHaveLength(1);
		const [direct, through] = service.requests.map(({ method, target, rawBody, headers }) => {
			const { connection: _way, 'proxy-connection': _throughProxy, ...ours } = headers;
			return { method, target, rawBody, headers: ours };
		});
		expect(through).toEqual(direct);
	});

	test("without 'Proxy' none is used, also right after a run that used one", async () => {
		await run({ proxy: proxy.url });
		await run({});
		await run({ proxy: '' });
		expect(service.requests).toHaveLength(3);
		expect(proxy.passages).toHaveLength(1);
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
		expect(delivered(secure)).toEqual(['Письмо 0']);
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

	test('that is none for one item prevents all requests in stop mode, and the error names the item', async () => {
		const items = letters(3).map((item, index) => ({ ...item, proxy: index === 1 ? 'myproxy' : '' }));
		const { error } = await run({ proxy: '={{ $json.proxy }}' }, { items });
		expect(arrived()).toEqual([]);
		expect(error?.message).toContain("'Proxy'");
		expect(error?.message).toContain('[Item 1]');
	});
});

describe('Ignore SSL Issues', () => {
	const ignoring = { allowUnauthorizedCerts: true };

	test.each([{}, { allowUnauthorizedCerts: false }])(
		'an untrusted certificate is refused with %j, and the error names the option',
		async (options) => {
			const { error } = await run(options, { of: secure });
			expect(error?.message).toContain(untrusted);
			expect(error?.description).toContain("'Ignore SSL Issues'");
			expect(arrived(secure)).toEqual([]);
		},
	);

	test('an untrusted certificate is accepted when the option is on, and refused again by the next run without it', async () => {
		const { json } = await run(ignoring, { of: secure });
		expect(json).toEqual([{ success: true }]);
		expect((await run({}, { of: secure })).error?.message).toContain(untrusted);
		expect(delivered(secure)).toHaveLength(1);
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

describe('Batching', () => {
	const interval = 400;
	const batchesOf = (batchSize: number) => ({ batching: { batch: { batchSize, batchInterval: interval } } });

	/**
	 * Checks that no batch is sent before its time since the start of the run. A batch of which nothing is sent has none. Two arrivals
	 * say less: on a machine that stalls, requests arrive together. A timer can end some milliseconds early.
	 */
	function expectPauses(size: number, startedAt: number) {
		const sent = service.requests;
		const batchOf = ({ input }: (typeof sent)[number]) =>
			Math.floor(numbersIn(String(input.text))[0]! / size);
		const batches = [...new Set(sent.map(batchOf))].sort();
		expect(batches.length).toBeGreaterThan(1);
		for (const request of sent) {
			const pauses = batches.indexOf(batchOf(request));
			expect(request.arrivedAt - startedAt).toBeGreaterThan(pauses * interval - 5);
		}
	}

	test('items are sent in batches, each after the interval', async () => {
		const items = letters(12);
		const startedAt = performance.now();
		const { json } = await run(batchesOf(3), { items });
		expect(json).toHaveLength(items.length);
		expectPauses(3, startedAt);
		// One item at a time would take longer.
		expect(arrivals().at(-1)! - startedAt).toBeLessThan((items.length - 1) * interval);
	});

	test('the pause before a batch remains when its first item is invalid', async () => {
		const items = letters(6);
		const invalid = [2, 4];
		for (const item of invalid) items[item]!.id = 0;
		const startedAt = performance.now();
		const { outputs } = await run(batchesOf(2), { items, node: { onError: 'continueErrorOutput' } });
		expect(outputs[1]!.map(({ pairedItem }) => pairedItem)).toEqual(invalid.map((item) => ({ item })));
		expect(outputs[0]).toHaveLength(items.length - invalid.length);
		expectPauses(2, startedAt);
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

	test.each(['myproxy', 'http://my proxy:3128', 'http://:3128', 'socks5://127.0.0.1:3128'])(
		'a tool call sends nothing with the Proxy %j',
		async (address) => {
			expect(await call({ proxy: address })).not.toEqual([{ success: true }]);
			expect(arrived()).toEqual([]);
		},
	);

	test('a tool call accepts an untrusted certificate only with Ignore SSL Issues', async () => {
		expect(await call({}, secure)).toMatchObject([{ error: expect.stringContaining(untrusted) as string }]);
		expect(arrived(secure)).toEqual([]);
		expect(await call({ allowUnauthorizedCerts: true }, secure)).toEqual([{ success: true }]);
	});
});
