import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { filterIgnored, notFound } from '../../nodes/ChatbotService/client/failure/failure';
import { schemaId } from '../../nodes/ChatbotService/resources/fields';
import { expectedBy } from '../../nodes/ChatbotService/resources/operation';
import { noSuchField, unknownFields } from '../../nodes/ChatbotService/resources/listItem/problems';
import { emptyField } from '../../nodes/ChatbotService/run/values/problems';
import { SEEDED } from '../../sandbox/emulator';
import { labelOf } from '../operations/words';
import { startAnswering } from './answering';
import { goodsOf, id, labelAt, mapped, schema, upsert } from './goods';
import { callInBothWays, credentialFor, hintsOf, runNode, useEmulator, type RunOptions } from './harness';

/* The fields of a list that filters, 'Order By' and 'Match On' name: picked from the list, typed, or by an expression. */

const service = useEmulator();
const { goods } = SEEDED.schemas;

const { save } = goodsOf(service);

const getMany = (parameters: INodeParameters): INodeParameters => ({
	...{ resource: 'listItem', operation: 'getAll', returnAll: true, schemaId: id(goods) },
	...parameters,
});

const read = async (parameters: INodeParameters, options: Partial<RunOptions> = {}) =>
	await runNode({ parameters: getMany(parameters), credential: credentialFor(service), ...options });

const where = (...filters: Array<[slug: unknown, value: string]>): INodeParameters =>
	({ fieldFilters: { filter: filters.map(([slug, value]) => ({ slug, value })) } }) as INodeParameters;

const orderedBy = (orderBy: unknown) => ({ itemOptions: { orderBy } }) as INodeParameters;

const asked = () => service.requests.map(({ operation }) => operation);

const labelIn = (path: string) => labelOf('listItem/getAll', path);
const filterLabel = (number: number) =>
	`${labelIn('fieldFilters')}, filter ${number}: ${labelIn('fieldFilters.slug')}`;
const orderLabel = labelIn('itemOptions.orderBy');
const matchLabel = labelOf('listItem/upsert', 'matchOn');

const names = [
	['title', 'Название'],
	['active', 'Активно'],
	['article', 'Артикул'],
	['price', 'Цена, ₽'],
	['stock', 'Остаток'],
	['photo', 'Фото'],
] as Array<[string, string]>;

const refused = (label: string, slug: string, fields = names) => {
	const { message, advice } = noSuchField(label, slug, fields);
	return { message: `${message} [Item 0]`, description: advice };
};

describe.each<[string, (slug: string) => unknown]>([
	['as a text, as earlier versions stored it', (slug) => slug],
	['picked from the list', (slug) => ({ __rl: true, mode: 'list', value: slug, cachedResultName: 'Поле' })],
	['typed', (slug) => ({ __rl: true, mode: 'slug', value: slug })],
	['by a program, without a mode', (slug) => ({ __rl: true, mode: '', value: slug })],
	['by a path', (slug) => ({ __rl: true, mode: 'slug', value: `={{ $json.${slug} }}` })],
	['by a path, as a text', (slug) => `={{ $json.${slug} }}`],
	['by code', (slug) => ({ __rl: true, mode: 'slug', value: `={{ '${slug}'.trim() }}` })],
	['by code that returns what the editor stores', (slug) => `={{ { mode: 'slug', value: '${slug}' } }}`],
])('a field %s', (_, written) => {
	const parameters = {
		...where([written('active'), 'да'], [written('article'), '00418']),
		...orderedBy(written('price')),
	};
	const item = { active: 'active', article: 'article', price: 'price' };

	test('finds and sorts items, in each way in which n8n calls the node', async () => {
		const found = [(await read(parameters, { items: [item] })).json];
		// A tool has no items.
		if (!JSON.stringify(parameters).includes('$json'))
			found.push(
				...((await callInBothWays(
					{ parameters: getMany(parameters), credential: credentialFor(service) },
					{},
				)) as IDataObject[][]),
			);
		expect(found).toMatchObject(found.map(() => [{ article: '00418' }]));
		for (const { body } of service.requests.filter(({ operation }) => operation === 'getListItems'))
			expect(body).toMatchObject({ order_by: 'price,asc', filters: { article: '00418' } });
	});
});

test('a field that a model fills in is read from where the editor stores it', async () => {
	const slug = { __rl: true, mode: 'slug', value: "={{ $fromAI('field') }}" };
	const parameters = getMany(where([slug, '00418']));
	const call = async (field: string) =>
		await callInBothWays({ parameters, credential: credentialFor(service) }, { field });
	for (const rows of await call('article')) expect(rows).toMatchObject([{ article: '00418' }]);
	for (const answer of await call('Артикул')) expect(JSON.stringify(answer)).toContain('article (Артикул)');
});

