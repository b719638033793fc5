import { emptyField } from '../../../nodes/ChatbotService/run/values/problems';
import { poll, until } from '../../../sandbox/host';
import { SEEDED } from '../../../sandbox/emulator';
import { linkIn } from '../../operations/link';
import {
	contactLabel,
	doneButNotSaid,
	mayBeSent,
	refusal,
	rows,
	unknownContact,
	openExamples,
	parametersOf,
} from '../support/examples';
import { answer } from '../support/question';
import { isRegistered, post, webhookUrl } from '../support/webhook';

const { bench, change, delivered, idOf, putBack, run } = openExamples();

const file = 'approve-discount.json';
const manager = 5004;
const { telegram: customer, bare: other } = SEEDED.contacts;
const request = 'Дадите скидку, если оплатить сразу год?';
const discount = expect.stringContaining('одобрил скидку');
const friendlyNo = expect.stringContaining('К сожалению');
const unfinished = ['new', 'running'];
let earlier: string[];

const address = () => webhookUrl(bench.host.url, 'approve-discount');
const newExecutions = async () =>
	(await bench.api.executions(idOf(file))).filter(({ id }) => !earlier.includes(id));
const ask = async (body: Record<string, unknown>) => {
	const response = await post(address(), body);
	return { status: response.status, body: await response.text() };
};

/** Waits until executions have ended or wait for the manager. @returns their IDs */
const settled = async (count = 1) =>
	await poll(async () => {
		const executions = await newExecutions();
		const isSettled =
			executions.length === count && executions.every(({ status }) => !unfinished.includes(status));
		return isSettled ? executions.map(({ id }) => id) : undefined;
	});
const ended = async (id: string) => await bench.api.waitForExecution(id);

/** The questions that the manager got about a contact. */
const questionsAbout = (contactId: number) =>
	(delivered()[manager] ?? []).filter((text) => text?.includes(`контакт ${contactId}:`)) as string[];

/** Presses a button of the page that the question about a contact links to. @returns the next page */
async function press(button: 'approve' | 'decline', contactId: number): Promise<string> {
	const [question] = questionsAbout(contactId);
	return (await answer(linkIn(question), { answer: button })).text;
}

beforeAll(async () => {
	await bench.api.activateWorkflow(idOf(file));
	await until(async () => await isRegistered(address()));
});

beforeEach(async () => {
	earlier = (await bench.api.executions(idOf(file))).map(({ id }) => id);
});

test.each([
	['approves', 'approve', 'Give the discount', discount],
	['declines', 'decline', 'Decline kindly', friendlyNo],
] as const)('a customer gets the answer when the manager %s the discount', async (_, button, node, words) => {
	expect(await ask({ contact_id: customer, text: request })).toEqual({ status: 200, body: '' });
	const [id] = await settled();
	expect(delivered()).toEqual({
		[manager]: [expect.stringContaining(`контакт ${customer}: «${request}»`)],
	});
	expect(questionsAbout(customer)[0]).toContain('Теги: Новый лид, Пробный урок, Группа B1');

	expect(await press(button, customer)).toContain('class="answer"');
	const execution = await ended(id!);
	expect(execution.status).toBe('success');
	expect(execution.nodes.at(-1)).toBe(node);
	expect(delivered()).toEqual({ [manager]: [expect.anything()], [customer]: [words] });
});

test('two customers who ask for a discount at once each get the answer to their own request', async () => {
	await Promise.all([ask({ contact_id: customer, text: request }), ask({ contact_id: other })]);
	const ids = await settled(2);
	expect([...questionsAbout(customer), ...questionsAbout(other)]).toHaveLength(2);
	await Promise.all([press('decline', customer), press('approve', other)]);
	await Promise.all(ids.map(ended));
	expect(delivered()).toMatchObject({ [customer]: [friendlyNo], [other]: [discount] });
});

test('a request for a discount that nobody answers in time is neither approved nor declined', async () => {
	const parameters = parametersOf(file, 'Ask the manager');
	const limitWaitTime = {
		values: { limitType: 'afterTimeInterval', resumeAmount: 0.05, resumeUnit: 'minutes' },
	};
	const forged = { contact_id: customer, text: request, data: { approved: true } };
	await change(file, {
		'Ask the manager': { parameters: { ...parameters, options: { limitWaitTime } } },
		'Test message': { parameters: { mode: 'raw', jsonOutput: JSON.stringify(forged), options: {} } },
	});
	const execution = await run(file);
	await putBack(file);
	expect(rows(execution, 'The answer')).toEqual([{ answer: 'no answer' }]);
	expect(delivered()).toEqual({
		[manager]: [expect.anything(), expect.stringContaining('ждёт ответа')],
		[customer]: [expect.stringContaining('ответит вам о скидке позже')],
	});
	expect(await press('approve', customer)).toContain('No action required');
	expect(delivered()[customer]).toHaveLength(1);
});

test.each([
	['is refused', refusal('sendMessage', 'Контакт заблокировал бота.', manager), 'заблокировал'],
	['may have been sent', doneButNotSaid('sendMessage', manager), mayBeSent],
])('a request for a discount is reported when the question %s', async (_, fault, reason) => {
	bench.service.faults.add(fault);
	await ask({ contact_id: customer, text: request });
	const [id] = await settled();
	expect(rows(await ended(id!), 'Not done')).toEqual([
		expect.objectContaining({
			contact_id: String(customer),
			text: request,
			answer: 'not asked',
			details: expect.stringContaining(reason),
		}),
	]);
	expect(delivered()[customer]).toBeUndefined();
});

test.each([
	['unknown', { contact_id: 49999 }, unknownContact],
	['missing', {}, emptyField(contactLabel).message],
])('the manager is not asked for a discount when the contact is %s', async (_, who, reason) => {
	await ask({ ...who, text: request });
	const [id] = await settled();
	expect(rows(await ended(id!), 'Not done')).toEqual([
		expect.objectContaining({ answer: 'not asked', reason: expect.stringContaining(reason) }),
	]);
	expect(delivered()).toEqual({});
});

test('an approved discount that the customer was not told about is reported as approved', async () => {
	bench.service.faults.add(refusal('sendMessage', 'Контакт заблокировал бота.', customer));
	await ask({ contact_id: customer, text: request });
	const [id] = await settled();
	await press('approve', customer);
	expect(rows(await ended(id!), 'Not done')).toEqual([
		expect.objectContaining({
			contact_id: String(customer),
			answer: 'approved',
			details: expect.stringContaining('заблокировал'),
		}),
	]);
});
