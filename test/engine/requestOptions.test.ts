import { readFileSync } from 'node:fs';
import { ClientRequest } from 'node:http';
import { join } from 'node:path';
import tls from 'node:tls';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { addContacts, type Service } from '../../sandbox/service';
import { operationOf, unknownOf } from '../operations';
import { callAsTool, credentialFor, runNode, useService, type RunOptions } from './harness';
import { startProxy, type Proxy } from './proxy';

/*
 * The settings that n8n adds to every declarative node, 'Request Options'. For a node that owns its run they are the node's
 * to honour; only where it is called as older AI agents do, n8n's engine still reads them.
 */

const unknownMessage = unknownOf(operationOf('message/send'));

const service = useService();
const secure = useService({ tls: true });
let proxy: Proxy;
beforeAll(async () => {
	proxy = await startProxy();
});
afterEach(() => {
	jest.restoreAllMocks();
	proxy.passages.length = 0;
});
afterAll(async () => await proxy.stop());

/** 1.x and 2.8 of n8n forget 'Ignore SSL Issues' in the tunnel of a proxy, and no node can remind them. */
const ignoresSslThroughProxy = (process.env.ENGINE ?? '2.8') === '2.41';

const send: INodeParameters = {
	resource: 'message',
	operation: 'send',
	contactId: '={{ $json.id }}',
	text: '={{ $json.text }}',
};
const attach: INodeParameters = {
	resource: 'tag',
	operation: 'attach',
	contactId: '={{ $json.id }}',
	tagName: { __rl: true, mode: 'name', value: 'VIP' },
};

interface Asked extends Partial<RunOptions> {
	/** The service that is asked; the one without https by default. */
	of?: Service;
}

/** Runs the node with what was set under 'Request Options'; it sends messages unless something else is given. */
async function run(requestOptions: INodeParameters, { of = service, ...options }: Asked = {}) {
	const { parameters = send, credential = credentialFor(of), items = letters(1, of) } = options;
	return await runNode({ ...options, credential, items, parameters: { ...parameters, requestOptions } });
}

/** Messages to as many different people. */
const letters = (count: number, { data }: Service = service) =>
	addContacts(data, count).map(({ id }, index) => ({ id, text: `Письмо ${index}` }) as IDataObject);
const delivered = ({ deliveries }: Service = service) => deliveries().map(({ text }) => text);
/** Texts of the requests that came to the service, whatever became of them. */
const arrived = ({ requests }: Service = service) => requests.map(({ input }) => input.text);
const arrivals = () => service.requests.map(({ arrivedAt }) => arrivedAt);
const pause = async (milliseconds: number) =>
	await new Promise((resolve) => setTimeout(resolve, milliseconds));

/** What is said of a request that was not answered in time, beside what may have become of it. */
const moreTime = "To wait longer, raise 'Timeout' under 'Request Options' in the Settings of the node.";

/** The time-outs of the requests that leave from now on, as Node.js is told them. */
function watchTimeouts() {
	const watched = jest.spyOn(ClientRequest.prototype, 'setTimeout');
	return () => watched.mock.calls.map(([milliseconds]) => milliseconds);
}

const certificate = (name: 'cert.pem' | 'key.pem') =>
	readFileSync(join(__dirname, '../../sandbox/service/tls', name));

/** Makes the certificate of the stand-in one that is trusted, as one of a known authority is. */
function trustCertificate() {
	const ca = certificate('cert.pem');
	const connect = tls.connect as (options: tls.ConnectionOptions) => tls.TLSSocket;
	jest
		.spyOn(tls, 'connect')
		.mockImplementation(((options: tls.ConnectionOptions) =>
			connect({ ...options, ca })) as typeof tls.connect);
}

