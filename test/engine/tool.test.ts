import type { IDataObject } from 'n8n-workflow';

import { cannotWait } from '../../nodes/ChatbotService/ask/questionProblems';
import { interrupted, nobodyFound, valuesRefused } from '../../nodes/ChatbotService/client/failure/failure';
import { SEEDED } from '../../sandbox/emulator';
import { asRows as asPairs } from '../cases/requestCases';
import { operationOf } from '../operations';
import { goodsColumns } from '../operations/fields';
import { callAlone, callAsTool, callByEngine } from './harness';
import { scene, usual, type Given } from './scene';
import { asJson, asRows } from './variablesMany';

/*
 * The node as a tool of an AI agent: the model provides the arguments and reads the result. Older agents call their tools by
 * themselves; newer ones let n8n run them. All values that are refused: refused.test.ts.
 */

const text = "={{ $fromAI('text', 'What to say', 'string') }}";
const said = { content: ['text'], text };
const { service, optionsOf, answers } = scene(usual('message/send', said));
const delivered = () => service.deliveries().map((each) => each.text);
const { telegram, viber } = SEEDED.contacts;
const done = { success: true };

const node = { retryOnFail: true };
const call = async (all: Array<{ arguments: IDataObject; tries?: number }>, given?: Given) =>
	await callAsTool(optionsOf(given), all);

/* docs/agents.md recommends this expression. */
const shop = `={{ ({ manager: ${telegram}, shop: ${viber} })[$fromAI('who', 'one of: manager, shop', 'string')] }}`;
const chosen = { contactId: shop, text: 'Готово' };
const word = "$fromAI('word', '', 'string')";
const notChosen = "'Contact ID' is empty";
const byPhone = { findBy: 'phone', findValue: "={{ $fromAI('phone') }}" };
const columns = { title: "={{ $fromAI('title') }}", price: "={{ $fromAI('price', '', 'number') }}" };
const good = { columns: goodsColumns(columns) };
const stock = { columns: goodsColumns({ article: '00421', stock: "={{ $fromAI('stock', '', 'number') }}" }) };
const keyed = { columns: goodsColumns({ article: "={{ $fromAI('article') }}", stock: 3 }) };
const referrals = asPairs(['contact_id', "={{ $fromAI('id') }}"]);
const upsertMany = 'contactVariable/upsertMany';
const success = '[{"success":true}]';

test.each<[operation: string, changes: object, call: object, answer: string, requests: number]>([
	['message/send', said, { text: 'Чем помочь?' }, success, 1],
	['message/send', said, { text: { part: 'Счёт' } }, 'Received: \\"{\\"part\\":\\"Счёт\\"}', 0],
	// A model may write any word, and code around it may not.
	['message/send', { text: `={{ 'Вопрос: ' + ${word} }}` }, { word: 'undefined?' }, success, 1],
	['message/send', { text: `={{ ${word} + $json.missing }}` }, { word: 'Да' }, "wrote 'undefined'", 0],
	['message/send', chosen, { who: 'shop' }, success, 1],
	['message/send', chosen, { who: 'director' }, notChosen, 0],
	['contact/get', byPhone, { phone: '+79161234567' }, '"name":"Анна Соколова"', 1],
	['contact/get', byPhone, { phone: '+79990000000' }, nobodyFound('Phone', '', 0).message, 1],
	['listItem/create', good, { title: 'Розы', price: 1990 }, '"title":"Розы","active":null', 1],
	// n8n checks the parameters of a workflow's nodes before it runs, but not those of tools.
	['listItem/create', { columns: goodsColumns({ price: 4150.5 }) }, {}, "'Название (title)' is empty", 0],
	['listItem/upsert', stock, { stock: 3 }, '"article":"00421"', 2],
	['listItem/upsert', keyed, { article: '' }, "'Артикул (article)' is empty", 0],
	['api/request', referrals, { id: String(telegram) }, '"name":"Иван Петров"', 1],
	[upsertMany, asRows(['Город', "={{ $fromAI('city') }}"], ['Курс', '2']), { city: 'Тверь' }, success, 2],
	[upsertMany, asJson("={{ $fromAI('all') }}"), { all: '{"Город": "Тверь", "Курс": 2}' }, success, 2],
])('%s with %j answers in both ways: %j', async (operation, changes, args, answer, requests) => {
	for (const each of await answers(args as never, { parameters: usual(operation, changes) }))
		expect(each).toContain(answer);
	expect(service.requests).toHaveLength(2 * requests);
	const [first, second] = [service.requests.slice(0, requests), service.requests.slice(requests)];
	expect(first.map(({ input }) => input)).toEqual(second.map(({ input }) => input));
});

