/** The emulator answers as the API documents, and otherwise as the framework does. */

import {
	LARAVEL,
	SEEDED,
	TOKEN_WITHOUT_API,
	addContacts,
	startEmulator,
	type ListSchema,
	type Variable,
} from '../../sandbox/emulator';
import type { Page } from '../../sandbox/emulator/pages';
import { isReading, operations, requestOf } from '../operations';
import { clientOf, useEmulator, type Invalid } from './client';

const { bots, contacts, schemas } = SEEDED;

const service = useEmulator();
const ask = clientOf(service);

test('An unknown or missing token is refused with 401', async () => {
	for (const token of ['wrong', null]) {
		const answer = await ask('getListSchemas', { token });
		expect(answer).toMatchObject({ status: 401, json: { message: 'Unauthenticated.' } });
	}
	expect(service.requests.map(({ accepted }) => accepted)).toEqual([false, false]);
});

test('A plan without API access is refused with 403', async () => {
	const answer = await ask('getListSchemas', { token: TOKEN_WITHOUT_API });
	expect(answer).toMatchObject({ status: 403, json: { message: 'Forbidden' } });
});

test('The token is accepted in the query and as Bearer', async () => {
	const headers = { authorization: `Bearer ${service.token}` };
	expect(await ask('getListSchemas')).toMatchObject({ status: 200 });
	expect(await ask('getListSchemas', { token: null, headers })).toMatchObject({ status: 200 });
});

test.each([
	['with Accept alone asks', { accept: 'application/json', 'x-requested-with': undefined }, 200],
	['with X-Requested-With alone asks', { accept: '*/*', 'x-requested-with': 'XMLHttpRequest' }, 200],
	['with neither header of its own does not ask', { accept: '*/*', 'x-requested-with': undefined }, 302],
	[
		'with JSON as its second choice does not ask',
		{ accept: 'text/html, application/json', 'x-requested-with': undefined },
		302,
	],
])('A request %s for JSON', async (_title, headers, status) => {
	expect(await ask('getListSchemas', { headers })).toMatchObject({ status });
});

test('A request that does not ask for JSON is redirected to a login page', async () => {
	const headers = { accept: 'text/html', 'x-requested-with': undefined };
	const answer = await ask('getListSchemas', { headers });
	expect(answer.status).toBe(302);
	expect(answer.headers.get('location')).toBe(`${service.url}/login`);
	const page = await ask('/login', { headers, token: null });
	expect(page.status).toBe(200);
	expect(page.text).toContain('Вход в личный кабинет');
});

test('An unknown path is refused with 404, another method with 405', async () => {
	expect(await ask('/api/v1/getBots')).toMatchObject({
		status: 404,
		json: { message: 'The route api/v1/getBots could not be found.' },
	});
	expect(await ask('/api/v1/sendMessage', { method: 'GET' })).toMatchObject({ status: 405 });
	const headers = { accept: 'text/html', 'x-requested-with': undefined };
	const page = await ask('/nowhere', { headers });
	expect(page).toMatchObject({ status: 404, json: undefined });
	expect(page.text).toContain('Страница не найдена');
});

test('A request line of more than 8 KB is refused with 414 at any length', async () => {
	const query = (length: number) => ({ contact_id: contacts.telegram, text: 'a'.repeat(length) });
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
	const body = { contact_id: contacts.telegram, text: 'a'.repeat(1_100_000) };
	expect(await ask('sendMessage', { body })).toMatchObject({ status: 413 });
	expect(service.requests).toMatchObject([{ status: 413, accepted: false }]);
});

test('getBotTags and getContactTags list tag names', async () => {
	const bot = await ask('getBotTags', { query: { bot_id: bots.dentist } });
	expect(bot.json).toEqual({ data: ['Записан на приём', 'Повторный визит'] });
	const contact = await ask('getContactTags', { query: { contact_id: contacts.telegram } });
	expect(contact.json).toEqual({ data: ['Новый лид', 'Пробный урок', 'Группа B1'] });
	const none = await ask('getContactTags', { query: { contact_id: contacts.bare } });
	expect(none.json).toEqual({ data: [] });
});

