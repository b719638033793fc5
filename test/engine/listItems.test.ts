import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { filterIgnored } from '../../nodes/ChatbotService/client/failure/failure';
import { noSuchField, repeatedSlug } from '../../nodes/ChatbotService/resources/listItem/problems';
import { noFilter } from '../../nodes/ChatbotService/resources/problems';
import { emptyField } from '../../nodes/ChatbotService/run/values/problems';
import { addListItem, SEEDED } from '../../sandbox/emulator';
import { labelOf } from '../operations/words';
import { startAnswering } from './answering';
import { callByEngine, credentialFor, hintsOf, runNode, useEmulator, type RunOptions } from './harness';

/* List Item, Get Many: which items come out, and what is said if the service has not filtered them: see also storedValues.test.ts. */

const service = useEmulator();
const { schemas } = SEEDED;

const getMany = (parameters: INodeParameters): INodeParameters => ({
	...{ resource: 'listItem', operation: 'getAll', returnAll: true },
	schemaId: { __rl: true, mode: 'id', value: schemas.goods },
	...parameters,
});

const read = async (parameters: INodeParameters, options: Partial<RunOptions> = {}) =>
	await runNode({ parameters: getMany(parameters), credential: credentialFor(service), ...options });

/** Reads what a service of its own answers. */
const readFrom = async (body: unknown, parameters: INodeParameters = {}) =>
	await read(parameters, { credential: credentialFor(await startAnswering(() => body)) });

const where = (...filters: Array<[slug: string, value: unknown]>): INodeParameters =>
	({ fieldFilters: { filter: filters.map(([slug, value]) => ({ slug, value })) } }) as INodeParameters;

const articlesOf = async (parameters: INodeParameters, options?: Partial<RunOptions>) => {
	const result = await read(parameters, options);
	expect([result.error, hintsOf(result)]).toEqual([undefined, []]);
	return result.json.map(({ article }) => article);
};

const bodies = () =>
	service.requests.filter(({ method }) => method === 'POST').map(({ body }) => body as IDataObject);
const labelAt = (name: string) => labelOf('listItem/getAll', name);
const filterLabel = (number: number, name: string) =>
	`${labelAt('fieldFilters')}, filter ${number}: ${labelAt(`fieldFilters.${name}`)}`;

describe('a filter', () => {
	const repeated = repeatedSlug(filterLabel(2, 'slug'), 'stock');

	test.each<[string, INodeParameters, string[]]>([
		['a text with blanks around it', where(['title', ' Орхидея в горшке ']), ['00421']],
		['a number that an expression returns', where(['stock', '={{ 7 }}']), ['00417']],
		['a number as text', where(['price', '1990.50']), ['00418']],
		['two values', where(['stock', '0'], ['active', '={{ true }}']), ['00419']],
		['a value of the input item', where(['article', '={{ $json.article }}']), ['00421']],
	])('finds items by %s', async (_, filters, articles) => {
		expect(await articlesOf(filters, { items: [{ article: '00421' }] })).toEqual(articles);
	});

	test.each<[string, INodeParameters, string]>([
		['no value', where(['article', '={{ $json.missing }}']), emptyField(filterLabel(1, 'value')).message],
		['no field', where(['={{ $json.missing }}', '00417']), emptyField(filterLabel(1, 'slug')).message],
		['the field of another', where(['stock', '0'], [' stock', '7']), repeated.message],
		['an object', where(['article', '={{ $json }}']), `'${filterLabel(1, 'value')}' must be text`],
	])('with %s is refused by name before anything is sent', async (_, parameters, message) => {
		const { error } = await read(parameters, { items: [{ a: 1 }] });
		expect(error?.message).toContain(message);
		expect(service.requests).toEqual([]);
	});
});

describe('filters in the address', () => {
	const targets = () => service.requests.map(({ query }) => query);

	test('carry any characters, as those in the body do, on each page', async () => {
		service.dialect.filters = 'inQuery';
		const wanted = { 'цвет [лепестков]': 'белый & розовый, 50% = «½»', 'order.id': 'А+1 #7?' };
		const { fields } = service.data.listSchemas.get(schemas.goods)!;
		for (const slug of Object.keys(wanted)) fields[slug] = { ...fields.article!, name: slug };
		for (let number = 0; number < 150; number++) addListItem(service.data, schemas.goods, wanted);
		const { json } = await read(where(...Object.entries(wanted)));
		expect(json).toHaveLength(150);
		const expected = Object.fromEntries(
			Object.entries(wanted).map(([slug, value]) => [`filters[${slug}]`, value]),
		);
		// The first request asks whether the list has fields with such slugs.
		expect(targets().slice(1)).toEqual(
			[expected, expected].map((each) => expect.objectContaining(each) as object),
		);
		expect(bodies()).toMatchObject([1, 2].map(() => ({ filters: wanted })));
	});

	test('are left out if they are too long for it, and the body finds the item', async () => {
		const title = 'Я'.repeat(3000);
		addListItem(service.data, schemas.goods, { title });
		expect((await read(where(['title', title]))).json).toMatchObject([{ title }]);
		expect(Object.keys(targets()[0]!).join()).not.toContain('filters');
	});

	test('of services that ignore those in the body find nothing without a wrong item or an error', async () => {
		service.dialect.filters = 'inQuery';
		expect(await read(where(['article', '99999']))).toMatchObject({ json: [] });
	});
});