test('each call of one execution sends its arguments', async () => {
	const texts = ['Здравствуйте!', 'Чем помочь?', 'Чем помочь?'];
	const results = await call(texts.map((each) => ({ arguments: { text: each } })));
	expect([results, delivered()]).toEqual([[[done], [done], [done]], texts]);
});

test.each([undefined, null, 'Здравствуйте!'])('a call with the arguments %j is a call', async (args) => {
	const results = await call([{ arguments: args as never }], { with: { text: 'Чем помочь?' } });
	expect([results, delivered()]).toEqual([[[done]], ['Чем помочь?']]);
});

test("a model reads that 'Send Once Per' skips its text", async () => {
	const once = optionsOf({ with: { options: { sendOncePer: 'привет' } } });
	const { json } = await callByEngine(once, [{ text: 'Добрый день!' }, { text: 'Встреча отменена' }]);
	const skipped = { alreadySent: true, message: expect.stringMatching(/^Not sent: /) as string };
	expect([...json].sort((one) => (one.success ? -1 : 1))).toEqual([done, skipped]);
	expect(delivered()).toHaveLength(1);
});

test('a model reads the service, without the token', async () => {
	service.faults.add({ kind: 'answer', status: 422, body: { message: `Нельзя: ${service.token}` } });
	const message = expect.stringContaining('Нельзя: ***') as string;
	const refused = [{ error: valuesRefused([], '').message, message }];
	expect(await call([{ arguments: { text: 'Да' } }])).toEqual([refused]);
});

test('only a refused call is repeated', async () => {
	const bill = { text: 'Счёт на 500 рублей' };
	service.faults.add({ kind: 'forbidden', match: { nth: 1 } });
	service.faults.add({ kind: 'reset', when: 'after', match: { ...bill, times: 1 } });
	const first = { arguments: { text: 'Добрый вечер' }, tries: 2 };
	const calls = [first, { arguments: { ...bill }, tries: 3 }, { arguments: { ...bill } }];
	const [repeated, lost, next] = await call(calls, { node });
	expect([repeated, next]).toEqual([[done], [done]]);
	expect((lost as Error).message).toContain(interrupted('').message);
	expect([delivered(), service.requests.length]).toEqual([['Добрый вечер', bill.text, bill.text], 4]);
});

const alone = { type: 'testedTool' };

/* n8n does not call it again, so a failure has to be an answer. */
test('a tool outside a workflow answers what is wrong', async () => {
	const wrong = { with: { text: ' ' }, items: [{}], node: { ...alone, ...node } };
	const [refused] = await callAlone(optionsOf(wrong));
	expect(refused!.error).toContain("'Text'");
});

describe('a question of an agent', () => {
	const parameters = usual('message/sendAndWait', { message: "={{ $fromAI('question') }}" });
	const question = (given: Given = {}) => optionsOf({ parameters, ...given });

	test('whose tools n8n runs waits for the answer', async () => {
		const { run } = await callByEngine(question(), [{ question: 'Скидка 10 %?' }]);
		expect([run.status, run.waitTill !== undefined]).toEqual(['waiting', true]);
		expect(delivered()[0]).toContain('Скидка 10 %?\n\nhttp');
	});

	test('that runs its tools itself is not sent', async () => {
		const { message, advice } = cannotWait(operationOf('message/sendAndWait').label);
		const refused = [{ error: message, message: advice }];
		const args = { question: 'Скидка?' };
		expect(await callAsTool(question(), [{ arguments: args }])).toEqual([refused]);
		expect(await callAlone(question({ node: alone, items: [args] }))).toEqual(refused);
		expect(service.requests).toEqual([]);
	});
});
