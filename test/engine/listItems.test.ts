import type { IDataObject } from 'n8n-workflow';

import { filterIgnored } from '../../nodes/ChatbotService/client/failure/failure';
import { addListItem, SEEDED } from '../../sandbox/emulator';
import { goodsColumns } from '../operations/fields';
import { answeringRows, startAnswering } from './answering';
import { create, getMany, goodsOf, id, mapped, orderedBy, schema, where } from './goods';
import { hintsOf } from './harness';
import { apart, errorsOf, placesOf, scene } from './scene';

/*
 * List Item, Get Many: filters, order and pages. It finds an item by the value from which Create has stored it: otherwise a workflow that
 * looks for an item and creates it if it is missing would create another one in each run.
 */

const { service, run, asked } = scene(getMany);
const { schemas } = SEEDED;
const { sent, fields } = goodsOf(service);

/** The field and the value come from the item. */
const byItem = where(['={{ $json.slug }}', '={{ $json.value }}']);

const types = () => asked().filter((operation) => operation === 'getListSchema');

type Row = [slug: string, written: unknown, stored: unknown];

const read = (slug: string, stored: unknown, ...written: unknown[]): Row[] =>
	written.map((each) => [slug, each, stored]);

test('an item is found by the value that created it', async () => {
	const rows: Row[] = [
		...read('stock', 1024, '1 024', '1\u00a0024', '1\u202f024', '1024,0', ['1024']),
		...read('stock', 77, "'77", '="77"', '0077'),
		...read('stock', -5, '−5', -5),
		...['12345678901234567890', '-12345678901234567890'].flatMap((each) => read('stock', each, each)),
		...read('price', 1990.5, '1990,5', '1 990,50'),
		...read('active', true, 'да', 'Истина', "'TRUE", 1),
		...read('active', false, 'FALSE', 'нет', false),
		// Texts stay as they are, whatever they look like.
		...['1 024', '1990,5', 'да', '00422', 'TRUE'].flatMap((each) => read('article', each, each)),
		...[1024, true].flatMap((each) => read('article', String(each), each)),
	];
	const items = rows.map(([slug, value], place): IDataObject => {
		const title = `Розы ${place + 10}`;
		return { slug, value: value as string, [slug]: value as string, title };
	});
	const columns = goodsColumns(mapped(...schema.map(({ id: slug }) => slug)));
	const saved = await run({ parameters: create(columns), items });
	expect([errorsOf(saved), hintsOf(saved)]).toEqual([items.map(() => undefined), []]);
	const data = rows.map(([slug, , stored], place) => ({ title: items[place]!.title, [slug]: stored }));
	expect(sent().sort((one, other) => (one.title! < other.title! ? -1 : 1))).toEqual(data);
	const both = where(['title', '={{ $json.title }}'], ['={{ $json.slug }}', '={{ $json.value }}']);
	for (const filters of ['understood', 'inQuery'] as const) {
		service.dialect.filters = filters;
		expect(placesOf(await run({ with: both, items }))).toEqual([...items.keys()]);
	}
});

describe('the types of the fields', () => {
	const stocks = (...values: unknown[]) => ({
		with: byItem,
		items: values.map((value) => ({ slug: 'stock', value })) as never,
	});

	beforeEach(() => {
		for (const number of [0, 1, 2])
			addListItem(service.data, schemas.goods, { title: `Розы ${number}`, stock: 1024 + number });
	});

	test('are requested once, if something is not found', async () => {
		expect(placesOf(await run(stocks(1024, 1025)))).toEqual([0, 1]);
		expect(placesOf(await run({ with: where(['title', ' Розы 1 ']) }))).toEqual([0]);
		expect([(await run()).json.length, types()]).toEqual([8, []]);
		expect(placesOf(await run(stocks('1 024', '1 025', '1 026')))).toEqual([0, 1, 2]);
		expect(types()).toHaveLength(1);
	});

	test.each([404, 500])('are not needed, if they are answered by %i', async (status) => {
		service.faults.add({ kind: 'answer', status, body: { message: '' }, match: { path: 'getListSchema' } });
		const result = await run(stocks('1 024', '1 025', '1024'));
		expect([result.error, placesOf(result)]).toEqual([undefined, [2]]);
		expect(hintsOf(result)).toEqual([expect.stringMatching(/No item .* matches .*\(2 of 3 items\)$/)]);
		if (status !== 500) expect(types()).toHaveLength(1);
	});
});

