import { WorkflowExecute } from 'n8n-core';
import { createRunExecutionData, type INode, type INodeParameters } from 'n8n-workflow';

import { valuesRefused } from '../../nodes/ChatbotService/client/failure/failure';
import { SEEDED } from '../../sandbox/emulator';
import { lettersFor, refusal, send } from './messages';
import { scene } from './scene';
import { resultOf, setUp } from './setUp';

/*
 * For its error output, n8n looks for the item of the previous node from which a failed one comes. If it cannot find it, for example
 * after a partial execution or behind a Merge, it passes on the whole input by the success output.
 */

const { service, optionsOf } = scene(send);

/** Runs items, of which the service refuses the second. @param kept how many of them n8n has kept @param previousNodeRun where it looks */
async function run(
	onError: NonNullable<INode['onError']>,
	[kept, previousNodeRun]: readonly [number, number],
	given = lettersFor(service, 3) as Array<{ id: number }>,
	changes: INodeParameters = {},
) {
	const { workflow, tested, additionalData, used } = setUp(optionsOf({ with: changes, node: { onError } }));
	const items = given.map((json, item) => ({ json, pairedItem: { item } }));
	service.faults.add({ ...refusal, match: { recipient: given[1]!.id } });
	const start = { startTime: 0, executionTime: 0, executionIndex: 0, source: [] };
	const source = { main: [{ previousNode: 'Start', previousNodeOutput: 0, previousNodeRun }] };
	const data = createRunExecutionData({
		resultData: { runData: { Start: [{ ...start, data: { main: [items.slice(0, kept)] } }] } },
		executionData: { nodeExecutionStack: [{ node: tested, data: { main: [items] }, source }] } as never,
	});
	const execution = new WorkflowExecute(additionalData, 'manual', data);
	return { items, outputs: resultOf(await execution.processRunExecutionData(workflow), used).outputs };
}

const [first, last] = [0, 2].map((item) => ({ json: { success: true }, pairedItem: { item } }));
const refused = { error: `${valuesRefused([], '').message} [Item 1]` };

test.each([
	['has kept too few items', [1, 0] as const],
	['has kept none', [0, 0] as const],
	['looks in a run that was not', [3, 5] as const],
	['finds the item', [3, 0] as const],
])('a failed item is in the error output, if n8n %s', async (found, known) => {
	const { items, outputs } = await run('continueErrorOutput', known);
	const link = { json: { ...items[1]!.json, ...refused }, pairedItem: { item: 1 } };
	expect(outputs).toMatchObject([[first, last], [found === 'finds the item' ? link : { json: refused }]]);
});

test.each([0, 3])('with Continue, items keep their places: %i kept', async (kept) => {
	const { outputs } = await run('continueRegularOutput', [kept, 0]);
	expect(outputs).toMatchObject([[first, { json: refused, pairedItem: { item: 1 } }, last]]);
});

test('with Continue, a failed item keeps its link', async () => {
	const { telegram, viber } = SEEDED.contacts;
	const tags = { resource: 'tag', operation: 'getManyByContact', contactId: '={{ $json.id }}' };
	const items = [telegram, 99, viber].map((id) => ({ id }));
	const { outputs } = await run('continueRegularOutput', [0, 0], items, tags);
	expect(outputs[0]!.map(({ pairedItem }) => pairedItem)).toEqual([0, 0, 0, 1, 2].map((item) => ({ item })));
});