test('A tag is attached and detached by name, and a second time changes nothing', async () => {
	const body = { contact_id: contacts.whatsapp, name: 'VIP' };
	for (const [operation, tags] of [
		['attachTagToContact', ['Оплатил', 'VIP']],
		['attachTagToContact', ['Оплатил', 'VIP']],
		['detachTagFromContact', ['Оплатил']],
		['detachTagFromContact', ['Оплатил']],
	] as const) {
		expect(await ask(operation, { body })).toMatchObject({ status: 200 });
		expect(service.data.contacts.get(contacts.whatsapp)!.tags).toEqual(tags);
	}
});

test('A tag and its owner must exist', async () => {
	const unknown = { contact_id: contacts.telegram, name: 'Такого нет' };
	const found = async (operation: string, question: object) => {
		const { status, json } = await ask<{ message: string }>(operation, question);
		return [status, json.message];
	};
	expect(await found('attachTagToContact', { body: unknown })).toEqual([404, 'Тег не найден']);
	expect(await found('detachTagFromContact', { body: unknown })).toEqual([404, 'Тег не найден']);
	expect(await found('getContactTags', { query: { contact_id: 1 } })).toEqual([404, 'Контакт не найден']);
	expect(await found('getBotTags', { query: { bot_id: 1 } })).toEqual([404, 'Бот не найден']);
});

const contact_id = contacts.telegram;

const readVariables = async () =>
	(await ask<{ data: Variable[] }>('getContactVariables', { query: { contact_id } })).json.data;

test('Contact variables include the deprecated variable', async () => {
	const [first, , third] = await readVariables();
	expect(first).toEqual({
		id: 9001,
		name: 'Город',
		value: 'Казань',
		deletable: false,
		variable: { id: 9001, name: 'Город' },
	});
	expect(third!.deletable).toBe(true);
});

test.each(['query', 'body'] as const)(
	'A contact variable is created and updated by parameters in the %s',
	async (place) => {
		const set = async (name: string, value: string, more = {}) =>
			await ask('setContactVariable', { [place]: { contact_id, name, value, ...more } });
		expect(await set('Город', 'Уфа', { deletable: 1 })).toMatchObject({ status: 200, text: '{}' });
		expect(await set('Новая', '1')).toMatchObject({ status: 200 });
		const variables = await readVariables();
		expect(variables).toHaveLength(4);
		expect(variables[0]).toMatchObject({ id: 9001, value: 'Уфа', deletable: true });
		expect(variables[3]).toMatchObject({ name: 'Новая', value: '1', deletable: false });
		service.assertContract();
	},
);

test('A contact variable is deleted by name or by ID, once', async () => {
	const byName = { query: { contact_id, name: 'Город' } };
	expect(await ask('deleteContactVariable', byName)).toMatchObject({ status: 200, text: '' });
	expect(await ask('deleteContactVariable', byName)).toMatchObject({ status: 404 });
	const byId = { query: { contact_id, id: 9002 } };
	expect(await ask('deleteContactVariable', byId)).toMatchObject({ status: 200 });
	expect((await readVariables()).map(({ name }) => name)).toEqual(['Комментарий к заявке']);
});

test('A contact variable needs the required parameters of the API', async () => {
	const set = await ask<Invalid>('setContactVariable', { query: { deletable: 7, value: '  ' } });
	expect(set.status).toBe(422);
	expect(set.json).toEqual({
		message: 'The given data was invalid.',
		errors: {
			contact_id: ['Поле contact id обязательно для заполнения.'],
			name: ['Поле name обязательно для заполнения.'],
			value: ['Поле value обязательно для заполнения.'],
			deletable: ['Выбранное значение для deletable ошибочно.'],
		},
	});
	const remove = await ask<Invalid>('deleteContactVariable', { query: { contact_id } });
	expect(Object.keys(remove.json.errors)).toEqual(['id', 'name']);
});

