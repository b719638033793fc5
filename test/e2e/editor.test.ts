import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { ChatbotServiceApi } from '../../credentials/ChatbotServiceApi.credentials';
import { tokenRefused, unreachable } from '../../nodes/ChatbotService/client/failure';
import { onceHint, paceHints } from '../../nodes/ChatbotService/description/hints';
import { type NodeDetails, type NodePanel, type Step, workflowOver } from '../../sandbox/editor';
import { freePort, packageName, type StoredCredential } from '../../sandbox/host';
import { SEEDED } from '../../sandbox/service';
import { chosen, description, noticesIn, operationsOf, properties, shownIn } from '../description/editor';
import { cases, operations, type Case } from '../description/table';
import { type EditorBench, openEditorBench, pictured } from './support/editor';
import { eventually } from './support/eventually';
import { fan } from './support/workflow';

/* What a person sees and does in n8n's own editor. The words come from the description, the data from the stand-in. */

// A browser, n8n and the stand-in at once: on a busy machine even a few clicks can take minutes.
jest.setTimeout(600_000);

const { bots, contacts, schemas, schemaCount } = SEEDED;

let bench: EditorBench;
let credential: StoredCredential;
beforeAll(async () => {
	bench = await openEditorBench('editor');
	credential = (await bench.api.credentials())[0]!;
});
afterEach(() => {
	try {
		bench.service.assertContract();
	} finally {
		bench.service.reset();
	}
});
afterAll(async () => await bench?.stop());