describe('a field that the list does not have', () => {
	test.each<[string, INodeParameters, { message: string; description: string }, requests: string[]]>([
		['label in a filter', where(['Артикул', '1']), refused(filterLabel(1), 'Артикул'), ['getListSchema']],
		[
			'label in the second filter',
			where(['title', 'Розы'], ['Цена, ₽', '1']),
			refused(filterLabel(2), 'Цена, ₽'),
			['getListSchema'],
		],
		['label to sort by', orderedBy('Остаток'), refused(orderLabel, 'Остаток'), ['getListSchema']],
		[
			'slug in a filter',
			where(['artikul', '1']),
			refused(filterLabel(1), 'artikul'),
			['getListItems', 'getListSchema'],
		],
		[
			'slug beside one that finds nothing',
			where(['title', 'Нет'], ['artikul', '1']),
			refused(filterLabel(2), 'artikul'),
			['getListItems', 'getListSchema'],
		],
		['slug to sort by', orderedBy('prise'), refused(orderLabel, 'prise'), ['getListItems', 'getListSchema']],
	])(
		'is refused with the fields of the list, and no item comes out: a %s',
		async (_, parameters, ...rest) => {
			const [{ message, description }, requests] = rest;
			for (const filters of ['understood', 'inQuery', 'ignored'] as const) {
				service.reset();
				service.dialect.filters = filters;
				const { json, error } = await read(parameters);
				expect([error?.message, error?.description, json]).toEqual([message, description, []]);
				expect(asked()).toEqual(requests);
			}
		},
	);

	test('is refused with the slug that is meant, and with at most 20 fields', () => {
		expect(noSuchField('Order By', 'Артикул', names).advice).toBe(
			'The list has no field "Артикул". Enter "article". Its fields: title (Название), active (Активно), article (Артикул), price (Цена, ₽), stock (Остаток), photo (Фото).',
		);
		const many = Array.from({ length: 100 }, (_, n): [string, string] => [`f${n}`, `Поле ${n}`]);
		const { advice } = noSuchField('Order By', 'поле 99', many);
		expect(advice).toMatch(/^The list has no field "поле 99"\. Enter "f99"\. .* f19 \(Поле 19\), 80 more\.$/);
		expect(noSuchField('Order By', 'x', []).advice).toContain('Its fields: none.');
		expect(noSuchField('Order By', 'x', [['city', 'city']]).advice).toContain('Its fields: city.');
	});

	test('is looked for once in a run, and other items come out', async () => {
		const items = ['artikul', 'Артикул', 'article', 'artikul'].map((slug) => ({ slug }));
		const { json } = await read(where(['={{ $json.slug }}', '00418']), {
			...{ items, node: { onError: 'continueRegularOutput' } },
		});
		expect(json).toMatchObject([
			...['artikul', 'Артикул'].map(() => ({ error: expect.stringContaining('names no field') as string })),
			{ article: '00418' },
			{ error: expect.stringContaining('names no field') as string },
		]);
		expect(asked().filter((operation) => operation === 'getListSchema')).toHaveLength(1);
	});

	test.each<[string, unknown, string]>([
		['no fields', [], 'none'],
		['none at all', null, 'none'],
		['fields as an array', [{ slug: 'city', name: 'Город' }, { name: 'Вес' }], 'city (Город), 1 (Вес)'],
		['two of one name', { a: { name: 'Город' }, b: { name: 'Город' } }, 'a (Город), b (Город)'],
		['one of null', { phone: null }, 'phone'],
	])('is refused if the list has %s', async (_, fields, inWords) => {
		const answering = await startAnswering(({ url }) =>
			url.includes('getListSchema') ? { data: { id: goods, name: 'Отзывы', fields } } : { data: [] },
		);
		const { error } = await read(where(['Улица', '1']), { credential: credentialFor(answering) });
		expect(error?.description).toBe(`The list has no field "Улица". Its fields: ${inWords}.`);
	});
});

describe('nothing is refused', () => {
	test.each<[string, INodeParameters, number]>([
		['if the list has the fields', { ...where(['article', '00418']), ...orderedBy('price') }, 1],
		['for what the service adds to each item', orderedBy('updated_at'), 5],
		['if an item is found by its ID', where(['id', SEEDED.listItems.good]), 1],
		['if no item is found by its ID', where(['id', 'нет']), 0],
	])('and nothing more requested %s', async (_, parameters, found) => {
		const { json, error } = await read(parameters);
		expect([error, json.length, asked()]).toEqual([undefined, found, ['getListItems']]);
	});

	test('for what the service adds, beside a filter that finds nothing', async () => {
		const { json, error } = await read(where(['id', SEEDED.listItems.good], ['article', 'нет']));
		expect([error, json, asked()]).toEqual([undefined, [], ['getListItems', 'getListSchema']]);
	});

	test('if the list schema does not say which fields there are', async () => {
		const answering = await startAnswering(({ url }) => ({
			data: url.includes('getListSchema') ? { id: goods, name: 'Отзывы' } : [],
		}));
		const { error } = await read(where(['Улица', '1']), { credential: credentialFor(answering) });
		expect([error, answering.targets.length]).toEqual([undefined, 2]);
	});

	test('if the list is empty and there is no filter', async () => {
		service.data.listItems.clear();
		const result = await read(orderedBy('prise'));
		expect([hintsOf(result), asked()]).toEqual([['The list has no items.'], ['getListItems']]);
	});
});

