import type { INodeParameters } from 'n8n-workflow';

import { ChatbotService } from '../../nodes/ChatbotService/ChatbotService.node';
import {
	endlessPages,
	notFound,
	tokenRefused,
	unknownEndpoint,
	valuesRefused,
} from '../../nodes/ChatbotService/client/failure/failure';
import { fillInFirst } from '../../nodes/ChatbotService/listSearch/load';
import { notEvaluatedIn } from '../../nodes/ChatbotService/resources/kind';
import type { Field } from '../../nodes/ChatbotService/resources/operation';
import { addListItem, addListSchema, SEEDED, type Fault } from '../../sandbox/emulator';
import { everyParameter } from '../description/editor';
import { operationOf } from '../operations';
import { goodsColumns } from '../operations/fields';
import { labelOf } from '../operations/words';
import { startAnswering } from './answering';
import { credentialFor, loadFields, loadList, runNode, stoppable, until, useEmulator } from './harness';
import { problemOf } from './messages';

/* The lists that the editor offers, and the fields of a list to map, loaded as in the editor. */

const service = useEmulator();

const { contacts, bots, schemas, schemaCount, listItems } = SEEDED;

const options = (parameters: INodeParameters, credential = {}) => ({
	parameters,
	credential: credentialFor(service, credential),
});
const attach = (botId: unknown) => options({ resource: 'tag', operation: 'attach', botId: String(botId) });
const detach = (contactId: unknown) =>
	options({ resource: 'tag', operation: 'detach', contactId: String(contactId) });
const upsert = () =>
	options({ resource: 'contactVariable', operation: 'upsert', contactId: String(contacts.telegram) });
const anySchema = (credential = {}) => options({ resource: 'listSchema', operation: 'get' }, credential);
const inList = (value: string, operation: string, resource = 'listItem') =>
	options({ resource, operation, schemaId: { __rl: true, mode: 'list', value } });

const named = (name: string) => ({ name, value: name });
const answering = (body: object) => service.faults.add({ kind: 'answer', status: 200, body });

test('the node offers exactly the lists that its fields name', () => {
	const names = everyParameter()
		.flatMap(({ property }) => property.modes ?? [])
		.flatMap(({ typeOptions }) => typeOptions?.searchListMethod ?? []);
	expect(Object.keys(new ChatbotService().methods.listSearch).sort()).toEqual([...new Set(names)].sort());
});

describe('tags and variables', () => {
	test('the tags to attach come from the bot, the tags to detach from the contact', async () => {
		const ofBot = await loadList('searchTags', attach(bots.dentist));
		expect(ofBot).toEqual({ results: ['Записан на приём', 'Повторный визит'].map(named) });
		const ofContact = await loadList('searchTags', detach(contacts.viber));
		expect(ofContact.results).toEqual(service.data.contacts.get(contacts.viber)!.tags.map(named));
	});

	test('are found with a blank behind what a person has typed', async () => {
		const found = await loadList('searchTags', attach(bots.dentist), { filter: 'Повторный ' });
		expect(found).toEqual({ results: [named('Повторный визит')] });
		const after = await loadList('searchTags', attach(bots.dentist), { filter: 'ВИЗИТ ' });
		expect(after).toEqual(found);
	});

	test.each(['named', 'nested'] as const)(
		'variables are offered with their values: %s',
		async (variables) => {
			service.dialect.variables = variables;
			const stored = service.data.contacts.get(contacts.telegram)!.variables;
			// More than a page of the service has.
			for (let id = 20_000; id < 20_150; id++)
				stored.push({ id, name: `Вопрос ${id}`, value: 'Ответ', deletable: false });
			const long = `${'Очень длинный ответ 😀 '.repeat(150)}конец`;
			stored.push({ id: 20_200, name: 'отзыв', value: long, deletable: false });
			const byName = await loadList('searchVariableNames', upsert());
			const names = stored.map(({ name, value }) => ({ name: `${name} (${value})`, value: name }));
			expect(byName.results).toEqual(names);
			const byId = await loadList('searchVariableIds', upsert());
			expect(byId.results.map(({ value }) => value)).toEqual(stored.map(({ id }) => id));
			const found = await loadList('searchVariableIds', upsert(), { filter: 'конец' });
			expect(found.results).toEqual([{ name: `отзыв (${long})`, value: 20_200 }]);
		},
	);
});

