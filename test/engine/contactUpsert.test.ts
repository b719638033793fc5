import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { sentTwice } from '../../nodes/ChatbotService/run/values/problems';
import { SEEDED } from '../../sandbox/emulator';
import { labelOf } from '../operations/words';
import { credentialFor, runNode, useEmulator } from './harness';

/* Contact, Create or Update: a lead becomes a contact, by the ID that the lead's messenger knows. */

const service = useEmulator();
const { bots, contacts } = SEEDED;

const labelAt = (path: string) => labelOf('contact/upsert', path);
const id = labelAt('externalId');

const save = async (lead: IDataObject, additionalFields: INodeParameters = {}) =>
	await runNode({
		parameters: {
			...{
				resource: 'contact',
				operation: 'upsert',
				botId: String(bots.school),
				contactName: '={{ $json.name }}',
			},
			...{ messenger: '={{ $json.messenger }}', externalId: '={{ $json.id }}', additionalFields },
		},
		items: [{ name: 'Полина', ...lead }],
		credential: credentialFor(service),
	});

const bodies = () => service.requests.map(({ body }) => body);

test.each<[messenger: string, id: string | number, sent: object]>([
	['telegram', 5000000001, { messenger: 'telegram', telegram_id: '5000000001' }],
	['тг', '284119035.0', { messenger: 'telegram', telegram_id: '284119035' }],
	['VK', ' 17450283 ', { messenger: 'vk', vk_id: '17450283' }],
	['viber', 'u7Qm1dXkPq0Zs3R8fT2yLw==', { messenger: 'viber', viber_id: 'u7Qm1dXkPq0Zs3R8fT2yLw==' }],
	['WhatsApp', '8 (916) 123-45-67', { messenger: 'whatsapp', phone: '+79161234567' }],
	['ватсап', 79161234567, { messenger: 'whatsapp', phone: '+79161234567' }],
	['wa', '79161234567@c.us', { messenger: 'whatsapp', phone: '+79161234567' }],
])('a person in %s is named by %p as the API expects it', async (messenger, externalId, sent) => {
	const { error, json } = await save({ messenger, id: externalId });
	expect(error).toBeUndefined();
	expect(bodies()).toEqual([{ bot_id: bots.school, name: 'Полина', ...sent }]);
	expect(json).toMatchObject([{ id: expect.any(Number) as number, name: 'Полина' }]);
});

test.each<[string, IDataObject, string]>([
	[
		'MAX',
		{ messenger: 'max', id: '90011223' },
		`'${labelAt('messenger')}' cannot be MAX here: the service creates no contacts in MAX`,
	],
	[
		'another messenger',
		{ messenger: 'icq', id: '1' },
		`'${labelAt('messenger')}' must be one of max, telegram, viber, vk, whatsapp`,
	],
	[
		'a phone number in Telegram',
		{ messenger: 'telegram', id: '+79161234567' },
		`'${id}' is not an ID in this messenger`,
	],
	[
		'a user name in Telegram',
		{ messenger: 'telegram', id: '@polina' },
		`'${id}' is not an ID in this messenger`,
	],
	['a page in VK', { messenger: 'vk', id: 'vk.com/polina' }, `'${id}' is not an ID in this messenger`],
	['a text in WhatsApp', { messenger: 'whatsapp', id: 'Полина' }, `'${id}' is not a valid phone number`],
	[
		'a short number in WhatsApp',
		{ messenger: 'whatsapp', id: '12345' },
		`'${id}' is not a valid phone number`,
	],
	['no ID', { messenger: 'telegram', id: '' }, `'${id}' is empty`],
	['no name', { messenger: 'telegram', id: '1', name: ' ' }, `'${labelAt('contactName')}' is empty`],
])('a lead with %s is refused before anything leaves', async (_, lead, message) => {
	const { error } = await save(lead);
	expect(error?.message).toBe(`${message} [Item 0]`);
	expect(service.requests).toEqual([]);
});

test('the additional fields travel by the names of the API, and empty ones do not', async () => {
	const tags = ['VIP', 'Скидка 1,5 %'];
	await save(
		{ messenger: 'telegram', id: '7', tags },
		{
			...{ address: 'Казань', email: 'p@example.com', phone: '8 916 777 00 01' },
			...{ tags: '={{ $json.tags }}', telegramUsername: '={{ $json.missing }}' },
		},
	);
	expect(bodies()).toMatchObject([
		{ address: 'Казань', email: 'p@example.com', phone: '+79167770001', tags },
	]);
	expect(bodies()[0]).not.toHaveProperty('telegram_username');
	const saved = [...service.data.contacts.values()].at(-1)!;
	expect(saved.tags).toEqual(tags);
});

test('a phone number beside a number in WhatsApp is refused, because the service has one place for both', async () => {
	const { error } = await save({ messenger: 'whatsapp', id: '+79161234567' }, { phone: '+79990000000' });
	const [first, second] = ['externalId', 'additionalFields.phone'].map((path) => ({
		...{ name: path, type: 'string' as const, default: '' },
		displayName: labelAt(path),
	}));
	expect(error?.message).toBe(`${sentTwice(first!, second!).message} [Item 0]`);
	expect(service.requests).toEqual([]);
});

test('a person who is a contact already keeps the ID, and gets the name', async () => {
	const { json } = await save({ messenger: 'telegram', id: '284119035', name: 'Анна С.' });
	expect(json).toMatchObject([{ id: contacts.telegram, name: 'Анна С.' }]);
	expect(service.data.contacts.get(contacts.telegram)!.name).toBe('Анна С.');
});

test.each([
	['telegram', '7', 'telegram_id'],
	['whatsapp', '+79161234567', 'phone'],
])('the service’s refusal of an ID in %s names the field', async (messenger, externalId, wire) => {
	const body = { message: 'The given data was invalid.', errors: { [wire]: ['Неверный формат.'] } };
	service.faults.add({ kind: 'answer', status: 422, body });
	const { error } = await save({ messenger, id: externalId });
	expect(error?.message).toBe(`The service refused the value of '${id}' [Item 0]`);
});
