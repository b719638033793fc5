import { addListItem, addListSchema, SEEDED } from '../../../sandbox/emulator';
import { wordsOf } from '../../operations/words';
import {
	containing,
	doneButNotSaid,
	exampleIn,
	exampleOf,
	openExamples,
	refusal,
	rows,
	serviceIn,
} from '../support/examples';
import { post } from '../support/mailing';

/* The examples with lists: a warehouse and a sheet write into one, and another one is copied. */

const bench = openExamples();
const { requestsOf } = serviceIn(bench);
const database = exampleIn(bench, 'list-as-database.json');
const sheet = exampleIn(bench, 'sync-sheet-into-list.json');
const copy = exampleIn(bench, 'copy-list.json');

const { goods } = SEEDED.schemas;
const valuesIn = (schemaId: string = goods): Array<Record<string, unknown>> =>
	[...bench.service.data.listItems.values()]
		.filter((item) => item.schemaId === schemaId)
		.map(({ values }) => values);
const column = (table: Array<Record<string, unknown>>, name: string) => table.map((row) => row[name]);

/** Nobody can look up the item with this article. */
const refuse = (article: string) =>
	bench.service.faults.add({
		...refusal('getListItems', undefined, 'Список занят.'),
		match: { path: 'getListItems', where: ({ body }) => JSON.stringify(body).includes(`"${article}"`) },
	});

test('rows of a warehouse are saved by their article', async () => {
	const [nezhnost, roses, tulips, ...others] = structuredClone(valuesIn());
	const saved = [...Array<string>(4).fill('saved'), 'not saved'];
	const report = rows(await database.run(), 'Report');
	expect(column(report, 'outcome')).toEqual(saved);
	expect(report.at(-1)).toMatchObject({ reason: containing("'Название (title)'") });
	const peonies = { article: '00501', title: 'Пионы белые, 9 шт.', price: 4150.5, active: true };
	const after = [
		{ ...nezhnost, stock: 5 },
		roses,
		{ ...tulips, price: 2990.5, stock: 20 },
		...others,
		{ ...peonies, stock: 3, photo: null },
	];
	expect(valuesIn()).toEqual(after);
	// Only what the row contains is sent.
	const sent = requestsOf('updateListItem').map(({ body }) => (body as { data: object }).data);
	expect(sent).toContainEqual({ article: '00417', stock: 5 });
	expect(sent).toHaveLength(3);

	expect(column(rows(await database.run(), 'Report'), 'outcome')).toEqual(saved);
	expect(valuesIn()).toEqual(after);
});

test('a warehouse reads the outcome of each row', async () => {
	await database.publish();
	refuse('00501');
	const given = [
		{ article: '00501', title: 'Пионы белые', price: 4150.5 },
		{ article: ' 00417 ', price: 'дорого' },
		{ title: 'Без артикула', stock: 1 },
		{ article: '00421', stock: 0 },
	];
	const outcome = 'not saved';
	expect(await (await post(database.address(), { rows: given })).json()).toMatchObject([
		{ outcome, details: containing('Список занят.') },
		{ outcome, reason: containing("'Цена, ₽ (price)'") },
		{ article: '', outcome, reason: containing("'Артикул (article)'") },
		{ article: '00421', outcome: 'saved', reason: '', details: '' },
	]);
	// An item that could not be looked up is not created.
	expect(column(valuesIn(), 'article')).not.toContain('00501');
	expect(valuesIn()).toContainEqual(expect.objectContaining({ article: '00421', stock: 0, price: 1590 }));
});

test('rows of a sheet are saved by their article', async () => {
	const [nezhnost, roses, tulips, ...others] = structuredClone(valuesIn());
	refuse('00417');
	const empty = { article: '', title: 'Открытка', reason: containing("'Артикул (article)'") };
	const busy = { article: '00417', details: containing('Список занят.') };
	expect(rows(await sheet.run(), 'Not saved')).toMatchObject([busy, empty]);
	bench.service.faults.clear();
	expect(rows(await sheet.run(), 'Not saved')).toMatchObject([empty]);
	expect(valuesIn()).toEqual([
		{ ...nezhnost, price: 3690 },
		roses,
		{ ...tulips, active: false },
		...others,
		expect.objectContaining({ article: '00502', title: 'Гортензия в кашпо', price: 2490, active: true }),
	]);
});

