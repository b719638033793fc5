/** Items of lists in the emulator: pages, filters and order of getListItems, and what the other operations change. */

import { addListItem, SEEDED } from '../../sandbox/emulator';
import type { Page } from '../../sandbox/emulator/pages';
import { clientOf, useEmulator, type Asked, type Invalid, type Question } from './client';
import { itemListerOf, type Item } from './listItems';

const { bots, contacts, schemas, listItems } = SEEDED;

const service = useEmulator();
const ask = clientOf(service);

const list = itemListerOf(service);

const idsOf = ({ json }: Asked<Page<Item>>) => json.data.map(({ id }) => id);
const valuesOf = ({ json }: Asked<Page<Item>>, slug: string) => json.data.map((item) => item[slug]);
const idsIn = (schemaId: string) =>
	[...service.data.listItems.values()].filter((item) => item.schemaId === schemaId).map(({ id }) => id);
const isDeleted = (id: string) => !service.data.listItems.has(id);

type Saved = { data: Item };

const goodsBefore = {
	id: listItems.good,
	title: 'Букет «Нежность»',
	active: true,
	article: '00417',
	price: 3490,
	stock: 7,
	photo: { url: 'https://cdn.example.com/buket-nezhnost.jpg' },
	created_at: '2024-05-01T10:00:00+03:00',
	updated_at: '2024-05-01T10:00:00+03:00',
};

describe('getListItems', () => {
	afterEach(() => service.assertContract());

	test('An item has an ID, all fields of its list at the top level, and its times', async () => {
		expect((await list(schemas.goods)).json.data[0]).toEqual(goodsBefore);
		expect((await list(schemas.orders)).json.data[0]).toEqual({
			id: listItems.order,
			client: contacts.telegram,
			phone: '79161234567',
			amount: 4500,
			paid: true,
			source_bot: bots.school,
			created_at: '2024-01-15T12:10:00+03:00',
			updated_at: '2024-01-15T12:10:00+03:00',
		});
		const [first, , last] = (await list(schemas.reviews)).json.data;
		expect([first!.id, last!.comment]).toEqual([listItems.review, null]);
		for (const id of service.data.listItems.keys()) expect(id).toMatch(/^[0-9a-f]{24}$/);
	});

	test.each([
		[undefined, 50],
		[7, 7],
		[100, 100],
		[1000, 100],
	])('With limit %s, every item is on exactly one page of %d', async (limit, perPage) => {
		for (let index = 0; index < 120; index++) addListItem(service.data, schemas.reviews, { rating: 5 });
		const pages = Math.ceil(123 / perPage);
		const ids: string[] = [];
		for (let page = 1; page <= pages + 1; page++) {
			const answer = await list(schemas.reviews, { limit, page });
			const numbers = { current_page: page, last_page: pages, per_page: perPage, total: 123 };
			expect(answer.json.meta).toMatchObject(numbers);
			ids.push(...idsOf(answer));
		}
		expect(ids).toEqual(idsIn(schemas.reviews));
	});

	test.each<[string, object, number[]]>([
		[schemas.goods, { price: 1990.5 }, [1]],
		[schemas.goods, { price: '1990.50' }, [1]],
		[schemas.goods, { stock: 0 }, [2, 3]],
		[schemas.goods, { stock: 'нет' }, []],
		[schemas.goods, { active: false }, [3]],
		[schemas.goods, { active: '0' }, [3]],
		[schemas.goods, { active: 'true', stock: '0' }, [2]],
		[schemas.goods, { active: 1, article: '00417' }, [0]],
		[schemas.goods, { active: 'да' }, []],
		[schemas.goods, { article: 417 }, []],
		[schemas.goods, { title: 'букет «нежность»' }, []],
		[schemas.goods, { photo: 'https://cdn.example.com/buket-nezhnost.jpg' }, []],
		[schemas.goods, { id: listItems.good }, [0]],
		[schemas.goods, { created_at: '2024-05-03T10:00:00+03:00' }, [2]],
		[schemas.orders, { client: '5002' }, [1]],
		[schemas.orders, { source_bot: bots.flowers, paid: true }, [2]],
		[schemas.orders, { amount: 0 }, []],
		// A field that is stored encrypted, and one that the list does not have.
		[schemas.orders, { phone: '79161234567' }, []],
		[schemas.orders, { city: 'Казань', client: 5001 }, [0]],
	])('In list %s, the filters %j find the items %j', async (schema, filters, found) => {
		const all = idsIn(schema);
		expect(idsOf(await list(schema, { filters }))).toEqual(found.map((index) => all[index]));
	});

	test.each<[string, string, number[]]>([
		[schemas.goods, 'price', [4, 1, 2, 0, 3]],
		[schemas.goods, 'price,asc', [4, 1, 2, 0, 3]],
		[schemas.goods, 'price,desc', [3, 0, 2, 1, 4]],
		[schemas.goods, 'article,desc', [4, 3, 2, 1, 0]],
		[schemas.goods, 'active', [3, 0, 1, 2, 4]],
		[schemas.goods, 'stock, desc', [1, 0, 4, 2, 3]],
		[schemas.goods, 'id,desc', [4, 3, 2, 1, 0]],
		[schemas.goods, 'created_at,desc', [4, 3, 2, 1, 0]],
		[schemas.goods, 'photo,desc', [0, 1, 3, 2, 4]],
		[schemas.orders, 'amount', [3, 2, 0, 1]],
		[schemas.orders, 'amount,desc', [1, 0, 2, 3]],
		[schemas.orders, 'phone,desc', [0, 1, 2, 3]],
		[schemas.orders, 'city,desc', [0, 1, 2, 3]],
	])('List %s, ordered by %s, has the items %j', async (schema, order_by, order) => {
		const all = idsIn(schema);
		expect(idsOf(await list(schema, { order_by }))).toEqual(order.map((index) => all[index]));
	});

	test('Pages follow the order and the filters', async () => {
		const wanted = { filters: { active: true }, order_by: 'price,desc', limit: 3 };
		const [first, second] = [
			await list(schemas.goods, wanted),
			await list(schemas.goods, { ...wanted, page: 2 }),
		];
		expect(valuesOf(first, 'price')).toEqual([3490, 2750, 1990.5]);
		expect(valuesOf(second, 'price')).toEqual([1590]);
		expect(second.json.meta).toMatchObject({ total: 4, last_page: 2 });
		expect(second.json.links.prev).toContain('page=1');
	});
});

