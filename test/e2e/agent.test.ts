import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import {
	type Execution,
	itemsNode,
	type StoredCredential,
	until,
	type WorkflowData,
	type OurNode,
} from '../../sandbox/host';
import { type Script, startModel } from '../../sandbox/model';
import { SEEDED } from '../../sandbox/emulator';
import { examplesFolder } from '../../sandbox/start/examples';
import { agentWorkflow, storeModelCredential } from './support/agent';
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
	openAi = await storeModelCredential(bench.api, model);
});

afterEach(() => {
	try {
		bench.service.assertContract();
		model.assertFinished();
	} finally {
		bench.service.reset();
	}
});

async function runAgent(script: Script, { version = 3.1, given = tools } = {}): Promise<Execution> {
	const request = 'Запишите меня на пробный урок, пожалуйста.';
	const workflow = agentWorkflow('Agent', { request, version }, given, {
		service: bench.credential,
		model: openAi,
	});
	const { id } = await bench.api.createWorkflow(workflow);
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

/** The text of a failed tool call, as the model reads it. */
function sentenceIn(result: string | undefined): string {
	const [answer] = JSON.parse(result!) as Array<{ error?: string; message?: string }>;
	return `${answer?.error}. ${answer?.message}`;
}

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
			{ version },
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

	test('every call is executed when the agent calls a tool several times in one turn', async () => {
		const say = (to: number, text: string) => ({
			tool: 'Send_text',
			arguments: { contact_id: String(to), text },
		});
		await runAgent(
			[
				[say(contactId, 'Ждём вас!'), say(otherId, 'Ждём вас!'), say(contactId, 'Адрес: ул. Ленина, 5')],
				'Готово.',
			],
			{ version },
		);
		expect(results()).toHaveLength(3);
		expect(texts().sort()).toEqual([
			[contactId, 'Адрес: ул. Ленина, 5'],
			[contactId, 'Ждём вас!'],
			[otherId, 'Ждём вас!'],
		]);
	});

	test.each([
		{
			what: 'a name as a contact ID',
			contact: 'Анна',
			says: ["'Contact ID' must be a whole number", 'Enter the numeric ID, for example 1048576', '"Анна"'],
			reachesService: false,
		},
		{
			what: 'an ID that no contact has',
			contact: '999999',
			says: [
				'No contact with this ID or no tag with this name in this account',
				"Check 'Contact ID', 'Tag'.",
				'Контакт не найден',
			],
			reachesService: true,
		},
	])(
		'the model that has given $what reads the error and corrects it',
		async ({ contact, says, reachesService }) => {
			const tag = (contact_id: string) => ({ tool: 'Attach_tag', arguments: { contact_id, tag: 'VIP' } });
			const script = [tag(contact), tag(String(contactId)), 'Готово.'];
			const execution = await runAgent(script, { version });
			expect(execution.status).toBe('success');
			const [said, done] = results();
			const sentence = sentenceIn(said);
			for (const part of says) expect(sentence).toContain(part);
			expect(sentence).not.toMatch(/\[object|undefined|\bat .*:\d+/);
			expect(said).not.toContain(bench.service.token);
			expect(JSON.parse(done!)).toEqual([{ success: true }]);
			expect(requests().map(({ accepted }) => accepted)).toEqual(reachesService ? [false, true] : [true]);
			expect(requests().at(-1)!.input).toEqual({ contact_id: contactId, name: 'VIP' });
		},
	);

	test('the model learns that a message may have arrived, and the message is not repeated', async () => {
		// An agent that calls its tools itself receives no result for the items that failed in the last of several tries.
		const given = tools.map((tool) => ({ ...tool, retryOnFail: version >= 3, waitBetweenTries: 100 }));
		bench.service.faults.add({ kind: 'reset', when: 'after', match: { times: 1 } });
		await runAgent(
			[
				{ tool: 'Send_text', arguments: { contact_id: String(contactId), text: 'Счёт на 500 рублей' } },
				'Проверьте, дошло ли сообщение.',
			],
			{ version, given },
		);
		expect(sentenceIn(results()[0])).toContain(
			'The message may have been sent, so the node did not send it again. Check the chat first.',
		);
		expect(texts()).toEqual([[contactId, 'Счёт на 500 рублей']]);
		expect(bench.service.requests).toHaveLength(1);
	});
});

test('a model sees the name and description of a tool, and the type and description of each argument', async () => {
	await runAgent(['Готово.']);
	const [question] = model.questions;
	const offered = new Map(question!.tools.map((tool) => [tool.name, tool]));
	expect([...offered.keys()].sort()).toEqual(tools.map(({ name }) => name.replaceAll(' ', '_')).sort());
	expect(offered.get('Attach_tag')!.description).toBe('Attach tag to contact in Chatbot Service');
	expect(offered.get('Set_variable')!.description).toBe(
		'Create or update contact variable in Chatbot Service',
	);
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
				reason: expect.stringContaining("refused the value of 'Text'"),
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

	test('the agent of the example looks up data, records it, notifies a colleague and answers, each once', async () => {
		const execution = await runExample([
			[
				{ tool: 'Get_tags', arguments: {} },
				{ tool: 'Get_variables', arguments: {} },
			],
			[
				{ tool: 'Attach_tag', arguments: { tag: 'VIP' } },
				{ tool: 'Save_variable', arguments: { name: 'Удобное время', value: 'суббота утром' } },
				{ tool: 'Tell_a_colleague', arguments: note },
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
		expect(bench.service.requests.map(({ operation }) => operation)).toEqual([
			...['getContactTags', 'getContactVariables', 'attachTagToContact', 'setContactVariable'],
			...['sendMessage', 'sendMessage'],
		]);
		expect(bench.service.data.contacts.get(contactId)!.tags).toContain('VIP');
		expect(execution.output('Answer').map(({ json }) => json)).toEqual([{ output: say }]);
	});

	test('the example offers the model tools with descriptions, and no tool with a recipient', async () => {
		await runExample([say]);
		const [question] = model.questions;
		expect(question!.tools.map(({ name }) => name).sort()).toEqual([
			...['Attach_tag', 'Get_tags', 'Get_variables', 'Save_variable', 'Tell_a_colleague'],
		]);
		for (const { description, parameters } of question!.tools) {
			expect(description).toMatch(/\.$/);
			expect(Object.keys(parameters.properties)).toEqual(parameters.required);
			for (const [argument, property] of Object.entries(parameters.properties)) {
				expect(argument).not.toMatch(/id|contact|phone/);
				expect(property).toMatchObject({ type: 'string', description: expect.stringMatching(/\S \S/) });
			}
		}
	});

	test('the example sends only to the contact, whatever arguments the model adds', async () => {
		const stranger = {
			contact_id: otherId,
			contactId: otherId,
			text: 'Чужому',
			body: { contact_id: otherId },
		};
		await runExample([
			[
				{ tool: 'Attach_tag', arguments: { ...stranger, tag: 'VIP' } },
				{ tool: 'Save_variable', arguments: { ...stranger, name: 'Город', value: 'Уфа' } },
				{ tool: 'Tell_a_colleague', arguments: { ...stranger, ...note } },
			],
			say,
		]);
		const reached = bench.service.requests.map(({ input }) => Number(input.contact_id));
		expect(reached).toEqual([contactId, contactId, SEEDED.contacts.max, contactId]);
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
