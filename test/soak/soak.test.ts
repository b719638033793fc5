import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { turnsOf } from '../../nodes/ChatbotService/client/turn';
import { endpoints } from '../description/table';
import { runNode, type RunResult } from '../engine/harness';
import { operations } from './operations';
import { itemsOf, limits, makePlan, mishaps, type SoakRun } from './plan';
import type { Books, Entry } from './standIn';

/*
 * Thousands of items of every operation, in many workflows at once and through several accounts, against a service that fails
 * in every way it can. What n8n says of each item is held against the books of the service. The stand-in has a process of its
 * own, so that the memory of this one is the node's and the engine's.
 */

const seed = Number(process.env.SOAK_SEED ?? Math.floor(Math.random() * 1e9));
const count = Number(process.env.SOAK_ITEMS ?? 10_000);
const plan = makePlan(seed, count);

/** Workflows that an account runs at the same time. */
const lanes = 3;

const timeoutMs = 2000;

/** What n8n says of an item. */
type Ending =
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
const endings: Array<Ending | undefined> = Array.from({ length: count });

/** What is wrong; each names its item. */
const faults: string[] = [];

/** Memory in use, in MB, after each round. */
const levels: number[] = [];

let standIn: ChildProcess;
let baseUrl: string;
let books: Books;
let entries: Map<number, Entry>;

/** What keeps this process busy, apart from the test itself. */
const busyWith = () =>
	process
		.getActiveResourcesInfo()
		.filter((name) => /Timeout|Immediate|TCP/.test(name))
		.sort();
let busyBefore: string[];

beforeAll(async () => {
	process.stdout.write(`SOAK_SEED=${seed} SOAK_ITEMS=${count} npm run test:soak\n`);
	standIn = fork(join(__dirname, 'standIn.ts'), { execArgv: ['--import', 'tsx'] });
	standIn.send({ seed, count });
	[{ url: baseUrl }] = (await once(standIn, 'message')) as [{ url: string }];
	// The engine begins some things once for all runs.
	await runNode({ parameters: operations[0]!.parameters, credential: credentialOf(0) });
	busyBefore = busyWith();
	for (const round of plan.rounds) {
		await Promise.all(round.map(async (runs, account) => await runAll(runs, account)));
		levels.push(await memoryInUse());
	}
	standIn.send('books');
	[books] = (await once(standIn, 'message')) as [Books];
	entries = new Map(books.entries);
	const counts = Object.fromEntries(
		(['done', 'notDone', 'unknown', 'canceled'] as const).map((ending) => [ending, numberOf(ending)]),
	);
	process.stdout.write(
		`${JSON.stringify({ ...counts, requests: books.requests, overLimit: books.overLimit, mishaps: books.mishaps, levels })}\n`,
	);
});
afterAll(() => standIn.disconnect());

async function runAll(runs: SoakRun[], account: number) {
	const left = runs.values();
	const lane = async () => {
		for (const run of left) await runOne(run, account);
	};
	await Promise.all(Array.from({ length: lanes }, lane));
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
		parameters: { ...run.operation.parameters, requestOptions: { timeout: timeoutMs } },
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
		for (const { number } of run.items) endings[number] = 'canceled';
		return;
	}
	const { method, many } = run.operation;
	if (status !== 'success') faults.push(`A run of ${method} ended as ${status}: ${error?.message}`);
	const rows = run.items.map((): Ending[] => []);
	for (const [output, items] of outputs.entries()) {
		for (const { json, pairedItem } of items) {
			const index = (pairedItem as { item?: number } | undefined)?.item;
			const mine = rows[index ?? -1];
			if (!mine) {
				faults.push(`${method}: an answer that belongs to no item`);
				continue;
			}
			const isFailed = run.errorOutput ? output === 1 : typeof json.error === 'string';
			const words = `${String(json.error)} ${String(json.message)}`;
			if (isFailed && !words.includes(`[Item ${index}]`))
				faults.push(`${method}: item ${index} says "${words}"`);
			mine.push(!isFailed ? 'done' : doubted.test(words) ? 'unknown' : 'notDone');
		}
	}
	for (const [index, { number }] of run.items.entries()) {
		const mine = rows[index]!;
		const isOne = mine.length === 1 || (many && mine.length > 1 && mine.every((each) => each === 'done'));
		if (!isOne) faults.push(`${method}: item ${number} ended as ${mine.join(', ') || 'nothing'}`);
		else endings[number] = mine[0];
	}
}

const numberOf = (ending: Ending) => endings.filter((each) => each === ending).length;

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

