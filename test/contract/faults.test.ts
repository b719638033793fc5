/** A fault answers before or after the effect of a request; another process can set them, and ask what happened. */

import { SEEDED, type Fault } from '../../sandbox/emulator';
import { clientOf, useEmulator } from './client';

const { contacts } = SEEDED;

const service = useEmulator();
const ask = clientOf(service);

const send = async (text = 'Привет') =>
	await ask('sendMessage', { query: { contact_id: contacts.telegram, text }, isFaulty: true });

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
