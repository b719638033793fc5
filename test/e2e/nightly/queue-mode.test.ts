import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import execa from 'execa';

import { shareOfLimit } from '../../../bench/messages';
import { keep } from '../../../bench/page';
import { notAttempted, recordTaken } from '../../../nodes/ChatbotService/client/failure/failure';
import { hostFolder, packageName, poll, until } from '../../../sandbox/host';
import type { Contact, Emulator } from '../../../sandbox/emulator';
import { duringTests } from '../../duringTests';
import { allowed } from '../support/environment';
import { newAccount, newPeople, post, webhookUrl } from '../support/mailing';
import {
	deliveredTo,
	expectEverybodyOnce,
	expectOnceOrInDoubt,
	expectSuccess,
	itemsEnded,
} from '../support/outcomes';
import { answer, approval, ASK, questionWorkflow, untilWaiting } from '../support/pages';
import { composeFile, openQueueBench, variablesIn } from '../support/queueBench';

/*
 * Two workers of n8n's queue mode share one store for what they must not repeat, in n8n's database, and share the limit of an
 * account. More processes and other services are in virtual time (test/simulation/pace.test.ts), and two copies of the node with a
 * store of the tests' own (test/engine/processes.test.ts).
 */

const LOCK_MS = 10_000;

const bench = duringTests(async () => await openQueueBench(LOCK_MS));
let service: Emulator;

beforeAll(() => void ({ service } = bench));
afterEach(() => service.assertContract());

const logsOfWorkers = async () =>
	await Promise.all(bench.workers.map(async ({ host }) => await readFile(host.logFile, 'utf8')));

/** The executions of each worker, by its log. */
const executionsOfWorkers = async () =>
	(await logsOfWorkers()).map((log) =>
		[...log.matchAll(/Worker started execution (\d+)/g)].map(([, executionId]) => executionId!),
	);

const reachedOf = (people: Contact[]) => deliveredTo(service, people).reached.length;

