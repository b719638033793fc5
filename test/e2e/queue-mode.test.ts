import type { Execution, Member } from '../../sandbox/host';
import { LARAVEL_LIMITS } from '../../sandbox/service';
import { userFolderOf } from './support/bench';
import { packedPackage } from './support/environment';
import { until } from './support/eventually';
import { limit, type MessageRun, openQueueBench, type QueueBench, recipientOf } from './support/queueBench';

let bench: QueueBench;

beforeAll(async () => {
	bench = await openQueueBench(userFolderOf('queue-mode'), packedPackage());
}, 400_000);

afterAll(async () => await bench?.stop());

describe("with 'Workers' set to 2", () => {
	let runs: MessageRun[];
	let executions: Execution[];

	beforeAll(async () => {
		await bench.newAccount(2);
		runs = await bench.startRuns(25);
		executions = await ended(runs);
		report("'Workers' set to 2", runs);
	});

	test('both workers have their part', () => {
		expect(runs.map(({ worker }) => worker).sort()).toEqual([0, 0, 1, 1]);
	});

	test('every message is delivered, and none twice', () => {
		expectDeliveredOnce(runs, executions);
	});

	test('together they use the limit, and are hardly ever refused', () => {
		expect(figuresOf(runs).shareWhileAllWork).toBeGreaterThanOrEqual(0.85);
		expect(figuresOf(runs).refused).toBeLessThan(0.05);
	});
});

/*
 * The same at a service as the public ones are: it counts 120 in a minute, and says with every answer how many are left. Each
 * worker sees by that how fast the other one sends.
 */
describe("with 'Workers' left at 1, at a service that says its count", () => {
	let runs: MessageRun[];
	let executions: Execution[];

	beforeAll(async () => {
		bench.service.setLimits(LARAVEL_LIMITS);
		await bench.newAccount(1);
		runs = await bench.startRuns(35);
		executions = await ended(runs);
		report("'Workers' left at 1, the service says its count", runs);
	});

	afterAll(() => bench.service.setLimits({ account: limit }));

	test('every message is delivered, and none twice', () => {
		expectDeliveredOnce(runs, executions);
	});

	test('together they use the limit, over the end of a minute too, and are hardly ever refused', () => {
		expect(figuresOf(runs).seconds).toBeGreaterThan(60);
		expect(figuresOf(runs).share).toBeGreaterThanOrEqual(0.85);
		expect(figuresOf(runs).refused).toBeLessThan(0.03);
	});
});

// Each worker takes the whole limit for its own, and learns of the other only by what the service refuses.
describe("with 'Workers' left at 1", () => {
	let runs: MessageRun[];
	let executions: Execution[];

	beforeAll(async () => {
		await bench.newAccount(1);
		runs = await bench.startRuns(25);
		executions = await ended(runs);
		report("'Workers' left at 1", runs);
	});

	test('every message is delivered, and none twice', () => {
		expectDeliveredOnce(runs, executions);
	});

	// Usually about nine tenths; now and then one worker finds no gap for a while, as the simulations of the pace show too.
	test('together they use more than one of them could at its half', () => {
		expect(figuresOf(runs).shareWhileAllWork).toBeGreaterThanOrEqual(0.6);
	});
});

/*
 * What becomes of the runs of a worker that disappears is n8n's decision, not the node's. n8n 2.41 runs
 * them neither again nor to their end: once the worker's lock has expired (within a minute and a half by
 * default, here 20 seconds) and half a minute more has passed, they end with the status "error" and the
 * words "failed to be processed too many times". Nothing is sent twice, and the rest is not sent. How far
 * a run came is known to the service only: n8n has dropped its data, so that "Retry" finds nothing to run.
 * The other workers go on at their own share of the limit. These messages have no 'Send Once Per';
 * cut-off-queue.test.ts is about those that have.
 */
describe('a worker that is killed in the middle of its runs', () => {
	const PEOPLE = 15;
	let victim: Member;
	let killedAt: number;
	let its: MessageRun[];
	let others: MessageRun[];
	let itsExecutions: Execution[];
	let otherExecutions: Execution[];

	beforeAll(async () => {
		await bench.newAccount(2);
		const runs = await bench.startRuns(PEOPLE);
		its = runs.filter(({ worker }) => worker === 0);
		others = runs.filter(({ worker }) => worker !== 0);
		await until(() => runs.every((run) => bench.requestsOf(run).length >= 3));
		victim = bench.workers[0]!;
		await victim.kill();
		killedAt = performance.now();
		[itsExecutions, otherExecutions] = await Promise.all([ended(its), ended(others)]);
	});

	test('the other worker delivers all of its messages, and none twice', () => {
		expectDeliveredOnce(others, otherExecutions);
	});

	test('n8n ends the runs of the killed worker as failed, without their data', () => {
		for (const { status, error, nodes } of itsExecutions) {
			expect(status).toBe('error');
			expect(error?.message).toContain('failed to be processed too many times');
			expect(nodes).toEqual([]);
		}
	});

	test('what it had sent is not sent again, and the rest is not sent', () => {
		expectSentInPart(its, PEOPLE);
		expect(sentAfter(killedAt, its)).toEqual([]);
	});

	test('"Retry" of such a run sends nothing, because nothing is left to run', async () => {
		const before = bench.service.requests.length;
		const { status, nodes } = await bench.api.waitForExecution(await bench.retry(its[0]!));
		expect({ status, nodes }).toEqual({ status: 'error', nodes: [] });
		expect(bench.service.requests).toHaveLength(before);
	});

	test('started again, it takes new runs and leaves the old ones alone', async () => {
		await victim.restart();
		const runs = await bench.startRuns(2);
		expect(runs.map(({ worker }) => worker).sort()).toEqual([0, 0, 1, 1]);
		expectDeliveredOnce(runs, await ended(runs));
		expect(sentAfter(killedAt, its)).toEqual([]);
	});
});

