import { setTimeout as pause } from 'node:timers/promises';

import { type Execution, type Member, until } from '../../../sandbox/host';
import type { Contact, Emulator } from '../../../sandbox/emulator';
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
import { openQueueBench } from '../support/queueBench';

/*
 * What becomes of broadcasts whose worker, or whose whole machine, disappears: with 'Send Once Per' they are started again, and
 * nobody gets a message twice. Other than in a single process, n8n itself has nothing left of such a run that it could go on
 * with; what is left is in the node's store, in n8n's database.
 */

/** Each broadcast has an account of its own, and so this pace to itself. */
const pace = { requestsPerSecond: 20 };

/** Claimed are the messages of the next two seconds, and answers are noted within the same time. */
const MOST_IN_DOUBT = 4 * pace.requestsPerSecond;

const PEOPLE = 300;

/** How many of them have the message at least when n8n is killed: more than may be in doubt. */
const AT_KILL = MOST_IN_DOUBT + 20;

const bench = duringTests(
	async () =>
		await openQueueBench('queue-mode-killed', {
			limits: false,
			workers: 2,
			concurrency: 10,
			// How soon n8n notices that a worker is gone; 60, 10 and 30 seconds by default.
			env: {
				QUEUE_WORKER_LOCK_DURATION: '15000',
				QUEUE_WORKER_LOCK_RENEW_TIME: '5000',
				QUEUE_WORKER_STALLED_INTERVAL: '5000',
			},
		}),
);
let service: Emulator;

beforeAll(() => void ({ service } = bench));

const retry = async (executionId: string): Promise<Execution> =>
	await bench.ended(await bench.api.retryExecution(executionId, { loadWorkflow: false }));

const reachedOf = (people: Contact[]): number => deliveredTo(service, people).reached.length;

/** The figures are worth reading, whatever they are compared with. */
const print = (line: string) => process.stdout.write(`${line}\n`);

/*
 * When the main process disappears too, as with a machine that restarts, its executions are marked as "crashed" at the next
 * start, with the data they began with. They are not run again by themselves. "Retry" runs them from their beginning, in a
 * process that knows nothing of the first time.
 */
describe('kill of all of n8n', () => {
	interface CutOff {
		people: Contact[];
		executionId: string;
		/** Who had the message before the restart. */
		reached: number[];
		crashed: Execution;
		retried: Execution;
	}

	let withOption: CutOff;
	let without: CutOff;
	let requestsAtRestart: number;
	let requestsBeforeRetry: number;

	beforeAll(async () => {
		const { main, workers } = bench;
		const begin = async (name: string, once?: string) => {
			const node = { onError: 'continueRegularOutput' };
			const { start } = await bench.newMailing({ name, once, node }, pace);
			const people = newPeople(service, PEOPLE);
			return { people, executionId: await start(people) } as CutOff;
		};
		withOption = await begin('sale-once', 'sale');
		without = await begin('sale');
		const both = [withOption, without];
		await until(() => both.every(({ people }) => reachedOf(people) >= AT_KILL));
		await Promise.all([main, ...workers].map(async (member) => await member.kill()));
		// What was on its way already may still arrive.
		await pause(1000);
		for (const each of both) each.reached = deliveredTo(service, each.people).reached;
		requestsAtRestart = service.requests.length;
		await Promise.all([main, ...workers].map(async (member) => await member.restart()));
		for (const each of both) each.crashed = await bench.ended(each.executionId);
		requestsBeforeRetry = service.requests.length;
		await Promise.all(both.map(async (each) => (each.retried = await retry(each.executionId))));
	});

	test('n8n in queue mode that was killed marks broadcasts as crashed, and sends nothing by itself', () => {
		for (const { crashed, reached, people } of [withOption, without]) {
			expect(crashed.status).toBe('crashed');
			expect(reached.length).toBeLessThan(people.length);
		}
		expect(requestsBeforeRetry).toBe(requestsAtRestart);
	});

	test('"Retry" with \'Send Once Per\' sends only what is missing after all of n8n was killed, and nothing twice', () => {
		const { people, reached, retried } = withOption;
		expect(retried.status).toBe('success');
		const { skipped } = itemsEnded(retried);
		const { delivered, inDoubt, deliveredInDoubt } = expectOnceOrInDoubt(service, people, retried);
		print(
			`all of n8n killed: ${reached.length} of ${people.length} had it, Retry skipped ${skipped.length}; ` +
				`${delivered} have it now, ${inDoubt} in doubt, ${deliveredInDoubt} of them delivered`,
		);
		expect(skipped.length).toBeGreaterThan(0);
		expect(inDoubt).toBeLessThanOrEqual(MOST_IN_DOUBT);
	});

	test('"Retry" without \'Send Once Per\' sends all of it again after all of n8n was killed', () => {
		const { people, reached, retried } = without;
		expectSuccess(retried);
		expect(deliveredTo(service, people)).toMatchObject({ several: reached, missed: [] });
	});
});

