import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { Worker, type JestWorkerFarm } from 'jest-worker';

import { webPage } from '../../nodes/ChatbotService/client/failure/failure';
import { runNode, type RunResult } from '../engine/harness';
import { isReading, operations, unknownOf } from '../operations';
import type * as emulatorProcess from './emulator';
import type { ItemRecord, ServiceRecord } from './emulator';
import { itemsOf, limits, makePlan, nodes, type SoakRun } from './plan';
import { faults } from './requests';

/*
 * Thousands of items of every operation, in many concurrent workflows and with several accounts, with a service that has every
 * kind of fault. The test compares the outcome of each item in n8n with the record of the service. The emulator runs in a separate
 * process, so that the memory of this process is that of the node and the engine.
 */

const { seed } = jest.requireActual<{ seed: number }>('../seed');
const count = Number(process.env.SOAK_ITEMS ?? 10_000);
const plan = makePlan(seed, count);

const workflowsAtOnce = 3;

/** How often an item may have taken effect, by its outcome in n8n; stopping a workflow drops all answers. */
const allowed = { done: [1], notDone: [0], unknown: [0, 1], canceled: [0, 1] };
type Outcome = keyof typeof allowed;
const everyOutcome = Object.keys(allowed) as Outcome[];

/** The node's texts for an unknown outcome. Of an item that only reads, a page instead of an answer says no more. */
const doubts = [...operations.map(unknownOf), webPage(200, undefined).message];

/** By the number of the item. Allocated before memory is measured, so that it does not grow with the items. */
const outcomes: Array<Outcome | undefined> = Array.from({ length: count });
const numberOf = (outcome: Outcome) => outcomes.filter((each) => each === outcome).length;

/** The problems of outputs; each names its item. */
const problems: string[] = [];

/** In MB. */
const memoryAfterRounds: number[] = [];

let emulator: JestWorkerFarm<typeof emulatorProcess>;
let baseUrl: string;
let record: ServiceRecord;

/** The connections and timers that keep this process active, apart from those of the test itself. */
const busyWith = () =>
	process.getActiveResourcesInfo().filter((name) => /Timeout|Immediate|TCP/.test(name)).length;
let busyBefore: number;

beforeAll(async () => {
	emulator = new Worker(join(__dirname, 'emulator.ts'), {
		numWorkers: 1,
		exposedMethods: ['serve', 'record', 'stop'],
		forkOptions: { execArgv: ['--import', 'tsx'] },
	}) as typeof emulator;
	const { rounds: _, ...forEmulator } = plan;
	baseUrl = await emulator.serve(forEmulator);
	// The engine starts some things once for all runs.
	await runNode({ parameters: nodes[0]!.parameters, credential: credentialOf(0) });
	busyBefore = busyWith();
	for (const round of plan.rounds) {
		await Promise.all(round.map(async (runs, account) => await runAll(runs, account)));
		memoryAfterRounds.push(await memoryInUse());
	}
	record = await emulator.record();
	const counts = Object.fromEntries(everyOutcome.map((outcome) => [outcome, numberOf(outcome)]));
	const { requests, faults: met } = record;
	process.stdout.write(`${JSON.stringify({ ...counts, requests, faults: met, memoryAfterRounds })}\n`);
});
afterAll(async () => await emulator.end());

async function runAll(runs: SoakRun[], account: number) {
	const left = runs.values();
	const worker = async () => {
		for (const run of left) note(run, await runOne(run, account));
	};
	await Promise.all(Array.from({ length: workflowsAtOnce }, worker));
}

const credentialOf = (account: number) => ({
	baseUrl,
	token: plan.tokens[account]!,
	tokenPlacement: account % 2 ? 'bearer' : 'query',
	tokenName: 'api_token',
	requestsPerSecond: limits.account.requests,
	workers: 1,
});

const runOne = async (run: SoakRun, account: number) =>
	await runNode({
		parameters: { ...run.node.parameters, requestOptions: { timeout: 2000 } },
		credential: credentialOf(account),
		items: run.items.map(({ json }) => json) as never,
		node: {
			onError: run.errorOutput ? 'continueErrorOutput' : 'continueRegularOutput',
			...(run.retryOnFail && { retryOnFail: true, maxTries: 2, waitBetweenTries: 10 }),
		},
		onStart: (cancel) => {
			if (run.cancelAfterMs !== undefined) setTimeout(cancel, run.cancelAfterMs).unref();
		},
	});