describe('Timeout', () => {
	test.each([
		['later than Timeout allows', { kind: 'delay', ms: 5000 }],
		['not at all', { kind: 'timeout' }],
	] as const)(
		'a message whose answer comes %s is said to be perhaps delivered, and is not sent again',
		async (_name, fault) => {
			service.faults.add(fault);
			const startedAt = performance.now();
			const { error } = await run({ timeout: 500 });
			const took = performance.now() - startedAt;
			expect(error?.message).toBe('The service did not answer in time [Item 0]');
			expect(error?.description).toBe(`${unknownMessage} ${moreTime}`);
			expect(took).toBeGreaterThan(450);
			expect(took).toBeLessThan(5000);
			expect(service.requests).toHaveLength(1);
		},
	);

	test.each(['continueErrorOutput', 'continueRegularOutput'] as const)(
		'where a run goes on after errors, only the item that timed out fails (On Error: %s)',
		async (onError) => {
			service.faults.add({ kind: 'timeout', match: { text: 'Письмо 1' } });
			const { outputs, error } = await run({ timeout: 500 }, { items: letters(3), node: { onError } });
			expect(error).toBeUndefined();
			const failed = outputs.flat().filter(({ json }) => json.error);
			expect(failed.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 1 }]);
			expect(failed[0]!.json).toMatchObject({
				error: 'The service did not answer in time [Item 1]',
				message: `${unknownMessage} ${moreTime}`,
			});
			expect(outputs.flat()).toHaveLength(3);
			expect(service.requests).toHaveLength(3);
		},
	);

	test('what is harmless to repeat is repeated after a time-out, and has as much time again', async () => {
		const timeouts = watchTimeouts();
		service.faults.add({ kind: 'timeout', match: { times: 1 } });
		const { json, error } = await run({ timeout: 500 }, { parameters: attach });
		expect(error).toBeUndefined();
		expect(json).toEqual([{ success: true }]);
		expect(service.requests).toHaveLength(2);
		expect(timeouts()).toEqual([500, 500]);
	});

	test('an answer that is slow, but faster than the time-out, is taken', async () => {
		service.faults.add({ kind: 'delay', ms: 700 });
		const startedAt = performance.now();
		const { json } = await run({ timeout: 15_000 });
		expect(performance.now() - startedAt).toBeGreaterThan(650);
		expect(json).toEqual([{ success: true }]);
		expect(service.requests).toHaveLength(1);
	});

	test.each([
		['no Timeout', {}],
		['a Timeout of 0', { timeout: 0 }],
	])('a request with %s may take 300 seconds, as with any declarative node', async (_name, options) => {
		const timeouts = watchTimeouts();
		const { json } = await run(options);
		expect(json).toEqual([{ success: true }]);
		expect(timeouts()).toEqual([300_000]);
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

	test('all items and all repetitions go through the proxy', async () => {
		service.faults.add({ kind: 'server error', match: { nth: 2 } });
		const { json } = await run({ proxy: proxy.url }, { parameters: attach, items: letters(4) });
		expect(json).toHaveLength(4);
		expect(service.requests).toHaveLength(5);
		expect(proxy.passages).toHaveLength(5);
	});

	test('without the option no proxy is used, also right after a run that used one', async () => {
		await run({ proxy: proxy.url });
		await run({});
		await run({ proxy: '' });
		expect(service.requests).toHaveLength(3);
		expect(proxy.passages).toHaveLength(1);
	});

	test.each([
		['letters', 'maria', 'geheim'],
		['@ and /', 'maria@example.com', 'p@ss/wört'],
		['Cyrillic letters', 'Мария', 'пароль'],
		['a colon', 'maria', 'ge:heim:'],
		['a percent sign', 'maria', '100%41'],
	])('the proxy gets user name and password as they are: with %s', async (_name, name, password) => {
		const guarded = await startProxy({ user: `${name}:${password}` });
		try {
			const user = `${encodeURIComponent(name)}:${encodeURIComponent(password)}`;
			const { json, error } = await run({ proxy: guarded.url.replace('//', `//${user}@`) });
			expect(error).toBeUndefined();
			expect(json).toEqual([{ success: true }]);
			expect(guarded.passages.map((passage) => passage.user)).toEqual([`${name}:${password}`]);
			expect(service.requests).toHaveLength(1);
		} finally {
			await guarded.stop();
		}
	});

	test.each(['http', 'https'])(
		'a proxy that does not know the user lets nothing through, and the message for an %s service names the option',
		async (protocol) => {
			if (protocol === 'https') trustCertificate();
			const of = protocol === 'https' ? secure : service;
			const guarded = await startProxy({ user: 'maria:geheim' });
			try {
				const { error } = await run({ proxy: guarded.url.replace('//', '//maria:falsch@') }, { of });
				expect(arrived(of)).toEqual([]);
				expect(guarded.passages).toHaveLength(1);
				expect(error?.message).toMatch(/proxy/i);
				expect(error?.description).toContain("'Proxy'");
			} finally {
				await guarded.stop();
			}
		},
	);

	test('an https service is asked through a tunnel, in which the proxy sees nothing of the request', async () => {
		trustCertificate();
		const { json, error } = await run({ proxy: proxy.url }, { of: secure });
		expect(error).toBeUndefined();
		expect(json).toEqual([{ success: true }]);
		expect(delivered(secure)).toEqual(['Письмо 0']);
		const target = new URL(secure.url).host;
		expect(proxy.passages).toEqual([{ method: 'CONNECT', target, user: undefined }]);
	});

	test('a proxy that speaks https itself is used too', async () => {
		trustCertificate();
		const hidden = await startProxy({ tls: { key: certificate('key.pem'), cert: certificate('cert.pem') } });
		try {
			const { json, error } = await run({ proxy: hidden.url });
			expect(error).toBeUndefined();
			expect(json).toEqual([{ success: true }]);
			expect(hidden.passages).toHaveLength(1);
		} finally {
			await hidden.stop();
		}
	});

	describe('an address that is none', () => {
		const none = [
			['a name alone', () => 'myproxy'],
			['a name with a space', () => 'http://my proxy:3128'],
			['no protocol', () => new URL(proxy.url).host],
			['no protocol, and a name', () => proxy.url.replace('http://127.0.0.1', 'localhost')],
			['no host', () => 'http://:3128'],
			['a port that there is not', () => 'http://myproxy:99999'],
			['a protocol that n8n does not speak to proxies', () => proxy.url.replace('http', 'socks5')],
		] as const;

		test.each(none)('refuses the run before anything leaves, and says so: %s', async (_name, address) => {
			const { error } = await run({ proxy: address() }, { items: letters(3) });
			expect(arrived()).toEqual([]);
			expect(proxy.passages).toEqual([]);
			expect(error?.message).toContain("'Proxy'");
			expect(error?.description).toMatch(/http:\/\/\S+:\d+/);
		});

		test('fails every item where a run goes on after errors, and nothing leaves', async () => {
			const { outputs, error } = await run(
				{ proxy: 'myproxy' },
				{ items: letters(3), node: { onError: 'continueErrorOutput' } },
			);
			expect(arrived()).toEqual([]);
			expect(error).toBeUndefined();
			expect(outputs[1]!.map(({ pairedItem }) => pairedItem)).toEqual([0, 1, 2].map((item) => ({ item })));
			for (const { json } of outputs[1]!) expect(json.error).toContain("'Proxy'");
		});
	});

	test('where no proxy listens the service cannot be reached, and nothing goes around the proxy', async () => {
		const gone = await startProxy();
		await gone.stop();
		const { error } = await run({ proxy: gone.url });
		expect(error?.message).toContain('cannot be reached');
		expect(arrived()).toEqual([]);
	});
});

