import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { packageName, until, workflowOver } from '../../sandbox/host';
import type { Contact, Emulator } from '../../sandbox/emulator';
import { importExamples } from '../../sandbox/start/examples';
import { duringTests } from '../duringTests';
import { openOwnBench } from './support/bench';
import { isRegistered, type Mailing, mailing, newPeople, sendNode, webhookUrl } from './support/mailing';
import { deliveredTo, expectEverybodyOnce, expectOnceOrInDoubt, expectSuccess } from './support/outcomes';
import { answer, ASK, openPage, questionWorkflow, untilWaiting, type Waiting } from './support/pages';

/*
 * An n8n that starts again: by a second `npm start`, after it was killed, and with a package that has lost a file. Each test continues where
 * the previous one stopped.
 */

const NAME = 'restarts';

const bench = duringTests(async () => {
	await (await openOwnBench(NAME)).stop();
	return await openOwnBench(NAME);
});
let service: Emulator;
beforeAll(() => void ({ service } = bench));

const ended = async (id: string) => await bench.api.waitForExecution(id);

/** Asks somebody, who does not answer yet. */
async function ask(): Promise<Waiting> {
	const [manager] = newPeople(service, 1);
	const workflow = questionWorkflow({ contactId: String(manager!.id) }, bench.credential);
	return await untilWaiting(bench, (await bench.api.createWorkflow(workflow)).id);
}

async function expectApproved({ executionId, link }: Waiting): Promise<void> {
	expect((await answer(link, { answer: 'approve' })).status).toBe(200);
	const execution = await ended(executionId);
	expectSuccess(execution);
	expect(execution.output(ASK)).toMatchObject([{ json: { data: { approved: true } } }]);
}

test('a second start keeps changes, doubles nothing', async () => {
	const { api, credential, examples } = bench;
	const ids = (await api.workflows()).map(({ id }) => id);
	expect(ids.sort()).toEqual([...examples.values()].sort());
	expect((await api.credentials()).map(({ name }) => name)).toEqual([credential.name]);

	const [[changed, id], [deleted, deletedId]] = [...examples] as [[string, string], [string, string]];
	const stored = await api.workflow(id);
	await api.updateWorkflow(id, { ...stored, nodes: stored.nodes.slice(1) });
	await api.deleteWorkflow(deletedId);
	const again = await importExamples(api, credential);
	expect(again.get(changed)).toBe(id);
	expect((await api.workflow(id)).nodes).toHaveLength(stored.nodes.length - 1);
	expect(again.get(deleted)).not.toBe(deletedId);
});

/*
 * Broadcasts with 'Send Once Per', and how they continue: by Retry, by a new start, and by one that is stopped. Retry without the option:
 * engine/retry.test.ts.
 */
