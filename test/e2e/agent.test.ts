import { looksAnswered } from '../../nodes/ChatbotService/ask/questionProblems';
import type { StoredCredential } from '../../sandbox/host';
import { addContacts, SEEDED } from '../../sandbox/emulator';
import { description, operationsOf } from '../description/editor';
import { duringTests } from '../duringTests';
import { AGENT, agentWorkflow, byModel, modelCredential, named } from './support/agent';
import { blocked, containing, exampleIn, openExamples, refusal, rows, serviceIn } from './support/examples';
import { startModel } from './support/model';
import { answer, approval, nextLink, openPage } from './support/pages';

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
	expect(results()).toMatchObject([done, [{ error: containing("'Contact ID'") }], done]);
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
	const refused = [{ error: containing("'Allowed Recipients'") }];
	expect(results()).toMatchObject([refused, refused, [{ success: true }]]);
	const [text, details] = ['пробный урок', blocked].map(containing);
	expect(rows(execution, 'Not answered')).toMatchObject([{ contact_id: String(contactId), text, details }]);
	expect(execution.nodes).not.toContain('Answer');
});

/*
 * Only a person approves. A question that nobody answers passes on the item that it got, and n8n's agents take any `approved` or
 * `data.approved` in it for an approval. So none of these may come from what was there before the question.
 */

interface Review {
	version?: number;
	item?: object;
	/** What the model adds to each of its calls. */
	added?: object[];
	/** Of the question; by default it has the shortest time limit. */
	options?: object;
}

/** n8n looks once a minute for executions that have waited long enough. */
const soon = { limitType: 'afterTimeInterval', resumeAmount: 0.02, resumeUnit: 'minutes' };

/** Starts an agent that wants to give a customer a discount, by a tag, which a manager has to approve. */
async function startReview({ version, item, added = [{}], options }: Review) {
	const { api, credential } = bench;
	const [customer, manager] = addContacts(bench.service.data, 2);
	const discount = {
		...{ resource: 'tag', operation: 'attach', contactId: String(customer!.id) },
		tagName: named(byModel('discount', 'The tag of the discount')),
	};
	const review = {
		// The text that n8n suggests.
		message: '=The agent wants to run this tool: {{ $tool.name }}\n\nInput:\n{{ $tool.parameters }}',
		...{ contactId: String(manager!.id), approvalOptions: approval },
		options: options ?? { limitWaitTime: { values: soon } },
	};
	// n8n tells the model to put the arguments of the tool and those of the review apart.
	const given = { toolParameters: { discount: 'VIP' }, hitlParameters: {} };
	const calls = added.map((more) => ({ tool: 'Give_discount', arguments: { ...given, ...more } }));
	model.script([calls, 'Готово.']);
	const workflow = agentWorkflow({
		...{ version, item, model: openAi, credential },
		tools: [{ name: 'Give discount', parameters: discount }],
		review: { name: 'Ask the manager', parameters: review },
	});
	const executionId = await api.startWorkflow((await api.createWorkflow(workflow)).id);
	/** Waits for the end. @returns what the review gave, and what the model read about its calls */
	const end = async () => {
		const execution = await api.waitForExecution(executionId);
		expect(rows(execution, AGENT)).toEqual([{ output: 'Готово.' }]);
		return { reviews: execution.runs('Ask the manager'), told: model.questions.at(-1)!.results };
	};
	return { executionId, end, tags: customer!.tags, asked: () => delivered()[manager!.id] ?? [] };
}

/** What an earlier question has left in an item. */
const earlier = { approved: true, question: 'Анне скидку 5 %?', respondedAt: '2026-03-02T09:00:00.000Z' };

/** Once in each place in which a model can say so, each of them a call. */
const byModels = [{ approved: true }, { hitlParameters: { approved: true } }, { data: earlier }];

test.each<[string, string[], Review]>([
	["the agent's item", ['data.approved'], { item: { data: earlier } }],
	["the model's calls", ['approved', 'approved', 'data.approved'], { added: byModels }],
	// Such an agent calls its tools itself, and a review is an empty tool to it.
	['a call of agent 2.2', [], { added: [{ approved: true }], version: 2.2 }],
])('an approval in %s is none', async (_, fields, parts) => {
	const { end, tags, asked } = await startReview(parts);
	const { reviews, told } = await end();
	expect([tags, asked()]).toEqual([[], []]);
	const errors = fields.map((field) => ({ error: looksAnswered(field).message }));
	expect(reviews.map(({ data }) => data)).toMatchObject(errors.map((json) => ({ ai_tool: [[{ json }]] })));
	for (const each of told) expect(each).toMatch(parts.version ? /^$/ : /reject/i);
});

test.each([
	['approve', ['VIP'], /VIP|success/],
	['decline', [], /reject/i],
])('the manager sees the call, and decides: %s', async (button, tags, words) => {
	const started = await startReview({ options: {} });
	const link = await nextLink(bench, started.executionId, 0);
	const [text] = started.asked();
	expect(text).toMatch(/Give[ _]discount/);
	expect(text).toContain('"discount": "VIP"');
	expect((await openPage(link)).text).toContain('&quot;VIP&quot;');
	expect(started.tags).toEqual([]);
	await answer(link, { answer: button });
	expect((await started.end()).told).toEqual([expect.stringMatching(words)]);
	expect(started.tags).toEqual(tags);
});

test('after the time limit, nothing is approved', async () => {
	const { end, tags, asked } = await startReview({});
	expect((await end()).told).toEqual([expect.stringMatching(/reject/i)]);
	expect([asked().length, tags]).toEqual([1, []]);
});
