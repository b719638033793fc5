import { type OurNode, type StoredCredential } from '../../sandbox/host';
import { type Script, startModel } from './support/model';
import { SEEDED } from '../../sandbox/emulator';
import { description, operationsOf } from '../description/editor';
import {
	AGENT,
	agentWorkflow,
	callWithReview,
	combined,
	discountFor,
	modelCredential,
	reviewBy,
} from './support/agent';
import { duringTests } from '../duringTests';
import { blocked, openExample, refusal, rows } from './support/examples';
import { answer, nextLink, openPage } from './support/pages';

/* The node as a tool of n8n's AI Agent. A test script plays the model; everything else is real. */

const { telegram: contactId, whatsapp: otherId, max: colleague } = SEEDED.contacts;

const { bench, call, change, delivered, ended, publish, run } = openExample('support-agent.json');
const model = duringTests(startModel);
let openAi: StoredCredential;

beforeAll(async () => {
	openAi = await bench.api.createCredential(modelCredential(model));
});

afterEach(() => model.assertFinished());

/** Starts an agent whose model follows the script. */
async function start(script: Script, agent: { version?: number; tools: OurNode[]; review?: OurNode }) {
	const { api, credential } = bench;
	const { id } = await api.createWorkflow(agentWorkflow({ ...agent, model: openAi, credential }));
	model.script(script);
	return await api.startWorkflow(id);
}

const saidBy = async (executionId: string) => rows(await ended({ executionId }), AGENT);

/** The answers of the tools to all calls of the model. */
const results = () => model.questions.at(-1)!.results.map((result) => JSON.parse(result) as unknown);

/** Tools whose values all come from the model, as n8n's button beside each field sets them. */
const tools: OurNode[] = [
	{
		name: 'Set variable',
		parameters: {
			resource: 'contactVariable',
			operation: 'upsert',
			contactId: "={{ $fromAI('contact_id', 'ID of the contact', 'number') }}",
			variableName: {
				__rl: true,
				mode: 'name',
				value: "={{ $fromAI('name', 'Name of the variable', 'string') }}",
			},
			variableValue: "={{ $fromAI('value', 'Its value', 'string') }}",
			deletable: "={{ $fromAI('deletable', 'Whether it goes with the next request', 'boolean') }}",
		},
	},
	{
		name: 'Send text',
		parameters: {
			resource: 'message',
			operation: 'send',
			contactId: "={{ $fromAI('contact_id', 'ID of the contact', 'string') }}",
			text: "={{ $fromAI('text', 'What to say', 'string') }}",
		},
	},
];

/** From version 3 on, n8n's engine runs the tools of the agent; before that, the agent calls them itself. */
test.each([3.1, 2.2])(
	'the model of an agent of version %s sees what each tool does and what its arguments mean, and each call is made once',
	async (version) => {
		const variable = { name: 'Удобное время', value: 'суббота, утро' };
		const text = 'Записали вас на субботу.';
		const script = [
			{ tool: 'Set_variable', arguments: { contact_id: contactId, ...variable, deletable: true } },
			{ tool: 'Send_text', arguments: { contact_id: ` ${contactId} `, text } },
			'Готово.',
		];
		expect(await saidBy(await start(script, { version, tools }))).toEqual([{ output: 'Готово.' }]);
		expect(results()).toMatchObject([[{ success: true }], [{ success: true }]]);
		const contact_id = String(contactId);
		expect(bench.service.requests).toMatchObject([
			{ operation: 'setContactVariable', input: { contact_id, ...variable, deletable: '1' } },
			{ operation: 'sendMessage', input: { contact_id, text } },
		]);

		const offered = Object.fromEntries(model.questions[0]!.tools.map((tool) => [tool.name, tool]));
		const { action } = operationsOf('message').find(({ value }) => value === 'send')!;
		expect(offered.Send_text!.description).toBe(`${action} in ${description.displayName}`);
		expect(offered.Set_variable!.parameters).toMatchObject({
			required: ['contact_id', 'name', 'value', 'deletable'],
			properties: {
				contact_id: { type: 'number', description: 'ID of the contact' },
				name: { type: 'string', description: 'Name of the variable' },
				value: { type: 'string', description: 'Its value' },
				deletable: { type: 'boolean', description: 'Whether it goes with the next request' },
			},
		});
	},
);