describe('of items that the service did not filter', () => {
	test('those of each page come out that match', async () => {
		const [first, second] = [['Тверь', 'Казань', undefined, 'казань'], ['КАЗАНЬ']];
		let page = 0;
		const { credential } = await startAnswering(() => ({
			data: [first, second][page++]!.map((city, number) => ({ id: `${page}${number}`, city })),
			meta: { current_page: page, last_page: 2 },
		}));
		const { json } = await run({ with: where(['city', 'Казань']), credential });
		expect(json.map(({ id }) => id)).toEqual(['11', '13', '20']);
	});

	const pairs = (isSame: boolean, found: unknown[], wanted: unknown[]) =>
		found.flatMap((one) => wanted.map((other) => [one, other, isSame] as const));

	const day = '2026-11-25';
	const rows = [
		...[...pairs(true, [1, '1', true], [true, 'да', 1]), ...pairs(false, [0, 2, null, ''], [true, '1'])],
		...[...pairs(true, ['0', false], [false, 'нет', 0]), ...pairs(false, [1, null, ''], [false, 'нет'])],
		...[...pairs(true, [1990.5, '1990.50'], ['1990,5']), ...pairs(true, [-5], ['−5,0'])],
		...pairs(false, ['Набережные Челны'], ['Челны']),
		...pairs(true, [['красный', 'синий']], ['красный', 'синий']),
		// A day of a field that holds a time.
		...pairs(true, [`${day}T10:00:00+03:00`, `${day} 10:00:00`], [day]),
		...pairs(false, ['2026-11-26T00:00:00', `${day}1`], [day]),
		...pairs(false, [`${day}T10:00:00`, day], ['2026-11', `${day}T00:00:00`]),
	];

	test('those are the same that people take for the same', async () => {
		const { credential } = await startAnswering(({ url }) => {
			const place = new URL(url, 'http://service').searchParams.get('filters[id]');
			return { data: place ? [{ id: place, city: rows[Number(place)]![0] }] : [] };
		});
		const items = rows.map(([, wanted], place) => ({ place, wanted })) as never;
		const parameters = where(['id', '={{ $json.place }}'], ['city', '={{ $json.wanted }}']);
		const result = await run({ with: parameters, items, node: apart, credential });
		const same = new Set(placesOf(result));
		expect(rows.map(([found, wanted], place) => [found, wanted, same.has(place)])).toEqual(rows);
		const { message } = filterIgnored('', '');
		expect(errorsOf(result).filter((error) => error && !error.startsWith(message))).toEqual([]);
	});
});

const bodies = () =>
	service.requests.filter(({ method }) => method === 'POST').map(({ body }) => body as IDataObject);

test('filters carry any characters to each page', async () => {
	service.dialect.filters = 'inQuery';
	const wanted = { 'цвет [лепестков]': 'белый & розовый, 50% = «½»', 'ORDER.id': 'А+1 #7?', 7: '_x' };
	for (const slug of Object.keys(wanted)) fields()[slug] = { ...fields().article!, name: slug };
	for (let number = 0; number < 150; number++) addListItem(service.data, schemas.goods, wanted);
	const given = { ...where(...Object.entries(wanted)), ...orderedBy('цвет [лепестков]') };
	expect((await run({ with: given })).json).toHaveLength(150);
	const named = Object.entries(wanted).map(([slug, value]) => [`filters[${slug}]`, value]);
	const query = expect.objectContaining(Object.fromEntries(named)) as object;
	// The first request asks whether the list has fields with such slugs.
	expect(service.requests.slice(1)).toMatchObject([1, 2].map(() => ({ query, body: { filters: wanted } })));
});

test('items are found and sorted by their contact', async () => {
	const byContact = { ...where(['contact_id', '5001']), ...orderedBy('contact_id', 'desc') };
	const rows = [5001, 5002].map((contact) => ({ id: `a${contact}`, contact_id: contact }));
	const credential = await answeringRows(rows);
	expect((await run({ with: byContact, credential })).json).toEqual([rows[0]]);
	const { json } = await run({ with: { ...byContact, schemaId: id(schemas.orders) } });
	expect(json).toMatchObject([{ client: 5001, contact_id: 5001 }]);
	expect(bodies()).toMatchObject([{ filters: { contact_id: '5001' }, order_by: 'contact_id,desc' }]);
});

test.each([
	['article', '00417', '00500', 'Букет «Нежность»'],
	['title', 'Букет «Нежность»', '00417', 'Нет'],
])('nothing comes out if the filter %s is ignored', async (slug, found, article, title) => {
	service.dialect.filters = 'ignored';
	const { listItems } = service.data;
	for (const { values, id } of listItems.values()) if (values.article !== '00417') listItems.delete(id);
	const { json, error } = await run({ with: where(['article', article], ['title', title]) });
	const { message, description } = filterIgnored(slug, found);
	expect([error?.message, error?.description, json]).toEqual([`${message} [Item 0]`, description, []]);
});

/* As people copy it from the documents of the API and from databases. */
test.each<[orderBy: string, direction: string | undefined, sent: string]>([
	['created_at desc', undefined, 'created_at,desc'],
	['created_at, DESC', undefined, 'created_at,desc'],
	[' price ', undefined, 'price,asc'],
	['price', 'desc', 'price,desc'],
	// The direction beside the field is the one that was written last.
	['price asc', 'desc', 'price,asc'],
	['order_desc', undefined, 'order_desc,asc'],
])('the order %j with the direction %j is sent as %s', async (orderBy, direction, sent) => {
	fields().order_desc = { ...fields().price! };
	const { error } = await run({ with: orderedBy(orderBy, direction) });
	expect([error, bodies().map((body) => body.order_by)]).toEqual([undefined, [sent]]);
});
