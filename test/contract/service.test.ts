/** The stand-in answers as the interface says, and as the framework does where the interface says nothing. */

import {
	LARAVEL,
	SEEDED,
	TOKEN_WITHOUT_API,
	addContacts,
	startService,
	type AnswerShapes,
	type ListSchema,
	type Service,
	type Variable,
} from '../../sandbox/service';
import type { Page } from '../../sandbox/service/pages';
import { operations, requestOf } from '../operations';
import { ask, type Invalid } from './client';

const { bots, contacts, schemas } = SEEDED;

let service: Service;
beforeAll(async () => {
	service = await startService();
});
afterEach(() => service.reset());
afterAll(async () => await service.stop());

describe('access', () => {
	it('is refused with 401 to an unknown or missing token', async () => {
		for (const token of ['wrong', null]) {
			const answer = await ask(service, 'GET', 'getListSchemas', { token });
			expect(answer).toMatchObject({ status: 401, json: { message: 'Unauthenticated.' } });
		}
		expect(service.requests.map(({ accepted }) => accepted)).toEqual([false, false]);
	});

	it('is refused with 403 to a tariff without API access', async () => {
		const answer = await ask(service, 'GET', 'getListSchemas', { token: TOKEN_WITHOUT_API });
		expect(answer).toMatchObject({ status: 403, json: { message: 'Forbidden' } });
	});

	it('is granted to the token in the query and as Bearer', async () => {
		const headers = { authorization: `Bearer ${service.token}` };
		expect(await ask(service, 'GET', 'getListSchemas')).toMatchObject({ status: 200 });
		expect(await ask(service, 'GET', 'getListSchemas', { token: null, headers })).toMatchObject({
			status: 200,
		});
	});

	it('leads to a login page when JSON is not asked for', async () => {
		const headers = { accept: 'text/html', 'x-requested-with': undefined };
		const answer = await ask(service, 'GET', 'getListSchemas', { headers });
		expect(answer.status).toBe(302);
		expect(answer.headers.get('location')).toBe(`${service.url}/login`);
		const page = await ask(service, 'GET', '/login', { headers, token: null });
		expect(page.status).toBe(200);
		expect(page.text).toContain('Вход в личный кабинет');
	});

	it.each([
		['Accept alone', { accept: 'application/json', 'x-requested-with': undefined }, 200],
		['X-Requested-With alone', { accept: '*/*', 'x-requested-with': 'XMLHttpRequest' }, 200],
		['neither', { accept: '*/*', 'x-requested-with': undefined }, 302],
		['JSON as second choice', { accept: 'text/html, application/json', 'x-requested-with': undefined }, 302],
	])('takes %s as asking for JSON or not', async (_title, headers, status) => {
		expect(await ask(service, 'GET', 'getListSchemas', { headers })).toMatchObject({ status });
	});

	it('is refused with 404 to an unknown path, with 405 to another method', async () => {
		expect(await ask(service, 'GET', '/api/v1/getBots')).toMatchObject({
			status: 404,
			json: { message: 'The route api/v1/getBots could not be found.' },
		});
		expect(await ask(service, 'GET', '/api/v1/sendMessage')).toMatchObject({ status: 405 });
		const headers = { accept: 'text/html', 'x-requested-with': undefined };
		const page = await ask(service, 'GET', '/nowhere', { headers });
		expect(page).toMatchObject({ status: 404, json: undefined });
		expect(page.text).toContain('Страница не найдена');
	});

	it('is refused with 414 to a request line of more than 8 KB, however long', async () => {
		const query = (length: number) => ({ contact_id: contacts.telegram, text: 'a'.repeat(length) });
		const frame = `POST /api/v1/sendMessage?contact_id=5001&text=&api_token=${service.token} HTTP/1.1\r\n`
			.length;
		expect(await ask(service, 'POST', 'sendMessage', { query: query(8192 - frame) })).toMatchObject({
			status: 200,
		});
		for (const length of [8193 - frame, 200_000]) {
			const answer = await ask(service, 'POST', 'sendMessage', { query: query(length) });
			expect(answer.status).toBe(414);
			expect(answer.text).toContain('414 Request-URI Too Large');
		}
		expect(service.deliveries()).toHaveLength(1);
	});

	it('is refused with 413 to a body beyond what the web server takes', async () => {
		const body = { contact_id: contacts.telegram, text: 'a'.repeat(1_100_000) };
		const answer = await ask(service, 'POST', 'sendMessage', { body });
		expect(answer.status).toBe(413);
		expect(service.requests).toMatchObject([{ status: 413, accepted: false }]);
	});
});

