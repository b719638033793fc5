import type { INodeParameters } from 'n8n-workflow';

import { ChatbotService } from '../../nodes/ChatbotService/ChatbotService.node';
import * as failures from '../../nodes/ChatbotService/client/failure/failure';
import { fillInFirst } from '../../nodes/ChatbotService/listSearch/load';
import { notEvaluatedIn } from '../../nodes/ChatbotService/resources/kind';
import type { Field } from '../../nodes/ChatbotService/resources/operation';
import { addListItem, addListSchema, SEEDED } from '../../sandbox/emulator';
import { everyParameter } from '../description/editor';
import { operationOf } from '../operations';
import { goodsColumns } from '../operations/fields';
import { labelOf } from '../operations/words';
import { loadFields, loadList } from './harness';
import { problemOf } from './messages';
import { scene, usual } from './scene';

/* The lists that the editor offers, and the fields of a list to map, loaded as in the editor. Long ones: longLists.test.ts. */

const { service, optionsOf } = scene({});

const { contacts, bots, schemas, listItems } = SEEDED;

/** An entry whose name is its value. */
const named = (name: string) => ({ name, value: name });
const attach = (botId: unknown) => usual('tag/attach', { botId: String(botId) });
const detach = (contactId: unknown) => usual('tag/detach', { contactId: String(contactId) });
const variable = usual('contactVariable/upsert', { contactId: String(contacts.telegram) });
const anySchema = usual('listSchema/get');
const inList = (value: string, title: string) =>
	usual(title, { schemaId: { __rl: true, mode: 'list', value } });

const load = async (method: string, parameters: INodeParameters, filter?: string) =>
	(await loadList(method, optionsOf({ parameters }), { filter })).results;
const valuesOf = async (...list: Parameters<typeof load>) => (await load(...list)).map(({ value }) => value);
const namesOf = async (...list: Parameters<typeof load>) => (await load(...list)).map(({ name }) => name);
const fieldsOf = async (parameters: INodeParameters) => await loadFields(optionsOf({ parameters }));

test('the lists are those that fields and hints name', () => {
	const properties = everyParameter().map(({ property }) => property as Field);
	const ofFields = properties
		.flatMap(({ modes }) => modes ?? [])
		.flatMap(({ typeOptions }) => typeOptions?.searchListMethod ?? []);
	const offered = Object.keys(new ChatbotService().methods.listSearch).sort();
	expect(offered).toEqual([...new Set(ofFields)].sort());
	// For n8n's AI that builds workflows.
	const hints = properties.map(({ builderHint }) => builderHint?.propertyHint).join();
	const ofHints = [...hints.matchAll(/the method '(\w+)'/g)].map(([, method]) => method);
	expect(offered).toEqual(expect.arrayContaining(ofHints));
	expect(ofHints).not.toEqual([]);
});

test('tags come from the bot, or from the contact', async () => {
	const ofBot = ['Записан на приём', 'Повторный визит'].map(named);
	expect(await load('searchTags', attach(bots.dentist))).toEqual(ofBot);
	const { tags } = service.data.contacts.get(contacts.viber)!;
	expect(await load('searchTags', detach(contacts.viber))).toEqual(tags.map(named));
	for (const typed of ['Повторный ', 'ВИЗИТ '])
		expect(await load('searchTags', attach(bots.dentist), typed)).toEqual([ofBot[1]]);
});

test.each(['named', 'nested'] as const)('variables are offered with their values: %s', async (dialect) => {
	service.dialect.variables = dialect;
	const stored = service.data.contacts.get(contacts.telegram)!.variables;
	// More than a page of the service has.
	for (let id = 20_000; id < 20_150; id++)
		stored.push({ id, name: `Вопрос ${id}`, value: 'Ответ', deletable: false });
	const long = `${'Очень длинный ответ 😀 '.repeat(150)}конец`;
	stored.push({ id: 20_200, name: 'отзыв', value: long, deletable: false });
	const byName = stored.map(({ name, value }) => ({ name: `${name} (${value})`, value: name }));
	expect(await load('searchVariableNames', variable)).toEqual(byName);
	expect(await valuesOf('searchVariableIds', variable)).toEqual(stored.map(({ id }) => id));
	const found = [{ name: `отзыв (${long})`, value: 20_200 }];
	expect(await load('searchVariableIds', variable, 'конец')).toEqual(found);
});

