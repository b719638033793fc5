import { sleep, type IDataObject } from 'n8n-workflow';

import { operationOf, unknownOf } from '../operations';
import { credentialFor, runNode, stoppable, until, useEmulator, type RunOptions } from './harness';
import { attach, countsIn, lettersFor, refusal, send } from './messages';
import { howOften } from './once';

/* Retry On Fail, with which n8n runs a failed node again: only what was refused or not sent leaves again. */

const service = useEmulator();
const letters = (count: number) => lettersFor(service, count);
const texts = (items: Array<{ text: string }>) => items.map(({ text }) => text);
const sent = () => service.requests.map(({ input }) => input.text).sort();

const run = async (options: Partial<RunOptions>) =>
	await runNode({
		parameters: send,
		credential: credentialFor(service),
		...options,
		node: { retryOnFail: true, maxTries: 3, waitBetweenTries: 10, ...options.node },
	});

test.each<[RunOptions['node'], failing: number]>([
	[{}, 12],
	// In this mode, n8n tries again only if the first item has failed.
	[{ onError: 'continueErrorOutput' }, 0],
])('only what was refused or not sent is sent again: %j', async (node, failing) => {
	const items = letters(30);
	service.faults.add({ ...refusal, match: { text: `Письмо ${failing}`, times: 1 } });
	const { json, error } = await run({ items, node });
	expect([error, json.length]).toEqual([undefined, 30]);
	expect(howOften(service, items)).toEqual(items.map(() => 1));
	expect(sent()).toEqual([...texts(items), `Письмо ${failing}`].sort());
});

test('a message whose outcome is unknown is not sent again', async () => {
	const items = letters(3);
	service.faults.add({ kind: 'reset', when: 'after', match: { text: 'Письмо 1', times: 1 } });
	const { error } = await run({ items });
	expect(error?.message).toContain('[Item 1]');
	expect(error?.description).toContain(unknownOf(operationOf('message/send')));
	expect(countsIn(error?.description)).toEqual([3, 2, 1, 0]);
	expect(sent()).toEqual(texts(items));
});

test.each<[string, IDataObject]>([
	['nothing', { success: true, error: [] }],
	['an empty text', { success: true, error: '' }],
	['nothing beside an ID', { id: 77, success: true, error: [] }],
	['an empty text beside words', { error: '', message: 'Отправлено', success: true }],
])(
	'an error that is %s is none: n8n does not run the node again, and the item is a success',
	async (...row) => {
		const [, { error: _, ...output }] = row;
		for (const parameters of [send, attach]) {
			service.faults.add({ kind: 'answer', status: 200, body: row[1] });
			const { outputs, run: ran } = await run({
				...{ parameters, items: letters(1) },
				node: { onError: 'continueErrorOutput', waitBetweenTries: 5000 },
			});
			expect(outputs.map((items) => items.map(({ json }) => json))).toEqual([[output], []]);
			// Another try begins after this wait.
			expect(ran.data.resultData.runData.Tested!.at(-1)!.executionTime).toBeLessThan(5000);
		}
		expect(service.requests).toHaveLength(2);
	},
);

test.each(['continueRegularOutput', 'continueErrorOutput'] as const)(
	'%s: after Stop between two tries, the output shows what was done in the first one',
	async (onError) => {
		const items = letters(3);
		service.faults.add({ ...refusal, match: { text: 'Письмо 0' } });
		const { ended, stop } = stoppable(
			async (onStart) => await run({ items, onStart, node: { onError, waitBetweenTries: 3000 } }),
		);
		await until(() => service.requests.filter(({ answeredAt }) => answeredAt).length === 3);
		// The first try ends, and the wait for the second one is longer.
		await sleep(1000);
		stop();
		const rows = (await ended).outputs.flat();
		expect(rows.filter(({ json }) => json.success).map(({ pairedItem }) => pairedItem)).toEqual([
			{ item: 1 },
			{ item: 2 },
		]);
	},
);

test('another run sends the same item again', async () => {
	const items = letters(1);
	for (let time = 0; time < 2; time++) await run({ items });
	expect(howOften(service, items)).toEqual([2]);
});
