import type { INodePropertyOptions } from 'n8n-workflow';

import { ChatbotServiceApi } from '../../credentials/ChatbotServiceApi.credentials';
import { tokenRefused } from '../../nodes/ChatbotService/client/failure';
import { sendOncePerHint, paceHints } from '../../nodes/ChatbotService/description/hints';
import { Outcomes } from '../../nodes/ChatbotService/run/outcome';
import { hintOf } from '../../nodes/ChatbotService/run/output';
import type { Editor } from './editor';
import { chained, itemsNode, manualTrigger, ourNode, type WorkflowData } from '../../sandbox/host';
import { SEEDED, type Emulator } from '../../sandbox/emulator';
import { description, operationsOf, properties } from '../description/editor';
import { labelOf } from '../operations/words';
import { complaintsOf, eventually, labelOfResource, openEditorBench, pictureOfTest } from './support/editor';
import { duringTests } from './support/duringTests';

/* What only a browser can show: n8n's editor as a person uses it. The texts come from the description, the data from the emulator. */

const { bots, contacts, schemas, schemaCount } = SEEDED;
const bad = { id: 'абв', name: 'Иван' };
const people = [{ id: contacts.telegram, name: 'Анна' }, bad, { id: contacts.viber, name: 'Мария' }];
const contactLabel = labelOf('message/send', 'contactId');

const bench = duringTests(async () => await openEditorBench('editor'));
let editor: Editor;
let service: Emulator;

beforeAll(() => void ({ editor, service } = bench));
beforeEach(async () => await editor.details.close());
afterEach(async () => {
	await pictureOfTest(editor);
	service.assertContract();
	service.reset();
});

test('a person creates a credential, and its test explains an error until it passes', async () => {
	const { displayName, test: credentialTest } = new ChatbotServiceApi();
	const refused = credentialTest.rules!.find(({ properties: { value } }) => value === 401)!;
	const dialog = await editor.newCredential(displayName);
	await dialog.fill('baseUrl', service.url);
	await dialog.fill('token', 'not-the-token');
	await dialog.save();
	await eventually(async () => expect(await dialog.outcome()).toContain(refused.properties.message));
	await dialog.fill('token', service.token);
	await dialog.save();
	await eventually(async () => expect(await dialog.outcome()).toContain('Connection tested successfully'));
	await dialog.close();
	const stored = (await bench.api.credentials()).filter(({ id }) => id !== bench.credential.id);
	expect(stored.map(({ type }) => type)).toEqual(['chatbotServiceApi']);
	await bench.api.deleteCredential(stored[0]!.id);
});