describe('list schemas', () => {
	test('are found on all pages by name and ID', async () => {
		const name = 'Гости фестиваля';
		const ids = [1, 2].map(() => addListSchema(service.data, { name, is_menu: false, fields: {} }).id);
		const both = ids.map((id) => ({ name: `${name} (${id})`, value: id }));
		expect(await load('searchListSchemas', anySchema, 'ФЕСТИВАЛЯ')).toEqual(both);
		const first = ids[0]!;
		for (const typed of [first, `(${first})`, first.slice(-6).toUpperCase(), `фестиваля (${first}`])
			expect(await valuesOf('searchListSchemas', anySchema, typed)).toEqual([first]);
	});

	const city = { name: 'Город' };
	const ofArray = [{ ...city, slug: 'city' }, { name: 'Цена' }, { name: 'Вес', slug: 7 }];
	const ofObject = { phone: null, city: { ...city, slug: 'town' } };

	test.each<[string, unknown, string[]]>([
		['none', null, []],
		['an object, and one of null', ofObject, ['phone: phone', 'Город (city): city']],
		['an array, and some with a slug', ofArray, ['Город (city): city', 'Цена (1): 1', 'Вес (7): 7']],
	])('offer their usable fields by slug: %s', async (_, fields, offered) => {
		const body = { data: { id: schemas.reviews, name: 'Отзывы', fields } };
		service.faults.add({ kind: 'answer', status: 200, body });
		const results = await load('searchSchemaFields', inList(schemas.reviews, 'listSchema/deleteField'));
		expect(results.map(({ name, value }) => `${name}: ${value}`)).toEqual(offered);
	});
});

test('items can be sorted by their fields and times', async () => {
	const getMany = inList(schemas.goods, 'listItem/getAll');
	const fields = await valuesOf('searchSchemaFields', getMany);
	const all = await valuesOf('searchOrderFields', getMany);
	expect(all).toEqual([...fields, 'created_at', 'updated_at']);
});

describe('the fields to map for a list item', () => {
	test('have types, and names that differ for agents', async () => {
		const { fields } = await fieldsOf(inList(schemas.goods, 'listItem/create'));
		expect(JSON.parse(JSON.stringify(fields))).toEqual(goodsColumns({}).schema);
		const names = fields.map(({ displayName }) => displayName.replace(/[^a-zA-Z0-9_-]+/g, '_'));
		expect(new Set(names).size).toBe(fields.length);
	});

	test('are numbers for IDs, and optional for Update', async () => {
		service.data.listSchemas.get(schemas.orders)!.fields.paid!.name = 'paid';
		const { fields } = await fieldsOf(inList(schemas.orders, 'listItem/update'));
		const numbers = { client: 'number', amount: 'number', source_bot: 'number' };
		const types = Object.fromEntries(fields.map(({ id, type }) => [id, type]));
		expect(types).toEqual({ ...numbers, phone: 'string', paid: 'boolean' });
		expect(fields.filter(({ required }) => required)).toEqual([]);
		// The editor would store false or 0 for these.
		const shown = fields.filter(({ removed }) => !removed);
		expect(shown.map(({ id }) => id)).toEqual(['phone']);
		// A name that is the slug stands there once.
		expect(fields.map(({ displayName }) => displayName)).toContain('paid');
	});

	test('are none before a list is chosen', async () => {
		expect(await fieldsOf(inList('', 'listItem/create'))).toEqual({ fields: [] });
		expect(service.requests).toEqual([]);
	});
});

