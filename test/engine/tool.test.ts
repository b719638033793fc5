import { cannotWait } from '../../nodes/ChatbotService/ask/problems';
import { interrupted, valuesRefused } from '../../nodes/ChatbotService/client/failure/failure';
import { checkAs } from '../../nodes/ChatbotService/resources/kind';
import { text as textKind } from '../../nodes/ChatbotService/resources/kinds';
import { SEEDED } from '../../sandbox/emulator';
import { operationOf, parametersOf } from '../operations';
import { goodsColumns } from '../operations/fields';
import { labelOf } from '../operations/words';
import { callAlone, callAsTool, callByEngine, callInBothWays, credentialFor, useEmulator } from './harness';
import { problemOf, send } from './messages';

/*
 * The node as a tool of an AI agent: the model provides the arguments and reads the result. Older agents call their tools by
 * themselves; newer ones let n8n run them.
 */

const service = useEmulator();
const delivered = () => service.deliveries().map(({ text }) => text);

const textLabel = labelOf('message/send', 'text');
const options = (node = {}) => ({
	parameters: {
		...send,
		contactId: String(SEEDED.contacts.telegram),
		text: "={{ $fromAI('text', 'What to say', 'string') }}",
	},
	credential: credentialFor(service, { tokenPlacement: 'bearer' }),
	node,
});
const retryOnFail = { retryOnFail: true };

test('each tool call sends its own arguments, although all calls share one execution', async () => {
	const texts = ['Здравствуйте!', 'Чем помочь?', 'Чем помочь?'];
	const results = await callAsTool(
		options(),
		texts.map((text) => ({ arguments: { text } })),
	);
	expect(results).toEqual([[{ success: true }], [{ success: true }], [{ success: true }]]);
	expect(delivered()).toEqual(texts);
});

test.each([undefined, null, 'Здравствуйте!'])(
	'a tool call with the arguments %j sends its message',
	async (args) => {
		const parameters = { ...options().parameters, text: 'Чем помочь?' };
		const results = await callAsTool({ ...options(), parameters }, [{ arguments: args as never }]);
		expect(results).toEqual([[{ success: true }]]);
		expect(delivered()).toEqual(['Чем помочь?']);
	},
);

test('a wrong argument is returned to the model with the field, the advice and the value, in both ways', async () => {
	const text = { part: 'Счёт' };
	const { message, advice } = problemOf(checkAs(textKind, text, textLabel));
	expect(advice).toContain('{"part":"Счёт"}');
	const refused = [{ error: message, message: advice }];
	expect(await callInBothWays(options(), { text })).toEqual([refused, refused]);
	// n8n repeats such answers, too.
	const { json } = await callByEngine(options(retryOnFail), [{ text }, { text: 'Чем помочь?' }]);
	expect(json).toEqual([...refused, { success: true }]);
	expect(delivered()).toEqual(['Чем помочь?']);
});

/* n8n checks the parameters of a workflow's nodes before it runs, but not those of tools. */
test('a required field of a list that the tool does not map is returned to the model, and nothing is sent', async () => {
	const columns = goodsColumns({ price: 4150.5 }) as never;
	const parameters = { ...parametersOf(operationOf('listItem/create').variants[0]!), columns };
	const refused = [{ error: "'Название (title)' is empty", message: expect.any(String) as string }];
	expect(await callInBothWays({ ...options(), parameters }, {})).toEqual([refused, refused]);
	expect(service.requests).toEqual([]);
});

test('with On Error set to stop, a wrong argument is an error', async () => {
	const [result] = await callAsTool(options({ onError: 'stopWorkflow' }), [{ arguments: { text: '' } }]);
	expect((result as Error).message).toContain(`'${textLabel}'`);
});

test("a model reads that its text was not sent, if 'Send Once Per' skips it", async () => {
	const { parameters, ...others } = options();
	const once = { ...others, parameters: { ...parameters, options: { sendOncePer: 'привет' } } };
	const texts = ['Добрый день!', 'Встреча отменена'];
	const { json } = await callByEngine(
		once,
		texts.map((text) => ({ text })),
	);
	const message = expect.stringMatching(/^Not sent\./) as string;
	expect([...json].sort((one) => (one.success ? -1 : 1))).toEqual([
		{ success: true },
		{ alreadySent: true, message },
	]);
	expect(delivered()).toHaveLength(1);
});

