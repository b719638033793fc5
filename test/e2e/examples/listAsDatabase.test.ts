import { filterIgnored } from '../../../nodes/ChatbotService/client/failure';
import { addListItem, SEEDED } from '../../../sandbox/emulator';
import { until, type Execution } from '../../../sandbox/host';
import { wordsOf } from '../../operations/words';
import { doneButNotSaid, openExamples, refusal, rows } from '../support/examples';
import { isRegistered, post, webhookUrl } from '../support/webhook';

const { bench, idOf, requestsOf, run } = openExamples();

const file = 'list-as-database.json';
const { goods } = SEEDED.schemas;
const peonies = { article: '00501', title: 'Пионы белые, 9 шт.', price: 4150.5, stock: 4, active: 'да' };
const address = () => webhookUrl(bench.host.url, 'stock');

/** The goods of the list by article, each as often as the list has it. */
const inList = (article: string) =>
	[...bench.service.data.listItems.values()]
		.filter(({ schemaId, values }) => schemaId === goods && values.article === article)
		.map(({ values }) => values);

const all = () => [...bench.service.data.listItems.values()].filter(({ schemaId }) => schemaId === goods);

const sent = () =>
	bench.service.requests.map(({ operation, input: { filters, data } }) => [operation, filters ?? data]);

const operations = () => sent().map(([operation]) => operation);

/** The rows as the warehouse posts them, and the answer that it gets. */
const deliver = async (given: unknown[]) =>
	(await (await post(address(), { rows: given })).json()) as Array<Record<string, string>>;

const outcomes = (report: Array<Record<string, unknown>>) =>
	report.map(({ article, outcome }) => [article, outcome]);

const reportOf = (execution: Execution) => outcomes(rows(execution, 'Report'));

beforeAll(async () => {
	await bench.api.activateWorkflow(idOf(file));
	await until(async () => await isRegistered(address()));
});

test('each row updates the item with its article, or creates it; another run creates nothing', async () => {
	const before = structuredClone(all().map(({ values }) => values));
	const first = await run(file);
	expect(first.status).toBe('success');
	expect(reportOf(first)).toEqual([
		['00417', 'updated'],
		['00419', 'updated'],
		['00501', 'created'],
		['00501', 'updated'],
		['00999', 'not saved'],
	]);
	// Two requests for each row: one that finds the item, and one that changes only what the row contains.
	expect(sent()).toEqual([
		['getListItems', { article: '00417' }],
		['updateListItem', { stock: 5 }],
		['getListItems', { article: '00419' }],
		['updateListItem', { price: 2990.5, stock: 20 }],
		['getListItems', { article: '00501' }],
		['addListItem', { ...peonies, active: true }],
		['getListItems', { article: '00501' }],
		['updateListItem', { stock: 3 }],
		['getListItems', { article: '00999' }],
	]);
	expect(rows(first, 'Report').at(-1)).toMatchObject({
		reason: expect.stringContaining("'Название (title)'"),
	});
	const [nezhnost, roses, tulips, ...others] = before;
	const after = [
		{ ...nezhnost, stock: 5 },
		roses,
		{ ...tulips, price: 2990.5, stock: 20 },
		...others,
		{ ...peonies, active: true, stock: 3, photo: null },
	];
	expect(all().map(({ values }) => values)).toEqual(after);

	const second = await run(file);
	expect(reportOf(second)).toEqual([
		['00417', 'updated'],
		['00419', 'updated'],
		['00501', 'updated'],
		['00501', 'updated'],
		['00999', 'not saved'],
	]);
	expect(requestsOf('addListItem')).toHaveLength(1);
	expect(all().map(({ values }) => values)).toEqual(after);
});

test('the warehouse reads the outcome of each row that it posts, with the reason if the row was not saved', async () => {
	const report = await deliver([
		peonies,
		{ article: ' 00417 ', price: 'дорого' },
		{ title: 'Без артикула', stock: 1 },
		{ article: '00421', stock: 0 },
		{ article: '00418' },
	]);
	expect(outcomes(report)).toEqual([
		['00501', 'created'],
		['00417', 'not saved'],
		['', 'not saved'],
		['00421', 'updated'],
		['00418', 'not saved'],
	]);
	expect(report[0]).toMatchObject({ reason: '', details: '' });
	expect(report[1]).toMatchObject({ reason: expect.stringContaining("'Цена, ₽ (price)'") });
	expect(report[2]).toMatchObject({ reason: expect.stringContaining("'Filters, filter 1: Value'") });
	expect(inList('00421')).toEqual([expect.objectContaining({ stock: 0, price: 1590 })]);
	// Nothing is requested for a row without an article, and nothing is changed for a row without values.
	expect(operations()).toEqual([
		...['getListItems', 'addListItem'],
		...['getListItems'],
		...['getListItems', 'updateListItem'],
		...['getListItems'],
	]);
	expect(all()).toHaveLength(6);
});

test('an item that cannot be looked up is not created, and the other rows continue', async () => {
	bench.service.faults.add({
		...refusal('getListItems', 'Список занят.'),
		match: { path: 'getListItems', nth: 1 },
	});
	const report = await deliver([peonies, { article: '00417', stock: 1 }]);
	expect(outcomes(report)).toEqual([
		['00501', 'not saved'],
		['00417', 'updated'],
	]);
	expect(report[0]).toMatchObject({ details: expect.stringContaining('Список занят.') });
	expect(inList('00501')).toEqual([]);
	expect(outcomes(await deliver([peonies]))).toEqual([['00501', 'created']]);
});

test('nothing is created or changed when the service ignores the filter', async () => {
	bench.service.dialect.filters = 'ignored';
	const report = await deliver([peonies, { article: '00418', stock: 1 }]);
	expect(outcomes(report)).toEqual([
		['00501', 'not saved'],
		['00418', 'not saved'],
	]);
	expect(report[0]).toMatchObject({
		reason: expect.stringContaining(filterIgnored('article', '').message),
	});
	expect(operations()).toEqual(['getListItems', 'getListItems']);
});

test('no item is changed if the list has several with this article', async () => {
	addListItem(
		bench.service.data,
		goods,
		{ title: 'Двойник', article: '00417', stock: 1 },
		'2024-06-01T10:00:00+03:00',
	);
	const [report] = await deliver([{ article: '00417', stock: 9 }]);
	expect(report).toMatchObject({
		outcome: 'not saved',
		reason: expect.stringContaining('More than one item'),
	});
	expect(inList('00417').map(({ stock }) => stock)).toEqual([7, 1]);
});

test('the next run finds an item whose outcome was unknown, and does not create it again', async () => {
	bench.service.faults.add(doneButNotSaid('addListItem'));
	const [first] = await deliver([peonies]);
	expect(first).toMatchObject({
		outcome: 'not saved',
		details: expect.stringContaining(wordsOf('listItem/create').unknown!),
	});
	expect(outcomes(await deliver([{ ...peonies, stock: 2 }]))).toEqual([['00501', 'updated']]);
	expect(inList('00501')).toEqual([expect.objectContaining({ stock: 2 })]);
});

test('a refused row is reported with the reason, and the others are saved', async () => {
	bench.service.faults.add(refusal('updateListItem', 'Элемент заблокирован.'));
	const report = await deliver([{ article: '00417', stock: 1 }, peonies]);
	expect(outcomes(report)).toEqual([
		['00417', 'not saved'],
		['00501', 'created'],
	]);
	expect(report[0]).toMatchObject({ details: expect.stringContaining('Элемент заблокирован.') });
});
