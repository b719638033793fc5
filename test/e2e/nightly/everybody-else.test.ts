import { type Execution, until } from '../../../sandbox/host';
import { allowed } from '../support/allowed';
import { openOwnBench } from '../support/bench';
import { type Broadcast, prepareBroadcast, sender } from '../support/broadcast';
import { duringTests } from '../support/duringTests';
import { eventually } from '../support/eventually';

/*
 * Nobody else waits, however much a workflow sends. 10,000 messages are read and checked, since nothing may leave when
 * one of them is wrong, and then leave as fast as the service takes them: what keeps a process busiest.
 *
 * E2E_SENDER=httpRequest has n8n's own HTTP Request node send them, to compare the figures that are printed.
 */

const PEOPLE = 10_000;
/** What others may have to wait. */
const WAIT_MS = 500;

const bench = duringTests(async () => await openOwnBench('everybody-else'));
let broadcast: Broadcast;
let execution: Execution;
/** From when the node runs until most of its messages have arrived; what n8n does with its output comes later. */
let from: number;
let to: number;

beforeAll(async () => {
	const { api, host, service } = bench;
	const account = { requestsPerSecond: 0 };
	broadcast = await prepareBroadcast({ api, url: host.url, service, people: PEOPLE, account });
	const startedAt = performance.now();
	await broadcast.start();
	// Whatever holds it up, the tests say what came of it.
	await until(() => service.deliveries().length >= PEOPLE * 0.9, { timeoutMs: 240_000 }).catch(() => {});
	to = performance.now();
	await broadcast.stop();
	const { id } = await broadcast.execution();
	// Right after a freeze n8n may say that its database is not ready.
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

test('no request of the 10,000 messages broke the interface', () => {
	bench.service.assertContract();
});

/** The figures are worth reading, whatever they are compared with. */
function report(startedAt: number): void {
	const firstAt = bench.service.requests[0]?.arrivedAt ?? to;
	process.stdout.write(
		`${bench.service.deliveries().length} messages by ${sender}\n` +
			`  n8n takes the items: ${broadcast.waits(startedAt, from)}\n` +
			`  until the first message: ${broadcast.waits(from, firstAt)}\n` +
			`  sending: ${broadcast.waits(firstAt, to)}\n`,
	);
}