describe('the items of a list', () => {
	const ofGoods = inList(schemas.goods, 'listItem/update');
	const add = (list: string, values: object) => addListItem(service.data, list, values as never).id;

	test('are offered and found by their first text or ID', async () => {
		const [rose] = [1, 2].map(() => add(schemas.goods, { title: 'Розы' }));
		for (let number = 0; number < 230; number++) add(schemas.goods, { title: `Товар ${number}` });
		const [first] = await load('searchListItems', ofGoods);
		expect(first).toEqual({ name: 'Букет «Нежность»', value: listItems.good });
		expect(await namesOf('searchListItems', ofGoods, 'товар 229')).toEqual(['Товар 229']);
		expect(await valuesOf('searchListItems', ofGoods, rose)).toEqual([rose]);
	});

	test('are those of the list, also after another one', async () => {
		add(schemas.goods, { title: 'Розы' });
		expect(await namesOf('searchListItems', ofGoods, 'роз')).toContain('Розы');
		add(schemas.reviews, { comment: 'Розы и лилии' });
		const ofReviews = inList(schemas.reviews, 'listItem/update');
		expect(await namesOf('searchListItems', ofReviews, 'розы и')).toEqual(['Розы и лилии']);
		expect(await namesOf('searchListItems', ofGoods, 'розы')).toContain('Розы');
	});

	test('without a text of their own show their ID', async () => {
		const [rated, ...same] = [{ rating: 3 }, { comment: 'Хорошо' }, { comment: 'Хорошо' }].map((values) =>
			add(schemas.reviews, values),
		);
		const names = await namesOf('searchListItems', inList(schemas.reviews, 'listItem/delete'));
		expect(names.slice(-3)).toEqual([rated, ...same.map((id) => `Хорошо (${id})`)]);
	});
});

describe('when there is nothing to select', () => {
	const { label, whatItIs } = operationOf('tag/detach').variants[0]!.fields[0]!;
	const noContact = failures.notFound([{ label, whatItIs: whatItIs! }]);
	const botLabel = labelOf('tag/attach', 'botId');
	const code = '{{ $json.bot }}';
	const isCode = { message: problemOf(notEvaluatedIn(botLabel, code)).message, description: `'${botLabel}'` };
	const refusal = { ...failures.valuesRefused([botLabel], 'Бот отключён.'), status: 422 };
	const gone = { ...failures.unknownEndpoint(404, []), status: 404 };
	const revoked = { ...failures.tokenRefused(), status: 401 };
	const schemasOf = 'searchListSchemas';

	const noBot = { errors: { bot_id: ['Бот отключён.'] } };

	type Said = { message: string; description: string; status?: number | undefined };

	test.each<[string, method: string, INodeParameters, Said, answer?: object]>([
		['the bot is not named yet', 'searchTags', attach(''), fillInFirst(botLabel)],
		['the bot is code', 'searchTags', attach(code), isCode],
		['there is no such contact', 'searchTags', detach('99'), noContact],
		['the service refuses the ID', 'searchTags', attach(bots.school), refusal, noBot],
		['the address has no lists', schemasOf, anySchema, gone, { message: '' }],
		['the token is refused', schemasOf, anySchema, revoked, {}],
	])('because %s, the editor says so', async (_, method, parameters, said, ...[body]) => {
		const { message, status = 0 } = said;
		if (body) service.faults.add({ kind: 'answer', status, body });
		const description = expect.stringContaining(said.description) as string;
		// The editor shows the description only for this class, and offers the credential by these codes.
		const httpCode = [401, 403].includes(status) ? String(status) : null;
		const expected = { name: 'NodeApiError', message, description, httpCode };
		const error: unknown = await load(method, parameters).catch((reason: unknown) => reason);
		expect(error).toMatchObject(expected);
		expect(JSON.stringify({ ...(error as object) })).not.toContain(service.token);
		// The editor splits messages at dashes, and drops parts that mention checking credentials.
		expect(message).not.toMatch(/[-–—]|check\s+(your\s+)?credential/i);
	});
});
