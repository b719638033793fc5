import { interrupted, valuesRefused } from '../../nodes/ChatbotService/client/failure';
import { text as textKind } from '../../nodes/ChatbotService/resources/kinds';
import { messageSend } from '../../nodes/ChatbotService/resources/message/send';
import { nothingToSend } from '../../nodes/ChatbotService/run/values/problems';
import { SEEDED } from '../../sandbox/emulator';
import { callAlone, callAsTool, callByEngine, credentialFor, useEmulator } from './harness';
import { labelOf } from '../operations/words';
import { problemOf, send } from './messages';

/* The node as a tool of an AI agent: the model provides the arguments and reads the result. */

const service = useEmulator();

const options = () => ({
	parameters: {
		...send,
		contactId: String(SEEDED.contacts.telegram),
		text: "={{ $fromAI('text', 'What to say', 'string') }}",
	},
	credential: credentialFor(service, { tokenPlacement: 'bearer' }),
});
const tryingAgain = () => ({ ...options(), node: { retryOnFail: true } });
const textLabel = labelOf('message/send', 'text');
const texts = () => service.deliveries().map(({ text }) => text);

test('each tool call sends its own arguments, although all calls share one execution', async () => {
	const results = await callAsTool(options(), [
		{ arguments: { text: 'Здравствуйте!' } },
		{ arguments: { text: 'Чем помочь?' } },
		{ arguments: { text: 'Чем помочь?' } },
	]);
	expect(results).toEqual([[{ success: true }], [{ success: true }], [{ success: true }]]);
	expect(texts()).toEqual(['Здравствуйте!', 'Чем помочь?', 'Чем помочь?']);
});

test.each([
	['no arguments', undefined],
	['null', null],
	['a text', 'Здравствуйте!'],
	['a number', 5],
])('a tool call with %s as arguments sends its message', async (_name, args) => {
	const parameters = { ...options().parameters, text: 'Чем помочь?' };
	const call = { arguments: args as never };
	const results = await callAsTool({ ...options(), parameters }, [call, call]);
	expect(results).toEqual([[{ success: true }], [{ success: true }]]);
	expect(texts()).toEqual(['Чем помочь?', 'Чем помочь?']);
});

test('a wrong argument is returned to the model as an answer with the field, the advice and the value', async () => {
	const [result] = await callAsTool(options(), [{ arguments: { text: { part: 'Счёт' } } }]);
	const { message, advice } = problemOf(textKind({ part: 'Счёт' }, textLabel));
	expect(result).toEqual([{ error: message, message: advice }]);
	expect(advice).toContain('{"part":"Счёт"}');
	expect(service.requests).toEqual([]);
});

/* docs/agents.md recommends this expression. */
const chosenFromList = `={{ ({ manager: ${SEEDED.contacts.telegram}, shop: ${SEEDED.contacts.viber} })[$fromAI('who', 'one of: manager, shop', 'string')] }}`;

const chosen = () => ({
	...options(),
	parameters: { ...options().parameters, contactId: chosenFromList, text: 'Готово' },
});

test.each([
	[
		'agents that call tools by themselves',
		async (call: object) => (await callAsTool(chosen(), [{ arguments: call as never }]))[0],
	],
	['n8n', async (call: object) => (await callByEngine(chosen(), [call as never])).json],
])(
	'a model can choose the recipient from a list of the workflow and nobody else, called by %s',
	async (_name, callWith) => {
		expect(await callWith({ who: 'shop' })).toEqual([{ success: true }]);
		expect(service.deliveries().map(({ contactId }) => contactId)).toEqual([SEEDED.contacts.viber]);
		for (const who of ['director', String(SEEDED.contacts.max)])
			expect(await callWith({ who })).toEqual([
				{
					error: expect.stringContaining(`'${labelOf('message/send', 'contactId')}'`),
					message: expect.any(String),
				},
			]);
		expect(service.deliveries()).toHaveLength(1);
	},
);

test('a refusal is returned to the model with the text of the service, without the token', async () => {
	service.faults.add({ kind: 'answer', status: 422, body: { message: `Нельзя: ${service.token}` } });
	const results = await callAsTool(options(), [{ arguments: { text: 'Здравствуйте!' } }]);
	expect(results).toEqual([
		[{ error: valuesRefused(422, [], '').message, message: expect.stringContaining('Нельзя: ***') }],
	]);
});

test('with On Error set to stop, a wrong argument is an error', async () => {
	const stop = { ...options(), node: { onError: 'stopWorkflow' as const } };
	const [result] = await callAsTool(stop, [{ arguments: { text: '' } }]);
	expect((result as Error).message).toContain(`'${textLabel}'`);
});

test('a repeated tool call does not repeat a message whose outcome is unknown', async () => {
	service.faults.add({ kind: 'reset', when: 'after', match: { times: 1 } });
	const [lost, next] = await callAsTool(tryingAgain(), [
		{ arguments: { text: 'Счёт на 500 рублей' }, tries: 3 },
		{ arguments: { text: 'Счёт на 500 рублей' } },
	]);
	expect((lost as Error).message).toContain(interrupted('').message);
	expect(next).toEqual([{ success: true }]);
	expect(texts()).toEqual(['Счёт на 500 рублей', 'Счёт на 500 рублей']);
	expect(service.requests).toHaveLength(2);
});

test('a refused tool call is repeated', async () => {
	service.faults.add({ kind: 'forbidden', match: { times: 1 } });
	const results = await callAsTool(tryingAgain(), [{ arguments: { text: 'Добрый вечер' }, tries: 2 }]);
	expect(results).toEqual([[{ success: true }]]);
	expect(texts()).toEqual(['Добрый вечер']);
});

test('a node that n8n calls outside a workflow makes one request for each item', async () => {
	const parameters = { ...send, contactId: String(SEEDED.contacts.telegram), text: '={{ $json.text }}' };
	const items = [{ text: 'Здравствуйте!' }, { text: 'Чем помочь?' }];
	expect(await callAlone({ ...options(), parameters, items })).toEqual([
		{ success: true },
		{ success: true },
	]);
	expect(texts().sort()).toEqual(['Здравствуйте!', 'Чем помочь?']);
});

test('a tool that n8n calls outside a workflow answers despite Retry On Fail, because n8n does not call it again', async () => {
	const node = { type: 'testedTool', retryOnFail: true };
	const parameters = { ...options().parameters, text: '={{ $json.text }}' };
	const { message, advice } = nothingToSend(
		messageSend.fields.filter(({ name }) => ['text', 'imageUrl', 'fileUrl'].includes(name)),
	);
	expect(await callAlone({ ...options(), parameters, node, items: [{ text: '' }] })).toEqual([
		{ error: message, message: advice },
	]);
});

test.each([
	['returned as an answer', options],
	['returned as an answer despite Retry On Fail, because n8n repeats such answers, too', tryingAgain],
])(
	'a wrong argument of an agent whose tools n8n runs is %s, and the other calls succeed',
	async (_, given) => {
		const { json } = await callByEngine(given(), [{ text: { part: 'Счёт' } }, { text: 'Чем помочь?' }]);
		expect(json).toEqual([
			{
				error: problemOf(textKind({}, textLabel)).message,
				message: expect.stringContaining('"part"') as string,
			},
			{ success: true },
		]);
		expect(texts()).toEqual(['Чем помочь?']);
	},
);