describe('Ignore SSL Issues', () => {
	const ignoring = { allowUnauthorizedCerts: true };

	test.each([
		['not set', {}],
		['off', { allowUnauthorizedCerts: false }],
	])('a certificate that nobody vouches for is refused where the option is %s', async (_name, options) => {
		const { error } = await run(options, { of: secure });
		expect(error?.message).toContain('certificate is not trusted');
		expect(error?.description).toContain("'Ignore SSL Issues'");
		expect(arrived(secure)).toEqual([]);
	});

	test('such a certificate is taken where the option is on', async () => {
		const { json, error } = await run(ignoring, { of: secure, items: letters(3, secure) });
		expect(error).toBeUndefined();
		expect(json).toHaveLength(3);
		expect(delivered(secure)).toHaveLength(3);
	});

	test('what one run ignores the next one refuses again', async () => {
		await run(ignoring, { of: secure });
		const { error } = await run({}, { of: secure });
		expect(error?.message).toContain('certificate is not trusted');
		expect(secure.requests).toHaveLength(1);
	});

	test('through a proxy such a certificate is taken where n8n can, and else refused with nothing sent', async () => {
		const { json, error } = await run({ ...ignoring, proxy: proxy.url }, { of: secure });
		expect(proxy.passages.map(({ method }) => method)).toEqual(['CONNECT']);
		if (ignoresSslThroughProxy) {
			expect(json).toEqual([{ success: true }]);
			expect(secure.requests).toHaveLength(1);
		} else {
			expect(error?.message).toContain('certificate is not trusted');
			expect(arrived(secure)).toEqual([]);
		}
	});
});