describe('Changes', () => {
	afterEach(() => service.assertContract());

	test('A new item has the given values, in the types of their fields, and null elsewhere', async () => {
		const data = { client: '5003', amount: ' 12.50 ', paid: 1, phone: ' 79990001122 ', city: 'Казань' };
		const { json } = await ask<Saved>('addListItem', { body: { schema_id: schemas.orders, data } });
		expect(json.data).toEqual({
			id: expect.stringMatching(/^64b7f0c2a1d3e4f5a6/) as string,
			client: 5003,
			phone: '79990001122',
			amount: 12.5,
			paid: true,
			source_bot: null,
			created_at: json.data.updated_at,
			updated_at: expect.any(String) as string,
		});
		expect((await list(schemas.orders)).json.data[4]).toEqual(json.data);
	});

	test('A picture is an object with its URL', async () => {
		const photo = { url: 'https://cdn.example.com/piony.jpg' };
		const body = { schema_id: schemas.goods, data: { title: 'Пионы', photo } };
		expect((await ask<Saved>('addListItem', { body })).json.data.photo).toEqual(photo);
	});

	test.each([{}, { schema_id: schemas.goods }])(
		'An update with %j changes the values that are sent, and leaves the rest',
		async (more) => {
			const data = { price: '2990', stock: 0, photo: '', color: 'белый' };
			const { json } = await ask<Saved>('updateListItem', {
				body: { item_id: listItems.good, ...more, data },
			});
			const changed = { price: 2990, stock: 0, photo: null };
			expect(json.data).toEqual({ ...goodsBefore, ...changed, updated_at: expect.any(String) as string });
			expect(Date.now() - Date.parse(json.data.updated_at as string)).toBeLessThan(10_000);
			expect((await list(schemas.goods)).json.data[0]).toEqual(json.data);
		},
	);

	test('A deleted item is gone, and the others stay', async () => {
		const { json } = await ask('deleteListItem', { body: { item_id: listItems.review } });
		expect(json).toEqual({ data: [], errors: null, message: '', success: true });
		expect(valuesOf(await list(schemas.reviews), 'rating')).toEqual([4, 2]);
	});

	test('A deleted list takes its items along', async () => {
		await ask('deleteListSchema', { body: { schema_id: schemas.reviews } });
		expect(Object.values(listItems).map(isDeleted)).toEqual([false, true, false]);
	});

	test('A field that is deleted and added again is null in all items', async () => {
		const slug = { schema_id: schemas.reviews, slug: 'comment' };
		await ask('deleteListSchemaField', { body: slug });
		expect((await list(schemas.reviews)).json.data[0]).not.toHaveProperty('comment');
		await ask('addListSchemaField', { body: { schema_id: schemas.reviews, field: { slug: 'comment' } } });
		expect(valuesOf(await list(schemas.reviews), 'comment')).toEqual([null, null, null]);
	});
});

