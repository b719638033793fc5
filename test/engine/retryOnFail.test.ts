import { operationOf, unknownOf } from '../operations';
import { credentialFor, runNode, useEmulator, type RunOptions } from './harness';
import { countsIn, lettersFor, refusal, send } from './messages';
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
	expect(error?.description?.startsWith(unknownOf(operationOf('message/send')))).toBe(true);
	expect(countsIn(error?.description)).toEqual([3, 2, 1, 0]);
	expect(sent()).toEqual(texts(items));
});

test('another run sends the same item again', async () => {
	const items = letters(1);
	for (let time = 0; time < 2; time++) await run({ items });
	expect(howOften(service, items)).toEqual([2]);
});