/** Items whose entry in the books does not fit what n8n says of them. */
function astray(
	fits: (ending: Ending | undefined, entry: Entry, item: ReturnType<typeof itemsOf>[number]) => boolean,
) {
	return itemsOf(plan).flatMap((item) => {
		const { method, data } = item.run.operation;
		if (!data) return [];
		const entry = entries.get(item.number) ?? { arrived: 0, accepted: 0, delivered: 0 };
		const ending = endings[item.number];
		if (fits(ending, entry, item)) return [];
		return [`${method} ${item.number}: ${ending}, ${JSON.stringify(entry)}`];
	});
}

/** How often an item may have taken effect, by what n8n says of it. */
const allowed: Record<Ending, number[]> = { done: [1], notDone: [0], unknown: [0, 1], canceled: [0, 1] };

test('all operations took part, and everything that can go wrong did', () => {
	expect(new Set(itemsOf(plan).map(({ run }) => run.operation)).size).toBe(operations.length);
	expect([...new Set(operations.map(({ method }) => method))].sort()).toEqual(endpoints);
	expect(Object.keys(books.mishaps).sort()).toEqual(
		[...new Set(mishaps.map(({ fault }) => fault.kind))].sort(),
	);
	for (const ending of ['done', 'notDone', 'unknown', 'canceled'] as const)
		expect(numberOf(ending)).toBeGreaterThan(0);
});

test('every item ended once, with its answer or its own error', () => {
	expect(faults).toEqual([]);
	expect(endings.filter((ending) => ending === undefined)).toEqual([]);
});

test('every message that is done was delivered once, none that was refused, and none twice', () => {
	const misdelivered = astray(
		(ending, { delivered }, { run }) =>
			!run.operation.method.startsWith('sendMessage') || allowed[ending!].includes(delivered),
	);
	expect(misdelivered).toEqual([]);
});

test('nor was anything else that is not harmless to repeat done twice', () => {
	const wrong = astray(
		(ending, { accepted }, { run }) => run.operation.harmless || allowed[ending!].includes(accepted),
	);
	expect(wrong).toEqual([]);
});

test('what is harmless to repeat took effect when it is done, and did not when it is said not to have', () => {
	const wrong = astray((ending, { accepted }, { run }) => {
		if (!run.operation.harmless) return true;
		if (ending === 'done') return accepted >= 1;
		// A second try of the whole node knows nothing of what the first one left open.
		return ending !== 'notDone' || run.retryOnFail || accepted === 0;
	});
	expect(wrong).toEqual([]);
	const all = Object.keys(books.withoutItem);
	expect(all).toEqual(['getListSchemas']);
});

test('nothing left for an item with invalid values', () => {
	const sent = astray((ending, { arrived }, { invalid }) => !invalid || (arrived === 0 && ending !== 'done'));
	expect(sent).toEqual([]);
});

test('messages to the same person arrived in the order of the items', () => {
	// A second try of the whole node sends what the first one was refused, after all that came later then.
	const triedAgain = new Set(
		itemsOf(plan)
			.filter(({ run }) => run.retryOnFail)
			.map(({ number }) => number),
	);
	const inOneTry = books.order.filter((items) => !items.some((item) => triedAgain.has(item)));
	expect(inOneTry.length).toBeGreaterThan(0);
	expect(inOneTry.filter((items) => items.some((item, index) => item < (items[index - 1] ?? 0)))).toEqual([]);
});

test('the contract was kept by every request', () => {
	expect(books.violations).toEqual([]);
});

test('the limits were kept', () => {
	// That the pace itself is never over the limit is proved in virtual time (turn.test.ts). Here mishaps and a busy machine hold
	// requests up on the way, so that some come too close together; without a pace it would be most of them.
	const overLimit = Object.values(books.overLimit).reduce((sum, each) => sum + each, 0);
	expect(overLimit / books.requests).toBeLessThan(0.15);
	expect(books.mostInFlight).toBeLessThanOrEqual(10);
});

test('the memory in use did not grow after the first third', () => {
	const [first, , last] = levels;
	expect(last! - first!).toBeLessThan(5);
});

test('nothing is left waiting', async () => {
	for (const token of plan.tokens) {
		const turns = turnsOf(`${baseUrl}/api/v1 ${token}`) as unknown as Record<string, { size: number }>;
		expect([turns.queues!.size, turns.served!.size, turns.inFlight]).toEqual([0, 0, 0]);
		expect(turns.windows!.size).toBeGreaterThan(0);
	}
	// The axios of n8n 2.8 leaves a connection open whose request has timed out, until the service closes it.
	const open = busyWith().filter((name) => name.startsWith('TCP')).length;
	expect(open).toBeLessThanOrEqual(books.mishaps.timeout!);
	expect(books.inFlight).toBeLessThanOrEqual(books.mishaps.timeout!);
	standIn.send('stop');
	await once(standIn, 'message');
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
