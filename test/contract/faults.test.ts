/** Every fault does what it says to the requests that it matches; another process can set them, and ask what happened. */

import { SEEDED, type Fault } from '../../sandbox/emulator';
import { until } from '../../sandbox/processes/poll';
import { clientOf, useEmulator } from './client';

const { bots, contacts } = SEEDED;

const service = useEmulator();
const ask = clientOf(service);

const send = async (text = 'Привет', contact_id: number = contacts.telegram, signal?: AbortSignal) =>
	await ask('sendMessage', { query: { contact_id, text }, isFaulty: true, signal });

const isHit = async () => await until(() => service.requests.some(({ faults }) => faults.length > 0));

test.each<[Fault, number, RegExp]>([
	[{ kind: 'server error' }, 500, /^\{"message":"Server Error"\}$/],
	[{ kind: 'maintenance', page: true }, 503, /<title>Service Unavailable<\/title>/],
	[{ kind: 'html' }, 200, /Вход в личный кабинет/],
	[{ kind: 'redirect' }, 302, /^$/],
	[{ kind: 'answer', status: 200, body: 'ok' }, 200, /^ok$/],
])('The fault %j answers before or after the request takes effect', async (fault, status, text) => {
	for (const when of ['before', 'after'] as const) {
		service.reset();
		service.faults.add({ ...fault, when });
		const answer = await send();
		expect([answer.status, answer.text]).toEqual([status, expect.stringMatching(text)]);
		const accepted = when === 'after';
		expect(service.requests).toMatchObject([{ accepted, status, faults: [fault.kind] }]);
		expect(service.deliveries()).toHaveLength(accepted ? 1 : 0);
	}
});

test.each<['reset' | 'timeout', Fault['when'], accepted: boolean]>([
	['reset', undefined, false],
	['reset', 'after', true],
	['timeout', 'before', false],
	['timeout', undefined, true],
])('The fault %s with when: %s gives no answer', async (kind, when, accepted) => {
	service.faults.add({ kind, when });
	const impatience = new AbortController();
	const failed = send('Привет', contacts.telegram, impatience.signal).catch((error: Error) => error);
	await isHit();
	if (kind === 'timeout') {
		expect(service.inFlight.now).toBe(1);
		impatience.abort();
	}
	const code = expect.stringMatching(/ECONNRESET|UND_ERR_SOCKET/) as string;
	expect(await failed).toMatchObject(kind === 'timeout' ? { name: 'AbortError' } : { cause: { code } });
	await until(() => service.inFlight.now === 0);
	expect(service.requests).toMatchObject([{ accepted, status: undefined, answeredAt: undefined }]);
	expect(service.deliveries()).toHaveLength(accepted ? 1 : 0);
});

test.each<[Omit<Fault, 'kind'>, ids: number[]]>([
	[{}, [1, 2, 3, 4, 5]],
	// The last request is refused, so a fault after its effect does not end it.
	[{ when: 'after' }, [1, 2, 3, 4]],
	[{ match: { path: 'sendMessage' } }, [2, 3, 5]],
	[{ match: { recipient: '79035550101' } }, [4]],
	[{ match: { text: 'два' } }, [3]],
	[{ match: { path: 'sendMessage', nth: 2 } }, [3]],
	[{ match: { times: 2 } }, [1, 2]],
])('Of five requests, a fault with %j applies to %j', async (when, ids) => {
	service.faults.add({ kind: 'server error', ...when });
	await ask('getBotTags', { query: { bot_id: bots.school }, isFaulty: true });
	await send('раз', contacts.telegram);
	await send('два', contacts.vk);
	await ask('sendMessageToWhatsApp', { body: { bot_id: bots.school, phone: '79035550101', text: 'три' } });
	await send('четыре', 1);
	expect(service.requests.filter(({ status }) => status === 500).map(({ id }) => id)).toEqual(ids);
});

test('Another process can read what happened, and set faults, limits and the dialect', async () => {
	/** Like a request of curl. */
	async function control(path: string, body?: unknown) {
		const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
		return await (await fetch(`${service.url}/sandbox/${path}`, init)).json();
	}
	await control('faults', [{ kind: 'forbidden', match: { text: 'раз' } }]);
	expect(await send('раз')).toMatchObject({ json: { message: 'Forbidden' } });
	await control('faults', []);
	expect(await send('раз')).toMatchObject({ json: { success: true } });
	await control('dialect', { answers: 'wrapped' });
	expect(await send('два')).toMatchObject({ json: { success: true, errors: [] } });
	await control('limits', { account: { requests: 1, windowMs: 90_000 } });
	expect([(await send('три')).status, (await send('три')).status]).toEqual([200, 429]);
	const { requests } = (await control('requests')) as { requests: unknown[] };
	expect(requests).toHaveLength(5);
	expect(await control('deliveries')).toMatchObject([{ text: 'раз' }, { text: 'два' }, { text: 'три' }]);
	expect(await control('violations')).toEqual([]);
	const unknown = 'no such fault: {"kind":"fire"}';
	expect(await control('faults', { kind: 'fire' })).toMatchObject({ message: unknown });
	await control('reset', {});
	expect(await send()).toMatchObject({ status: 200, json: { success: true } });
	expect(service.requests).toHaveLength(1);
	expect(service.dialect.answers).toBe('usual');
});
