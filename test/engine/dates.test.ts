import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { dateAndTime } from '../../nodes/ChatbotService/resources/kinds';
import { maxDateAndTime } from '../../nodes/ChatbotService/resources/message/waitLimit';
import { noTimeZone } from '../../nodes/ChatbotService/resources/time';
import { addContact, SEEDED } from '../../sandbox/emulator';
import { labelOf } from '../operations/words';
import { credentialFor, runNode, useEmulator, type RunOptions } from './harness';
import { problemOf } from './messages';

/*
 * Dates and times are those of the workflow's time zone, as a person means them, or refused. JavaScript would guess: it takes the month
 * first, moves 30 February to March, ignores words, and uses the time zone of the server.
 */

const service = useEmulator();

const timezone = 'Europe/Moscow';

const run = async (parameters: INodeParameters, options: Partial<RunOptions> = {}) =>
	await runNode({ parameters, credential: credentialFor(service), timezone, ...options });

const contacts = (filters: INodeParameters): INodeParameters => ({
	...{ resource: 'contact', operation: 'getAll', returnAll: true },
	filters,
});

interface Dated {
	label: string;
	with: (value: string) => INodeParameters;
}

const filterBy = (name: string): Dated => ({
	label: labelOf('contact/getAll', `filters.${name}`),
	with: (value) => contacts({ [name]: value }),
});

const endOfWait: Dated = {
	label: maxDateAndTime.displayName,
	with: (value) => ({
		...{ resource: 'message', operation: 'sendAndWait', message: 'Согласны?' },
		contactId: String(SEEDED.contacts.telegram),
		options: { limitWaitTime: { values: { limitType: 'atSpecifiedTime', maxDateAndTime: value } } },
	}),
};

const fields = [filterBy('createdAfter'), filterBy('createdBefore'), endOfWait];

/** As a person writes them, or a program that leaves out the zeros. */
const times: Array<[written: string, inUtc: string]> = [
	['2099-11-25 10:00', '2099-11-25T07:00:00Z'],
	['2099-11-25 9:05', '2099-11-25T06:05:00Z'],
	['2099-11-25T9:05', '2099-11-25T06:05:00Z'],
	['2099-11-25  9:05:07', '2099-11-25T06:05:07Z'],
	['2099/1/5 9:05', '2099-01-05T06:05:00Z'],
	['2099.11.25 18:00', '2099-11-25T15:00:00Z'],
	['20991125T1000', '2099-11-25T07:00:00Z'],
	['2099-11-25 10:00:00 Europe/Berlin', '2099-11-25T09:00:00Z'],
	['2099-11-25T10:00:00+05:00', '2099-11-25T05:00:00Z'],
	['Wed, 25 Nov 2099 10:00:00 GMT', '2099-11-25T10:00:00Z'],
	['25 Nov 2099 10:00 +0300', '2099-11-25T07:00:00Z'],
];

const noTimes = [
	...[
		'05.11.2099',
		'до 05.11.2099',
		'Вт, 05.11.2099',
		'from 05.11.2099',
		'11/25/2099',
		'5 11 2099',
		'5,11,2099',
	],
	...['VIP 3', 'Room 12', 'A-12', 'November 11', 'завтра', 'now', '2099-02-29', '2099-02-30', '2099-11-31'],
	...[
		'2099-13-01',
		'99-11-25',
		'2099 11 25',
		'25 Nov 2099',
		'2099-11-25 9',
		'2099-11-25 10:00 AM',
		'2099-11-25.',
	],
];

describe.each(fields.map((field) => [field.label, field] as const))('%s', (label, field) => {
	const at = async (written: string) => {
		const result = await run(field.with('={{ $json.time }}'), { items: [{ time: written }] });
		const { date_from, date_to } = (service.requests[0]?.query ?? {}) as IDataObject;
		return { ...result, time: result.run.waitTill ?? new Date(Number(date_from ?? date_to) * 1000) };
	};

	test.each(times)('%s is %s', async (written, inUtc) => {
		expect((await at(written)).time).toEqual(new Date(inUtc));
	});

	test.each(noTimes)('%s is refused by name, and nothing leaves', async (written) => {
		const { error } = await at(written);
		const { message } = problemOf(dateAndTime('')(written, label));
		expect(error?.message).toBe(`${message} [Item 0]`);
		expect(error?.description).toContain('DateTime.fromFormat');
		expect(service.requests).toEqual([]);
	});
});

test.each<[day: string, zone: string, last: string]>([
	['2026-11-30', 'Europe/Moscow', '2026-11-30T20:59:59Z'],
	[' 2026/11/30 ', 'Europe/Moscow', '2026-11-30T20:59:59Z'],
	['2024-2-29', 'Asia/Kamchatka', '2024-02-29T11:59:59Z'],
	['2026-11-30', 'America/New_York', '2026-12-01T04:59:59Z'],
	// Days of 25 and of 23 hours.
	['2026-10-25', 'Europe/Berlin', '2026-10-25T22:59:59Z'],
	['2026-03-29', 'Europe/Berlin', '2026-03-29T21:59:59Z'],
	// A time is a time, midnight too.
	['2026-11-30 00:00', 'Europe/Moscow', '2026-11-29T21:00:00Z'],
	['2026-11-30T00:00:00', 'Europe/Moscow', '2026-11-29T21:00:00Z'],
])('Created Before %s in %s includes that whole day, but not if it has a time', async (day, zone, last) => {
	const created = (seconds: number) => new Date(Date.parse(last) + seconds * 1000).toISOString();
	const born = { botId: SEEDED.bots.school, messenger: 'vk', phone: undefined } as const;
	for (const [name, createdAt] of Object.entries({ Успела: created(0), Опоздала: created(1) }))
		addContact(service.data, { ...born, name, externalId: name, createdAt });
	const createdAfter = created(-1);
	const { json } = await run(contacts({ createdAfter, createdBefore: day }), { timezone: zone });
	expect(json.map(({ name }) => name)).toEqual(['Успела']);
	expect(service.requests[0]!.query.date_to).toBe(String(Date.parse(last) / 1000));
});

describe('a time zone of the workflow that is none', () => {
	const noZones = ['"Europe/Moscow"', "'Europe/Moscow'", 'MSK', 'GMT+3', 'Europe/Moskow', 'Москва'];
	const written = '2099-01-01T10:00:00';

	test.each(noZones.flatMap((zone) => fields.map((field) => [zone, field.label, field] as const)))(
		'%s is named as the fault, not %s, and nothing leaves until it is corrected',
		async (zone, label, field) => {
			const parameters = field.with(written);
			const { error } = await run(parameters, { timezone: zone });
			const { message, advice } = noTimeZone(label, zone);
			expect([error?.message, error?.description]).toEqual([`${message} [Item 0]`, advice]);
			expect(advice).toContain(zone);
			expect(service.requests).toEqual([]);
			expect((await run(parameters)).error).toBeUndefined();
			expect(service.requests).toHaveLength(1);
		},
	);
});