describe('tags', () => {
	it('are those of the bot and of the contact', async () => {
		const bot = await ask(service, 'GET', 'getBotTags', { query: { bot_id: bots.dentist } });
		expect(bot.json).toEqual({ data: ['Записан на приём', 'Повторный визит'] });
		const contact = await ask(service, 'GET', 'getContactTags', { query: { contact_id: contacts.telegram } });
		expect(contact.json).toEqual({ data: ['Новый лид', 'Пробный урок', 'Группа B1'] });
		const none = await ask(service, 'GET', 'getContactTags', { query: { contact_id: contacts.bare } });
		expect(none.json).toEqual({ data: [] });
	});

	it('are attached and detached by name, a second time without any change', async () => {
		const body = { contact_id: contacts.whatsapp, name: 'VIP' };
		const tagsNow = () => service.data.contacts.get(contacts.whatsapp)?.tags;
		for (let time = 0; time < 2; time++) {
			expect(await ask(service, 'POST', 'attachTagToContact', { body })).toMatchObject({
				status: 200,
				text: '[]',
			});
			expect(tagsNow()).toEqual(['Оплатил', 'VIP']);
		}
		for (let time = 0; time < 2; time++) {
			expect(await ask(service, 'POST', 'detachTagFromContact', { body })).toMatchObject({ status: 200 });
			expect(tagsNow()).toEqual(['Оплатил']);
		}
	});

	it('and their owners must be known', async () => {
		const unknown = { contact_id: contacts.telegram, name: 'Такого нет' };
		expect(await ask(service, 'POST', 'attachTagToContact', { body: unknown })).toMatchObject({
			status: 404,
			json: { message: 'Тег не найден' },
		});
		expect(await ask(service, 'POST', 'detachTagFromContact', { body: unknown })).toMatchObject({
			status: 404,
		});
		expect(await ask(service, 'GET', 'getContactTags', { query: { contact_id: 1 } })).toMatchObject({
			status: 404,
			json: { message: 'Контакт не найден' },
		});
		expect(await ask(service, 'GET', 'getBotTags', { query: { bot_id: 1 } })).toMatchObject({
			status: 404,
			json: { message: 'Бот не найден' },
		});
	});
});

