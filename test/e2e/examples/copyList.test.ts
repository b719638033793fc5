import { unknownEndpoint } from '../../../nodes/ChatbotService/client/failure';
import { unknownFields } from '../../../nodes/ChatbotService/resources/listItem/problems';
import { addListItem, addListSchema, SEEDED } from '../../../sandbox/emulator';
import { wordsOf } from '../../operations/words';
import { doneButNotSaid, openExamples, parametersOf, refusal, rows } from '../support/examples';
import { unknownBy } from '../support/words';

const { bench, change, putBack, requestsOf, run } = openExamples();

const file = 'copy-list.json';
const name = 'Товары: филиал';
const { goods, orders, reviews } = SEEDED.schemas;
const at = '2024-06-01T10:00:00+03:00';

const schema = (id: string) => bench.service.data.listSchemas.get(id)!;
const named = () => [...bench.service.data.listSchemas.values()].filter((list) => list.name === name);
const valuesIn = (id: string) =>
	[...bench.service.data.listItems.values()]
		.filter(({ schemaId }) => schemaId === id)
		.map(({ values }) => values);

/** Adds a field to the copy, as a person does in the service. */
const addPhoto = () => void (named()[0]!.fields.photo = schema(goods).fields.photo!);

/** Sets values in 'The copy', and the list to copy. */
async function copying({ list = goods, ...values }: Partial<Record<'list' | 'key' | 'leave_out', string>>) {
	const { assignments, ...rest } = parametersOf(file, 'The copy') as {
		assignments: { assignments: Array<{ name: string; value: string }> };
	};
	const changed = assignments.assignments.map((each) => ({
		...each,
		value: (values as Record<string, string>)[each.name] ?? each.value,
	}));
	const read = parametersOf(file, 'Read the list to copy');
	await change(file, {
		'The copy': { parameters: { ...rest, assignments: { assignments: changed } } },
		'Read the list to copy': { parameters: { ...read, schemaId: { __rl: true, mode: 'id', value: list } } },
	});
}

afterEach(async () => await putBack(file));

test('a list is created with all fields that the API creates, and the run says which ones to add, before it copies items', async () => {
	const { photo, ...others } = schema(goods).fields;
	const first = await run(file);
	expect(first.status).toBe('success');
	const [copy, ...more] = named();
	expect(more).toEqual([]);
	expect(copy).toMatchObject({ fields: others, is_menu: schema(goods).is_menu });
	expect(requestsOf('createListSchema').map(({ body }) => body)).toEqual([
		expect.objectContaining({ name, bot_id: SEEDED.bots.flowers }),
	]);
	expect(rows(first, 'Add these fields')).toEqual([
		{ name, id: copy!.id, fields: `${photo!.name} (photo, image)`, reason: expect.any(String) },
	]);
	expect(requestsOf('addListItem')).toEqual([]);
});

test('after the fields are added, the next run copies all items with their pictures, and another one creates nothing', async () => {
	await run(file);
	addPhoto();
	const originals = valuesIn(goods);
	const second = await run(file);
	const [copy] = named();
	expect(valuesIn(copy!.id)).toEqual(originals.map((values) => ({ photo: null, ...values })));
	expect(rows(second, 'Copied')).toEqual([
		{ name, bot_id: '102', id: copy!.id, fields: Object.keys(schema(goods).fields).join(', '), items: 5 },
	]);
	expect(requestsOf('addListItem')).toHaveLength(5);

	// What a person changes in the copy stays.
	valuesIn(copy!.id)[0]!.price = 3990;
	const third = await run(file);
	expect(rows(third, 'Nothing to do')).toEqual([{ name, reason: expect.stringContaining('has all items') }]);
	expect(requestsOf('addListItem')).toHaveLength(5);
	expect(requestsOf('createListSchema')).toHaveLength(1);
	expect(valuesIn(goods)).toEqual(originals);
});

test('a field that is left out need not be added, and the items are copied without it in the first run', async () => {
	await copying({ leave_out: 'photo, stock' });
	const execution = await run(file);
	const [copy] = named();
	expect(Object.keys(copy!.fields)).toEqual(['title', 'active', 'article', 'price']);
	expect(valuesIn(copy!.id)).toEqual(
		valuesIn(goods).map(({ photo: _photo, stock: _stock, ...values }) => values),
	);
	expect(rows(execution, 'Copied')).toMatchObject([{ fields: 'title, active, article, price', items: 5 }]);
	expect((await run(file)).nodes).toContain('Nothing to do');
});

