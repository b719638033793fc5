import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { INodeParameters } from 'n8n-workflow';

import { addContacts, SEEDED, startService, type Service } from '../../sandbox/service';
import { endpoints } from '../description/table';
import { runNode } from './harness';

/* Each operation through the real engine: the request exactly as it arrives, the items exactly as they come out. */

let service: Service;
beforeAll(async () => {
	service = await startService();
});
afterEach(() => {
	service.assertContract();
	service.reset();
});
afterAll(async () => await service.stop());

const credential = () => ({
	baseUrl: service.url,
	token: service.token,
	tokenPlacement: 'bearer',
	requestsPerSecond: 0,
	workers: 1,
});
const named = (value: string) => ({ __rl: true, mode: 'name', value });
const byId = (value: string | number) => ({ __rl: true, mode: 'id', value });
const { contacts, bots, schemas } = SEEDED;

interface Preview {
	type: string;
	properties: Record<string, { type: string }>;
}

const previewOf = (resource: string, operation: string): Preview | undefined => {
	const file = join(__dirname, `../../nodes/ChatbotService/__schema__/v1.0.0/${resource}/${operation}.json`);
	return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Preview) : undefined;
};

interface Expected {
	request: { method: string; target: string; body?: unknown };
	items: unknown[];
}

const cases: Array<[string, INodeParameters, Expected]> = [
	[
		'tags of a bot',
		{ resource: 'tag', operation: 'getManyByBot', botId: String(bots.dentist) },
		{
			request: { method: 'GET', target: `/api/v1/getBotTags?bot_id=${bots.dentist}` },
			items: [{ name: 'Записан на приём' }, { name: 'Повторный визит' }],
		},
	],
	[
		'tags of a contact, up to the limit',
		{
			resource: 'tag',
			operation: 'getManyByContact',
			contactId: String(contacts.telegram),
			returnAll: false,
			limit: 2,
		},
		{
			request: { method: 'GET', target: `/api/v1/getContactTags?contact_id=${contacts.telegram}` },
			items: [{ name: 'Новый лид' }, { name: 'Пробный урок' }],
		},
	],
	[
		'attach a tag',
		{
			resource: 'tag',
			operation: 'attach',
			contactId: String(contacts.bare),
			botId: String(bots.flowers),
			tagName: named('8 Марта'),
		},
		{
			request: {
				method: 'POST',
				target: '/api/v1/attachTagToContact',
				body: { contact_id: contacts.bare, name: '8 Марта' },
			},
			items: [{ success: true }],
		},
	],
	[
		'detach a tag',
		{
			resource: 'tag',
			operation: 'detach',
			contactId: String(contacts.telegram),
			tagName: named('Новый лид'),
		},
		{
			request: {
				method: 'POST',
				target: '/api/v1/detachTagFromContact',
				body: { contact_id: contacts.telegram, name: 'Новый лид' },
			},
			items: [{ success: true }],
		},
	],
	[
		'variables of a contact',
		{
			resource: 'contactVariable',
			operation: 'getAll',
			contactId: String(contacts.telegram),
			returnAll: true,
		},
		{
			request: { method: 'GET', target: `/api/v1/getContactVariables?contact_id=${contacts.telegram}` },
			items: [
				expect.objectContaining({ name: 'Город', value: 'Казань', deletable: false }),
				expect.objectContaining({ name: 'Уровень', value: 'B1' }),
				expect.objectContaining({ id: expect.any(Number) }),
			],
		},
	],
	[
		'set a variable',
		{
			resource: 'contactVariable',
			operation: 'upsert',
			contactId: String(contacts.telegram),
			variableName: named('Город'),
			variableValue: 'Нижний Новгород',
			deletable: true,
		},
		{
			request: {
				method: 'POST',
				target: `/api/v1/setContactVariable?contact_id=${contacts.telegram}&name=${encodeURIComponent('Город')}&value=${encodeURIComponent('Нижний Новгород')}&deletable=1`,
			},
			items: [{ success: true }],
		},
	],
	[
		'delete a variable by name',
		{
			resource: 'contactVariable',
			operation: 'delete',
			contactId: String(contacts.telegram),
			deleteBy: 'name',
			variableName: named('Город'),
		},
		{
			request: {
				method: 'POST',
				target: `/api/v1/deleteContactVariable?contact_id=${contacts.telegram}&name=${encodeURIComponent('Город')}`,
			},
			items: [{ deleted: true }],
		},
	],
	[
		'delete a variable by ID',
		{
			resource: 'contactVariable',
			operation: 'delete',
			contactId: String(contacts.telegram),
			deleteBy: 'id',
			variableId: byId(9001),
		},
		{
			request: {
				method: 'POST',
				target: `/api/v1/deleteContactVariable?contact_id=${contacts.telegram}&id=9001`,
			},
			items: [{ deleted: true }],
		},
	],
	[
		'send to a contact, all contents',
		{
			resource: 'message',
			operation: 'send',
			recipient: 'contact',
			contactId: String(contacts.telegram),
			content: ['text', 'image', 'file'],
			text: 'Здравствуйте.\nВаш урок — завтра & в 10:00 + кофе',
			imageUrl: 'https://example.com/a.png?x=1&y=2',
			fileUrl: 'https://example.com/прайс.pdf',
		},
		{
			request: {
				method: 'POST',
				target: `/api/v1/sendMessage?contact_id=${contacts.telegram}&text=${encodeURIComponent('Здравствуйте.\nВаш урок — завтра & в 10:00 + кофе')}&image=${encodeURIComponent('https://example.com/a.png?x=1&y=2')}&file=${encodeURIComponent('https://example.com/%D0%BF%D1%80%D0%B0%D0%B9%D1%81.pdf')}`,
			},
			items: [{ success: true }],
		},
	],
	[
		'send to an external ID',
		{
			resource: 'message',
			operation: 'send',
			recipient: 'externalId',
			messenger: 'viber',
			botId: String(bots.flowers),
			externalId: '+79264440303',
			content: ['text'],
			text: 'Букет в пути',
		},
		{
			request: {
				method: 'POST',
				target: `/api/v1/sendMessage?messenger=viber&bot_id=${bots.flowers}&contact_external_id=%2B79264440303&text=${encodeURIComponent('Букет в пути')}`,
			},
			items: [{ success: true }],
		},
	],
	[
		'send to a WhatsApp number',
		{
			resource: 'message',
			operation: 'sendToWhatsApp',
			botId: String(bots.school),
			phone: '+7 916 000-00-01',
			text: 'Добро пожаловать!',
			contactName: 'Ольга',
		},
		{
			request: {
				method: 'POST',
				target: '/api/v1/sendMessageToWhatsApp',
				body: { bot_id: bots.school, phone: '+7 916 000-00-01', text: 'Добро пожаловать!', name: 'Ольга' },
			},
			items: [{ success: true }],
		},
	],
	[
		'list schemas, one page',
		{ resource: 'listSchema', operation: 'getAll', returnAll: false, limit: 1 },
		{
			request: { method: 'GET', target: '/api/v1/getListSchemas' },
			items: [expect.objectContaining({ id: schemas.orders, name: 'Заявки', fields: expect.any(Object) })],
		},
	],
	[
		'one list schema',
		{ resource: 'listSchema', operation: 'get', schemaId: byId(schemas.reviews) },
		{
			request: { method: 'GET', target: `/api/v1/getListSchema?schema_id=${schemas.reviews}` },
			items: [expect.objectContaining({ id: schemas.reviews, name: 'Отзывы' })],
		},
	],
	[
		'create a list, fields defined one by one',
		{
			resource: 'listSchema',
			operation: 'create',
			listName: 'Заказы',
			showInMenu: true,
			botId: String(bots.flowers),
			fieldsInput: 'define',
			fields: {
				field: [
					{
						name: 'Адрес',
						slug: 'address',
						type: 'string',
						is_required: true,
						is_hidden: false,
						is_encryptable: true,
					},
					{ name: 'Оплачен', slug: 'paid', type: 'boolean' },
				],
			},
		},
		{
			request: {
				method: 'POST',
				target: '/api/v1/createListSchema',
				body: {
					name: 'Заказы',
					is_menu: true,
					bot_id: bots.flowers,
					fields: {
						address: {
							name: 'Адрес',
							slug: 'address',
							type: 'string',
							is_required: true,
							is_hidden: false,
							is_encryptable: true,
						},
						paid: {
							name: 'Оплачен',
							slug: 'paid',
							type: 'boolean',
							is_required: false,
							is_hidden: false,
							is_encryptable: false,
						},
					},
				},
			},
			items: [expect.objectContaining({ id: expect.stringMatching(/^[0-9a-f]{24}$/), name: 'Заказы' })],
		},
	],
	[
		'add a field, only the attributes that are set',
		{
			resource: 'listSchema',
			operation: 'addField',
			schemaId: byId(schemas.reviews),
			fieldName: 'Визиты',
			newFieldSlug: 'visits',
			fieldType: 'number',
			fieldOptions: { required: true },
		},
		{
			request: {
				method: 'POST',
				target: '/api/v1/addListSchemaField',
				body: {
					schema_id: schemas.reviews,
					field: { name: 'Визиты', slug: 'visits', type: 'number', is_required: true },
				},
			},
			items: [{ success: true }],
		},
	],
	[
		'delete a field',
		{
			resource: 'listSchema',
			operation: 'deleteField',
			schemaId: byId(schemas.orders),
			fieldSlug: { __rl: true, mode: 'slug', value: 'phone' },
		},
		{
			request: {
				method: 'POST',
				target: '/api/v1/deleteListSchemaField',
				body: { schema_id: schemas.orders, slug: 'phone' },
			},
			items: [{ deleted: true }],
		},
	],
	[
		'delete a list',
		{ resource: 'listSchema', operation: 'delete', schemaId: byId(schemas.reviews) },
		{
			request: {
				method: 'POST',
				target: '/api/v1/deleteListSchema',
				body: { schema_id: schemas.reviews },
			},
			items: [{ deleted: true }],
		},
	],
];