test.each([3.1, 2.2])(
	'an agent of version %s finds a person, saves several values at once, and asks another endpoint',
	async (version) => {
		const answers = { Город: 'Уфа', 'Удобное время': 'суббота' };
		const script = [
			{ tool: 'Find_contact', arguments: { phone: '8 916 123-45-67' } },
			{ tool: 'Find_contact', arguments: { phone: '+79990000000' } },
			{ tool: 'Save_answers', arguments: { contact_id: String(contactId), answers } },
			{ tool: 'Save_good', arguments: { article: '00421', price: 1700 } },
			{ tool: 'Get_referrals', arguments: { contact_id: String(contactId) } },
			'Готово.',
		];
		expect(await saidBy(await start(script, { version, tools: combined }))).toEqual([{ output: 'Готово.' }]);
		const [found, nobody, saved, good, invited] = results();
		expect(found).toMatchObject([{ id: contactId }]);
		expect(JSON.stringify(nobody)).toContain('No contact with this');
		expect(saved).toMatchObject([{ success: true }]);
		expect(good).toMatchObject([{ article: '00421', price: 1700, title: 'Орхидея в горшке' }]);
		expect(invited).toMatchObject([{ id: otherId }]);
		expect(bench.service.requests.filter(({ operation }) => operation === 'setContactVariable')).toHaveLength(
			2,
		);
	},
);

describe('example "Support agent"', () => {
	const say = 'Записала вас! Школа подтвердит время сегодня.';

	beforeAll(async () => {
		// Stored again, n8n finds the credential for the model by its name.
		await change({});
		await publish();
	});

	test('the agent of the example answers the bot at once, looks up data, records it, notifies a colleague and answers, each once, and only for the contact, whatever arguments the model adds', async () => {
		const note = { summary: 'Анна просит пробный урок в субботу утром, уровень B1. Подтвердите время.' };
		const variable = { name: 'Удобное время', value: 'суббота утром' };
		const body = { contact_id: otherId };
		const stranger = { contact_id: otherId, contactId: otherId, text: 'Чужому', body };
		model.script([
			[
				{ tool: 'Get_tags', arguments: {} },
				{ tool: 'Get_variables', arguments: {} },
			],
			[
				{ tool: 'Attach_tag', arguments: { ...stranger, tag: 'VIP' } },
				{ tool: 'Save_variable', arguments: { ...stranger, ...variable } },
				{ tool: 'Tell_a_colleague', arguments: { ...stranger, ...note } },
			],
			say,
		]);
		bench.service.faults.add({ kind: 'delay', ms: 3_000, match: { path: 'getContactTags' } });
		const called = await call({ contact_id: contactId, text: 'Запишите меня на пробный урок.' });
		expect(called).toMatchObject({ answer: { status: 200, body: '' }, answeredBefore: 0 });
		expect(rows(await ended(called), 'Answer')).toEqual([{ output: say }]);
		const [tags, variables] = results();
		expect(tags).toContainEqual({ name: 'Группа B1' });
		expect(variables).toContainEqual(expect.objectContaining({ name: 'Город', value: 'Казань' }));
		expect(delivered()).toEqual({
			[colleague]: [`Клиент ${contactId}: ${note.summary}`],
			[contactId]: [say],
		});
		const requests = bench.service.requests.map(
			({ operation, input }) => `${operation} ${String(input.contact_id)}`,
		);
		expect(requests.sort()).toEqual([
			`attachTagToContact ${contactId}`,
			`getContactTags ${contactId}`,
			`getContactVariables ${contactId}`,
			`sendMessage ${contactId}`,
			`sendMessage ${colleague}`,
			`setContactVariable ${contactId}`,
		]);
		for (const { description: about, parameters } of model.questions[0]!.tools) {
			expect(about).toMatch(/\.$/);
			// No tool lets the model choose the recipient.
			expect(Object.keys(parameters.properties).join()).not.toMatch(/id|contact|phone/);
		}
	});

	test('a model that may fill in the recipient of the tool reaches only the colleague', async () => {
		const recipient = "={{ $fromAI('contact_id', 'ID of the colleague', 'string') }}";
		await change({ 'Tell a colleague': { contactId: recipient } });
		const tell = (to: number, summary: string) => ({
			tool: 'Tell_a_colleague',
			arguments: { contact_id: String(to), summary },
		});
		model.script([[tell(otherId, 'Чужому.'), tell(contactId, 'Клиенту.'), tell(colleague, 'Коллеге.')], say]);
		await run();
		expect(delivered()).toEqual({
			[colleague]: [`Клиент ${contactId}: Коллеге.`],
			[contactId]: [say],
		});
		const refused = [{ error: expect.stringContaining("'Allowed Recipients'") }];
		expect(results()).toMatchObject([refused, refused, [{ success: true }]]);
	});

	test('when the service refuses the answer, the message goes to the error output with the reason', async () => {
		bench.service.faults.add(refusal('sendMessage'));
		model.script([say]);
		const execution = await run();
		const text = expect.stringContaining('пробный урок');
		const details = expect.stringContaining(blocked);
		expect(rows(execution, 'Not answered')).toMatchObject([{ contact_id: String(contactId), text, details }]);
		expect(execution.nodes).not.toContain('Answer');
	});
});