test('items are found and sorted by the contact that the service adds to them', async () => {
	const credential = credentialFor(
		await startAnswering(() => ({ data: [5001, 5002].map((id) => ({ id: `a${id}`, contact_id: id })) })),
	);
	const sorted = { itemOptions: { orderBy: 'contact_id', orderByDirection: 'desc' } };
	const { json, error } = await read({ ...where(['contact_id', '5001']), ...sorted }, { credential });
	expect([error, json]).toEqual([undefined, [{ id: 'a5001', contact_id: 5001 }]]);
	const ofOrders = { schemaId: { __rl: true, mode: 'id', value: schemas.orders } };
	const own = await read({ ...ofOrders, ...where(['contact_id', '5001']), ...sorted });
	expect(own.json).toMatchObject([{ client: 5001, contact_id: 5001 }]);
	expect(bodies()).toMatchObject([{ filters: { contact_id: '5001' }, order_by: 'contact_id,desc' }]);
});

test('an item is found by one of several values of its field', async () => {
	const item = { id: 'a1', colors: ['белый', 'розовый'] };
	const credential = credentialFor(await startAnswering(() => ({ data: [item] })));
	expect((await read(where(['colors', 'розовый']), { credential })).json).toEqual([item]);
});

describe('items that do not match the filters', () => {
	test('are not returned if the service ignores filters, and the error names the filter', async () => {
		service.dialect.filters = 'ignored';
		const { json, error } = await read(where(['article', '00500']));
		const { message, description } = filterIgnored('article', '00417');
		expect([error?.message, error?.description, json]).toEqual([`${message} [Item 0]`, description, []]);
	});

	test('are not returned if only the second filter is ignored, and the error names that one', async () => {
		service.dialect.filters = 'ignored';
		const { listItems } = service.data;
		for (const [id, { values }] of listItems) if (values.article !== '00417') listItems.delete(id);
		const { error } = await read(where(['article', '00417'], ['title', 'Нет']));
		const [good] = listItems.values();
		expect(error?.description).toBe(filterIgnored('title', good!.values.title).description);
	});

	test('are not replaced by those that match, whatever the limit, and do not stop other items', async () => {
		const { json } = await read(
			{ ...where(['={{ $json.slug }}', '00418']), returnAll: false, limit: 1 },
			{ items: [{ slug: 'artikul' }, { slug: 'article' }], node: { onError: 'continueRegularOutput' } },
		);
		expect(json).toMatchObject([
			{ error: `${noSuchField(filterLabel(1, 'slug'), '', []).message} [Item 0]` },
			{ article: '00418' },
		]);
		// The service filters, so it needs no full pages.
		expect(bodies().map(({ limit }) => limit)).toEqual([1, 1]);
	});
});

test('if the filters match nothing, a notice says so', async () => {
	const result = await read(where(['article', '99999']));
	expect([result.error, result.json]).toEqual([undefined, []]);
	expect(hintsOf(result)).toEqual(['No item of the list matches the filters.']);
	service.data.listItems.clear();
	expect(hintsOf(await read({}))).toEqual(['The list has no items.']);
});

test('filters that the model of an agent leaves empty do not count, unless all are empty', async () => {
	const byModel = ['article', 'title'].map((slug): [string, string] => [slug, `={{ $fromAI('${slug}') }}`]);
	const options = { parameters: getMany(where(...byModel)), credential: credentialFor(service) };
	const call = async (args: IDataObject) => (await callByEngine(options, [args])).json;
	expect(JSON.stringify(await call({ article: '', title: '' }))).toContain(
		noFilter(labelAt('fieldFilters')).message,
	);
	expect(await call({ article: '00419', title: '' })).toMatchObject([{ article: '00419' }]);
	expect(bodies()).toMatchObject([{ filters: { article: '00419' } }]);
});

describe('order and pages', () => {
	test('items come in the order of a field', async () => {
		const byPrice = ['00421', '00418', '00419', '00417', '00420'];
		expect(await articlesOf({ itemOptions: { orderBy: 'price' } })).toEqual(byPrice);
		await read({ itemOptions: { orderBy: 'created_at', orderByDirection: 'desc' } });
		expect(bodies().map((body) => body.order_by)).toEqual(['price,asc', 'created_at,desc']);
	});

	test('an order without a field is refused by name', async () => {
		const { error } = await read({ itemOptions: { orderByDirection: 'desc' } });
		expect(error?.message).toContain(emptyField(labelAt('itemOptions.orderBy')).message);
	});

	test.each(['numbered', 'unnumbered'] as const)('all pages are read if they are %s', async (pages) => {
		service.dialect.pages = pages;
		for (let number = 0; number < 245; number++)
			addListItem(service.data, schemas.goods, { title: `Товар ${number}` });
		const { json } = await read({});
		expect(new Set(json.map((row) => row.id)).size).toBe(250);
		const asked = bodies().map(({ limit, page }) => [limit, page]);
		expect(asked).toEqual([undefined, 2, 3].map((page) => [100, page]));
	});
});

test('long numbers keep all their digits, as texts', async () => {
	const { json } = await readFrom(
		'{"data":[{"id":"a","code":12345678901234567890,"small":1234567890123456,"minus":-98765432109876543210}]}',
	);
	expect(json).toEqual([
		{ id: 'a', code: '12345678901234567890', small: 1234567890123456, minus: '-98765432109876543210' },
	]);
});
