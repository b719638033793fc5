import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { filterIgnored, notFound } from '../../nodes/ChatbotService/client/failure';
import { repeatedSlug } from '../../nodes/ChatbotService/resources/listItem/problems';
import { noFilter } from '../../nodes/ChatbotService/resources/problems';
import { emptyField } from '../../nodes/ChatbotService/run/values/problems';
import { addListItem, addListSchema, SEEDED } from '../../sandbox/emulator';
import { operationOf } from '../operations';
import { labelOf } from '../operations/words';
import { startAnswering } from './answering';
import { callByEngine, credentialFor, hintsOf, runNode, useEmulator, type RunOptions } from './harness';

/* List Item, Get Many: which items come out, and what is said if the service has not filtered them. */

const service = useEmulator();
const { schemas } = SEEDED;

const id = (value: unknown) => ({ __rl: true, mode: 'id', value }) as INodeParameters;

const getMany = (parameters: INodeParameters): INodeParameters => ({
	resource: 'listItem',
	operation: 'getAll',
	schemaId: id(schemas.goods),
	returnAll: true,
	...parameters,
});

const read = async (parameters: INodeParameters, options: Partial<RunOptions> = {}) =>
	await runNode({ parameters: getMany(parameters), credential: credentialFor(service), ...options });

const where = (filters: Record<string, unknown>): INodeParameters =>
	({
		fieldFilters: { filter: Object.entries(filters).map(([slug, value]) => ({ slug, value })) },
	}) as INodeParameters;

const articlesOf = async (parameters: INodeParameters, options?: Partial<RunOptions>) => {
	const { json, error } = await read(parameters, options);
	expect(error).toBeUndefined();
	return json.map(({ article }) => article);
};

const bodies = () => service.requests.map(({ body }) => body as IDataObject);
const labelAt = (name: string) => labelOf('listItem/getAll', name);
const filterLabel = (number: number, name: string) =>
	`${labelAt('fieldFilters')}, filter ${number}: ${labelAt(`fieldFilters.${name}`)}`;

describe('a filter', () => {
	test.each<[string, Record<string, unknown>, string[]]>([
		['a text', { article: '00418' }, ['00418']],
		['a text with blanks around it', { title: ' Орхидея в горшке ' }, ['00421']],
		['a number that an expression returns', { stock: '={{ 7 }}' }, ['00417']],
		['a number as text', { price: '1990.50' }, ['00418']],
		['a boolean', { active: '={{ false }}' }, ['00420']],
		['two values', { stock: '0', active: 'true' }, ['00419']],
		['a value of the input item', { article: '={{ $json.article }}' }, ['00421']],
	])('finds items by %s', async (_, filters, articles) => {
		expect(await articlesOf(where(filters), { items: [{ article: '00421' }] })).toEqual(articles);
	});

	test('may name a field whose slug is a number', async () => {
		const list = addListSchema(service.data, {
			name: 'План',
			is_menu: false,
			fields: { 2026: { ...service.data.listSchemas.get(schemas.goods)!.fields.title! } },
		});
		addListItem(service.data, list.id, { 2026: 'Открыть склад' });
		const { json } = await read({ schemaId: id(list.id), ...where({ 2026: 'Открыть склад' }) });
		expect(json).toEqual([expect.objectContaining({ 2026: 'Открыть склад' })]);
	});

	test.each<[string, INodeParameters, string]>([
		['no value', where({ article: '={{ $json.missing }}' }), emptyField(filterLabel(1, 'value')).message],
		['no field', where({ '': '00417' }), emptyField(filterLabel(1, 'slug')).message],
		[
			'the field of another filter',
			{
				fieldFilters: {
					filter: [
						{ slug: 'stock', value: '0' },
						{ slug: ' stock', value: '7' },
					],
				},
			},
			repeatedSlug(filterLabel(2, 'slug'), 'stock').message,
		],
		[
			'a date that is none',
			where({ article: 'Invalid DateTime' }),
			`'${filterLabel(1, 'value')}' contains a date`,
		],
		['an object', where({ article: '={{ $json }}' }), `'${filterLabel(1, 'value')}' must be text`],
	])('with %s is refused by name before anything is sent', async (_, parameters, message) => {
		const { error } = await read(parameters, { items: [{ a: 1 }] });
		expect(error?.message).toContain(message);
		expect(service.requests).toEqual([]);
	});
});

