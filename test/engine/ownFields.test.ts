import type { IDataObject, INode } from 'n8n-workflow';

import { serviceFailed, valuesRefused } from '../../nodes/ChatbotService/client/failure/failure';
import { ChatbotService } from '../../nodes/ChatbotService/ChatbotService.node';
import { unknownMessage } from '../../nodes/ChatbotService/resources/message/recipient';
import { loadAsN8n } from './n8n';
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

/* An item keeps its own fields, even those that n8n and the node use for failures: `message` is the usual name for a text. */

const service = useEmulator();

const parameters = {
	...send,
	text: '={{ $json.message ?? $json.text }}',
	options: { includeInputFields: 'да' },
};

const errorOutput: Partial<INode> = { onError: 'continueErrorOutput' };

async function outputsFor(items: IDataObject[], options: Partial<RunOptions> = {}) {
	const credential = credentialFor(service);
	const { outputs } = await runNode({ parameters, credential, items, node: errorOutput, ...options });
	return outputs.map((output) => output.map(({ json }) => json));
}

/** The expression of docs/errors.md. */
const isUnknown = ({ error, message }: IDataObject) =>
	/\[Item \d+\]\. The message may have been sent/.test(`${String(error)}. ${String(message)}`);

/** What an earlier node, or this one, has left in the items. */
const left = {
	...{ error: 'Не вышло [Item 7]', success: false, alreadySent: true },
	...{ message: 'Ваш заказ принят', details: 'нет', description: 'да' },
};

const withLeft = (count: number) => lettersFor(service, count).map((each) => ({ ...each, ...left }));

describe('an item that the service refuses', () => {
	const { message, description } = valuesRefused(422, [], 'The given data was invalid.');

	test('keeps its fields on the error output, and sends its own text when it is sent once more', async () => {
		const items = withLeft(2);
		service.faults.add({ ...refusal, match: { recipient: items[1]!.id } });
		const [done, failed] = await outputsFor(items);
		expect(done).toHaveLength(1);
		expect(failed).toEqual([{ ...items[1], error: `${message} [Item 1]. ${description}` }]);
		// Neither the words of the service nor what an earlier node has left make an outcome unknown.
		expect(failed!.map(isUnknown)).toEqual([false]);
		service.faults.clear();
		await outputsFor(failed!);
		expect(service.deliveries().map(({ text }) => text)).toEqual([left.message, left.message]);
	});

	test.each([[''], [null], [unknownMessage]])('keeps its `message` whatever it is: %j', async (own) => {
		const [done, failed] = await outputsFor([{ id: 'нет', message: own }]);
		expect(done).toEqual([]);
		expect(failed!.map((json) => [json.message, isUnknown(json)])).toEqual([[own, false]]);
	});
});

test.each<INode['onError']>(['continueErrorOutput', 'continueRegularOutput'])(
	'with %s, an unknown outcome is recognized by the same words, whether the item has a `message` or not',
	async (onError) => {
		service.faults.add({ kind: 'server error' });
		const [first, second] = withLeft(2);
		const { message: _message, ...without } = second!;
		const outputs = await outputsFor([first!, without], { node: { onError } });
		const [own, plain] = outputs.flat();
		expect([own!, plain!].map(isUnknown)).toEqual([true, true]);
		const { message, description } = serviceFailed(500, undefined, 'Server Error');
		expect(own!.error).toBe(`${message} [Item 0]. ${unknownMessage} ${description}`.trim());
		expect(plain).toMatchObject({ error: `${message} [Item 1]` });
		expect(plain!.message).toContain(unknownMessage);
	},
);

describe('an item that was sent', () => {
	test('keeps all its fields but those about an earlier outcome, and its input does not change', async () => {
		const items = withLeft(2);
		const before = structuredClone(items);
		const [done, failed] = await outputsFor(items);
		const { error: _error, alreadySent: _alreadySent, ...others } = left;
		expect(done).toEqual(items.map(({ id, text }) => ({ id, text, ...others, success: true })));
		expect([failed, items]).toEqual([[], before]);
	});

	test('has the value of the service in a field that both have', async () => {
		service.faults.add({ kind: 'answer', status: 200, body: { success: true, id: 'сообщение 7' } });
		const [done] = await outputsFor(lettersFor(service, 1));
		expect(done).toMatchObject([{ id: 'сообщение 7', text: 'Письмо 0' }]);
	});

	test('keeps its fields when it is skipped, so that the next node knows who it is', async () => {
		const credential = credentialFor(service);
		const once = { ...parameters, options: { ...parameters.options, sendOncePer: 'осень' } };
		const items = lettersFor(service, 2);
		const { options } = await runNode({ parameters: once, credential, items });
		const { json } = await runNode(options);
		expect(json).toEqual(items.map((item) => ({ ...item, success: true, alreadySent: true })));
		expect(service.deliveries()).toHaveLength(2);
	});

	test.each<[string, Partial<INode>]>([
		['Retry On Fail', { retryOnFail: true, maxTries: 2, waitBetweenTries: 0 }],
		['Retry of the failed execution', {}],
	])('in an earlier run keeps its fields with %s', async (_name, node) => {
		const items = lettersFor(service, 3);
		service.faults.add({ ...refusal, match: { nth: 3 } });
		const first = await runNode({ parameters, credential: credentialFor(service), items, node });
		const { json } = first.error ? await retryNode(first) : first;
		expect(json).toEqual(items.map((item) => ({ ...item, success: true })));
		expect(service.deliveries()).toHaveLength(3);
	});

	test('keeps its fields in an n8n without custom operations, but an agent gets the answer alone', async () => {
		const items = lettersFor(service, 1);
		const options = { parameters, items, credential: credentialFor(service) };
		expect(await callAlone(options)).toEqual(items.map((item) => ({ ...item, success: true })));
		const written = { ...parameters, contactId: String(items[0]!.id), text: 'Готово' };
		const ofAgent = { ...options, parameters: written };
		expect(await callAsTool(ofAgent, [{ arguments: items[0]! }])).toEqual([[{ success: true }]]);
		expect((await callByEngine(ofAgent, items)).json).toEqual(items.map(() => ({ success: true })));
	});

	test('is not tried again by Retry On Fail because of the `error` of its input', async () => {
		const nodeType = loadAsN8n(new ChatbotService());
		const node = { ...errorOutput, retryOnFail: true, maxTries: 2, waitBetweenTries: 100 };
		const operation = jest.fn(nodeType.customOperations!.message!.send);
		nodeType.customOperations = { message: { send: operation } };
		await outputsFor(withLeft(1), { node, nodeType });
		expect(operation).toHaveBeenCalledTimes(1);
	});
});
