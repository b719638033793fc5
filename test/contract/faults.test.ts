/** Every fault does what it says to the requests that it matches; the emulator records every request, and another process can ask it. */

import { SEEDED, startEmulator, type Delivery, type Emulator, type Fault } from '../../sandbox/emulator';
import { clientOf, until, useEmulator } from './client';

const { bots, contacts } = SEEDED;

const service = useEmulator();
const ask = clientOf(service);

const send = async (text = 'Привет', contact_id: number = contacts.telegram, signal?: AbortSignal) =>
	await ask('sendMessage', { query: { contact_id, text }, faulty: true, signal });

const getTags = async () => await ask('getBotTags', { query: { bot_id: bots.school }, faulty: true });

const allHit = async (count: number) =>
	await until(() => service.requests.filter(({ faults }) => faults.length > 0).length === count);

const durationOf = (index: number) =>
	service.requests[index]!.answeredAt! - service.requests[index]!.arrivedAt;

const asJson = 'application/json; charset=utf-8';
const asPage = 'text/html; charset=UTF-8';

const answers: Array<[Fault, number, string | null, string | RegExp]> = [
	[{ kind: 'server error' }, 500, asJson, /^\{"message":"Server Error"\}$/],
	[{ kind: 'unavailable' }, 503, asPage, /<h1>503 Service Temporarily Unavailable</],
	[{ kind: 'maintenance' }, 503, asJson, /^\{"message":"Service Unavailable"\}$/],
	[{ kind: 'maintenance', page: true }, 503, asPage, /<title>Service Unavailable<\/title>/],
	[{ kind: 'too many' }, 429, asJson, /^\{"message":"Too Many Attempts\."\}$/],
	[{ kind: 'html' }, 200, asPage, /Вход в личный кабинет/],
	[{ kind: 'html', status: 502 }, 502, asPage, /502 Bad Gateway/],
	[{ kind: 'php error' }, 200, asPage, /^<br \/>\n<b>Fatal error<\/b>: {2}[^]* on line <b>41<\/b><br \/>\n$/],
	[{ kind: 'forbidden' }, 200, asJson, /^\{"message":"Forbidden"\}$/],
	[{ kind: 'empty' }, 200, asPage, /^$/],
	[{ kind: 'malformed' }, 200, asJson, /^\{"success":tr$/],
	[{ kind: 'redirect' }, 302, asPage, /^$/],
	[{ kind: 'answer', status: 418, body: { a: 1 } }, 418, asJson, /^\{"a":1\}$/],
	[{ kind: 'answer', status: 200, body: 'ok' }, 200, 'text/plain; charset=utf-8', /^ok$/],
];

test.each(answers)(
	'The fault %j answers before or after the request takes effect',
	async (fault, status, type, text) => {
		const usuallyAfter = ['empty', 'malformed'].includes(fault.kind);
		for (const [when, accepted] of [
			['before', false],
			['after', true],
			[undefined, usuallyAfter],
		] as const) {
			service.reset();
			service.faults.add({ ...fault, when });
			const answer = await send();
			expect([answer.status, answer.headers.get('content-type')]).toEqual([status, type]);
			expect(answer.text).toMatch(text);
			expect(service.requests).toMatchObject([{ accepted, status, faults: [fault.kind] }]);
			expect(service.deliveries()).toHaveLength(accepted ? 1 : 0);
		}
	},
);

test.each<['reset' | 'timeout', Fault['when'], accepted: boolean]>([
	['reset', 'before', false],
	['reset', 'after', true],
	['reset', undefined, false],
	['timeout', 'before', false],
	['timeout', 'after', true],
	['timeout', undefined, true],
])(
	'The fault %s with when: %s gives no answer, and the recording shows whether the request took effect',
	async (kind, when, accepted) => {
		service.faults.add({ kind, when });
		const impatience = new AbortController();
		const failed = send('Привет', contacts.telegram, impatience.signal).catch((error: Error) => error);
		await allHit(1);
		if (kind === 'timeout') {
			expect(service.inFlight.now).toBe(1);
			impatience.abort();
		}
		const code = expect.stringMatching(/ECONNRESET|UND_ERR_SOCKET/) as string;
		expect(await failed).toMatchObject(kind === 'timeout' ? { name: 'AbortError' } : { cause: { code } });
		await until(() => service.inFlight.now === 0);
		expect(service.requests).toMatchObject([{ accepted, status: undefined, answeredAt: undefined }]);
		expect(service.deliveries()).toHaveLength(accepted ? 1 : 0);
	},
);

test.each([
	{ kind: 'unavailable' },
	{ kind: 'maintenance' },
	{ kind: 'maintenance', page: true },
	{ kind: 'too many' },
] as const)('The fault %j sets Retry-After in seconds or not at all', async (fault) => {
	service.faults.add({ ...fault, match: { times: 1 } });
	expect((await send()).headers.get('retry-after')).toBeNull();
	service.faults.add({ ...fault, retryAfter: 7 });
	expect((await send()).headers.get('retry-after')).toBe('7');
});

test('During maintenance neither the token nor the limits are checked', async () => {
	service.setLimits({ account: { requests: 1, windowMs: 60_000 } });
	service.faults.add({ kind: 'maintenance', match: { times: 3 } });
	for (const token of ['wrong', service.token, service.token]) {
		const answer = await ask('getListSchemas', { token });
		expect([answer.status, answer.headers.has('x-ratelimit-limit')]).toEqual([503, false]);
	}
	expect(service.requests.map(({ countedAt }) => countedAt)).toEqual([undefined, undefined, undefined]);
	expect(await getTags()).toMatchObject({ status: 200 });
});

test('A delay waits before or after the request takes effect', async () => {
	service.faults.add({ kind: 'delay', ms: 500, match: { text: 'до' } });
	service.faults.add({ kind: 'delay', ms: 500, match: { text: 'после' }, when: 'after' });
	const asked = Promise.all([send('до'), send('после')]);
	await allHit(2);
	expect(service.deliveries()).toMatchObject([{ text: 'после' }]);
	expect(await asked).toMatchObject([{ status: 200 }, { status: 200 }]);
	for (const index of [0, 1]) expect(durationOf(index)).toBeGreaterThanOrEqual(498);
});

const warning =
	'<br />\n<b>Warning</b>:  Undefined variable $tariff in <b>/var/www/app/Http/Kernel.php</b> on line <b>57</b><br />\n';

test.each(['before', 'after'] as const)(
	"PHP's warning %s the request takes effect turns any answer into a page, but keeps its status and headers",
	async (when) => {
		service.setLimits({ account: { requests: 2, windowMs: 60_000 } });
		service.faults.add({ kind: 'php warning', when });
		const done = await send();
		expect(done).toMatchObject({ status: 200, text: `${warning}{"success":true}` });
		expect(done.headers.get('content-type')).toBe(asPage);
		expect(service.requests).toMatchObject([{ accepted: true, status: 200, faults: ['php warning'] }]);
		const invalid = await ask('sendMessage', { faulty: true });
		expect(invalid.status).toBe(422);
		expect(invalid.text.startsWith(`${warning}{"message":"The given data was invalid."`)).toBe(true);
		expect(invalid.headers.get('x-ratelimit-remaining')).toBe('0');
		const refused = await send();
		expect(refused).toMatchObject({ status: 429, text: `${warning}{"message":"Too Many Attempts."}` });
		expect(refused.headers.has('retry-after')).toBe(true);
		expect(service.deliveries()).toHaveLength(1);
	},
);

test.each<[Omit<Fault, 'kind'>, ids: number[]]>([
	[{}, [1, 2, 3, 4, 5, 6]],
	[{ when: 'after' }, [1, 2, 3, 4, 5]],
	[{ match: { path: 'sendMessage' } }, [2, 3, 4, 6]],
	[{ match: { path: 'getBotTags' } }, [1]],
	[{ match: { recipient: contacts.vk } }, [3]],
	[{ match: { recipient: '284119035' } }, [4]],
	[{ match: { recipient: '79035550101' } }, [5]],
	[{ match: { text: 'два' } }, [3]],
	[{ match: { where: ({ id }) => id > 4 } }, [5, 6]],
	[{ match: { nth: 2 } }, [2]],
	[{ match: { path: 'sendMessage', nth: [2, 3] } }, [3, 4]],
	[{ match: { times: 2 } }, [1, 2]],
	// The last request is refused, so a fault after its effect does not count it.
	[{ when: 'after', match: { path: 'sendMessage', nth: 4 } }, []],
])('Of six requests, a fault with %j applies to %j', async (when, ids) => {
	service.faults.add({ kind: 'server error', ...when });
	const bot_id = bots.school;
	const inTelegram = { bot_id, messenger: 'telegram', contact_external_id: '284119035' };
	await getTags();
	await send('раз', contacts.telegram);
	await send('два', contacts.vk);
	await ask('sendMessage', { body: { ...inTelegram, text: 'три' } });
	await ask('sendMessageToWhatsApp', { body: { bot_id, phone: '79035550101', text: 'четыре' } });
	await send('пять', 1);
	expect(service.requests.filter(({ status }) => status === 500).map(({ id }) => id)).toEqual(ids);
});

describe('the recording', () => {
	const send = async (text: string, contact_id: number = contacts.telegram) =>
		await ask('sendMessage', { query: { contact_id, text }, faulty: true });

	/** Like a request of curl. */
	async function control<Body = unknown>(path: string, body?: unknown) {
		const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
		const answer = await fetch(`${service.url}/sandbox/${path}`, init);
		return { status: answer.status, json: (await answer.json()) as Body };
	}

	test('A recorded request contains what was sent and its outcome', async () => {
		const before = performance.now();
		const body = { contact_id: contacts.telegram, name: 'VIP' };
		await ask('attachTagToContact', { body });
		const [request] = service.requests;
		expect(request).toMatchObject({
			id: 1,
			method: 'POST',
			path: '/api/v1/attachTagToContact',
			target: `/api/v1/attachTagToContact?api_token=${service.token}`,
			operation: 'attachTagToContact',
			query: { api_token: service.token },
			headers: { accept: 'application/json', 'x-requested-with': 'XMLHttpRequest' },
			body,
			rawBody: JSON.stringify(body),
			input: { ...body, api_token: service.token },
			status: 200,
			accepted: true,
			refusedBy: undefined,
			faults: [],
		});
		const { arrivedAt, answeredAt = 0 } = request!;
		expect(before <= arrivedAt && arrivedAt < answeredAt && answeredAt <= performance.now()).toBe(true);
	});

	test('A request is recorded before it is answered, and counted while it is in progress', async () => {
		service.faults.add({ kind: 'delay', ms: 500 });
		const asked = Promise.all([send('раз'), send('два')]);
		await until(() => service.requests.length === 2);
		expect(service.requests[0]).toMatchObject({ status: undefined, answeredAt: undefined, accepted: false });
		expect(service.inFlight).toEqual({ now: 2, peak: 2 });
		await asked;
		await until(() => service.inFlight.now === 0);
		expect(service.inFlight.peak).toBe(2);
	});

	test('Another process can read requests, deliveries and violations, and is not recorded itself', async () => {
		await send('раз');
		await send('два', contacts.vk);
		await ask('getBotTags', { query: { bot_id: bots.school, limit: 1 } });
		const { json } = await control<Pick<Emulator, 'requests' | 'inFlight'>>('requests');
		const names = json.requests.map(({ operation }) => operation);
		expect(names).toEqual(['sendMessage', 'sendMessage', 'getBotTags']);
		expect(json.inFlight).toMatchObject({ peak: 1 });
		const deliveries = (await control<Delivery[]>('deliveries')).json;
		expect(deliveries.map(({ contactId, text }) => [contactId, text])).toEqual([
			[contacts.telegram, 'раз'],
			[contacts.vk, 'два'],
		]);
		const problems = ['/query must NOT have additional properties: limit'];
		const violation = { request: { operation: 'getBotTags' }, problems };
		expect((await control('violations')).json).toMatchObject([violation]);
		expect(service.requests).toHaveLength(3);
	});

	test('Another process can add one or several faults, and clear them', async () => {
		const added = await control('faults', { kind: 'forbidden', match: { text: 'раз' } });
		expect(added.json).toEqual({ added: 1 });
		expect(await send('раз')).toMatchObject({ json: { message: 'Forbidden' } });
		await control('faults', [{ kind: 'server error' }, { kind: 'delay', ms: 1 }]);
		expect(await send('два')).toMatchObject({ status: 500 });
		await control('faults', []);
		expect(await send('раз')).toMatchObject({ json: { success: true } });
		const unknown = { status: 500, json: { message: 'Server Error: no such fault: {"kind":"fire"}' } };
		expect(await control('faults', { kind: 'fire' })).toEqual(unknown);
	});

	test('Another process can set limits, switch them off, and reset the service', async () => {
		const account = { requests: 1, windowMs: 90_000, window: 'fixed' };
		await control('limits', { account, retryAfter: 'rounded down', headers: 'words' });
		expect(await send('раз')).toMatchObject({ status: 200 });
		const refused = await send('два');
		expect(refused).toMatchObject({ status: 429 });
		expect(Number(refused.headers.get('retry-after'))).toBeLessThan(90);
		expect(refused.headers.get('x-ratelimit-remaining')).toBe('plenty');
		await control('limits', false);
		expect(await send('три')).toMatchObject({ status: 200 });
		await control('faults', { kind: 'forbidden' });
		expect((await control('reset', {})).status).toBe(200);
		expect(service.requests).toEqual([]);
		expect(await send('четыре')).toMatchObject({ json: { success: true } });
	});

	test('The emulator accepts a port and a certificate, and frees the port when it stops with open connections', async () => {
		const first = await startEmulator({ tls: true });
		expect(first.url).toMatch(/^https:\/\/localhost:\d+$/);
		await expect(fetch(`${first.url}/login`)).rejects.toMatchObject({
			cause: { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' },
		});
		await first.stop();

		const second = await startEmulator({ port: Number(new URL(first.url).port) });
		second.faults.add({ kind: 'timeout' });
		const getLists = async () => await clientOf(second)('getListSchemas');
		const hanging = expect(getLists()).rejects.toThrow();
		await until(() => second.inFlight.now === 1);
		await second.stop();
		await hanging;
		await expect(getLists()).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } });
	});
});
