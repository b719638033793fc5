/** The stand-in records every request, and can be asked and set from another process. */

import { SEEDED, startService, type Delivery, type Service } from '../../sandbox/service';
import type { Recipient } from '../../sandbox/service/routes/control';
import { ask, until } from './client';

const { bots, contacts } = SEEDED;

let service: Service;
beforeAll(async () => {
	service = await startService();
});
afterEach(() => service.reset());
afterAll(async () => await service.stop());

const send = async (text: string, contact_id: number = contacts.telegram) =>
	await ask(service, 'POST', 'sendMessage', { query: { contact_id, text }, faulty: true });

async function control<Body = unknown>(path: string, body?: unknown) {
	const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
	const answer = await fetch(`${service.url}/sandbox/${path}`, init);
	return { status: answer.status, json: (await answer.json()) as Body };
}

describe('a recorded request', () => {
	it('holds what was sent and what became of it', async () => {
		const before = performance.now();
		const body = { contact_id: contacts.telegram, name: 'VIP' };
		await ask(service, 'POST', 'attachTagToContact', { body });
		const [request] = service.requests;
		expect(request).toMatchObject({
			id: 1,
			method: 'POST',
			path: '/api/v1/attachTagToContact',
			target: `/api/v1/attachTagToContact?api_token=${service.token}`,
			operation: 'attachTagToContact',
			query: { api_token: service.token },
			body,
			rawBody: JSON.stringify(body),
			input: { ...body, api_token: service.token },
			status: 200,
			accepted: true,
			refusedBy: undefined,
			faults: [],
		});
		expect(request?.headers).toMatchObject({
			accept: 'application/json',
			'x-requested-with': 'XMLHttpRequest',
		});
		const { arrivedAt = 0, answeredAt = 0 } = request ?? {};
		expect(before <= arrivedAt && arrivedAt < answeredAt && answeredAt <= performance.now()).toBe(true);
	});

	it('has the number of its connection', async () => {
		service.faults.add({ kind: 'delay', ms: 500 });
		await Promise.all([send('раз'), send('два')]);
		const [first, second] = service.requests;
		expect(first?.connection).not.toBe(second?.connection);
		expect(service.inFlight.peak).toBe(2);
	});

	it('is there before its answer is', async () => {
		service.faults.add({ kind: 'delay', ms: 500 });
		const asked = send('раз');
		await until(() => service.requests.length === 1);
		expect(service.requests[0]).toMatchObject({ status: undefined, answeredAt: undefined, accepted: false });
		expect(service.inFlight.now).toBe(1);
		await asked;
		await until(() => service.inFlight.now === 0);
	});
});

