import type { Problem } from '../../nodes/ChatbotService/client/failure';
import * as kinds from '../../nodes/ChatbotService/resources/kinds';
import type { Editor, NodeDetails } from './editor';
import { fan, type HostApi, type OurNode, type StoredCredential } from '../../sandbox/host';
import { startModel, type Script } from './support/model';
import { SEEDED, type Emulator } from '../../sandbox/emulator';
import { agentWorkflow, checkAndReset, modelCredential } from './support/agent';
import { complaintsOf, openEditorBench, pictureOfTest } from './support/editor';
import { duringTests } from './support/duringTests';
import { eventually } from './support/eventually';

/* Items of lists in n8n's editor: the fields of a list are those that the service has at that moment. */

const goods = 'Товары: Москва';
const labels = [
	'Название (title)',
	'Активно (active)',
	'Артикул (article)',
	'Цена, ₽ (price)',
	'Остаток (stock)',
	'Фото (photo)',
];

const model = duringTests(startModel);
const bench = duringTests(async () => await openEditorBench('listItems'));
let api: HostApi;
let credential: StoredCredential;
let editor: Editor;
let service: Emulator;

beforeAll(() => void ({ api, credential, editor, service } = bench));
afterEach(async () => {
	await pictureOfTest(editor);
	await editor.details.close();
	checkAndReset(bench, model);
});

const itemsOf = (schemaId: string) =>
	[...service.data.listItems.values()].filter((item) => item.schemaId === schemaId);

const sent = (operation: string) =>
	service.requests.filter((request) => request.operation === operation).map(({ body }) => body);

/** Opens a node of this operation in a new workflow. */
async function openOperation(operation: string): Promise<NodeDetails> {
	const node: OurNode = { name: operation, parameters: { resource: 'listItem', operation } };
	const { id } = await api.createWorkflow(fan(operation, [node], credential));
	await editor.openWorkflow(id);
	return await editor.openNode(operation);
}

async function pick(details: NodeDetails, parameter: string, entry: string): Promise<void> {
	const list = details.list(parameter);
	await list.open();
	await list.untilLoaded();
	await list.search(entry);
	await eventually(async () => expect(await list.entries()).toContain(entry));
	await list.pick(entry);
}

test('a person creates an item: the fields of the selected list appear, and what is filled in is sent', async () => {
	const details = await openOperation('create');
	await pick(details, 'schemaId', goods);
	await eventually(async () => expect(await details.mapper.fields()).toEqual(labels));
	await details.fill('title', 'Пионы белые, 9 шт.');
	await details.execute();
	await eventually(async () =>
		expect(await details.output.items()).toMatchObject([{ title: 'Пионы белые, 9 шт.' }]),
	);
	// A switch is never empty.
	expect(sent('addListItem')).toMatchObject([{ data: { title: 'Пионы белые, 9 шт.', active: false } }]);
	expect(itemsOf(SEEDED.schemas.goods)).toHaveLength(6);
});

test('an update begins without fields, and changes only those that the person adds', async () => {
	const before = structuredClone(service.data.listItems.get(SEEDED.listItems.good)!.values);
	const details = await openOperation('update');
	await pick(details, 'schemaId', goods);
	await pick(details, 'itemId', 'Букет «Нежность»');
	await details.mapper.add('Остаток (stock)');
	await details.fill('stock', '9');
	// The fields that were not added are not there.
	expect(await details.mapper.fields()).toEqual(['Остаток (stock)']);
	await details.execute();
	await eventually(async () => expect(await details.output.items()).toMatchObject([{ stock: '9' }]));
	expect(sent('updateListItem')).toMatchObject([{ data: { stock: 9 } }]);
	expect(service.data.listItems.get(SEEDED.listItems.good)!.values).toEqual({ ...before, stock: 9 });
});