describe('contact variables', () => {
	const contact_id = contacts.telegram;
	const read = async (): Promise<Variable[]> =>
		(await ask<{ data: Variable[] }>(service, 'GET', 'getContactVariables', { query: { contact_id } })).json
			.data;

	it('carry the deprecated variable too', async () => {
		const [first, , third] = await read();
		expect(first).toEqual({
			id: 9001,
			name: 'Город',
			value: 'Казань',
			deletable: false,
			variable: { id: 9001, name: 'Город' },
		});
		expect(third?.deletable).toBe(true);
	});

	it.each(['query', 'body'] as const)('are created and updated by parameters in the %s', async (place) => {
		const set = async (name: string, value: string, more = {}) =>
			await ask(service, 'POST', 'setContactVariable', { [place]: { contact_id, name, value, ...more } });
		expect(await set('Город', 'Уфа', { deletable: 1 })).toMatchObject({ status: 200, text: '{}' });
		expect(await set('Новая', '1')).toMatchObject({ status: 200 });
		const variables = await read();
		expect(variables).toHaveLength(4);
		expect(variables[0]).toMatchObject({ id: 9001, value: 'Уфа', deletable: true });
		expect(variables[3]).toMatchObject({ name: 'Новая', value: '1', deletable: false });
		service.assertContract();
	});

	it('are deleted by name or by ID, once', async () => {
		const byName = { query: { contact_id, name: 'Город' } };
		expect(await ask(service, 'POST', 'deleteContactVariable', byName)).toMatchObject({
			status: 200,
			text: '',
		});
		expect(await ask(service, 'POST', 'deleteContactVariable', byName)).toMatchObject({ status: 404 });
		expect(
			await ask(service, 'POST', 'deleteContactVariable', { query: { contact_id, id: 9002 } }),
		).toMatchObject({
			status: 200,
		});
		expect((await read()).map(({ name }) => name)).toEqual(['Комментарий к заявке']);
	});

	it('need what the interface marks', async () => {
		const set = await ask<Invalid>(service, 'POST', 'setContactVariable', {
			query: { deletable: 7, value: '  ' },
		});
		expect(set).toMatchObject({ status: 422, json: { message: 'The given data was invalid.' } });
		expect(set.json.errors).toEqual({
			contact_id: ['Поле contact id обязательно для заполнения.'],
			name: ['Поле name обязательно для заполнения.'],
			value: ['Поле value обязательно для заполнения.'],
			deletable: ['Выбранное значение для deletable ошибочно.'],
		});
		const remove = await ask<Invalid>(service, 'POST', 'deleteContactVariable', { query: { contact_id } });
		expect(Object.keys(remove.json.errors)).toEqual(['id', 'name']);
	});
});