const name = 'Товары: филиал';
const schemaOf = (id: string) => bench.service.data.listSchemas.get(id)!;
const copies = () => [...bench.service.data.listSchemas.values()].filter((list) => list.name === name);

/** Changes what the example is to copy. */
async function fillIn(values: Record<string, string>): Promise<void> {
	const { parameters } = exampleOf('copy-list.json').nodes.find((node) => node.name === 'The copy')!;
	const { assignments } = parameters.assignments as { assignments: Array<Record<'name' | 'value', string>> };
	const filledIn = assignments.map((each) => ({ ...each, value: values[each.name] ?? each.value }));
	await copy.change({ 'The copy': { assignments: { assignments: filledIn } } });
}

test('a list is copied once its fields are there', async () => {
	const { photo, ...others } = schemaOf(goods).fields;
	const originals = structuredClone(valuesIn());
	const first = await copy.run();
	const [made] = copies();
	expect(made).toMatchObject({ fields: others, is_menu: schemaOf(goods).is_menu });
	const fields = `${photo!.name} (photo, image)`;
	expect(rows(first, 'Add these fields')).toMatchObject([{ name, id: made!.id, fields }]);
	expect(requestsOf('addListItem')).toEqual([]);

	// As a person does in the service.
	made!.fields.photo = photo!;
	const second = await copy.run();
	expect(valuesIn(made!.id)).toEqual(originals.map((values) => ({ photo: null, ...values })));
	expect(rows(second, 'Copied')).toMatchObject([{ name, bot_id: '102', id: made!.id, items: 5 }]);
	expect(rows(await copy.run(), 'Nothing to do')).toMatchObject([{ name }]);
	expect([copies().length, requestsOf('addListItem').length]).toEqual([1, 5]);
	expect(valuesIn()).toEqual(originals);
});

test('the next run copies only what is missing', async () => {
	await fillIn({ leave_out: 'photo' });
	const { faults } = bench.service;
	faults.add(doneButNotSaid('createListSchema'));
	const details = (title: string) => containing(wordsOf(title).unknown!);
	const created = { name, details: details('listSchema/create') };
	expect(rows(await copy.run(), 'Not copied')).toMatchObject([created]);

	const later = refusal('addListItem', undefined, 'Попробуйте позже.');
	faults.add({ ...later, match: { path: 'addListItem', nth: 2 } });
	faults.add({ ...doneButNotSaid('addListItem'), match: { path: 'addListItem', nth: 3 } });
	const second = await copy.run();
	expect(rows(second, 'Copied')).toMatchObject([{ items: 3 }]);
	expect(rows(second, 'Not copied')).toMatchObject([
		{ item: '00418', details: containing('Попробуйте позже.') },
		{ item: '00420', details: details('listItem/create') },
	]);

	faults.clear();
	expect(rows(await copy.run(), 'Copied')).toMatchObject([{ items: 1 }]);
	expect(copies()).toHaveLength(1);
	const articles = column(valuesIn(copies()[0]!.id), 'article');
	expect(articles.sort()).toEqual(['00417', '00418', '00419', '00420', '00421']);

	addListSchema(bench.service.data, { name, is_menu: false, fields: {} });
	expect(rows(await copy.run(), 'Not copied')).toMatchObject([{ reason: containing('Several lists') }]);
});

test('without a key, equal items are copied as often', async () => {
	addListItem(bench.service.data, goods, { ...valuesIn()[0]! });
	await fillIn({ key: '', leave_out: 'photo' });
	bench.service.faults.add({ ...doneButNotSaid('addListItem'), match: { path: 'addListItem', nth: 2 } });
	await copy.run();
	await copy.run();
	expect((await copy.run()).nodes).toContain('Nothing to do');
	const titlesIn = (id: string) => column(valuesIn(id), 'title').sort();
	expect(titlesIn(copies()[0]!.id)).toEqual(titlesIn(goods));
});