test('items that were not copied are reported, and the next run copies only these', async () => {
	await copying({ leave_out: 'photo' });
	const { faults } = bench.service;
	faults.add({ ...refusal('addListItem', 'Попробуйте позже.'), match: { path: 'addListItem', nth: 2 } });
	faults.add({ ...doneButNotSaid('addListItem'), match: { path: 'addListItem', nth: 3 } });
	const first = await run(file);
	expect(rows(first, 'Copied')).toMatchObject([{ items: 3 }]);
	expect(rows(first, 'Not copied')).toEqual([
		expect.objectContaining({ name, item: '00418', details: expect.stringContaining('Попробуйте позже.') }),
		expect.objectContaining({
			item: '00420',
			details: expect.stringContaining(wordsOf('listItem/create').unknown!),
		}),
	]);
	faults.clear();
	addListItem(bench.service.data, goods, { title: 'Новинка', article: '00600' }, at);
	expect(rows(await run(file), 'Copied')).toMatchObject([{ items: 2 }]);
	const articles = valuesIn(named()[0]!.id).map(({ article }) => article);
	expect(articles.sort()).toEqual(['00417', '00418', '00419', '00420', '00421', '00600']);
});

test('without a key, items with the same values are copied as often as the list has them', async () => {
	addListItem(bench.service.data, reviews, { rating: 5 }, at);
	addListItem(bench.service.data, reviews, { rating: 5 }, at);
	await copying({ list: reviews, key: '' });
	// As after a refresh of the fields.
	const create = parametersOf(file, 'Copy the items') as { columns: { schema: object[] } };
	const fields = ['rating', 'comment'].map((id) => ({
		...create.columns.schema[0],
		...{ id, displayName: id, required: false, type: 'string' },
	}));
	await change(file, {
		'Copy the items': { parameters: { ...create, columns: { ...create.columns, schema: fields } } },
	});
	bench.service.faults.add({ kind: 'server error', match: { path: 'addListItem', nth: 4 } });
	await run(file);
	await run(file);
	expect((await run(file)).nodes).toContain('Nothing to do');
	const byValues = (id: string) =>
		valuesIn(id)
			.map(({ rating, comment }) => `${rating} ${comment ?? ''}`)
			.sort();
	expect(byValues(named()[0]!.id)).toEqual(byValues(reviews));
});

test('a list with other fields is created, and its items are reported until the fields are refreshed', async () => {
	await copying({ list: orders, key: '' });
	const execution = await run(file);
	expect(Object.keys(named()[0]!.fields)).toEqual(Object.keys(schema(orders).fields));
	expect(rows(execution, 'Not copied')).toEqual(
		valuesIn(orders).map(() =>
			expect.objectContaining({ reason: expect.stringContaining(unknownFields([]).message) }),
		),
	);
	expect(requestsOf('addListItem')).toEqual([]);
});

test('the next run finds a copied list whose outcome was unknown', async () => {
	await copying({ leave_out: 'photo' });
	bench.service.faults.add(doneButNotSaid('createListSchema'));
	expect(rows(await run(file), 'Not copied')).toEqual([
		expect.objectContaining({
			name,
			details: expect.stringContaining(wordsOf('listSchema/create').unknown!),
		}),
	]);
	expect(rows(await run(file), 'Copied')).toMatchObject([{ items: 5 }]);
	expect(named()).toHaveLength(1);
});

test('nothing is created when several lists have the name', async () => {
	for (const is_menu of [true, false]) addListSchema(bench.service.data, { name, is_menu, fields: {} }, at);
	const before = named().length;
	expect(rows(await run(file), 'Not copied')).toEqual([
		expect.objectContaining({ name, reason: expect.stringContaining('Several lists') }),
	]);
	expect(named()).toHaveLength(before);
	expect(requestsOf('addListItem')).toEqual([]);
});

test.each([
	['getListSchema', unknownBy('listSchema/get', 'schemaId')],
	['getListSchemas', unknownEndpoint(404, []).message],
	['getListItems', unknownBy('listItem/getAll', 'schemaId')],
])('copying a list reports the reason when %s is refused, and copies no item', async (path, reason) => {
	await copying({ leave_out: 'photo' });
	const body = { message: 'Список не найден' };
	bench.service.faults.add({ kind: 'answer', status: 404, body, match: { path } });
	const execution = await run(file);
	expect(rows(execution, 'Not copied')).toEqual([
		expect.objectContaining({ reason: expect.stringContaining(reason) }),
	]);
	expect(requestsOf('addListItem')).toEqual([]);
});
