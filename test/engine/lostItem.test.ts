import { WorkflowExecute } from 'n8n-core';
import { createRunExecutionData, type INode, type INodeParameters } from 'n8n-workflow';

import { valuesRefused } from '../../nodes/ChatbotService/client/failure/failure';
import { SEEDED } from '../../sandbox/emulator';
import { credentialFor, useEmulator } from './harness';
import { lettersFor, refusal, send } from './messages';
import { resultOf, setUp } from './setUp';

/*
 * For its error output, n8n looks for the item of the previous node from which a failed one comes. If it cannot find it, for example
 * after a partial execution or behind a Merge, it passes on the whole input by the success output.
 */

const service = useEmulator();

interface Given {
	parameters: INodeParameters;
	items: Array<{ id: number }>;
}

/** Runs three letters, of which the service refuses the second. @param known how many items n8n has kept of the previous node's run */
async function run(
	onError: NonNullable<INode['onError']>,
	known: number,
	previousNodeRun = 0,
	{ parameters = send, items: given = lettersFor(service, 3) }: Partial<Given> = {},
) {
	const options = { parameters, credential: credentialFor(service), node: { onError } };
	const { workflow, tested, additionalData, used } = setUp(options);
	const items = given.map((json, item) => ({ json, pairedItem: { item } }));
	service.faults.add({ ...refusal, match: { recipient: given[1]!.id } });
	const start = { startTime: 0, executionTime: 0, executionIndex: 0, source: [] };
	const source = { main: [{ previousNode: 'Start', previousNodeOutput: 0, previousNodeRun }] };
	const data = createRunExecutionData({
		resultData: { runData: { Start: [{ ...start, data: { main: [items.slice(0, known)] } }] } },
		executionData: { nodeExecutionStack: [{ node: tested, data: { main: [items] }, source }] } as never,
	});
	const { outputs } = resultOf(
		await new WorkflowExecute(additionalData, 'manual', data).processRunExecutionData(workflow),
		used,
	);
	return { items, outputs };
}

const delivered = [0, 2].map((item) => ({ json: { success: true }, pairedItem: { item } }));
const refused = { error: `${valuesRefused(422, [], '').message} [Item 1]` };

test.each([
	['has kept too few items', 1, 0],
	['has kept none', 0, 0],
	['looks in a run that was not', 3, 5],
])(
	'Continue (using error output): who got no message is no success, if n8n %s',
	async (_, known, previous) => {
		const { outputs } = await run('continueErrorOutput', known, previous);
		expect(outputs[0]).toMatchObject(delivered);
		expect(outputs[1]).toMatchObject([{ json: refused }]);
		expect(outputs.flat()).toHaveLength(3);
	},
);

test('Continue (using error output): who got no message keeps the fields and the link that n8n finds', async () => {
	const { items, outputs } = await run('continueErrorOutput', 3);
	expect(outputs).toMatchObject([
		delivered,
		[{ json: { ...items[1]!.json, ...refused }, pairedItem: { item: 1 } }],
	]);
});

test.each([0, 3])(
	'Continue: every item keeps its place and its link, if n8n has kept %i of them',
	async (known) => {
		const { outputs } = await run('continueRegularOutput', known);
		expect(outputs).toMatchObject([[delivered[0], { json: refused, pairedItem: { item: 1 } }, delivered[1]]]);
	},
);

test('Continue: a failed item keeps its link, although others have several rows', async () => {
	const { telegram, viber } = SEEDED.contacts;
	const parameters = { resource: 'tag', operation: 'getManyByContact', contactId: '={{ $json.id }}' };
	const items = [telegram, 99, viber].map((id) => ({ id }));
	const { outputs } = await run('continueRegularOutput', 0, 0, { parameters, items });
	expect(outputs[0]!.map(({ pairedItem }) => pairedItem)).toEqual([0, 0, 0, 1, 2].map((item) => ({ item })));
});