test.each(['Цвет лепестков', 'order.id', 'ORDER-ID', '_x', '7'])(
	'a field is found by an unusual slug that the list has: %s',
	async (slug) => {
		const { fields } = service.data.listSchemas.get(goods)!;
		fields[slug] = { ...fields.article!, name: 'Поле' };
		service.data.listItems.get(SEEDED.listItems.good)!.values[slug] = 'белый';
		const { json, error } = await read({ ...where([slug, 'белый']), ...orderedBy(slug) });
		expect([error, json.map((row) => row.id)]).toEqual([undefined, [SEEDED.listItems.good]]);
	},
);

describe('if the list schema cannot be read,', () => {
	const without = { kind: 'answer', status: 404, body: { message: '' } } as const;
	beforeEach(() => void service.faults.add({ ...without, match: { path: 'getListSchema' } }));

	test('filters are refused by what comes, and an order by nothing', async () => {
		service.dialect.filters = 'ignored';
		const { error } = await read(where(['Артикул', '1']));
		expect(error?.message).toBe(`${filterIgnored('', '').message} [Item 0]`);
		expect((await read(orderedBy('Цена'))).json).toHaveLength(5);
	});

	test('a list that does not exist is named', async () => {
		const { error } = await read({ schemaId: id('нет'), ...where(['Артикул', '1']) });
		expect(error?.message).toBe(`${notFound(404, expectedBy(schemaId)).message} [Item 0]`);
	});
});

describe('Match On', () => {
	const automatic = (slug: string): INodeParameters => ({
		...upsert({}, slug),
		columns: { mappingMode: 'autoMapInputData', value: null, schema } as unknown as INodeParameters,
	});

	test.each<[string, INodeParameters, IDataObject]>([
		['by a label', upsert(mapped('title'), 'Артикул'), { title: 'Лилии' }],
		['by a slug that the list lacks', upsert(mapped('title'), 'artikul'), { title: 'Лилии' }],
		['by a slug, mapped automatically', automatic('artikul'), { title: 'Лилии' }],
	])(
		'%s is refused before anything is sent, if the workflow knows the fields',
		async (_, parameters, item) => {
			const { error } = await save(parameters, [item]);
			const slug = (parameters.matchOn as INodeParameters).value as string;
			expect([error?.message, error?.description]).toEqual(Object.values(refused(matchLabel, slug)));
			expect(asked()).toEqual([]);
		},
	);

	test('by the label of a column that is mapped automatically is refused with what to rename', async () => {
		const { error } = await save(automatic('Артикул'), [{ title: 'Лилии', Артикул: 'Л-1' }]);
		expect(error?.message).toContain(refused(matchLabel, '').message.replace(' [Item 0]', ''));
		expect(error?.description).toContain(unknownFields([['Артикул', 'article']]).advice);
	});

	test.each([
		['Артикул', ['getListSchema']],
		['artikul', ['getListSchema']],
	])('%s is refused before anything is changed, if the workflow does not know the fields', async (...row) => {
		const [slug, requests] = row;
		const { error } = await save(upsert({ [slug]: 'Л-1', title: 'Лилии' }, slug, []));
		expect([error?.message, error?.description]).toEqual(Object.values(refused(matchLabel, slug)));
		expect(asked()).toEqual(requests);
	});

	test('names a field that is gone since the workflow has learned the fields', async () => {
		delete service.data.listSchemas.get(goods)!.fields.article;
		const { error } = await save(upsert({ article: 'Л-1', title: 'Лилии' }));
		expect(error?.message).toBe(refused(matchLabel, '').message);
		expect(asked()).toEqual(['getListItems', 'getListSchema']);
	});

	test.each<[string, unknown[], label: string]>([
		['the list has it', schema, labelAt('article')],
		['the workflow does not know the fields', [], 'article'],
	])('names a field that is mapped to nothing, if %s', async (_, known, label) => {
		const { error } = await save(upsert(mapped('title'), 'article', known), [{ title: 'Лилии' }]);
		expect(error?.message).toBe(`${emptyField(label).message} [Item 0]`);
	});
});