const unknown = '64b7f0c2a1d3e4f5a6ffffff';
const data = { rating: 5 };

test.each<[string, Question['body'], string]>([
	['getListItems', { schema_id: unknown }, 'Список не найден'],
	['addListItem', { schema_id: unknown, data }, 'Список не найден'],
	['updateListItem', { item_id: unknown, data }, 'Элемент не найден'],
	['updateListItem', { item_id: listItems.review, schema_id: schemas.goods, data }, 'Элемент не найден'],
	['deleteListItem', { item_id: unknown }, 'Элемент не найден'],
])('%s with %j names a record that does not exist', async (operation, body, message) => {
	expect(await ask(operation, { body })).toMatchObject({ status: 404, json: { message } });
	expect(service.requests).toMatchObject([{ accepted: false }]);
});

const missing = (name: string) => `Поле ${name} обязательно для заполнения.`;
const notString = (name: string) => `Поле ${name} должно быть строкой.`;
const added = (data: object) => ({ schema_id: schemas.orders, data: { client: 5001, ...data } });

test.each<[string, object, Record<string, string>]>([
	['getListItems', {}, { schema_id: missing('schema id') }],
	[
		'getListItems',
		{ schema_id: schemas.goods, limit: 0, filters: 'a', order_by: 5 },
		{
			filters: 'Поле filters должно быть массивом.',
			limit: 'Значение поля limit должно быть не меньше 1.',
			order_by: notString('order by'),
		},
	],
	['addListItem', {}, { schema_id: missing('schema id'), data: missing('data') }],
	['addListItem', { schema_id: schemas.orders, data: {} }, { data: missing('data') }],
	[
		'addListItem',
		{ schema_id: schemas.orders, data: { paid: true } },
		{ 'data.client': missing('data.client') },
	],
	[
		'addListItem',
		added({ client: 1, phone: 79161234567, amount: 'много', paid: 'да', source_bot: 7 }),
		{
			'data.client': 'Выбранное значение для data.client некорректно.',
			'data.phone': notString('data.phone'),
			'data.amount': 'Поле data.amount должно быть числом.',
			'data.paid': 'Поле data.paid должно иметь значение логического типа.',
			'data.source_bot': 'Выбранное значение для data.source bot некорректно.',
		},
	],
	['addListItem', added({ client: 5001.5 }), { 'data.client': 'Поле data.client должно быть целым числом.' }],
	['addListItem', added({ phone: { number: '79161234567' } }), { 'data.phone': notString('data.phone') }],
	['updateListItem', { data }, { item_id: missing('item id') }],
	[
		'updateListItem',
		{ item_id: listItems.order, data: { client: ' ', amount: '1 000' } },
		{ 'data.client': missing('data.client'), 'data.amount': 'Поле data.amount должно быть числом.' },
	],
	['deleteListItem', {}, { item_id: missing('item id') }],
])('%s refuses %j in the words of the framework', async (operation, body, errors) => {
	const before = JSON.stringify([...service.data.listItems.values()]);
	const { status, json } = await ask<Invalid>(operation, { body });
	const texts = Object.entries(json.errors).map(([name, [text]]) => [name, text]);
	expect([status, texts]).toEqual([422, Object.entries(errors)]);
	expect(JSON.stringify([...service.data.listItems.values()])).toBe(before);
});
