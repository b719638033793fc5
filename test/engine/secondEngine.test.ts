import { calledOneByOne } from '../../nodes/ChatbotService/client/failure/failure';
import { callAlone, callAsTool, callBySecondEngine } from './calls';
import { modes, type Mode } from './everyOperation';
import { attach, me, toVk } from './messages';
import { scene, usual, type Given } from './scene';

/*
 * n8n's engine 2.0 calls the node once for each item. Then the promises of a run cannot be kept, so a node with several items refuses them.
 * `npm run test:engine -- engine-2.0` runs these tests on that engine.
 */

const { service, optionsOf, letters } = scene(toVk);
const { message } = calledOneByOne();

const errorsOf = async (given: Given) => {
	try {
		return (await callBySecondEngine(optionsOf(given))).map(({ json }) => String(json.error));
	} catch (error) {
		return [(error as Error).message];
	}
};

test.each(
	modes.flatMap((onError): Array<[Mode, string, object]> => [
		[onError, 'messages', {}],
		[onError, 'tags', attach],
	]),
)('%s: of several items nothing leaves: %s', async (onError, _, parameters) => {
	const items = [...letters(4), { id: 'нет', text: 'Письмо' }];
	const errors = await errorsOf({ items, with: parameters, node: { onError } });
	const said = Array<unknown>(onError === 'stopWorkflow' ? 1 : 5).fill(expect.stringContaining(message));
	expect([errors, service.requests]).toEqual([said, []]);
	expect(message).toMatch(/Engine 2\.0.*'engineType'/);
});

test('one question is refused: executions cannot wait', async () => {
	const [error] = await errorsOf({ items: [{}], parameters: usual('message/sendAndWait') });
	expect([error, service.requests]).toEqual([expect.stringContaining('Send and Wait'), []]);
});

test('a tool is called for one item at a time', async () => {
	const written = { contactId: String(me), text: 'Здравствуйте!' };
	const tool = optionsOf({ with: written, items: letters(3) });
	expect(await callAsTool(tool, [{ arguments: {} }])).toEqual([[{ success: true }]]);
	// Outside of a workflow.
	const sent = await callAlone({ ...tool, node: { type: 'testedTool' } });
	expect(sent).toEqual(Array(3).fill({ success: true }));
});