test('no operation is missing here', () => {
	const requested = cases.map(([, , { request }]) => /^\/api\/v1\/(\w+)/.exec(request.target)![1]);
	expect([...new Set(requested)].sort()).toEqual(endpoints);
});

test.each(cases)('%s', async (_name, parameters, expected) => {
	const { json, outputs, error } = await runNode({ parameters, credential: credential() });

	expect(error).toBeUndefined();
	expect(json).toEqual(expected.items);
	expect(outputs[0]!.map((item) => item.pairedItem)).toEqual(expected.items.map(() => ({ item: 0 })));
	expect(service.requests).toHaveLength(1);
	const [request] = service.requests;
	expect(request).toMatchObject({
		method: expected.request.method,
		target: expected.request.target,
		accepted: true,
	});
	expect(request!.body).toEqual(expected.request.body);
	expect(request!.headers).toMatchObject({
		accept: 'application/json',
		'x-requested-with': 'XMLHttpRequest',
		authorization: `Bearer ${service.token}`,
	});
});

test.each(cases)('%s: the editor previews the fields that come out', async (_name, parameters) => {
	const { resource, operation } = parameters as Record<string, string>;
	const preview = previewOf(resource!, operation!);
	// What creating a list answers is not known.
	if (operation === 'create') return expect(preview).toBeUndefined();
	const { json } = await runNode({ parameters, credential: credential() });
	const [item] = json;
	for (const [key, { type }] of Object.entries(preview!.properties)) {
		expect([key, type]).toEqual([key, Number.isInteger(item![key]) ? 'integer' : typeof item![key]]);
	}
	const deprecated = ['variable'];
	expect(Object.keys(preview!.properties).sort()).toEqual(
		Object.keys(item!)
			.filter((key) => !deprecated.includes(key))
			.sort(),
	);
});

