import type { IDataObject, INode } from 'n8n-workflow';

import { serviceFailed, valuesRefused } from '../../nodes/ChatbotService/client/failure';
import { ChatbotService } from '../../nodes/ChatbotService/ChatbotService.node';
import { unknownMessage } from '../../nodes/ChatbotService/resources/message/recipient';
import type { Emulator } from '../../sandbox/emulator';
import { loadAsN8n } from '../../sandbox/workflow';
import { credentialFor, runNode, withEmulator, type RunOptions } from './harness';
import { lettersFor, refusal, send } from './messages';

/* An item keeps its own fields, even those that n8n and the node use for failures: `message` is the usual name for a text. */

const parameters = { ...send, text: '={{ $json.message }}', options: { includeInputFields: true } };

const errorOutput: Partial<INode> = { onError: 'continueErrorOutput' };

async function outputsFor(service: Emulator, items: IDataObject[], options: Partial<RunOptions> = {}) {
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

const withLeft = (service: Emulator, count: number) =>
	lettersFor(service, count).map((each) => ({ ...each, ...left }));

describe('an item that the service refuses', () => {
	test.concurrent(
		'keeps its fields on the error output, and sends its own text when it is sent once more',
		withEmulator(async (service) => {
			const items = withLeft(service, 2);
			service.faults.add({ ...refusal, match: { recipient: items[1]!.id } });
			const [done, failed] = await outputsFor(service, items);
			const { message, description } = valuesRefused(422, [], 'The given data was invalid.');
			expect(done).toHaveLength(1);
			expect(failed).toEqual([{ ...items[1], error: `${message} [Item 1]. ${description}` }]);
			// Neither the words of the service nor what an earlier node has left make an outcome unknown.
			expect(failed!.map(isUnknown)).toEqual([false]);
			service.faults.clear();
			await outputsFor(service, failed!);
			expect(service.deliveries().map(({ text }) => text)).toEqual([left.message, left.message]);
		}),
	);

	test.concurrent.each([[''], [null], [0], [{ text: 'Привет' }], [unknownMessage]])(
		'keeps its `message` whatever it is: %j',
		withEmulator(async (service, message) => {
			const items = [{ id: 'нет', message } as IDataObject];
			const [done, failed] = await outputsFor(service, items);
			expect(done).toEqual([]);
			expect(failed!.map((json) => [json.message, isUnknown(json)])).toEqual([[message, false]]);
		}),
	);

	test.concurrent(
		'has the reason in `error` and the advice in `message` if it has no `message`',
		withEmulator(async (service) => {
			service.faults.add(refusal);
			const [item] = lettersFor(service, 1);
			const [, failed] = await outputsFor(service, [{ ...item }], { parameters: send });
			const { message, description } = valuesRefused(422, [], 'The given data was invalid.');
			expect(failed).toEqual([{ ...item, error: `${message} [Item 0]`, message: description }]);
		}),
	);
});

test.concurrent.each<[string, INode['onError'], number]>([
	['on the error output', 'continueErrorOutput', 1],
	['without the error output', 'continueRegularOutput', 0],
])(
	'an unknown outcome is recognized %s by the same words, whether the item has a `message` or not',
	withEmulator(async (service, _name, onError, output) => {
		service.faults.add({ kind: 'server error' });
		const [first, second] = withLeft(service, 2);
		const { message: _message, ...without } = second!;
		const items = [first!, { ...without, text: 'Привет' }];
		const text = '={{ $json.message ?? $json.text }}';
		const outputs = await outputsFor(service, items, {
			parameters: { ...parameters, text },
			node: { onError },
		});
		const [own, plain] = outputs[output]!;
		for (const failed of [own!, plain!]) expect(isUnknown(failed)).toBe(true);
		const { message, description } = serviceFailed(500, undefined, 'Server Error');
		expect(own!.error).toBe(`${message} [Item 0]. ${unknownMessage} ${description}`.trim());
		expect(plain).toMatchObject({ error: `${message} [Item 1]` });
		expect(plain!.message).toContain(unknownMessage);
	}),
);

describe('an item that was sent', () => {
	test.concurrent.each<[string, Partial<INode>]>([
		['Stop Workflow', {}],
		['Continue', { onError: 'continueRegularOutput' }],
		['Continue (using error output)', errorOutput],
	])(
		'never carries what its input says about an earlier outcome, and keeps all its other fields: %s',
		withEmulator(async (service, _name, node) => {
			const items = withLeft(service, 2);
			const [done, failed = []] = await outputsFor(service, items, { node });
			expect(failed).toEqual([]);
			const { error: _error, alreadySent: _alreadySent, ...others } = left;
			expect(done).toEqual(items.map(({ id, text }) => ({ id, text, ...others, success: true })));
		}),
	);

	test.concurrent(
		'is not tried again by Retry On Fail because of the `error` of its input',
		withEmulator(async (service) => {
			const nodeType = loadAsN8n(new ChatbotService());
			const operation = jest.fn(nodeType.customOperations!.message!.send);
			nodeType.customOperations = { message: { send: operation } };
			const node = { ...errorOutput, retryOnFail: true, maxTries: 2, waitBetweenTries: 100 };
			await outputsFor(service, withLeft(service, 1), { node, nodeType });
			expect(operation).toHaveBeenCalledTimes(1);
		}),
	);
});