test('a person deletes an item that they select', async () => {
	const details = await openOperation('delete');
	await pick(details, 'schemaId', goods);
	await pick(details, 'itemId', 'Орхидея в горшке');
	await details.execute();
	await eventually(async () => expect(await details.output.items()).toEqual([{ deleted: 'true' }]));
	expect(itemsOf(SEEDED.schemas.goods).map(({ values }) => values.title)).toEqual([
		'Букет «Нежность»',
		'Розы красные, 15 шт.',
		'Тюльпаны, 25 шт.',
		'Корзина пионов',
	]);
});

test('a copy of another list has its items after a person has refreshed the fields', async () => {
	const id = bench.examples.get('copy-list.json')!;
	await editor.openWorkflow(id);
	await pick(await editor.openNode('Read the list to copy'), 'schemaId', 'Заявки');
	await editor.details.close();
	await editor.executeWorkflow();
	expect(sent('addListItem')).toEqual([]);
	const details = await editor.openNode('Copy the items');
	await details.mapper.refresh();
	await details.close();
	await editor.executeWorkflow();
	expect(sent('addListItem')).toHaveLength(4);
	const copy = [...service.data.listSchemas.values()].at(-1)!;
	const values = (schemaId: string) => itemsOf(schemaId).map((item) => item.values);
	const originals = values(SEEDED.schemas.orders);
	expect(values(copy.id)).toMatchObject(originals);
});

describe('AI agent', () => {
	const [title, , , price] = labels as [string, string, string, string];
	let openAi: StoredCredential;
	let workflow: string;

	beforeAll(async () => {
		openAi = await api.createCredential(modelCredential(model));
		const tool = { name: 'Add good', parameters: { resource: 'listItem', operation: 'create' } };
		({ id: workflow } = await api.createWorkflow(
			agentWorkflow({ tools: [tool], model: openAi, credential }),
		));
		await editor.openWorkflow(workflow);
		const details = await editor.openNode('Add good');
		await pick(details, 'schemaId', goods);
		await details.mapper.fillByModel(title);
		await details.mapper.fillByModel(price);
		await details.close();
		await editor.save();
	});

	test('the model has a separate argument for each field that a person leaves to it, also with Cyrillic labels', async () => {
		const { questions } = await run(['Готово.']);
		const { properties, required } = questions[0]!.tools[0]!.parameters;
		expect(Object.keys(properties)).toEqual([
			expect.stringMatching(/^_+title_$/),
			expect.stringMatching(/^_+price_$/),
		]);
		expect(Object.values(properties).map(({ type }) => type)).toEqual(['string', 'number']);
		expect(required).toEqual(Object.keys(properties));
	});

	test('a model that gives a wrong number reads which field is wrong, corrects it, and creates one item', async () => {
		const call = (value: unknown) => ({
			tool: 'Add_good',
			arguments: { __________title_: 'Пионы белые', _________price_: value },
		});
		const wrong = 'около четырёх тысяч';
		const [problem] = (kinds.decimal(wrong, price) as { problems: Problem[] }).problems;
		const { questions } = await run([call(wrong), call(4150.5), 'Готово.']);
		const [refused, created] = questions.at(-1)!.results.map((result) => JSON.parse(result) as unknown);
		expect(refused).toEqual([{ error: problem!.message, message: expect.stringContaining(wrong) }]);
		expect(created).toMatchObject([{ title: 'Пионы белые', price: 4150.5 }]);
		expect(sent('addListItem')).toMatchObject([{ data: { title: 'Пионы белые', price: 4150.5 } }]);
		expect(itemsOf(SEEDED.schemas.goods)).toHaveLength(6);
	});

	/** What the model was asked while it followed its script. */
	async function run(script: Script) {
		model.script(script);
		const execution = await api.runWorkflow(workflow);
		expect(execution.error).toBeUndefined();
		return model;
	}
});

test('the browser logs no errors', () => {
	expect(complaintsOf(editor)).toEqual([]);
});