describe('list schemas', () => {
	test('are loaded page by page until the last page', async () => {
		const values: unknown[] = [];
		let paginationToken: string | undefined;
		do {
			const page = await loadList('searchListSchemas', anySchema(), { paginationToken });
			values.push(...page.results.map(({ value }) => value));
			paginationToken = page.paginationToken as string | undefined;
		} while (paginationToken);
		expect(values).toEqual([...service.data.listSchemas.keys()]);
		expect([values.length, service.requests.length]).toEqual([schemaCount, 3]);
	});

	test('are searched on all pages without regard to case, and those with the same name can be distinguished', async () => {
		const name = 'Гости фестиваля';
		const ids = [1, 2].map(() => addListSchema(service.data, { name, is_menu: false, fields: {} }).id);
		const found = await loadList('searchListSchemas', anySchema(), { filter: 'ФЕСТИВАЛЯ' });
		expect(found).toEqual({ results: ids.map((id) => ({ name: `${name} (${id})`, value: id })) });
	});

	test.each<[string, (id: string) => string]>([
		['whole', (id) => id],
		['in parentheses, as the editor shows it', (id) => `(${id})`],
		['in part and in capitals', (id) => id.slice(-6).toUpperCase()],
		['behind the name', (id) => `фестиваля (${id}`],
	])('are found by their ID: %s', async (_, written) => {
		const fields = { name: 'Гости фестиваля', is_menu: false, fields: {} };
		const [first] = [1, 2].map(() => addListSchema(service.data, fields).id) as [string];
		const { results } = await loadList('searchListSchemas', anySchema(), { filter: written(first) });
		expect(results.map(({ value }) => value)).toEqual([first]);
	});

	const city = { name: 'Город' };

	test.each<[string, unknown, Record<string, string>]>([
		['none', null, {}],
		['one of null', { phone: null, city }, { phone: 'phone', 'Город (city)': 'city' }],
		['slugs that are numbers', [city], { 'Город (0)': '0' }],
		['an array of fields with slugs', [{ ...city, slug: 'city' }], { 'Город (city)': 'city' }],
		[
			'an array in which some have a slug',
			[{ ...city, slug: 'city' }, { name: 'Цена' }, { name: 'Вес', slug: 7 }],
			{ 'Город (city)': 'city', 'Цена (1)': '1', 'Вес (7)': '7' },
		],
		[
			'an object whose fields name another slug',
			{ city: { ...city, slug: 'town' } },
			{ 'Город (city)': 'city' },
		],
	])('offer their usable fields by slug: %s', async (_, fields, offered) => {
		answering({ data: { id: schemas.reviews, name: 'Отзывы', fields } });
		const ofReviews = inList(schemas.reviews, 'deleteField', 'listSchema');
		const { results } = await loadList('searchSchemaFields', ofReviews);
		expect(Object.fromEntries(results.map(({ name, value }) => [name, value]))).toEqual(offered);
	});
});

test('items can be sorted by the fields of their list, and by the times that each of them has', async () => {
	const getMany = inList(schemas.goods, 'getAll');
	const { results: fields } = await loadList('searchSchemaFields', getMany);
	const { results } = await loadList('searchOrderFields', getMany);
	expect(results.slice(0, fields.length)).toEqual(fields);
	expect(results.slice(fields.length).map(({ value }) => value)).toEqual(['created_at', 'updated_at']);
});

