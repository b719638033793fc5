import { emptyField } from '../../../nodes/ChatbotService/run/values/problems';
import { ownConnection, until } from '../../../sandbox/host';
import { SEEDED } from '../../../sandbox/emulator';
import { contactLabel, notANumber, refusal, rows, unknownContact, openExamples } from '../support/examples';
import { isRegistered, post, webhookUrl } from '../support/webhook';

const { bench, contact, delivered, idOf, variablesOf } = openExamples();

const file = 'hand-over-to-operator.json';
const operator = 5004;
const { telegram: asking } = SEEDED.contacts;
const question = 'Позовите оператора: не приходит ссылка на урок';
const nothing = { status: 200, body: '' };
const address = () => webhookUrl(bench.host.url, 'hand-over-to-operator');
const latest = async () => (await bench.api.executions(idOf(file)))[0]?.id;

/** Calls the webhook, and waits for the end of the run. @returns the immediate answer, and the run */
async function tell(body: Record<string, unknown> | URLSearchParams, query = '') {
	const earlier = await latest();
	const response =
		body instanceof URLSearchParams
			? await fetch(address(), { method: 'POST', headers: ownConnection, body })
			: await post(`${address()}${query}`, body);
	const answer = { status: response.status, body: await response.text() };
	const answeredBefore = bench.service.requests.filter(({ answeredAt }) => answeredAt !== undefined);
	await until(async () => (await latest()) !== earlier);
	const execution = await bench.api.waitForExecution((await latest())!);
	return { answer, answeredBefore, execution };
}

beforeAll(async () => {
	await bench.api.activateWorkflow(idOf(file));
	await until(async () => await isRegistered(address()));
});

test('the hand-over answers the bot before the service answers, without a text for the bot to show', async () => {
	bench.service.faults.add({ kind: 'delay', ms: 3_000, match: { path: 'getContactTags' } });
	const { answer, answeredBefore, execution } = await tell({ contact_id: asking, text: question });
	expect(answer).toEqual(nothing);
	expect(answeredBefore).toEqual([]);
	expect(execution.nodes).toContain('Promise an operator');
	expect(delivered()[asking]).toEqual([expect.stringContaining('Передали ваш вопрос')]);
});

test('a message that does not ask for a human is left to the bot, without a request to the service', async () => {
	const { answer } = await tell({ contact_id: asking, text: 'Сколько стоит курс?' });
	expect(answer).toEqual(nothing);
	expect(bench.service.requests).toEqual([]);
});

test('a question is handed over to an operator once, and returned once', async () => {
	const tags = [...contact(asking).tags];
	await tell({ contact_id: asking, text: question });
	expect(contact(asking).tags).toEqual([...tags, 'Оператор']);
	expect(variablesOf(asking)).toMatchObject({ 'Вопрос оператору': question });
	expect(delivered()).toEqual({
		[operator]: [expect.stringContaining(question)],
		[asking]: [expect.stringContaining('Передали ваш вопрос')],
	});

	await tell({ contact_id: asking, event: 'human' });
	expect(delivered()[operator]).toHaveLength(1);
	expect(delivered()[asking]).toEqual([expect.anything(), expect.stringContaining('уже знает')]);

	await tell({ contact_id: asking, event: 'closed' });
	expect(contact(asking).tags).toEqual(tags);
	expect(variablesOf(asking)).not.toHaveProperty('Вопрос оператору');
	expect(delivered()[asking]).toHaveLength(3);

	await tell({ contact_id: asking, event: 'closed' });
	expect(delivered()[asking]).toHaveLength(3);
});

test('the hand-over reads contact and text from the query too', async () => {
	const query = new URLSearchParams({ contact_id: String(asking), text: question });
	const { answer } = await tell({ variables: [], contact: { name: 'Анна' } }, `?${String(query)}`);
	expect(answer).toEqual(nothing);
	expect(delivered()[operator]).toEqual([expect.stringContaining(question)]);
});

test('the hand-over reads a form: the ID as text, the words with quotation marks and line breaks', async () => {
	const words = 'Позовите оператора:\n"Урок" & <ссылка>';
	const { answer } = await tell(new URLSearchParams({ contact_id: String(asking), text: words }));
	expect(answer).toEqual(nothing);
	expect(variablesOf(asking)).toMatchObject({ 'Вопрос оператору': words });
});

test('n8n answers JSON that it cannot read with 422, and starts nothing', async () => {
	const earlier = await latest();
	const response = await fetch(address(), {
		method: 'POST',
		headers: { ...ownConnection, 'content-type': 'application/json' },
		body: `{ "contact_id": "${asking}", "text": "Урок "A1"" }`,
	});
	expect([response.status, await response.text()]).toEqual([422, expect.stringContaining('parse')]);
	expect(await latest()).toBe(earlier);
});

test('a question is closed although its variable was already deleted', async () => {
	contact(asking).tags.push('Оператор');
	await tell({ contact_id: asking, event: 'closed' });
	expect(contact(asking).tags).not.toContain('Оператор');
	expect(delivered()[asking]).toHaveLength(1);
});

test('the hand-over promises nothing when the operator cannot be notified, and succeeds at the next request', async () => {
	bench.service.faults.add(refusal('sendMessage', 'Контакт заблокировал бота.', operator));
	const { answer, execution } = await tell({ contact_id: asking, text: question });
	expect(answer).toEqual(nothing);
	expect(rows(execution, 'Not done')).toEqual([
		expect.objectContaining({
			contact_id: String(asking),
			wish: 'human',
			details: expect.stringContaining('заблокировал'),
		}),
	]);
	expect(contact(asking).tags).not.toContain('Оператор');
	expect(delivered()).toEqual({});

	bench.service.faults.clear();
	await tell({ contact_id: asking, text: question });
	expect(delivered()[asking]).toHaveLength(1);
});

test.each([
	['unknown', { contact_id: 49999 }, unknownContact],
	['missing', {}, emptyField(contactLabel).message],
	['no number', { contact_id: 'Анна' }, notANumber!.message],
])('the hand-over reports the reason when the contact is %s', async (_, who, reason) => {
	const { answer, execution } = await tell({ ...who, text: question });
	expect(answer).toEqual(nothing);
	expect(rows(execution, 'Not done')).toEqual([
		expect.objectContaining({ wish: 'human', reason: expect.stringContaining(reason) }),
	]);
	expect(delivered()).toEqual({});
});
