import type { INodeParameters } from 'n8n-workflow';

import { ChatbotService } from '../../nodes/ChatbotService/ChatbotService.node';
import {
	endlessPages,
	notFound,
	tokenRefused,
	unknownEndpoint,
	valuesRefused,
} from '../../nodes/ChatbotService/client/failure';
import { addListSchema, SEEDED, type Fault } from '../../sandbox/emulator';
import { description } from '../description/editor';
import { startAnswering, type Answering } from './answering';
import { operationOf } from '../operations';
import { labelOf } from '../operations/words';
import { credentialFor, loadList, runNode, stoppable, until, useEmulator, type RunOptions } from './harness';

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

	test('the search finds all words of a long value', async () => {
		const long = `${'Очень длинный ответ 😀 '.repeat(150)}конец`;
		answering({
			data: [
				{ id: 301, name: 'отзыв', value: long },
				{ id: 302, name: 'отзыв', value: 'короткий ответ' },
				{ id: 304, name: 'имя', value: null },
			],
		});
		const found = await loadList('searchVariableIds', upsert(String(contacts.telegram)), { filter: 'конец' });
		expect(found.results).toEqual([{ name: `отзыв (${long})`, value: 301 }]);
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
	const labels = {
		bot: labelOf('tag/attach', 'botId'),
		contact: labelOf('tag/detach', 'contactId'),
	};
	const ofContact = {
		label: labels.contact,
		whatItIs: operationOf('tag/detach').variants[0]!.fields[0]!.whatItIs!,
	};
	const noRoute = 'The route app/api/v1/getContactTags could not be found.';

	const cases: Array<
		[string, () => Promise<unknown>, { message: string; description: string; fault?: Fault }]
	> = [
		[
			'the bot is not named yet',
			async () => await loadList('searchTags', attach('')),
			{ message: `Fill in '${labels.bot}' first`, description: 'choose another mode' },
		],
		[
			'the contact is not named yet',
			async () => await loadList('searchVariableNames', upsert('')),
			{ message: `Fill in '${labels.contact}' first`, description: 'run that node first' },
		],
		[
			'there is no such contact',
			async () => await loadList('searchTags', detach('99')),
			notFound(404, [ofContact]),
		],
		[
			'the address has no lists',
			async () => await loadList('searchListSchemas', anySchema()),
			{
				fault: { kind: 'answer', status: 404, body: { message: '' } },
				...unknownEndpoint(404, []),
			},
		],
		[
			'the address has nothing of a contact',
			async () => await loadList('searchTags', detach(String(contacts.viber))),
			{
				fault: { kind: 'answer', status: 404, body: { message: noRoute } },
				...unknownEndpoint(404, [ofContact], noRoute),
			},
		],
		[
			'the service refuses the ID',
			async () => await loadList('searchTags', attach(String(bots.school))),
			{
				fault: { kind: 'answer', status: 422, body: { errors: { bot_id: ['Бот отключён.'] } } },
				...valuesRefused(422, [labels.bot], 'Бот отключён.'),
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
				description: expect.stringContaining(description) as string,
			});
			// The editor splits messages at dashes, and drops parts that mention checking credentials.
			expect(message).not.toMatch(/[-–—]|check\s+(your\s+)?credential/i);
		},
	);

	test('when the token is refused, the editor receives the code that makes it offer the credential', async () => {
		const wrong = anySchema({ token: 'wrong-token' });
		const error: unknown = await loadList('searchListSchemas', wrong).catch((reason: unknown) => reason);
		expect(error).toMatchObject({ message: tokenRefused(401).message, httpCode: '401' });
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

describe('variables as OneBot and LEADTEX return them', () => {
	/** More than a page of the service has. */
	const added = Array.from({ length: 150 }, (_, index) => ({
		...{ id: 20_000 + index, name: `Вопрос ${index}`, value: `Ответ ${index}`, deletable: false },
	}));

	beforeEach(() => {
		service.dialect.variables = 'nested';
		service.data.contacts.get(contacts.telegram)!.variables.push(...added);
	});

	test('come from all pages, with their names', async () => {
		const parameters = { resource: 'contactVariable', operation: 'getAll', returnAll: true };
		const { json } = await runNode({ ...options({ ...parameters, contactId: String(contacts.telegram) }) });
		const stored = service.data.contacts.get(contacts.telegram)!.variables;
		expect(json.map(({ name, value }) => [name, value])).toEqual(
			stored.map(({ name, value }) => [name, value]),
		);
		expect(service.requests).toHaveLength(2);
	});

	test('can all be selected by name', async () => {
		const { results } = await loadList('searchVariableNames', upsert(String(contacts.telegram)));
		expect(results).toContainEqual({ name: 'Город (Казань)', value: 'Город' });
		expect(results).toContainEqual({ name: 'Вопрос 149 (Ответ 149)', value: 'Вопрос 149' });
	});
});

/* Only the service says which page is the last. If it is wrong about that, reading still ends, with an error that says so. */

interface Numbers {
	current: number;
	last: number;
	rows?: string[];
}

/** Answers by requested page. */
const startPages = async (answer: (asked: number) => Numbers) =>
	await startAnswering(({ url }) => {
		const asked = Number(new URL(url, 'http://service').searchParams.get('page') ?? 1);
		const { current, last, rows = [`${asked}-1`, `${asked}-2`] } = answer(asked);
		return {
			data: rows.map((name) => ({ id: name, name })),
			links: { next: 'there are more' },
			meta: { current_page: current, last_page: last, per_page: rows.length },
		};
	});

const all = { resource: 'listSchema', operation: 'getAll', returnAll: true };

const read = async (service: Answering, options: Partial<RunOptions> = {}) =>
	await runNode({ parameters: all, credential: credentialFor(service), ...options });

/** The answers, and how many pages are read. */
const endless: Array<[string, (asked: number) => Numbers, number]> = [
	['answers the first page whatever is asked for', () => ({ current: 1, last: 3, rows: ['а', 'б'] }), 2],
	['counts backwards', (asked) => ({ current: 4 - asked, last: 5 }), 1],
	['skips pages', (asked) => ({ current: asked * 2 - 1, last: 9 }), 2],
	['has a billion pages', (asked) => ({ current: asked, last: 1e9 }), 1],
];

test.each(endless)(
	'a service that %s ends a run and a search in the editor with an error that says so',
	async (_name, answer, requests) => {
		const { message } = endlessPages('');
		const service = await startPages(answer);
		const { error } = await read(service);
		expect(error?.message).toBe(`${message} [Item 0]`);
		expect(service.targets).toHaveLength(requests);
		// A search reads page after page, until it has found enough.
		const options = { parameters: all, credential: credentialFor(service) };
		const load = async () =>
			await loadList('searchListSchemas', options, { filter: 'nothing is called that' });
		await expect(load()).rejects.toMatchObject({ message });
		expect(service.targets).toHaveLength(2 * requests);
	},
);

test('a list that grows slightly during reading is read to its end', async () => {
	const service = await startPages((asked) => ({ current: asked, last: asked < 3 ? 3 : 4 }));
	const { error, json } = await read(service);
	expect(error).toBeUndefined();
	expect(json).toHaveLength(8);
});

test('wrong page numbers do not affect a list of few rows', async () => {
	const service = await startPages(() => ({ current: 7, last: 9 }));
	const { error, json } = await read(service, { parameters: { ...all, returnAll: false, limit: 2 } });
	expect(error).toBeUndefined();
	expect(json).toHaveLength(2);
});

test('Stop ends the reading of pages immediately', async () => {
	const service = await startPages((asked) => ({ current: asked, last: 9000 }));
	const { ended, stop } = stoppable(async (onStart) => await read(service, { onStart }));
	await until(() => service.targets.length > 20);
	const asked = service.targets.length;
	stop();
	expect((await ended).run.status).toBe('canceled');
	await new Promise((resolve) => setTimeout(resolve, 500));
	// One request may have been in progress; a page takes a few milliseconds.
	expect(service.targets.length).toBeLessThanOrEqual(asked + 1);
});
