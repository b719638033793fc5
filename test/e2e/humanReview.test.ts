import { type Execution, type OurNode, type StoredCredential } from '../../sandbox/host';
import { cannotWait } from '../../nodes/ChatbotService/ask/problems';
import { type Script, startModel } from './support/model';
import { SEEDED } from '../../sandbox/emulator';
import { wordsOf } from '../operations/words';
import { AGENT, agentWorkflow, checkAndReset, modelCredential } from './support/agent';
import { openBench } from './support/bench';
import { duringTests } from './support/duringTests';
import { answer, approval, nextLink, openPage, untilWaits } from './support/question';

/* A person decides about the tools of an AI agent: n8n makes a human review of the node, which asks before a tool runs. */

const { telegram: manager, whatsapp: customer } = SEEDED.contacts;

const model = duringTests(startModel);
const bench = duringTests(openBench);
let openAi: StoredCredential;

beforeAll(async () => {
	openAi = await bench.api.createCredential(modelCredential(model));
});

afterEach(() => checkAndReset(bench, model));

/** Gives the customer a discount, by a tag. */
const discount: OurNode = {
	name: 'Give discount',
	parameters: {
		resource: 'tag',
		operation: 'attach',
		contactId: String(customer),
		tagName: {
			__rl: true,
			mode: 'name',
			value: "={{ $fromAI('discount', 'The tag of the discount', 'string') }}",
		},
	},
};

/** As n8n's editor stores it, with the text that n8n suggests. */
const review = (parameters: Record<string, unknown> = {}): OurNode => ({
	name: 'Ask the manager',
	parameters: {
		message: '=The agent wants to run this tool: {{ $tool.name }}\n\nInput:\n{{ $tool.parameters }}',
		contactId: String(manager),
		approvalOptions: approval,
		...parameters,
	},
});

/** n8n tells the model to put the arguments of the tool and those of the review apart. */
const call = (tag: string) => ({
	tool: 'Give_discount',
	arguments: { toolParameters: { discount: tag }, hitlParameters: {} },
});

/** Starts an agent whose model follows the script. */
async function start(script: Script, options: Partial<Parameters<typeof agentWorkflow>[0]> = {}) {
	const workflow = agentWorkflow({
		tools: [discount],
		review: review(),
		model: openAi,
		credential: bench.credential,
		...options,
	});
	const { id } = await bench.api.createWorkflow(workflow);
	model.script(script);
	return await bench.api.startWorkflow(id);
}

const ended = async (executionId: string): Promise<Execution> =>
	await bench.api.waitForExecution(executionId);
const tagsOf = (contact: number) => bench.service.data.contacts.get(contact)!.tags;
const texts = () => bench.service.deliveries().map(({ text }) => text!.split('\n\nhttp')[0]);
/** What the model was told about its calls. */
const told = () => model.questions.at(-1)!.results.join('\n');

test('the person sees what the tool would do, and the tool runs after approval', async () => {
	const executionId = await start([call('VIP'), 'Готово.']);
	const link = await nextLink(bench.service, 0);
	await untilWaits(bench.api, executionId);
	expect(bench.service.deliveries().map(({ contactId }) => contactId)).toEqual([manager]);
	expect(texts()[0]).toMatch(/Give[ _]discount/);
	expect(texts()[0]).toContain('"discount": "VIP"');
	expect(texts()[0]).not.toContain('[object Object]');
	expect((await openPage(link)).text).toContain('&quot;VIP&quot;');
	expect(tagsOf(customer)).not.toContain('VIP');
	await answer(link, { answer: 'approve' });
	const execution = await ended(executionId);
	expect(execution.error).toBeUndefined();
	expect(execution.output(AGENT).map(({ json }) => json)).toEqual([{ output: 'Готово.' }]);
	expect(tagsOf(customer)).toContain('VIP');
});

test('the tool does not run when the person declines, and the model is told', async () => {
	const executionId = await start([call('VIP'), 'Скидки не будет.']);
	const link = await nextLink(bench.service, 0);
	await untilWaits(bench.api, executionId);
	await answer(link, { answer: 'decline' });
	expect((await ended(executionId)).output(AGENT).map(({ json }) => json)).toEqual([
		{ output: 'Скидки не будет.' },
	]);
	expect(told()).toMatch(/reject/i);
	expect(tagsOf(customer)).not.toContain('VIP');
});

test('the tool does not run after the time limit', async () => {
	const limitWaitTime = {
		values: { limitType: 'afterTimeInterval', resumeAmount: 0.02, resumeUnit: 'minutes' },
	};
	const executionId = await start([call('VIP'), 'Менеджер не ответил.'], {
		review: review({ options: { limitWaitTime } }),
	});
	await nextLink(bench.service, 0);
	await ended(executionId);
	expect(told()).toMatch(/reject/i);
	expect(tagsOf(customer)).not.toContain('VIP');
});

test('the tool does not run when the question cannot be sent', async () => {
	const executionId = await start([call('VIP'), 'Не вышло.'], { review: review({ contactId: '999999999' }) });
	await ended(executionId);
	expect(told()).toMatch(/reject/i);
	expect(bench.service.deliveries()).toEqual([]);
	expect(tagsOf(customer)).not.toContain('VIP');
});

test('the link of the first question does not approve the second one', async () => {
	const executionId = await start([call('VIP'), call('Новый лид'), 'Готово.']);
	const first = await nextLink(bench.service, 0);
	await untilWaits(bench.api, executionId);
	await answer(first, { answer: 'approve' });
	const second = await nextLink(bench.service, 1);
	await untilWaits(bench.api, executionId);
	expect(tagsOf(customer)).toContain('VIP');
	for (let time = 0; time < 3; time++) expect((await answer(first, { answer: 'approve' })).status).toBe(410);
	expect(await bench.api.statusOf(executionId)).toBe('waiting');
	await answer(second, { answer: 'decline' });
	await ended(executionId);
	expect(tagsOf(customer)).not.toContain('Новый лид');
});

const question: OurNode = {
	name: 'Ask for a discount',
	parameters: {
		resource: 'message',
		operation: 'sendAndWait',
		contactId: String(manager),
		message: "={{ $fromAI('question', 'What to ask the manager', 'string') }}",
		responseType: 'freeText',
	},
};
const asks = { tool: 'Ask_for_a_discount', arguments: { question: 'Дать Анне скидку 10 %?' } };

test('as a plain tool, the node asks, and the model reads the answer', async () => {
	const executionId = await start([asks, 'Скидка 5 %.'], { tools: [question], review: undefined });
	const link = await nextLink(bench.service, 0);
	await untilWaits(bench.api, executionId);
	expect(texts()).toEqual(['Дать Анне скидку 10 %?']);
	await answer(link, { text: 'Да, но 5 %' });
	expect((await ended(executionId)).output(AGENT).map(({ json }) => json)).toEqual([
		{ output: 'Скидка 5 %.' },
	]);
	expect(told()).toContain('Да, но 5 %');
});

test('an older agent, which cannot wait, sends nothing, and its model reads why', async () => {
	const executionId = await start([asks, 'Не могу спросить.'], {
		version: 2.2,
		tools: [question],
		review: undefined,
	});
	await ended(executionId);
	expect(told()).toContain(cannotWait(wordsOf('message/sendAndWait').label).message);
	expect(bench.service.requests).toEqual([]);
});
