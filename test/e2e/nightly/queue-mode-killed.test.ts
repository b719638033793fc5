import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';

import { keep } from '../../../bench/page';
import { poll, until } from '../../../sandbox/host';
import type { Contact, Emulator } from '../../../sandbox/emulator';
import { allowed } from '../support/environment';
import { deliveredTo, expectOnceOrInDoubt, expectSuccess, newPeople } from '../support/interrupted';
import { duringTests } from '../../duringTests';
import { type Member, openQueueBench } from '../support/queueBench';

/*
 * A worker that keeps its job, and broadcasts whose worker disappears: with 'Send Once Per' they are started again, and nobody gets a
 * message twice. Unlike after the kill of a single process (interrupted.test.ts), n8n itself keeps nothing of such a run to continue
 * with. The node's store, in n8n's database, keeps its entries.
 */

/** Each broadcast has its own account, and so this rate for itself. */
const pace = { requestsPerSecond: 20 };

/** The node claims the messages of the next two seconds, and records answers within the same time. */
const MOST_IN_DOUBT = 4 * pace.requestsPerSecond;

const PEOPLE = 300;

/** The minimum number of people who have the message when n8n is killed: more than can be in doubt. */
const AT_KILL = MOST_IN_DOUBT + 20;

/** How long n8n waits for a worker to renew its lock on a job; 60 seconds by default. */
const LOCK_MS = 10_000;
/** The longest acceptable time for *Stop*. */
const STOP_MS = 2000;
/** How long nothing may arrive afterwards, apart from requests in transit. */
const QUIET_MS = 5000;
const ON_THE_WAY_MS = 1000;

const bench = duringTests(
	async () =>
		await openQueueBench('queue-mode-killed', {
			// The intervals at which n8n notices that a worker is gone; 60, 10 and 30 seconds by default.
			QUEUE_WORKER_LOCK_DURATION: String(LOCK_MS),
			QUEUE_WORKER_LOCK_RENEW_TIME: '3000',
			QUEUE_WORKER_STALLED_INTERVAL: '5000',
		}),
);
let service: Emulator;

beforeAll(() => void ({ service } = bench));

const reachedOf = (people: Contact[]): number => deliveredTo(service, people).reached.length;

// A worker that does not renew its lock on a job in time loses the job: n8n shows the execution as failed and refuses to stop it, and
// the sending continues until all messages are sent.
test('a worker keeps its long job, and Stop ends it', async () => {
	const { api, main } = bench;
	const { start } = await bench.newMailing({ name: 'ten-thousand', account: pace });
	const people = newPeople(service, 10_000);
	const executionId = await start(people);
	await until(() => reachedOf(people) > 0, { timeoutMs: 180_000 });
	await pause(3 * LOCK_MS);
	// The text of n8n for a job whose worker did not renew its lock.
	expect(await readFile(main.host.logFile, 'utf8')).not.toContain('Problem with execution');

	// The main process marks the execution; the worker has to end it.
	await api.stopExecution(executionId);
	const logs = async () =>
		await Promise.all(bench.workers.map(async ({ host }) => await readFile(host.logFile, 'utf8')));
	const words = `Worker errored while running execution ${executionId}`;
	await until(async () => (await logs()).some((log) => log.includes(words)), { timeoutMs: allowed(STOP_MS) });
	const endedAt = performance.now();
	expect((await bench.ended(executionId)).status).toBe('canceled');
	await pause(QUIET_MS);
	const { several, reached } = deliveredTo(service, people);
	expect(several).toEqual([]);
	// At least half of the rate, also on a busy machine.
	expect(reached.length).toBeGreaterThan((3 * LOCK_MS * pace.requestsPerSecond) / 1000 / 2);
	const late = service.requests.filter(({ arrivedAt }) => arrivedAt > endedAt + ON_THE_WAY_MS);
	expect(late).toEqual([]);
});

/*
 * n8n decides what happens to the runs of a worker that disappears, not the node. n8n 2.41 neither repeats nor completes them.
 * Once the worker's lock has expired (within a minute and a half by default, here 15 seconds) and another half minute has
 * passed, they end with the status "error". Only the service knows the progress of a run: n8n has dropped its data, so that
 * "Retry" finds nothing to run.
 */
describe('kill of a worker', () => {
	const begin = async (name: string) => {
		const onError = 'continueRegularOutput';
		const its = await bench.newMailing({ name, account: pace, once: 'autumn', onError });
		const people = newPeople(service, PEOPLE);
		return { people, mailing: its, executionId: await its.start(people) };
	};

	let broadcasts: Array<Awaited<ReturnType<typeof begin>>>;
	let reachedAtKill: number[];

	const reached = () => broadcasts.map(({ people }) => reachedOf(people));

	beforeAll(async () => {
		const [killed, other] = bench.workers as [Member, Member];
		// So that the worker that is killed takes both executions.
		await other.kill();
		broadcasts = [await begin('first'), await begin('second')];
		await until(() => reached().every((count) => count >= AT_KILL));
		await killed.kill();
		// Messages in transit may still arrive.
		await pause(1000);
		reachedAtKill = reached();
		await Promise.all([killed.restart(), other.restart()]);
	});

	test('a killed run ends as failed, and sends nothing', async () => {
		for (const { executionId } of broadcasts) {
			// The restarted worker first marks the executions as crashed. Then n8n notices that their jobs are missing, and drops their data.
			const interrupted = await poll(
				async () => {
					const execution = await bench.ended(executionId);
					return execution.status === 'error' ? execution : undefined;
				},
				{ timeoutMs: 150_000 },
			);
			expect(interrupted.error?.message).toContain('failed to be processed too many times');
			expect(interrupted.nodes).toEqual([]);
			const retried = await bench.ended(await bench.api.retryExecution(executionId));
			expect([retried.status, retried.nodes]).toEqual(['error', []]);
		}
		expect(reached()).toEqual(reachedAtKill);
		for (const count of reachedAtKill) expect(count).toBeLessThan(PEOPLE);
	});

	test('a new start sends what is missing, nothing twice', async () => {
		const numbersInDoubt: number[] = [];
		for (const { mailing: its, people } of broadcasts) {
			const again = await bench.ended(await its.start(people));
			expectSuccess(again);
			const inDoubt = expectOnceOrInDoubt(service, people, again);
			expect(inDoubt).toBeLessThanOrEqual(MOST_IN_DOUBT);
			numbersInDoubt.push(inDoubt);
		}
		service.assertContract();
		keep('killed', { 'people in doubt, for each execution': numbersInDoubt });
	});
});