describe('pages', () => {
	const pagesAsked = () => service.requests.map(({ query }) => query.page);

	test('Return All asks for every page of 50, once', async () => {
		const { json } = await runNode({
			parameters: { resource: 'listSchema', operation: 'getAll', returnAll: true },
			credential: credential(),
		});
		expect(pagesAsked()).toEqual([undefined, '2', '3']);
		expect(new Set(json.map(({ id }) => id)).size).toBe(SEEDED.schemaCount);
	});

	test.each([
		[50, 1],
		[51, 2],
		[100, 2],
		[5000, 3],
	])('a limit of %i asks for %i pages and no more', async (limit, pages) => {
		const { json } = await runNode({
			parameters: { resource: 'listSchema', operation: 'getAll', returnAll: false, limit },
			credential: credential(),
		});
		expect(pagesAsked()).toHaveLength(pages);
		expect(json).toHaveLength(Math.min(limit, SEEDED.schemaCount));
	});

	test('an empty page is the last one, whatever it says of others', async () => {
		const body = { data: [], links: {}, meta: { current_page: 1, last_page: 3 } };
		service.faults.add({ kind: 'answer', status: 200, body });
		const { json } = await runNode({
			parameters: { resource: 'listSchema', operation: 'getAll', returnAll: true },
			credential: credential(),
		});
		expect(pagesAsked()).toEqual([undefined]);
		expect(json).toEqual([]);
	});

	test('no output carries the links, in which the service repeats the token', async () => {
		const { run } = await runNode({
			parameters: { resource: 'listSchema', operation: 'getAll', returnAll: true },
			credential: { ...credential(), tokenPlacement: 'query', tokenName: 'api_token' },
		});
		expect(JSON.stringify(run.data)).not.toContain(service.token);
		expect(JSON.stringify(run.data)).not.toContain('"links"');
	});

	test('each item gets its own rows', async () => {
		const { outputs } = await runNode({
			parameters: { resource: 'tag', operation: 'getManyByContact', contactId: '={{ $json.id }}' },
			credential: credential(),
			items: [{ id: contacts.telegram }, { id: contacts.bare }, { id: contacts.viber }],
		});
		const tagsOf = (item: number) =>
			outputs[0]!
				.filter(({ pairedItem }) => (pairedItem as { item: number }).item === item)
				.map(({ json }) => json.name);
		expect(tagsOf(0)).toEqual(service.data.contacts.get(contacts.telegram)!.tags);
		expect(tagsOf(1)).toEqual([]);
		expect(tagsOf(2)).toEqual(service.data.contacts.get(contacts.viber)!.tags);
		expect(tagsOf(2).length).toBeGreaterThan(0);
	});
});