describe('the fields to map for a list item', () => {
	test('have the types of the list, and labels from which n8n makes different names for an AI agent', async () => {
		const { fields } = await loadFields(inList(schemas.goods, 'create'));
		expect(JSON.parse(JSON.stringify(fields))).toEqual(goodsColumns({}).schema);
		const names = fields.map(({ displayName }) => displayName.replace(/[^a-zA-Z0-9_-]+/g, '_'));
		expect(new Set(names).size).toBe(fields.length);
	});

	test("are found by n8n's AI that builds workflows, with the method that the hint names", async () => {
		const { builderHint } = everyParameter().find(({ path }) => path === 'columns')!.property as Field;
		const [, method] = /the method '(\w+)'/.exec(builderHint!.propertyHint)!;
		const { results } = await loadList(method!, inList(schemas.goods, 'create'));
		expect(results.map(({ value }) => value)).toEqual(goodsColumns({}).schema.map(({ id }) => id));
	});

	test('are numbers if they are IDs, and not required for an update, so that the editor begins with none', async () => {
		const { fields } = await loadFields(inList(schemas.orders, 'update'));
		const types = {
			client: 'number',
			phone: 'string',
			amount: 'number',
			paid: 'boolean',
			source_bot: 'number',
		};
		expect(Object.fromEntries(fields.map(({ id, type }) => [id, type]))).toEqual(types);
		expect(fields.filter(({ required }) => required)).toEqual([]);
	});

	test('have their slugs, and no label twice, also if the service writes them as an array', async () => {
		const ofArray = ['title', 'price'].map((slug) => ({
			slug,
			name: slug,
			type: 'string',
			is_required: true,
		}));
		answering({ data: { id: schemas.goods, name: 'Товары', fields: ofArray } });
		const { fields } = await loadFields(inList(schemas.goods, 'create'));
		expect(fields).toMatchObject(ofArray.map(({ slug: id }) => ({ id, displayName: id, required: true })));
	});

	test('are none before a list is chosen', async () => {
		expect(await loadFields(inList('', 'create'))).toEqual({ fields: [] });
		expect(service.requests).toEqual([]);
	});
});

describe('the items of a list', () => {
	test('are offered by their first text, and are searched on all pages', async () => {
		for (let number = 0; number < 230; number++)
			addListItem(service.data, schemas.goods, { title: `Товар ${number}` });
		const ofGoods = inList(schemas.goods, 'update');
		const { results } = await loadList('searchListItems', ofGoods);
		expect(results[0]).toEqual({ name: 'Букет «Нежность»', value: listItems.good });
		const found = await loadList('searchListItems', ofGoods, { filter: 'товар 229' });
		expect(found.results.map(({ name }) => name)).toEqual(['Товар 229']);
	});

	test('are those of the list, also if another list was searched before', async () => {
		const search = async (list: string, filter: string) =>
			(await loadList('searchListItems', inList(list, 'update'), { filter })).results.map(({ name }) => name);
		for (const list of [schemas.goods, schemas.reviews])
			addListItem(service.data, list, { comment: 'Розы', title: 'Розы' });
		expect(await search(schemas.goods, 'роз')).not.toEqual([]);
		addListItem(service.data, schemas.reviews, { comment: 'Розы и лилии' });
		expect(await search(schemas.reviews, 'розы и')).toEqual(['Розы и лилии']);
		expect(await search(schemas.goods, 'розы')).toEqual(expect.arrayContaining(['Розы']));
	});

	test('of one text are found by the ID that they show, on any page', async () => {
		const [first] = [1, 2].map(() => addListItem(service.data, schemas.goods, { title: 'Розы' }).id) as [
			string,
		];
		for (let number = 0; number < 120; number++) addListItem(service.data, schemas.goods, { title: 'Лилии' });
		const { results } = await loadList('searchListItems', inList(schemas.goods, 'update'), { filter: first });
		expect(results.map(({ value }) => value)).toEqual([first]);
	});

	test('without a text are offered by their ID, and those with the same text can be distinguished', async () => {
		const [rated, ...same] = [{ rating: 3 }, { comment: 'Хорошо' }, { comment: 'Хорошо' }].map(
			(values) => addListItem(service.data, schemas.reviews, values).id,
		);
		const { results } = await loadList('searchListItems', inList(schemas.reviews, 'delete'));
		expect(results.slice(-3).map(({ name }) => name)).toEqual([rated, ...same.map((id) => `Хорошо (${id})`)]);
	});
});

