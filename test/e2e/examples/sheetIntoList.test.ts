import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { SEEDED } from '../../../sandbox/emulator';
import { examplesFolder, withCredential } from '../../../sandbox/start/examples';
import { doneButNotSaid, exampleOf, openExample, refusalOf, rows } from '../support/examples';

const file = 'sync-sheet-into-list.json';
const { bench, importAgain, requestsOf, run } = openExample(file);

const { goods } = SEEDED.schemas;
const sheet = readFileSync(join(examplesFolder, 'goods.csv'), 'utf8');

const items = () => [...bench.service.data.listItems.values()].filter(({ schemaId }) => schemaId === goods);
const values = () => items().map((item) => item.values);
const withIds = () => items().map(({ id, values: saved }): Record<string, unknown> => ({ id, ...saved }));
const inList = (article: string) => values().find((each) => each.article === article);

/** Runs the example with the text of another sheet. */
async function runWith(text: string) {
	const workflow = exampleOf(file);
	const binary = { data: { data: Buffer.from(text).toString('base64'), mimeType: 'text/csv' } };
	const jsCode = `return [{ json: {}, binary: ${JSON.stringify(binary)} }];`;
	const reading = { type: 'n8n-nodes-base.code', typeVersion: 2, parameters: { jsCode } };
	const nodes = workflow.nodes.map((node) =>
		node.name === 'Read the file' ? { ...node, ...reading } : node,
	);
	const id = bench.examples.get(file)!;
	await bench.api.updateWorkflow(id, withCredential({ ...workflow, nodes }, bench.credential));
	return await run();
}

afterEach(async () => await importAgain());

test('each row updates the item with its article, or creates it; another run changes nothing', async () => {
	const [nezhnost, roses, tulips, ...others] = structuredClone(values());
	const first = await run();
	const reason = expect.stringContaining("'Артикул (article)'");
	expect(rows(first, 'Not saved')).toMatchObject([{ article: '', title: 'Открытка', reason }]);
	const after = [
		{ ...nezhnost, price: 3690 },
		roses,
		{ ...tulips, active: false },
		...others,
		expect.objectContaining({ article: '00502', title: 'Гортензия в кашпо', price: 2490, active: true }),
	];
	expect(values()).toEqual(after);

	const saved = withIds();
	expect((await run()).status).toBe('success');
	expect(withIds()).toEqual(saved);
	expect(requestsOf('addListItem')).toHaveLength(1);
});

test('a row that is changed between two runs changes its item alone, and an empty cell changes nothing', async () => {
	await run();
	const saved = withIds();
	// As Excel writes it: with a mark at the beginning, Windows line ends, and thousands that no line break divides.
	const changed = `\uFEFF${sheet}`
		.replace('00418;Розы красные, 15 шт.;1 990,5;да', '00418;;12\u00a0490,75;Нет')
		.replaceAll('\n', '\r\n');
	for (let time = 0; time < 2; time++) {
		await runWith(changed);
		const roses = { article: '00418', price: 12490.75, active: false };
		expect(withIds()).toEqual(saved.map((each) => (each.article === '00418' ? { ...each, ...roses } : each)));
	}
});

test('rows that are not saved are reported with the reason, and the others continue', async () => {
	bench.service.faults.add(refusalOf('getListItems', 'Список занят.', '00417'));
	const before = inList('00417');
	const execution = await runWith(sheet.replace('1 990,5', 'по запросу').replace('Гортензия в кашпо', ''));
	expect(rows(execution, 'Not saved')).toMatchObject([
		{ article: '00417', details: expect.stringContaining('Список занят.') },
		{ article: '00418', reason: expect.stringContaining("'Цена, ₽ (price)'") },
		{ article: '00502', reason: expect.stringContaining("'Название (title)'") },
		{ article: '', reason: expect.stringContaining("'Артикул (article)'") },
	]);
	expect([inList('00417'), inList('00502')]).toEqual([before, undefined]);
	expect(inList('00419')).toMatchObject({ active: false });
});

test('an item whose creation got no answer is found by the next run, and not created again', async () => {
	bench.service.faults.add(doneButNotSaid('addListItem'));
	expect(rows(await run(), 'Not saved')).toMatchObject([{ article: '00502' }, { article: '' }]);
	const saved = withIds();
	bench.service.faults.clear();
	await run();
	expect(withIds()).toEqual(saved);
});