describe('copying a list', () => {
	const create = (fieldsJson: string) =>
		runNode({
			parameters: {
				resource: 'listSchema',
				operation: 'create',
				listName: 'Копия',
				fieldsInput: 'json',
				fieldsJson,
			},
			credential: credential(),
			items: [{ schema: JSON.parse(JSON.stringify(service.data.listSchemas.get(schemas.orders))) }],
		});

	test.each([
		['the fields of an answer', '={{ $json.schema.fields }}'],
		['a whole schema', '={{ $json.schema }}'],
		['the same as text', '={{ JSON.stringify($json.schema.fields) }}'],
		[
			'an array of definitions',
			'={{ Object.entries($json.schema.fields).map(([slug, f]) => ({ slug, ...f })) }}',
		],
	])('from %s', async (_name, fieldsJson) => {
		const original = service.data.listSchemas.get(schemas.orders)!.fields;
		const { json, error } = await create(fieldsJson);
		expect(error).toBeUndefined();
		expect(json[0]!.fields).toEqual(original);
		const sent = service.requests[0]!.body as { fields: Record<string, { type: string; slug: string }> };
		expect(Object.keys(sent.fields)).toEqual(Object.keys(original));
		for (const [slug, field] of Object.entries(sent.fields)) expect(field.slug).toBe(slug);
		expect(Object.values(sent.fields).map(({ type }) => type)).not.toContain('bool');
		expect(Object.values(sent.fields).map(({ type }) => type)).toContain('boolean');
	});
});

describe('long messages', () => {
	const send = (text: string, token = {}) =>
		runNode({
			parameters: { resource: 'message', operation: 'send', contactId: '={{ $json.id }}', text },
			credential: { ...credential(), ...token },
			items: [{ id: contacts.telegram }],
		});

	test('4,000 Cyrillic letters travel as a JSON body with the same names and types', async () => {
		const text = 'ж'.repeat(4000);
		const { json } = await send(text, { tokenPlacement: 'query', tokenName: 'api_token' });
		expect(json).toEqual([{ success: true }]);
		expect(service.requests[0]).toMatchObject({
			query: { api_token: service.token },
			body: { contact_id: contacts.telegram, text },
		});
		expect(service.deliveries()).toMatchObject([{ text }]);
	});

	test.each([600, 640, 660, 700])('no request target passes 4,000 bytes (%i letters)', async (letters) => {
		await send('ж'.repeat(letters), { tokenPlacement: 'query', tokenName: 'api_token' });
		expect(service.requests[0]!.target.length).toBeLessThanOrEqual(4000);
		expect(service.requests[0]!.body === undefined).toBe(letters <= 640);
	});

	test('4,000 bytes are not too long yet, one more is', async () => {
		const token = { tokenPlacement: 'query', tokenName: 'api_token' };
		await send('a', token);
		const room = 4000 - service.requests[0]!.target.length + 1;
		await send('a'.repeat(room), token);
		await send('a'.repeat(room + 1), token);
		expect(service.requests.slice(1).map(({ body }) => body === undefined)).toEqual([true, false]);
	});

	test('what is asked for by GET has no body, however long it is', async () => {
		const id = '5dee'.repeat(1100);
		await runNode({
			parameters: { resource: 'listSchema', operation: 'get', schemaId: byId(id) },
			credential: credential(),
		});
		const [{ query, body }] = service.requests as [Service['requests'][number]];
		expect([query.schema_id === id, body]).toEqual([true, undefined]);
	});

	test('so does a long value of a variable, with 0 or 1 for deletable', async () => {
		const value = 'я'.repeat(3000);
		await runNode({
			parameters: {
				resource: 'contactVariable',
				operation: 'upsert',
				contactId: String(contacts.bare),
				variableName: named('Анкета'),
				variableValue: value,
			},
			credential: credential(),
		});
		expect(service.requests[0]!.body).toEqual({
			contact_id: contacts.bare,
			name: 'Анкета',
			value,
			deletable: 0,
		});
	});
});

