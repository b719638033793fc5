import type { INodeParameters } from 'n8n-workflow';

import { broken } from '../../nodes/ChatbotService/later';
import { SEEDED } from '../../sandbox/emulator';
import {
	callAsTool,
	callByEngine,
	credentialFor,
	loadFields,
	loadList,
	openLink,
	runNode,
	useEmulator,
	type RunOptions,
} from './harness';
import { lettersFor, send } from './messages';

/*
 * A package that is incomplete, or that was replaced while n8n was running: what runs cannot be loaded, or lacks a function. In the
 * continue modes, n8n takes what a node throws for success, and if a page throws, n8n continues the workflow.
 */

const service = useEmulator();

/** The file with all that runs, as the node finds it. */
let runtime: object | undefined;

jest.mock('../../nodes/ChatbotService/runtime', () => {
	if (!runtime) throw new Error("Cannot find module './runtime.js'");
	return runtime;
});

/** Jest keeps the first file that it finds, so the missing one has to come first. */
const states: Array<[string, object | undefined]> = [
	['is missing', undefined],
	['lacks the functions that the node calls', { runOperation: 'нет', build: '0.0.1' }],
];

describe.each(states)('if what runs %s', (_, state) => {
	beforeAll(() => void (runtime = state));

	const run = async (options: Partial<RunOptions> = {}) =>
		await runNode({
			parameters: send,
			credential: credentialFor(service),
			items: lettersFor(service, 2),
			...options,
		});

	test('Stop Workflow: the error says what to do', async () => {
		const { error, outputs } = await run();
		expect(error).toMatchObject({ name: 'NodeApiError', message: broken });
		expect([outputs, service.requests]).toEqual([[], []]);
	});

	test.each([
		['continueRegularOutput', 0],
		['continueErrorOutput', 1],
	] as const)(
		'%s: each person counts as not reached, and keeps the link to its item',
		async (onError, output) => {
			const { error, outputs } = await run({ node: { onError } });
			expect(error).toBeUndefined();
			const failed = [0, 1].map((item) => ({ json: { error: broken }, pairedItem: { item } }));
			expect(outputs[output]).toMatchObject(failed);
			expect(outputs.flat()).toHaveLength(2);
			expect(service.requests).toEqual([]);
		},
	);

	test('an agent reads it, in both ways of calling', async () => {
		const options = {
			parameters: { ...send, text: "={{ $fromAI('text') }}" },
			credential: credentialFor(service),
		};
		expect(await callAsTool(options, [{ arguments: { text: 'Привет' } }])).toEqual([[{ error: broken }]]);
		expect((await callByEngine(options, [{ text: 'Привет' }])).json).toEqual([{ error: broken }]);
		const [thrown] = await callAsTool({ ...options, node: { onError: 'stopWorkflow' } }, [{ arguments: {} }]);
		expect(thrown).toMatchObject({ message: broken });
		expect(service.requests).toEqual([]);
	});

	test('the editor shows it instead of a list, and of the fields of a list', async () => {
		const options = {
			parameters: {
				resource: 'listItem',
				operation: 'create',
				schemaId: SEEDED.schemas.goods,
			} as INodeParameters,
			credential: credentialFor(service),
		};
		const said = { name: 'NodeApiError', message: broken };
		await expect(loadList('searchListSchemas', options)).rejects.toMatchObject(said);
		await expect(loadFields(options)).rejects.toMatchObject(said);
	});

	test('the page of a question says that it cannot be shown, and the execution continues to wait', async () => {
		const link = 'https://n8n.example.com/webhook-waiting/1/tested?question=a&signature=b';
		for (const request of [{}, { method: 'POST', body: { answer: 'approve' } }]) {
			const opened = await openLink(await run(), link, request);
			expect([opened.status, opened.items]).toEqual([500, undefined]);
			expect(opened.html).toContain('This page cannot be shown');
			expect(opened.html).toContain('lang="ru"');
		}
	});
});