describe('when there is nothing to select', () => {
	const { label, whatItIs } = operationOf('tag/detach').variants[0]!.fields[0]!;
	const ofContact = { label, whatItIs: whatItIs! };
	const botLabel = labelOf('tag/attach', 'botId');
	const code = '{{ $json.bot }}';
	const { message: isCode } = problemOf(notEvaluatedIn(botLabel, code));
	const refused: Fault = { kind: 'answer', status: 422, body: { errors: { bot_id: ['Бот отключён.'] } } };
	const refusal = valuesRefused(422, [botLabel], 'Бот отключён.');
	const noRoute: Fault = { kind: 'answer', status: 404, body: { message: '' } };
	const loadSchemas = async () => await loadList('searchListSchemas', anySchema());
	const loadTags = loadList.bind(undefined, 'searchTags');

	test.each<[string, () => Promise<unknown>, { message: string; description: string }, ...Fault[]]>([
		['the bot is not named yet', () => loadTags(attach('')), fillInFirst(botLabel)],
		['the bot is code', () => loadTags(attach(code)), { message: isCode, description: `'${botLabel}'` }],
		['there is no such contact', () => loadTags(detach('99')), notFound(404, [ofContact])],
		['the address has no lists', loadSchemas, unknownEndpoint(404, []), noRoute],
		['the service refuses the ID', () => loadTags(attach(bots.school)), refusal, refused],
	])('when %s the editor says so instead of showing the list', async (_, load, said, ...faults) => {
		for (const fault of faults) service.faults.add(fault);
		const { message, description } = said;
		// The editor shows the description only for this class.
		const expected = { name: 'NodeApiError', message, description: expect.stringContaining(description) };
		await expect(load()).rejects.toMatchObject(expected);
		// The editor splits messages at dashes, and drops parts that mention checking credentials.
		expect(message).not.toMatch(/[-–—]|check\s+(your\s+)?credential/i);
	});

	test('when the token is refused, the editor receives the code that makes it offer the credential', async () => {
		const loading = loadList('searchListSchemas', anySchema({ token: 'wrong-token' }));
		const error: unknown = await loading.catch((reason: unknown) => reason);
		expect(error).toMatchObject({ message: tokenRefused(401).message, httpCode: '401' });
		expect(JSON.stringify({ ...(error as object) })).not.toContain('wrong-token');
		service.faults.add({ kind: 'answer', status: 403, body: {} });
		await expect(loadSchemas()).rejects.toMatchObject({ httpCode: '403' });
	});
});

test('lists respect the rate limit of the account', async () => {
	service.setLimits({ account: { requests: 2, windowMs: 1000 } });
	const paced = anySchema({ requestsPerSecond: 2 });
	await Promise.all([1, 2, 3].map(async () => await loadList('searchListSchemas', paced)));
	expect(service.requests.map(({ status }) => status)).toEqual([200, 200, 200]);
});

/* Only the service says which page is the last: test/unit/pages.test.ts. */
describe('pages that never end', () => {
	const parameters = { resource: 'listSchema', operation: 'getAll', returnAll: true };

	const startPages = async (current: (asked: number) => number) =>
		await startAnswering(({ url }) => {
			const asked = Number(new URL(url, 'http://service').searchParams.get('page') ?? 1);
			return {
				data: [{ id: asked, name: `${asked}` }],
				meta: { current_page: current(asked), last_page: 9000 },
			};
		});

	test('end a run and a search in the editor with an error that says so', async () => {
		const pages = await startPages(() => 1);
		const { message } = endlessPages('');
		const credential = credentialFor(pages);
		expect((await runNode({ parameters, credential })).error?.message).toBe(`${message} [Item 0]`);
		// A search reads page after page, until it has found enough.
		const search = loadList('searchListSchemas', { parameters, credential }, { filter: 'ничего' });
		await expect(search).rejects.toMatchObject({ message });
		expect(pages.targets).toHaveLength(4);
	});

	test('are no longer read after Stop', async () => {
		const pages = await startPages((asked) => asked);
		const credential = credentialFor(pages);
		const { ended, stop } = stoppable(async (onStart) => await runNode({ parameters, credential, onStart }));
		await until(() => pages.targets.length > 20);
		const asked = pages.targets.length;
		stop();
		expect((await ended).run.status).toBe('canceled');
		await new Promise((resolve) => setTimeout(resolve, 200));
		// One request may have been in progress; a page takes a few milliseconds.
		expect(pages.targets.length).toBeLessThanOrEqual(asked + 1);
	});
});
