/** The emulator's getContacts, which docs/openapi.yaml does not describe, answers as the services document it. */

import { addContacts, SEEDED } from '../../sandbox/emulator';
import { clientOf, useEmulator, type Invalid } from './client';

const { bots, contacts } = SEEDED;
const endpoint = '/api/v1/getContacts';

const service = useEmulator();
const ask = clientOf(service);

interface Row {
	id: number;
	bot_id: number;
}

test('Every contact of a bot is on exactly one page, and the page after the last is empty', async () => {
	addContacts(service.data, 1200);
	const expected = [...service.data.contacts.values()].filter(({ botId }) => botId === bots.school);
	const ids: number[] = [];
	for (const page of [1, 2, 3, 4]) {
		const { json } = await ask<{ data: Row[] }>(endpoint, {
			query: { bot_id: bots.school, count: 500, page },
		});
		expect(json.data).toHaveLength([500, 500, expected.length - 1000, 0][page - 1]!);
		ids.push(...json.data.map(({ id }) => id));
	}
	expect(ids).toEqual(expected.map(({ id }) => id));
	expect(service.violations).toEqual([]);
});

test('A contact has the documented fields', async () => {
	const { json } = await ask<{ data: Row[] }>(endpoint, { query: { bot_id: bots.school } });
	expect(json.data.find(({ id }) => id === contacts.telegram)).toEqual({
		id: contacts.telegram,
		bot_id: bots.school,
		phone: '79161234567',
		email: null,
		name: 'Анна Соколова',
		messenger: 'telegram',
		telegram_id: '284119035',
		address: null,
		utm: null,
		created_at: expect.any(String),
	});
});

test.each([
	['without a bot', {}, 'bot_id'],
	['for more than 500 contacts', { bot_id: bots.school, count: 501 }, 'count'],
])('A request %s is refused', async (_, query: Record<string, number>, parameter) => {
	const { status, json } = await ask<Invalid>(endpoint, { query });
	expect(status).toBe(422);
	expect(Object.keys(json.errors)).toEqual([parameter]);
});

test('Contacts can be selected by the time of their creation', async () => {
	const of = async (query: Record<string, number>) =>
		(await ask<{ data: Row[] }>(endpoint, { query: { bot_id: bots.school, ...query } })).json.data.length;
	const [before, after] = [Date.UTC(2023, 0) / 1000, Date.UTC(2024, 0) / 1000];
	expect(await of({ date_from: before, date_to: after })).toBeGreaterThan(0);
	expect(await of({ date_from: after })).toBe(0);
	expect(await of({ date_to: before })).toBe(0);
});
