import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { tooManyRecipients } from '../../nodes/ChatbotService/client/failure/failure';
import { runInLoop } from './calls';
import { credentialFor, hintsOf, retryNode, runNode, useEmulator } from './harness';
import { lettersFor, refusal } from './messages';
import { howOften } from './once';
import { me, send, testing } from './testRun';

/* A node in a loop runs once for each batch. What 'Maximum Recipients' and 'Test Run' promise holds for the whole execution. */

const service = useEmulator();

const inLoop = async (parameters: INodeParameters, items: IDataObject[], size: number) =>
	await runInLoop({ parameters, items, credential: credentialFor(service) }, size);

const atMost = (mostRecipients: number) => ({ ...send, options: { mostRecipients } }) as INodeParameters;

const label = 'Maximum Recipients';

describe('Maximum Recipients', () => {
	test.each([
		[1, 5, 6, 5],
		[5, 5, 10, 5],
		[4, 4, 8, 4],
		[12, 0, 12, 0],
	])('with 5 of 12 people, %d at a time, the batch that passes it does not leave', async (...row) => {
		const [size, sent, all, before] = row;
		const items = lettersFor(service, 12);
		const batches = await inLoop(atMost(5), items, size);
		expect(howOften(service, items)).toEqual(items.map((_, index) => Number(index < sent)));
		expect(batches.at(-1)!.error?.message).toContain(tooManyRecipients(all, label, 5, before).message);
	});

	test('the same people in each batch count once', async () => {
		const items = lettersFor(service, 5);
		const batches = await inLoop(atMost(5), [...items, ...items], 3);
		expect(batches.map(({ error }) => error)).toEqual(batches.map(() => undefined));
		expect(howOften(service, items)).toEqual(items.map(() => 2));
	});

	test('in the mode Continue, later batches of the same people leave, and those who were refused count', async () => {
		const [first, others] = [lettersFor(service, 3), lettersFor(service, 3)];
		service.faults.add({ ...refusal, match: { recipient: first[2]!.id, times: 1 } });
		const options = {
			...{ parameters: atMost(3), items: [...first, ...others, ...first] },
			...{ credential: credentialFor(service), node: { onError: 'continueRegularOutput' as const } },
		};
		const batches = await runInLoop(options, 3);
		expect(howOften(service, [...first, ...others])).toEqual([2, 2, 1, 0, 0, 0]);
		const { message } = tooManyRecipients(6, label, 3, 3);
		expect(batches[1]!.json.map(({ error }) => error)).toEqual(
			[0, 1, 2].map((item) => `${message} [Item ${item}]`),
		);
	});

	test('a person to whom nothing was sent does not count in a retry', async () => {
		const items = lettersFor(service, 3);
		service.faults.add({ ...refusal, match: { recipient: items[2]!.id } });
		const failed = await runNode({ parameters: atMost(3), items, credential: credentialFor(service) });
		expect(failed.error).toBeDefined();
		const corrected = [...items.slice(0, 2), ...lettersFor(service, 1)];
		expect((await retryNode(failed, { items: corrected })).error).toBeUndefined();
		expect(howOften(service, corrected)).toEqual([1, 1, 1]);
		const others = [...items.slice(0, 2), ...lettersFor(service, 2)];
		const { error } = await retryNode(failed, { items: others });
		expect(error?.message).toContain(tooManyRecipients(4, label, 3, 2).message);
	});

	test('a test run tells of it too', async () => {
		const batches = await inLoop(testing({}, { mostRecipients: 5 }), lettersFor(service, 12), 4);
		expect(batches.map(({ error }) => error !== undefined)).toEqual([false, true]);
	});
});

describe('Test Run', () => {
	test.each([
		[1, 1],
		[1, 3],
		[3, 2],
		[5, 12],
	])('sends %d messages, although each batch has %d items', async (messages, size) => {
		const batches = await inLoop(testing({ contactId: me, messages }), lettersFor(service, 12), size);
		expect(service.deliveries().map(({ contactId }) => contactId)).toEqual(Array(messages).fill(me));
		expect(batches.flatMap(({ json }) => json)).toHaveLength(12);
		const last = hintsOf(batches.at(-1)!).join();
		expect(last).toContain(batches.length > 1 ? 'have left already' : 'accepted');
	});

	test('sends a message again that was refused', async () => {
		service.faults.add({ ...refusal, match: { nth: 1 } });
		const items = lettersFor(service, 3);
		const parameters = testing({ contactId: me });
		const options = { parameters, items, credential: credentialFor(service) };
		await runInLoop({ ...options, node: { onError: 'continueRegularOutput' } }, 1);
		expect(howOften(service, [{ id: me }, ...items])).toEqual([1, 0, 0, 0]);
	});

	test.each(["={{ $('Loop').item.json.id }}", "={{ $('Loop').first().json.id }}"])(
		'a customer gets nothing by %s',
		async (contactId) => {
			const [{ error }] = (await inLoop(testing({ contactId }), lettersFor(service, 3), 1)) as [never];
			expect((error as Error).message).toContain("'Test Run: Contact ID'");
			expect(service.requests).toEqual([]);
		},
	);
});
