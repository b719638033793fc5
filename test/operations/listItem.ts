import { SEEDED } from '../../sandbox/emulator';
import { goods, goodsColumns, itemId, upTo } from './fields';
import type { FieldFixture, OperationFixture } from './operation';

/** Items that no other sample needs: a review, an orchid, tulips. */
const [spare, orchid, tulipsId] = [
	'64b7f0c2a1d3e4f5a6000007',
	'64b7f0c2a1d3e4f5a600000c',
	'64b7f0c2a1d3e4f5a600000a',
] as const;

const peonies = { title: 'Пионы белые, 9 шт.', active: true, article: '00500', price: 4150.5, stock: 4 };

const now = expect.any(String) as string;

const columns = (entered: object, sent: object): FieldFixture => ({
	name: 'columns',
	value: goodsColumns({ ...entered }),
	sent,
	wire: 'data',
	// n8n flags the fields in it.
	flagged: false,
});

const create: OperationFixture = {
	endpoint: 'addListItem',
	answer: 'created',
	fields: [goods, columns({ ...peonies, photo: null }, peonies)],
	items: [
		{
			...{ id: expect.stringMatching(/^[0-9a-f]{24}$/) as string, ...peonies, photo: null },
			...{ created_at: now, updated_at: now },
		},
	],
	isDone: ({ listItems }) => [...listItems.values()].some(({ values }) => values.title === peonies.title),
};

const deletion: OperationFixture = {
	endpoint: 'deleteListItem',
	answer: 'deleted',
	// The list only provides its items.
	fields: [{ name: 'schemaId', mode: 'id', value: SEEDED.schemas.reviews }, itemId(spare)],
	isDone: ({ listItems }) => !listItems.has(spare),
};

const sought = { article: '00417', price: '3490' };

const getAll: OperationFixture = {
	endpoint: 'getListItems',
	answer: 'many',
	fields: [
		goods,
		...upTo(50),
		{
			name: 'fieldFilters',
			value: { filter: Object.entries(sought).map(([slug, value]) => ({ slug, value })) },
			sent: sought,
			wire: 'filters',
		},
		{ name: 'itemOptions.orderBy', value: 'price', sent: 'price,desc', wire: 'order_by' },
		{ name: 'itemOptions.orderByDirection', value: 'desc' },
	],
	adds: { limit: 50 },
	repeats: { 'filters[article]': '00417', 'filters[price]': '3490' },
	items: [
		{
			...{ id: SEEDED.listItems.good, title: 'Букет «Нежность»', active: true },
			...{ article: '00417', price: 3490, stock: 7 },
			photo: {
				...{
					type: 'image',
					mime_type: 'image/jpeg',
					name: 'buket-nezhnost.jpg',
					size: 284_613,
					storage: 's3',
				},
				url: 'https://storage.example.com/bots/102/buket-nezhnost.jpg?expires_at=1798761600&s=1&sign=b1946ac9',
				meta: { width: 1200, height: 900, duration: null, codec: null },
			},
			...{ created_at: '2024-05-01T07:00:00+00:00', updated_at: '2024-05-01T07:00:00+00:00' },
		},
	],
};

const update: OperationFixture = {
	endpoint: 'updateListItem',
	answer: 'created',
	idempotent: true,
	fields: [
		{ ...goods, required: true },
		itemId(orchid),
		columns({ stock: '2', active: false }, { active: false, stock: 2 }),
	],
	items: [
		{
			...{ id: orchid, title: 'Орхидея в горшке', active: false, article: '00421', price: 1590, stock: 2 },
			...{ photo: null, created_at: '2024-05-05T07:00:00+00:00', updated_at: now },
		},
	],
	isDone: ({ listItems }) => listItems.get(orchid)!.values.stock === 2,
};

const tulips = { article: '00419', price: 2990.5 };

const upsert: OperationFixture = {
	endpoint: 'getListItems',
	answer: 'created',
	first: 'many',
	idempotent: true,
	fields: [
		goods,
		{ name: 'matchOn', mode: 'slug', value: 'article', required: true },
		{ name: 'columns', value: goodsColumns(tulips), required: true, flagged: false },
	],
	requests: [
		{
			endpoint: 'getListItems',
			query: { 'filters[article]': tulips.article },
			body: { schema_id: goods.value, filters: { article: tulips.article }, limit: 2 },
		},
		{ endpoint: 'updateListItem', body: { schema_id: goods.value, item_id: tulipsId, data: tulips } },
	],
	items: [
		{
			...{ id: tulipsId, title: 'Тюльпаны, 25 шт.', active: true, stock: 0, photo: null, ...tulips },
			...{ created_at: '2024-05-03T07:00:00+00:00', updated_at: now },
		},
	],
	isDone: ({ listItems }) => listItems.get(tulipsId)!.values.price === tulips.price,
};

export const listItem = { create, delete: deletion, getAll, update, upsert };