describe('in a workflow', () => {
	// Loading the editor takes seconds, so all tests use one.
	beforeAll(async () => {
		const { id } = await bench.api.createWorkflow(workflow());
		await editor.openWorkflow(id);
	});

	// n8n offers this only before the first run of a workflow.
	test('the editor shows the expected duration of a long run when its items are known', async () => {
		const details = await editor.openNode('Long');
		await details.executePrevious();
		// The messenger is not known: one message per second, so 400 seconds.
		const [pace] = paceHints.filter(({ message }) => /\b3\b\D+\b10\b/.test(message));
		const hints = [pace!.message, sendOncePerHint.message];
		await eventually(async () => expect(await details.output.hints()).toEqual(hints));
	});

	test('a list schema is selected from a list of several pages', async () => {
		const names = [...service.data.listSchemas.values()].map(({ name }) => name);
		const details = await editor.openNode('Get list');
		const list = details.list('schemaId');
		await list.open();
		await list.untilLoaded();
		while ((await list.entries()).length < schemaCount) await list.loadMore();
		expect(await list.entries()).toEqual(names);
		await list.search(names.at(-1)!);
		await eventually(async () => expect(await list.entries()).toEqual([names.at(-1)]));
		await list.pick(names.at(-1)!);
		expect(await list.picked()).toBe(names.at(-1));
	});

	test('a field is selected from the fields of the selected list schema', async () => {
		const schema = service.data.listSchemas.get(schemas.orders)!;
		const [slug, field] = Object.entries(schema.fields)[1]!;
		const details = await editor.openNode('Delete field');
		for (const [parameter, entry] of [
			['schemaId', schema.name],
			['fieldSlug', `${field.name} (${slug})`],
		] as const) {
			const list = details.list(parameter);
			await list.open();
			await eventually(async () => expect(await list.entries()).toContain(entry));
			await list.pick(entry);
			expect(await list.picked()).toBe(entry);
		}
		await details.execute();
		await eventually(async () => expect(await details.output.items()).toEqual([{ deleted: 'true' }]));
		expect(Object.keys(schema.fields)).not.toContain(slug);
	});

	test('a list that cannot be loaded says that the token is refused, and appears when it is opened again and can be loaded', async () => {
		service.faults.add({ kind: 'answer', status: 401, body: { message: 'Unauthenticated.' } });
		const list = (await editor.openNode('Attach tag')).list('tagName');
		await list.open();
		const { message, description: advice } = tokenRefused(401, 'Unauthenticated.');
		expect(await list.problem()).toEqual({ message, description: advice, leadsToCredential: true });
		service.faults.clear();
		await list.close();
		await list.open();
		const { tags } = service.data.bots.get(bots.school)!;
		await eventually(async () => expect(await list.entries()).toEqual(tags));
	});

	test('a run that stops at an invalid item names the item and its field', async () => {
		const details = await editor.openNode('Stops');
		await details.execute();
		const error = await details.output.error();
		expect(error.message).toContain(`'${contactLabel}'`);
		expect(error.message).toMatch(/item 1\b/i);
		expect(error.description).toContain(bad.id);
		expect(service.requests).toEqual([]);
	});

	test('a run that continues shows the item with its error on the error branch, the others on the success branch, and the outcome above', async () => {
		const details = await editor.openNode('Continues');
		await details.execute();
		const success = { success: 'true' };
		await eventually(async () => expect(await details.output.items(0)).toEqual([success, success]));
		const error = expect.stringContaining(`'${contactLabel}'`) as string;
		await eventually(async () => expect(await details.output.items(1)).toMatchObject([{ ...bad, error }]));
		const outcomes = Object.assign(new Outcomes(3, Date.now), { done: 2, failed: 1 });
		expect(await details.output.hints()).toEqual([hintOf(outcomes)!.message]);
	});

	test('the node panel finds the node, offers every operation as an action, and opens the node with the operation', async () => {
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

		const option = operationsOf('listSchema').find(({ value }) => value === 'addField')!;
		await panel.pick(option.action!);
		await editor.details.untilShown();
		await eventually(async () => expect(await editor.details.title()).toBe(option.action));
		expect(await editor.details.value('resource')).toBe(labelOfResource('listSchema'));
		expect(await editor.details.value('operation')).toBe(option.name);
		expect(await editor.details.credential()).toBe(bench.credential.name);
	});
});

test('the browser logs no errors except for the list that could not be loaded', () => {
	// n8n returns it as a refused request.
	const ofLists = /\/rest\/dynamic-node-parameters\/resource-locator-results$/;
	expect(complaintsOf(editor).filter(({ source }) => !ofLists.test(source))).toEqual([]);
});

/** Each branch from the start can run on its own. */
function workflow(): WorkflowData {
	const ours = (name: string, parameters: Record<string, unknown>, onError?: string) =>
		ourNode({ name, parameters, onError }, bench.credential);
	const send = {
		resource: 'message',
		operation: 'send',
		contactId: '={{ $json.id }}',
		text: '=Здравствуйте, {{ $json.name }}!',
	};
	const many = Array.from({ length: 400 }, (_, index) => ({ id: contacts.telegram + index }));
	const branches = [
		[ours('Get list', { resource: 'listSchema', operation: 'get' })],
		[ours('Delete field', { resource: 'listSchema', operation: 'deleteField' })],
		[ours('Attach tag', { resource: 'tag', operation: 'attach', botId: String(bots.school) })],
		[itemsNode('People', people), ours('Stops', send)],
		[itemsNode('Same people', people), ours('Continues', send, 'continueErrorOutput')],
		[itemsNode('Many', many), ours('Long', send)],
	];
	const { nodes, connections, ...rest } = chained('Editor', [manualTrigger]);
	const starts = branches.map(([first]) => ({ node: first!.name, type: 'main', index: 0 }));
	return {
		...rest,
		nodes: branches.reduce(
			(all, branch, row) => [
				...all,
				...branch.map((node, column) => ({ ...node, position: [200 * (column + 1), 160 * row] })),
			],
			nodes,
		),
		connections: Object.assign(connections, ...branches.map((branch) => chained('', branch).connections), {
			[manualTrigger.name]: { main: [starts] },
		}) as WorkflowData['connections'],
	};
}
