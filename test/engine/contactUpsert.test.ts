import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { sentTwice } from '../../nodes/ChatbotService/run/values/problems';
import { SEEDED } from '../../sandbox/emulator';
import { labelOf, wordsOf } from '../operations/words';
import { credentialFor, runNode, useEmulator } from './harness';

/* Contact, Create or Update: a lead becomes a contact, by the ID that the lead's messenger knows. */

const service = useEmulator();
const { bots, contacts } = SEEDED;

const labelAt = (path: string) => labelOf('contact/upsert', path);
const id = labelAt('externalId');

const save = async (lead: IDataObject, additionalFields: INodeParameters = {}) =>
	await runNode({
		parameters: {
			...{ resource: 'contact', operation: 'upsert', botId: String(bots.school), additionalFields },
			...{ messenger: '={{ $json.messenger }}', externalId: '={{ $json.id }}' },
			contactName: '={{ $json.name }}',
		},
		items: [{ name: 'Полина', ...lead }],
		credential: credentialFor(service),
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
});

test('the service’s refusal of an ID names the field', async () => {
	const body = { message: 'The given data was invalid.', errors: { telegram_id: ['Неверный формат.'] } };
	service.faults.add({ kind: 'answer', status: 422, body });
	const { error } = await save({ messenger: 'telegram', id: '7' });
	expect(error?.message).toBe(`The service rejected the value of '${id}' [Item 0]`);
});
