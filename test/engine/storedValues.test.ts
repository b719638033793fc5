import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { filterIgnored } from '../../nodes/ChatbotService/client/failure/failure';
import { addListItem, SEEDED } from '../../sandbox/emulator';
import { goodsColumns } from '../operations/fields';
import { startAnswering } from './answering';
import { credentialFor, hintsOf, runNode, useEmulator, type RunOptions } from './harness';

/*
 * List Item, Get Many finds an item by the value from which Create has stored it. Otherwise a workflow that looks for an item and
 * creates it if it is missing would create another one in each run. And what the node does with items that the service did not filter.
 */

const service = useEmulator();
const { goods } = SEEDED.schemas;

const schemaId: INodeParameters = { __rl: true, mode: 'id', value: goods };

const run = async (parameters: INodeParameters, options: Partial<RunOptions> = {}) =>
	await runNode({
		parameters: { resource: 'listItem', schemaId, ...parameters },
		credential: credentialFor(service),
		...options,
	});

const where = (filters: Record<string, unknown>): INodeParameters => ({
	...{ operation: 'getAll', returnAll: true },
	fieldFilters: {
		filter: Object.entries(filters).map(([slug, value]) => ({ slug, value })),
	} as INodeParameters,
});

/** Endpoints in the order of their requests. */
const asked = () => service.requests.map(({ operation }) => operation);

test.each<[slug: string, written: unknown, stored: unknown]>([
	['stock', '1 024', 1024],
	['stock', '1\u00a0024', 1024],
	['stock', '1\u202f024', 1024],
	['stock', '1024,0', 1024],
	['stock', "'77", 77],
	['stock', '="5"', 5],
	['stock', '−5', -5],
	['stock', '007', 7],
	['stock', 0, 0],
	['price', '1990,5', 1990.5],
	['price', '1 990,50', 1990.5],
	['price', '0,10', 0.1],
	['active', 'да', true],
	['active', 'Истина', true],
	['active', "'TRUE", true],
	['active', 1, true],
	['active', 'FALSE', false],
	['active', 'нет', false],
	['active', false, false],
	// Texts stay as they are, whatever they look like.
	['article', '1 024', '1 024'],
	['article', '1990,5', '1990,5'],
	['article', 'да', 'да'],
	['article', '00422', '00422'],
	['article', 'TRUE', 'TRUE'],
	['article', 1024, '1024'],
	['article', true, 'true'],
])('an item is found by the value from which it was created: %s %j', async (slug, written, stored) => {
	const items = [{ value: written } as IDataObject];
	const value = '={{ $json.value }}';
	await run(
		{ operation: 'create', columns: goodsColumns({ title: 'Розы', [slug]: value }) as never },
		{ items },
	);
	expect((service.requests[0]!.body as IDataObject).data).toEqual({ title: 'Розы', [slug]: stored });
	for (const filters of ['understood', 'inQuery'] as const) {
		service.dialect.filters = filters;
		const { json } = await run(where({ title: 'Розы', [slug]: value }), { items });
		expect(json).toMatchObject([{ title: 'Розы', [slug]: stored }]);
	}
});

test.each<[slug: string, written: unknown, found: number]>([
	['stock', '7', 1],
	['stock', 'семь', 0],
	['stock', 8, 0],
	['price', '1 990,5', 1],
	['price', '1990,5', 1],
	['price', 1990.5, 1],
	['active', 'да', 4],
	['active', 'нет', 1],
	['active', true, 4],
	['active', false, 1],
	['active', '={{ !$json.a }}', 4],
	['title', 'Орхидея в горшке', 1],
	['article', '00417', 1],
	['article', '417', 0],
])(
	'a service that reads filters in the address finds the same with as many requests: %s %j',
	async (slug, written, found) => {
		const inBoth: unknown[] = [];
		for (const filters of ['understood', 'inQuery'] as const) {
			service.dialect.filters = filters;
			const before = service.requests.length;
			const { json, error } = await run(where({ [slug]: written }));
			expect([error, json.length]).toEqual([undefined, found]);
			inBoth.push([json, asked().slice(before)]);
		}
		expect(inBoth[1]).toEqual(inBoth[0]);
	},
);

