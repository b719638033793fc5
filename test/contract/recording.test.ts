/** The emulator records every request, and another process can query and configure it. */

import { SEEDED, startEmulator, type Delivery, type Emulator } from '../../sandbox/emulator';
import { clientOf, until, useEmulator } from './client';

const { bots, contacts } = SEEDED;

const service = useEmulator();
const ask = clientOf(service);

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
