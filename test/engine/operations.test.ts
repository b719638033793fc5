import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { INodeParameters } from 'n8n-workflow';

import { addContacts, SEEDED, startService, type Service } from '../../sandbox/service';
import {
	byTitle,
	isReading,
	operationOf,
	operations,
	parametersOf,
	requestOf,
	variants,
} from '../operations';
import { credentialFor, runNode, useService } from './harness';

/* Each operation through the real engine: the request exactly as it arrives, the items exactly as they come out. */

const service = useService();

const credential = () => credentialFor(service, { tokenPlacement: 'bearer' });
const named = (value: string) => ({ __rl: true, mode: 'name', value });
const byId = (value: string | number) => ({ __rl: true, mode: 'id', value });
const { contacts, bots, schemas } = SEEDED;

test.each(byTitle(variants))(
	'%s makes its request, exactly so, and gives its items',
	async (_title, variant) => {
		const { isDone = () => true, items, of } = variant;
		if (!isReading(of)) expect(isDone(service.data)).toBe(false);
		const parameters = parametersOf(variant);
		const { json, outputs, error } = await runNode({ parameters, credential: credential() });

		expect(error).toBeUndefined();
		expect(json).toEqual(items);
		expect(outputs[0]!.map((item) => item.pairedItem)).toEqual(items.map(() => ({ item: 0 })));
		expect(isDone(service.data)).toBe(true);
		const { method, query = {}, body } = requestOf(variant);
		const search = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
		const target = [`/api/v1/${of.endpoint}`, search.join('&')].filter(Boolean).join('?');
		expect(service.requests).toMatchObject([{ method, target, accepted: true }]);
		expect(service.requests[0]!.body).toEqual(body);
		expect(service.requests[0]!.headers).toMatchObject({
			accept: 'application/json',
			'x-requested-with': 'XMLHttpRequest',
			authorization: `Bearer ${service.token}`,
		});
	},
);

test.each(byTitle(variants))(
	'%s makes the same request while the node still holds what was chosen in other operations',
	async (_title, variant) => {
		const left = {
			recipient: 'externalId',
			deleteBy: 'id',
			content: ['file'],
			fieldsInput: 'json',
			returnAll: true,
		};
		const parameters = { ...left, ...parametersOf(variant) };
		expect((await runNode({ parameters, credential: credential() })).json).toEqual(variant.items);
		expect(service.requests.map(({ body }) => body)).toEqual([requestOf(variant).body]);
	},
);

interface Preview {
	properties: Record<string, { type: string }>;
}

const previewOf = (title: string): Preview | undefined => {
	const file = join(__dirname, `../../nodes/ChatbotService/__schema__/v1.0.0/${title}.json`);
	return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Preview) : undefined;
};

test('the editor previews what comes out wherever the interface shows it', () => {
	expect(operations.filter(isReading).filter(({ title }) => !previewOf(title))).toEqual([]);
	// What creating a list answers is not known.
	expect(previewOf('listSchema/create')).toBeUndefined();
});

test.each(byTitle(operations.filter(({ title }) => previewOf(title))))(
	'the editor previews the fields that come out of %s',
	async (title, { variants: [usual] }) => {
		const { json } = await runNode({ parameters: parametersOf(usual!), credential: credential() });
		const { variable: _deprecated, ...item } = json[0]!;
		const found = Object.entries(item).map(([key, value]) => [
			key,
			{ type: Number.isInteger(value) ? 'integer' : typeof value },
		]);
		expect(Object.fromEntries(found)).toMatchObject(
			Object.fromEntries(
				Object.entries(previewOf(title)!.properties).map(([key, { type }]) => [key, { type }]),
			),
		);
		expect(Object.keys(previewOf(title)!.properties).sort()).toEqual(Object.keys(item).sort());
	},
);

test('a field is added with no attributes but those that are set', async () => {
	const [usual] = operationOf('listSchema/addField').variants;
	const parameters = { ...parametersOf(usual!), fieldOptions: { required: true } };
	await runNode({ parameters, credential: credential() });
	expect(service.requests[0]!.body).toHaveProperty('field', {
		name: 'Обработан',
		slug: 'handled',
		type: 'boolean',
		is_required: true,
	});
});

test('attributes that are not set for a field of a new list are sent as the editor shows them', async () => {
	const [usual] = operationOf('listSchema/create').variants;
	const fields = { field: [{ name: 'Город', slug: 'city', type: 'string' }] };
	await runNode({ parameters: parametersOf(usual!, { fields }), credential: credential() });
	const off = { is_required: false, is_hidden: false, is_encryptable: false };
	expect(service.requests[0]!.body).toMatchObject({ fields: { city: { ...fields.field[0], ...off } } });
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

describe('a list is copied', () => {
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

	test('a long value of a variable travels in the body too, with 0 or 1 for deletable', async () => {
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

describe('the credential of an operation', () => {
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
