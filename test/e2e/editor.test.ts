import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { ChatbotServiceApi } from '../../credentials/ChatbotServiceApi.credentials';
import { tokenRefused } from '../../nodes/ChatbotService/client/failure';
import { sendOncePerHint, paceHints } from '../../nodes/ChatbotService/description/hints';
import { Outcomes } from '../../nodes/ChatbotService/run/outcome';
import { hintOf } from '../../nodes/ChatbotService/run/output';
import type { Editor, NodeDetails, NodePanel } from './editor';
import {
	fan,
	freePort,
	type HostApi,
	type OurNode,
	ourNode,
	type StoredCredential,
	workflowOver,
} from '../../sandbox/host';
import { SEEDED, type Emulator } from '../../sandbox/emulator';
import { description, operationsOf, properties } from '../description/editor';
import { complaintsOf, labelOf, openEditorBench, pictureOfTest, resourceParameter } from './support/editor';
import { duringTests } from './support/duringTests';
import { eventually } from './support/eventually';
import { wordsOfStatus } from './support/words';

/* What a person sees and does in n8n's editor. The texts come from the description, the data from the emulator. */

const { bots, contacts, schemas, schemaCount } = SEEDED;

const bench = duringTests(async () => await openEditorBench('editor'));
let api: HostApi;
let credential: StoredCredential;
let editor: Editor;
let service: Emulator;

beforeAll(() => void ({ api, credential, editor, service } = bench));
beforeEach(async () => await editor.details.close());
afterEach(async () => await pictureOfTest(editor));
afterEach(() => {
	try {
		service.assertContract();
	} finally {
		service.reset();
	}
});

describe('credential', () => {
	const { displayName } = new ChatbotServiceApi();

	afterAll(async () => {
		const others = (await api.credentials()).filter(({ id }) => id !== credential.id);
		for (const { id } of others) await api.deleteCredential(id);
	});

	test('a person creates a credential, and its test explains each error until it passes', async () => {
		const dialog = await editor.newCredential(displayName);
		const outcomeOf = async (values: { baseUrl: string; token: string }) => {
			for (const [name, value] of Object.entries(values)) await dialog.fill(name, value);
			await dialog.save();
		};
		const becomes = async (words: string) =>
			await eventually(async () => expect(await dialog.outcome()).toContain(words));

		await outcomeOf({ baseUrl: service.url, token: 'not-the-token' });
		await becomes(wordsOfStatus(401));
		await editor.picture('credential with a wrong token');
		await outcomeOf({ baseUrl: bench.host.url, token: service.token });
		await becomes(wordsOfStatus(404));
		await editor.picture('credential with the address of something else');
		await outcomeOf({ baseUrl: `http://127.0.0.1:${await freePort()}`, token: service.token });
		await becomes('ECONNREFUSED');
		expect(await dialog.toggle('bursts')).toBe(true);
		await editor.picture('credential with Bursts');
		await outcomeOf({ baseUrl: service.url, token: service.token });
		await becomes('Connection tested successfully');
		await dialog.close();

		const stored = (await api.credentials()).filter(({ id }) => id !== credential.id);
		expect(stored.map(({ type }) => type)).toEqual(['chatbotServiceApi']);
	});
});

describe('node panel', () => {
	const everyAction = properties
		.filter(({ name }) => name === 'operation')
		.flatMap(({ options }) => (options as INodePropertyOptions[]).map(({ action }) => action!));

	let panel: NodePanel;
	beforeAll(async () => {
		await openFan('Node panel', []);
		panel = await editor.addNode();
	});

	test.each(['chatbot', 'Chatbot Service', 'whatsapp', 'телеграм', 'рассылка', 'чат-бот'])(
		'the node panel finds the node under "%s"',
		async (words) => {
			await panel.search('there is no node of this name');
			await eventually(async () => expect(await panel.entries()).not.toContain(description.displayName));
			await panel.search(words);
			await eventually(async () => expect(await panel.entries()).toContain(description.displayName));
		},
	);

	test('the node panel offers every operation as an action', async () => {
		await panel.search(description.displayName);
		await panel.pick(description.displayName);
		await eventually(async () =>
			expect([...(await panel.entries())].sort()).toEqual([...everyAction].sort()),
		);
	});
});