describe('sendMessage', () => {
	const contact_id = contacts.telegram;
	const image = 'https://example.com/a.png';

	it('delivers to a contact, trimmed', async () => {
		const query = { contact_id, text: '  Здравствуйте!  ', image };
		const answer = await ask(service, 'POST', 'sendMessage', { query });
		expect(answer).toMatchObject({ status: 200, json: { success: true } });
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

	it('takes the parameters from a JSON body alike', async () => {
		const text = 'Длинное сообщение. '.repeat(500).trim();
		expect(await ask(service, 'POST', 'sendMessage', { body: { contact_id, text } })).toMatchObject({
			status: 200,
		});
		expect(service.deliveries()).toMatchObject([{ contactId: contact_id, text }]);
	});

	it.each([
		['the ID in the messenger', bots.school, 'telegram', '284119035', contacts.telegram],
		['the phone number bound to it', bots.school, 'telegram', '79161234567', contacts.telegram],
		['the number as people write it', bots.school, 'telegram', '8 (916) 123-45-67', contacts.telegram],
		['the number in viber', bots.flowers, 'viber', '+79264440303', contacts.viber],
		['the number in max', bots.dentist, 'max', '79857770505', contacts.max],
		['the ID in vk', bots.school, 'vk', '17450283', contacts.vk],
	])('finds a contact by %s', async (_title, bot_id, messenger, contact_external_id, contactId) => {
		const query = { bot_id, messenger, contact_external_id, text: 'Привет' };
		expect(await ask(service, 'POST', 'sendMessage', { query })).toMatchObject({ status: 200 });
		expect(service.deliveries()).toMatchObject([{ contactId, messenger, recipient: contact_external_id }]);
	});

	it.each([
		['another bot', bots.dentist, 'telegram', '284119035'],
		['another messenger', bots.school, 'vk', '284119035'],
		['a number that is not bound', bots.school, 'vk', '79161234567'],
	])('does not find a contact of %s', async (_title, bot_id, messenger, contact_external_id) => {
		const query = { bot_id, messenger, contact_external_id, text: 'Привет' };
		expect(await ask(service, 'POST', 'sendMessage', { query })).toMatchObject({ status: 404 });
		expect(service.deliveries()).toEqual([]);
	});

	const without = 'обязательно для заполнения, когда';
	it.each([
		[
			'rule 1',
			{ text: 'a' },
			{ contact_id: `${without} ни одно из messenger / bot id / contact external id` },
		],
		['rule 2: messenger', { text: 'a', bot_id: 101 }, { messenger: `${without} contact id не указано` }],
		['rule 2: bot_id', { text: 'a', messenger: 'vk' }, { bot_id: `${without} contact id не указано` }],
		[
			'rule 2: contact_external_id',
			{ text: 'a', messenger: 'vk', bot_id: 101 },
			{ contact_external_id: `${without} contact id не указано` },
		],
		['rule 3', { contact_id }, { text: `${without} ни одно из image / file не указано` }],
		['rule 4', { contact_id }, { image: `${without} ни одно из text / file не указано` }],
		['rule 5', { contact_id, text: ' ' }, { file: `${without} ни одно из text / image не указано` }],
		[
			'an unknown bot',
			{ text: 'a', bot_id: 9, messenger: 'vk', contact_external_id: '1' },
			{ bot_id: 'некорректно' },
		],
		['an unknown messenger', { text: 'a', messenger: 'icq' }, { messenger: 'ошибочно' }],
		['an ID that is none', { text: 'a', contact_id: 'Анна' }, { contact_id: 'целым числом' }],
		['an image that is no URL', { contact_id, image: 'a.png' }, { image: 'формат URL' }],
	])('refuses with 422 by %s', async (_title, query, expected) => {
		const answer = await ask<Invalid>(service, 'POST', 'sendMessage', {
			query: query as Record<string, string>,
		});
		expect(answer.status).toBe(422);
		const [[name, text]] = Object.entries(expected) as [[string, string]];
		expect(answer.json.errors[name]).toEqual([expect.stringMatching(new RegExp(`^Поле|^Выбранное`))]);
		expect(answer.json.errors[name]?.[0]).toContain(text);
		expect(service.deliveries()).toEqual([]);
		expect(service.requests[0]).toMatchObject({ status: 422, accepted: false });
	});

	it('does not complain about contents or recipients that may be left out', async () => {
		const answer = await ask<Invalid>(service, 'POST', 'sendMessage', { query: { image } });
		expect(Object.keys(answer.json.errors)).toEqual([
			'contact_id',
			'messenger',
			'bot_id',
			'contact_external_id',
		]);
	});
});

describe('sendMessageToWhatsApp', () => {
	it('writes to a known number without a name', async () => {
		const body = { bot_id: bots.school, phone: '+7 (903) 555-01-01', text: 'Здравствуйте' };
		expect(await ask(service, 'POST', 'sendMessageToWhatsApp', { body })).toMatchObject({ status: 200 });
		expect(service.deliveries()).toMatchObject([
			{ contactId: contacts.whatsapp, recipient: '+7 (903) 555-01-01' },
		]);
	});

	it('needs a name the first time and knows the contact from then on', async () => {
		const body = { bot_id: bots.school, phone: '79990001122', text: 'Здравствуйте' };
		const refused = await ask<Invalid>(service, 'POST', 'sendMessageToWhatsApp', { body });
		expect(refused).toMatchObject({ status: 422 });
		expect(Object.keys(refused.json.errors)).toEqual(['name']);
		await ask(service, 'POST', 'sendMessageToWhatsApp', { body: { ...body, name: 'Олег' } });
		await ask(service, 'POST', 'sendMessageToWhatsApp', { body });
		const [first, second] = service.deliveries();
		expect(second?.contactId).toBe(first?.contactId);
		expect(service.data.contacts.get(first?.contactId ?? 0)).toMatchObject({
			name: 'Олег',
			phone: '79990001122',
		});
	});

	it('refuses what is missing, an unknown bot and a number that is none', async () => {
		const empty = await ask<Invalid>(service, 'POST', 'sendMessageToWhatsApp', { body: {} });
		expect(Object.keys(empty.json.errors)).toEqual(['bot_id', 'phone', 'text']);
		for (const [name, body] of [
			['bot_id', { bot_id: 9, phone: '79990001122', text: 'a', name: 'a' }],
			['phone', { bot_id: 101, phone: '12', text: 'a', name: 'a' }],
		] as const) {
			const answer = await ask<Invalid>(service, 'POST', 'sendMessageToWhatsApp', { body });
			expect(Object.keys(answer.json.errors)).toEqual([name]);
		}
	});
});

describe('list schemas', () => {
	const get = async (schema_id: string): Promise<ListSchema> =>
		(await ask<{ data: ListSchema }>(service, 'GET', 'getListSchema', { query: { schema_id } })).json.data;

	it('come in pages of 50 whose links repeat the query, the token included', async () => {
		const base = `${service.url}/api/v1/getListSchemas`;
		const link = (page: number) => `${base}?api_token=${service.token}&page=${page}`;
		const ids = new Set<string>();
		for (const [page, from, to] of [
			[1, 1, 50],
			[2, 51, 100],
			[3, 101, 124],
		] as const) {
			const { json } = await ask<Page<ListSchema>>(
				service,
				'GET',
				'getListSchemas',
				page === 1 ? {} : { query: { page } },
			);
			for (const { id } of json.data) ids.add(id);
			expect(json.data).toHaveLength(to - from + 1);
			expect(json.links).toEqual({
				first: link(1),
				last: link(3),
				prev: page > 1 ? link(page - 1) : null,
				next: page < 3 ? link(page + 1) : null,
			});
			expect(json.meta).toEqual({
				current_page: page,
				from,
				last_page: 3,
				path: base,
				per_page: 50,
				to,
				total: SEEDED.schemaCount,
			});
		}
		expect(ids.size).toBe(SEEDED.schemaCount);
		for (const id of ids) expect(id).toMatch(/^[0-9a-f]{24}$/);
	});

	it('are an empty page beyond the last', async () => {
		const { json } = await ask<Page<ListSchema>>(service, 'GET', 'getListSchemas', { query: { page: 9 } });
		expect(json.data).toEqual([]);
		expect(json.meta).toMatchObject({ current_page: 9, from: null, to: null });
	});

	it('do not name the token when it came as a header', async () => {
		const headers = { authorization: `Bearer ${service.token}` };
		const { text } = await ask(service, 'GET', 'getListSchemas', { token: null, headers });
		expect(text).not.toContain(service.token);
	});

	it('are created with their fields, the logical type shown as bool', async () => {
		const fields = {
			done: { name: 'Готово', slug: 'done', type: 'boolean', is_required: true },
			who: { name: 'Кто', slug: 'who', type: 'contact', is_encryptable: true, is_hidden: false },
		};
		const body = { name: 'Задачи', is_menu: true, bot_id: bots.school, fields };
		const { json } = await ask<{ data: ListSchema }>(service, 'POST', 'createListSchema', { body });
		expect(json.data).toMatchObject({ name: 'Задачи', is_menu: true });
		expect(json.data.fields).toEqual({
			done: { name: 'Готово', type: 'bool', is_required: true, is_hidden: false, is_encryptable: false },
			who: { name: 'Кто', type: 'contact', is_required: false, is_hidden: false, is_encryptable: true },
		});
		expect(await get(json.data.id)).toEqual(json.data);
	});

	it('are refused when something is missing, unknown or double', async () => {
		const field = { name: 'a', slug: 'a', type: 'string' };
		for (const [names, body] of [
			[['name'], {}],
			[['bot_id'], { name: 'a', bot_id: 9 }],
			[['fields'], { name: 'a', fields: 'a' }],
			[['fields.b.slug', 'fields.b.name', 'fields.b.type'], { name: 'a', fields: { b: {} } }],
			[['fields.a.type'], { name: 'a', fields: { a: { ...field, type: 'bool' } } }],
			[['fields.b.slug'], { name: 'a', fields: { a: field, b: field } }],
		] as const) {
			const answer = await ask<Invalid>(service, 'POST', 'createListSchema', { body });
			expect(answer.status).toBe(422);
			expect(Object.keys(answer.json.errors)).toEqual(names);
		}
		expect(service.data.listSchemas.size).toBe(SEEDED.schemaCount);
	});

	it('get a field, null in the elements there are, and lose it', async () => {
		const schema_id = schemas.orders;
		const field = { slug: 'note', name: 'Заметка', type: 'string' };
		const elements = () => service.data.elements.get(schema_id);
		expect(await ask(service, 'POST', 'addListSchemaField', { body: { schema_id, field } })).toMatchObject({
			status: 200,
			text: '[]',
		});
		expect((await get(schema_id)).fields.note).toMatchObject({
			name: 'Заметка',
			type: 'string',
			is_hidden: false,
		});
		expect(elements()?.map((element) => element.note)).toEqual([null, null, null]);
		expect((await get(schema_id)).updated_at > '2025').toBe(true);
		expect((await get(schema_id)).created_at).toBe('2023-10-02T09:30:00+03:00');

		const twice = await ask<Invalid>(service, 'POST', 'addListSchemaField', { body: { schema_id, field } });
		expect(twice).toMatchObject({ status: 422 });
		expect(Object.keys(twice.json.errors)).toEqual(['field.slug']);

		const remove = { body: { schema_id, slug: 'note' } };
		expect(await ask(service, 'POST', 'deleteListSchemaField', remove)).toMatchObject({ status: 200 });
		expect(await get(schema_id)).not.toHaveProperty('fields.note');
		expect(elements()?.[0]).not.toHaveProperty('note');
		expect(await ask(service, 'POST', 'deleteListSchemaField', remove)).toMatchObject({ status: 404 });
	});

	it('are gone after their deletion', async () => {
		const schema_id = schemas.reviews;
		expect(await ask(service, 'POST', 'deleteListSchema', { body: { schema_id } })).toMatchObject({
			status: 200,
		});
		expect(await ask(service, 'GET', 'getListSchema', { query: { schema_id } })).toMatchObject({
			status: 404,
			json: { message: 'Список не найден' },
		});
		expect(await ask(service, 'POST', 'deleteListSchema', { body: { schema_id } })).toMatchObject({
			status: 404,
		});
		const body = { schema_id, field: { slug: 'a' } };
		expect(await ask(service, 'POST', 'addListSchemaField', { body })).toMatchObject({ status: 404 });
	});
});

describe('answers the interface does not show', () => {
	it.each([
		['[]', 200, '[]'],
		['{}', 200, '{}'],
		['empty body', 200, ''],
		['no content', 204, ''],
		['success', 200, '{"success":true}'],
	] as const)('can be %s', async (shape, status, text) => {
		service.answers.attachTagToContact = shape;
		const body = { contact_id: contacts.telegram, name: 'VIP' };
		expect(await ask(service, 'POST', 'attachTagToContact', { body })).toMatchObject({ status, text });
	});

	const texts = [
		['text 1', '1'],
		['text true', 'true'],
		['text ok', 'ok'],
		['text null', 'null'],
	] as const;
	const values = [
		['json true', true],
		['json 1', 1],
		['json null', null],
		['rows', [expect.objectContaining({ name: 'Анна Соколова' })]],
	] as const;
	const tag = { contact_id: contacts.telegram, name: 'VIP' };

	it.each(texts)('can be %s, sent as a page', async (shape, text) => {
		service.answers.attachTagToContact = shape;
		const answer = await ask(service, 'POST', 'attachTagToContact', { body: tag });
		expect(answer).toMatchObject({ status: 200, text });
		expect(answer.headers.get('content-type')).toBe('text/html; charset=UTF-8');
	});

	it.each(values)('can be %s', async (shape, json) => {
		service.answers.attachTagToContact = shape;
		const answer = await ask(service, 'POST', 'attachTagToContact', { body: tag });
		expect(answer.json).toEqual(json);
		expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
	});

	it.each([...texts, ...values])('can be %s for all that change something', async (shape) => {
		service.answerAll(shape);
		const changing = operations.filter(
			({ endpoint }) => endpoint !== 'getListSchema' && endpoint in service.answers,
		);
		const answered = new Set<string>();
		for (const { endpoint, variants } of changing) {
			const { method, ...question } = requestOf(variants[0]!);
			// The answer of this one is documented.
			const faulty = endpoint === 'sendMessage';
			answered.add((await ask(service, method, endpoint, { ...question, faulty })).text);
			expect([endpoint, variants[0]!.isDone!(service.data)]).toEqual([endpoint, true]);
		}
		expect(answered.size).toBe(1);
		expect(service.requests.map(({ accepted }) => accepted)).toEqual(changing.map(() => true));
		expect(changing).toHaveLength(Object.keys(service.answers).length - 1);
		const query = { schema_id: schemas.orders };
		const { json } = await ask(service, 'GET', 'getListSchema', { query });
		expect(json).toMatchObject({ data: { id: schemas.orders } });
	});

	it('can be a schema without data around it', async () => {
		service.answers.getListSchema = 'bare';
		const { json } = await ask(service, 'GET', 'getListSchema', { query: { schema_id: schemas.orders } });
		expect(json).toMatchObject({ id: schemas.orders, name: 'Заявки' });
	});

	it('are the usual ones again after a reset', async () => {
		const usual: AnswerShapes = { ...service.answers };
		service.answers.deleteListSchema = 'success';
		service.reset();
		expect(service.answers).toEqual(usual);
	});
});

describe('a service that behaves as a real Laravel', () => {
	let laravel: Service;
	beforeAll(async () => {
		laravel = await startService(LARAVEL);
	});
	afterAll(async () => await laravel.stop());

	const attach = async () => {
		const body = { contact_id: contacts.telegram, name: 'VIP' };
		return await ask(laravel, 'POST', 'attachTagToContact', { body });
	};

	it('does so before a reset and after it', async () => {
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
	});

	it('counts late, and answers what the interface shows as ever', async () => {
		for (let index = 0; index < 5; index++) {
			const query = { contact_id: contacts.vk, text: 'Здравствуйте' };
			expect(await ask(laravel, 'POST', 'sendMessage', { query })).toMatchObject({
				text: '{"success":true}',
			});
		}
		const late = laravel.requests.map(({ arrivedAt, countedAt = 0 }) => countedAt - arrivedAt);
		expect(Math.max(...late)).toBeGreaterThan(30);
		expect(Math.max(...late)).toBeLessThanOrEqual(150);
	});
});

describe('the store', () => {
	it('takes contacts for larger broadcasts and forgets them at a reset', async () => {
		const seeded = service.data.contacts.size;
		const added = addContacts(service.data, 1000, { botId: bots.flowers, messenger: 'viber' });
		expect(new Set(added.map(({ externalId }) => externalId)).size).toBe(1000);
		const [first] = added;
		await ask(service, 'POST', 'sendMessage', { query: { contact_id: first?.id ?? 0, text: 'Привет' } });
		expect(service.deliveries()).toMatchObject([{ messenger: 'viber' }]);
		service.reset();
		expect(service.data.contacts.size).toBe(seeded);
		expect(service.deliveries()).toEqual([]);
		expect(service.requests).toEqual([]);
	});
});