const image = 'https://example.com/a.png';

test('sendMessage delivers to a contact, trimmed', async () => {
	const query = { contact_id, text: '  Здравствуйте!  ', image };
	expect(await ask('sendMessage', { query })).toMatchObject({ status: 200, json: { success: true } });
	expect(service.deliveries()).toMatchObject([
		{
			recipient: '5001',
			contactId: 5001,
			messenger: 'telegram',
			text: 'Здравствуйте!',
			image,
			file: undefined,
		},
	]);
});

test('sendMessage also accepts the parameters in a JSON body', async () => {
	const text = 'Длинное сообщение. '.repeat(500).trim();
	expect(await ask('sendMessage', { body: { contact_id, text } })).toMatchObject({ status: 200 });
	expect(service.deliveries()).toMatchObject([{ contactId: contact_id, text }]);
});

test.each([
	['the ID in the messenger', bots.school, 'telegram', '284119035', contacts.telegram],
	['the phone number bound to it', bots.school, 'telegram', '79161234567', contacts.telegram],
	['the number as people write it', bots.school, 'telegram', '8 (916) 123-45-67', contacts.telegram],
	['the number in viber', bots.flowers, 'viber', '+79264440303', contacts.viber],
	['the number in max', bots.dentist, 'max', '79857770505', contacts.max],
	['the ID in vk', bots.school, 'vk', '17450283', contacts.vk],
])('sendMessage finds a contact by %s', async (_title, bot_id, messenger, contact_external_id, contactId) => {
	const query = { bot_id, messenger, contact_external_id, text: 'Привет' };
	expect(await ask('sendMessage', { query })).toMatchObject({ status: 200 });
	expect(service.deliveries()).toMatchObject([{ contactId, messenger, recipient: contact_external_id }]);
});

test.each([
	['another bot', bots.dentist, 'telegram', '284119035'],
	['another messenger', bots.school, 'vk', '284119035'],
	['a number that is not bound', bots.school, 'vk', '79161234567'],
])('sendMessage does not find a contact of %s', async (_title, bot_id, messenger, contact_external_id) => {
	const query = { bot_id, messenger, contact_external_id, text: 'Привет' };
	expect(await ask('sendMessage', { query })).toMatchObject({ status: 404 });
	expect(service.deliveries()).toEqual([]);
});

const without = 'обязательно для заполнения, когда';
const withoutContactId = `${without} contact id не указано`;

test.each<[string, Record<string, string | number>, name: string, text: string]>([
	[
		'to nobody',
		{ text: 'a' },
		'contact_id',
		`${without} ни одно из messenger / bot id / contact external id`,
	],
	['with a bot alone', { text: 'a', bot_id: 101 }, 'messenger', withoutContactId],
	['with a messenger alone', { text: 'a', messenger: 'vk' }, 'bot_id', withoutContactId],
	[
		'with half an external ID',
		{ text: 'a', messenger: 'vk', bot_id: 101 },
		'contact_external_id',
		withoutContactId,
	],
	[
		'without contents, in words for text',
		{ contact_id },
		'text',
		`${without} ни одно из image / file не указано`,
	],
	[
		'without contents, in words for image',
		{ contact_id },
		'image',
		`${without} ни одно из text / file не указано`,
	],
	[
		'with a blank text, in words for file',
		{ contact_id, text: ' ' },
		'file',
		`${without} ни одно из text / image не указано`,
	],
	[
		'with an unknown bot',
		{ text: 'a', bot_id: 9, messenger: 'vk', contact_external_id: '1' },
		'bot_id',
		'некорректно',
	],
	['with an unknown messenger', { text: 'a', messenger: 'icq' }, 'messenger', 'ошибочно'],
	['with an ID that is none', { text: 'a', contact_id: 'Анна' }, 'contact_id', 'целым числом'],
	['with an image that is no URL', { contact_id, image: 'a.png' }, 'image', 'формат URL'],
	['with an image by FTP', { contact_id, image: 'ftp://example.com/a.png' }, 'image', 'формат URL'],
])('sendMessage refuses a message %s', async (_title, query, name, text) => {
	const answer = await ask<Invalid>('sendMessage', { query });
	expect(answer.status).toBe(422);
	expect(answer.json.errors[name]).toEqual([expect.stringMatching(/^Поле|^Выбранное/)]);
	expect(answer.json.errors[name]![0]).toContain(text);
	expect(service.deliveries()).toEqual([]);
	expect(service.requests[0]).toMatchObject({ status: 422, accepted: false });
});

