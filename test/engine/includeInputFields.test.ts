import { includeInputFields } from '../../nodes/ChatbotService/resources/message/options';
import { SEEDED } from '../../sandbox/emulator';
import {
	callAlone,
	callAsTool,
	callByEngine,
	credentialFor,
	retryNode,
	runNode,
	useEmulator,
	type RunOptions,
} from './harness';
import { lettersFor, refusal, send } from './messages';

/* 'Include Input Fields': the output of a message also contains the fields of its input item. */

const service = useEmulator();

const included = { options: { includeInputFields: true } };
const parameters = { ...send, contactMessenger: 'vk', ...included };
const run = async (options: Partial<RunOptions> & Pick<RunOptions, 'parameters'>) =>
	await runNode({ credential: credentialFor(service), ...options });

const toNumber = {
	resource: 'message',
	operation: 'sendToWhatsApp',
	botId: String(SEEDED.bots.school),
	phone: '={{ $json.phone }}',
	text: 'Здравствуйте!',
	contactName: 'Ольга',
};

test('by default the output contains only the answer of the service', async () => {
	expect(includeInputFields.default).toBe(false);
	const { json } = await run({ parameters: send, items: lettersFor(service, 1) });
	expect(json).toEqual([{ success: true }]);
});

test('the output contains the fields of its input item beside the answer, linked to that item', async () => {
	const items = lettersFor(service, 3).map((letter) => ({ ...letter, заказ: { номер: 7, состав: ['чай'] } }));
	const { json, outputs } = await run({ parameters, items });
	expect(json).toEqual(items.map((item) => ({ ...item, success: true })));
	expect(outputs[0]!.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }, { item: 2 }]);
	expect(service.deliveries()).toHaveLength(3);
});

test('a message to a WhatsApp number does the same', async () => {
	const items = [{ phone: '+79160000001', строка: 2 }];
	const { json } = await run({ parameters: { ...toNumber, ...included }, items });
	expect(json).toEqual([{ phone: '+79160000001', строка: 2, success: true }]);
});

test("if both have a field with the same name, the service's answer wins, and the input does not change", async () => {
	const items = lettersFor(service, 1).map((letter) => ({ ...letter, success: 'вчера' }));
	const before = structuredClone(items);
	const { json } = await run({ parameters, items });
	expect(json).toEqual([{ ...items[0], success: true }]);
	expect(items).toEqual(before);
});

test('a skipped recipient keeps the fields too, so that the next node knows who it is', async () => {
	const items = lettersFor(service, 2);
	const once = { ...parameters, options: { ...included.options, sendOncePer: 'осень' } };
	const { options } = await run({ parameters: once, items });
	const again = await run({ parameters: once, items, deduplication: options.deduplication });
	expect(again.json).toEqual(items.map((item) => ({ ...item, success: true, alreadySent: true })));
	expect(service.deliveries()).toHaveLength(2);
});

test('a failed item goes to the error output as without the option', async () => {
	const [first, last] = lettersFor(service, 2);
	const items = [first!, { ...last!, id: 'не указан' }];
	const { outputs } = await run({ parameters, items, node: { onError: 'continueErrorOutput' } });
	expect(outputs[0]!.map(({ json }) => json)).toEqual([{ ...first, success: true }]);
	expect(outputs[1]!.map(({ json }) => json)).toEqual([
		{
			...items[1],
			error: expect.stringContaining('[Item 1]'),
			message: expect.stringContaining('не указан'),
		},
	]);
});

test.each([
	['Retry On Fail', { retryOnFail: true, maxTries: 2, waitBetweenTries: 0 }],
	['Retry of the failed execution', {}],
])('with %s, messages of the earlier run have the fields of their items', async (_name, node) => {
	const items = lettersFor(service, 3);
	service.faults.add({ ...refusal, match: { nth: 3 } });
	const first = await run({ parameters, items, node });
	const result = first.error ? await retryNode(first) : first;
	expect(result.json).toEqual(items.map((item) => ({ ...item, success: true })));
	expect(service.deliveries()).toHaveLength(3);
});

test('a text in a workflow that was not made in the editor switches the option on', async () => {
	const items = lettersFor(service, 1);
	const { json } = await run({ parameters: { ...parameters, options: { includeInputFields: 'да' } }, items });
	expect(json).toEqual([{ ...items[0], success: true }]);
});

/* The editor offers no expression here. n8n 2.8 evaluates one all the same, other releases read it as text. */
const evaluatesExpression = (process.env.ENGINE ?? '2.8') === '2.8';

test(`an expression ${evaluatesExpression ? 'switches the option on' : 'is text, and is refused before anything leaves'}`, async () => {
	const items = lettersFor(service, 1);
	const changed = { ...parameters, options: { includeInputFields: '={{ true }}' } };
	const { json, error } = await run({ parameters: changed, items });
	const refused = "'Include Input Fields' must be true or false [Item 0]";
	expect(error?.message).toBe(evaluatesExpression ? undefined : refused);
	expect(json).toEqual(evaluatesExpression ? [{ ...items[0], success: true }] : []);
	expect(service.requests).toHaveLength(evaluatesExpression ? 1 : 0);
});

test.each([
	['another word', 'может быть', "'Include Input Fields' must be true or false"],
	['an expression that fails', "={{ $('Нет такого').first().json.да }}", "'Include Input Fields'"],
])('%s is refused before anything leaves', async (_name, includeInputFields, message) => {
	const changed = { ...parameters, options: { includeInputFields } };
	const { error } = await run({ parameters: changed, items: lettersFor(service, 2) });
	expect(error?.message).toContain(message);
	expect(service.requests).toEqual([]);
});

test('n8n without custom operations gets the fields of each item too', async () => {
	const items = lettersFor(service, 2);
	const json = await callAlone({ parameters, items, credential: credentialFor(service) });
	expect(json).toEqual(items.map((item) => ({ ...item, success: true })));
});

test('an agent gets the answer alone, because its model knows what it has passed', async () => {
	const options = {
		parameters: { ...parameters, contactId: String(lettersFor(service, 1)[0]!.id), text: 'Готово' },
		credential: credentialFor(service),
	};
	const call = { повод: 'заказ' };
	expect(await callAsTool(options, [{ arguments: call }])).toEqual([[{ success: true }]]);
	expect((await callByEngine(options, [call])).json).toEqual([{ success: true }]);
});
