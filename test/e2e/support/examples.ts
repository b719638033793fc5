import type { INodeTypeDescription } from 'n8n-workflow';

import { inDoubt, type Problem } from '../../../nodes/ChatbotService/client/failure';
import * as kinds from '../../../nodes/ChatbotService/resources/kinds';
import type { Execution, WorkflowNode } from '../../../sandbox/host';
import type { Fault } from '../../../sandbox/emulator';
import { withCredential } from '../../../sandbox/start/examples';
import { labelOf, wordsOf } from '../../operations/words';
import { openBench } from './bench';
import { duringTests } from './duringTests';
import { exampleFiles } from './exampleFiles';
import { unknownBy } from './words';

/* What the tests of the examples share: the examples in an n8n, the words of the node, and faults of the service. */

export const mayBeSent = wordsOf('message/send').unknown!;
export const mayBeSentAlready = inDoubt('', '').message;
export const unknownContact = unknownBy('message/send', 'contactId');
export const contactLabel = labelOf('message/send', 'contactId');
export const [notANumber] = (kinds.contactId('Анна', contactLabel) as { problems: Problem[] }).problems;

export const files = exampleFiles();

export const fileOf = (name: string) => files.find(({ file }) => file === name)!;

/** The parameters of a node in the file of an example. */
export const parametersOf = (file: string, node: string) =>
	fileOf(file).workflow.nodes.find(({ name }) => name === node)!.parameters;

export const rows = (execution: Execution, node: string) => execution.output(node).map(({ json }) => json);

/** The service processed the request, and failed before it answered. */
export const doneButNotSaid = (path: string, recipient?: number | string): Fault => ({
	kind: 'server error',
	when: 'after',
	match: { path, recipient },
});

export const refusal = (path: string, words: string, recipient?: number | string): Fault => ({
	kind: 'answer',
	status: 422,
	body: { message: 'The given data was invalid.', errors: { contact_id: [words] } },
	match: { path, recipient },
});

/** An n8n with the examples, for one test file. Each test starts with the data that the emulator has at the start. */
export function openExamples() {
	const bench = duringTests(openBench);
	beforeEach(() => bench.service.reset());
	afterEach(() => bench.service.assertContract());

	const idOf = (file: string) => bench.examples.get(file)!;
	const contact = (id: number) => bench.service.data.contacts.get(id)!;
	return {
		bench,
		idOf,
		contact,
		nodeTypes: async () => (await bench.api.nodeTypes()) as unknown as INodeTypeDescription[],
		run: async (file: string) => await bench.api.runWorkflow(idOf(file)),
		variablesOf: (id: number) =>
			Object.fromEntries(contact(id).variables.map(({ name, value }) => [name, value])),

		requestsOf: (operation: string) =>
			bench.service.requests.filter((request) => request.operation === operation),

		/** Which message the service delivered to whom, and how often. */
		delivered(): Record<number, Array<string | undefined>> {
			const texts: Record<number, Array<string | undefined>> = {};
			for (const { contactId, text } of bench.service.deliveries()) (texts[contactId] ??= []).push(text);
			return texts;
		},

		/** Changes nodes of a stored workflow, like a person in the editor. */
		async change(file: string, changes: Record<string, Partial<WorkflowNode>>): Promise<void> {
			const workflow = await bench.api.workflow(idOf(file));
			const nodes = workflow.nodes.map((node) => ({ ...node, ...changes[node.name] }));
			expect(Object.keys(changes).filter((name) => !nodes.some((node) => node.name === name))).toEqual([]);
			await bench.api.updateWorkflow(idOf(file), { ...workflow, nodes });
		},

		async putBack(file: string): Promise<void> {
			const ready = withCredential(fileOf(file).workflow, bench.credential);
			await bench.api.updateWorkflow(idOf(file), ready as never);
		},
	};
}