test('n8n knows each variable of the Compose file', async () => {
	// With those that are comments until the package is on npm.
	const services = variablesIn(composeFile.replace(/# (?=N8N_COMMUNITY_PACKAGES)/g, ''));
	const variables = Object.keys({ ...services.n8n, ...services['worker-1'] });
	const code = ['n8n/dist', '@n8n/config/dist', '@n8n/backend-common/dist'];
	const args = ['-rhowF', '--include=*.js', ...variables.flatMap((name) => ['-e', name]), ...code];
	const { stdout } = await execa('grep', args, { cwd: join(hostFolder, 'node_modules') });
	expect([...new Set(stdout.split('\n'))].sort()).toEqual(variables.sort());
});

/** A value for each execution. */
const numbersInDoubt: number[] = [];

test.each([0, 20])('two executions reach the same people once, at %i/s', async (requestsPerSecond) => {
	const { api, main } = bench;
	const name = `together-${requestsPerSecond}`;
	const account = { requestsPerSecond, workers: 2 };
	const options = { name, account, once: 'together', onError: 'continueRegularOutput' };
	const both = await bench.newMailing(options);
	const areInBothWorkers = async () => {
		const people = newPeople(service, 100);
		const known = new Set((await api.executions(both.workflow.id)).map(({ id }) => id));
		const start = async () => await post(webhookUrl(main.host.url, name), { people });
		await Promise.all([start(), start()]);
		const started = await poll(async () => {
			const executions = await api.executions(both.workflow.id);
			const added = executions.map(({ id }) => id).filter((id) => !known.has(id));
			return added.length === 2 ? added : undefined;
		});
		const ended = await Promise.all(started.map(async (id) => await bench.ended(id)));
		expectEverybodyOnce(service, people);
		// A third execution, which runs alone, knows all of them.
		const alone = await bench.ended(await both.start(people));
		expect(itemsEnded(alone).sent).toEqual([]);
		for (const { failed, inDoubt } of [...ended, alone].map(itemsEnded)) {
			expect(failed).toEqual([]);
			expect(inDoubt.length).toBeLessThanOrEqual(people.length / 20);
			numbersInDoubt.push(inDoubt.length);
		}
		return (await executionsOfWorkers()).every((taken) => started.some((id) => taken.includes(id)));
	};
	// Sometimes one worker takes both executions.
	await until(areInBothWorkers, { timeoutMs: 300_000 });
	keep('together', { people: 100, 'people in doubt, for each execution': numbersInDoubt });
});

// The lock of 'Send Once Per' is the row in which this node keeps what it has seen.
test('a record that another node has taken ends the run', async () => {
	const unique = {
		...{ name: 'New people', type: 'n8n-nodes-base.removeDuplicates', typeVersion: 2 },
		parameters: {
			...{ operation: 'removeItemsSeenInPreviousExecutions', dedupeValue: '={{ $json.id }}' },
			options: { scope: 'workflow' },
		},
	};
	const options = { name: 'taken', account: { workers: 2 }, once: 'акция', before: [unique] };
	const { start } = await bench.newMailing({ ...options, onError: 'continueRegularOutput' });
	const people = newPeople(service, 30);
	const { failed } = itemsEnded(await bench.ended(await start(people)));
	expect(failed).toHaveLength(people.length);
	const { message } = notAttempted(recordTaken());
	for (const { error } of failed) expect(error).toContain(message);
	expect(reachedOf(people)).toBe(0);
});

/** The limit of an account, as the API documents it. */
const limit = { requests: 2, windowMs: 1000 };

/**
 * With 'n8n Processes' left at 1, each worker assumes that it has the whole limit, and notices the other one only by refusals. Sometimes one
 * of them finds no gap for a while, as the simulations of the rate limit show too.
 */
test.each([
	{ workers: 2, least: 0.85, mostRefused: 0.05 },
	{ workers: 1, least: 0.6, mostRefused: 1 },
])('two workers share a limit: n8n Processes $workers', async ({ workers, least, mostRefused }) => {
	service.setLimits({ account: limit });
	const { start } = await bench.newMailing({ name: `one-account-${workers}`, account: { workers } });
	const before = service.requests.length;
	/** The people of each execution. */
	const lists = new Map<string, Contact[]>();
	for (let each = 0; each < 4; each++) {
		const people = newPeople(service, 25);
		lists.set(await start(people), people);
	}
	for (const [executionId, people] of lists) {
		const execution = await bench.ended(executionId);
		expectSuccess(execution);
		expect(itemsEnded(execution).sent).toHaveLength(people.length);
		expectEverybodyOnce(service, people);
	}
	service.setLimits(false);

	const requests = service.requests.slice(before);
	const accepted = requests.filter((request) => request.accepted);
	// Until the first worker has nothing left to send.
	const ends = (await executionsOfWorkers()).map((taken) => {
		const its = new Set(taken.flatMap((id) => lists.get(id) ?? []).map(({ id }) => id));
		const moments = accepted.filter(({ input }) => its.has(Number(input.contact_id)));
		return Math.max(...moments.map(({ countedAt }) => countedAt!));
	});
	const whileBoth = accepted.map(({ countedAt }) => countedAt!).filter((at) => at <= Math.min(...ends));
	const share = shareOfLimit(whileBoth, limit);
	expect(share).toBeGreaterThanOrEqual(least);
	const refused = requests.filter(({ refusedBy }) => refusedBy !== undefined).length;
	expect(refused / requests.length).toBeLessThan(mostRefused);
	keep(workers === 2 ? 'workersSet' : 'workersLeft', {
		messages: accepted.length,
		'share of the limit, while both workers send': share,
		'requests rejected (429), then sent again': refused,
	});
});

/** Each of these broadcasts has its own account, and so this rate for itself. */
const pace = { requestsPerSecond: 20 };

// A worker that does not renew its lock on a job in time loses the job: n8n shows the execution as failed and refuses to stop it, and
// the sending continues until all messages are sent.
test('a worker keeps its long job, and Stop ends it', async () => {
	const { start } = await bench.newMailing({ name: 'ten-thousand', account: pace });
	const people = newPeople(service, 10_000);
	const executionId = await start(people);
	await until(() => reachedOf(people) > 0, { timeoutMs: 180_000 });
	await pause(3 * LOCK_MS);
	// The text of n8n for a job whose worker did not renew its lock.
	expect(await readFile(bench.main.host.logFile, 'utf8')).not.toContain('Problem with execution');

	// The main process marks the execution; the worker has to end it.
	await bench.api.stopExecution(executionId);
	const words = `Worker errored while running execution ${executionId}`;
	const hasEnded = async () => (await logsOfWorkers()).some((log) => log.includes(words));
	await until(hasEnded, { timeoutMs: allowed(2_000) });
	// What is on the way may still arrive.
	const endedAt = performance.now() + 1_000;
	expect((await bench.ended(executionId)).status).toBe('canceled');
	await pause(5_000);
	expect(deliveredTo(service, people).several).toEqual([]);
	// At least half of the rate, also on a busy machine.
	expect(reachedOf(people)).toBeGreaterThan((3 * LOCK_MS * pace.requestsPerSecond) / 1000 / 2);
	expect(service.requests.filter(({ arrivedAt }) => arrivedAt > endedAt)).toEqual([]);
});

/*
 * n8n decides what happens to the run of a worker that disappears, not the node. n8n 2.41 neither repeats nor completes it. Once the
 * worker's lock has expired and another half minute has passed, it ends with the status "error". Only the service knows its progress:
 * n8n has dropped its data, so that "Retry" finds nothing to run. The node's store, in n8n's database, keeps its entries.
 */
test('after a kill, a new start sends what is missing', async () => {
	// The node claims the messages of the next two seconds, and records answers within the same time.
	const mostInDoubt = 4 * pace.requestsPerSecond;
	const options = { name: 'killed', account: pace, once: 'autumn', onError: 'continueRegularOutput' };
	const its = await bench.newMailing(options);
	const people = newPeople(service, 300);
	const executionId = await its.start(people);
	await until(() => reachedOf(people) > mostInDoubt);
	for (const worker of bench.workers) await worker.kill();
	await pause(1_000);
	const atKill = reachedOf(people);
	for (const worker of bench.workers) await worker.restart();
	// A restarted worker first marks the execution as crashed. Then n8n notices that its job is missing, and drops its data.
	const failed = async () => {
		const execution = await bench.ended(executionId);
		return execution.status === 'error' ? execution : undefined;
	};
	const interrupted = await poll(failed, { timeoutMs: 150_000 });
	expect(interrupted.error?.message).toContain('failed to be processed too many times');
	const retried = await bench.ended(await bench.api.retryExecution(executionId));
	expect([retried.status, retried.nodes, interrupted.nodes]).toEqual(['error', [], []]);
	expect(reachedOf(people)).toBe(atKill);

	const again = await bench.ended(await its.start(people));
	expectSuccess(again);
	const inDoubt = expectOnceOrInDoubt(service, people, again);
	expect(inDoubt).toBeLessThanOrEqual(mostInDoubt);
	keep('killed', { 'people in doubt': inDoubt });
});

test('a question is answered after all workers restart', async () => {
	const { api, workers } = bench;
	const credential = await newAccount(api, service, { requestsPerSecond: 0 });
	const [person] = newPeople(service, 1);
	const parameters = { contactId: String(person!.id), approvalOptions: approval };
	const { id } = await api.createWorkflow(questionWorkflow(parameters, credential));
	const { executionId, link } = await untilWaiting({ api, service }, id);
	for (const worker of workers) await worker.kill();
	for (const worker of workers) await worker.restart();
	expect((await answer(link, { answer: 'approve' })).status).toBe(200);
	const execution = await bench.ended(executionId);
	expectSuccess(execution);
	expect(execution.output(ASK)[0]!.json).toMatchObject({ data: { approved: true } });
	// It continued on a worker. A package of a clone is none that n8n manages, and would fetch.
	expect((await executionsOfWorkers()).flat()).toContain(executionId);
	for (const log of await logsOfWorkers()) expect(log).not.toContain(packageName);
});
