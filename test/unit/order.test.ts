import fc from 'fast-check';
import type { IDataObject, IHttpRequestOptions } from 'n8n-workflow';

import { run } from '../../nodes/ChatbotService/run/run';
import { broken, contactOf, contextFor, ok, refused } from './runs';
import { clock, inTime } from './virtualTime';
import type * as VirtualTime from './virtualTime';

jest.mock('n8n-workflow', () => jest.requireActual<typeof VirtualTime>('./virtualTime').n8nWorkflow());

test('messages to one recipient leave in item order, each after the answer to the one before, and no recipient waits for another (generated)', async () => {
	const item = fc.record({
		id: fc.integer({ min: 1, max: 4 }),
		answerMs: fc.integer({ min: 1, max: 500 }),
		answer: fc.constantFrom(ok, ok, refused, broken),
	});
	await fc.assert(
		fc.asyncProperty(
			fc.array(item, { minLength: 1, maxLength: 30 }),
			fc.boolean(),
			async (items, isBatched) => {
				const began = clock.now();
				const underWay = new Set<number>();
				const sent: number[] = [];
				let endedAt = 0;
				const send = async (options: IHttpRequestOptions) => {
					const contact = contactOf(options);
					const index = Number({ ...options.qs, ...(options.body as IDataObject) }.text);
					expect(underWay).not.toContain(contact);
					underWay.add(contact);
					sent.push(index);
					await clock.sleep(items[index]!.answerMs);
					underWay.delete(contact);
					endedAt = clock.now() - began;
					return items[index]!.answer;
				};
				const contacts = items.map(({ id }, index) => ({ id, index }));
				// In batches, items come while earlier ones are under way.
				const batching = { batch: { batchSize: 3, batchInterval: 300 } };
				const parameters = { text: '={{ $json.index }}', ...(isBatched && { requestOptions: { batching } }) };
				await inTime(run(contextFor(items.length, { send, continues: true }, parameters, contacts)));

				const indexesOf = (id: number) => [...items.keys()].filter((index) => items[index]!.id === id);
				let longestMs = 0;
				for (const id of [1, 2, 3, 4]) {
					expect(sent.filter((index) => items[index]!.id === id)).toEqual(indexesOf(id));
					longestMs = Math.max(
						longestMs,
						indexesOf(id).reduce((sum, index) => sum + items[index]!.answerMs, 0),
					);
				}
				if (!isBatched) expect(endedAt).toBe(longestMs);
			},
		),
	);
});
