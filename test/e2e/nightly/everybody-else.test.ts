import { type Execution, until } from '../../../sandbox/host';
import { allowed } from '../support/allowed';
import { openOwnBench } from '../support/bench';
import { type Broadcast, prepareBroadcast, sender } from '../support/broadcast';
import { duringTests } from '../support/duringTests';
import { eventually } from '../support/eventually';

/*
 * Other work is not delayed, however much a workflow sends. 10,000 messages are read and checked, because nothing may be sent if
 * one of them is wrong, and are then sent as fast as the service accepts them: the heaviest load for a process.
 *
 * E2E_SENDER=httpRequest makes n8n's own HTTP Request node send them, to compare the figures.
 */

const PEOPLE = 10_000;
/** The longest acceptable wait for other work. */
const WAIT_MS = 500;

const bench = duringTests(async () => await openOwnBench('everybody-else'));
let broadcast: Broadcast;
let execution: Execution;
/** From the start of the node until most of its messages have arrived, without the time that n8n needs for its output. */
let from: number;
let to: number;

beforeAll(async () => {
	const { api, host, service } = bench;
	const account = { requestsPerSecond: 0 };
	broadcast = await prepareBroadcast({ api, url: host.url, service, people: PEOPLE, account });
	const startedAt = performance.now();
	await broadcast.start();
	// The tests report any failure.
	await until(() => service.deliveries().length >= PEOPLE * 0.9, { timeoutMs: 240_000 }).catch(() => {});
	to = performance.now();
	await broadcast.stop();
	const { id } = await broadcast.execution();
	// Right after a freeze, n8n may report that its database is not ready.
	await eventually(async () => {
		execution = await api.waitForExecution(id, { timeoutMs: 300_000 });
	});
	from = execution.runs('Send')[0]!.startTime - performance.timeOrigin;
	report(startedAt);
}, 700_000);

afterAll(async () => await broadcast?.stop());

test('n8n answers its health check while 10,000 messages are read, checked and sent', () => {
	expect(broadcast.health.longestMs(from, to)).toBeLessThan(allowed(WAIT_MS));
	expect(broadcast.health.failed).toEqual([]);
});

test('another workflow answers while 10,000 messages are read, checked and sent', () => {
	expect(broadcast.otherWorkflow.longestMs(from, to)).toBeLessThan(allowed(WAIT_MS));
	expect(broadcast.otherWorkflow.failed).toEqual([]);
});

test('each of the 10,000 messages is delivered, and none twice', () => {
	expect({ status: execution.status, error: execution.error }).toEqual({
		status: 'success',
		error: undefined,
	});
	const reached = bench.service.deliveries().map(({ contactId }) => contactId);
	expect(reached.sort((a, b) => a - b)).toEqual(broadcast.recipients);
});

test('no request of the 10,000 messages violated the API', () => {
	bench.service.assertContract();
});

/** Prints the figures, which are useful for comparisons. */
function report(startedAt: number): void {
	const firstAt = bench.service.requests[0]?.arrivedAt ?? to;
	process.stdout.write(
		`${bench.service.deliveries().length} messages by ${sender}\n` +
			`  n8n takes the items: ${broadcast.waits(startedAt, from)}\n` +
			`  until the first message: ${broadcast.waits(from, firstAt)}\n` +
			`  sending: ${broadcast.waits(firstAt, to)}\n`,
	);
}