describe('addresses of images and files', () => {
	const cat = 'https://xn--e1afmkfd.xn--p1ai/%D0%BC%D0%BE%D0%B9%20%D0%BA%D0%BE%D1%82%20100%25.png';
	const prices = 'https://example.com/price%20list.pdf?%D0%B3%D0%BE%D0%B4=2026';
	const parameters: INodeParameters = {
		resource: 'message',
		operation: 'send',
		recipient: 'contact',
		contactId: String(contacts.telegram),
		content: ['text', 'image', 'file'],
		imageUrl: '={{ $json.image }}',
		fileUrl: '={{ $json.file }}',
	};

	test.each([
		['in the query', 'Здравствуйте'],
		['in the body of a long message', 'я'.repeat(4000)],
	])('arrive encoded once, %s, however they were written', async (_place, text) => {
		const { error } = await runNode({
			parameters: { ...parameters, text },
			credential: credential(),
			items: [
				{ image: ' https://пример.рф/мой кот 100%.png', file: 'https://example.com/price list.pdf?год=2026' },
				{ image: cat, file: prices },
			],
		});
		expect(error).toBeUndefined();
		expect(service.deliveries().map(({ image, file }) => [image, file])).toEqual([
			[cat, prices],
			[cat, prices],
		]);
		service.assertContract();
	});
});

describe('the credential', () => {
	const getTags = (changes: Record<string, unknown>) =>
		runNode({
			parameters: { resource: 'tag', operation: 'getManyByBot', botId: String(bots.school) },
			credential: { ...credential(), ...changes } as never,
		});

	test.each(['', '/', '/api/v1', '/api/v1/', '/api/', '//'])(
		'takes a base URL that ends with "%s"',
		async (end) => {
			const { error } = await getTags({ baseUrl: `  ${service.url}${end} ` });
			expect(error).toBeUndefined();
			expect(service.requests.map(({ path }) => path)).toEqual(['/api/v1/getBotTags']);
		},
	);

	test('puts the token into the query, once', async () => {
		await getTags({ tokenPlacement: 'query', tokenName: 'api_token', token: ` ${service.token} ` });
		expect(service.requests[0]!.target).toBe(
			`/api/v1/getBotTags?bot_id=${bots.school}&api_token=${service.token}`,
		);
		expect(service.requests[0]!.headers.authorization).toBeUndefined();
	});

	test('puts the token into a header of any name', async () => {
		const strict = await startService({ tokenIn: { placement: 'header', name: 'X-Api-Key' } });
		try {
			const { error } = await getTags({
				baseUrl: strict.url,
				tokenPlacement: 'header',
				tokenName: 'X-Api-Key',
			});
			expect(error).toBeUndefined();
			expect(strict.requests[0]!.headers).toMatchObject({ 'x-api-key': strict.token });
			expect(strict.requests[0]!.target).not.toContain(strict.token);
			strict.assertContract();
		} finally {
			await strict.stop();
		}
	});
});

test('at most ten requests are under way at once, and none is lost', async () => {
	const people = addContacts(service.data, 60);
	service.faults.add({ kind: 'delay', ms: 20 });
	const { json } = await runNode({
		parameters: {
			resource: 'message',
			operation: 'send',
			contactId: '={{ $json.id }}',
			text: 'Скидка до пятницы',
		},
		credential: credential(),
		items: people.map(({ id }) => ({ id })),
	});
	expect(json).toHaveLength(60);
	expect(service.inFlight.peak).toBe(10);
	expect(
		service
			.deliveries()
			.map(({ contactId }) => contactId)
			.sort(),
	).toEqual(people.map(({ id }) => id).sort());
});