/* docs/agents.md recommends this expression. */
const chosenFromList = `={{ ({ manager: ${SEEDED.contacts.telegram}, shop: ${SEEDED.contacts.viber} })[$fromAI('who', 'one of: manager, shop', 'string')] }}`;

test('a model can choose the recipient from a list of the workflow and nobody else', async () => {
	const chosen = { ...options(), parameters: { ...send, contactId: chosenFromList, text: 'Готово' } };
	const sent = [{ success: true }];
	expect(await callInBothWays(chosen, { who: 'shop' })).toEqual([sent, sent]);
	for (const who of ['director', String(SEEDED.contacts.max)]) {
		const error = expect.stringContaining(`'${labelOf('message/send', 'contactId')}'`) as string;
		const refused = [{ error, message: expect.any(String) as string }];
		expect(await callInBothWays(chosen, { who })).toEqual([refused, refused]);
	}
	const { viber } = SEEDED.contacts;
	expect(service.deliveries().map(({ contactId }) => contactId)).toEqual([viber, viber]);
});

test('a refusal is returned to the model with the text of the service, without the token', async () => {
	service.faults.add({ kind: 'answer', status: 422, body: { message: `Нельзя: ${service.token}` } });
	expect(await callAsTool(options(), [{ arguments: { text: 'Здравствуйте!' } }])).toEqual([
		[{ error: valuesRefused(422, [], '').message, message: expect.stringContaining('Нельзя: ***') }],
	]);
});

test('a refused tool call is repeated, and one whose outcome is unknown is not', async () => {
	service.faults.add({ kind: 'forbidden', match: { nth: 1 } });
	service.faults.add({ kind: 'reset', when: 'after', match: { text: 'Счёт на 500 рублей', times: 1 } });
	const [repeated, lost, next] = await callAsTool(options(retryOnFail), [
		{ arguments: { text: 'Добрый вечер' }, tries: 2 },
		{ arguments: { text: 'Счёт на 500 рублей' }, tries: 3 },
		{ arguments: { text: 'Счёт на 500 рублей' } },
	]);
	expect([repeated, next]).toEqual([[{ success: true }], [{ success: true }]]);
	expect((lost as Error).message).toContain(interrupted('').message);
	expect(delivered()).toEqual(['Добрый вечер', 'Счёт на 500 рублей', 'Счёт на 500 рублей']);
	expect(service.requests).toHaveLength(4);
});

const alone = { type: 'testedTool' };

test('a tool that n8n calls outside a workflow makes one request for each item, and answers', async () => {
	const parameters = { ...send, contactId: '={{ $json.to }}', text: '={{ $json.text }}' };
	const to = SEEDED.contacts.telegram;
	const items = [
		{ to, text: 'Здравствуйте!' },
		{ to, text: 'Чем помочь?' },
	];
	const both = await callAlone({ ...options(alone), parameters, items });
	expect(both).toEqual([{ success: true }, { success: true }]);
	expect(delivered().sort()).toEqual(['Здравствуйте!', 'Чем помочь?']);
});

/* n8n does not call it again, so a failure has to be an answer. */
test('a tool with Retry On Fail that n8n calls outside a workflow answers what is wrong', async () => {
	const parameters = { ...options().parameters, text: ' ' };
	const [refused] = await callAlone({ ...options({ ...alone, ...retryOnFail }), parameters, items: [{}] });
	expect(refused!.error).toContain(`'${textLabel}'`);
});

describe('a question of an agent', () => {
	const question = () => ({
		...options(),
		parameters: {
			...{ resource: 'message', operation: 'sendAndWait', contactId: SEEDED.contacts.telegram },
			message: "={{ $fromAI('question', 'What to ask', 'string') }}",
		},
	});

	test('whose tools n8n runs waits for the answer', async () => {
		const { run } = await callByEngine(question(), [{ question: 'Скидка 10 %?' }]);
		expect([run.status, run.waitTill !== undefined]).toEqual(['waiting', true]);
		expect(delivered()[0]).toContain('Скидка 10 %?\n\nhttp');
	});

	test('that calls its tools by itself, or without a workflow, is answered by a sentence, and nothing is sent', async () => {
		const { message, advice } = cannotWait(operationOf('message/sendAndWait').label);
		const refused = [{ error: message, message: advice }];
		expect(await callAsTool(question(), [{ arguments: { question: 'Скидка?' } }])).toEqual([refused]);
		expect(await callAlone({ ...question(), node: alone, items: [{ question: 'Скидка?' }] })).toEqual(
			refused,
		);
		expect(service.requests).toEqual([]);
	});
});
