import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { readAccount } from '../../nodes/ChatbotService/client/account';
import { accounts } from '../../nodes/ChatbotService/client/pace/accounts';
import { runNode, type RunResult } from '../engine/harness';
import { isReading, operations } from '../operations';
import { faults } from './faults';
import { itemsOf, limits, makePlan, nodes, type SoakRun } from './plan';
import type { ForEmulator, ItemRecord, ServiceRecord } from './emulator';

/*
 * Thousands of items of every operation, in many workflows at once and through several accounts, against a service that fails
 * in every way it can. What n8n says of each item is held against what the service has recorded. The emulator has a process of its
 * own, so that the memory of this one is the node's and the engine's.
 */

const { seed } = jest.requireActual<{ seed: number }>('../seed');
const count = Number(process.env.SOAK_ITEMS ?? 10_000);
const plan = makePlan(seed, count);

const workflowsAtOnce = 3;

const timeoutMs = 2000;

/** What n8n says of an item. */
type Outcome =
	| 'done'
	/** Refused, or not sent. */
	| 'notDone'
	/** It may have been done all the same. */
	| 'unknown'
	/** The user stopped the workflow, which drops all answers. */
	| 'canceled';

/**
 * What the node says of an item of which nobody knows whether it was done, and of one that was only to be read: there a page in
 * place of an answer needs no more than its own words.
 */