describe('items that do not match the filters', () => {
	test.each<[string, Record<string, unknown>]>([
		['the service ignores filters', { article: '00418' }],
		['the list has no such field', { artikul: '00418' }],
	])('are not returned if %s, and the error names the filter', async (_, filters) => {
		service.dialect.filters = 'ignored';
		const { json, error } = await read(where(filters));
		const [slug] = Object.keys(filters) as [string];
		const found = slug === 'article' ? '00417' : undefined;
		expect(error?.message).toBe(`${filterIgnored(slug, found).message} [Item 0]`);
		expect(error?.description).toBe(filterIgnored(slug, found).description);
		expect(json).toEqual([]);
	});

	test('are not replaced by those that match, whatever the limit, and do not stop other items', async () => {
		const items = [{ slug: 'artikul' }, { slug: 'article' }];
		const filters = { fieldFilters: { filter: [{ slug: '={{ $json.slug }}', value: '00418' }] } };
		const { json } = await read(
			{ ...filters, returnAll: false, limit: 1 },
			{ items, node: { onError: 'continueRegularOutput' } },
		);
		expect(json).toEqual([
			expect.objectContaining({ error: `${filterIgnored('', '').message} [Item 0]` }),
			expect.objectContaining({ article: '00418' }),
		]);
	});

	test.each<[string, unknown, unknown, boolean]>([
		['the same text in another case', 'Казань', 'КАЗАНЬ ', true],
		['the same number in another spelling', 1990.5, '1990,50', true],
		['the same boolean', true, 'да', true],
		['one of several values', ['красный', 'синий'], 'синий', true],
		['another number', 10, '1', false],
		['a text that only contains the value', 'Набережные Челны', 'Челны', false],
		['nothing', null, 'Казань', false],
		['the other boolean', false, 'true', false],
	])('are told by their values: %s', async (_, city, value, isSame) => {
		const answering = await startAnswering(() => ({ data: [{ id: 'a', city }] }));
		const { json } = await read(where({ city: value }), { credential: credentialFor(answering) });
		expect(json).toHaveLength(isSame ? 1 : 0);
	});
});

describe('nothing found', () => {
	test.each<[string, INodeParameters, string]>([
		[
			'the filters match no item',
			where({ article: '99999' }),
			'No item of the list matches the filters. You cannot filter by an encrypted field.',
		],
		[
			'the field is encrypted',
			{ schemaId: id(schemas.orders), ...where({ phone: '79161234567' }) },
			'matches the filters',
		],
	])('is said: %s', async (_, parameters, said) => {
		const result = await read(parameters);
		expect([result.error, result.json]).toEqual([undefined, []]);
		expect(hintsOf(result).join()).toContain(said);
	});

	test('is said of an empty list', async () => {
		service.data.listItems.clear();
		expect(hintsOf(await read({})).join()).toContain('The list has no items.');
	});
});

describe('as a tool', () => {
	const filters = {
		fieldFilters: {
			filter: [
				{ slug: 'article', value: "={{ $fromAI('article') }}" },
				{ slug: 'title', value: "={{ $fromAI('title') }}" },
			],
		},
	};

	const call = async (args: IDataObject) =>
		await callByEngine({ parameters: getMany(filters), credential: credentialFor(service) }, [args]);

	test('filters that the model leaves empty do not count', async () => {
		expect((await call({ article: '00419', title: '' })).json).toEqual([
			expect.objectContaining({ article: '00419' }),
		]);
		expect(bodies()[0]).toMatchObject({ filters: { article: '00419' } });
	});

	test('the model reads that it has left all filters empty', async () => {
		const { json } = await call({ article: '', title: '' });
		expect(JSON.stringify(json)).toContain(noFilter(labelAt('fieldFilters')).message);
		expect(service.requests).toEqual([]);
	});
});

