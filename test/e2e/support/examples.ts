import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { inDoubt } from '../../../nodes/ChatbotService/client/failure/failure';
import {
	type Execution,
	ownConnection,
	poll,
	projectFolder,
	until,
	type WorkflowData,
} from '../../../sandbox/host';
import type { Fault } from '../../../sandbox/emulator';
import { examplesFolder, withCredential } from '../../../sandbox/start/examples';
import { wordsOf } from '../../operations/words';
import { type Bench, openBench } from './bench';
import { duringTests } from '../../duringTests';
import { isRegistered } from './mailing';

/* The examples: their files, one of them in an n8n, and faults of the service that they have to deal with. */

/** The same examples, whose notes are in Russian. */
export const russianExamplesFolder = join(projectFolder, 'docs/ru/examples');

/** All examples by file name. */
export const exampleFiles = (folder = examplesFolder) =>
	readdirSync(folder)
		.filter((file) => file.endsWith('.json'))
		.map((file) => {
			const text = readFileSync(join(folder, file), 'utf8');
			return { file, text, workflow: JSON.parse(text) as WorkflowData };
		});

export const exampleOf = (file: string, folder?: string): WorkflowData =>
	exampleFiles(folder).find((each) => each.file === file)!.workflow;

/** An example with other parameters of nodes. */
function changed(workflow: WorkflowData, changes: Record<string, Record<string, unknown>>): WorkflowData {
	const nodes = workflow.nodes.map((node) => ({
		...node,
		parameters: { ...node.parameters, ...changes[node.name] },
	}));
	return { ...workflow, nodes };
}

/** A broadcast that writes to its recipients. As imported, it only tries that. @param others options that change, too */
export function withoutTestRun(workflow: WorkflowData, others: object = {}): WorkflowData {
	const { name, parameters } = workflow.nodes.find((node) => node.name === 'Send the message')!;
	const { testRun: _testRun, ...options } = parameters.options as Record<string, unknown>;
	return changed(workflow, { [name]: { options: { ...options, ...others } } });
}

/** The node's words for a message without an answer, and for one that an earlier run left without an answer. */
export const mayBeSent = wordsOf('message/send').unknown!;
export const mayBeSentAlready = inDoubt('', '').message;

export const blocked = 'Контакт заблокировал бота.';

export const refusal = (path: string, recipient?: number | string, words = blocked): Fault => ({
	kind: 'answer',
	status: 422,
	body: { message: 'The given data was invalid.', errors: { contact_id: [words] } },
	match: { path, recipient },
});

/** The service processed the request, and failed before it answered. */
export const doneButNotSaid = (path: string, recipient?: number | string): Fault => ({
	kind: 'server error',
	when: 'after',
	match: { path, recipient },
});

/** Matches a text with these words. */
export const containing = (words: string) => expect.stringContaining(words) as string;

export const rows = (execution: Execution, node: string) => execution.output(node).map(({ json }) => json);

/**
 * The rows of failed items, with the whole failure in `details`: the node writes both of its sentences into `error` if the item has a field
 * `message`, as answers of LEADTEX have.
 */
export const failed = (execution: Execution, node: string) =>
	rows(execution, node).map((row) => ({ ...row, details: [row.reason, row.details].join('. ') }));

/** How each person of a broadcast ended, or another column of its report. */
export const reported = (execution: Execution, column = 'outcome') =>
	Object.fromEntries(
		rows(execution, 'Report').map((row) => [row.contact_id || row.phone || row.name, row[column]]),
	);

/** The examples in an n8n. Each test starts with the data that the emulator has at the start. */
export function openExamples(open: () => Promise<Bench> = openBench): Bench {
	const bench = duringTests(open);
	beforeEach(() => bench.service.reset());
	afterEach(() => bench.service.assertContract());
	return bench;
}

/** The service of an opened n8n, as an example uses it. */
export const serviceIn = (bench: Bench) => ({
	contact: (id: number) => bench.service.data.contacts.get(id)!,

	variablesOf: (id: number) =>
		Object.fromEntries(
			bench.service.data.contacts.get(id)!.variables.map(({ name, value }) => [name, value]),
		),

	giveVariable: (id: number, name: string, value: string) =>
		void bench.service.data.contacts.get(id)!.variables.push({ id, name, value, deletable: false }),

	requestsOf: (operation: string) =>
		bench.service.requests.filter((request) => request.operation === operation),

	/** The requests that do more than read. */
	changes: () => bench.service.requests.filter(({ operation }) => !operation?.startsWith('get')),

	/** Which texts the service delivered to whom. */
	delivered(): Record<number, string[]> {
		const texts: Record<number, string[]> = {};
		for (const { contactId, text } of bench.service.deliveries()) (texts[contactId] ??= []).push(text ?? '');
		return texts;
	},
});

/** One of the examples in an opened n8n, which stores changes for all tests that follow. */
export function exampleIn(bench: Bench, file: string, folder?: string) {
	let workflow = exampleOf(file, folder);
	const id = () => bench.examples.get(file)!;

	async function store(stored: WorkflowData): Promise<void> {
		workflow = stored;
		await bench.api.updateWorkflow(id(), withCredential(stored, bench.credential));
	}

	/** Where it is called: its webhook, or its form. */
	function address(): string {
		const start = workflow.nodes.find(({ type }) => /\.(webhook|formTrigger)$/.test(type))!;
		const { path, options } = start.parameters as { path?: string; options: { path?: string } };
		return `${bench.host.url}/${path ? `webhook/${path}` : `form/${options.path}`}`;
	}

	const ended = async ({ executionId }: { executionId: string }) =>
		await bench.api.waitForExecution(executionId);

	/** Calls the webhook like the bot or a site. @returns the immediate answer, and the execution that it starts */
	async function call(body: object | URLSearchParams, query = '') {
		const known = new Set((await bench.api.executions(id())).map((each) => each.id));
		const isForm = body instanceof URLSearchParams;
		const response = await fetch(`${address()}${query}`, {
			method: 'POST',
			headers: { ...ownConnection, ...(!isForm && { 'content-type': 'application/json' }) },
			body: isForm ? body : JSON.stringify(body),
		});
		const answer = { status: response.status, body: await response.text() };
		const answeredBefore = bench.service.requests.filter(({ answeredAt }) => answeredAt !== undefined);
		// An execution that ends at this moment may be missing in the list, so the ID is taken from the list that has it.
		const started = await poll(async () =>
			(await bench.api.executions(id())).find((each) => !known.has(each.id)),
		);
		return { answer, answeredBefore: answeredBefore.length, executionId: started.id };
	}

	return {
		address,
		call,
		ended,
		run: async () => await bench.api.runWorkflow(id()),
		tell: async (...request: Parameters<typeof call>) => await ended(await call(...request)),

		/** Publishes the workflow, and waits until it can be called. */
		async publish(): Promise<void> {
			await bench.api.activateWorkflow(id());
			await until(async () => await bench.api.isPublished(id()));
			await until(async () => await isRegistered(address()));
		},

		/** Changes parameters of nodes, like a person in the editor. */
		change: async (changes: Parameters<typeof changed>[1] = {}) => await store(changed(workflow, changes)),

		/** Removes 'Test Run' like a person in the editor. @param others options that change, too */
		removeTestRun: async (others?: object) => await store(withoutTestRun(workflow, others)),
	};
}
