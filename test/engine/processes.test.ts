import type { INodeParameters } from 'n8n-workflow';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { until } from '../../sandbox/processes/poll';
import { startEmulator, type Emulator } from '../../sandbox/emulator';
import { usualIds } from '../../sandbox/workflow';
import { hashOf, MemoryDeduplicator } from '../../sandbox/workflow/deduplication';
import { credentialFor, type RunResult } from './harness';
import { lettersFor, send as sendTo } from './messages';
import { came, howOften, type Came } from './once';
import { RowsInFiles } from './processes/rows';
import { WorkerProcess } from './processes/workers';

/*
 * The promise of 'Send Once Per' for several processes with one store, like the workers of n8n's queue mode: nobody gets a message
 * twice. The processes are real, and some are really killed. Calls to the store overlap without any lock.
 *
 * All broadcasts run side by side, because most of their time is spent waiting. Each has its own node, and so a part of the
 * store that no other broadcast changes.
 */

const { seed } = jest.requireActual<{ seed: number }>('../seed');

/** VK has no limit of its own. */
const parameters: INodeParameters = {
	...sendTo,
	contactMessenger: 'vk',
	options: { sendOncePer: 'осень' },
};

/** Recipients of a run: enough for several rounds of claims. */
const count = 100;

/** The most tickets that may remain in the store. They contain no data about recipients. */
const fewTickets = 20;

/** A broadcast that two processes start at the same moment, and one more run after both have ended. */
interface Plan {
	/** Whether both of them have the same recipients. */
	isSame: boolean;
	/** 0 without a rate limit. */
	requestsPerSecond: number;
	/** About how many messages were sent when one of the processes is killed; 0 as soon as one has written to the store. */
	killedAfter?: number;
}

const undisturbed: Plan[] = [true, false].flatMap((isSame) =>
	[0, 20].map((requestsPerSecond) => ({ isSame, requestsPerSecond })),
);

const disturbed: Plan[] = [
	{ isSame: true, killedAfter: 0, requestsPerSecond: 0 },
	{ isSame: true, killedAfter: 60, requestsPerSecond: 20 },
];

const nameOf = ({ isSame, requestsPerSecond, killedAfter }: Plan) =>
	[
		isSame ? 'the same recipients' : 'recipients of their own',
		requestsPerSecond ? ` at ${requestsPerSecond} per second` : ' without a pace',
		killedAfter === undefined ? '' : `, one is killed after some ${killedAfter} messages`,
	].join('');

const named = (plans: Plan[]) => plans.map((plan) => [nameOf(plan), plan] as const);

/** The result of a broadcast. */
interface Result {
	/** Runs that did not end, because their process was killed. */
	interrupted: number;
	/** How many messages each recipient has received. */
	counts: number[];
	/** Whether a run has reported the recipient as in doubt. */
	doubted: boolean[];
	/** The outcomes of the last run's items. */
	last: Came[];
	/** Messages that were sent before the last run. */
	sentBefore: number;
	nodeId: string;
	/** The entries that the last run has looked up in the store, added and removed. */
	entries: string[];
}

const results = new Map<Plan, Promise<Result>>();

const betweenMs = 300;

/** A run that takes longer is killed, and its tests fail. */
const longestMs = 110_000;
const timeoutMs = 120_000;

const workers: WorkerProcess[] = [];

let folder: string;
let table: string;
let service: Emulator;
let overtime: NodeJS.Timeout;

const killAll = async () => await Promise.all(workers.map(async (worker) => await worker.kill()));

beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), 'chatbot-processes-'));
	table = join(folder, 'table');
	await mkdir(table);
	const start = () => {
		const worker = new WorkerProcess(join(folder, 'n8n'));
		workers.push(worker);
		return worker;
	};
	const [one, other, later] = [start(), start(), start()];
	const mortal = disturbed.map(start);
	service = await startEmulator();
	service.faults.add({ kind: 'delay', ms: [20, 60], when: 'after' });
	await Promise.all(workers.map(async ({ ready }) => await ready));
	overtime = setTimeout(() => void killAll(), longestMs);
	// Not all at once: a process that starts many runs at the same time delays its calls to the store.
	for (const [index, plan] of disturbed.entries()) {
		beginAndKill(plan, one, mortal[index]!, later);
		await sleep(betweenMs);
	}
	for (const plan of undisturbed) {
		begin(plan, [one, other], later);
		await sleep(betweenMs);
	}
}, timeoutMs);
afterAll(async () => {
	clearTimeout(overtime);
	await killAll();
	await service.stop();
	await rm(folder, { recursive: true, force: true });
	service.assertContract();
});

function beginAndKill(plan: Plan, lasting: WorkerProcess, mortal: WorkerProcess, later: WorkerProcess) {
	const { nodeId, people } = begin(plan, [lasting, mortal], later);
	const isTime = () =>
		plan.killedAfter ? sum(howOften(service, people)) >= plan.killedAfter : stored(nodeId).length > 1;
	void until(isTime, { everyMs: 5 }).finally(async () => await mortal.kill());
}