describe('a credential', () => {
	const { displayName, test: request } = new ChatbotServiceApi();
	const wordsFor = (status: number) => {
		const rule = request.rules!.find(({ properties }) => properties.value === status)!;
		return rule.properties.message;
	};

	afterAll(async () => {
		const others = (await bench.api.credentials()).filter(({ id }) => id !== credential.id);
		for (const { id } of others) await bench.api.deleteCredential(id);
	});

	test('is made, and its test says what is wrong until nothing is', async () => {
		const { api, editor, host, service } = bench;
		await pictured(editor, async () => {
			const dialog = await editor.newCredential(displayName);
			const outcomeOf = async (values: { baseUrl: string; token: string }) => {
				for (const [name, value] of Object.entries(values)) await dialog.fill(name, value);
				await dialog.save();
			};
			const becomes = async (words: string) =>
				await eventually(async () => expect(await dialog.outcome()).toContain(words));

			await outcomeOf({ baseUrl: service.url, token: 'not-the-token' });
			await becomes(wordsFor(401));
			await editor.picture('credential with a wrong token');
			await outcomeOf({ baseUrl: host.url, token: service.token });
			await becomes(wordsFor(404));
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
});

describe('the node panel', () => {
	const everyAction = properties
		.filter(({ name }) => name === 'operation')
		.flatMap(({ options }) => (options as INodePropertyOptions[]).map(({ action }) => action!));

	let panel: NodePanel;
	beforeAll(async () => {
		await openFan('Node panel', []);
		panel = await bench.editor.addNode();
	});

	test.each(['chatbot', 'Chatbot Service', 'whatsapp', 'телеграм', 'рассылка', 'чат-бот'])(
		'finds the node under "%s"',
		async (words) => {
			await pictured(bench.editor, async () => {
				await panel.search('there is no node of this name');
				await eventually(async () => expect(await panel.entries()).not.toContain(description.displayName));
				await panel.search(words);
				await eventually(async () => expect(await panel.entries()).toContain(description.displayName));
			});
		},
	);

	test('offers every operation as an action', async () => {
		await pictured(bench.editor, async () => {
			await panel.search(description.displayName);
			await panel.pick(description.displayName);
			await eventually(async () =>
				expect([...(await panel.entries())].sort()).toEqual([...everyAction].sort()),
			);
		});
	});
});

describe('an action picked in the node panel opens the node with its operation', () => {
	beforeAll(async () => await openFan('Actions', []));
	afterEach(async () => await bench.editor.details.close());

	test.each(
		['message/sendToWhatsApp', 'tag/detach', 'contactVariable/delete', 'listSchema/addField'].map((path) =>
			path.split('/'),
		),
	)('%s, %s', async (resource, operation) => {
		const option = operationsOf(resource!).find(({ value }) => value === operation)!;
		await pictured(bench.editor, async () => {
			const { editor } = bench;
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
});

describe('every operation shows the fields that the description wants', () => {
	let details: NodeDetails;
	beforeAll(async () => {
		await openFan('Fields', [{ name: 'Node', parameters: {} }]);
		details = await bench.editor.openNode('Node');
	});

	test.each(operations.map(({ resource, operation, label }) => ({ resource, operation, label })))(
		'$resource: $label',
		async ({ resource, operation }) => {
			await pictured(bench.editor, async () => {
				await switchTo(details, resource, operation);
				const states = cases.filter((each) => each.resource === resource && each.operation === operation);
				expect(states).not.toEqual([]);
				for (const state of states) {
					for (const [name, value] of Object.entries(state.choices)) {
						await set(details, parameterIn(state, name), value);
					}
					await eventually(async () => {
						const shown = { fields: await details.fields(), notices: await details.notices() };
						expect({ state: state.title, ...shown }).toEqual({ state: state.title, ...wantedIn(state) });
					});
				}
			});
		},
	);
});

describe('a value picked from a list', () => {
	const step = (resource: string, operation: string, choices = {}) => ({
		name: [operation, resource, ...Object.values(choices)].join(' '),
		parameters: { resource, operation, ...choices },
	});
	const steps = {
		get: step('listSchema', 'get'),
		deleteField: step('listSchema', 'deleteField'),
		attach: step('tag', 'attach'),
		detach: step('tag', 'detach'),
		byName: step('contactVariable', 'delete', { deleteBy: 'name' }),
		byId: step('contactVariable', 'delete', { deleteBy: 'id' }),
	};
	beforeAll(async () => await openFan('Lists', Object.values(steps)));
	afterEach(async () => await bench.editor.details.close());

	const pick = async (details: NodeDetails, parameter: string, entry: string) => {
		const list = details.list(parameter);
		await list.open();
		await eventually(async () => expect(await list.entries()).toContain(entry));
		await list.pick(entry);
		expect(await list.picked()).toBe(entry);
	};

	test('a list schema, out of several pages', async () => {
		await pictured(bench.editor, async () => {
			const names = [...bench.service.data.listSchemas.values()].map(({ name }) => name);
			expect(names).toHaveLength(schemaCount);
			const details = await bench.editor.openNode(steps.get.name);
			const list = details.list('schemaId');
			await list.open();
			await eventually(async () => {
				expect(await list.entries()).not.toEqual([]);
				await list.scrollDown();
				expect(await list.entries()).toEqual(names);
			});
			await list.search(names.at(-1)!);
			await eventually(async () => expect(await list.entries()).toEqual([names.at(-1)]));
			await list.pick(names.at(-1)!);
			expect(await list.picked()).toBe(names.at(-1));
			await details.execute();
			await eventually(async () =>
				expect(await details.output.items()).toMatchObject([{ name: names.at(-1) }]),
			);
		});
	});

	test('a field of the list schema that is picked', async () => {
		await pictured(bench.editor, async () => {
			const schema = bench.service.data.listSchemas.get(schemas.orders)!;
			const details = await bench.editor.openNode(steps.deleteField.name);
			await pick(details, 'schemaId', schema.name);
			const [slug, field] = Object.entries(schema.fields)[1]!;
			await pick(details, 'fieldSlug', `${field.name} (${slug})`);
			await details.execute();
			await eventually(async () => expect(await details.output.items()).toEqual([{ deleted: 'true' }]));
			expect(Object.keys(schema.fields)).not.toContain(slug);
		});
	});

	test('a tag of the bot, searched for, to attach', async () => {
		await pictured(bench.editor, async () => {
			const { data } = bench.service;
			const details = await bench.editor.openNode(steps.attach.name);
			await details.fill('contactId', String(contacts.telegram));
			await details.fill('botId', String(bots.school));
			const list = details.list('tagName');
			await list.open();
			const { tags } = data.bots.get(bots.school)!;
			await eventually(async () => expect(await list.entries()).toEqual(tags));
			await list.search('групп');
			const found = tags.filter((tag) => tag.startsWith('Групп'));
			await eventually(async () => expect(await list.entries()).toEqual(found));
			await list.pick(found[0]!);
			await details.execute();
			expect(data.contacts.get(contacts.telegram)!.tags).toContain(found[0]);
		});
	});

	test('a tag of the contact, to detach', async () => {
		await pictured(bench.editor, async () => {
			const contact = bench.service.data.contacts.get(contacts.telegram)!;
			const [first, ...others] = contact.tags;
			const details = await bench.editor.openNode(steps.detach.name);
			await details.fill('contactId', String(contact.id));
			await pick(details, 'tagName', first!);
			await details.execute();
			expect(contact.tags).toEqual(others);
		});
	});

	test.each([
		['name', steps.byName, 'variableName'],
		['ID', steps.byId, 'variableId'],
	])('a variable, by its %s', async (_, { name }, parameter) => {
		await pictured(bench.editor, async () => {
			const contact = bench.service.data.contacts.get(contacts.telegram)!;
			const [first, ...others] = contact.variables;
			const details = await bench.editor.openNode(name);
			await details.fill('contactId', String(contact.id));
			await pick(details, parameter, `${first!.name} (${first!.value})`);
			await details.execute();
			expect(contact.variables).toEqual(others);
		});
	});
});

/** Lists that could not be loaded: n8n hands each on as a refused request, which the browser notes in its console. */
let failedLists = 0;

describe('a list that cannot be loaded says why', () => {
	const attachTo = (name: string) => ({
		name,
		parameters: { resource: 'tag', operation: 'attach', botId: String(bots.school) },
	});
	const [refused, again] = [attachTo('Refused'), attachTo('Again')];
	const lost = { name: 'Lost', parameters: { resource: 'listSchema', operation: 'get' } };
	const needing = [
		{ resource: 'tag', operation: 'attach', list: 'tagName', needed: 'botId' },
		{ resource: 'tag', operation: 'detach', list: 'tagName', needed: 'contactId' },
		{ resource: 'contactVariable', operation: 'upsert', list: 'variableName', needed: 'contactId' },
		{ resource: 'listSchema', operation: 'deleteField', list: 'fieldSlug', needed: 'schemaId' },
	].map(({ resource, operation, ...rest }) => ({
		...rest,
		name: `${operation} ${resource}`,
		parameters: { resource, operation },
	}));

	beforeAll(async () => {
		const nowhere = await bench.api.createCredential({
			name: 'Nowhere',
			type: credential.type,
			data: { baseUrl: `http://127.0.0.1:${await freePort()}`, token: 'any' },
		});
		const steps = needing.map(({ name, parameters }) => ({ name, parameters }));
		await openFan('Lists that fail', [...steps, refused, again, { ...lost, credential: nowhere }]);
	});
	afterEach(async () => await bench.editor.details.close());

	const problemOf = async (details: NodeDetails, parameter: string) => {
		const list = details.list(parameter);
		await list.open();
		failedLists++;
		const problem = await list.problem();
		return { ...problem, description: problem.description ?? '' };
	};

	test.each(needing)('$name: $needed is needed first', async ({ name, list, needed }) => {
		await pictured(bench.editor, async () => {
			const details = await bench.editor.openNode(name);
			const { displayName } = properties.find((property) => property.name === needed)!;
			expect(await problemOf(details, list)).toEqual({
				message: `Fill in '${displayName}' first`,
				description: expect.stringContaining(displayName) as string,
				leadsToCredential: false,
			});
		});
	});

	test('the token is refused', async () => {
		await pictured(bench.editor, async () => {
			bench.service.faults.add({ kind: 'answer', status: 401, body: { message: 'Unauthenticated.' } });
			const details = await bench.editor.openNode(refused.name);
			const { message, description } = tokenRefused(401, 'Unauthenticated.');
			expect(await problemOf(details, 'tagName')).toEqual({ message, description, leadsToCredential: true });
		});
	});

	test('the service is unreachable', async () => {
		await pictured(bench.editor, async () => {
			const details = await bench.editor.openNode(lost.name);
			const { message } = unreachable('');
			const problem = await problemOf(details, 'schemaId');
			expect(problem).toMatchObject({ message, leadsToCredential: false });
			expect(problem.description).toContain('Base URL');
		});
	});

	test('a list that could not be loaded is loaded when it is opened again', async () => {
		await pictured(bench.editor, async () => {
			bench.service.faults.add({ kind: 'forbidden' });
			const details = await bench.editor.openNode(again.name);
			await problemOf(details, 'tagName');
			bench.service.faults.clear();
			const list = details.list('tagName');
			await list.close();
			await list.open();
			const { tags } = bench.service.data.bots.get(bots.school)!;
			await eventually(async () => expect(await list.entries()).toEqual(tags));
		});
	});
});

describe('a run', () => {
	const bad = { id: 'абв', name: 'Иван' };
	const people = [{ id: contacts.telegram, name: 'Анна' }, bad, { id: contacts.viber, name: 'Мария' }];
	const send = {
		resource: 'message',
		operation: 'send',
		contactId: '={{ $json.id }}',
		text: '=Здравствуйте, {{ $json.name }}!',
	};
	const contactLabel = properties.find(({ name }) => name === 'contactId')!.displayName;

	const openOver = async (items: object[], step: Omit<Step, 'name'>) => {
		const { api, editor } = bench;
		const { id } = await api.createWorkflow(
			workflowOver('Run', items, { ...step, name: 'Node' }, credential),
		);
		await editor.openWorkflow(id);
		return await editor.openNode('Node');
	};

	test('puts its items out', async () => {
		await pictured(bench.editor, async () => {
			const ids = [contacts.telegram, contacts.whatsapp];
			const details = await openOver(
				ids.map((id) => ({ id })),
				{ parameters: { resource: 'tag', operation: 'getManyByContact', contactId: '={{ $json.id }}' } },
			);
			await details.execute();
			const tags = ids.flatMap((id) => bench.service.data.contacts.get(id)!.tags);
			await eventually(async () =>
				expect(await details.output.items()).toEqual(tags.map((name) => ({ name }))),
			);
			expect(await details.output.hints()).toEqual([]);
		});
	});

	test('that stops names the item and its field', async () => {
		await pictured(bench.editor, async () => {
			const details = await openOver(people, { parameters: send });
			await details.execute();
			const { message, description } = await details.output.error();
			expect(message).toContain(`'${contactLabel}'`);
			expect(message).toMatch(/item 1\b/i);
			expect(description).toContain(bad.id);
			expect(bench.service.requests).toEqual([]);
		});
	});

	test('that continues puts the item with its error out of the error branch, the others out of the other', async () => {
		await pictured(bench.editor, async () => {
			const details = await openOver(people, { parameters: send, onError: 'continueErrorOutput' });
			await details.execute();
			await eventually(async () =>
				expect(await details.output.items(0)).toEqual([{ success: 'true' }, { success: 'true' }]),
			);
			const error = expect.stringContaining(`'${contactLabel}'`) as string;
			await eventually(async () => expect(await details.output.items(1)).toMatchObject([{ ...bad, error }]));
			expect(bench.service.deliveries().map(({ recipient }) => recipient)).toEqual(
				[contacts.telegram, contacts.viber].map(String),
			);
			expect(await details.output.hints()).toEqual([
				'Of 3 items, 2 were done, 1 failed and 0 were not sent.',
			]);
		});
	});

	test("with 'Send Once Per' sends to nobody twice, says so over its output, and shows what the option does", async () => {
		await pictured(bench.editor, async () => {
			const reachable = people.filter((each) => each !== bad);
			const once = { ...send, options: { sendOncePer: 'осенняя-распродажа' } };
			const { id } = await bench.api.createWorkflow(
				workflowOver('Run', reachable, { parameters: once, name: 'Node' }, credential),
			);
			const first = await bench.api.runWorkflow(id);
			expect(first.output('Node').map(({ json }) => json)).toEqual(reachable.map(() => ({ success: true })));
			await bench.editor.openWorkflow(id);
			const details = await bench.editor.openNode('Node');
			await details.execute();
			await eventually(async () =>
				expect(await details.output.items()).toEqual(
					reachable.map(() => ({ success: 'true', alreadySent: 'true' })),
				),
			);
			expect(await details.output.hints()).toEqual([
				'Of 2 items, 2 were done, 0 failed and 0 were not sent. 2 were skipped: the message had been sent before.',
			]);
			expect(bench.service.deliveries()).toHaveLength(2);
			const { name, displayName, hint } = sendOncePer;
			expect(await details.fields()).toContainEqual({ name, label: displayName });
			expect(await details.text(name)).toContain(hint);
		});
	});

	test('is announced with how long the pace makes it take, once the items are there', async () => {
		await pictured(bench.editor, async () => {
			const many = Array.from({ length: 400 }, (_, index) => ({
				id: contacts.telegram + index,
				name: 'Анна',
			}));
			const details = await openOver(many, { parameters: send });
			expect(await details.output.hints()).toEqual([]);
			await details.executePrevious();
			// A messenger that is not known: one message a second, so 400 seconds.
			const wanted = paceHints.filter(({ message }) => message.includes('3 to 10 minutes'));
			expect(wanted).toHaveLength(1);
			await eventually(async () =>
				expect(await details.output.hints()).toEqual([wanted[0]!.message, onceHint.message]),
			);
			expect(bench.service.requests).toEqual([]);
		});
	});

	test('of a few items is not announced', async () => {
		await pictured(bench.editor, async () => {
			const details = await openOver(people, { parameters: send });
			await details.executePrevious();
			await eventually(async () => expect(await details.inputCount()).toBe(people.length));
			expect(await details.output.hints()).toEqual([]);
		});
	});
});

test('the browser complains of nothing but the lists that could not be loaded', () => {
	const { complaints, outside } = bench.editor;
	// The node panel asks the npm registry about every community package whose details it shows.
	expect(outside.filter((url) => !url.endsWith(`/${packageName}`))).toEqual([]);
	// The editor asks for previews of what n8n's own nodes put out, and n8n does not have all of them.
	const ours = complaints.filter(({ source }) => !source.includes('/schemas/n8n-nodes-base.'));
	const ofLists = ours.filter(({ source }) =>
		source.endsWith('/rest/dynamic-node-parameters/resource-locator-results'),
	);
	expect(ours.filter((each) => !ofLists.includes(each))).toEqual([]);
	expect(failedLists).toBeGreaterThan(0);
	expect(ofLists).toHaveLength(failedLists);
});

const sendOncePer = properties
	.find(({ name }) => name === 'options')!
	.options!.find(({ name }) => name === 'sendOncePer') as INodeProperties;

const resourceParameter = properties.find(({ name }) => name === 'resource')!;

const labelOf = ({ options }: Pick<INodeProperties, 'options'>, value: unknown) =>
	(options as INodePropertyOptions[]).find((option) => option.value === value)!.name;

const parameterIn = (state: Case, name: string) => shownIn(chosen(state)).find((each) => each.name === name)!;

/** What the table wants for a state, with the words of the description. */
function wantedIn(state: Case) {
	const labels = new Map(shownIn(chosen(state)).map(({ name, displayName }) => [name, displayName]));
	const notices = noticesIn(chosen(state)).map(
		(notice) => properties.find(({ name }) => name === notice)!.displayName,
	);
	return {
		fields: [
			{ name: 'resource', label: 'Resource' },
			{ name: 'operation', label: 'Operation' },
			...state.shown.map((name) => ({ name, label: labels.get(name) })),
		],
		notices,
	};
}

/** Opens a new workflow of nodes that have nothing to do with each other. */
async function openFan(name: string, steps: Parameters<typeof fan>[1]): Promise<void> {
	const { id } = await bench.api.createWorkflow(fan(name, steps, credential));
	await bench.editor.openWorkflow(id);
}

async function switchTo(details: NodeDetails, resource: string, operation: string): Promise<void> {
	await details.choose('resource', labelOf(resourceParameter, resource));
	const options = operationsOf(resource);
	// The Operation parameter of the resource before stays for a moment.
	await eventually(async () =>
		expect(options.map(({ name }) => name)).toContain(await details.value('operation')),
	);
	await details.choose('operation', labelOf({ options }, operation));
}

async function set(details: NodeDetails, parameter: INodeProperties, value: unknown): Promise<void> {
	const { name, type } = parameter;
	if (type === 'boolean') {
		if ((await details.isOn(name)) !== value) await details.toggle(name);
	} else if (type === 'multiOptions') {
		const wanted = (value as string[]).map((each) => labelOf(parameter, each));
		const present = await details.chosen(name);
		const different = [
			...wanted.filter((label) => !present.includes(label)),
			...present.filter((label) => !wanted.includes(label)),
		];
		for (const label of different) await details.toggleOption(name, label);
	} else {
		await details.choose(name, labelOf(parameter, value));
	}
}
