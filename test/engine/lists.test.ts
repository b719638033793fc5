import type { INodeParameters } from 'n8n-workflow';

import { ChatbotService } from '../../nodes/ChatbotService/ChatbotService.node';
import { addListSchema, SEEDED, type Fault } from '../../sandbox/emulator';
import { description } from '../description/editor';
import { credentialFor, loadList, useEmulator } from './harness';

/* The lists that the editor offers, loaded as in the editor. */

const service = useEmulator();

const { contacts, bots, schemas, schemaCount } = SEEDED;

const options = (parameters: INodeParameters, credential = {}) => ({
	parameters,
	credential: credentialFor(service, credential),
});
const attach = (botId: string) => options({ resource: 'tag', operation: 'attach', botId });
const detach = (contactId: string) => options({ resource: 'tag', operation: 'detach', contactId });
const upsert = (contactId: string) =>
	options({ resource: 'contactVariable', operation: 'upsert', contactId });
const anySchema = (credential = {}) => options({ resource: 'listSchema', operation: 'get' }, credential);
const deleteField = (schemaId: string) =>
	options({
		resource: 'listSchema',
		operation: 'deleteField',
		schemaId: { __rl: true, mode: 'list', value: schemaId },
	});

const named = (name: string) => ({ name, value: name });

test('the tags to attach come from the bot, the tags to detach from the contact', async () => {
	const ofBot = await loadList('searchTags', attach(String(bots.dentist)));
	expect(ofBot).toEqual({ results: [named('Записан на приём'), named('Повторный визит')] });
	const ofContact = await loadList('searchTags', detach(String(contacts.viber)));
	expect(ofContact.results).toEqual(service.data.contacts.get(contacts.viber)!.tags.map(named));
	expect(service.requests.map(({ operation }) => operation)).toEqual(['getBotTags', 'getContactTags']);
});

test('variables can be selected by name or ID, and show their values', async () => {
	const byName = await loadList('searchVariableNames', upsert(String(contacts.telegram)));
	const byId = await loadList('searchVariableIds', upsert(String(contacts.telegram)));
	const stored = service.data.contacts.get(contacts.telegram)!.variables;
	expect(stored.length).toBeGreaterThan(1);
	expect(byName.results).toEqual(
		stored.map(({ name, value }) => ({ name: `${name} (${value})`, value: name })),
	);
	expect(byId.results.map(({ value }) => value)).toEqual(stored.map(({ id }) => id));
});

test('fields of the selected list can be selected by slug', async () => {
	const { results } = await loadList('searchSchemaFields', deleteField(schemas.reviews));
	const { fields } = service.data.listSchemas.get(schemas.reviews)!;
	expect(results).toEqual(
		Object.entries(fields).map(([slug, { name }]) => ({ name: `${name} (${slug})`, value: slug })),
	);
});

describe('unusual data from PHP and from users', () => {
	const answering = (body: object) => service.faults.add({ kind: 'answer', status: 200, body });
	const schema = { id: schemas.reviews, name: 'Отзывы' };

	test.each<[string, unknown, Array<{ name: string; value: string }>]>([
		['no fields', [], []],
		['no fields at all', undefined, []],
		['null for fields', null, []],
		[
			'null among its fields',
			{ city: null, phone: { name: 'Телефон' }, note: {}, имя: { name: null } },
			[
				{ name: 'city', value: 'city' },
				{ name: 'Телефон (phone)', value: 'phone' },
				{ name: 'note', value: 'note' },
				{ name: 'имя', value: 'имя' },
			],
		],
		['fields whose slugs are numbers', [{ name: 'Город' }], [{ name: 'Город (0)', value: '0' }]],
	])('a list schema with %s offers its usable fields', async (_name, fields, results) => {
		answering({ data: { ...schema, fields } });
		expect(await loadList('searchSchemaFields', deleteField(schemas.reviews))).toEqual({ results });
	});

	test('values of 3,000 characters are shortened, never within an emoji, and the search finds all their words', async () => {
		const long = `${'Очень длинный ответ 😀 '.repeat(150)}конец`;
		answering({
			data: [
				{ id: 301, name: 'отзыв', value: long },
				{ id: 302, name: 'отзыв', value: 'короткий\nответ' },
				{ id: 303, name: 'смайлики', value: '😀'.repeat(3000) },
				{ id: 304, name: 'имя '.repeat(750), value: null },
			],
		});
		const { results } = await loadList('searchVariableIds', upsert(String(contacts.telegram)));
		expect(results.map(({ value }) => value)).toEqual([301, 302, 303, 304]);
		for (const { name } of results) {
			expect([...name].length).toBeLessThan(140);
			expect(name).not.toMatch(/\p{Surrogate}/u);
		}
		expect(results[0]!.name).toMatch(/^отзыв \(Очень длинный .*…\)$/);
		expect(results[1]!.name).toBe('отзыв (короткий ответ)');
		const found = await loadList('searchVariableIds', upsert(String(contacts.telegram)), { filter: 'конец' });
		expect(found.results.map(({ value }) => value)).toEqual([301]);
	});

	test('tags that PHP converted to numbers, and an array with gaps, are offered', async () => {
		answering({ data: { 0: 'VIP', 2: 2024, 5: true } });
		const { results } = await loadList('searchTags', attach(String(bots.dentist)));
		expect(results).toEqual(['VIP', '2024', 'true'].map(named));
	});

	test('list schemas without a name are offered with their IDs', async () => {
		answering({
			data: [{ id: 'a1', name: null }, { id: 'a2' }, { name: 'Без ID' }, { id: 'a3', name: 'Отзывы' }],
		});
		const { results } = await loadList('searchListSchemas', anySchema());
		expect(results).toEqual([
			{ name: 'a1', value: 'a1' },
			{ name: 'a2', value: 'a2' },
			{ name: 'Отзывы', value: 'a3' },
		]);
	});
});

