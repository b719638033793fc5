import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';

import { type Member, until } from '../../../sandbox/host';
import { allowed } from '../support/allowed';
import { type Broadcast, prepareBroadcast } from '../support/broadcast';
import { duringTests } from '../support/duringTests';
import { limit, openQueueBench } from '../support/queueBench';

/*
 * A worker that does not get round to renewing its lock on a job loses the job: n8n shows the execution as failed,
 * refuses to stop it, and the sending goes on for as long as the messages take. Here there is one worker, and its lock
 * lasts no longer than a sixth of the time it does by default.
 */

const PEOPLE = 10_000;
const LOCK_MS = 10_000;
/** How long the messages are sent before *Stop*; with E2E_EXACT until two minutes have passed since the start. */
const SENDING_MS = 3 * LOCK_MS;
const EXACT_MS = 120_000;
/** What others may have to wait. */
const WAIT_MS = 500;
/** What *Stop* may take. */
const STOP_MS = 2000;
/** How long nothing must arrive afterwards; what was on its way already may. */
const QUIET_MS = 5000;
const ON_THE_WAY_MS = 1000;

const bench = duringTests(
	async () =>
		await openQueueBench('queue-mode-large', {
			limits: { account: limit },
			workers: 1,
			// One for the messages, the others for everybody else.
			concurrency: 3,
			env: {
				QUEUE_WORKER_LOCK_DURATION: String(LOCK_MS),
				// In proportion to n8n's defaults: a lock of 60 seconds, renewed every 10, looked at every 30.
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
	// The main process marks the execution; it is the worker that has to end it.
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
	// What n8n says of a job whose worker did not renew its lock.
	expect(await readFile(bench.main.host.logFile, 'utf8')).not.toContain('Problem with execution');
});

test('10,000 messages leave a worker at the pace of the account, and none twice', () => {
	// Half of it at least, also where the machine is busy.
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

test('*Stop* ends the sending of 10,000 messages at once', () => {
	expect(stopped).toMatchObject({ refused: undefined, status: 'canceled' });
	expect(stopped.ms).toBeLessThan(allowed(STOP_MS));
});

test('nothing leaves after *Stop* of an execution that sends 10,000 messages', () => {
	const msLater = bench.service.requests.map(({ arrivedAt }) => arrivedAt - stopped.at);
	expect(msLater.filter((ms) => ms > ON_THE_WAY_MS)).toEqual([]);
});

test('no request of 10,000 messages in queue mode broke the interface', () => {
	bench.service.assertContract();
});

/** The figures are worth reading, whatever they are compared with. */
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