describe('Batching', () => {
	const batches = (batchSize: number, batchInterval: number) => ({
		batching: { batch: { batchSize, batchInterval } },
	});
	/** So many milliseconds too early, and a wait was none. */
	const slack = 5;

	test.each([
		[2, 'two', 2],
		[3, 'three', 3],
		[0, 'one', 1],
	])(
		'with %i items per batch, %s leave at a time, and the next after the interval',
		async (...[batchSize, , together]) => {
			const interval = 400;
			// What is slow once, the first time, would count as part of an interval.
			await run({});
			service.reset();
			const items = letters(together * 4);
			const startedAt = performance.now();
			const { json } = await run(batches(batchSize, interval), { items });
			expect(json).toHaveLength(items.length);
			const times = arrivals();
			for (const [index, time] of times.entries()) {
				const batch = Math.floor(index / together);
				expect(time - startedAt).toBeGreaterThanOrEqual(batch * interval - slack);
				if (batch > 0) expect(time - times[(batch - 1) * together]!).toBeGreaterThan(interval / 2);
			}
			// One at a time it would be later.
			if (together > 1) expect(times.at(-1)! - startedAt).toBeLessThan((items.length - 1) * interval);
		},
	);

	test.each([
		['-1 items per batch', -1, 2000],
		['an interval of 0', 1, 0],
	])('with %s, items leave without a pause', async (_name, batchSize, batchInterval) => {
		const { json } = await run(batches(batchSize, batchInterval), { items: letters(4) });
		expect(json).toHaveLength(4);
		const times = arrivals();
		expect(times.at(-1)! - times[0]!).toBeLessThan(2000);
	});

	test.each([{ batching: {} }, { batching: { batch: {} } }])(
		'as n8n stores it when nothing was added, it changes nothing: %j',
		async (options) => {
			const { json, error } = await run(options as INodeParameters, { items: letters(3) });
			expect(error).toBeUndefined();
			expect(json).toHaveLength(3);
		},
	);

	test('in stop mode all items are checked before the first batch leaves', async () => {
		const items = letters(6);
		items[5]!.id = 0;
		const { error } = await run(batches(2, 300), { items });
		await pause(700);
		expect(arrived()).toEqual([]);
		expect(error?.message).toContain("'Contact ID'");
		expect(error?.message).toContain('[Item 5]');
		expect(error?.description).toContain('Of 6 items, 0 were done, 1 failed and 5 were not sent');
	});

	test('in stop mode an expression of the last item that cannot be evaluated holds back all batches', async () => {
		const text = "={{ $itemIndex === 5 ? $('Nowhere').item.json.x : $json.text }}";
		const { error } = await run(batches(2, 300), { parameters: { ...send, text }, items: letters(6) });
		await pause(700);
		expect(error).toBeDefined();
		expect(arrived()).toEqual([]);
	});

	test.each(['continueErrorOutput', 'continueRegularOutput'] as const)(
		'where a run goes on after errors, only the invalid item is left out of its batch (On Error: %s)',
		async (onError) => {
			const items = letters(5);
			items[1]!.id = 0;
			const { outputs } = await run(batches(2, 100), { items, node: { onError } });
			expect(delivered().sort()).toEqual([0, 2, 3, 4].map((item) => `Письмо ${item}`));
			const failed = outputs.flat().filter(({ json }) => json.error);
			expect(failed.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 1 }]);
			expect(outputs.flat()).toHaveLength(5);
		},
	);

	test('after a refused item the following batches are not sent, and what was is counted', async () => {
		// The last of its batch: whatever its answer keeps from leaving comes behind it.
		service.faults.add({ kind: 'forbidden', match: { text: 'Письмо 3' } });
		const { error } = await run(batches(2, 400), { items: letters(8) });
		expect(error?.message).toContain('[Item 3]');
		expect(error?.description).toContain('Of 8 items, 3 were done, 1 failed and 4 were not sent');
		await pause(900);
		expect(delivered().sort()).toEqual([0, 1, 2].map((item) => `Письмо ${item}`));
		expect(service.requests).toHaveLength(4);
	});

	test('a refused item ends the run at once, also in the pause between two batches', async () => {
		service.faults.add({ kind: 'forbidden', match: { text: 'Письмо 0' } });
		const { error } = await run(batches(1, 10_000), { items: letters(3) });
		expect(error?.message).toContain('[Item 0]');
		expect(performance.now() - service.requests[0]!.answeredAt!).toBeLessThan(5000);
	});

	test('a run that is stopped in the pause between two batches ends at once and sends nothing more', async () => {
		let cancel = () => {};
		const interval = 5000;
		const running = run(batches(1, interval), { items: letters(3), onStart: (stop) => (cancel = stop) });
		while (service.requests[0]?.answeredAt === undefined) await pause(10);
		await pause(200);
		const canceledAt = performance.now();
		cancel();
		const { run: result } = await running;
		expect(performance.now() - canceledAt).toBeLessThan(0.8 * interval);
		expect(result.status).toBe('canceled');
		await pause(interval);
		expect(service.requests).toHaveLength(1);
	});
});