describe('n8n is killed', () => {
	const PEOPLE = 120;
	/** Messages per second of each broadcast. */
	const PACE = 20;
	/** The node claims the messages of the next two seconds. Ten requests may be in progress, and others leave while it records. */
	const MOST_IN_DOUBT = 3 * PACE;

	interface CutOff {
		mailing: Mailing;
		people: Contact[];
		executionId: string;
	}

	/** One that waits for late answers at its beginning, and one in its middle. */
	let few: CutOff;
	let half: CutOff;
	let killedAt: number;
	let question: Waiting;

	const reached = (each: CutOff) => deliveredTo(service, each.people).reached.length;

	async function begin(name: string): Promise<CutOff> {
		const options = { name, once: 'осень', onError: 'continueRegularOutput' };
		const account = { requestsPerSecond: PACE };
		const its = await mailing({ ...bench, url: bench.host.url }, { ...options, account });
		const people = newPeople(service, PEOPLE);
		if (name === 'few') {
			const late = new Set(people.slice(3).map(({ id }) => id));
			const where = ({ input }: { input: Record<string, unknown> }) => late.has(Number(input.contact_id));
			service.faults.add({ kind: 'delay', ms: 60_000, when: 'after', match: { where } });
		}
		return { mailing: its, people, executionId: await its.start(people) };
	}

	beforeAll(async () => {
		question = await ask();
		few = await begin('few');
		half = await begin('half');
		await until(() => reached(few) >= 3 && reached(half) >= 30);
		killedAt = performance.now();
		await bench.kill();
		service.faults.clear();
		await bench.restart();
		// The webhooks become available a little later.
		await until(async () => await isRegistered(webhookUrl(bench.host.url, 'few')));
	});

	test('a killed broadcast is marked, and sends nothing', async () => {
		for (const each of [few, half]) {
			expect((await ended(each.executionId)).status).toBe('crashed');
			expect(reached(each)).toBeLessThan(PEOPLE);
		}
		expect(service.requests.filter(({ arrivedAt }) => arrivedAt > killedAt + 1000)).toEqual([]);
	});

	test('a question that was open is answered afterwards', async () => await expectApproved(question));

	test('all but those in doubt are then reached once', async () => {
		const { api } = bench;
		const stopAfter = async (executionId: string) => {
			const before = reached(few);
			await until(() => reached(few) >= before + 20);
			await api.stopExecution(executionId);
			expect((await ended(executionId)).status).toBe('canceled');
			expect(reached(few)).toBeLessThan(PEOPLE);
		};
		const again = async ({ mailing: { start }, people }: CutOff) =>
			expectOnceOrInDoubt(service, people, await ended(await start(people)));
		const stoppedTwice = async () => {
			await stopAfter(await api.retryExecution(few.executionId));
			await stopAfter(await few.mailing.start(few.people));
			await again(few);
		};
		const retried = async () =>
			expectOnceOrInDoubt(service, half.people, await ended(await api.retryExecution(half.executionId)));
		await Promise.all([stoppedTwice(), retried()]);
		// A new start of a completed broadcast sends nothing more.
		const before = service.requests.length;
		for (const each of [few, half]) expect(await again(each)).toBeLessThanOrEqual(MOST_IN_DOUBT);
		expect(service.requests).toHaveLength(before);
		service.assertContract();
	});
});

/* n8n reads all that runs from one file when it starts. */
describe('the package is broken', () => {
	let file: string;
	let complete: string;
	/** Asked while the package is complete. */
	let question: Waiting;

	beforeAll(async () => {
		const installed = join(bench.userFolder, '.n8n/nodes/node_modules', packageName);
		file = join(installed, 'dist/nodes/ChatbotService/ChatbotService.node.js');
		complete = await readFile(file, 'utf8');
	});

	async function send() {
		const people = newPeople(service, 2).map(({ id, name }) => ({ id, name }));
		const node = sendNode(bench.credential, 'Ждём вас завтра в 18:30.');
		const { id } = await bench.api.createWorkflow(workflowOver('broken', people, node));
		return { people, execution: await bench.api.runWorkflow(id) };
	}

	async function expectToSend(): Promise<void> {
		const { people, execution } = await send();
		expectSuccess(execution);
		expectEverybodyOnce(service, people);
	}

	test('messages leave although a running n8n loses or gets other files', async () => {
		await writeFile(file, 'throw new Error("of another version");');
		await expectToSend();
		await rm(file);
		await expectToSend();
		question = await ask();
	});

	test.each<[string, () => Promise<void>]>([
		['lacks a file', async () => await rm(file, { force: true })],
		['has half of a file', async () => await writeFile(file, complete.slice(0, complete.length / 2))],
	])('n8n with a package that %s sends nothing', async (_, damage) => {
		await damage();
		await bench.restart();
		const before = service.requests.length;
		await expect(send()).rejects.toThrow('Unrecognized node type');
		// The page of a question takes no answer, and the execution continues to wait.
		const pages = [await openPage(question.link), await answer(question.link, { answer: 'approve' })];
		expect(pages.map(({ status }) => status)).toEqual([400, 400]);
		expect(await bench.api.statusOf(question.executionId)).toBe('waiting');
		expect(service.requests).toHaveLength(before);
	});

	test('after repair and a restart, all goes on', async () => {
		await writeFile(file, complete);
		await bench.restart();
		await expectToSend();
		await expectApproved(question);
		service.assertContract();
	});
});