describe('the types of the fields', () => {
	const add = (count: number) =>
		Array.from({ length: count }, (_, number) => {
			addListItem(service.data, goods, { title: `Розы ${number}`, stock: 1024 + number });
			return { stock: `1 0${24 + number}` };
		});
	const byStock = where({ stock: '={{ $json.stock }}' });
	const types = () => asked().filter((operation) => operation === 'getListSchema');

	test('are requested once for all items of a run', async () => {
		const { json } = await run(byStock, { items: add(5) });
		expect(json.map(({ title }) => title)).toEqual([0, 1, 2, 3, 4].map((number) => `Розы ${number}`));
		expect(types()).toHaveLength(1);
	});

	test.each<[string, () => IDataObject[], INodeParameters, found: number]>([
		['something is found at once', () => add(5).map((_, number) => ({ stock: 1024 + number })), byStock, 5],
		['there is no filter', () => [{}], where({}), 5],
	])('are not requested if %s', async (_, items, parameters, found) => {
		const { json, error } = await run(parameters, { items: items() });
		expect([error, json.length, types()]).toEqual([undefined, found, []]);
	});

	test.each([404, 405, 500, 401, 422])(
		'are not needed: a service that answers them with %i still finds the other items',
		async (status) => {
			service.faults.add({ kind: 'answer', status, body: { message: '' }, match: { path: 'getListSchema' } });
			add(1);
			const items = [{ stock: '1 024' }, { stock: '1 025' }, { stock: '1024' }];
			const result = await run(byStock, { items });
			expect([result.error, result.json.map(({ title }) => title)]).toEqual([undefined, ['Розы 0']]);
			expect(hintsOf(result)).toEqual([expect.stringMatching(/No item .* matches .*\(2 of 3 items\)$/)]);
			if (status !== 500) expect(types()).toHaveLength(1);
		},
	);
});

describe('of items that the service did not filter', () => {
	const from = async (cities: unknown[], city: unknown, ...others: unknown[][]) => {
		const pages = [cities, ...others];
		let page = 0;
		const answering = await startAnswering(() => ({
			data: pages[page++ % pages.length]!.map((each, number) => ({ id: `${page}${number}`, city: each })),
			meta: { current_page: page, last_page: pages.length },
		}));
		const credential = credentialFor(answering);
		return await run(where({ city: '={{ $json.city }}' }), { credential, items: [{ city } as IDataObject] });
	};

	test('those of each page come out that match', async () => {
		const { json } = await from(['Тверь', 'Казань', undefined, 'казань'], 'Казань', ['Пермь', 'КАЗАНЬ']);
		expect(json.map(({ id }) => id)).toEqual(['11', '13', '21']);
	});

	test('none comes out if none matches, and the error says why', async () => {
		const { json, error } = await from(['Тверь', 'Пермь'], 'Казань');
		expect([json, error?.message]).toEqual([[], `${filterIgnored('city', 'Тверь').message} [Item 0]`]);
	});

	test.each<[found: unknown, wanted: unknown, isSame: boolean]>([
		...[true, 'true', 'да', 1, '1'].map((wanted): [unknown, unknown, boolean] => [1, wanted, true]),
		...[false, 'FALSE', 'нет', 0].map((wanted): [unknown, unknown, boolean] => ['0', wanted, true]),
		[true, 1, true],
		[false, '0', true],
		[1, false, false],
		[0, true, false],
		[2, true, false],
		[10, true, false],
		[null, false, false],
		[null, 0, false],
		['', 'нет', false],
		[1990.5, '1990,50', true],
		['1990.50', '1990,5', true],
		[-5, '−5,0', true],
		[-5, '5', false],
		[10, '1', false],
		[['красный', 'синий'], 'синий', true],
		['Набережные Челны', 'Челны', false],
		// A day of a field that holds a time.
		['2026-11-25T10:00:00+03:00', '2026-11-25', true],
		['2026-11-25 10:00:00', '2026-11-25', true],
		['2026-11-26T00:00:00', '2026-11-25', false],
		['2026-11-251', '2026-11-25', false],
		['2026-11-25T10:00:00', '2026-11', false],
		['2026-11-25', '2026-11-25T10:00:00', false],
	])('%j is taken for %j: %j', async (found, wanted, isSame) => {
		expect((await from([found], wanted)).json).toHaveLength(isSame ? 1 : 0);
	});
});
