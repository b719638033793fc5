import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { sentTwice } from '../../nodes/ChatbotService/run/values/problems';
import { addContacts, SEEDED } from '../../sandbox/emulator';
import { labelOf, wordsOf } from '../operations/words';
import { startAnswering } from './answering';
import { credentialFor, hintsOf, retryNode, runNode, useEmulator, type RunOptions } from './harness';

/* Contact, Create or Update: a lead becomes a contact, by the ID that the lead's messenger knows. */

const service = useEmulator();
const { bots, contacts } = SEEDED;

const labelAt = (path: string) => labelOf('contact/upsert', path);
const id = labelAt('externalId');

const save = async (
	lead: IDataObject,
	additionalFields: INodeParameters = {},
	to: Parameters<typeof credentialFor>[0] = service,
) =>
	await runNode({
		parameters: {
			...{ resource: 'contact', operation: 'upsert', botId: String(bots.school), additionalFields },
			...{ messenger: '={{ $json.messenger }}', externalId: '={{ $json.id }}' },
			contactName: '={{ $json.name }}',
		},
		items: [{ name: 'Полина', ...lead }],
		credential: credentialFor(to),
	});

const bodies = () => service.requests.map(({ body }) => body);

test.each<[messenger: string, id: string | number, sent: object]>([
	['тг', '284119035.0', { messenger: 'telegram', telegram_id: '284119035' }],
	['VK', ' 17450283 ', { messenger: 'vk', vk_id: '17450283' }],
	['viber', 'u7Qm1dXkPq0Zs3R8fT2yLw==', { messenger: 'viber', viber_id: 'u7Qm1dXkPq0Zs3R8fT2yLw==' }],
	['WhatsApp', '79161234567@c.us', { messenger: 'whatsapp', phone: '+79161234567' }],
	['ватсап', 79161234567, { messenger: 'whatsapp', phone: '+79161234567' }],
])('a person in %s is named by %p as the API expects it', async (messenger, externalId, sent) => {
	const { error, json } = await save({ messenger, id: externalId });
	expect(error).toBeUndefined();
	expect(bodies()).toEqual([{ bot_id: bots.school, name: 'Полина', ...sent }]);
	expect(json).toMatchObject([{ id: expect.any(Number) as number, name: 'Полина' }]);
});

const noId = `'${id}' is not an ID in this messenger`;
const max = `'${labelAt('messenger')}' cannot be MAX here: the service creates no contacts in MAX`;

test.each<[string, IDataObject, string]>([
	['MAX', { messenger: 'Макс', id: '90011223' }, max],
	['a phone number in Telegram', { messenger: 'telegram', id: '+7916' }, noId],
	['a page in VK', { messenger: 'vk', id: 'vk.com/polina' }, noId],
	['a text in WhatsApp', { messenger: 'whatsapp', id: 'Полина' }, `'${id}' is not a valid phone number`],
	['no ID', { messenger: 'telegram', id: '' }, `'${id}' is empty`],
])('a lead with %s is refused before anything leaves', async (_, lead, message) => {
	const { error } = await save(lead);
	expect(error?.message).toBe(`${message} [Item 0]`);
	expect(service.requests).toEqual([]);
});

test('the additional fields travel by the names of the API, and empty ones do not', async () => {
	const tags = ['VIP', 'Скидка 1,5 %'];
	const fields = { address: 'Казань', tags: '={{ $json.tags }}', telegramUsername: '={{ $json.missing }}' };
	await save({ messenger: 'telegram', id: '7', tags }, { ...fields, phone: '8 916 777 00 01' });
	const travelling = { address: 'Казань', phone: '+79167770001', tags };
	const named = { bot_id: bots.school, messenger: 'telegram', telegram_id: '7', name: 'Полина' };
	expect(bodies()).toEqual([{ ...named, ...travelling }]);
});

test('a phone number beside a number in WhatsApp is refused, because the service has one place for both', async () => {
	const { error } = await save({ messenger: 'whatsapp', id: '+79161234567' }, { phone: '+79990000000' });
	const { fieldAt } = wordsOf('contact/upsert');
	const { message } = sentTwice(fieldAt('externalId'), fieldAt('additionalFields.phone'));
	expect(error?.message).toBe(`${message} [Item 0]`);
	expect(service.requests).toEqual([]);
});

test('a person who is a contact already keeps the ID, and gets the name', async () => {
	const { json } = await save({ messenger: 'telegram', id: '284119035', name: 'Анна С.' });
	expect(json).toMatchObject([{ id: contacts.telegram, name: 'Анна С.' }]);
	// The answer says all of it.
	expect(service.requests).toHaveLength(1);
});

test('the service’s refusal of an ID names the field', async () => {
	const body = { message: 'The given data was invalid.', errors: { telegram_id: ['Неверный формат.'] } };
	service.faults.add({ kind: 'answer', status: 422, body });
	const { error } = await save({ messenger: 'telegram', id: '7' });
	expect(error?.message).toBe(`The service rejected the value of '${id}' [Item 0]`);
});

