import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import {
	type Execution,
	itemsNode,
	type OurNode,
	type StoredCredential,
	until,
	type WorkflowData,
} from '../../sandbox/host';
import { valuesRefused } from '../../nodes/ChatbotService/client/failure';
import { type Script, startModel } from './support/model';
import { SEEDED } from '../../sandbox/emulator';
import { examplesFolder } from '../../sandbox/start/examples';
import { description, operationsOf } from '../description/editor';
import { labelOf } from '../operations/words';
import { agentWorkflow, checkAndReset, modelCredential } from './support/agent';
import { openBench } from './support/bench';
import { duringTests } from './support/duringTests';
import { isRegistered, post, webhookUrl } from './support/webhook';

/* The node as a tool of n8n's AI Agent. A test script plays the model; everything else is real. */

const { telegram: contactId, whatsapp: otherId } = SEEDED.contacts;

const fromModel = (key: string, description: string, type = 'string') =>
	`={{ $fromAI('${key}', '${description}', '${type}') }}`;
const named = (value: string) => ({ __rl: true, mode: 'name', value });

/** Tools whose values all come from the model, as n8n's button beside each field sets them. */
const tools: OurNode[] = [
	{
		name: 'Attach tag',
		parameters: {
			resource: 'tag',
			operation: 'attach',
			contactId: fromModel('contact_id', 'ID of the contact, a whole number'),
			tagName: named(fromModel('tag', 'The tag')),
		},
	},
	{
		name: 'Get tags',
		parameters: {
			resource: 'tag',
			operation: 'getManyByContact',
			contactId: fromModel('contact_id', 'ID of the contact, a whole number'),
			returnAll: fromModel('all', 'Whether all tags are wanted', 'boolean'),
			limit: fromModel('limit', 'How many tags at most', 'number'),
		},
	},
	{
		name: 'Set variable',
		parameters: {
			resource: 'contactVariable',
			operation: 'upsert',
			contactId: fromModel('contact_id', 'ID of the contact', 'number'),
			variableName: named(fromModel('name', 'Name of the variable')),
			variableValue: fromModel('value', 'Its value'),
			deletable: fromModel('deletable', 'Whether it goes with the next request', 'boolean'),
		},
	},
	{
		name: 'Send text',
		parameters: {
			resource: 'message',
			operation: 'send',
			contactId: fromModel('contact_id', 'ID of the contact, a whole number'),
			text: fromModel('text', 'What to say'),
		},
	},
];

const EXAMPLE = 'support-agent.json';
const ERROR_WORDS = 'Контакт запретил писать ему.';

const model = duringTests(startModel);
const bench = duringTests(openBench);
let openAi: StoredCredential;
let withoutModel: Execution;

beforeAll(async () => {
	// There is no credential for a model yet.
	withoutModel = await bench.api.runWorkflow(bench.examples.get(EXAMPLE)!);
	// With the name that the examples use.
	openAi = await bench.api.createCredential(modelCredential(model));
});

afterEach(() => checkAndReset(bench, model));

async function runAgent(script: Script, version = 3.1): Promise<Execution> {
	const { id } = await bench.api.createWorkflow(
		agentWorkflow({ version, tools, model: openAi, credential: bench.credential }),
	);
	model.script(script);
	return await bench.api.runWorkflow(id);
}

/** The requests to the service, without the token. */
const requests = () =>
	bench.service.requests.map(({ operation, input: { api_token: _token, ...input }, accepted }) => ({
		operation,
		input,
		accepted,
	}));

const texts = () => bench.service.deliveries().map(({ contactId: to, text }) => [to, text]);

/** The answers of the tools to all calls of the model. */
const results = () => model.questions.at(-1)!.results;

