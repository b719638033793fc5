import type { INodePropertyOptions } from 'n8n-workflow';

import { tokenRefused } from '../../nodes/ChatbotService/client/failure/failure';
import { hints as said } from '../../nodes/ChatbotService/description/hints';
import { withoutValues } from '../../nodes/ChatbotService/resources/problems';
import { addListItem, SEEDED, type Emulator } from '../../sandbox/emulator';
import { description, properties } from '../description/editor';
import { duringTests } from '../duringTests';
import { labelOf } from '../operations/words';
import type { Editor, NodeDetails } from './editor';
import { complaintsOf, eventually, openEditorBench, openOver } from './support/editor';

/*
 * What only a browser can show: n8n's editor as a person uses it. The texts come from the description, the data from the emulator. How a new
 * user builds a broadcast is in lifecycle.test.ts.
 */

const { contacts, schemaCount } = SEEDED;
const bad = { id: 'абв', name: 'Иван' };
const people = [{ id: contacts.telegram, name: 'Анна' }, bad, { id: contacts.viber, name: 'Мария' }];
const contactLabel = labelOf('message/send', 'contactId');
const send = {
	name: 'Send message',
	parameters: {
		...{ resource: 'message', operation: 'send', contactId: '={{ $json.id }}' },
		text: '=Здравствуйте, {{ $json.name }}!',
	},
};

const bench = duringTests(openEditorBench);
let editor: Editor;
let service: Emulator;

beforeAll(() => void ({ editor, service } = bench));
beforeEach(async () => await editor.details.close());
afterEach(() => {
	service.assertContract();
	service.reset();
});

const openItem = async (parameters: object) =>
	await openOver(bench, [{}], { name: 'List item', parameters: { resource: 'listItem', ...parameters } });

async function pick(details: NodeDetails, parameter: string, entry: string): Promise<void> {
	const list = details.list(parameter);
	await list.openLoaded();
	await list.search(entry);
	await eventually(async () => expect(await list.entries()).toContain(entry));
	await list.pick(entry);
}

test('a run stops at an invalid item, or shows it apart', async () => {
	const details = await openOver(bench, people, send);
	await details.execute();
	const error = await details.output.error();
	expect(error.message).toContain(`'${contactLabel}'`);
	expect(error.message).toMatch(/item 1\b/i);
	expect(error.description).toContain(bad.id);
	expect(service.requests).toEqual([]);
	await details.close();

	const continued = await openOver(bench, people, { ...send, onError: 'continueErrorOutput' });
	await continued.execute();
	const success = { success: 'true' };
	await eventually(async () => expect(await continued.output.items(0)).toEqual([success, success]));
	const named = expect.stringContaining(`'${contactLabel}'`) as string;
	await eventually(async () =>
		expect(await continued.output.items(1)).toMatchObject([{ ...bad, error: named }]),
	);
	const reason = `2 sent, 1 failed: 1 × '${contactLabel}' must be a whole number.`;
	expect(await continued.output.hints()).toEqual([reason]);
});

test('the bin does not switch Sending Hours off', async () => {
	const options = { sendingHours: { values: { from: '00:00', until: '23:59' } } };
	const recipients = people.filter((each) => each !== bad);
	const details = await openOver(bench, recipients, { ...send, parameters: { ...send.parameters, options } });
	await details.deleteItem.hover();
	await details.deleteItem.click();
	const { message } = said.withoutValues[0]!;
	await eventually(async () => expect(await details.output.hints()).toEqual([message]));
	await details.execute();
	expect((await details.output.error()).message).toContain(withoutValues('Sending Hours').message);
	expect(service.requests).toEqual([]);
});

// n8n offers this only before the first run of a workflow.
test('the duration of a long run is shown before it', async () => {
	const many = Array.from({ length: 400 }, (_, index) => ({ id: contacts.telegram + index }));
	const details = await openOver(bench, many, send);
	await details.executePrevious();
	// The messenger is not known: one message per second, so 400 seconds.
	const [pace] = said.pace.filter(({ message }) => /\b3\b\D+\b10\b/.test(message));
	const hints = [pace!.message, said.sendOncePer.message];
	await eventually(async () => expect(await details.output.hints()).toEqual(hints));
});

test('a list has pages, and says why it cannot be loaded', async () => {
	const names = [...service.data.listSchemas.values()].map(({ name }) => name);
	const parameters = { resource: 'listSchema', operation: 'get' };
	const list = (await openOver(bench, [{}], { name: 'Get list', parameters })).list('schemaId');
	service.faults.add({ kind: 'answer', status: 401, body: { message: 'Unauthenticated.' } });
	await list.open();
	const { message, description: advice } = tokenRefused('Unauthenticated.');
	expect(await list.problem()).toEqual({ message, description: advice, leadsToCredential: true });
	service.faults.clear();
	await list.close();
	await list.open();
	await list.untilLoaded();
	while ((await list.entries()).length < schemaCount) await list.loadMore();
	expect(await list.entries()).toEqual(names);
	await list.search(names.at(-1)!);
	await eventually(async () => expect(await list.entries()).toEqual([names.at(-1)]));
	await list.pick(names.at(-1)!);
	expect(await list.picked()).toBe(names.at(-1));
});

