/** The emulator answers as the API documents, and otherwise as the framework does. */

import { SEEDED, TOKEN_WITHOUT_API, type ListSchema } from '../../sandbox/emulator';
import type { Page } from '../../sandbox/emulator/pages';
import { clientOf, useEmulator, type Invalid, type Question } from './client';

const { bots, contacts, schemas } = SEEDED;

const service = useEmulator();
const ask = clientOf(service);

const noScript = { 'x-requested-with': undefined };

test.each<[string, Question, number, object]>([
	['a wrong token', { token: 'wrong' }, 401, { message: 'Unauthenticated.' }],
	['no token', { token: null }, 401, { message: 'Unauthenticated.' }],
	['a plan without API access', { token: TOKEN_WITHOUT_API }, 403, { message: 'Forbidden' }],
	['another method', { method: 'POST' }, 405, { message: expect.stringContaining('methods: GET') as string }],
])('A request with %s is refused', async (_title, question, status, json) => {
	expect(await ask('getListSchemas', { faulty: status === 405, ...question })).toMatchObject({
		status,
		json,
	});
	expect(service.requests).toMatchObject([{ status, accepted: false }]);
});

test('The token is accepted in the query and as Bearer', async () => {
	const headers = { authorization: `Bearer ${service.token}` };
	expect(await ask('getListSchemas')).toMatchObject({ status: 200 });
	expect(await ask('getListSchemas', { token: null, headers })).toMatchObject({ status: 200 });
});

test.each([
	['with Accept alone asks', { accept: 'application/json', ...noScript }, 200],
	['with X-Requested-With alone asks', { accept: '*/*', 'x-requested-with': 'XMLHttpRequest' }, 200],
	['with neither header of its own does not ask', { accept: '*/*', ...noScript }, 302],
	[
		'with JSON as its second choice does not ask',
		{ accept: 'text/html, application/json', ...noScript },
		302,
	],
])('A request %s for JSON', async (_title, headers, status) => {
	const answer = await ask('getListSchemas', { headers });
	const login = `${service.url}/login`;
	expect([answer.status, answer.headers.get('location')]).toEqual([status, status === 302 ? login : null]);
});

test.each([
	['/api/v1/getBots', undefined, 404, '{"message":"The route api/v1/getBots could not be found."}'],
	['/nowhere', { accept: 'text/html', ...noScript }, 404, 'Страница не найдена'],
	['/login', { accept: 'text/html', ...noScript }, 200, 'Вход в личный кабинет'],
])('Outside the API, %s is a page or not found', async (path, headers, status, text) => {
	const answer = await ask(path, { headers, token: null });
	expect(answer.status).toBe(status);
	expect(answer.text).toContain(text);
});

const contact_id = contacts.telegram;

test('A request line of more than 8 KB is refused with 414 at any length', async () => {
	const query = (length: number) => ({ contact_id, text: 'a'.repeat(length) });
	const frame = `POST /api/v1/sendMessage?contact_id=5001&text=&api_token=${service.token} HTTP/1.1\r\n`
		.length;
	expect(await ask('sendMessage', { query: query(8192 - frame) })).toMatchObject({ status: 200 });
	for (const length of [8193 - frame, 200_000]) {
		const answer = await ask('sendMessage', { query: query(length) });
		expect(answer.status).toBe(414);
		expect(answer.text).toContain('414 Request-URI Too Large');
	}
	expect(service.deliveries()).toHaveLength(1);
});

test('A body above the limit of the web server is refused with 413', async () => {
	const body = { contact_id, text: 'a'.repeat(1_100_000) };
	expect(await ask('sendMessage', { body })).toMatchObject({ status: 413 });
	expect(service.requests).toMatchObject([{ status: 413, accepted: false }]);
});

const external = (bot_id: number, messenger: string, contact_external_id: string) => ({
	query: { bot_id, messenger, contact_external_id, text: 'Привет' },
});