/*
 * When the main process disappears too, as with a machine that restarts, nobody is left to end the runs.
 * They are marked as "crashed" at the next start, with the data they began with, and are not run again by
 * themselves. "Retry" then runs them from their beginning, in a process that knows nothing of the first
 * time: without 'Send Once Per' whoever had a message already gets it again.
 */
describe('a machine that fails with all of n8n on it', () => {
	const PEOPLE = 6;
	let runs: MessageRun[];
	let restartedAt: number;
	let executions: Execution[];

	beforeAll(async () => {
		await bench.newAccount(2);
		runs = await bench.startRuns(PEOPLE);
		await until(() => runs.every((run) => bench.requestsOf(run).length >= 2));
		const members = [bench.main, ...bench.workers];
		await Promise.all(members.map(async (member) => await member.kill()));
		restartedAt = performance.now();
		await Promise.all(members.map(async (member) => await member.restart()));
		executions = await ended(runs);
	});

	test('n8n marks the runs as crashed, and sends nothing by itself', () => {
		expect(executions.map(({ status }) => status)).toEqual(runs.map(() => 'crashed'));
		expectSentInPart(runs, PEOPLE);
		expect(sentAfter(restartedAt, runs)).toEqual([]);
	});

	test('"Retry" sends the whole run again, without \'Send Once Per\'', async () => {
		const [run] = runs as [MessageRun, ...MessageRun[]];
		const executionId = await bench.retry(run);
		const again = { ...run, executionId };
		expectDeliveredOnce([again], await ended([again]));
	});
});

test('no request broke the interface', () => {
	bench.service.assertContract();
});

async function ended(runs: MessageRun[]): Promise<Execution[]> {
	return await Promise.all(
		runs.map(
			async ({ executionId }) => await bench.api.waitForExecution(executionId, { timeoutMs: 150_000 }),
		),
	);
}

const acceptedOf = (run: MessageRun) => bench.requestsOf(run).filter(({ accepted }) => accepted);

/** Contact IDs count up, in the order of the items. */
const reachedBy = (run: MessageRun) =>
	acceptedOf(run)
		.map(recipientOf)
		.sort((a, b) => a - b);

/** By the books of the service, and by those of n8n. */
function expectDeliveredOnce(runs: MessageRun[], executions: Execution[]): void {
	for (const [index, run] of runs.entries()) {
		const execution = executions[index]!;
		expect(reachedBy(run)).toEqual(run.recipients);
		expect({ status: execution.status, error: execution.error }).toEqual({
			status: 'success',
			error: undefined,
		});
		expect(execution.output('Send')).toHaveLength(run.recipients.length);
	}
}

/** To the first people, once each, and to nobody after them. */
function expectSentInPart(runs: MessageRun[], peopleEach: number): void {
	for (const run of runs) {
		const reached = reachedBy(run);
		expect(reached).toEqual(run.recipients.slice(0, reached.length));
		expect(reached.length).toBeGreaterThan(0);
		expect(reached.length).toBeLessThan(peopleEach);
	}
}

/** A request that was on its way already may still arrive. */
function sentAfter(moment: number, runs: MessageRun[]): number[] {
	const onTheWayMs = 1000;
	const late = runs.flatMap(bench.requestsOf).filter(({ arrivedAt }) => arrivedAt > moment + onTheWayMs);
	return late.map(recipientOf);
}

interface Figures {
	/** Part of the limit that was used between the first and the last accepted request. */
	share: number;
	/** The same for the time until the first worker had nothing left to send. */
	shareWhileAllWork: number;
	/** Part of the requests that the service refused because of the limit. */
	refused: number;
	requests: number;
	seconds: number;
}

function figuresOf(runs: MessageRun[]): Figures {
	const momentsOf = (some: MessageRun[]) => some.flatMap(acceptedOf).map(({ countedAt }) => countedAt!);
	const moments = momentsOf(runs);
	const first = Math.min(...moments);
	const last = Math.max(...moments);
	const workers = [...new Set(runs.map(({ worker }) => worker))];
	const endOf = (worker: number) => Math.max(...momentsOf(runs.filter((run) => run.worker === worker)));
	const firstEnd = Math.min(...workers.map(endOf));
	const requests = runs.flatMap(bench.requestsOf);
	return {
		share: shareBetween(first, last, moments),
		shareWhileAllWork: shareBetween(first, firstEnd, moments),
		refused: requests.filter(({ refusedBy }) => refusedBy !== undefined).length / requests.length,
		requests: requests.length,
		seconds: (last - first) / 1000,
	};
}

/** The shortest time in which the limit lets so many requests pass, by the time that it took. */
function shareBetween(from: number, to: number, moments: number[]): number {
	const count = moments.filter((moment) => moment >= from && moment <= to).length;
	return (Math.floor((count - 1) / limit.requests) * limit.windowMs) / (to - from);
}

/** The figures are worth reading, whatever they are compared with. */
function report(title: string, runs: MessageRun[]): void {
	const { share, shareWhileAllWork, refused, requests, seconds } = figuresOf(runs);
	const percent = (part: number) => `${(part * 100).toFixed(1)} %`;
	process.stdout.write(
		`${title}: ${percent(share)} of the limit (${percent(shareWhileAllWork)} while both worked), ` +
			`${percent(refused)} of ${requests} requests refused, ${seconds.toFixed(1)} s\n`,
	);
}