test('a messenger in capital letters is the same', async () => {
	const data = [
		{ id: 1, messenger: 'Viber', telegram_id: '7' },
		{ id: 2, messenger: 'Telegram', telegram_id: '7' },
	];
	const answering = await startAnswering(({ method }) => (method === 'POST' ? {} : { data }));
	const { json } = await save({ messenger: 'telegram', id: '7' }, {}, answering);
	expect(json).toEqual([data[1]]);
});

describe.each(['withoutId', 'nothing'] as const)('a service that answers %s', (savedContact) => {
	beforeEach(() => (service.dialect.savedContact = savedContact));

	const saveAll = async (leads: IDataObject[], options: Partial<RunOptions> = {}) =>
		await runNode({
			parameters: {
				...{ resource: 'contact', operation: 'upsert', botId: '={{ $json.bot }}' },
				...{ messenger: '={{ $json.messenger }}', externalId: '={{ $json.id }}' },
				contactName: '={{ $json.name }}',
			},
			items: leads.map((lead) => ({ bot: bots.school, name: 'Полина', ...lead })),
			credential: credentialFor(service),
			...options,
		});

	const read = () => service.requests.filter(({ operation }) => operation === 'getContacts');

	const forty = Array.from({ length: 40 }, (_, index) => ({ messenger: 'telegram', id: 900_000 + index }));

	test('gives the contacts all the same, and they are read once for all items', async () => {
		addContacts(service.data, 600);
		const { json, outputs, error } = await saveAll(forty);
		expect(error).toBeUndefined();
		expect(json.map(({ telegram_id }) => Number(telegram_id))).toEqual(forty.map(({ id }) => id));
		expect(json.every(({ id }) => typeof id === 'number')).toBe(true);
		expect(outputs[0]!.map(({ pairedItem }) => pairedItem)).toEqual(forty.map((_, item) => ({ item })));
		expect(read().map(({ query }) => [query.bot_id, query.page])).toEqual([
			[String(bots.school), undefined],
			[String(bots.school), '2'],
		]);
		expect(service.requests.slice(0, 40).every(({ method }) => method === 'POST')).toBe(true);
	});

	test('gives the contacts that come after a refused lead, too', async () => {
		const leads = [{ messenger: 'max', id: 1 }, ...forty.slice(0, 1)];
		const { json } = await saveAll(leads, { node: { onError: 'continueRegularOutput' } });
		expect(json).toMatchObject([{ error: `${max} [Item 0]` }, { telegram_id: '900000' }]);
	});

	test.each<[messenger: string, id: string | number, key: string]>([
		['telegram', '284119035', 'telegram'],
		['vk', 17450283, 'vk'],
		['viber', 'u7Qm1dXkPq0Zs3R8fT2yLw==', 'new'],
		['whatsapp', '8 (916) 555-12-12', 'new'],
	])('gives the contact in %s', async (messenger, id, key) => {
		const { json } = await saveAll([{ messenger, id }]);
		const known = (contacts as Record<string, number>)[key];
		expect(json).toMatchObject([{ id: known ?? [...service.data.contacts.keys()].at(-1), messenger }]);
	});

	test('of two contacts with one number it gives the one in the messenger and the bot', async () => {
		const [other] = addContacts(service.data, 1, { messenger: 'telegram', botId: bots.school });
		const [elsewhere] = addContacts(service.data, 1, { messenger: 'whatsapp', botId: bots.flowers });
		elsewhere!.phone = elsewhere!.externalId = other!.phone!;
		const { json } = await saveAll([{ messenger: 'whatsapp', id: `+${other!.phone}` }]);
		expect(json).toMatchObject([{ messenger: 'whatsapp', bot_id: bots.school }]);
	});

	test.each<[string, object]>([
		['does not list the contact', { status: 200, body: { data: [] } }],
		['refuses to list contacts', { status: 403, body: { message: 'Forbidden' } }],
	])('and %s has saved it all the same: one notice says so', async (_, answer) => {
		service.faults.add({ kind: 'answer', match: { path: 'getContacts' }, ...answer } as never);
		const result = await saveAll(forty.slice(0, 3));
		expect([result.error, result.json]).toEqual([undefined, Array(3).fill({ success: true })]);
		expect(hintsOf(result)).toEqual([
			expect.stringMatching(/^The service saved the contact .*\(3 of 3 items\)$/),
		]);
	});

	test('gives the contacts of a failed run when it is retried', async () => {
		service.faults.add({
			kind: 'answer',
			status: 422,
			body: { message: 'Ошибка' },
			match: { path: 'createOrUpdateContact', nth: 3 },
		});
		const failed = await saveAll(forty.slice(0, 4));
		expect([failed.error?.message, read()]).toEqual([expect.stringContaining('[Item 2]'), []]);
		const { json, error } = await retryNode(failed);
		expect(error).toBeUndefined();
		expect(json.map(({ telegram_id }) => Number(telegram_id))).toEqual([900_000, 900_001, 900_002, 900_003]);
		const saves = service.requests.filter(({ operation }) => operation === 'createOrUpdateContact');
		expect([saves.filter(({ accepted }) => accepted).length, read().length]).toEqual([4, 1]);
	});
});
