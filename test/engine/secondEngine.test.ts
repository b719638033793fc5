import type { INodeParameters } from 'n8n-workflow';

import { calledOneByOne } from '../../nodes/ChatbotService/client/failure/failure';
import { callAlone, callAsTool, callBySecondEngine } from './calls';
import { modes } from './everyOperation';
import { credentialFor, useEmulator, type RunOptions } from './harness';
import { attach, lettersFor } from './messages';
import { howOften } from './once';
import { me, send, testing } from './testRun';

/*
 * n8n's engine 2.0 calls the node once for each item. Then the promises of a run cannot be kept, so a node with several items refuses them.
 * `npm run test:engine -- engine-2.0` runs these tests on that engine.
 */

const service = useEmulator();

const { message } = calledOneByOne();

const errorsOf = async (options: Partial<RunOptions>) => {
	const call = { parameters: send, credential: credentialFor(service), ...options };
	try {
		return (await callBySecondEngine(call)).map(({ json }) => String(json.error));
	} catch (error) {
		return [(error as Error).message];
	}
};

describe.each(modes)('%s: of several items nothing leaves, and the reason names the engine', (onError) => {
	const withOptions = (options: object) => ({ ...send, options }) as INodeParameters;

	test.each<[string, INodeParameters]>([
		['messages', send],
		['a test run', testing({ contactId: me })],
		['more than Maximum Recipients', withOptions({ mostRecipients: 2 })],
		['Send Once Per', withOptions({ sendOncePer: 'осень' })],
		['tags', attach],
	])('%s', async (_, parameters) => {
		const items = [...lettersFor(service, 4), { id: 'нет', text: 'Письмо' }];
		const errors = await errorsOf({ items, parameters, node: { onError } });
		expect(errors).toHaveLength(onError === 'stopWorkflow' ? 1 : 5);
		for (const error of errors) expect(error).toContain(message);
		expect(message).toMatch(/Engine 2\.0.*'engineType'/);
		expect(service.requests).toEqual([]);
	});
});

test('one item is sent', async () => {
	const items = lettersFor(service, 1);
	expect(await errorsOf({ items })).toEqual(['undefined']);
	expect(howOften(service, items)).toEqual([1]);
});

test('one question is refused, because an execution cannot wait there', async () => {
	const parameters = { ...send, operation: 'sendAndWait', message: 'Согласны?', responseType: 'approval' };
	const [error] = await errorsOf({ items: lettersFor(service, 1), parameters });
	expect(error).toContain('Send and Wait');
	expect(service.requests).toEqual([]);
});

describe('a tool is called for one item at a time, so it works although there are several', () => {
	const tool = () => ({
		parameters: { ...send, contactId: String(me), text: 'Здравствуйте!' },
		credential: credentialFor(service),
		items: lettersFor(service, 3),
	});

	test('of an agent that calls its tools itself', async () => {
		expect(await callAsTool(tool(), [{ arguments: {} }])).toEqual([[{ success: true }]]);
	});

	test('outside of a workflow', async () => {
		const sent = await callAlone({ ...tool(), node: { type: 'testedTool' } });
		expect(sent).toEqual(Array(3).fill({ success: true }));
	});
});
