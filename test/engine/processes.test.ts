import type { INodeParameters } from 'n8n-workflow';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { ChatbotService } from '../../nodes/ChatbotService/ChatbotService.node';
import { until } from '../../sandbox/processes/poll';
import { startEmulator, type Emulator } from '../../sandbox/emulator';
import { loadAsN8n, usualIds } from '../../sandbox/workflow';
import { hashOf, MemoryDeduplicator } from '../../sandbox/workflow/deduplication';
import { credentialFor, type RunResult } from './harness';
import { lettersFor, send as sendTo } from './messages';
import { came, howOften, type Came } from './once';
import { run as runHere, type Broadcast, type Report } from './processes/broadcast';
import { RowsInFiles } from './processes/rows';
import { WorkerProcess } from './processes/workers';

/*
 * The promise of 'Send Once Per' for several processes with one store, like the workers of n8n's queue mode: nobody gets a message
 * twice. The processes are real, and some are really killed.
 *
 * The tests run at the same time, because most of their time is spent waiting. Each has its own workflow, and so a part of the store
 * that no other test changes.
 */

const { seed } = jest.requireActual<{ seed: number }>('../seed');

const chatbotService = loadAsN8n(new ChatbotService());

/** VK has no limit of its own. */
const parameters: INodeParameters = {
	...sendTo,
	contactMessenger: 'vk',
	options: { sendOncePer: 'осень' },
};

/** Recipients of a run: enough for several rounds of claims. */
const count = 100;

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
	workflowId: string;
	/** The entries that the last run has looked up in the store, added and removed. */
	entries: string[];
}

/** A run that takes longer is killed, and its test fails. */
const longestMs = 110_000;

const workers: WorkerProcess[] = [];
/** Two processes that last as long as the tests. */
let lasting: WorkerProcess[];

let folder: string;
let table: string;
let service: Emulator;
let overtime: NodeJS.Timeout;

const killAll = async () => await Promise.all(workers.map(async (worker) => await worker.kill()));

function startWorker(): WorkerProcess {
	const worker = new WorkerProcess(join(folder, 'n8n'));
	workers.push(worker);
	return worker;
}

beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), 'chatbot-processes-'));
	table = join(folder, 'table');
	await mkdir(table);
	lasting = [startWorker(), startWorker()];
	service = await startEmulator();
	service.faults.add({ kind: 'delay', ms: [20, 60], when: 'after' });
	await Promise.all(lasting.map(async ({ ready }) => await ready));
	overtime = setTimeout(() => void killAll(), longestMs);
});
afterAll(async () => {
	clearTimeout(overtime);
	await killAll();
	await service.stop();
	await rm(folder, { recursive: true, force: true });
	service.assertContract();
});

type People = ReturnType<typeof lettersFor>;

let broadcasts = 0;
let runs = 0;

/** Runs a broadcast in two processes at the same moment, and once more in a third one: this one. */
async function broadcast({ isSame, requestsPerSecond, killedAfter }: Plan): Promise<Result> {
	const workflowId = `broadcast-${broadcasts++}`;
	const token = `token-of-${workflowId}`;
	service.data.accounts.push({ token, apiAccess: true });
	const credential = credentialFor(service, { token, requestsPerSecond });
	const doubted = new Set<People[number]>();
	const run = async (items: People, by: (given: Broadcast) => Promise<Report | undefined>) => {
		const report = await by({ workflowId, parameters, credential, items, table, seed: seed + runs++ });
		if (!report) return undefined;
		if (report.error) throw new Error(report.error);
		const outcomes = came({ outputs: report.outputs } as RunResult);
		for (const [index, outcome] of outcomes.entries()) if (outcome === 'in doubt') doubted.add(items[index]!);
		return { outcomes, entries: report.entries };
	};

	const [one, other] = lasting as [WorkerProcess, WorkerProcess];
	const second = killedAfter === undefined ? other : startWorker();
	await second.ready;
	const same = lettersFor(service, count);
	const starts = [one, second].map((worker) => ({
		worker,
		items: isSame ? same : lettersFor(service, count),
	}));
	const people = [...new Set(starts.flatMap(({ items }) => items))];
	const both = starts.map(
		async ({ worker, items }) => await run(items, async (given) => await worker.run(given)),
	);
	if (killedAfter !== undefined) {
		const isTime = () =>
			killedAfter ? sum(howOften(service, people)) >= killedAfter : stored(workflowId).length > 0;
		const kill = async () => await second.kill();
		void until(isTime, { everyMs: 5 }).then(kill, kill);
	}
	const ended = await Promise.all(both);
	const sentBefore = sum(howOften(service, people));
	const last = await run(people, async (given) => await runHere(chatbotService, given));
	return {
		interrupted: ended.filter((each) => !each).length,
		counts: howOften(service, people),
		doubted: people.map((person) => doubted.has(person)),
		last: last!.outcomes,
		sentBefore,
		workflowId,
		entries: last!.entries,
	};
}

/** The store's entries for the node of a workflow, as n8n hashes them. */
const stored = (workflowId: string) =>
	new MemoryDeduplicator({ rows: new RowsInFiles(table) }).entries({ ...usualIds, workflowId });

/** The number of hashes by kind, which is the first word of an entry. */
function kindsOf(hashes: string[], entries: string[]): Record<string, number> {
	const kinds = new Map(entries.map((entry) => [hashOf(entry), entry.split(' ')[0]!]));
	return tally(hashes.map((hash) => kinds.get(hash) ?? 'unknown'));
}

function tally(list: string[]): Record<string, number> {
	const counts: Record<string, number> = {};
	for (const each of list) counts[each] = (counts[each] ?? 0) + 1;
	return counts;
}

const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);

const most = (share: number, of: unknown[]) => Math.floor(of.length * share);

/** Checks that apply to every broadcast. */
function expectPromisesKept({ counts, doubted, last, workflowId, entries }: Result) {
	expect(counts.filter((each) => each > 1)).toEqual([]);
	expect(counts.filter((each, index) => !each && !doubted[index])).toEqual([]);
	// Everybody who is not in doubt has received it exactly once.
	expect(last.filter((outcome, index) => outcome !== 'in doubt' && counts[index] !== 1)).toEqual([]);
	const { sent = 0, skipped = 0, 'in doubt': inDoubt = 0 } = tally(last);
	expect(sent + skipped + inDoubt).toBe(counts.length);
	expect({ doubt: 0, ...kindsOf(stored(workflowId), entries) }).toEqual({
		sent: counts.length,
		doubt: inDoubt,
	});
}

describe('processes that start at the same moment', () => {
	test.concurrent.each(named(disturbed))(
		'%s: nobody gets a message twice, and the next run reaches everybody who is not in doubt',
		async (_name, plan) => {
			const result = await broadcast(plan);
			expectPromisesKept(result);
			expect(result.interrupted).toBe(1);
		},
	);

	test.concurrent.each(named(undisturbed))(
		'%s: nobody gets a message twice, and the next run sends to nobody',
		async (_name, plan) => {
			const result = await broadcast(plan);
			expectPromisesKept(result);
			const { interrupted, counts, doubted, sentBefore, last } = result;
			expect(interrupted).toBe(0);
			expect(doubted.filter(Boolean).length).toBeLessThanOrEqual(most(1 / 20, doubted));
			expect(sum(counts) - sentBefore).toBe(0);
			expect(last).not.toContain('sent');
		},
	);
});