const doubted = /may have been|Nothing was changed|a web page instead of data \(HTTP 2/;

/** By the number of the item. Made before the memory is looked at, so that it does not grow with the items. */
const outcomes: Array<Outcome | undefined> = Array.from({ length: count });

/** What is wrong; each names its item. */
const problems: string[] = [];

/** In MB. */
const memoryAfterRounds: number[] = [];

let emulator: ChildProcess;
let baseUrl: string;
let record: ServiceRecord;
let records: Map<number, ItemRecord>;

/** What keeps this process busy, apart from the test itself. */
const busyWith = () =>
	process
		.getActiveResourcesInfo()
		.filter((name) => /Timeout|Immediate|TCP/.test(name))
		.sort();
let busyBefore: string[];

beforeAll(async () => {
	emulator = fork(join(__dirname, 'emulator.ts'), { execArgv: ['--import', 'tsx'] });
	const { rounds: _, ...forEmulator } = plan;
	emulator.send(forEmulator satisfies ForEmulator);
	[{ url: baseUrl }] = (await once(emulator, 'message')) as [{ url: string }];
	// The engine begins some things once for all runs.
	await runNode({ parameters: nodes[0]!.parameters, credential: credentialOf(0) });
	busyBefore = busyWith();
	for (const round of plan.rounds) {
		await Promise.all(round.map(async (runs, account) => await runAll(runs, account)));
		memoryAfterRounds.push(await memoryInUse());
	}
	emulator.send('record');
	[record] = (await once(emulator, 'message')) as [ServiceRecord];
	records = new Map(record.items);
	const counts = Object.fromEntries(
		(['done', 'notDone', 'unknown', 'canceled'] as const).map((outcome) => [outcome, numberOf(outcome)]),
	);
	process.stdout.write(
		`${JSON.stringify({ ...counts, requests: record.requests, overLimit: record.overLimit, faults: record.faults, memoryAfterRounds })}\n`,
	);
});
afterAll(() => emulator.disconnect());

async function runAll(runs: SoakRun[], account: number) {
	const left = runs.values();
	const worker = async () => {
		for (const run of left) await runOne(run, account);
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

async function runOne(run: SoakRun, account: number) {
	const result = await runNode({
		parameters: { ...run.node.parameters, requestOptions: { timeout: timeoutMs } },
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
	note(run, result);
}

/** Notes how each item of a run ended, and what is wrong with what came out. */
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
			const index = (pairedItem as { item?: number } | undefined)?.item;
			const mine = rows[index ?? -1];
			if (!mine) {
				problems.push(`${title}: an answer that belongs to no item`);
				continue;
			}
			const isFailed = run.errorOutput ? output === 1 : typeof json.error === 'string';
			const words = `${String(json.error)} ${String(json.message)}`;
			if (isFailed && !words.includes(`[Item ${index}]`))
				problems.push(`${title}: item ${index} says "${words}"`);
			mine.push(!isFailed ? 'done' : doubted.test(words) ? 'unknown' : 'notDone');
		}
	}
	for (const [index, { number }] of run.items.entries()) {
		const mine = rows[index]!;
		const isOne =
			mine.length === 1 || (answer === 'many' && mine.length > 1 && mine.every((each) => each === 'done'));
		if (!isOne) problems.push(`${title}: item ${number} ended as ${mine.join(', ') || 'nothing'}`);
		else outcomes[number] = mine[0];
	}
}

const numberOf = (outcome: Outcome) => outcomes.filter((each) => each === outcome).length;

/** Once everything that can be thrown away was, in MB. */
async function memoryInUse() {
	setFlagsFromString('--expose-gc');
	const collect = runInNewContext('gc') as () => void;
	for (let time = 0; time < 5; time++) {
		collect();
		await wait(100);
	}
	return Math.round(process.memoryUsage().heapUsed / 1024 / 102.4) / 10;
}

/** Items of which the service has recorded something else than n8n says. */
function mismatches(
	fits: (outcome: Outcome, record: ItemRecord, item: ReturnType<typeof itemsOf>[number]) => boolean,
) {
	return itemsOf(plan).flatMap((item) => {
		const { operation, own } = item.run.node;
		if (own.length === 0) return [];
		const found = records.get(item.number) ?? { arrived: 0, accepted: 0, delivered: 0 };
		const outcome = outcomes[item.number]!;
		if (fits(outcome, found, item)) return [];
		return [`${operation.title} ${item.number}: ${outcome}, ${JSON.stringify(found)}`];
	});
}

/** How often an item may have taken effect, by what n8n says of it. */
const allowed: Record<Outcome, number[]> = { done: [1], notDone: [0], unknown: [0, 1], canceled: [0, 1] };

test('All operations took part, and everything that can go wrong did', () => {
	expect(new Set(itemsOf(plan).map(({ run }) => run.node))).toEqual(new Set(nodes));
	expect(new Set(nodes.map(({ operation }) => operation))).toEqual(new Set(operations));
	expect(Object.keys(record.faults).sort()).toEqual(
		[...new Set(faults.map(({ fault }) => fault.kind))].sort(),
	);
	for (const outcome of ['done', 'notDone', 'unknown', 'canceled'] as const)
		expect(numberOf(outcome)).toBeGreaterThan(0);
});

test('Every item ended once, with its answer or its own error', () => {
	expect(problems).toEqual([]);
	expect(outcomes.filter((outcome) => outcome === undefined)).toEqual([]);
});

test('Every message that is done was delivered once, none that was refused, and none twice', () => {
	const wrong = mismatches(
		(outcome, { delivered }, { run }) =>
			run.node.operation.resource !== 'message' || allowed[outcome].includes(delivered),
	);
	expect(wrong).toEqual([]);
});

test('Nothing was done twice that does harm when it is repeated', () => {
	const wrong = mismatches(
		(outcome, { accepted }, { run }) => run.node.operation.idempotent || allowed[outcome].includes(accepted),
	);
	expect(wrong).toEqual([]);
});

test('What may be repeated took effect where it is said to be done, and did not where it is said not to be', () => {
	const wrong = mismatches((outcome, { accepted }, { run }) => {
		const { operation } = run.node;
		if (!operation.idempotent) return true;
		if (outcome === 'done') return accepted >= 1;
		// What was read has changed nothing. A second try of the whole node knows nothing of what the first one left open.
		const isSure = !isReading(operation) && !run.retryOnFail;
		return outcome !== 'notDone' || !isSure || accepted === 0;
	});
	expect(wrong).toEqual([]);
	const withoutOwn = nodes.filter(({ own }) => own.length === 0);
	expect(Object.keys(record.withoutItem)).toEqual(withoutOwn.map(({ operation }) => operation.endpoint));
});

test('No request left for an item with invalid values', () => {
	const wrong = mismatches(
		(outcome, { arrived }, { invalid }) => !invalid || (arrived === 0 && outcome !== 'done'),
	);
	expect(wrong).toEqual([]);
});

test('Messages to the same person arrived in the order of the items', () => {
	// A second try of the whole node sends what the first one was refused, after all that came later then.
	const triedAgain = new Set(
		itemsOf(plan)
			.filter(({ run }) => run.retryOnFail)
			.map(({ number }) => number),
	);
	const inOneTry = record.order.filter((items) => !items.some((item) => triedAgain.has(item)));
	expect(inOneTry.length).toBeGreaterThan(0);
	expect(inOneTry.filter((items) => items.some((item, index) => item < (items[index - 1] ?? 0)))).toEqual([]);
});

test('Every request kept the contract', () => {
	expect(record.violations).toEqual([]);
});

test('Few requests were over a limit, and ten at most were under way at once', () => {
	// That the pace itself is never over the limit is proved in virtual time (scheduler.test.ts). Here faults and a busy machine hold
	// requests up on the way, so that some come too close together; without a pace it would be most of them.
	const overLimit = Object.values(record.overLimit).reduce((sum, each) => sum + each, 0);
	expect(overLimit / record.requests).toBeLessThan(0.15);
	expect(record.mostInFlight).toBeLessThanOrEqual(10);
});

test('The memory in use did not grow after the first third of the items', () => {
	const [first, , last] = memoryAfterRounds;
	expect(last! - first!).toBeLessThan(5);
});

interface Sized {
	size: number;
}

test('Nothing of the runs is left waiting when all have ended', async () => {
	for (const token of plan.tokens) {
		const { key } = readAccount({ baseUrl, token });
		const { lanes, underWay, paces } = accounts.schedulerOf(key) as unknown as {
			lanes: { lanes: Sized; served: Sized };
			underWay: Sized;
			paces: Sized;
		};
		expect([lanes.lanes.size, lanes.served.size, underWay.size]).toEqual([0, 0, 0]);
		expect(paces.size).toBeGreaterThan(0);
	}
	// The axios of n8n 2.8 leaves a connection open whose request has timed out, until the service closes it.
	const open = busyWith().filter((name) => name.startsWith('TCP')).length;
	expect(open).toBeLessThanOrEqual(record.faults.timeout!);
	expect(record.inFlight).toBeLessThanOrEqual(record.faults.timeout!);
	emulator.send('stop');
	await once(emulator, 'message');
	// What closes by itself takes its time; what has been left waiting stays.
	for (let time = 0; time < 100 && busyWith().length > busyBefore.length; time++) await wait(100);
	const left = [...busyBefore];
	const more = busyWith().filter((name) => {
		const place = left.indexOf(name);
		if (place >= 0) left.splice(place, 1);
		return place < 0;
	});
	expect(more).toEqual([]);
}, 30_000);