/** From version 3 on, n8n's engine runs the tools of the agent; before that, the agent calls them itself. */
describe.each([3.1, 2.2])('agent of version %s', (version) => {
	test('the agent tags, sets a variable and sends a message, each once, and the model reads the success', async () => {
		const execution = await runAgent(
			[
				{ tool: 'Get_tags', arguments: { contact_id: String(contactId), all: false, limit: 2 } },
				{ tool: 'Attach_tag', arguments: { contact_id: String(contactId), tag: 'VIP' } },
				{
					tool: 'Set_variable',
					arguments: {
						contact_id: contactId,
						name: 'Удобное время',
						value: 'суббота, утро',
						deletable: true,
					},
				},
				{ tool: 'Send_text', arguments: { contact_id: ` ${contactId} `, text: 'Записали вас на субботу.' } },
				'Готово.',
			],
			version,
		);
		expect(execution.error).toBeUndefined();
		expect(execution.output('Agent').map(({ json }) => json)).toEqual([{ output: 'Готово.' }]);
		expect(results().map((result) => JSON.parse(result) as unknown)).toEqual([
			[{ name: 'Новый лид' }, { name: 'Пробный урок' }],
			[{ success: true }],
			[{ success: true }],
			[{ success: true }],
		]);
		const contact_id = String(contactId);
		expect(requests()).toEqual([
			{ operation: 'getContactTags', input: { contact_id }, accepted: true },
			{ operation: 'attachTagToContact', input: { contact_id: contactId, name: 'VIP' }, accepted: true },
			{
				operation: 'setContactVariable',
				input: { contact_id, name: 'Удобное время', value: 'суббота, утро', deletable: '1' },
				accepted: true,
			},
			{ operation: 'sendMessage', input: { contact_id, text: 'Записали вас на субботу.' }, accepted: true },
		]);
		expect(texts()).toEqual([[contactId, 'Записали вас на субботу.']]);
		const contact = bench.service.data.contacts.get(contactId)!;
		expect(contact.tags).toContain('VIP');
		expect(contact.variables.at(-1)).toMatchObject({ name: 'Удобное время', value: 'суббота, утро' });
	});
});

test('a model sees the name and description of a tool, and the type and description of each argument', async () => {
	await runAgent(['Готово.']);
	const [question] = model.questions;
	const offered = new Map(question!.tools.map((tool) => [tool.name, tool]));
	expect([...offered.keys()].sort()).toEqual(tools.map(({ name }) => name.replaceAll(' ', '_')).sort());
	for (const { name, parameters } of tools) {
		const { action } = operationsOf(String(parameters.resource)).find(
			({ value }) => value === parameters.operation,
		)!;
		expect(offered.get(name.replaceAll(' ', '_'))!.description).toBe(
			`${action} in ${description.displayName}`,
		);
	}
	expect(offered.get('Set_variable')!.parameters).toMatchObject({
		required: ['contact_id', 'name', 'value', 'deletable'],
		properties: {
			contact_id: { type: 'number', description: 'ID of the contact' },
			name: { type: 'string', description: 'Name of the variable' },
			value: { type: 'string', description: 'Its value' },
			deletable: { type: 'boolean', description: 'Whether it goes with the next request' },
		},
	});
});

