import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';

import { keep } from '../../../bench/records';
import { type Execution, until } from '../../../sandbox/host';
import type { Contact, Emulator } from '../../../sandbox/emulator';
import { allowed } from '../support/allowed';
import {
	deliveredTo,
	expectOnceOrInDoubt,
	expectSuccess,
	IN_DOUBT,
	itemsEnded,
	type Mailing,
	newPeople,
	stoppedBy,
} from '../support/interrupted';
import { duringTests } from '../support/duringTests';
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
			limits: false,
			workers: 2,
			concurrency: 10,
			// The intervals at which n8n notices that a worker is gone; 60, 10 and 30 seconds by default.
			env: {
				QUEUE_WORKER_LOCK_DURATION: String(LOCK_MS),
				QUEUE_WORKER_LOCK_RENEW_TIME: '3000',
				QUEUE_WORKER_STALLED_INTERVAL: '5000',
			},
		}),
);
let service: Emulator;

beforeAll(() => void ({ service } = bench));

const retry = async (executionId: string): Promise<Execution> =>
	await bench.ended(await bench.api.retryExecution(executionId, { loadWorkflow: false }));

const reachedOf = (people: Contact[]): number => deliveredTo(service, people).reached.length;

// A worker that does not renew its lock on a job in time loses the job: n8n shows the execution as failed and refuses to stop it, and
// the sending continues until all messages are sent.
test('a worker keeps its job while it reads and sends 10,000 messages, and *Stop* ends the sending immediately', async () => {
	const { api, main } = bench;
	const { start } = await bench.newMailing({ name: 'ten-thousand' }, pace);
	const people = newPeople(service, 10_000);
	const executionId = await start(people);
	await until(() => reachedOf(people) > 0, { timeoutMs: 180_000 });
	await pause(3 * LOCK_MS);
	// The text of n8n for a job whose worker did not renew its lock.
	expect(await readFile(main.host.logFile, 'utf8')).not.toContain('Problem with execution');

	// The main process marks the execution; the worker has to end it.
	const stoppedAt = performance.now();
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
	const figures = { sent: reached.length, stopMs: endedAt - stoppedAt, late: late.length };
	keep('job', { lockMs: LOCK_MS, keptMs: 3 * LOCK_MS, ...figures });
});

/*
 * n8n decides what happens to the runs of a worker that disappears, not the node. n8n 2.41 neither repeats nor completes them.
 * Once the worker's lock has expired (within a minute and a half by default, here 15 seconds) and another half minute has
 * passed, they end with the status "error". Only the service knows the progress of a run: n8n has dropped its data, so that
 * "Retry" finds nothing to run.
 */
describe('kill of a worker', () => {
	interface Broadcast {
		/** The On Error setting; by default the node stops at the first failure. */
		onError?: 'continueRegularOutput';
		people: Contact[];
		mailing: Mailing;
		/** The first run, which is interrupted. */
		executionId: string;
		reachedAtKill: number;
		interrupted: Execution;
		retried: Execution;
		/** The same list, started again. */
		again: Execution;
	}

	let broadcasts: Broadcast[];
	let reachedBeforeRetries: number;
	let reachedAfterRetries: number;

	const reachedOfAll = () => reachedOf(broadcasts.flatMap(({ people }) => people));

	beforeAll(async () => {
		const [killed, other] = bench.workers as [Member, Member];
		const begin = async (name: string, onError?: Broadcast['onError']) => {
			const node = onError && { onError };
			const its = await bench.newMailing({ name, once: 'autumn', node }, pace);
			const people = newPeople(service, PEOPLE);
			return { onError, people, mailing: its, executionId: await its.start(people) } as Broadcast;
		};
		// So that the worker that is killed takes both executions.
		await other.kill();
		broadcasts = [await begin('stops'), await begin('goes-on', 'continueRegularOutput')];
		await until(() => broadcasts.every(({ people }) => reachedOf(people) >= AT_KILL));
		await killed.kill();
		// Messages in transit may still arrive.
		await pause(1000);
		for (const broadcast of broadcasts) broadcast.reachedAtKill = reachedOf(broadcast.people);
		await Promise.all([killed.restart(), other.restart()]);

		// The restarted worker first marks the executions as crashed. Then n8n notices that their jobs are missing, and drops their data.
		for (const broadcast of broadcasts) {
			const { executionId } = broadcast;
			const statusOf = async () => (broadcast.interrupted = await bench.ended(executionId)).status;
			await until(async () => (await statusOf()) === 'error', { timeoutMs: 150_000 });
		}
		reachedBeforeRetries = reachedOfAll();
		for (const broadcast of broadcasts) broadcast.retried = await retry(broadcast.executionId);
		reachedAfterRetries = reachedOfAll();

		for (const broadcast of broadcasts) {
			const { mailing: its, people } = broadcast;
			broadcast.again = await bench.ended(await its.start(people));
		}
	});

	test('a broadcast whose worker is killed is interrupted, and n8n ends it as failed and drops its data', () => {
		for (const { reachedAtKill, interrupted } of broadcasts) {
			expect(reachedAtKill).toBeLessThan(PEOPLE);
			expect(interrupted.status).toBe('error');
			expect(interrupted.error?.message).toContain('failed to be processed too many times');
			expect(interrupted.nodes).toEqual([]);
		}
	});

	test('after a worker was killed nothing is sent automatically, and "Retry" is offered and sends nothing', () => {
		const atKill = broadcasts.map(({ reachedAtKill }) => reachedAtKill);
		expect(reachedBeforeRetries).toBe(atKill.reduce((sum, reached) => sum + reached));
		expect(broadcasts.map(({ retried: { status, nodes } }) => ({ status, nodes }))).toEqual(
			broadcasts.map(() => ({ status: 'error', nodes: [] })),
		);
		expect(reachedAfterRetries).toBe(reachedBeforeRetries);
	});

	test('a broadcast that is started again sends what is missing: nobody gets it twice, and everybody without it is named', async () => {
		const figures = { inDoubt: [] as number[], doubled: [] as number[], lost: [] as number[] };
		for (const { again, mailing: its, onError, people } of broadcasts) {
			let complete = again;
			if (!onError) {
				// A run that stops at failures names the first recipient in doubt, and counts the others. A run that continues names all.
				await its.edit((node) => ({ ...node, onError: 'continueRegularOutput' }));
				complete = await bench.ended(await its.start(people));
			}
			const { inDoubt, doubled, lost } = expectOnceOrInDoubt(service, people, complete);
			if (onError || inDoubt === 0) {
				expectSuccess(again);
			} else {
				const { inDoubt: items, sent } = itemsEnded(complete);
				const done = PEOPLE - inDoubt;
				const named = { message: IN_DOUBT, item: items[0], done, failed: inDoubt, notSent: 0 };
				expect(stoppedBy(again)).toEqual(named);
				expect(sent).toEqual([]);
			}
			expect(inDoubt).toBeLessThanOrEqual(MOST_IN_DOUBT);
			figures.inDoubt.push(inDoubt);
			figures.doubled.push(doubled);
			figures.lost.push(lost);
		}
		keep('killed', figures);
	});
});

test('no request of broadcasts that were killed in queue mode violated the API', () => {
	service.assertContract();
});