describe('actions of the node panel', () => {
	beforeAll(async () => await openFan('Actions', []));

	test.each(
		['message/sendToWhatsApp', 'tag/detach', 'contactVariable/delete', 'listSchema/addField'].map((path) =>
			path.split('/'),
		),
	)('the action of %s/%s opens the node with this operation', async (resource, operation) => {
		const option = operationsOf(resource!).find(({ value }) => value === operation)!;
		const panel = await editor.addNode();
		await panel.search(description.displayName);
		await panel.pick(description.displayName);
		await panel.pick(option.action!);
		await editor.details.untilShown();
		await eventually(async () => expect(await editor.details.title()).toBe(option.action));
		expect(await editor.details.value('resource')).toBe(labelOf(resourceParameter, resource));
		expect(await editor.details.value('operation')).toBe(option.name);
		expect(await editor.details.credential()).toBe(credential.name);
	});
});

describe('lists', () => {
	const step = (resource: string, operation: string) => ({
		name: [operation, resource].join(' '),
		parameters: { resource, operation },
	});
	const steps = {
		get: step('listSchema', 'get'),
		deleteField: step('listSchema', 'deleteField'),
	};
	beforeAll(async () => await openFan('Lists', Object.values(steps)));

	const pick = async (details: NodeDetails, parameter: string, entry: string) => {
		const list = details.list(parameter);
		await list.open();
		await eventually(async () => expect(await list.entries()).toContain(entry));
		await list.pick(entry);
		expect(await list.picked()).toBe(entry);
	};

	test('a list schema is selected from a list of several pages', async () => {
		const names = [...service.data.listSchemas.values()].map(({ name }) => name);
		expect(names).toHaveLength(schemaCount);
		const details = await editor.openNode(steps.get.name);
		const list = details.list('schemaId');
		await list.open();
		await list.untilLoaded();
		while ((await list.entries()).length < schemaCount) await list.loadMore();
		expect(await list.entries()).toEqual(names);
		await list.search(names.at(-1)!);
		await eventually(async () => expect(await list.entries()).toEqual([names.at(-1)]));
		await list.pick(names.at(-1)!);
		expect(await list.picked()).toBe(names.at(-1));
		await details.execute();
		await eventually(async () =>
			expect(await details.output.items()).toMatchObject([{ name: names.at(-1) }]),
		);
	});

	test('a field is selected from the fields of the selected list schema', async () => {
		const schema = service.data.listSchemas.get(schemas.orders)!;
		const details = await editor.openNode(steps.deleteField.name);
		await pick(details, 'schemaId', schema.name);
		const [slug, field] = Object.entries(schema.fields)[1]!;
		await pick(details, 'fieldSlug', `${field.name} (${slug})`);
		await details.execute();
		await eventually(async () => expect(await details.output.items()).toEqual([{ deleted: 'true' }]));
		expect(Object.keys(schema.fields)).not.toContain(slug);
	});
});

test('a list that cannot be loaded says that the token is refused, and appears when it is opened again and can be loaded', async () => {
	await openFan('A list that fails', [
		{ name: 'Attach', parameters: { resource: 'tag', operation: 'attach', botId: String(bots.school) } },
	]);
	service.faults.add({ kind: 'answer', status: 401, body: { message: 'Unauthenticated.' } });
	const list = (await editor.openNode('Attach')).list('tagName');
	await list.open();
	const { message, description } = tokenRefused(401, 'Unauthenticated.');
	expect(await list.problem()).toEqual({ message, description, leadsToCredential: true });
	service.faults.clear();
	await list.close();
	await list.open();
	const { tags } = service.data.bots.get(bots.school)!;
	await eventually(async () => expect(await list.entries()).toEqual(tags));
});