/*
 * What becomes of the runs of a worker that disappears is n8n's decision, not the node's. n8n 2.41 runs them neither again nor
 * to their end: once the worker's lock has expired (within a minute and a half by default, here 20 seconds) and half a minute
 * more has passed, they end with the status "error". How far a run came is known to the service only: n8n has dropped its data,
 * so that "Retry" finds nothing to run.
 */
describe('kill of a worker', () => {
	interface Broadcast {
		/** Stops at the first failure when there is none. */
		onError?: 'continueRegularOutput';
		people: Contact[];
		mailing: Mailing;
		/** The first run, which is cut off. */
		executionId: string;
		reachedAtKill: number;
		cutOff: Execution;
		retried: Execution;
		/** The same list, started anew. */
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
		// So that the one that is killed takes both.
		await other.kill();
		broadcasts = [await begin('stops'), await begin('goes-on', 'continueRegularOutput')];
		await until(() => broadcasts.every(({ people }) => reachedOf(people) >= AT_KILL));
		await killed.kill();
		// What was on its way already may still arrive.
		await pause(1000);
		for (const broadcast of broadcasts) broadcast.reachedAtKill = reachedOf(broadcast.people);
		await Promise.all([killed.restart(), other.restart()]);

		// The worker that starts again calls them crashed at first; then n8n misses their jobs, and drops their data.
		for (const broadcast of broadcasts) {
			const { executionId } = broadcast;
			const statusOf = async () => (broadcast.cutOff = await bench.ended(executionId)).status;
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

	test('a broadcast whose worker is killed is cut off, and n8n ends it as failed and drops its data', () => {
		for (const { reachedAtKill, cutOff } of broadcasts) {
			expect(reachedAtKill).toBeLessThan(PEOPLE);
			expect(cutOff.status).toBe('error');
			expect(cutOff.error?.message).toContain('failed to be processed too many times');
			expect(cutOff.nodes).toEqual([]);
		}
	});

	test('nothing is sent by itself after a worker was killed, and "Retry" is offered and sends nothing', () => {
		const atKill = broadcasts.map(({ reachedAtKill }) => reachedAtKill);
		expect(reachedBeforeRetries).toBe(atKill.reduce((sum, reached) => sum + reached));
		expect(broadcasts.map(({ retried: { status, nodes } }) => ({ status, nodes }))).toEqual(
			broadcasts.map(() => ({ status: 'error', nodes: [] })),
		);
		expect(reachedAfterRetries).toBe(reachedBeforeRetries);
	});

	test('a broadcast that is started anew sends what is missing: nobody gets it twice, and whoever does not get it is named', async () => {
		for (const { again, mailing: its, onError, people, reachedAtKill } of broadcasts) {
			let complete = again;
			if (!onError) {
				// One that stops names the first in doubt and counts the others; they are all named where it goes on.
				await its.edit((node) => ({ ...node, onError: 'continueRegularOutput' }));
				complete = await bench.ended(await its.start(people));
			}
			const { delivered, inDoubt, deliveredInDoubt } = expectOnceOrInDoubt(service, people, complete);
			print(
				`worker killed (${onError ?? 'stops'}): ${reachedAtKill} of ${PEOPLE} had it, ` +
					`${delivered} have it now, ${inDoubt} in doubt, ${deliveredInDoubt} of them delivered`,
			);
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
		}
	});
});

test('no request of broadcasts that were killed in queue mode broke the interface', () => {
	service.assertContract();
});