test.each<[string, Question, string]>([
	['getBotTags', { query: { bot_id: 1 } }, 'Бот не найден'],
	['getContactTags', { query: { contact_id: 1 } }, 'Контакт не найден'],
	['attachTagToContact', { body: { contact_id, name: 'Такого нет' } }, 'Тег не найден'],
	['detachTagFromContact', { body: { contact_id, name: 'Такого нет' } }, 'Тег не найден'],
	['deleteContactVariable', { query: { contact_id, name: 'Такой нет' } }, 'Переменная не найдена'],
	// A contact of another bot or another messenger, and a number that is not bound.
	['sendMessage', external(bots.dentist, 'telegram', '284119035'), 'Контакт не найден'],
	['sendMessage', external(bots.school, 'vk', '284119035'), 'Контакт не найден'],
	['sendMessage', external(bots.school, 'vk', '79161234567'), 'Контакт не найден'],
	['getListSchema', { query: { schema_id: 'a' } }, 'Список не найден'],
	['addListSchemaField', { body: { schema_id: 'a', field: { slug: 'a' } } }, 'Список не найден'],
	['deleteListSchemaField', { body: { schema_id: schemas.orders, slug: 'a' } }, 'Поле не найдено'],
	['deleteListSchema', { body: { schema_id: 'a' } }, 'Список не найден'],
])('%s with %j names a record that does not exist', async (operation, question, message) => {
	expect(await ask(operation, question)).toMatchObject({ status: 404, json: { message } });
	expect(service.requests).toMatchObject([{ accepted: false }]);
	expect(service.deliveries()).toEqual([]);
});

const missing = (name: string) => `Поле ${name} обязательно для заполнения.`;
const without = (name: string, others: string) =>
	`Поле ${name} обязательно для заполнения, когда ${others} не указано.`;
const oneOf = (name: string, ...others: string[]) => without(name, `ни одно из ${others.join(' / ')}`);
const noContents = {
	text: oneOf('text', 'image', 'file'),
	image: oneOf('image', 'text', 'file'),
	file: oneOf('file', 'text', 'image'),
};
const halfRecipient = {
	bot_id: without('bot id', 'contact id'),
	contact_external_id: without('contact external id', 'contact id'),
};
const noBot = { bot_id: 'Выбранное значение для bot id некорректно.' };
const notUrl = 'Поле image имеет ошибочный формат URL.';
const sum = { name: 'a', slug: 'a', type: 'string' };

test.each<[string, Question, Record<string, string>]>([
	[
		'setContactVariable',
		{ query: { deletable: 7, value: '  ' } },
		{
			contact_id: missing('contact id'),
			name: missing('name'),
			value: missing('value'),
			deletable: 'Выбранное значение для deletable ошибочно.',
		},
	],
	[
		'deleteContactVariable',
		{ query: { contact_id } },
		{ id: without('id', 'name'), name: without('name', 'id') },
	],
	[
		'sendMessage',
		{ query: { image: 'https://example.com/a.png' } },
		{
			contact_id: oneOf('contact id', 'messenger', 'bot id', 'contact external id'),
			messenger: without('messenger', 'contact id'),
			...halfRecipient,
		},
	],
	['sendMessage', { query: { text: 'a', messenger: 'vk' } }, halfRecipient],
	['sendMessage', { query: { contact_id } }, noContents],
	['sendMessage', external(9, 'vk', '1'), noBot],
	['sendMessage', external(101, 'icq', '1'), { messenger: 'Выбранное значение для messenger ошибочно.' }],
	[
		'sendMessage',
		{ query: { contact_id: 'Анна', text: 'a' } },
		{ contact_id: 'Поле contact id должно быть целым числом.' },
	],
	['sendMessage', { query: { contact_id, image: 'a.png' } }, { image: notUrl }],
	[
		'sendMessageToWhatsApp',
		{ body: {} },
		{ bot_id: missing('bot id'), phone: missing('phone'), text: missing('text') },
	],
	[
		'sendMessageToWhatsApp',
		{ body: { bot_id: 101, phone: '79990001122', text: 'a' } },
		{ name: 'Поле name обязательно для заполнения при первом сообщении контакту.' },
	],
	['createListSchema', { body: { fields: 'a' } }, { name: missing('name'), fields: 'должно быть массивом.' }],
	[
		'createListSchema',
		{ body: { name: 'a', fields: { b: {} } } },
		{
			'fields.b.slug': missing('fields.b.slug'),
			'fields.b.name': missing('fields.b.name'),
			'fields.b.type': missing('fields.b.type'),
		},
	],
	[
		'createListSchema',
		{ body: { name: 'a', fields: { a: sum, b: sum } } },
		{ 'fields.b.slug': 'Такое значение поля fields.b.slug уже существует.' },
	],
])('%s refuses %j in the words of the framework', async (operation, question, errors) => {
	const { status, json } = await ask<Invalid>(operation, question);
	const expected = Object.entries(errors).map(([name, text]) => [name, [expect.stringContaining(text)]]);
	expect([status, Object.entries(json.errors)]).toEqual([422, expected]);
	expect(service.requests).toMatchObject([{ accepted: false }]);
	expect(service.deliveries()).toEqual([]);
	expect(service.data.listSchemas.size).toBe(SEEDED.schemaCount);
});

