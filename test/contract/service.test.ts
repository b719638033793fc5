/** The emulator answers as the API documents, and otherwise as the framework does. */

import { isDeepStrictEqual } from 'node:util';

import { addListItem, SEEDED, type Emulator } from '../../sandbox/emulator';
import { clientOf, useEmulator, type Request } from './client';

const { bots, contacts, schemas } = SEEDED;
const contact_id = contacts.telegram;

const service = useEmulator();
const ask = clientOf(service);

const missing = (name: string) => `Поле ${name} обязательно для заполнения.`;
const person = { bot_id: bots.school, messenger: 'whatsapp', name: 'Ольга', phone: '+7 999 111-22-33' };
const order = (data: object) => ({
	body: { schema_id: schemas.orders, data: { client: contact_id, ...data } },
});

test.each<[string, Request, Record<string, string>]>([
	[
		'sendMessage',
		{ query: { image: 'https://example.com/a.png' } },
		{
			contact_id: missing('contact id'),
			messenger: missing('messenger'),
			bot_id: missing('bot id'),
			contact_external_id: missing('contact external id'),
		},
	],
	[
		'sendMessageToWhatsApp',
		{ body: { bot_id: bots.school, phone: '79990001122', text: 'a' } },
		{ name: 'Поле name обязательно для заполнения при первом сообщении контакту.' },
	],
	[
		'createOrUpdateContact',
		{ body: { ...person, messenger: 'telegram', tags: ['VIP', 7, ''] } },
		{
			telegram_id: missing('telegram id'),
			'tags.1': 'Поле tags.1 должно быть строкой.',
			'tags.2': missing('tags.2'),
		},
	],
	[
		'addListItem',
		order({ client: '', amount: 'много', paid: 'да' }),
		{
			'data.client': missing('data.client'),
			'data.amount': 'Поле data.amount должно быть числом.',
			'data.paid': 'Поле data.paid должно иметь значение логического типа.',
		},
	],
])('%s refuses %j in the words of the framework', async (operation, request, errors) => {
	const before = JSON.stringify([...service.data.contacts, ...service.data.listItems]);
	const { status, json } = await ask<{ errors: Record<string, string[]> }>(operation, request);
	const expected = Object.entries(errors).map(([name, text]) => [name, [text]]);
	expect([status, json.errors]).toEqual([422, Object.fromEntries(expected)]);
	expect(JSON.stringify([...service.data.contacts, ...service.data.listItems])).toBe(before);
	expect(service.deliveries()).toEqual([]);
});

test('The answers of services that differ keep to the contract too', async () => {
	const ways: Array<Partial<Emulator['dialect']>> = [
		{},
		{ with: 'ignored', variables: 'nested', pages: 'repeated', answers: 'wrapped' },
		{ pages: 'unnumbered' },
		{ pages: 'shifting' },
	];
	const requests: Array<[string, Request]> = [
		['getContacts', { query: { count: 500 } }],
		['getContactVariables', { query: { contact_id } }],
		['getListItems', { body: { schema_id: schemas.goods, page: 2 } }],
		['attachTagToContact', { body: { contact_id, name: 'VIP' } }],
		['deleteListSchema', { body: { schema_id: schemas.reviews } }],
	];
	for (const differences of ways) {
		service.reset();
		Object.assign(service.dialect, differences);
		for (const [operation, request] of requests)
			expect([operation, (await ask(operation, request)).status]).toEqual([operation, 200]);
		const pageOf = async (page: number) =>
			(await ask<{ data: object[] }>('getContacts', { query: { count: 2, page } })).json;
		const [first, second] = [await pageOf(1), await pageOf(2)];
		const seen = { isWrapped: 'errors' in first, isRepeated: isDeepStrictEqual(first.data, second.data) };
		const { answers, pages } = differences;
		expect(seen).toEqual({ isWrapped: answers === 'wrapped', isRepeated: pages === 'repeated' });
	}
});

test.each<[Emulator['dialect']['filters'], Request, number]>([
	['understood', { body: { filters: { active: true } } }, 2],
	['understood', { body: {}, query: { 'filters[active]': '1' } }, 2],
	['understood', { body: { filters: { active: true } }, query: { 'filters[active]': '0' } }, 2],
	['understood', { body: { filters: { active: true } }, query: { 'filters[title]': 'Нет' } }, 2],
	['inQuery', { body: { filters: { active: true } } }, 3],
	['inQuery', { body: { filters: { active: false } }, query: { 'filters[active]': '1' } }, 2],
	['ignored', { body: { filters: { active: true } }, query: { 'filters[active]': '1' } }, 3],
])('If filters are %s, a request with %j finds %i items', async (filters, { body, query }, count) => {
	const schema_id = [...service.data.listSchemas.keys()].at(-1)!;
	for (const active of [true, true, false]) addListItem(service.data, schema_id, { title: 'Розы', active });
	service.dialect.filters = filters;
	const request = { query, body: { schema_id, ...(body as object) } };
	const { json } = await ask<{ data: object[] }>('getListItems', request);
	expect(json.data).toHaveLength(count);
	service.assertContract();
});

test('A service that ignores `with` adds the variables of contacts and not their tags, whatever is asked for', async () => {
	service.dialect.with = 'ignored';
	for (const asked of [undefined, 'tags']) {
		const { json } = await ask<{ data: object[] }>('getContacts', { query: asked ? { with: asked } : {} });
		expect(['variables', 'tags'].map((part) => part in json.data[0]!)).toEqual([true, false]);
	}
});

test('A service with nested variables sends a hundred of them in a page', async () => {
	service.dialect.variables = 'nested';
	const more = Array.from({ length: 120 }, (_, id) => ({ id, name: `n${id}`, value: '1', deletable: false }));
	service.data.contacts.get(contact_id)!.variables.push(...more);
	const { json } = await ask<{ data: object[] }>('getContactVariables', { query: { contact_id } });
	expect(json.data).toHaveLength(100);
});

test('An item of a list with a contact has its ID once more, unless the list has a field with that name', async () => {
	const first = async () =>
		(await ask<{ data: object[] }>('getListItems', { body: { schema_id: schemas.orders } })).json.data[0];
	expect(await first()).toMatchObject({ client: contact_id, contact_id });
	const { fields } = service.data.listSchemas.get(schemas.orders)!;
	fields.contact_id = { ...fields.phone!, name: 'Номер договора' };
	expect(await first()).toMatchObject({ client: contact_id, contact_id: null });
});

test('A service that reads the values of a new item beside the ID of the list stores those in `data` nowhere', async () => {
	service.dialect.newItem = 'flat';
	const { json } = await ask('addListItem', order({ amount: 4500 }));
	expect(json).toMatchObject({ data: { client: null, amount: null } });
	const { data } = service;
	expect([...data.listItems.values()].at(-1)!.values).toMatchObject({ client: null, amount: null });
});

test.each([
	['withoutId', '{"success":true}'],
	['nothing', ''],
] as const)('A service that answers %s has saved the contact', async (savedContact, text) => {
	service.dialect.savedContact = savedContact;
	expect(await ask('createOrUpdateContact', { body: person })).toMatchObject({ status: 200, text });
	expect([...service.data.contacts.values()].at(-1)).toMatchObject({ name: person.name });
});
