import { SEEDED } from '../../../sandbox/emulator';
import { failed, openExample, refusal } from '../support/examples';

const { bench, call, contact, delivered, ended, publish, variablesOf } = openExample(
	'hand-over-to-operator.json',
);

const operator = 5004;
const { telegram: asking } = SEEDED.contacts;
const question = 'Позовите оператора: не приходит ссылка на урок';
const nothing = { status: 200, body: '' };

const tell = async (...request: Parameters<typeof call>) => await ended(await call(...request));

beforeAll(publish);

test('the bot gets an answer at once, without a text to show, and a question is handed over to an operator once and returned once', async () => {
	const tags = [...contact(asking).tags];
	bench.service.faults.add({ kind: 'delay', ms: 3_000, match: { path: 'getContactTags', times: 1 } });
	const called = await call({ contact_id: asking, text: question });
	expect(called).toMatchObject({ answer: nothing, answeredBefore: 0 });
	await ended(called);
	expect(contact(asking).tags).toEqual([...tags, 'Оператор']);
	expect(variablesOf(asking)).toMatchObject({ 'Вопрос оператору': question });
	expect(delivered()).toEqual({
		[operator]: [expect.stringContaining(question)],
		[asking]: [expect.stringContaining('Передали ваш вопрос')],
	});

	await tell({ contact_id: asking, event: 'human' });
	expect(delivered()[operator]).toHaveLength(1);
	expect(delivered()[asking]).toEqual([expect.anything(), expect.stringContaining('уже знает')]);

	for (let time = 0; time < 2; time++) {
		await tell({ contact_id: asking, event: 'closed' });
		expect(contact(asking).tags).toEqual(tags);
		expect(variablesOf(asking)).not.toHaveProperty('Вопрос оператору');
		expect(delivered()[asking]).toHaveLength(3);
	}
});

test('a message that does not ask for a human is left to the bot, without a request to the service', async () => {
	const called = await call({ contact_id: asking, text: 'Сколько стоит курс?' });
	expect(called.answer).toEqual(nothing);
	await ended(called);
	expect(bench.service.requests).toEqual([]);
});

test('the hand-over reads contact and text from a form, with quotation marks and line breaks, or from the query', async () => {
	const words = 'Позовите оператора:\n"Урок" & <ссылка>';
	const given = new URLSearchParams({ contact_id: String(asking), text: words });
	await tell(given);
	expect(variablesOf(asking)).toMatchObject({ 'Вопрос оператору': words });
	bench.service.reset();
	await tell({ variables: [] }, `?${String(given)}`);
	expect(variablesOf(asking)).toMatchObject({ 'Вопрос оператору': words });
});

test('the hand-over promises nothing when the operator cannot be notified, and succeeds at the next request', async () => {
	bench.service.faults.add(refusal('sendMessage', operator));
	const execution = await tell({ contact_id: asking, text: question });
	const details = expect.stringContaining('заблокировал');
	expect(failed(execution, 'Not done')).toMatchObject([
		{ contact_id: String(asking), wish: 'human', details },
	]);
	expect(contact(asking).tags).not.toContain('Оператор');
	expect(delivered()).toEqual({});

	bench.service.faults.clear();
	await tell({ contact_id: asking, text: question });
	expect(delivered()[asking]).toHaveLength(1);
});