describe('another process', () => {
	it('is told requests, deliveries and violations, and is not recorded itself', async () => {
		await send('раз');
		await send('два', contacts.vk);
		await send('три');
		await ask(service, 'GET', 'getBotTags', { query: { bot_id: bots.school, limit: 1 } });
		const { json } = await control<Pick<Service, 'requests' | 'inFlight'>>('requests');
		expect(json.requests.map(({ operation }) => operation)).toEqual([
			...['sendMessage', 'sendMessage', 'sendMessage', 'getBotTags'],
		]);
		expect(json.inFlight).toMatchObject({ peak: 1 });
		const deliveries = (await control<{ deliveries: Delivery[]; recipients: Recipient[] }>('deliveries'))
			.json;
		expect(deliveries.deliveries.map(({ text }) => text)).toEqual(['раз', 'два', 'три']);
		expect(deliveries.recipients).toEqual([
			{ contactId: contacts.telegram, messenger: 'telegram', count: 2, texts: ['раз', 'три'] },
			{ contactId: contacts.vk, messenger: 'vk', count: 1, texts: ['два'] },
		]);
		expect((await control('violations')).json).toMatchObject([
			{
				request: { operation: 'getBotTags' },
				problems: ['/query must NOT have additional properties: limit'],
			},
		]);
		expect(service.requests).toHaveLength(4);
	});

	it('adds and clears faults', async () => {
		expect((await control('faults', { kind: 'forbidden', match: { text: 'раз' } })).json).toEqual({
			added: 1,
		});
		expect(await send('раз')).toMatchObject({ json: { message: 'Forbidden' } });
		await control('faults', [{ kind: 'server error' }, { kind: 'delay', ms: 1 }]);
		expect(await send('два')).toMatchObject({ status: 500 });
		await control('faults', []);
		expect(await send('раз')).toMatchObject({ json: { success: true } });
		expect(await control('faults', { kind: 'fire' })).toMatchObject({ status: 400 });
	});

	it('sets limits', async () => {
		expect((await control('limits', { account: { requests: 1, windowMs: 60_000 } })).status).toBe(200);
		expect([(await send('раз')).status, (await send('два')).status]).toEqual([200, 429]);
		await control('limits', false);
		expect(await send('три')).toMatchObject({ status: 200 });
		for (const wrong of [
			null,
			{ speed: 1 },
			{ scale: 0 },
			{ messengers: { icq: null } },
			{ account: { requests: 0 } },
			{ account: { requests: 1, windowMs: 1, window: 'open' } },
			{ messengers: { viber: { requests: 1, windowMs: 1, window: null } } },
			{ retryAfter: 'never' },
			{ headers: 'loud' },
			{ headers: null },
		]) {
			expect([wrong, (await control('limits', wrong)).status]).toEqual([wrong, 400]);
		}
	});

	it('sets what a real Laravel does', async () => {
		const account = { requests: 1, windowMs: 90_000, window: 'fixed' };
		const limits = { account, retryAfter: 'cut off', headers: 'words' };
		expect((await control('limits', limits)).status).toBe(200);
		await control('faults', [
			{ kind: 'php warning', match: { times: 1 } },
			{ kind: 'delay', ms: [0, 5] },
		]);
		expect((await send('раз')).text).toMatch(/<b>Warning<\/b>[^]*\{"success":true\}$/);
		const refused = await send('два');
		expect(refused).toMatchObject({ status: 429 });
		expect(refused.headers.get('retry-after')).toBe('89');
		expect(refused.headers.get('x-ratelimit-remaining')).toBe('plenty');
		await control('faults', { kind: 'maintenance', page: true, retryAfter: 5 });
		expect((await send('три')).headers.get('retry-after')).toBe('5');
	});

	it('sets the shapes of answers', async () => {
		expect((await control('answers', { sendMessage: 'json 1' })).json).toMatchObject({
			answers: { sendMessage: 'json 1', attachTagToContact: '[]' },
		});
		expect((await send('раз')).text).toBe('1');
		expect((await control('answers', 'text ok')).status).toBe(200);
		expect((await send('два')).text).toBe('ok');
		expect((await control('answers', { createListSchema: 'bare', getListSchema: 'bare' })).status).toBe(200);
		for (const wrong of [
			null,
			['text ok'],
			'text maybe',
			{ sendMessage: 'data' },
			{ getListSchema: 'text ok' },
			{ getBotTags: '[]' },
		]) {
			expect([wrong, (await control('answers', wrong)).status]).toEqual([wrong, 400]);
		}
		await control('reset', {});
		expect((await send('три')).text).toBe('{"success":true}');
	});

	it('adds contacts and resets', async () => {
		const seeded = service.data.contacts.size;
		const { json } = await control('contacts', { count: 3, botId: bots.flowers, messenger: 'viber' });
		expect(json).toMatchObject([{ messenger: 'viber', botId: bots.flowers }, {}, {}]);
		expect((await control('contacts')).json).toHaveLength(seeded + 3);
		expect(await control('contacts', { count: 1, botId: 9 })).toMatchObject({ status: 400 });
		expect(await control('contacts', { count: 0 })).toMatchObject({ status: 400 });
		await send('раз');
		await control('reset', {});
		expect(service.data.contacts.size).toBe(seeded);
		expect(service.requests).toEqual([]);
	});
});

it('the stand-in takes a port, a token and a certificate, and frees the port when it stops with connections open', async () => {
	const first = await startService({ token: 'свой-токен', tls: true });
	expect(first.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
	await expect(fetch(`${first.url}/login`)).rejects.toMatchObject({
		cause: { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' },
	});
	await first.stop();

	const second = await startService({ port: Number(new URL(first.url).port) });
	second.faults.add({ kind: 'timeout' });
	const hanging = ask(second, 'GET', 'getListSchemas');
	await until(() => second.inFlight.now === 1);
	await Promise.all([second.stop(), expect(hanging).rejects.toThrow()]);
	await expect(ask(second, 'GET', 'getListSchemas')).rejects.toMatchObject({
		cause: { code: 'ECONNREFUSED' },
	});
});