test('sendMessage does not report optional contents that are missing', async () => {
	const answer = await ask<Invalid>('sendMessage', { query: { image } });
	const names = ['contact_id', 'messenger', 'bot_id', 'contact_external_id'];
	expect(Object.keys(answer.json.errors)).toEqual(names);
});

test('sendMessageToWhatsApp sends to a known number without a name', async () => {
	const body = { bot_id: bots.school, phone: '+7 (903) 555-01-01', text: 'Здравствуйте' };
	expect(await ask('sendMessageToWhatsApp', { body })).toMatchObject({ status: 200 });
	const delivery = { contactId: contacts.whatsapp, recipient: '+7 (903) 555-01-01' };
	expect(service.deliveries()).toMatchObject([delivery]);
});

test('sendMessageToWhatsApp needs a name the first time and knows the contact from then on', async () => {
	const body = { bot_id: bots.school, phone: '79990001122', text: 'Здравствуйте' };
	const refused = await ask<Invalid>('sendMessageToWhatsApp', { body });
	expect(refused).toMatchObject({ status: 422 });
	expect(Object.keys(refused.json.errors)).toEqual(['name']);
	await ask('sendMessageToWhatsApp', { body: { ...body, name: 'Олег' } });
	await ask('sendMessageToWhatsApp', { body });
	const [first, second] = service.deliveries();
	expect(second!.contactId).toBe(first!.contactId);
	const contact = service.data.contacts.get(first!.contactId);
	expect(contact).toMatchObject({ name: 'Олег', phone: '79990001122' });
});

test.each([
	['what is missing', {}, ['bot_id', 'phone', 'text']],
	['an unknown bot', { bot_id: 9, phone: '79990001122', text: 'a', name: 'a' }, ['bot_id']],
	['a number that is none', { bot_id: 101, phone: '12', text: 'a', name: 'a' }, ['phone']],
])('sendMessageToWhatsApp refuses %s', async (_title, body, names) => {
	const answer = await ask<Invalid>('sendMessageToWhatsApp', { body });
	expect(answer.status).toBe(422);
	expect(Object.keys(answer.json.errors)).toEqual(names);
});

test('List schemas are returned in pages of 50 whose links repeat the query with the token', async () => {
	const path = `${service.url}/api/v1/getListSchemas`;
	const link = (page: number) => `${path}?api_token=${service.token}&page=${page}`;
	const ids = new Set<string>();
	for (const [page, from, to] of [
		[1, 1, 50],
		[2, 51, 100],
		[3, 101, 124],
	] as const) {
		const { json } = await ask<Page<ListSchema>>('getListSchemas', page === 1 ? {} : { query: { page } });
		for (const { id } of json.data) ids.add(id);
		expect(json.data).toHaveLength(to - from + 1);
		const prev = page > 1 ? link(page - 1) : null;
		const next = page < 3 ? link(page + 1) : null;
		expect(json.links).toEqual({ first: link(1), last: link(3), prev, next });
		expect(json.meta).toEqual({
			current_page: page,
			from,
			last_page: 3,
			path,
			per_page: 50,
			to,
			total: SEEDED.schemaCount,
		});
	}
	expect(ids.size).toBe(SEEDED.schemaCount);
	for (const id of ids) expect(id).toMatch(/^[0-9a-f]{24}$/);
});

test('A page of list schemas beyond the last is empty', async () => {
	const { json } = await ask<Page<ListSchema>>('getListSchemas', { query: { page: 9 } });
	expect(json.data).toEqual([]);
	expect(json.meta).toMatchObject({ current_page: 9, from: null, to: null });
});