type People = ReturnType<typeof lettersFor>;

/** @returns the progress of the broadcast */
function begin(plan: Plan, first: WorkerProcess[], later: WorkerProcess) {
	const nodeId = `broadcast-${results.size}`;
	const same = lettersFor(service, count);
	const starts = first.map((worker) => ({
		worker,
		people: plan.isSame ? same : lettersFor(service, count),
	}));
	const people = [...new Set(starts.flatMap((start) => start.people))];
	const result = resultOf({ plan, nodeId, starts, later, people });
	// The tests of this broadcast report it.
	result.catch(() => {});
	results.set(plan, result);
	return { nodeId, people };
}

interface Broadcast {
	plan: Plan;
	nodeId: string;
	starts: Array<{ worker: WorkerProcess; people: People }>;
	later: WorkerProcess;
	/** All recipients. */
	people: People;
}

let runs = 0;

async function resultOf({ plan, nodeId, starts, later, people }: Broadcast): Promise<Result> {
	const token = `token-of-${nodeId}`;
	service.data.accounts.push({ token, apiAccess: true });
	const credential = credentialFor(service, { token, requestsPerSecond: plan.requestsPerSecond });
	const doubted = new Set<People[number]>();
	const run = async (worker: WorkerProcess, items: People) => {
		const report = await worker.run({ nodeId, parameters, credential, items, table, seed: seed + runs++ });
		if (!report) return undefined;
		if (report.error) throw new Error(report.error);
		const outcomes = came({ outputs: report.outputs } as RunResult);
		for (const [index, outcome] of outcomes.entries()) if (outcome === 'in doubt') doubted.add(items[index]!);
		return { outcomes, entries: report.entries };
	};
	const ended = await Promise.all(starts.map(async (start) => await run(start.worker, start.people)));
	const sentBefore = sum(howOften(service, people));
	const last = await run(later, people);
	const counts = howOften(service, people);
	return {
		interrupted: ended.filter((each) => !each).length,
		counts,
		doubted: people.map((person) => doubted.has(person)),
		last: last?.outcomes ?? [],
		sentBefore,
		nodeId,
		entries: last?.entries ?? [],
	};
}

/** The store's entries for a node, as n8n hashes them. */
const stored = (nodeId: string) =>
	new MemoryDeduplicator({ rows: new RowsInFiles(table) }).entries({ ...usualIds, nodeId });

/** The number of hashes by kind, which is the first word of an entry; all other hashes are tickets. */
function kindsOf(hashes: string[], entries: string[]): Record<string, number> {
	const kinds = new Map(entries.map((entry) => [hashOf(entry), entry.split(' ')[0]!]));
	return tally(hashes.map((hash) => kinds.get(hash) ?? 'ticket'));
}

function tally(list: string[]): Record<string, number> {
	const counts: Record<string, number> = {};
	for (const each of list) counts[each] = (counts[each] ?? 0) + 1;
	return counts;
}

const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);

const most = (share: number, of: unknown[]) => Math.floor(of.length * share);

/** Checks that apply to every broadcast. */
async function expectPromisesKept({ counts, doubted, last, nodeId, entries }: Result) {
	expect(counts.filter((each) => each > 1)).toEqual([]);
	expect(counts.filter((each, index) => !each && !doubted[index])).toEqual([]);
	// Everybody who is not in doubt has received it exactly once.
	expect(last.filter((outcome, index) => outcome !== 'in doubt' && counts[index] !== 1)).toEqual([]);
	const { sent = 0, skipped = 0, 'in doubt': inDoubt = 0 } = tally(last);
	expect(sent + skipped + inDoubt).toBe(counts.length);
	// Obsolete entries are removed shortly after the end of a run.
	const kinds = () => ({ doubt: 0, ticket: 0, ...kindsOf(stored(nodeId), entries) });
	await until(() => kinds().ticket <= fewTickets, { failure: 'Tickets did not go', timeoutMs: 10_000 });
	expect({ ...kinds(), ticket: 0 }).toEqual({ open: 1, sent: counts.length, doubt: inDoubt, ticket: 0 });
}

describe('processes that start at the same moment', () => {
	test.each(named(undisturbed))(
		'%s: nobody gets a message twice, and the next run sends to nobody',
		async (_name, plan) => {
			const result = await results.get(plan)!;
			await expectPromisesKept(result);
			const { interrupted, counts, doubted, sentBefore, last } = result;
			expect(interrupted).toBe(0);
			expect(doubted.filter(Boolean).length).toBeLessThanOrEqual(most(1 / 20, doubted));
			expect(sum(counts) - sentBefore).toBe(0);
			expect(last).not.toContain('sent');
		},
		timeoutMs,
	);
});

describe('a process that is killed during a run', () => {
	test.each(named(disturbed))(
		'%s: nobody gets a message twice, and the next run reaches everybody who is not in doubt',
		async (_name, plan) => {
			const result = await results.get(plan)!;
			await expectPromisesKept(result);
			expect(result.interrupted).toBe(1);
		},
		timeoutMs,
	);
});