/** Records the outcome of each item of a run, and problems of the output. */
function note(run: SoakRun, { run: { status }, outputs, error }: RunResult) {
	if (status === 'canceled' && run.cancelAfterMs !== undefined) {
		for (const { number } of run.items) outcomes[number] = 'canceled';
		return;
	}
	const { title, answer } = run.node.operation;
	if (status !== 'success') problems.push(`A run of ${title} ended as ${status}: ${error?.message}`);
	const rows = run.items.map((): Outcome[] => []);
	for (const [output, items] of outputs.entries()) {
		for (const { json, pairedItem } of items) {
			const index = (pairedItem as { item?: number } | undefined)?.item ?? -1;
			const isFailed = run.errorOutput ? output === 1 : typeof json.error === 'string';
			const words = `${String(json.error)} ${String(json.message)}`;
			if (!rows[index] || (isFailed && !words.includes(`[Item ${index}]`)))
				problems.push(`${title}: a row of item ${index} says "${words}"`);
			const failed = doubts.some((doubt) => words.includes(doubt)) ? 'unknown' : 'notDone';
			rows[index]?.push(isFailed ? failed : 'done');
		}
	}
	for (const [index, { number }] of run.items.entries()) {
		const mine = rows[index]!;
		const isList = answer === 'many' && mine.length > 1 && mine.every((each) => each === 'done');
		if (mine.length === 1 || isList) outcomes[number] = mine[0];
		else problems.push(`${title}: item ${number} ended as ${mine.join(', ') || 'nothing'}`);
	}
}

/** Memory after garbage collection. */
async function memoryInUse() {
	setFlagsFromString('--expose-gc');
	const collect = runInNewContext('gc') as () => void;
	for (let time = 0; time < 5; time++) {
		collect();
		await wait(100);
	}
	return Math.round(process.memoryUsage().heapUsed / 1024 / 102.4) / 10;
}

test('All operations took part, and all faults occurred', () => {
	expect(new Set(itemsOf(plan).map(({ run }) => run.node))).toEqual(new Set(nodes));
	// An operation that asks takes one item at a time. Of one that looks first, the record does not tell what it has changed.
	const asked = operations.filter(({ question, first }) => !question && !first);
	expect(new Set(nodes.map(({ operation }) => operation))).toEqual(new Set(asked));
	expect(new Set(Object.keys(record.faults))).toEqual(new Set(faults.map(([, { kind }]) => kind)));
	for (const outcome of everyOutcome) expect(numberOf(outcome)).toBeGreaterThan(0);
});

test('Every item ended once, with its answer or its own error', () => {
	expect(problems).toEqual([]);
	expect(outcomes.filter((outcome) => outcome === undefined)).toEqual([]);
});

test('Every item took effect as n8n reports it, and nothing was done twice that must not be', () => {
	const fits = (item: ReturnType<typeof itemsOf>[number], outcome: Outcome, found: ItemRecord) => {
		const { operation } = item.run.node;
		if (item.invalid) return found.arrived === 0 && outcome !== 'done';
		if (!operation.idempotent) return allowed[outcome].includes(found.accepted);
		if (outcome === 'done') return found.accepted >= 1;
		// Reading changes nothing. A second try of the whole node does not know the outcomes of the first one.
		const isSure = !isReading(operation) && !item.run.retryOnFail;
		return outcome !== 'notDone' || !isSure || found.accepted === 0;
	};
	const wrong = itemsOf(plan).flatMap((item) => {
		const { operation, own } = item.run.node;
		const found = record.items[item.number] ?? { arrived: 0, accepted: 0 };
		const outcome = outcomes[item.number]!;
		if (own.length === 0 || fits(item, outcome, found)) return [];
		return [`${operation.title} ${item.number}: ${outcome}, ${JSON.stringify(found)}`];
	});
	expect(wrong).toEqual([]);
	const withoutOwn = nodes.filter(({ own }) => own.length === 0);
	const withoutItem = Object.keys(record.items).filter((key) => !/^\d+$/.test(key));
	expect(new Set(withoutItem)).toEqual(new Set(withoutOwn.map(({ operation }) => operation.endpoint)));
});

test('Every request conformed to the contract', () => {
	expect(record.violations).toEqual([]);
});

test('The memory in use did not grow after the first third of the items', () => {
	const [first, , last] = memoryAfterRounds;
	expect(last! - first!).toBeLessThan(5);
});

test('Nothing of the runs is left waiting when all have ended', async () => {
	// The service closes connections that the axios of n8n 2.8 leaves open after a timeout.
	await emulator.stop();
	// A message can count towards the limit of its messenger for ten seconds, and the process may be busy.
	for (let time = 0; time < 250 && busyWith() > busyBefore; time++) await wait(100);
	expect(busyWith()).toBeLessThanOrEqual(busyBefore);
}, 60_000);
