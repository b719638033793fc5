import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { broken } from '../../nodes/ChatbotService/later';
import { type Host, packageName, startHost, workflowOver } from '../../sandbox/host';
import type { Emulator } from '../../sandbox/emulator';
import { duringTests } from '../duringTests';
import { openOwnBench } from './support/bench';
import { rows } from './support/examples';
import { expectEverybodyOnce, expectSuccess, newPeople } from './support/interrupted';
import { answer, ASK, questionWorkflow, openPage, untilWaiting, type Waiting } from './support/pages';
import { sendNode } from './support/webhook';

/*
 * A package that loses a file while n8n runs, that is incomplete when n8n starts, or whose files are of different versions then. All in
 * one n8n, which is restarted for each state of the package. Each test continues where the previous one stopped. What is said in the other
 * modes: engine/brokenPackage.test.ts.
 */

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

async function send(onError = 'stopWorkflow') {
	const people = newPeople(service, 2).map(({ id, name }) => ({ id, name }));
	const node = { ...sendNode(bench.credential, 'Ждём вас завтра в 18:30.'), onError };
	const { id } = await bench.api.createWorkflow(workflowOver(onError, people, node));
	return { people, execution: await bench.api.runWorkflow(id) };
}

async function expectToSend(): Promise<void> {
	const { people, execution } = await send();
	expectSuccess(execution);
	expectEverybodyOnce(service, people);
}

test('messages leave although a running n8n loses a file', async () => {
	await rm(runtime);
	await expectToSend();
	await writeFile(runtime, complete);
	const [manager] = newPeople(service, 1);
	const workflow = questionWorkflow({ contactId: String(manager!.id) }, bench.credential);
	question = await untilWaiting(bench, (await bench.api.createWorkflow(workflow)).id);
});

test.each<[string, () => Promise<void>]>([
	['lacks a file', async () => await rm(runtime, { force: true })],
	['has a file of another version', async () => await writeFile(runtime, ofAnotherVersion())],
])('n8n that starts with a package that %s sends nothing', async (_, damage) => {
	await damage();
	await restart();
	const before = service.requests.length;
	const { execution } = await send();
	expect([execution.status, execution.error?.message]).toEqual(['error', broken]);
	const apart = await send('continueErrorOutput');
	expectSuccess(apart.execution);
	expect(apart.execution.output('Send', 1).map(({ json }) => json)).toEqual(
		apart.people.map((person) => ({ ...person, error: broken })),
	);
	// The page of a question takes no answer, and the execution continues to wait.
	const pages = [await openPage(question.link), await answer(question.link, { answer: 'approve' })];
	for (const { status, headers, text } of pages) {
		expect([status, headers.get('content-type')]).toEqual([500, 'text/html; charset=utf-8']);
		expect(text).toContain(broken);
	}
	expect(await bench.api.statusOf(question.executionId)).toBe('waiting');
	expect(service.requests).toHaveLength(before);
});

test('after repair and a restart, all goes on', async () => {
	await writeFile(runtime, complete);
	await restart();
	await expectToSend();
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
