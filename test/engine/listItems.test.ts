import type { IDataObject } from 'n8n-workflow';

import { filterIgnored } from '../../nodes/ChatbotService/client/failure/failure';
import { addListItem, SEEDED } from '../../sandbox/emulator';
import { startAnswering } from './answering';
import { getMany, goodsOf, id, orderedBy, where } from './goods';
import { credentialFor, hintsOf } from './harness';
import { scene } from './scene';

/* List Item, Get Many: filters in the address, order and pages. Which items a value finds: storedValues.test.ts. */

const { service, run } = scene(getMany);
const { schemas } = SEEDED;
const { fields } = goodsOf(service);

const bodies = () =>
	service.requests.filter(({ method }) => method === 'POST').map(({ body }) => body as IDataObject);

describe('filters in the address', () => {
	const targets = () => service.requests.map(({ query }) => query);

	test('carry any characters, as those in the body do, on each page', async () => {
		service.dialect.filters = 'inQuery';
		const wanted = { 'цвет [лепестков]': 'белый & розовый, 50% = «½»', 'order.id': 'А+1 #7?' };
		for (const slug of Object.keys(wanted)) fields()[slug] = { ...fields().article!, name: slug };
		for (let number = 0; number < 150; number++) addListItem(service.data, schemas.goods, wanted);
		expect((await run({ with: where(...Object.entries(wanted)) })).json).toHaveLength(150);
		const named = Object.entries(wanted).map(([slug, value]) => [`filters[${slug}]`, value]);
		const expected = expect.objectContaining(Object.fromEntries(named)) as object;
		// The first request asks whether the list has fields with such slugs.
		expect(targets().slice(1)).toEqual([expected, expected]);
		expect(bodies()).toMatchObject([{ filters: wanted }, { filters: wanted }]);
	});

	test('are left out if they are too long for it, and the body finds the item', async () => {
		const title = 'Я'.repeat(3000);
		addListItem(service.data, schemas.goods, { title });
		expect((await run({ with: where(['title', title]) })).json).toMatchObject([{ title }]);
		expect(Object.keys(targets()[0]!).join()).not.toContain('filters');
	});
});

test('items are found and sorted by the contact that the service adds', async () => {
	const byContact = { ...where(['contact_id', '5001']), ...orderedBy('contact_id', 'desc') };
	const rows = [5001, 5002].map((contact) => ({ id: `a${contact}`, contact_id: contact }));
	const credential = credentialFor(await startAnswering(() => ({ data: rows })));
	expect((await run({ with: byContact, credential })).json).toEqual([rows[0]]);
	const { json } = await run({ with: { ...byContact, schemaId: id(schemas.orders) } });
	expect(json).toMatchObject([{ client: 5001, contact_id: 5001 }]);
	expect(bodies()).toMatchObject([{ filters: { contact_id: '5001' }, order_by: 'contact_id,desc' }]);
});

test.each<[ignored: string, found: unknown, filters: Array<[string, string]>]>([
	['article', '00417', [['article', '00500']]],
	[
		'title',
		'Букет «Нежность»',
		[
			['article', '00417'],
			['title', 'Нет'],
		],
	],
])('a service that ignores the filter %s returns no item', async (slug, found, filters) => {
	service.dialect.filters = 'ignored';
	const { listItems } = service.data;
	if (filters.length > 1)
		for (const { values, id } of listItems.values()) if (values.article !== '00417') listItems.delete(id);
	const { json, error } = await run({ with: where(...filters) });
	const { message, description } = filterIgnored(slug, found);
	expect([error?.message, error?.description, json]).toEqual([`${message} [Item 0]`, description, []]);
});

test('if nothing is found, a notice says so', async () => {
	const result = await run({ with: where(['article', '99999']) });
	expect([result.error, result.json]).toEqual([undefined, []]);
	expect(hintsOf(result)).toEqual(['No item of the list matches the filters.']);
	service.data.listItems.clear();
	expect(hintsOf(await run())).toEqual(['The list has no items.']);
});

/* As people copy it from the documents of the API and from databases. */
test.each<[orderBy: string, direction: string | undefined, sent: string]>([
	['created_at,desc', undefined, 'created_at,desc'],
	['created_at desc', undefined, 'created_at,desc'],
	['created_at:descending', undefined, 'created_at,desc'],
	['created_at, DESC', undefined, 'created_at,desc'],
	['created_at\tAsc', undefined, 'created_at,asc'],
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

test.each(['numbered', 'unnumbered'] as const)('all pages are read if they are %s', async (pages) => {
	service.dialect.pages = pages;
	for (let number = 0; number < 245; number++)
		addListItem(service.data, schemas.goods, { title: `Товар ${number}` });
	const { json } = await run();
	expect(new Set(json.map((row) => row.id)).size).toBe(250);
	expect(bodies().map(({ limit, page }) => [limit, page])).toEqual(
		[undefined, 2, 3].map((page) => [100, page]),
	);
});