test.each(['query', 'body'] as const)(
	'A contact variable is created and updated by parameters in the %s',
	async (place) => {
		const set = async (name: string, value: string, more = {}) =>
			await ask('setContactVariable', { [place]: { contact_id, name, value, ...more } });
		expect(await set('Город', 'Уфа', { deletable: 1 })).toMatchObject({ status: 200 });
		expect(await set('Новая', '1')).toMatchObject({ status: 200 });
		const { variables } = service.data.contacts.get(contact_id)!;
		expect(variables).toHaveLength(4);
		expect(variables[0]).toMatchObject({ id: 9001, value: 'Уфа', deletable: true });
		expect(variables[3]).toMatchObject({ name: 'Новая', value: '1', deletable: false });
	},
);

test('sendMessage delivers to a contact, trimmed', async () => {
	const image = 'https://example.com/a.png';
	const query = { contact_id, text: '  Здравствуйте!  ', image };
	expect(await ask('sendMessage', { query })).toMatchObject({ status: 200 });
	const to = { recipient: String(contact_id), contactId: contact_id, messenger: 'telegram' };
	expect(service.deliveries()).toEqual([{ ...to, text: 'Здравствуйте!', image, file: undefined }]);
});

test.each([
	['the ID in the messenger', bots.school, 'telegram', '284119035', contacts.telegram],
	['the phone number bound to it', bots.school, 'telegram', '79161234567', contacts.telegram],
	['the number as people write it', bots.school, 'telegram', '8 (916) 123-45-67', contacts.telegram],
])('sendMessage finds a contact by %s', async (_title, bot_id, messenger, recipient, contactId) => {
	expect(await ask('sendMessage', external(bot_id, messenger, recipient))).toMatchObject({ status: 200 });
	expect(service.deliveries()).toMatchObject([{ contactId, messenger, recipient }]);
});

test('sendMessageToWhatsApp with a name creates a contact, which is known from then on', async () => {
	const body = { bot_id: bots.school, phone: '79990001122', text: 'Здравствуйте' };
	await ask('sendMessageToWhatsApp', { body: { ...body, name: 'Олег' } });
	await ask('sendMessageToWhatsApp', { body });
	const [first, second] = service.deliveries();
	expect(second!.contactId).toBe(first!.contactId);
	const contact = service.data.contacts.get(first!.contactId);
	expect(contact).toMatchObject({ name: 'Олег', phone: '79990001122' });
});

test('List schemas are returned in pages of 50 whose links repeat the query with the token', async () => {
	const path = `${service.url}/api/v1/getListSchemas`;
	const link = (page: number) => `${path}?api_token=${service.token}&page=${page}`;
	const ids = new Set<string>();
	for (const [page, from, to] of [
		[1, 1, 50],
		[2, 51, 100],
		[3, 101, 124],
		[4, null, null],
	] as const) {
		const { json } = await ask<Page<ListSchema>>('getListSchemas', page === 1 ? {} : { query: { page } });
		for (const { id } of json.data) ids.add(id);
		expect(json.data).toHaveLength(from === null ? 0 : to - from + 1);
		const prev = page > 1 ? link(page - 1) : null;
		const next = page < 3 ? link(page + 1) : null;
		expect(json.links).toEqual({ first: link(1), last: link(3), prev, next });
		const total = SEEDED.schemaCount;
		expect(json.meta).toEqual({ current_page: page, from, last_page: 3, path, per_page: 50, to, total });
	}
	expect(ids.size).toBe(SEEDED.schemaCount);
	for (const id of ids) expect(id).toMatch(/^[0-9a-f]{24}$/);
	const headers = { authorization: `Bearer ${service.token}` };
	const { text } = await ask('getListSchemas', { token: null, headers });
	expect(text).not.toContain(service.token);
});
