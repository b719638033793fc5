import { unknownFields } from '../../../nodes/ChatbotService/resources/listItem/problems';
import { addListItem, addListSchema, SEEDED } from '../../../sandbox/emulator';
import { wordsOf } from '../../operations/words';
import { doneButNotSaid, openExample, refusal, rows } from '../support/examples';

const { bench, change, fillIn, requestsOf, run } = openExample('copy-list.json');

const name = 'Товары: филиал';
const { goods, reviews } = SEEDED.schemas;

const schema = (id: string) => bench.service.data.listSchemas.get(id)!;
const copies = () => [...bench.service.data.listSchemas.values()].filter((list) => list.name === name);
const valuesIn = (id: string) =>
	[...bench.service.data.listItems.values()]
		.filter(({ schemaId }) => schemaId === id)
		.map(({ values }) => values);

test('a list is created with all fields that the API creates; when the others are added, the next run copies all items, and another one nothing', async () => {
	const { photo, ...others } = schema(goods).fields;
	const originals = structuredClone(valuesIn(goods));
	const first = await run();
	const [copy] = copies();
	expect(copy).toMatchObject({ fields: others, is_menu: schema(goods).is_menu });
	expect(rows(first, 'Add these fields')).toEqual([
		{ name, id: copy!.id, fields: `${photo!.name} (photo, image)`, reason: expect.any(String) },
	]);
	expect(requestsOf('addListItem')).toEqual([]);

	// As a person does in the service.
	copy!.fields.photo = photo!;
	const second = await run();
	expect(valuesIn(copy!.id)).toEqual(originals.map((values) => ({ photo: null, ...values })));
	expect(rows(second, 'Copied')).toMatchObject([{ name, bot_id: '102', id: copy!.id, items: 5 }]);

	// What a person changes in the copy stays.
	valuesIn(copy!.id)[0]!.price = 3990;
	const third = await run();
	expect(rows(third, 'Nothing to do')).toEqual([{ name, reason: expect.stringContaining('has all items') }]);
	expect(requestsOf('addListItem')).toHaveLength(5);
	expect(requestsOf('createListSchema')).toHaveLength(1);
	expect(valuesIn(goods)).toEqual(originals);
});

test('items and a list that were not copied are reported, and the next runs find and copy only what is missing', async () => {
	await fillIn('The copy', { leave_out: 'photo' });
	const { faults } = bench.service;
	faults.add(doneButNotSaid('createListSchema'));
	const details = (title: string) => expect.stringContaining(wordsOf(title).unknown!);
	expect(rows(await run(), 'Not copied')).toMatchObject([{ name, details: details('listSchema/create') }]);

	const refused = refusal('addListItem', undefined, 'Попробуйте позже.');
	faults.add({ ...refused, match: { path: 'addListItem', nth: 2 } });
	faults.add({ ...doneButNotSaid('addListItem'), match: { path: 'addListItem', nth: 3 } });
	const second = await run();
	expect(rows(second, 'Copied')).toMatchObject([{ items: 3 }]);
	expect(rows(second, 'Not copied')).toMatchObject([
		{ item: '00418', details: expect.stringContaining('Попробуйте позже.') },
		{ item: '00420', details: details('listItem/create') },
	]);

	faults.clear();
	expect(rows(await run(), 'Copied')).toMatchObject([{ items: 1 }]);
	expect(copies()).toHaveLength(1);
	const articles = valuesIn(copies()[0]!.id).map(({ article }) => article);
	expect(articles.sort()).toEqual(['00417', '00418', '00419', '00420', '00421']);
});

test('without a key, equal items are copied as often as the list has them, however often it runs', async () => {
	const { data, faults } = bench.service;
	const [item] = valuesIn(goods);
	addListItem(data, goods, { ...item! });
	await fillIn('The copy', { key: '', leave_out: 'photo' });
	faults.add({ ...doneButNotSaid('addListItem'), match: { path: 'addListItem', nth: 2 } });
	await run();
	await run();
	expect((await run()).nodes).toContain('Nothing to do');
	const titlesIn = (id: string) => valuesIn(id).map(({ title }) => title);
	expect(titlesIn(copies()[0]!.id).sort()).toEqual(titlesIn(goods).sort());
});

test('nothing is created when several lists have the name', async () => {
	const { data } = bench.service;
	for (const is_menu of [true, false]) addListSchema(data, { name, is_menu, fields: {} });
	const reason = expect.stringContaining('Several lists');
	expect(rows(await run(), 'Not copied')).toMatchObject([{ name, reason }]);
	expect(copies()).toHaveLength(2);
	expect(requestsOf('addListItem')).toEqual([]);
});

test('items of another list are reported until its fields are refreshed', async () => {
	await change({ 'Read the list to copy': { schemaId: { __rl: true, mode: 'id', value: reviews } } });
	const reason = expect.stringContaining(unknownFields([]).message);
	expect(rows(await run(), 'Not copied')).toMatchObject(valuesIn(reviews).map(() => ({ reason })));
});

test('copying a list reports the reason when the list cannot be read, and creates nothing', async () => {
	bench.service.faults.add(refusal('getListSchema', undefined, 'Список не найден'));
	const details = expect.stringContaining('Список не найден');
	expect(rows(await run(), 'Not copied')).toMatchObject([{ details }]);
	expect(copies()).toEqual([]);
});