describe('example "Support agent"', () => {
	const say = 'Записала вас! Школа подтвердит время сегодня.';
	const note = { summary: 'Анна просит пробный урок в субботу утром, уровень B1. Подтвердите время.' };
	let workflow: WorkflowData;

	beforeAll(async () => {
		workflow = JSON.parse(await readFile(join(examplesFolder, EXAMPLE), 'utf8')) as WorkflowData;
	});

	/** Imports it like a user who has both credentials, and runs it. */
	async function runExample(script: Script, { nodes } = workflow): Promise<Execution> {
		const { id } = await bench.api.createWorkflow({ ...workflow, nodes });
		model.script(script);
		return await bench.api.runWorkflow(id);
	}

	const notAnswered = (execution: Execution) => execution.output('Not answered').map(({ json }) => json);

	test('without a model, the example says what is missing and sends nothing', () => {
		expect(JSON.stringify([withoutModel.error, notAnswered(withoutModel)])).toContain('OpenAI Chat Model');
		expect(withoutModel.nodes).not.toContain('Send answer');
	});

	test('when the model or the service fails, the message goes to the error output with the reason', async () => {
		const message = { contact_id: String(contactId), text: expect.stringContaining('пробный урок') };
		const refused = await bench.api.createCredential({
			name: 'Refused',
			type: 'openAiApi',
			data: { apiKey: 'not-the-key', url: model.url, header: false },
		});
		const nodes = workflow.nodes.map((node) =>
			node.credentials?.openAiApi ? { ...node, credentials: { openAiApi: refused } } : node,
		);
		const withoutWords = await runExample([], { ...workflow, nodes });
		await bench.api.deleteCredential(refused.id);
		expect(notAnswered(withoutWords)).toEqual([
			expect.objectContaining({ ...message, reason: expect.stringMatching(/\S/) }),
		]);
		expect(bench.service.requests).toEqual([]);

		const body = { message: 'The given data was invalid.', errors: { text: [ERROR_WORDS] } };
		bench.service.faults.add({ kind: 'answer', status: 422, body });
		const execution = await runExample([say]);
		expect(notAnswered(execution)).toEqual([
			{
				...message,
				reason: expect.stringContaining(valuesRefused(422, [labelOf('message/send', 'text')], '').message),
				details: expect.stringContaining(ERROR_WORDS),
			},
		]);
		expect(execution.nodes).not.toContain('Answer');
	});

	test('the example answers its webhook before the service answers, without a text for the bot to show', async () => {
		const { id } = await bench.api.createWorkflow(workflow);
		await bench.api.activateWorkflow(id);
		const address = webhookUrl(bench.host.url, 'support-agent');
		await until(async () => await isRegistered(address));
		model.script([{ tool: 'Get_tags', arguments: {} }, say]);
		bench.service.faults.add({ kind: 'delay', ms: 3_000, match: { path: 'getContactTags' } });

		const response = await post(address, { contact_id: otherId, text: 'Здравствуйте' });
		expect([response.status, await response.text()]).toEqual([200, '']);
		expect(bench.service.requests.filter(({ answeredAt }) => answeredAt !== undefined)).toEqual([]);

		await until(async () => (await bench.api.executions(id))[0]?.status === 'success');
		expect(texts()).toEqual([[otherId, say]]);
	});

	test('the agent of the example looks up data, records it, notifies a colleague and answers, each once, and only for the contact, whatever arguments the model adds', async () => {
		const stranger = {
			contact_id: otherId,
			contactId: otherId,
			text: 'Чужому',
			body: { contact_id: otherId },
		};
		const execution = await runExample([
			[
				{ tool: 'Get_tags', arguments: {} },
				{ tool: 'Get_variables', arguments: {} },
			],
			[
				{ tool: 'Attach_tag', arguments: { ...stranger, tag: 'VIP' } },
				{
					tool: 'Save_variable',
					arguments: { ...stranger, name: 'Удобное время', value: 'суббота утром' },
				},
				{ tool: 'Tell_a_colleague', arguments: { ...stranger, ...note } },
			],
			say,
		]);
		expect(execution.error).toBeUndefined();
		const [tags, variables] = results().map((result) => JSON.parse(result) as unknown[]);
		expect(tags).toContainEqual({ name: 'Группа B1' });
		expect(variables).toContainEqual(expect.objectContaining({ name: 'Город', value: 'Казань' }));
		expect(texts()).toEqual([
			[SEEDED.contacts.max, `Клиент ${contactId}: ${note.summary}`],
			[contactId, say],
		]);
		expect(
			bench.service.requests.map(({ operation, input }) => [operation, Number(input.contact_id)]),
		).toEqual([
			['getContactTags', contactId],
			['getContactVariables', contactId],
			['attachTagToContact', contactId],
			['setContactVariable', contactId],
			['sendMessage', SEEDED.contacts.max],
			['sendMessage', contactId],
		]);
		expect(bench.service.data.contacts.get(contactId)!.tags).toContain('VIP');
		expect(execution.output('Answer').map(({ json }) => json)).toEqual([{ output: say }]);
		for (const { description, parameters } of model.questions[0]!.tools) {
			expect(description).toMatch(/\.$/);
			// No tool lets the model choose the recipient.
			expect(Object.keys(parameters.properties).join()).not.toMatch(/id|contact|phone/);
		}
	});

	test('the agent of the example remembers the conversation', async () => {
		const { id } = await bench.api.createWorkflow(workflow);
		model.script([say, 'Ждём вас!']);
		await bench.api.runWorkflow(id);
		await bench.api.runWorkflow(id);
		const [, second] = model.questions;
		expect(second!.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user']);
		expect(second!.messages[2]!.text).toBe(say);
	});

	test('when several messages arrive at once, the example answers one, and not with the data of another', async () => {
		const nodes = workflow.nodes.map((node) =>
			node.name === 'Test message'
				? {
						...node,
						...itemsNode(node.name, [
							{ contact_id: otherId, text: 'Первый' },
							{ contact_id: contactId, text: 'Второй' },
						]),
					}
				: node,
		);
		const { id } = await bench.api.createWorkflow({ ...workflow, nodes });
		model.script([{ tool: 'Attach_tag', arguments: { tag: 'VIP' } }, say]);
		await bench.api.runWorkflow(id);
		expect(bench.service.requests.map(({ input }) => Number(input.contact_id))).toEqual([otherId, otherId]);
	});
});
