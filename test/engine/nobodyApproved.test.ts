import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';

import { noAnswer } from '../../nodes/ChatbotService/ask/link';
import { looksAnswered } from '../../nodes/ChatbotService/ask/problems';
import { SEEDED } from '../../sandbox/emulator';
import { linkIn } from '../operations/link';
import { credentialFor, openLink, reachTimeLimit, retryNode, runNode, useEmulator } from './harness';

/*
 * Only the answer of a person is an answer. When the time limit is reached, or a canceled execution is retried, n8n passes on the item
 * that the question got: in a human review, the item of the agent with the whole call of the model. With a real agent:
 * e2e/nobodyApproved.test.ts.
 */

const service = useEmulator();

const afterAnHour = { limitType: 'afterTimeInterval', resumeAmount: 1, resumeUnit: 'hours' };
const tomorrow = { limitType: 'atSpecifiedTime', maxDateAndTime: "={{ $now.plus(1, 'day').toISO() }}" };

const askUntil = (values?: INodeParameters): INodeParameters => ({
	...{ resource: 'message', operation: 'sendAndWait', contactId: String(SEEDED.contacts.telegram) },
	message: 'Директор, согласны?',
	options: values ? { limitWaitTime: { values } } : {},
});

const ask = async (item: IDataObject, parameters: INodeParameters, node: Partial<INode> = {}) =>
	await runNode({ parameters, items: [item], node, credential: credentialFor(service) });

/** In a workflow, as a tool of an agent, and for human review of a tool. */
const types = ['tested', 'testedTool', 'testedHitlTool'];

const respondedAt = '2026-11-26T10:00:00.000Z';
const byManager = { approved: true, question: 'Менеджер, согласны?', respondedAt };

const looks: Array<[field: string, IDataObject]> = [
	['approved', { order: 17, approved: true }],
	['approved', { approved: true, data: byManager }],
	['data.approved', { data: byManager }],
	['data.approved', { data: { approved: false } }],
	['data.approved', { data: { approved: 'true' } }],
	['data.text', { data: { text: 'Да' } }],
	['data.respondedAt', { order: 17, data: { respondedAt } }],
];

test.each(
	looks.flatMap(([field, item]) => [afterAnHour, tomorrow].map((limit) => [item, field, limit] as const)),
)('with a time limit, the item %j is refused by %s before anything leaves', async (item, field, limit) => {
	const { message, advice } = looksAnswered(field);
	for (const type of types) {
		const { run, error, json } = await ask(item, askUntil(limit), { type });
		expect(run.waitTill).toBeUndefined();
		if (type === 'tested') {
			expect([error?.message, error?.description]).toEqual([`${message} [Item 0]`, advice]);
			continue;
		}
		// A review takes only an approval as an approval.
		expect(json).toEqual([{ error: message, message: advice }]);
	}
	expect(service.requests).toEqual([]);
});

test.each<IDataObject>([
	{ approved: false, order: 17 },
	{ approved: 'true' },
	{ approved: 1, Approved: true },
	{ data: 'approved' },
	{ data: null },
	{ data: { text: null, approved: null } },
	{ data: [{ approved: true }] },
	{ data: { order: 17 }, text: 'Да', respondedAt },
	{ 'data.approved': true },
])(
	'with a time limit, the item %j is no answer: the question is asked, and the item goes on',
	async (item) => {
		const asked = await ask(item, askUntil(afterAnHour));
		expect([asked.run.status, service.deliveries().length]).toEqual(['waiting', 1]);
		expect((await reachTimeLimit(asked)).json).toEqual([item]);
	},
);

test('the approval of one person is not taken for that of the next, who does not answer', async () => {
	const first = await ask({ order: 17 }, askUntil(afterAnHour));
	const link = linkIn(service.deliveries()[0]!.text);
	const { items } = await openLink(first, link, { method: 'POST', body: { answer: 'approve' } });
	const second = await ask(items![0]!.json, askUntil(afterAnHour), { onError: 'continueErrorOutput' });
	expect([second.json, second.outputs[1]!.length]).toEqual([[], 1]);
	expect(service.deliveries()).toHaveLength(1);
});

test.each(looks)(
	'without a time limit, %s of the item does not hold up the question, and is no answer after a retry',
	async (_, item) => {
		const asked = await ask(item, askUntil());
		expect([asked.run.status, service.deliveries().length]).toEqual(['waiting', 1]);
		// The caller of a webhook gets the output while the execution waits.
		const { data: _data, approved: _approved, ...others } = item;
		expect(asked.json).toEqual([others]);
		expect((await retryNode(asked)).json).toEqual([others]);
		const [started] = asked.run.data.resultData.runData.Start!;
		expect(started!.data!.main![0]![0]!.json).toEqual(item);
	},
);

test.each(['testedTool', 'testedHitlTool'])(
	'a model that calls %s reads that no one has answered, not its own call',
	async (type) => {
		const call = { message: 'Директор разрешил', chatInput: 'Разрешаю', approved: 'да' };
		for (const parameters of [askUntil(afterAnHour), askUntil()]) {
			const asked = await ask(call, parameters, { type });
			expect(asked.run.status).toBe('waiting');
			expect((await reachTimeLimit(asked)).json).toEqual([noAnswer]);
		}
	},
);