/* n8n makes a review of the node, which asks a person before a tool runs. */
describe('a person decides', () => {
	const reviewed = { tools: [discountFor(otherId)], review: reviewBy(contactId) };

	const tags = () => bench.service.data.contacts.get(otherId)!.tags;
	/** What the model was told about its calls. */
	const told = () => model.questions.at(-1)!.results.join('\n');

	test('the person sees what the tool would do, and the tool runs after approval', async () => {
		const executionId = await start([callWithReview, 'Готово.'], reviewed);
		const link = await nextLink(bench, executionId, 0);
		const [text] = delivered()[contactId]!;
		expect(text).toMatch(/Give[ _]discount/);
		expect(text).toContain('"discount": "VIP"');
		expect((await openPage(link)).text).toContain('&quot;VIP&quot;');
		expect(tags()).not.toContain('VIP');
		await answer(link, { answer: 'approve' });
		expect(await saidBy(executionId)).toEqual([{ output: 'Готово.' }]);
		expect(tags()).toContain('VIP');
	});

	test.each([
		['the person declines', contactId],
		['the question cannot be sent', 999_999_999],
	])('the tool does not run when %s, and the model is told', async (_, manager) => {
		const review = reviewBy(manager);
		const executionId = await start([callWithReview, 'Скидки не будет.'], { ...reviewed, review });
		if (manager === contactId) await answer(await nextLink(bench, executionId, 0), { answer: 'decline' });
		expect(await saidBy(executionId)).toEqual([{ output: 'Скидки не будет.' }]);
		expect(told()).toMatch(/reject/i);
		expect(tags()).not.toContain('VIP');
	});

	test('as a plain tool, the node asks, and the model reads the answer', async () => {
		const question: OurNode = {
			name: 'Ask for a discount',
			parameters: {
				resource: 'message',
				operation: 'sendAndWait',
				contactId: String(contactId),
				message: "={{ $fromAI('question', 'What to ask the manager', 'string') }}",
				responseType: 'freeText',
			},
		};
		const asks = { tool: 'Ask_for_a_discount', arguments: { question: 'Дать Анне скидку 10 %?' } };
		const executionId = await start([asks, 'Скидка 5 %.'], { tools: [question] });
		const link = await nextLink(bench, executionId, 0);
		expect(bench.service.deliveries()[0]!.text).toMatch(/^Дать Анне скидку 10 %\?\n\n/);
		await answer(link, { text: 'Да, но 5 %' });
		expect(await saidBy(executionId)).toEqual([{ output: 'Скидка 5 %.' }]);
		expect(told()).toContain('Да, но 5 %');
	});
});