describe('in the hands of an AI agent that calls the tool by itself', () => {
	/** A call with what was set under 'Request Options'. */
	async function call(requestOptions: INodeParameters, of: Service = service) {
		const [{ id }] = letters(1, of) as [IDataObject];
		const parameters = { ...send, contactId: String(id), text: "={{ $fromAI('text') }}", requestOptions };
		const calls = [{ arguments: { text: 'Чем помочь?' } }];
		const [result] = await callAsTool({ parameters, credential: credentialFor(of) }, calls);
		return result;
	}

	test('a message that is not answered in time is said to be perhaps delivered', async () => {
		const timeouts = watchTimeouts();
		service.faults.add({ kind: 'timeout' });
		expect(await call({ timeout: 500 })).toEqual([
			{
				error: 'The service did not answer in time',
				message: `${unknownMessage} ${moreTime}`,
			},
		]);
		expect(service.requests).toHaveLength(1);
		expect(timeouts()).toEqual([500]);
	});

	test('without Timeout a request may take 300 seconds', async () => {
		const timeouts = watchTimeouts();
		expect(await call({})).toEqual([{ success: true }]);
		expect(timeouts()).toEqual([300_000]);
	});

	test('the call goes through the proxy, with user name and password', async () => {
		expect(await call({ proxy: proxy.url.replace('//', '//maria:p%40ss@') })).toEqual([{ success: true }]);
		expect(proxy.passages.map(({ user }) => user)).toEqual(['maria:p@ss']);
		expect(service.requests).toHaveLength(1);
	});

	test.each(['myproxy', 'http://:3128'])(
		'with an address that is none as Proxy nothing leaves: %s',
		async (address) => {
			const result = await call({ proxy: address });
			expect(result).not.toEqual([{ success: true }]);
			expect(arrived()).toEqual([]);
		},
	);

	test('with a Proxy of a protocol that n8n does not speak to proxies nothing leaves', async () => {
		const result = await call({ proxy: proxy.url.replace('http', 'socks5') });
		expect(result).not.toEqual([{ success: true }]);
		expect(arrived()).toEqual([]);
		expect(proxy.passages).toEqual([]);
	});

	test('a certificate that nobody vouches for is taken only with Ignore SSL Issues', async () => {
		expect(await call({}, secure)).toMatchObject([
			{ error: expect.stringContaining('certificate is not trusted') as string },
		]);
		expect(arrived(secure)).toEqual([]);
		expect(await call({ allowUnauthorizedCerts: true }, secure)).toEqual([{ success: true }]);
	});
});

describe('options given as expressions', () => {
	test("Timeout is each item's own, as with any declarative node", async () => {
		const timeouts = watchTimeouts();
		const items = letters(3).map((item, index) => ({ ...item, wait: 5000 + index }));
		const { json } = await run({ timeout: '={{ $json.wait }}' }, { items });
		expect(json).toHaveLength(3);
		expect(timeouts().sort()).toEqual([5000, 5001, 5002]);
	});

	test("Proxy is each item's own, as with any declarative node", async () => {
		const other = await startProxy();
		try {
			const addresses = [proxy.url, other.url, ''];
			const items = letters(3).map((item, index) => ({ ...item, proxy: addresses[index] }));
			const { json } = await run({ proxy: '={{ $json.proxy }}' }, { items });
			expect(json).toHaveLength(3);
			expect(service.requests).toHaveLength(3);
			expect([proxy, other].map(({ passages }) => passages.length)).toEqual([1, 1]);
		} finally {
			await other.stop();
		}
	});

	test('in stop mode an address that is none for one item holds back all, and that item is named', async () => {
		const items = letters(3).map((item, index) => ({ ...item, proxy: index === 1 ? 'myproxy' : '' }));
		const { error } = await run({ proxy: '={{ $json.proxy }}' }, { items });
		expect(arrived()).toEqual([]);
		expect(error?.message).toContain("'Proxy'");
		expect(error?.message).toContain('[Item 1]');
	});

	test('Batching is that of the first item, as with any declarative node', async () => {
		const items = letters(3).map((item, index) => ({
			...item,
			size: index === 0 ? 1 : 50,
			wait: index === 0 ? 300 : 0,
		}));
		const startedAt = performance.now();
		const { json } = await run(
			{ batching: { batch: { batchSize: '={{ $json.size }}', batchInterval: '={{ $json.wait }}' } } },
			{ items },
		);
		expect(json).toHaveLength(3);
		for (const [index, time] of arrivals().entries())
			expect(time - startedAt).toBeGreaterThanOrEqual(index * 300 - 5);
	});

	test.each([undefined, 'continueErrorOutput', 'continueRegularOutput'] as const)(
		'nothing leaves when one cannot be evaluated (On Error: %s)',
		async (onError) => {
			await run({ proxy: "={{ $('Nowhere').item.json.proxy }}" }, { items: letters(3), node: { onError } });
			expect(arrived()).toEqual([]);
		},
	);
});
