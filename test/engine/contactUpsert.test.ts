import type { IDataObject } from 'n8n-workflow';

import { addContacts, SEEDED } from '../../sandbox/emulator';
import { labelOf } from '../operations/words';
import { startAnswering } from './answering';
import { hintsOf } from './harness';
import { errorsOf, goingOn, placesOf, scene, usual, type Given } from './scene';

/*
 * Contact, Create or Update: a lead becomes a contact, by the ID that the lead's messenger knows. Leads that are refused before anything
 * leaves: cases/contactCases.
 */

const { bots, contacts } = SEEDED;
const { service, run } = scene(
	usual('contact/upsert', {
		...{ botId: String(bots.school), messenger: '={{ $json.messenger }}', externalId: '={{ $json.id }}' },
		...{ contactName: '={{ $json.name }}', additionalFields: {} },
	}),
);

const save = async (leads: IDataObject[], additionalFields: object = {}, given: Given = {}) =>
	await run({
		...{ with: { additionalFields }, items: leads.map((lead) => ({ name: 'Полина', ...lead })) },
		...given,
	});

const bodies = () => service.requests.map(({ body }) => body);
const ofPolina = { bot_id: bots.school, name: 'Полина' };

test.each<[messenger: string, id: string | number, sent: object]>([
	['тг', '284119035.0', { messenger: 'telegram', telegram_id: '284119035' }],
	['telegram', '5000000001', { messenger: 'telegram', telegram_id: '5000000001' }],
	['VK', ' 17450283 ', { messenger: 'vk', vk_id: '17450283' }],
	['viber', 'u7Qm1dXkPq0Zs3R8fT2yLw==', { messenger: 'viber', viber_id: 'u7Qm1dXkPq0Zs3R8fT2yLw==' }],
	['WhatsApp', '79161234567@c.us', { messenger: 'whatsapp', phone: '+79161234567' }],
	['ватсап', 79161234567, { messenger: 'whatsapp', phone: '+79161234567' }],
])('a person in %s is named by %j as the API expects', async (messenger, id, sent) => {
	const { error, json } = await save([{ messenger, id }]);
	expect([error, bodies()]).toEqual([undefined, [{ ...ofPolina, ...sent }]]);
	expect(json).toMatchObject([{ id: expect.any(Number) as number, name: 'Полина' }]);
});

test('the service’s refusal of an ID names the field in each messenger', async () => {
	for (const name of ['telegram_id', 'viber_id']) {
		const body = { message: 'The given data was invalid.', errors: { [name]: ['Неверный формат.'] } };
		service.faults.add({ kind: 'answer', status: 422, body, match: { where: ({ input }) => name in input } });
	}
	const leads = [
		{ messenger: 'telegram', id: '7' },
		{ messenger: 'viber', id: 'u7Qm1dXkPq0Zs3R8fT2yLw==' },
	];
	const result = await save(leads, {}, { node: goingOn });
	const label = labelOf('contact/upsert', 'externalId');
	const refused = `The service rejected the value of '${label}'`;
	expect(errorsOf(result)).toEqual([`${refused} [Item 0]`, `${refused} [Item 1]`]);
});

test('a messenger in capital letters is the same', async () => {
	const data = [
		{ id: 1, messenger: 'Viber', telegram_id: '7' },
		{ id: 2, messenger: 'Telegram', telegram_id: '7' },
	];
	const { credential } = await startAnswering(({ method }) => (method === 'POST' ? {} : { data }));
	const { json } = await save([{ messenger: 'telegram', id: '7' }], {}, { credential });
	expect(json).toEqual([data[1]]);
});

describe.each(['withoutId', 'nothing'] as const)('a service that answers %s', (savedContact) => {
	beforeEach(() => (service.dialect.savedContact = savedContact));

	const forty = Array.from({ length: 40 }, (_, index) => ({ messenger: 'telegram', id: 900_000 + index }));

	test('gives the contacts, read once for all items', async () => {
		addContacts(service.data, 600);
		const items = forty.map((lead) => ({ ...lead, bot: bots.school, name: 'Полина' }));
		const result = await run({ with: { botId: '={{ $json.bot }}' }, items });
		expect(result.error).toBeUndefined();
		expect(result.json.map(({ telegram_id }) => Number(telegram_id))).toEqual(forty.map(({ id }) => id));
		expect(result.json.every(({ id }) => typeof id === 'number')).toBe(true);
		expect(placesOf(result)).toEqual(forty.map((_, item) => item));
		const read = service.requests.filter(({ operation }) => operation === 'getContacts');
		const pages = read.map(({ query }) => [query.bot_id, query.page]);
		expect(pages).toEqual([undefined, '2'].map((page) => [String(bots.school), page]));
		expect(service.requests.slice(0, 40).every(({ method }) => method === 'POST')).toBe(true);
	});

	test('gives the contacts after a refused lead', async () => {
		const result = await save([{ messenger: 'max', id: 1 }, forty[0]!], {}, { node: goingOn });
		expect(errorsOf(result)).toEqual([expect.stringContaining('MAX'), undefined]);
		expect(result.json[1]).toMatchObject({ telegram_id: '900000' });
	});

	test.each<[messenger: string, id: string | number, known: number | undefined]>([
		['telegram', '284119035', contacts.telegram],
		['vk', 17450283, contacts.vk],
		['viber', 'u7Qm1dXkPq0Zs3R8fT2yLw==', undefined],
		['whatsapp', '8 (916) 555-12-12', undefined],
	])('gives the contact in %s', async (messenger, id, known) => {
		const { json } = await save([{ messenger, id }]);
		expect(json).toMatchObject([{ id: known ?? [...service.data.contacts.keys()].at(-1), messenger }]);
	});

	test('gives the one in the messenger and the bot', async () => {
		const [other] = addContacts(service.data, 1, { messenger: 'telegram', botId: bots.school });
		const [elsewhere] = addContacts(service.data, 1, { messenger: 'whatsapp', botId: bots.flowers });
		elsewhere!.phone = elsewhere!.externalId = other!.phone!;
		const { json } = await save([{ messenger: 'whatsapp', id: `+${other!.phone}` }]);
		expect(json).toMatchObject([{ messenger: 'whatsapp', bot_id: bots.school }]);
	});

	test.each<[string, object]>([
		['does not list the contact', { status: 200, body: { data: [] } }],
		['refuses to list contacts', { status: 403, body: { message: 'Forbidden' } }],
	])('and %s has saved it, as one notice says', async (_, answer) => {
		service.faults.add({ kind: 'answer', match: { path: 'getContacts' }, ...answer } as never);
		const result = await save(forty.slice(0, 3));
		expect([result.error, result.json]).toEqual([undefined, Array(3).fill({ success: true })]);
		const said = /^The service saved the contact .*\(3 of 3 items\)$/;
		expect(hintsOf(result)).toEqual([expect.stringMatching(said)]);
	});
});
