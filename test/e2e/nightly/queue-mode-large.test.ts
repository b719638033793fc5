import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';

import { type Member, until } from '../../../sandbox/host';
import { allowed } from '../support/allowed';
import { type Broadcast, prepareBroadcast } from '../support/broadcast';
import { duringTests } from '../support/duringTests';
import { limit, openQueueBench } from '../support/queueBench';

/*
 * A worker that cannot renew its lock on a job in time loses the job: n8n shows the execution as failed and refuses to stop it,
 * and the sending continues until all messages are sent. This test has one worker, and its lock lasts at most a sixth of the
 * default time.
 */

const PEOPLE = 10_000;
const LOCK_MS = 10_000;
/** How long the messages are sent before *Stop*; with E2E_EXACT, until two minutes after the start. */
const SENDING_MS = 3 * LOCK_MS;
const EXACT_MS = 120_000;
/** The longest acceptable wait for other work. */
const WAIT_MS = 500;
/** The longest acceptable time for *Stop*. */
const STOP_MS = 2000;
/** How long nothing may arrive afterwards, apart from requests in transit. */
const QUIET_MS = 5000;
const ON_THE_WAY_MS = 1000;

const bench = duringTests(
	async () =>
		await openQueueBench('queue-mode-large', {
			limits: { account: limit },
			workers: 1,
			// One for the messages, the others for other work.
			concurrency: 3,
			env: {
				QUEUE_WORKER_LOCK_DURATION: String(LOCK_MS),
				// In proportion to n8n's defaults: a lock of 60 seconds, renewed every 10, checked every 30.
				QUEUE_WORKER_LOCK_RENEW_TIME: String(LOCK_MS / 6),
				QUEUE_WORKER_STALLED_INTERVAL: String(LOCK_MS / 2),
			},
		}),
);
let broadcast: Broadcast;
let from: number;
let statusBefore: string;
let stopped: { refused?: string; status: string; at: number; ms: number };

beforeAll(async () => {
	const { api, main, service, workers } = bench;
	const [worker] = workers as [Member];
	broadcast = await prepareBroadcast({
		api,
		url: main.host.url,
		workerUrl: worker.host.url,
		service,
		people: PEOPLE,
	});
	from = performance.now();
	await broadcast.start();
	await until(() => service.requests.length > 0, { timeoutMs: 180_000 });
	await pause(process.env.E2E_EXACT ? from + EXACT_MS - performance.now() : SENDING_MS);

	const { id, status } = await broadcast.execution();
	statusBefore = status;
	const stoppedAt = performance.now();
	const refused = await api.stopExecution(id).then(
		() => undefined,
		(error: Error) => error.message,
	);
	// The main process marks the execution; the worker has to end it.
	const hasEnded = async () =>
		(await readFile(worker.host.logFile, 'utf8')).includes(`Worker errored while running execution ${id}`);
	await until(hasEnded, { timeoutMs: allowed(STOP_MS) }).catch(() => undefined);
	const at = performance.now();
	stopped = { refused, status: (await broadcast.execution()).status, at, ms: at - stoppedAt };
	await pause(QUIET_MS);
	await broadcast.stop();
	report();
}, 700_000);

afterAll(async () => await broadcast?.stop());

test('an execution that sends 10,000 messages is still running after several lock durations', async () => {
	expect(statusBefore).toBe('running');
	// The text of n8n for a job whose worker did not renew its lock.
	expect(await readFile(bench.main.host.logFile, 'utf8')).not.toContain('Problem with execution');
});

test('a worker sends 10,000 messages at the rate of the account, and none twice', () => {
	// At least half of the rate, also on a busy machine.
	const paced = ((stopped.at - bench.service.requests[0]!.arrivedAt) / limit.windowMs) * limit.requests;
	const reached = bench.service.deliveries().map(({ contactId }) => contactId);
	expect(reached.length).toBeGreaterThan(paced / 2);
	expect(reached).toEqual([...new Set(reached)]);
});

test('other executions succeed on the same worker while it reads and sends 10,000 messages', () => {
	const { health, otherWorkflow } = broadcast;
	expect(otherWorkflow.longestMs(from, stopped.at)).toBeLessThan(allowed(WAIT_MS));
	expect(otherWorkflow.failed).toEqual([]);
	expect(health.longestMs(from, stopped.at)).toBeLessThan(allowed(WAIT_MS));
	expect(health.failed).toEqual([]);
});

test('*Stop* ends the sending of 10,000 messages immediately', () => {
	expect(stopped).toMatchObject({ refused: undefined, status: 'canceled' });
	expect(stopped.ms).toBeLessThan(allowed(STOP_MS));
});

test('nothing is sent after *Stop* of an execution that sends 10,000 messages', () => {
	const msLater = bench.service.requests.map(({ arrivedAt }) => arrivedAt - stopped.at);
	expect(msLater.filter((ms) => ms > ON_THE_WAY_MS)).toEqual([]);
});

test('no request of 10,000 messages in queue mode violated the API', () => {
	bench.service.assertContract();
});

/** Prints the figures, which are useful for comparisons. */
function report(): void {
	const firstAt = bench.service.requests[0]!.arrivedAt;
	const lastAt = bench.service.requests.at(-1)!.arrivedAt;
	const stopAt = stopped.at - stopped.ms;
	process.stdout.write(
		`${PEOPLE} messages on one worker with a lock of ${LOCK_MS / 1000} s\n` +
			`  until the first message: ${broadcast.waits(from, firstAt)}\n` +
			`  sending: ${broadcast.waits(firstAt, stopAt)}; ${bench.service.deliveries().length} delivered\n` +
			`  the worker ended ${Math.round(stopped.ms)} ms after Stop, ` +
			`the last message arrived ${Math.round(Math.max(0, lastAt - stopAt))} ms after it\n`,
	);
}