const goods = 'Товары: Москва';
const [title, stock, article] = ['Название (title)', 'Остаток (stock)', 'Артикул (article)'] as const;
const photo = 'Фото (photo)';

test('an item is created, found and changed by fields', async () => {
	const creates = await openItem({ operation: 'create' });
	await pick(creates, 'schemaId', goods);
	const labels = [title, 'Активно (active)', article, 'Цена, ₽ (price)', stock, photo];
	await eventually(async () => expect(await creates.mapper.fields()).toEqual(labels));
	await creates.fill('title', 'Пионы белые, 9 шт.');
	await creates.execute();
	// A switch is never empty.
	const data = { title: 'Пионы белые, 9 шт.', active: false };
	expect(service.requests.at(-1)).toMatchObject({ operation: 'addListItem', body: { data } });
	await creates.close();

	const sorts = await openItem({ itemOptions: { orderBy: { mode: 'list', value: '' } } });
	await pick(sorts, 'schemaId', goods);
	await sorts.parameters.getByText('Add Filter').click();
	await pick(sorts, 'slug', article);
	await sorts.fill('value', '00417');
	await pick(sorts, 'orderBy', 'Created At');
	await sorts.execute();
	await eventually(async () => expect(await sorts.output.items()).toMatchObject([{ article: '00417' }]));
	const asked = { filters: { article: '00417' }, order_by: 'created_at,asc' };
	expect(service.requests.at(-1)!.body).toMatchObject(asked);
	await sorts.close();

	const item = () => service.data.listItems.get(SEEDED.listItems.good)!.values;
	const before = structuredClone(item());
	const updates = await openItem({ operation: 'update' });
	await pick(updates, 'schemaId', goods);
	await pick(updates, 'itemId', 'Букет «Нежность»');
	// A switch or a number would change the item without a person's will.
	await eventually(async () => expect(await updates.mapper.fields()).toEqual([title, article, photo]));
	await updates.mapper.add(stock);
	await updates.fill('stock', '9');
	await updates.execute();
	expect(item()).toEqual({ ...before, stock: 9 });
});

// While there is a search text, the editor asks for more entries only if the person scrolls, and a short list cannot be scrolled.
test('an item far down a long list is found by typing on', async () => {
	for (let number = 1; number <= 2300; number++)
		addListItem(service.data, SEEDED.schemas.goods, { title: `Товар ${number}` });
	const schemaId = { __rl: true, mode: 'id', value: SEEDED.schemas.goods };
	const list = (await openItem({ operation: 'delete', schemaId })).list('itemId');
	const entry = 'Товар 2250';
	await list.open();
	await list.untilLoaded();
	await list.search(entry);
	await eventually(async () =>
		expect(service.requests.map(({ body }) => body)).toContainEqual(expect.objectContaining({ page: 21 })),
	);
	await list.search(`${entry} `);
	await eventually(async () => expect(await list.entries()).toEqual([entry]));
	await list.pick(entry);
	expect(await list.picked()).toBe(entry);
});

test('the node panel offers every operation as an action', async () => {
	await openOver(bench, people, send);
	await editor.details.close();
	const panel = await editor.addNode();
	const { displayName } = description;
	for (const words of ['whatsapp', 'телеграм', 'рассылка']) {
		await panel.search('there is no node of this name');
		await eventually(async () => expect(await panel.entries()).not.toContain(displayName));
		await panel.search(words);
		await eventually(async () => expect(await panel.entries()).toContain(displayName));
	}
	await panel.pick(displayName);
	const everyAction = properties
		.filter(({ name }) => name === 'operation')
		.flatMap(({ options }) => (options as INodePropertyOptions[]).map(({ action }) => action!));
	await eventually(async () => expect((await panel.entries()).sort()).toEqual(everyAction.sort()));
	const [chosen] = everyAction as [string];
	await panel.pick(chosen);
	await editor.details.untilShown();
	await eventually(async () => expect(await editor.details.title()).toBe(chosen));
	expect(await editor.details.credential()).toBe(bench.credential.name);
});

test('the browser logs no errors but that of the list', () => {
	// n8n returns it as a refused request.
	const ofLists = /\/rest\/dynamic-node-parameters\/resource-locator-results$/;
	expect(complaintsOf(editor).filter(({ source }) => !ofLists.test(source))).toEqual([]);
});
