import type { IDataObject } from 'n8n-workflow';

import { tooManyRecipients } from '../../nodes/ChatbotService/client/failure/failure';
import { runInLoop } from './calls';
import { hintsOf, retryNode } from './harness';
import { me, refusal, testing, toVk } from './messages';
import { howOften } from './once';
import { errorsOf, goingOn, scene } from './scene';

/* A node in a loop runs once for each batch. What 'Maximum Recipients' and 'Test Run' promise holds for the whole execution. */

const { service, run, optionsOf, letters } = scene(toVk);

const inLoop = async (parameters: object, items: IDataObject[], size: number, node: object = {}) =>
	await runInLoop(optionsOf({ with: parameters, items, node }), size);

describe('Maximum Recipients', () => {
	const label = 'Maximum Recipients';
	const most = (mostRecipients: number) => ({ options: { mostRecipients } });

	test.each([
		[1, 5, 6, 5],
		[4, 4, 8, 4],
	])('with 5 of 12, %d at a time, one batch stays', async (size, sent, all, before) => {
		const items = letters(12);
		const batches = await inLoop(most(5), items, size);
		expect(howOften(service, items)).toEqual(items.map((_, index) => Number(index < sent)));
		expect(batches.at(-1)!.error?.message).toContain(tooManyRecipients(all, label, 5, before).message);
	});

	test('the same people in each batch count once', async () => {
		const items = letters(5);
		const batches = await inLoop(most(5), [...items, ...items], 3);
		expect(batches.flatMap(errorsOf).filter(Boolean)).toEqual([]);
		expect(howOften(service, items)).toEqual(items.map(() => 2));
	});

	test('who was refused counts; known people leave later', async () => {
		const [first, others] = [letters(3), letters(3)];
		service.faults.add({ ...refusal, match: { recipient: first[2]!.id, times: 1 } });
		const batches = await inLoop(most(3), [...first, ...others, ...first], 3, goingOn);
		expect(howOften(service, [...first, ...others])).toEqual([2, 2, 1, 0, 0, 0]);
		const { message } = tooManyRecipients(6, label, 3, 3);
		expect(errorsOf(batches[1]!)).toEqual([0, 1, 2].map((item) => `${message} [Item ${item}]`));
	});

	test('who got nothing does not count in a Retry', async () => {
		const items = letters(3);
		service.faults.add({ ...refusal, match: { recipient: items[2]!.id } });
		const failed = await run({ items, with: most(3) });
		const corrected = [...items.slice(0, 2), ...letters(1)];
		expect((await retryNode(failed, { items: corrected })).error).toBeUndefined();
		expect(howOften(service, corrected)).toEqual([1, 1, 1]);
		const { error } = await retryNode(failed, { items: [...items.slice(0, 2), ...letters(2)] });
		expect(error?.message).toContain(tooManyRecipients(4, label, 3, 2).message);
	});
});

describe('Test Run', () => {
	test.each([
		[1, 3],
		[5, 12],
	])('sends %d messages with batches of %d items', async (messages, size) => {
		const batches = await inLoop(testing({ contactId: me, messages }), letters(12), size);
		expect(service.deliveries().map(({ contactId }) => contactId)).toEqual(Array(messages).fill(me));
		expect(batches.flatMap(({ json }) => json)).toHaveLength(12);
		const last = hintsOf(batches.at(-1)!).join();
		expect(last).toContain(batches.length > 1 ? 'have left already' : 'accepted');
	});

	test('sends a message again that was refused', async () => {
		service.faults.add({ ...refusal, match: { nth: 1 } });
		const items = letters(3);
		await inLoop(testing({ contactId: me }), items, 1, goingOn);
		expect(howOften(service, [{ id: me }, ...items])).toEqual([1, 0, 0, 0]);
	});

	test.each(["={{ $('Loop').item.json.id }}", "={{ $('Loop').first().json.id }}"])(
		'sends nothing to a customer by %s',
		async (contactId) => {
			const [batch] = await inLoop(testing({ contactId }), letters(3), 1);
			expect(batch!.error?.message).toContain("'Test Run: Contact ID'");
			expect(service.requests).toEqual([]);
		},
	);
});