test('the search box filters a list without regard to case', async () => {
	const { results } = await loadList('searchTags', attach(String(bots.dentist)), { filter: 'ПОВТОР' });
	expect(results).toEqual([named('Повторный визит')]);
});

describe('list schemas', () => {
	test('list schemas are loaded page by page until the last page', async () => {
		const values: unknown[] = [];
		let paginationToken: string | undefined;
		do {
			const page = await loadList('searchListSchemas', anySchema(), { paginationToken });
			values.push(...page.results.map(({ value }) => value));
			paginationToken = page.paginationToken as string | undefined;
		} while (paginationToken);
		expect(values).toEqual([...service.data.listSchemas.keys()]);
		expect(values).toHaveLength(schemaCount);
		expect(service.requests).toHaveLength(3);
	});

	test('the search covers all pages of list schemas', async () => {
		const onLastPage = addListSchema(service.data, { name: 'Гости фестиваля', is_menu: false, fields: {} });
		const found = await loadList('searchListSchemas', anySchema(), { filter: 'фестиваля' });
		expect(found).toEqual({ results: [{ name: onLastPage.name, value: onLastPage.id }] });
		const none = await loadList('searchListSchemas', anySchema(), { filter: 'Нет такого списка' });
		expect(none.results).toEqual([]);
	});

	test('list schemas with the same name can be distinguished', async () => {
		const { listSchemas } = service.data;
		const { name, id } = listSchemas.get(schemas.orders)!;
		listSchemas.clear();
		const first = addListSchema(service.data, { name, is_menu: false, fields: {} });
		const second = addListSchema(service.data, { name, is_menu: false, fields: {} });
		expect(first.id).not.toBe(id);
		const { results } = await loadList('searchListSchemas', anySchema());
		expect(results).toEqual(
			[first, second].map((schema) => ({ name: `${name} (${schema.id})`, value: schema.id })),
		);
	});
});

describe('when there is nothing to select', () => {
	const cases: Array<
		[string, () => Promise<unknown>, { message: string; description: RegExp; fault?: Fault }]
	> = [
		[
			'the bot is not named yet',
			async () => await loadList('searchTags', attach('')),
			{ message: "Fill in 'Bot ID' first", description: /choose another mode/ },
		],
		[
			'the contact is not named yet',
			async () => await loadList('searchVariableNames', upsert('')),
			{ message: "Fill in 'Contact ID' first", description: /run that node first/ },
		],
		[
			'there is no such contact',
			async () => await loadList('searchTags', detach('99')),
			{
				message: 'No contact with this ID in this account',
				description: /^Check 'Contact ID'\. .*The service says: /,
			},
		],
		[
			'the address has no lists',
			async () => await loadList('searchListSchemas', anySchema()),
			{
				fault: { kind: 'answer', status: 404, body: { message: '' } },
				message: 'The service does not have this endpoint',
				description: /^Check 'Base URL' .* path\.$/,
			},
		],
		[
			'the address has nothing of a contact',
			async () => await loadList('searchTags', detach(String(contacts.viber))),
			{
				fault: {
					kind: 'answer',
					status: 404,
					body: { message: 'The route app/api/v1/getContactTags could not be found.' },
				},
				message: 'The service does not have this endpoint',
				description:
					/^Check 'Base URL' .* If other operations work, check 'Contact ID'\. The service says: "The route /,
			},
		],
		[
			'the service refuses the ID',
			async () => await loadList('searchTags', attach(String(bots.school))),
			{
				fault: { kind: 'answer', status: 422, body: { errors: { bot_id: ['Бот отключён.'] } } },
				message: "The service refused the value of 'Bot ID'",
				description: /Бот отключён/,
			},
		],
	];

	test.each(cases)(
		'when %s the editor says so instead of showing the list',
		async (_, load, { message, description, fault }) => {
			if (fault) service.faults.add(fault);
			await expect(load()).rejects.toMatchObject({
				// The editor shows the description only for this class.
				name: 'NodeApiError',
				message,
				description: expect.stringMatching(description),
			});
			// The editor splits messages at dashes, and drops parts that mention checking credentials.
			expect(message).not.toMatch(/[-–—]|check\s+(your\s+)?credential/i);
		},
	);

	test('when the token is refused, the editor receives the code that makes it offer the credential', async () => {
		const wrong = anySchema({ token: 'wrong-token' });
		const error: unknown = await loadList('searchListSchemas', wrong).catch((reason: unknown) => reason);
		expect(error).toMatchObject({ message: 'The service does not accept the token', httpCode: '401' });
		expect(JSON.stringify({ ...(error as object) })).not.toContain('wrong-token');
	});
});

test('lists respect the rate limit of the account', async () => {
	service.setLimits({ account: { requests: 2, windowMs: 1000 } });
	const paced = anySchema({ requestsPerSecond: 2 });
	await Promise.all(Array.from({ length: 5 }, async () => await loadList('searchListSchemas', paced)));
	expect(service.requests.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
});

test('the node offers exactly the lists that its fields name', () => {
	const named = description.properties
		.flatMap(({ modes }) => modes ?? [])
		.flatMap(({ typeOptions }) => typeOptions?.searchListMethod ?? []);
	expect(Object.keys(new ChatbotService().methods.listSearch).sort()).toEqual([...new Set(named)].sort());
});
