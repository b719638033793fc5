import type { INodeParameters } from 'n8n-workflow';

import { limitWaitTime, maxDateAndTime } from '../../nodes/ChatbotService/resources/message/waitLimit';
import { noTimeZone } from '../../nodes/ChatbotService/resources/time';
import { addContact, SEEDED } from '../../sandbox/emulator';
import { labelOf } from '../operations/words';
import { scene, usual } from './scene';

/* Dates and times are those of the workflow's time zone. How they are written: test/pasted/times.ts. */

const { service, run, refusal } = scene({}, { timezone: 'Europe/Moscow' });

const contacts = (filters: INodeParameters) => usual('contact/getAll', { botId: '', filters });

const waitUntil = (maxDateAndTime: string) =>
	usual('message/sendAndWait', {
		options: { limitWaitTime: { values: { limitType: 'atSpecifiedTime', maxDateAndTime } } },
	});

test('a wait ends at the time of the workflow', async () => {
	const { run: ended } = await run({ parameters: waitUntil('2099/11/25 9:05') });
	expect(ended.waitTill).toEqual(new Date('2099-11-25T06:05:00Z'));
});

test.each<[day: string, zone: string, last: string]>([
	['2026-11-30', 'Europe/Moscow', '2026-11-30T20:59:59Z'],
	['2026-11-30', 'America/New_York', '2026-12-01T04:59:59Z'],
	// A day of 25 hours.
	['2026-10-25', 'Europe/Berlin', '2026-10-25T22:59:59Z'],
	// A time is a time, midnight too.
	['2026-11-30 00:00', 'Europe/Moscow', '2026-11-29T21:00:00Z'],
])('Created Before %s in %s includes the whole day', async (day, timezone, last) => {
	const created = (seconds: number) => new Date(Date.parse(last) + seconds * 1000).toISOString();
	const born = { botId: SEEDED.bots.school, messenger: 'vk', phone: undefined } as const;
	for (const [name, createdAt] of Object.entries({ Успела: created(0), Опоздала: created(1) }))
		addContact(service.data, { ...born, name, externalId: name, createdAt });
	const parameters = contacts({ createdAfter: created(-1), createdBefore: day });
	expect((await run({ parameters, timezone })).json.map(({ name }) => name)).toEqual(['Успела']);
	expect(service.requests[0]!.query.date_to).toBe(String(Date.parse(last) / 1000));
});

const labelAt = (name: string) => labelOf('contact/getAll', `filters.${name}`);

test.each<[zone: string, label: string, INodeParameters]>([
	['"Europe/Moscow"', labelAt('createdAfter'), contacts({ createdAfter: '2099-01-01' })],
	['GMT+3', labelAt('createdBefore'), contacts({ createdBefore: '2099-01-01' })],
	['Москва', `${limitWaitTime.displayName}: ${maxDateAndTime.displayName}`, waitUntil('2099-01-01T10:00')],
])('the time zone %s is the fault, not %s', async (timezone, label, parameters) => {
	const { message, description } = await refusal({ parameters, timezone });
	const { message: said, advice } = noTimeZone(label, timezone);
	expect([message, description]).toEqual([`${said} [Item 0]`, advice]);
	expect((await run({ parameters })).error).toBeUndefined();
});