describe('runs', () => {
	const bad = { id: 'абв', name: 'Иван' };
	const people = [{ id: contacts.telegram, name: 'Анна' }, bad, { id: contacts.viber, name: 'Мария' }];
	const send = {
		resource: 'message',
		operation: 'send',
		contactId: '={{ $json.id }}',
		text: '=Здравствуйте, {{ $json.name }}!',
	};
	const contactLabel = properties.find(({ name }) => name === 'contactId')!.displayName;

	/** The hint above the output after a run. */
	const hintAfter = (expected: number, ended: Partial<Outcomes>) =>
		hintOf(Object.assign(new Outcomes(expected, Date.now), ended))!.message;

	/** Stores a workflow that passes items to a node. @returns its ID */
	const storeOver = async (items: object[], step: Omit<OurNode, 'name'>) => {
		const node = ourNode({ ...step, name: 'Node' } as OurNode, credential);
		return (await api.createWorkflow(workflowOver('Run', items, node))).id;
	};

	const openOver = async (...given: Parameters<typeof storeOver>) => {
		await editor.openWorkflow(await storeOver(...given));
		return await editor.openNode('Node');
	};

	test('a run that stops at an invalid item names the item and its field', async () => {
		const details = await openOver(people, { parameters: send });
		await details.execute();
		const { message, description } = await details.output.error();
		expect(message).toContain(`'${contactLabel}'`);
		expect(message).toMatch(/item 1\b/i);
		expect(description).toContain(bad.id);
		expect(service.requests).toEqual([]);
	});

	test('a run that continues shows the item with its error on the error branch, and the others on the success branch', async () => {
		const details = await openOver(people, { parameters: send, onError: 'continueErrorOutput' });
		await details.execute();
		await eventually(async () =>
			expect(await details.output.items(0)).toEqual([{ success: 'true' }, { success: 'true' }]),
		);
		const error = expect.stringContaining(`'${contactLabel}'`) as string;
		await eventually(async () => expect(await details.output.items(1)).toMatchObject([{ ...bad, error }]));
		const reached = service.deliveries().map(({ recipient }) => recipient);
		expect(reached.sort()).toEqual([contacts.telegram, contacts.viber].map(String));
		expect(await details.output.hints()).toEqual([hintAfter(3, { done: 2, failed: 1 })]);
	});

	test("a run with 'Send Once Per' sends to nobody twice, says so above its output, and explains the option", async () => {
		const reachable = people.filter((each) => each !== bad);
		const once = { ...send, options: { sendOncePer: 'осенняя-распродажа' } };
		const id = await storeOver(reachable, { parameters: once });
		const first = await api.runWorkflow(id);
		expect(first.output('Node').map(({ json }) => json)).toEqual(reachable.map(() => ({ success: true })));
		await editor.openWorkflow(id);
		const details = await editor.openNode('Node');
		await details.execute();
		await eventually(async () =>
			expect(await details.output.items()).toEqual(
				reachable.map(() => ({ success: 'true', alreadySent: 'true' })),
			),
		);
		expect(await details.output.hints()).toEqual([hintAfter(2, { done: 2, skipped: 2 })]);
		expect(service.deliveries()).toHaveLength(2);
		const { name, displayName, hint } = sendOncePer;
		expect(await details.fields()).toContainEqual({ name, label: displayName });
		expect(await details.text(name)).toContain(hint);
	});

	test('the editor shows the expected duration of a long run when its items are known', async () => {
		const many = Array.from({ length: 400 }, (_, index) => ({
			id: contacts.telegram + index,
			name: 'Анна',
		}));
		const details = await openOver(many, { parameters: send });
		expect(await details.output.hints()).toEqual([]);
		await details.executePrevious();
		// The messenger is not known: one message per second, so 400 seconds.
		const wanted = paceHints.filter(({ message }) => /\b3\b\D+\b10\b/.test(message));
		expect(wanted).toHaveLength(1);
		await eventually(async () =>
			expect(await details.output.hints()).toEqual([wanted[0]!.message, sendOncePerHint.message]),
		);
		expect(service.requests).toEqual([]);
	});
});

test('the browser logs no errors except for the list that could not be loaded', () => {
	// n8n returns it as a refused request.
	const ofLists = expect.stringMatching(
		/\/rest\/dynamic-node-parameters\/resource-locator-results$/,
	) as string;
	expect(complaintsOf(editor)).toEqual([expect.objectContaining({ source: ofLists })]);
});

const sendOncePer = properties
	.filter(({ name }) => name === 'options')
	.flatMap(({ options }) => options as INodeProperties[])
	.find(({ name }) => name === 'sendOncePer')!;

/** Opens a new workflow of unconnected nodes. */
async function openFan(name: string, steps: OurNode[]): Promise<void> {
	const { id } = await api.createWorkflow(fan(name, steps, credential));
	await editor.openWorkflow(id);
}
