import type { Problem } from '../../nodes/ChatbotService/client/failure/failure';
import * as kinds from '../../nodes/ChatbotService/resources/kinds';
import type { Editor, NodeDetails } from './editor';
import { type HostApi } from '../../sandbox/host';
import { startModel } from './support/model';
import { addListItem, SEEDED, type Emulator } from '../../sandbox/emulator';
import { agentWorkflow, modelCredential } from './support/agent';
import { complaintsOf, eventually, openEditorBench, openOver } from './support/editor';
import { duringTests } from '../duringTests';

/* Items of lists in n8n's editor: the fields of a list are those that the service has at that moment. */

const goods = 'Товары: Москва';
const [title, price, stock] = ['Название (title)', 'Цена, ₽ (price)', 'Остаток (stock)'] as const;
const labels = [title, 'Активно (active)', 'Артикул (article)', price, stock, 'Фото (photo)'];

const model = duringTests(startModel);
const bench = duringTests(openEditorBench);
let api: HostApi;
let editor: Editor;
let service: Emulator;

beforeAll(() => void ({ api, editor, service } = bench));
afterEach(async () => {
	await editor.details.close();
	service.assertContract();
	model.assertFinished();
	service.reset();
});

const openItem = async (operation: string) =>
	await openOver(bench, [{}], { name: 'List item', parameters: { resource: 'listItem', operation } });

/** The bodies of the requests that create an item. */
const sent = () =>
	service.requests.filter(({ operation }) => operation === 'addListItem').map(({ body }) => body);

async function pick(details: NodeDetails, parameter: string, entry: string): Promise<void> {
	const list = details.list(parameter);
	await list.open();
	await list.untilLoaded();
	await list.search(entry);
	await eventually(async () => expect(await list.entries()).toContain(entry));
	await list.pick(entry);
}

test('a person creates an item: the fields of the selected list appear, and what is filled in is sent', async () => {
	const details = await openItem('create');
	await pick(details, 'schemaId', goods);
	await eventually(async () => expect(await details.mapper.fields()).toEqual(labels));
	await details.fill('title', 'Пионы белые, 9 шт.');
	await details.execute();
	await eventually(async () =>
		expect(await details.output.items()).toMatchObject([{ title: 'Пионы белые, 9 шт.' }]),
	);
	// A switch is never empty.
	expect(sent()).toMatchObject([{ data: { title: 'Пионы белые, 9 шт.', active: false } }]);
});

test('an update of a selected item begins without fields, and changes only those that the person adds', async () => {
	const item = () => service.data.listItems.get(SEEDED.listItems.good)!.values;
	const before = structuredClone(item());
	const details = await openItem('update');
	await pick(details, 'schemaId', goods);
	await pick(details, 'itemId', 'Букет «Нежность»');
	await details.mapper.add(stock);
	await details.fill('stock', '9');
	expect(await details.mapper.fields()).toEqual([stock]);
	await details.execute();
	await eventually(async () => expect(await details.output.items()).toMatchObject([{ stock: '9' }]));
	expect(item()).toEqual({ ...before, stock: 9 });
});

test('a person finds an item by a field, and sorts by another, without typing a slug', async () => {
	const parameters = { resource: 'listItem', itemOptions: { orderBy: { mode: 'list', value: '' } } };
	const details = await openOver(bench, [{}], { name: 'List item', parameters });
	await pick(details, 'schemaId', goods);
	await details.parameters.getByText('Add Filter').click();
	await pick(details, 'slug', 'Артикул (article)');
	await details.fill('value', '00417');
	await pick(details, 'orderBy', 'Created At');
	await details.execute();
	await eventually(async () =>
		expect(await details.output.items()).toMatchObject([{ article: '00417', stock: '7' }]),
	);
	const asked = { filters: { article: '00417' }, order_by: 'created_at,asc' };
	expect(service.requests.at(-1)!.body).toMatchObject(asked);
});

// While there is a search text, the editor asks for more entries only if the person scrolls, and a short list cannot be scrolled.
test('an item far down a long list is found when the person types on, as the hint says', async () => {
	for (let number = 1; number <= 2300; number++)
		addListItem(service.data, SEEDED.schemas.goods, { title: `Товар ${number}` });
	const schemaId = { __rl: true, mode: 'id', value: SEEDED.schemas.goods };
	const parameters = { resource: 'listItem', operation: 'delete', schemaId };
	const details = await openOver(bench, [{}], { name: 'List item', parameters });
	const list = details.list('itemId');
	const entry = 'Товар 2250';
	await list.open();
	await list.untilLoaded();
	await list.search(entry);
	await eventually(async () =>
		expect(service.requests.map(({ body }) => body)).toContainEqual(expect.objectContaining({ page: 21 })),
	);
	await eventually(async () => expect(await list.entries()).toEqual([]));
	await list.search(`${entry} `);
	await eventually(async () => expect(await list.entries()).toEqual([entry]));
	await list.pick(entry);
	expect(await list.picked()).toBe(entry);
});

test('an AI agent has an argument for each field that a person leaves to it, also with Cyrillic labels, and corrects a wrong number', async () => {
	const openAi = await api.createCredential(modelCredential(model));
	const tool = { name: 'Add good', parameters: { resource: 'listItem', operation: 'create' } };
	const workflow = agentWorkflow({ tools: [tool], model: openAi, credential: bench.credential });
	const { id } = await api.createWorkflow(workflow);
	await editor.openWorkflow(id);
	const details = await editor.openNode('Add good');
	await pick(details, 'schemaId', goods);
	await details.mapper.fillByModel(title);
	await details.mapper.fillByModel(price);
	await details.close();
	await editor.save();

	const call = (value: unknown) => ({
		tool: 'Add_good',
		arguments: { __________title_: 'Пионы белые', _________price_: value },
	});
	const wrong = 'около четырёх тысяч';
	model.script([call(wrong), call(4150.5), 'Готово.']);
	expect((await api.runWorkflow(id)).error).toBeUndefined();
	expect(model.questions[0]!.tools[0]!.parameters).toMatchObject({
		properties: { __________title_: { type: 'string' }, _________price_: { type: 'number' } },
		required: ['__________title_', '_________price_'],
	});
	const [problem] = (kinds.decimal(wrong, price) as { problems: Problem[] }).problems;
	const [refused] = model.questions.at(-1)!.results.map((result) => JSON.parse(result) as unknown);
	expect(refused).toEqual([{ error: problem!.message, message: expect.stringContaining(wrong) }]);
	expect(sent()).toMatchObject([{ data: { title: 'Пионы белые', price: 4150.5 } }]);
});

test('the browser logs no errors', () => {
	expect(complaintsOf(editor)).toEqual([]);
});