test('A page of list schemas does not repeat a token from a header', async () => {
	const headers = { authorization: `Bearer ${service.token}` };
	const { text } = await ask('getListSchemas', { token: null, headers });
	expect(text).not.toContain(service.token);
});

const readSchema = async (schema_id: string) =>
	(await ask<{ data: ListSchema }>('getListSchema', { query: { schema_id } })).json.data;

test('A list schema is created with its fields, and shows the logical type as bool', async () => {
	const fields = {
		done: { name: 'Готово', slug: 'done', type: 'boolean', is_required: true },
		who: { name: 'Кто', slug: 'who', type: 'contact', is_encryptable: true, is_hidden: false },
	};
	const body = { name: 'Задачи', is_menu: true, bot_id: bots.school, fields };
	const { json } = await ask<{ data: ListSchema }>('createListSchema', { body });
	expect(json.data).toMatchObject({ name: 'Задачи', is_menu: true });
	expect(json.data.fields).toEqual({
		done: { name: 'Готово', type: 'bool', is_required: true, is_hidden: false, is_encryptable: false },
		who: { name: 'Кто', type: 'contact', is_required: false, is_hidden: false, is_encryptable: true },
	});
	expect(await readSchema(json.data.id)).toEqual(json.data);
});

const sum = { name: 'a', slug: 'a', type: 'string' };

test.each<[string, object, string[]]>([
	['a missing name', {}, ['name']],
	['an unknown bot', { name: 'a', bot_id: 9 }, ['bot_id']],
	['fields that are none', { name: 'a', fields: 'a' }, ['fields']],
	['an empty field', { name: 'a', fields: { b: {} } }, ['fields.b.slug', 'fields.b.name', 'fields.b.type']],
	['an unknown type', { name: 'a', fields: { a: { ...sum, type: 'bool' } } }, ['fields.a.type']],
	['a slug that stands twice', { name: 'a', fields: { a: sum, b: sum } }, ['fields.b.slug']],
])('createListSchema refuses %s', async (_title, body, names) => {
	const answer = await ask<Invalid>('createListSchema', { body });
	expect(answer.status).toBe(422);
	expect(Object.keys(answer.json.errors)).toEqual(names);
	expect(service.data.listSchemas.size).toBe(SEEDED.schemaCount);
});

test('A field is added to a list schema once, and deleted', async () => {
	const schema_id = schemas.orders;
	const add = { body: { schema_id, field: { slug: 'note', name: 'Заметка', type: 'string' } } };
	expect(await ask('addListSchemaField', add)).toMatchObject({ status: 200 });
	const schema = await readSchema(schema_id);
	expect(schema.fields.note).toMatchObject({ name: 'Заметка', type: 'string', is_hidden: false });
	expect(schema.updated_at > '2025').toBe(true);
	expect(schema.created_at).toBe('2023-10-02T09:30:00+03:00');

	const twice = await ask<Invalid>('addListSchemaField', add);
	expect(twice).toMatchObject({ status: 422 });
	expect(Object.keys(twice.json.errors)).toEqual(['field.slug']);

	const remove = { body: { schema_id, slug: 'note' } };
	expect(await ask('deleteListSchemaField', remove)).toMatchObject({ status: 200 });
	expect(await readSchema(schema_id)).not.toHaveProperty('fields.note');
	expect(await ask('deleteListSchemaField', remove)).toMatchObject({ status: 404 });
});

test('A list schema no longer exists after its deletion', async () => {
	const schema_id = schemas.reviews;
	const gone = { status: 404, json: { message: 'Список не найден' } };
	expect(await ask('deleteListSchema', { body: { schema_id } })).toMatchObject({ status: 200 });
	expect(await ask('getListSchema', { query: { schema_id } })).toMatchObject(gone);
	expect(await ask('deleteListSchema', { body: { schema_id } })).toMatchObject(gone);
	const body = { schema_id, field: { slug: 'a' } };
	expect(await ask('addListSchemaField', { body })).toMatchObject(gone);
});

