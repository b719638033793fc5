import { containing, exampleIn, failed, openExamples, refusal, rows, serviceIn } from '../support/examples';
import { answer, nextLink } from '../support/pages';

/* The examples that a bot calls. The third is in agent.test.ts. */

const bench = openExamples();
const { contact, delivered, variablesOf } = serviceIn(bench);
const handOver = exampleIn(bench, 'hand-over-to-operator.json');
const discount = exampleIn(bench, 'approve-discount.json');

/** The operator, and the manager. */
const colleague = 5004;
const asking = 5001;
const text = 'Позовите оператора: не приходит ссылка на урок';
const nothing = { status: 200, body: '' };
const contact_id = String(asking);

/** n8n looks once a minute for executions that have waited long enough. */
const soon = { values: { limitType: 'afterTimeInterval', resumeAmount: 0.02, resumeUnit: 'minutes' } };

beforeAll(async () => {
	await handOver.publish();
	await discount.publish();
});

test('the bot is answered at once, an operator told once', async () => {
	const tags = [...contact(asking).tags];
	bench.service.faults.add({ kind: 'delay', ms: 3_000, match: { path: 'getContactTags', times: 1 } });
	const called = await handOver.call({ contact_id, text });
	expect(called).toMatchObject({ answer: nothing, answeredBefore: 0 });
	await handOver.ended(called);
	expect(contact(asking).tags).toEqual([...tags, 'Оператор']);
	expect(variablesOf(asking)).toMatchObject({ 'Вопрос оператору': text });
	const promised = containing('Передали ваш вопрос');
	expect(delivered()).toEqual({ [colleague]: [containing(text)], [asking]: [promised] });

	await handOver.tell({ contact_id, event: 'human' });
	expect(delivered()[colleague]).toHaveLength(1);
	expect(delivered()[asking]).toEqual([promised, containing('уже знает')]);

	for (let time = 0; time < 2; time++) {
		await handOver.tell({ contact_id, event: 'closed' });
		expect(contact(asking).tags).toEqual(tags);
		expect(variablesOf(asking)).not.toHaveProperty('Вопрос оператору');
		expect(delivered()[asking]).toHaveLength(3);
	}
});

test('a question may come as a form or in the address', async () => {
	const words = 'Позовите оператора:\n"Урок" & <ссылка>';
	const given = new URLSearchParams({ contact_id, text: words });
	await handOver.tell(given);
	expect(variablesOf(asking)).toMatchObject({ 'Вопрос оператору': words });
	bench.service.reset();
	await handOver.tell({ variables: [] }, `?${String(given)}`);
	expect(variablesOf(asking)).toMatchObject({ 'Вопрос оператору': words });
	// Another message is left to the bot.
	const before = bench.service.requests.length;
	await handOver.tell({ contact_id, text: 'Сколько стоит курс?' });
	expect(bench.service.requests).toHaveLength(before);
});

test('nothing is promised if the operator is not told', async () => {
	bench.service.faults.add(refusal('sendMessage', colleague));
	const execution = await handOver.tell({ contact_id, text });
	const row = { contact_id, wish: 'human', details: containing('заблокировал') };
	expect(failed(execution, 'Not done')).toMatchObject([row]);
	expect(contact(asking).tags).not.toContain('Оператор');
	expect(delivered()).toEqual({});
});

/** Asks for a discount. @returns the call, and the link in the manager's question */
async function ask() {
	const called = await discount.call({ contact_id, text });
	expect(called.answer).toEqual(nothing);
	return { called, link: await nextLink(bench, called.executionId, 0) };
}

test.each([
	['approve', 'одобрил скидку'],
	['decline', 'К сожалению'],
])('a customer is told the answer: %s', async (button, words) => {
	const { called, link } = await ask();
	await answer(link, { answer: button });
	await discount.ended(called);
	const { [colleague]: questions, ...others } = delivered();
	expect(questions).toEqual([containing(`контакт ${asking}: «${text}»`)]);
	expect(questions![0]).toContain('Теги: Новый лид, Пробный урок, Группа B1');
	expect(others).toEqual({ [asking]: [containing(words)] });
});

test.each([
	['the manager', colleague, 'not asked'],
	['the customer', asking, 'approved'],
])('a message that %s cannot get is reported', async (_, recipient, outcome) => {
	bench.service.faults.add(refusal('sendMessage', recipient));
	const called = await discount.call({ contact_id, text });
	if (recipient === asking) await answer(await nextLink(bench, called.executionId, 0), { answer: 'approve' });
	const row = { contact_id, answer: outcome, details: containing('заблокировал') };
	expect(rows(await discount.ended(called), 'Not done')).toMatchObject([row]);
});

test('a discount that nobody decides on in time is none', async () => {
	await discount.change({ 'Ask the manager': { options: { limitWaitTime: soon } } });
	await discount.publish();
	const { called, link } = await ask();
	expect(rows(await discount.ended(called), 'The answer')).toEqual([{ answer: 'no answer' }]);
	const reminder = [expect.anything(), containing('ждёт ответа')];
	const promise = [containing('ответит вам о скидке позже')];
	expect(delivered()).toEqual({ [colleague]: reminder, [asking]: promise });
	expect((await answer(link, { answer: 'approve' })).text).toContain('No action required');
	expect(delivered()[asking]).toHaveLength(1);
});
