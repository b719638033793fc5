import { addListItem, SEEDED } from '../../../sandbox/emulator';
import { wordsOf } from '../../operations/words';
import { doneButNotSaid, openExample, refusalOf, rows } from '../support/examples';
import { post } from '../support/webhook';

const { address, bench, publish, requestsOf, run } = openExample('list-as-database.json');

const { goods } = SEEDED.schemas;
const peonies = { article: '00501', title: 'Пионы белые, 9 шт.', price: 4150.5, stock: 4, active: 'да' };

const all = () =>
	[...bench.service.data.listItems.values()]
		.filter(({ schemaId }) => schemaId === goods)
		.map(({ values }) => values);

const inList = (article: string) => all().filter((values) => values.article === article);

/** The rows as the warehouse posts them, and the answer that it gets. */
const deliver = async (given: unknown[]) =>
	(await (await post(address(), { rows: given })).json()) as Array<Record<string, string>>;

const outcomes = (report: Array<Record<string, unknown>>) => report.map(({ outcome }) => outcome);

beforeAll(publish);

test('each row updates the item with its article, or creates it; another run creates nothing', async () => {
	const before = structuredClone(all());
	const saved = [...Array<string>(4).fill('saved'), 'not saved'];
	const report = rows(await run(), 'Report');
	expect(outcomes(report)).toEqual(saved);
	expect(report.at(-1)).toMatchObject({ reason: expect.stringContaining("'Название (title)'") });
	const [nezhnost, roses, tulips, ...others] = before;
	const after = [
		{ ...nezhnost, stock: 5 },
		roses,
		{ ...tulips, price: 2990.5, stock: 20 },
		...others,
		{ ...peonies, active: true, stock: 3, photo: null },
	];
	expect(all()).toEqual(after);
	// Only what the row contains is sent.
	const sent = requestsOf('updateListItem').map(({ body }) => (body as { data: { article: string } }).data);
	expect(sent.toSorted((one, other) => one.article.localeCompare(other.article))).toEqual([
		{ article: '00417', stock: 5 },
		{ article: '00419', price: 2990.5, stock: 20 },
		{ article: '00501', stock: 3 },
	]);

	expect(outcomes(rows(await run(), 'Report'))).toEqual(saved);
	expect(requestsOf('addListItem')).toHaveLength(1);
	expect(all()).toEqual(after);
});

test('the warehouse reads the outcome of each row that it posts, with the reason if the row was not saved', async () => {
	const twin = { title: 'Двойник', article: '00420', stock: 1 };
	addListItem(bench.service.data, goods, twin, '2024-06-01T10:00:00+03:00');
	for (const [path, words, article] of [
		['getListItems', 'Список занят.', '00501'],
		['updateListItem', 'Элемент заблокирован.', '00419'],
	] as const)
		bench.service.faults.add(refusalOf(path, words, article));
	const report = await deliver([
		peonies,
		{ article: '00419', stock: 1 },
		{ article: ' 00417 ', price: 'дорого' },
		{ title: 'Без артикула', stock: 1 },
		{ article: '00420', stock: 9 },
		{ article: '00421', stock: 0 },
	]);
	const outcome = 'not saved';
	expect(report).toMatchObject([
		{ outcome, details: expect.stringContaining('Список занят.') },
		{ outcome, details: expect.stringContaining('Элемент заблокирован.') },
		{ outcome, reason: expect.stringContaining("'Цена, ₽ (price)'") },
		{ article: '', outcome, reason: expect.stringContaining("'Артикул (article)'") },
		{ article: '00420', outcome, reason: expect.stringContaining('Several items of the list') },
		{ article: '00421', outcome: 'saved', reason: '', details: '' },
	]);
	// An item that could not be looked up is not created.
	expect(inList('00501')).toEqual([]);
	expect(inList('00420').map(({ stock }) => stock)).not.toContain(9);
	expect(inList('00421')).toEqual([expect.objectContaining({ stock: 0, price: 1590 })]);
});

test('the next run finds an item whose outcome was unknown, and does not create it again', async () => {
	bench.service.faults.add(doneButNotSaid('addListItem'));
	const [first] = await deliver([peonies]);
	expect(first!.outcome).toBe('not saved');
	expect(first!.details).toContain(wordsOf('listItem/upsert').unknown);
	expect(outcomes(await deliver([{ ...peonies, stock: 2 }]))).toEqual(['saved']);
	expect(inList('00501')).toEqual([expect.objectContaining({ stock: 2 })]);
});
