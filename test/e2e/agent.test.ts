import type { StoredCredential } from '../../sandbox/host';
import { SEEDED } from '../../sandbox/emulator';
import { description, operationsOf } from '../description/editor';
import { duringTests } from '../duringTests';
import { AGENT, agentWorkflow, byModel, modelCredential, named } from './support/agent';
import { blocked, exampleIn, openExamples, refusal, rows, serviceIn } from './support/examples';
import { startModel } from './support/model';

/* The node as a tool of n8n's AI Agent. A test script plays the model; everything else is real. */

const { telegram: contactId, whatsapp: otherId, max: colleague } = SEEDED.contacts;

const bench = openExamples();
const { delivered } = serviceIn(bench);
const { call, change, ended, publish, run } = exampleIn(bench, 'support-agent.json');
const model = duringTests(startModel);
let openAi: StoredCredential;

beforeAll(async () => {
	openAi = await bench.api.createCredential(modelCredential(model));
	// Stored again, n8n finds the credential for the model by its name.
	await change({});
	await publish();
});
afterEach(() => model.assertFinished());

/** The answers of the tools to all calls of the model. */
const results = () => model.questions.at(-1)!.results.map((result) => JSON.parse(result) as unknown);

const tools = [
	{
		name: 'Save answers',
		parameters: {
			...{ resource: 'contactVariable', operation: 'upsertMany', variablesInput: 'json' },
			contactId: byModel('contact_id', 'ID of the contact', 'number'),
			variablesJson: byModel('answers', 'What they say', 'json'),
		},
	},
	{
		name: 'Set variable',
		parameters: {
			...{ resource: 'contactVariable', operation: 'upsert', contactId: byModel('contact_id') },
			variableName: named(byModel('name', 'Name of the variable')),
			variableValue: byModel('value', 'Its value'),
			deletable: byModel('deletable', 'Whether it goes with the next request', 'boolean'),
		},
	},
];

/** From version 3 on, n8n's engine runs the tools of the agent; before that, the agent calls them itself. */
test.each([3.1, 2.2])('each call of agent %s is made once', async (version) => {
	const { api, credential, service } = bench;
	const variable = { name: 'Удобное время', value: 'суббота, утро' };
	const answers = { Город: 'Уфа' };
	const contact_id = String(contactId);
	model.script([
		{ tool: 'Set_variable', arguments: { contact_id: ` ${contact_id} `, ...variable, deletable: true } },
		{ tool: 'Set_variable', arguments: { contact_id: 'Анна', ...variable, deletable: true } },
		{ tool: 'Save_answers', arguments: { contact_id: contactId, answers } },
		'Готово.',
	]);
	const workflow = agentWorkflow({ version, tools, model: openAi, credential });
	const execution = await api.runWorkflow((await api.createWorkflow(workflow)).id);
	expect(rows(execution, AGENT)).toEqual([{ output: 'Готово.' }]);
	const done = [{ success: true }];
	expect(results()).toMatchObject([done, [{ error: expect.stringContaining("'Contact ID'") }], done]);
	const operation = 'setContactVariable';
	expect(service.requests).toMatchObject([
		{ operation, input: { contact_id, ...variable, deletable: '1' } },
		{ operation, input: { contact_id, name: 'Город', value: 'Уфа' } },
	]);

	const offered = Object.fromEntries(model.questions[0]!.tools.map((tool) => [tool.name, tool]));
	const { action } = operationsOf('contactVariable').find(({ value }) => value === 'upsert')!;
	expect(offered.Set_variable!.description).toBe(`${action} in ${description.displayName}`);
	expect(offered.Set_variable!.parameters).toMatchObject({
		required: ['contact_id', 'name', 'value', 'deletable'],
		properties: {
			name: { type: 'string', description: 'Name of the variable' },
			deletable: { type: 'boolean', description: 'Whether it goes with the next request' },
		},
	});
	expect(offered.Save_answers!.parameters.properties.contact_id).toMatchObject({ type: 'number' });
});

const say = 'Записала вас! Школа подтвердит время сегодня.';

test('the support agent works for one contact', async () => {
	const note = { summary: 'Анна просит пробный урок в субботу утром. Подтвердите время.' };
	const variable = { name: 'Удобное время', value: 'суббота утром' };
	const body = { contact_id: otherId };
	// Whatever the model adds.
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
	const told = `Клиент ${contactId}: ${note.summary}`;
	expect(delivered()).toEqual({ [colleague]: [told], [contactId]: [say] });
	const requests = bench.service.requests.map(({ operation, input }) => `${operation} ${input.contact_id}`);
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

test('the support agent reaches nobody but the colleague', async () => {
	await change({ 'Tell a colleague': { contactId: byModel('contact_id', 'ID of the colleague') } });
	const tell = (to: number, summary: string) => ({
		tool: 'Tell_a_colleague',
		arguments: { contact_id: String(to), summary },
	});
	model.script([[tell(otherId, 'Чужому.'), tell(contactId, 'Клиенту.'), tell(colleague, 'Коллеге.')], say]);
	// Its own answer is refused.
	bench.service.faults.add(refusal('sendMessage', contactId));
	const execution = await run();
	expect(delivered()).toEqual({ [colleague]: [`Клиент ${contactId}: Коллеге.`] });
	const refused = [{ error: expect.stringContaining("'Allowed Recipients'") }];
	expect(results()).toMatchObject([refused, refused, [{ success: true }]]);
	const [text, details] = ['пробный урок', blocked].map((words) => expect.stringContaining(words));
	expect(rows(execution, 'Not answered')).toMatchObject([{ contact_id: String(contactId), text, details }]);
	expect(execution.nodes).not.toContain('Answer');
});
