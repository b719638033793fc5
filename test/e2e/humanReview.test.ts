import { type OurNode, type StoredCredential } from '../../sandbox/host';
import { type Script, startModel } from './support/model';
import { SEEDED, type Delivery } from '../../sandbox/emulator';
import {
	AGENT,
	agentWorkflow,
	callWithReview,
	checkAndReset,
	discountFor,
	modelCredential,
	reviewBy,
} from './support/agent';
import { openBench } from './support/bench';
import { duringTests } from './support/duringTests';
import { rows } from './support/examples';
import { answer, nextLink, openPage } from './support/pages';

/*
 * A person decides about the tools of an AI agent: n8n makes a human review of the node, which asks before a tool runs.
 */

const { telegram: manager, whatsapp: customer } = SEEDED.contacts;

const model = duringTests(startModel);
const bench = duringTests(openBench);
let openAi: StoredCredential;

beforeAll(async () => {
	openAi = await bench.api.createCredential(modelCredential(model));
});

afterEach(() => checkAndReset(bench, model));

const reviewed = { tools: [discountFor(customer)], review: reviewBy(manager) };

/** Starts an agent whose model follows the script. */
async function start(script: Script, agent: { tools: OurNode[]; review?: OurNode }) {
	const { api, credential } = bench;
	const { id } = await api.createWorkflow(agentWorkflow({ ...agent, model: openAi, credential }));
	model.script(script);
	return await api.startWorkflow(id);
}

const ended = async (executionId: string) => rows(await bench.api.waitForExecution(executionId), AGENT);
const tags = () => bench.service.data.contacts.get(customer)!.tags;
/** What the model was told about its calls. */
const told = () => model.questions.at(-1)!.results.join('\n');

test('the person sees what the tool would do, and the tool runs after approval', async () => {
	const executionId = await start([callWithReview, 'Готово.'], reviewed);
	const link = await nextLink(bench, executionId, 0);
	const [{ contactId, text }] = bench.service.deliveries() as [Delivery];
	expect(contactId).toBe(manager);
	expect(text).toMatch(/Give[ _]discount/);
	expect(text).toContain('"discount": "VIP"');
	expect((await openPage(link)).text).toContain('&quot;VIP&quot;');
	expect(tags()).not.toContain('VIP');
	await answer(link, { answer: 'approve' });
	expect(await ended(executionId)).toEqual([{ output: 'Готово.' }]);
	expect(tags()).toContain('VIP');
});

test('the tool does not run when the person declines, and the model is told', async () => {
	const executionId = await start([callWithReview, 'Скидки не будет.'], reviewed);
	await answer(await nextLink(bench, executionId, 0), { answer: 'decline' });
	expect(await ended(executionId)).toEqual([{ output: 'Скидки не будет.' }]);
	expect(told()).toMatch(/reject/i);
	expect(tags()).not.toContain('VIP');
});

test('the tool does not run when the question cannot be sent', async () => {
	await ended(await start([callWithReview, 'Не вышло.'], { ...reviewed, review: reviewBy(999_999_999) }));
	expect(told()).toMatch(/reject/i);
	expect(tags()).not.toContain('VIP');
});

test('as a plain tool, the node asks, and the model reads the answer', async () => {
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
	const executionId = await start([asks, 'Скидка 5 %.'], { tools: [question] });
	const link = await nextLink(bench, executionId, 0);
	expect(bench.service.deliveries()[0]!.text).toMatch(/^Дать Анне скидку 10 %\?\n\n/);
	await answer(link, { text: 'Да, но 5 %' });
	expect(await ended(executionId)).toEqual([{ output: 'Скидка 5 %.' }]);
	expect(told()).toContain('Да, но 5 %');
});
