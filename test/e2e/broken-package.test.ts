import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { broken } from '../../nodes/ChatbotService/later';
import { type Host, packageName, startHost, workflowOver } from '../../sandbox/host';
import type { Emulator } from '../../sandbox/emulator';
import { openOwnBench } from './support/bench';
import { rows } from './support/examples';
import { expectEverybodyOnce, expectSuccess, newPeople } from './support/interrupted';
import { duringTests } from '../duringTests';
import { answer, ASK, questionWorkflow, openPage, untilWaiting, type Waiting } from './support/pages';
import { sendNode } from './support/webhook';

/*
 * A package that loses a file while n8n runs, that is incomplete when n8n starts, or whose files are of different versions then. All in
 * one n8n with its own database, which is restarted for each state of the package. Each test continues where the previous one stopped.
 */

const modes = ['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'] as const;

const bench = duringTests(async () => await openOwnBench('broken-package'));
let service: Emulator;
/** The n8n of the latest restart. */
let restarted: Host | undefined;
/** The file that n8n can do without when it reads the package, and its content. */
let runtime: string;
let complete: string;
/** Asked while the package is complete. */
let question: Waiting;

beforeAll(async () => {
	({ service } = bench);
	const installed = join(bench.userFolder, '.n8n/nodes/node_modules', packageName);
	runtime = join(installed, 'dist/nodes/ChatbotService/runtime.js');
	complete = await readFile(runtime, 'utf8');
});
afterAll(async () => await restarted?.stop());

async function restart(): Promise<void> {
	await (restarted ?? bench.host).stop();
	const port = Number(new URL(bench.host.url).port);
	restarted = await startHost({ userFolder: bench.userFolder, port });
}

async function ask(): Promise<Waiting> {
	const [manager] = newPeople(service, 1);
	const workflow = questionWorkflow({ contactId: String(manager!.id) }, bench.credential);
	return await untilWaiting(bench, (await bench.api.createWorkflow(workflow)).id);
}

/** Sends to two people, with the node's On Error setting. */
async function send(onError: (typeof modes)[number]) {
	const people = newPeople(service, 2).map(({ id, name }) => ({ id, name }));
	const node = { ...sendNode(bench.credential, 'Ждём вас завтра в 18:30.'), onError };
	const { id } = await bench.api.createWorkflow(workflowOver(onError, people, node));
	const execution = await bench.api.runWorkflow(id);
	const outputs = [0, 1].map((output) =>
		execution.output(node.name, output).map(({ json, pairedItem }) => ({ json, pairedItem })),
	);
	return { people, execution, outputs };
}

async function expectToSend(): Promise<void> {
	for (const mode of modes) {
		const { people, execution } = await send(mode);
		expectSuccess(execution);
		expectEverybodyOnce(service, people);
	}
}

test('messages leave although the package loses a file while n8n runs, before anybody has used the node', async () => {
	await rm(runtime);
	await expectToSend();
	await writeFile(runtime, complete);
	question = await ask();
});

describe.each<[string, () => Promise<void>]>([
	['lacks a file', async () => await rm(runtime, { force: true })],
	['has a file of another version', async () => await writeFile(runtime, ofAnotherVersion())],
])('n8n starts with a package that %s', (_, damage) => {
	let before: number;
	beforeAll(async () => {
		await damage();
		await restart();
		before = service.requests.length;
	});
	afterEach(() => expect(service.requests.slice(before)).toEqual([]));

	test('a run fails, and says that nothing was sent and what to do', async () => {
		const { execution, outputs } = await send('stopWorkflow');
		expect(execution.status).toBe('error');
		expect(execution.error?.message).toBe(broken);
		expect(outputs).toEqual([[], []]);
	});

	test("with 'Continue', each item says so", async () => {
		const { execution, outputs } = await send('continueRegularOutput');
		expectSuccess(execution);
		const failed = [0, 1].map((item) => ({ json: { error: broken }, pairedItem: { item } }));
		expect(outputs).toEqual([failed, []]);
	});

	test("with 'Continue (using error output)', each item says so there, with the fields of its input", async () => {
		const { people, execution, outputs } = await send('continueErrorOutput');
		expectSuccess(execution);
		const failed = people.map((json, item) => ({ json: { ...json, error: broken }, pairedItem: { item } }));
		expect(outputs).toEqual([[], failed]);
	});

	test('the page of a question says so, takes no answer, and the execution continues to wait', async () => {
		const pages = [await openPage(question.link), await answer(question.link, { answer: 'approve' })];
		for (const { status, headers, text } of pages) {
			expect([status, headers.get('content-type')]).toEqual([500, 'text/html; charset=utf-8']);
			expect(text).toContain(broken);
		}
		expect(await bench.api.statusOf(question.executionId)).toBe('waiting');
	});
});

test('after the package is complete again and n8n was restarted, messages leave, and the question is answered', async () => {
	await writeFile(runtime, complete);
	await restart();
	await expectToSend();
	expect((await openPage(question.link)).status).toBe(200);
	expect((await answer(question.link, { answer: 'approve' })).status).toBe(200);
	const execution = await bench.api.waitForExecution(question.executionId);
	expectSuccess(execution);
	expect(rows(execution, ASK)).toMatchObject([{ data: { approved: true } }]);
	service.assertContract();
});

function ofAnotherVersion(): string {
	const changed = complete.replace(/(?<=\bown ?= ?)(["`])[^"`]+\1/, '"0.0.1"');
	expect(changed).not.toBe(complete);
	return changed;
}
