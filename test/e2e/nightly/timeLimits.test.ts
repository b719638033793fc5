import { until } from '../../../sandbox/host';
import { startModel } from '../support/model';
import { SEEDED } from '../../../sandbox/emulator';
import { withCredential } from '../../../sandbox/start/examples';
import { agentWorkflow, callWithReview, discountFor, modelCredential, reviewBy } from '../support/agent';
import { openBench } from '../support/bench';
import { duringTests } from '../../duringTests';
import { changed, exampleOf, rows, withoutTestRun } from '../support/examples';
import { answer, ASK, questionWorkflow, submitForm, untilWaiting, type Waiting } from '../support/pages';
import { isRegistered } from '../support/webhook';

/* Nobody answers in time. n8n looks for such executions once a minute, so all of them wait at the same moment. */

const { telegram, whatsapp, viber, max, vk: manager } = SEEDED.contacts;

const bench = duringTests(openBench);

const model = duringTests(startModel);

const shortest = { resumeAmount: 0.02, resumeUnit: 'minutes' };
const options = { limitWaitTime: { values: { limitType: 'afterTimeInterval', ...shortest } } };

let byNode: Waiting;
let byAgent: string;
let byDiscount: Waiting;
let byForm: string;

beforeAll(async () => {
	const { api, credential } = bench;
	const workflow = questionWorkflow({ contactId: String(viber), options }, credential);
	workflow.nodes[1]!.onError = 'continueErrorOutput';
	byNode = await untilWaiting(bench, (await api.createWorkflow(workflow)).id);

	byDiscount = await untilWaiting(
		bench,
		await store('approve-discount.json', 'Ask the manager', { options }),
	);

	const form = withoutTestRun(exampleOf('broadcast-from-form.json'));
	await api.activateWorkflow(await store('broadcast-from-form.json', 'Check the broadcast', shortest, form));
	const address = `${bench.host.url}/form/broadcast`;
	await until(async () => await isRegistered(address));
	const list = new File([`ID\n${whatsapp}`], 'contacts.csv');
	const values = [list, 'Без ответа', 'Пробный урок', 'Здравствуйте!'];
	byForm = (await submitForm(address, values)).executionId;

	const openAi = await api.createCredential(modelCredential(model));
	const agent = { tools: [discountFor(whatsapp)], review: reviewBy(max, { options }) };
	const agents = await api.createWorkflow(agentWorkflow({ ...agent, model: openAi, credential }));
	model.script([callWithReview, 'Менеджер не ответил.']);
	byAgent = await api.startWorkflow(agents.id);
});

/** Stores an example with other parameters of a node. @returns its ID */
async function store(
	file: string,
	node: string,
	parameters: Record<string, unknown>,
	workflow = exampleOf(file),
): Promise<string> {
	const { api, credential, examples } = bench;
	const id = examples.get(file)!;
	await api.updateWorkflow(id, withCredential(changed(workflow, { [node]: parameters }), credential));
	return id;
}

const textsTo = (id: number) =>
	bench.service
		.deliveries()
		.filter(({ contactId }) => contactId === id)
		.map(({ text }) => text);

test('after the time limit, the input item is the output of the node, and the link leads nowhere', async () => {
	const execution = await bench.api.waitForExecution(byNode.executionId);
	expect(execution.status).toBe('success');
	expect(rows(execution, ASK)).toEqual([{}]);
	expect((await answer(byNode.link, { answer: 'approve' })).text).toContain('No action required');
});

test('the tool of an AI agent does not run after the time limit, and the model is told', async () => {
	await bench.api.waitForExecution(byAgent);
	expect(model.questions.at(-1)!.results.join()).toMatch(/reject/i);
	expect(bench.service.data.contacts.get(whatsapp)!.tags).not.toContain('VIP');
});

test('a request for a discount that nobody answers in time is neither approved nor declined', async () => {
	const execution = await bench.api.waitForExecution(byDiscount.executionId);
	expect(rows(execution, 'The answer')).toEqual([{ answer: 'no answer' }]);
	expect(textsTo(telegram)).toEqual([expect.stringContaining('ответит вам о скидке позже')]);
	expect(textsTo(manager)).toEqual([expect.anything(), expect.stringContaining('ждёт ответа')]);
	expect((await answer(byDiscount.link, { answer: 'approve' })).text).toContain('No action required');
	expect(textsTo(telegram)).toHaveLength(1);
});

test('a broadcast from a form that nobody confirms in time sends nothing', async () => {
	expect((await bench.api.waitForExecution(byForm)).status).toBe('success');
	expect(textsTo(whatsapp)).toEqual([]);
	expect(bench.service.data.contacts.get(whatsapp)!.tags).not.toContain('Пробный урок');
	bench.service.assertContract();
});