describe('order and pages', () => {
	test.each<[string, INodeParameters, string | undefined, unknown[]]>([
		['a field', { orderBy: 'price' }, 'price,asc', ['00421', '00418', '00419', '00417', '00420']],
		[
			'a field, descending',
			{ orderBy: 'created_at', orderByDirection: 'desc' },
			'created_at,desc',
			['00421', '00420', '00419', '00418', '00417'],
		],
	])('items come in the order of %s', async (_, itemOptions, sent, articles) => {
		expect(await articlesOf({ itemOptions })).toEqual(articles);
		expect(bodies()[0]!.order_by).toBe(sent);
	});

	test('an order without a field is refused by name', async () => {
		const { error } = await read({ itemOptions: { orderByDirection: 'desc' } });
		expect(error?.message).toContain(emptyField(labelAt('itemOptions.orderBy')).message);
		expect(service.requests).toEqual([]);
	});

	test.each(['numbered', 'unnumbered'] as const)('all pages are read if they are %s', async (pages) => {
		service.dialect.pages = pages;
		for (let number = 0; number < 245; number++)
			addListItem(service.data, schemas.goods, { title: `Товар ${number}` });
		const { json } = await read({});
		expect(new Set(json.map((row) => row.id)).size).toBe(250);
		expect(bodies().map(({ limit, page }) => [limit, page])).toEqual([
			[100, undefined],
			[100, 2],
			[100, 3],
		]);
	});

	test('a limit asks for no more items than it needs', async () => {
		expect(await articlesOf({ returnAll: false, limit: 2 })).toEqual(['00417', '00418']);
		expect(bodies()).toEqual([{ schema_id: schemas.goods, limit: 2 }]);
	});
});

describe('values come out as the service gives them', () => {
	test('pictures, dates, booleans, and fields that are named like parts of an answer', async () => {
		const row = {
			id: 'a',
			links: 'https://example.com',
			meta: { page: 1 },
			data: 'да',
			message: 'Unauthenticated.',
			success: false,
			photo: { url: 'https://cdn.example.com/a.jpg' },
			visit: '2026-11-26T10:00:00+03:00',
			active: false,
		};
		const picture = { id: 'b', links: { url: 'https://cdn.example.com/b.jpg' } };
		const answering = await startAnswering(() => ({ data: [row, picture] }));
		const { json } = await read({}, { credential: credentialFor(answering) });
		expect(json).toEqual([row, picture]);
	});

	test('long numbers keep all their digits, as texts', async () => {
		const body =
			'{"data":[{"id":"a","code":12345678901234567890,"small":1234567890123456,"text":"12345678901234567890","minus":-98765432109876543210}]}';
		const answering = await startAnswering(() => body);
		const { json } = await read({}, { credential: credentialFor(answering) });
		expect(json).toEqual([
			{
				id: 'a',
				code: '12345678901234567890',
				small: 1234567890123456,
				text: '12345678901234567890',
				minus: '-98765432109876543210',
			},
		]);
	});
});

test('a list that was deleted meanwhile is named', async () => {
	service.data.listSchemas.delete(schemas.goods);
	const { error } = await read({});
	const { whatItIs } = operationOf('listItem/getAll').variants[0]!.fields.find(
		({ name }) => name === 'schemaId',
	)!;
	const { message } = notFound(404, [{ label: labelAt('schemaId'), whatItIs: whatItIs! }]);
	expect(error?.message).toBe(`${message} [Item 0]`);
});
