import type { IDataObject } from 'n8n-workflow';

import { noAnswer } from '../../nodes/ChatbotService/ask/link';
import { looksAnswered } from '../../nodes/ChatbotService/ask/questionProblems';
import { reachTimeLimit, retryNode } from './harness';
import { scene, usual, type Given } from './scene';

/*
 * Only the answer of a person is an answer. When the time limit is reached, or a canceled execution is retried, n8n passes on the item
 * that the question got: in a human review, the item of the agent with the whole call of the model. With a real agent:
 * e2e/agent.test.ts.
 */

const { service, run } = scene(usual('message/sendAndWait', { message: 'Директор, согласны?' }));

const limited = (limitType: string, values: object) => ({
	options: { limitWaitTime: { values: { limitType, ...values } } },
});
const afterAnHour = limited('afterTimeInterval', { resumeAmount: 1, resumeUnit: 'hours' });
const tomorrow = limited('atSpecifiedTime', { maxDateAndTime: "={{ $now.plus(1, 'day').toISO() }}" });

/** About an item, by default with a time limit. */
const ask = async (item: IDataObject, changes: object = afterAnHour, given: Given = {}) =>
	await run({ with: changes, items: [item], ...given });

/** A tool, and human review of a tool, which takes only an approval as an approval. */
const tools = ['testedTool', 'testedHitlTool'];

const respondedAt = '2026-11-26T10:00:00.000Z';
const byManager = { approved: true, question: 'Менеджер, согласны?', respondedAt };

const looks: Array<[field: string, IDataObject]> = [
	['approved', { approved: true, data: byManager }],
	['data.approved', { data: byManager }],
	['data.approved', { data: { approved: false } }],
	['data.text', { data: { text: 'Да' } }],
	['data.respondedAt', { order: 17, data: { respondedAt } }],
];

test.each(looks)('%s of an item is refused with a time limit: %j', async (field, item) => {
	const { message, advice } = looksAnswered(field);
	for (const limit of [afterAnHour, tomorrow]) {
		const { run: ran, error } = await ask(item, limit);
		expect([ran.waitTill, error]).toMatchObject([
			undefined,
			{ message: `${message} [Item 0]`, description: advice },
		]);
	}
	for (const type of tools) {
		const { run: ran, json } = await ask(item, afterAnHour, { node: { type } });
		expect([ran.waitTill, json]).toEqual([undefined, [{ error: message, message: advice }]]);
	}
	expect(service.requests).toEqual([]);
});

test.each<IDataObject>([
	{ approved: false, order: 17 },
	{ approved: 1, Approved: true },
	{ data: { text: null, approved: null } },
	{ data: [{ approved: true }] },
	{ data: { order: 17 }, text: 'Да', respondedAt },
])('no answer goes on after the time limit: %j', async (item) => {
	const asked = await ask(item);
	expect([asked.run.status, service.deliveries().length]).toEqual(['waiting', 1]);
	expect((await reachTimeLimit(asked)).json).toEqual([item]);
});

test.each(looks)('with no time limit, %s is no answer to a retry: %j', async (_, item) => {
	const asked = await ask(item, {});
	expect([asked.run.status, service.deliveries().length]).toEqual(['waiting', 1]);
	// The caller of a webhook gets the output while the execution waits.
	const { data: _data, approved: _approved, ...others } = item;
	expect(asked.json).toEqual([others]);
	expect((await retryNode(asked)).json).toEqual([others]);
	const [started] = asked.run.data.resultData.runData.Start!;
	expect(started!.data!.main![0]![0]!.json).toEqual(item);
});

test.each(tools)('a model that calls %s reads that nobody answered', async (type) => {
	const call = { message: 'Директор разрешил', chatInput: 'Разрешаю', approved: 'да' };
	for (const limit of [afterAnHour, {}]) {
		const asked = await ask(call, limit, { node: { type } });
		expect(asked.run.status).toBe('waiting');
		expect((await reachTimeLimit(asked)).json).toEqual([noAnswer]);
	}
});