const asPage = 'text/html; charset=UTF-8';
const asJson = 'application/json; charset=utf-8';
const rows = '[{"id":7301,"name":"Анна Соколова","updated_at":"2026-11-05T09:30:00+03:00"}]';

test.each([
	['[]', 200, asJson, '[]'],
	['{}', 200, asJson, '{}'],
	['success', 200, asJson, '{"success":true}'],
	['empty body', 200, asPage, ''],
	['no content', 204, null, ''],
	['text 1', 200, asPage, '1'],
	['text true', 200, asPage, 'true'],
	['text ok', 200, asPage, 'ok'],
	['text null', 200, asPage, 'null'],
	['json true', 200, asJson, 'true'],
	['json 1', 200, asJson, '1'],
	['json null', 200, asJson, 'null'],
	['rows', 200, asJson, rows],
] as const)(
	'All operations that change something can be answered in the shape %s',
	async (shape, status, type, text) => {
		service.answerAll(shape);
		const changing = operations.filter((operation) => !isReading(operation));
		for (const { endpoint, variants } of changing) {
			// The answer of this operation is documented.
			const faulty = endpoint === 'sendMessage';
			const answer = await ask(endpoint, { ...requestOf(variants[0]!), faulty });
			const contentType = answer.headers.get('content-type');
			expect([endpoint, answer.status, contentType, answer.text]).toEqual([endpoint, status, type, text]);
			expect([endpoint, variants[0]!.isDone!(service.data)]).toEqual([endpoint, true]);
		}
		expect(service.requests.map(({ accepted }) => accepted)).toEqual(changing.map(() => true));
		expect(await readSchema(schemas.orders)).toMatchObject({ id: schemas.orders });
	},
);

test('A list schema can be answered without the data wrapper', async () => {
	service.answers.getListSchema = 'bare';
	const { json } = await ask('getListSchema', { query: { schema_id: schemas.orders } });
	expect(json).toMatchObject({ id: schemas.orders, name: 'Заявки' });
});

test('Answers have their usual shapes again after a reset', async () => {
	const usual = { ...service.answers };
	service.answerAll('success');
	expect(service.answers).not.toEqual(usual);
	service.reset();
	expect(service.answers).toEqual(usual);
});

test('An emulator that behaves like a real Laravel does so before and after a reset', async () => {
	const laravel = await startEmulator(LARAVEL);
	const attach = async () =>
		await clientOf(laravel)('attachTagToContact', { body: { contact_id, name: 'VIP' } });
	try {
		for (let time = 0; time < 2; time++) {
			const answer = await attach();
			expect(answer).toMatchObject({ status: 200, text: '1' });
			expect(answer.headers.get('x-ratelimit-limit')).toBe('120');
			expect(laravel.requests).toMatchObject([{ accepted: true, faults: ['delay'] }]);
			laravel.answerAll('[]');
			laravel.setLimits(false);
			laravel.faults.clear();
			expect(await attach()).toMatchObject({ text: '[]' });
			laravel.reset();
		}
		const query = { contact_id: contacts.vk, text: 'Здравствуйте' };
		expect(await clientOf(laravel)('sendMessage', { query })).toMatchObject({ text: '{"success":true}' });
	} finally {
		await laravel.stop();
	}
});

test('Contacts for larger broadcasts exist until a reset', async () => {
	const seeded = service.data.contacts.size;
	const added = addContacts(service.data, 1000, { botId: bots.flowers, messenger: 'viber' });
	expect(new Set(added.map(({ externalId }) => externalId)).size).toBe(1000);
	await ask('sendMessage', { query: { contact_id: added[0]!.id, text: 'Привет' } });
	expect(service.deliveries()).toMatchObject([{ messenger: 'viber' }]);
	service.reset();
	expect(service.data.contacts.size).toBe(seeded);
	expect(service.deliveries()).toEqual([]);
	expect(service.requests).toEqual([]);
});
