import { broken } from '../../nodes/ChatbotService/later';
import { loadFields, loadList, openLink } from './harness';
import { send } from './messages';
import { apart, errorsOf, goingOn, scene, usual } from './scene';

/*
 * A package that is incomplete, or that was replaced while n8n was running: what runs cannot be loaded, or lacks a function. In the
 * continue modes, n8n takes what a node throws for success, and if a page throws, n8n continues the workflow.
 */

const { service, run, optionsOf, answers, letters } = scene(send);

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

const error = { name: 'NodeApiError', message: broken };

describe.each(states)('if what runs %s', (_, state) => {
	beforeAll(() => void (runtime = state));
	afterEach(() => expect(service.requests).toEqual([]));

	test.each([{}, goingOn, apart])('nobody is reached, the error says what to do: %j', async (node) => {
		const result = await run({ items: letters(2), node });
		const isStop = node !== goingOn && node !== apart;
		expect(errorsOf(result)).toEqual(isStop ? [broken] : [broken, broken]);
		if (isStop) expect([result.error, result.outputs]).toMatchObject([error, []]);
		else expect(result.outputs[node === apart ? 1 : 0]).toHaveLength(2);
	});

	test('an agent reads it, in both ways of calling', async () => {
		const tool = { with: { text: "={{ $fromAI('text') }}" } };
		for (const answer of await answers({ text: 'Привет' }, tool)) expect(answer).toContain(broken);
		const [thrown] = await answers({}, { ...tool, node: { onError: 'stopWorkflow' } });
		expect(thrown).toContain(broken);
	});

	test('the editor shows it instead of lists and fields', async () => {
		const editor = optionsOf({ parameters: usual('listItem/create') });
		await expect(loadList('searchListSchemas', editor)).rejects.toMatchObject(error);
		await expect(loadFields(editor)).rejects.toMatchObject(error);
	});

	test('a page cannot be shown, and the execution waits on', async () => {
		const link = 'https://n8n.example.com/webhook-waiting/1/tested?question=a&signature=b';
		for (const request of [{}, { method: 'POST', body: { answer: 'approve' } }]) {
			const opened = await openLink(await run(), link, request);
			expect([opened.status, opened.items]).toEqual([500, undefined]);
			expect(opened.html).toContain('This page cannot be shown');
			expect(opened.html).toContain('lang="ru"');
		}
	});
});
