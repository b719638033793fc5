import type { INodeParameters } from 'n8n-workflow';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { ChatbotService } from '../../nodes/ChatbotService/ChatbotService.node';
import { until } from '../../sandbox/processes/poll';
import { startEmulator, type Emulator } from '../../sandbox/emulator';
import { loadAsN8n, usualIds } from './n8n';
import { hashOf, MemoryDeduplicator } from './n8n/deduplication';
import { credentialFor, type RunResult } from './harness';
import { lettersFor, send as sendTo } from './messages';
import { came, howOften } from './once';
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
async function broadcast({ isSame, requestsPerSecond, killedAfter }: Plan) {
	const workflowId = `broadcast-${broadcasts++}`;
	const token = `token-of-${workflowId}`;
	service.data.accounts.push({ token, apiAccess: true });
	const credential = credentialFor(service, { token, requestsPerSecond });
	const doubted = new Set<number>();
	const run = async (items: People, by: (given: Broadcast) => Promise<Report | undefined>) => {
		const report = await by({ workflowId, parameters, credential, items, table, seed: seed + runs++ });
		if (!report) return undefined;
		expect(report.error).toBeUndefined();
		const outcomes = came({ outputs: report.outputs } as RunResult);
		for (const [index, outcome] of outcomes.entries())
			if (outcome === 'in doubt') doubted.add(items[index]!.id);
		return { outcomes, entries: report.entries };
	};

	const [one, other] = lasting as [WorkerProcess, WorkerProcess];
	const second = killedAfter === undefined ? other : startWorker();
	await second.ready;
	const items = lettersFor(service, count);
	const others = isSame ? items : lettersFor(service, count);
	const people = isSame ? items : [...items, ...others];
	const both = [
		run(items, async (given) => await one.run(given)),
		run(others, async (given) => await second.run(given)),
	];
	if (killedAfter !== undefined) {
		const isTime = () =>
			killedAfter ? sum(howOften(service, people)) >= killedAfter : stored(workflowId).length > 0;
		const kill = async () => await second.kill();
		void until(isTime, { everyMs: 5 }).then(kill, kill);
	}
	const ended = await Promise.all(both);
	const sentBefore = sum(howOften(service, people));
	const last = (await run(people, async (given) => await runHere(chatbotService, given)))!;
	const counts = howOften(service, people);
	return {
		/** Runs that did not end, because their process was killed. */
		interrupted: ended.filter((each) => !each).length,
		/** How many messages each recipient has received. */
		counts,
		sentByLast: sum(counts) - sentBefore,
		/** Recipients whom some run has reported as in doubt. */
		doubted: people.map(({ id }) => doubted.has(id)),
		last: last.outcomes,
		/** How many entries of a kind the store has, by the first word of an entry. */
		storedOf(kind: string) {
			const hashes = new Set(last.entries.filter((entry) => entry.startsWith(kind)).map(hashOf));
			return stored(workflowId).filter((hash) => hashes.has(hash)).length;
		},
	};
}

/** The store's entries for the node of a workflow, as n8n hashes them. */
const stored = (workflowId: string) =>
	new MemoryDeduplicator({ rows: new RowsInFiles(table) }).entries({ ...usualIds, workflowId });

const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);

test.concurrent.each<[string, Plan]>([
	['the same recipients', { isSame: true, requestsPerSecond: 20 }],
	['recipients of their own', { isSame: false, requestsPerSecond: 0 }],
	['the same recipients, one is killed at once', { isSame: true, requestsPerSecond: 0, killedAfter: 0 }],
	['the same recipients, one is killed', { isSame: true, requestsPerSecond: 20, killedAfter: 60 }],
])(
	'two processes start at the same moment with %s: nobody gets a message twice, and the next run reaches everybody who is not in doubt',
	async (_name, plan) => {
		const { interrupted, counts, sentByLast, doubted, last, storedOf } = await broadcast(plan);
		expect(counts.filter((each) => each > 1)).toEqual([]);
		expect(counts.filter((each, index) => !each && !doubted[index])).toEqual([]);
		// Everybody who is not in doubt has received it exactly once.
		expect(last.filter((outcome, index) => outcome !== 'in doubt' && counts[index] !== 1)).toEqual([]);
		expect(last.filter((outcome) => outcome === 'failed' || outcome === 'not sent')).toEqual([]);
		const inDoubt = last.filter((outcome) => outcome === 'in doubt').length;
		expect([storedOf('sent'), storedOf('doubt')]).toEqual([counts.length, inDoubt]);
		expect(interrupted).toBe(plan.killedAfter === undefined ? 0 : 1);
		if (plan.killedAfter !== undefined) return;
		expect(doubted.filter(Boolean).length).toBeLessThanOrEqual(doubted.length / 20);
		expect(sentByLast).toBe(0);
	},
);
