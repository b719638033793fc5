import { setTimeout as sleep } from 'node:timers/promises';

import { until } from '../../sandbox/processes/poll';
import { seededRandom } from '../../sandbox/emulator/random';
import {
	MemoryDeduplicator,
	type DeduplicationMoment,
	type ProcessedData,
} from '../../sandbox/workflow/deduplication';
import type { RunOptions } from './harness';
import {
	all,
	came,
	countOf,
	death,
	onceSideBySide,
	send,
	standing,
	storedFor,
	withOnce,
	type Came,
	type OnceScene,
} from './once';

/*
 * The promises of 'Send Once Per' when n8n's store has problems: processes die, calls fail or are slow, and several processes
 * overwrite each other's changes. Each process loads the node again, and the processes of one test share a table like n8n's.
 */

const { seed } = jest.requireActual<{ seed: number }>('../seed');

/** Waits for work in the background, which can be slow on a busy machine. */
const patiently = async (isMet: () => boolean) => await until(isMet, { timeoutMs: 60_000, everyMs: 20 });

interface Letter {
	id: number;
	text: string;
}

/** The moments before and after the write of each of the first calls. */
const momentsOf = (calls: number): DeduplicationMoment[] =>
	Array.from({ length: calls }, (_, index) => index + 1).flatMap((call) =>
		(['before', 'after'] as const).map((when) => ({ call, when })),
	);

/** Starts with a delay for each, because loading the node again keeps the processor busy and delays the others. */
const spread =
	<Given, Result>(begin: (given: Given) => Promise<Result>) =>
	async (given: Given, index: number) => {
		await sleep(150 * index);
		return await begin(given);
	};

const nameOf = ({ call, when }: DeduplicationMoment) => `${when} the write of call ${call}`;

/** The most recipients of one run that can be claimed, or sent but not recorded yet. */
const mostInDoubt = 200 + 10;

/** The most tickets that a process leaves that dies now: one for each claim since its last removal, and two that it still needed then. */
function mostTicketsOf({ calls }: MemoryDeduplicator): number {
	const removal = calls.findLastIndex(({ method, endedAt }) => method === 'removeProcessed' && endedAt);
	const claims = calls.slice(removal + 1).filter(({ method }) => method === 'checkProcessedAndRecord');
	return claims.length + (removal < 0 ? 0 : 2);
}

/** Lets a process die in a run, and then runs the same in a new process with the given changes. */
async function runTwice(
	{ ids, inNewProcess }: OnceScene,
	options: Partial<RunOptions> & { items: Letter[] },
	die: (first: MemoryDeduplicator) => void,
	{ delayMs = 0, changes = {} }: { delayMs?: number; changes?: Partial<RunOptions> } = {},
) {
	const first = new MemoryDeduplicator({ delayMs });
	die(first);
	const dying = inNewProcess({ ...options, deduplication: first });
	const hasDied = await death(first, dying);
	const left = standing(first, ids);
	const claimed = new Set(
		first.calls.flatMap(({ values }) => values).filter((value) => String(value).startsWith('doubt ')),
	);
	const mostTickets = mostTicketsOf(first);
	const second = new MemoryDeduplicator({ stored: first.snapshot() });
	const result = await inNewProcess({ ...options, ...changes, deduplication: second }).ended;
	const stored = storedFor(ids, second, first);
	const tickets = storedFor(ids, second).filter((entry) => entry.startsWith('ticket '));
	const longestMs = Math.max(...first.calls.map(({ startedAt, endedAt = startedAt }) => endedAt - startedAt));
	return {
		...{ hasDied, left, claimed: claimed.size, longestMs },
		...{ came: came(result), result, stored, ownTickets: tickets, mostTickets },
	};
}

/** Checks that apply whenever a process has died. */
function expectNobodyTwice(
	context: string,
	{ howOften }: OnceScene,
	items: Letter[],
	{ left, claimed, came, result, stored, ownTickets, mostTickets }: Awaited<ReturnType<typeof runTwice>>,
) {
	const counts = howOften(items);
	const unprotected = came.flatMap((each, index) =>
		each !== 'in doubt' && counts[index] !== 1 ? [index] : [],
	);
	expect([context, counts.filter((count) => count > 1)]).toEqual([context, []]);
	expect([context, unprotected]).toEqual([context, []]);
	expect([context, result.error]).toEqual([context, undefined]);
	const doubted = countOf(came, 'in doubt');
	expect([context, doubted]).toEqual([context, left.inDoubt]);
	expect([context, countOf(came, 'failed') + countOf(came, 'not sent')]).toEqual([context, 0]);
	expect(doubted).toBeLessThanOrEqual(Math.min(mostInDoubt, claimed));
	// They remain in doubt, and everybody else is recorded as sent.
	const tickets = stored.filter((entry) => entry.startsWith('ticket '));
	expect([context, stored.length - tickets.length]).toEqual([context, items.length + 1 + doubted]);
	expect([context, ownTickets]).toEqual([context, []]);
	expect(tickets.length).toBeLessThanOrEqual(mostTickets);
}

/** Checks for several processes that have sent to the same recipients; `cames` holds the outcomes by process. */
function expectReachedOrNamed(context: string, { howOften }: OnceScene, items: Letter[], cames: Came[][]) {
	const counts = howOften(items);
	expect([context, counts.filter((count) => count > 1)]).toEqual([context, []]);
	const wrong = cames.flatMap((came) =>
		came.filter((each, index) => each !== 'in doubt' && counts[index] !== 1),
	);
	expect([context, wrong]).toEqual([context, []]);
	const ends = new Set<Came>(['sent', 'skipped', 'in doubt']);
	expect([context, cames.flat().filter((each) => !ends.has(each))]).toEqual([context, []]);
}

/* Separate from the tests below: on a machine with other load, the calls to a store seem slow. */
describe('several processes at once', () => {
	const test = onceSideBySide();

	/** Reads immediately and writes later, for the store of one process, whose calls run one after the other. */
	function slowToWrite(random: () => number) {
		let pauses = 0;
		return () => (pauses++ % 2 ? 5 + 115 * random() : 0);
	}

	/** Two concurrent processes with one table. */
	async function pairOf({ service, letters, inNewProcess, ids }: OnceScene, areSame: boolean, seed: number) {
		service.faults.add({ kind: 'delay', ms: [0, 10] });
		const random = seededRandom(seed);
		const rows = new Map<string, string>();
		const stores = [1, 2].map(() => new MemoryDeduplicator({ rows, delayMs: slowToWrite(random) }));
		const same = letters(40);
		const lists = stores.map(() => (areSame ? same : letters(40)));
		const runs = stores.map((deduplication, index) => inNewProcess({ items: lists[index]!, deduplication }));
		const cames = (await Promise.all(runs.map(async ({ ended }) => await ended))).map(came);
		const stored = () => storedFor(ids, ...stores).filter((entry) => !entry.startsWith('ticket '));
		return { cames, lists, stored, doubted: countOf(cames.flat(), 'in doubt') };
	}

	const seeds = Array.from({ length: 6 }, (_, index) => seed + index);

	test('two processes with the same recipients send to each once, even if they overwrite entries', async (scene) => {
		const pairs = await Promise.all(seeds.map(spread(async (each) => await pairOf(scene, true, each))));
		for (const [index, { cames, lists }] of pairs.entries())
			expectReachedOrNamed(`seed ${seeds[index]}`, scene, lists[0]!, cames);
		const doubted = pairs.reduce((sum, pair) => sum + pair.doubted, 0);
		expect(doubted).toBeLessThanOrEqual(pairs.flatMap(({ cames }) => cames.flat()).length / 20);
	});

	test('two processes with different recipients send to all of them, even if they overwrite entries', async (scene) => {
		const pairs = await Promise.all(seeds.map(spread(async (each) => await pairOf(scene, false, each))));
		for (const [index, { cames, lists, stored }] of pairs.entries()) {
			const context = `seed ${seeds[index]}`;
			expect([context, cames]).toEqual([context, lists.map(() => all(40, 'sent'))]);
			expect([context, scene.howOften(lists.flat())]).toEqual([context, lists.flat().map(() => 1)]);
			// One entry to open the table, and one for each recipient, after entries that an overwrite restored are removed again.
			await patiently(() => stored().length === 1 + lists.flat().length);
		}
	});

	test('a process waits for the answer to another process before it reports a recipient', async (scene) => {
		const { service, letters, inNewProcess } = scene;
		service.faults.add({ kind: 'delay', ms: 3500 });
		const items = letters(3);
		const rows = new Map<string, string>();
		const first = inNewProcess({ items, deduplication: new MemoryDeduplicator({ rows }) });
		await patiently(() => service.requests.length === items.length);
		const second = inNewProcess({ items, deduplication: new MemoryDeduplicator({ rows }) });
		expect(came(await first.ended)).toEqual(all(3, 'sent'));
		expect(came(await second.ended)).toEqual(all(3, 'skipped'));
		scene.expectEachOnce(items);
	});
});

describe("when n8n's store has problems", () => {
	const test = onceSideBySide(200);

	describe('a slow store', () => {
		test('with calls of two seconds everybody gets one message, and the run ends', async (scene) => {
			const { letters, inStopMode, expectEachOnce, restart } = scene;
			scene.deduplication = new MemoryDeduplicator({ delayMs: 1000 });
			const items = letters(40);
			expect(came(await inStopMode({ items }))).toEqual(all(40, 'sent'));
			expectEachOnce(items);
			restart();
			expect(came(await inStopMode({ items }))).toEqual(all(40, 'skipped'));
		});
	});

	describe('a process that dies', () => {
		/** Dies when the service receives the given request. */
		const dieAtRequest = (service: OnceScene['service'], nth: number) => (first: MemoryDeduplicator) => {
			const dieThere = (request: { id: number }) => {
				if (request.id === nth) first.die();
				return false;
			};
			service.faults.add({ kind: 'delay', ms: 0, match: { where: dieThere } });
		};

		test.each<[string, { count: number; requestsPerSecond: number; calls: number; delayMs?: number }]>([
			['30 messages without a pace', { count: 30, requestsPerSecond: 0, calls: 5 }],
			['100 messages, and a slow store', { count: 100, requestsPerSecond: 0, calls: 10, delayMs: 5 }],
			['14 messages at a pace', { count: 14, requestsPerSecond: 5, calls: 9 }],
		])(
			'nobody gets a message twice when a process dies at any call to the store (%s)',
			async (scene, _name, { count, requestsPerSecond, calls, delayMs }) => {
				const { service, credential, letters } = scene;
				service.faults.add({ kind: 'delay', ms: [0, 20] });
				let died = 0;
				const die = async (moment: DeduplicationMoment) => {
					const items = letters(count);
					const options = { items, credential: credential({ requestsPerSecond }) };
					const twice = await runTwice(scene, options, (first) => first.dieAt(moment), { delayMs });
					if (twice.hasDied) died++;
					return { moment, items, twice };
				};
				const ends = await Promise.all(momentsOf(calls).map(spread(die)));
				for (const { moment, items, twice } of ends) expectNobodyTwice(nameOf(moment), scene, items, twice);
				// Otherwise the moments above do not match the calls that are made.
				expect(died).toBeGreaterThanOrEqual(7);
			},
		);

		test.each([1, 4, 11, 25, 60, 110])(
			'nobody gets a message twice when a process dies between the calls, when the service receives request %d',
			async (scene, nth) => {
				const { service, letters } = scene;
				service.faults.add({ kind: 'delay', ms: [0, 20] });
				const items = letters(120);
				const twice = await runTwice(scene, { items }, dieAtRequest(service, nth));
				expect(twice.hasDied).toBe(true);
				expectNobodyTwice(`request ${nth}`, scene, items, twice);
			},
		);

		test('a process that dies before the first claim leaves nobody in doubt', async (scene) => {
			const items = scene.letters(10);
			const twice = await runTwice(scene, { items }, (first) => first.dieAt({ call: 2, when: 'before' }));
			expect(twice.came).toEqual(all(10, 'sent'));
		});

		test('a process that dies in a run with a rate limit leaves only two seconds of messages in doubt', async (scene) => {
			const { service, credential, letters } = scene;
			const items = letters(100);
			const paced = { items, credential: credential({ requestsPerSecond: 4 }) };
			// The second run has no rate limit.
			const changes = { credential: credential() };
			const twice = await runTwice(scene, paced, dieAtRequest(service, 6), { changes });
			expectNobodyTwice('at a pace', scene, items, twice);
			expect(countOf(twice.came, 'in doubt')).toBeGreaterThan(0);
			// Calls can be slow on a busy machine. Claiming takes at least five times the longest call, which can exceed two seconds.
			const aheadMs = Math.max(2000, 4 * (Math.max(250, 3 * twice.longestMs) + 2 * twice.longestMs));
			// Eight are sent within two seconds, and four are in progress within one.
			expect(countOf(twice.came, 'in doubt')).toBeLessThanOrEqual(Math.ceil((8 * aheadMs) / 2000) + 4);
		});

		test('after a process has died, a run in stop mode sends to the others and names one recipient in doubt', async (scene) => {
			const { service, letters, howOften } = scene;
			const items = letters(120);
			const { left, result } = await runTwice(scene, { items, node: {} }, dieAtRequest(service, 30));
			expect(left.inDoubt).toBeGreaterThan(0);
			expect(result.error?.message).toMatch(
				/^This message may have been sent already, so it was not sent again \[Item \d+\]$/,
			);
			const done = 120 - left.inDoubt;
			expect(result.error?.description).toContain(
				`Of 120 items, ${done} ${done === 1 ? 'was' : 'were'} done, ${left.inDoubt} failed and 0 were not sent`,
			);
			const counts = howOften(items);
			expect(Math.max(...counts)).toBe(1);
			expect(countOf(counts, 1)).toBeGreaterThanOrEqual(done);
		});

		test('nobody gets a message twice when three processes die one after the other', async (scene) => {
			const { service, letters, inNewProcess } = scene;
			const items = letters(120);
			service.faults.add({ kind: 'delay', ms: [0, 20] });
			let stored: ProcessedData = new Map();
			for (const call of [5, 6, 4]) {
				const store = new MemoryDeduplicator({ stored });
				store.dieAt({ call, when: 'after' });
				const dying = inNewProcess({ items, deduplication: store });
				await death(store, dying);
				stored = store.snapshot();
			}
			const last = inNewProcess({ items, deduplication: new MemoryDeduplicator({ stored }) });
			expectReachedOrNamed('the last run', scene, items, [came(await last.ended)]);
			expect(countOf(came(await last.ended), 'in doubt')).toBeLessThanOrEqual(3 * mostInDoubt);
		});

		test('nobody gets a message twice when a process dies at any call to the store while another sends to the same recipients', async (scene) => {
			const { service, letters, inNewProcess } = scene;
			service.faults.add({ kind: 'delay', ms: [0, 20] });
			let died = 0;
			const die = async (moment: DeduplicationMoment) => {
				const items = letters(20);
				const random = seededRandom(seed + moment.call);
				const delayMs = () => 5 + 30 * random();
				const rows = new Map<string, string>();
				const store = new MemoryDeduplicator({ rows, delayMs });
				store.dieAt(moment);
				const dying = inNewProcess({ items, deduplication: store });
				const living = inNewProcess({ items, deduplication: new MemoryDeduplicator({ rows, delayMs }) });
				if (await death(store, dying)) died++;
				const second = came(await living.ended);
				const third = inNewProcess({ items, deduplication: new MemoryDeduplicator({ rows }) });
				return { moment, items, cames: [second, came(await third.ended)] };
			};
			const ends = await Promise.all(momentsOf(7).map(spread(die)));
			for (const { moment, items, cames } of ends) {
				expectReachedOrNamed(nameOf(moment), scene, items, cames);
				// Recipients that the other process left in doubt are not sent to again.
				expect([nameOf(moment), countOf(cames[1]!, 'sent')]).toEqual([nameOf(moment), 0]);
			}
			expect(died).toBeGreaterThanOrEqual(7);
		});
	});

	describe('a store that fails', () => {
		const failFrom = (
			{ deduplication }: OnceScene,
			first: number,
			method?: DeduplicationMoment['method'],
			times = 100,
		) => {
			for (let call = first; call < first + times; call++)
				deduplication.failAt({ call, ...(method && { method }), when: 'before' });
		};

		const notNoted = {
			error: 'n8n could not record this message before sending, so nothing was sent [Item 0]',
			message: expect.stringContaining('database is locked') as string,
		};

		test.each([1, 2, 3, 4, 5, 6, 7, 8])(
			'a store call that fails once, call %d, is repeated, and nothing is lost',
			async (scene, call) => {
				const { run, letters, standing } = scene;
				const items = letters(80);
				scene.deduplication.failAt({ call, when: 'before' });
				expect(came(await run({ items }))).toEqual(all(80, 'sent'));
				expect(standing()).toEqual({ sent: 80, inDoubt: 0 });
				expect(came(await run({ items }))).toEqual(all(80, 'skipped'));
			},
		);

		test.each([1, 2, 3, 4, 5, 6, 7, 8])(
			'nobody gets a message twice when the store fails once after writing, at call %d',
			async (scene, call) => {
				const { run, letters, howOften } = scene;
				const items = letters(80);
				scene.deduplication.failAt({ call, when: 'after' });
				const first = came(await run({ items }));
				expect(countOf(first, 'sent') + countOf(first, 'in doubt')).toBe(80);
				expect(howOften(items)).toEqual(first.map((each) => (each === 'sent' ? 1 : 0)));
				expect(came(await run({ items }))).toEqual(
					first.map((each) => (each === 'sent' ? 'skipped' : 'in doubt')),
				);
				expect(Math.max(...howOften(items))).toBe(1);
			},
		);

		test('when the store fails at every claim, nothing is sent, every item reports it, and nobody is claimed', async (scene) => {
			const { service, run, letters, restart } = scene;
			const items = letters(12);
			failFrom(scene, 2, 'checkProcessedAndRecord');
			const result = await run({ items });
			expect(came(result)).toEqual(all(12, 'failed'));
			expect(result.json[0]).toMatchObject(notNoted);
			expect(service.requests).toEqual([]);
			restart();
			expect(came(await run({ items }))).toEqual(all(12, 'sent'));
		});

		test.each([3, 6])(
			'when the store fails %d times between claim and confirmation, nothing is sent, every item reports it, and the claim is released',
			async (scene, times) => {
				const { service, run, letters, standing, expectEachOnce } = scene;
				const items = letters(12);
				failFrom(scene, 3, 'checkProcessedAndRecord', times);
				const result = await run({ items });
				expect(came(result)).toEqual(all(12, 'failed'));
				expect(result.json[0]).toMatchObject(notNoted);
				expect(service.requests).toEqual([]);
				await patiently(() => standing().inDoubt === 0);
				expect(standing()).toEqual({ sent: 0, inDoubt: 0 });
				expect(came(await run({ items }))).toEqual(all(12, 'sent'));
				expectEachOnce(items);
			},
		);

		test('when the store fails permanently between claim and confirmation, nothing is sent, and the recipients are in doubt', async (scene) => {
			const { service, run, letters, restart } = scene;
			const items = letters(12);
			failFrom(scene, 3, 'checkProcessedAndRecord');
			const result = await run({ items });
			expect(came(result)).toEqual(all(12, 'failed'));
			expect(result.json[0]).toMatchObject(notNoted);
			restart();
			expect(came(await run({ items }))).toEqual(all(12, 'in doubt'));
			expect(service.requests).toEqual([]);
			const anew = { ...send, ...withOnce('осень 2') };
			expect(came(await run({ items, parameters: anew }))).toEqual(all(12, 'sent'));
		});

		test('a store failure during a run in stop mode ends the run, and the next run continues', async (scene) => {
			const { run, inStopMode, letters, restart, howOften, expectEachOnce } = scene;
			const items = letters(120);
			failFrom(scene, 4, 'checkProcessedAndRecord');
			const { error } = await inStopMode({ items });
			expect(error?.message).toContain('n8n could not record this message before sending');
			const delivered = howOften(items);
			expect(countOf(delivered, 1)).toBeGreaterThan(0);
			expect(countOf(delivered, 0)).toBeGreaterThan(0);
			restart();
			expect((await run({ items })).error).toBeUndefined();
			expectEachOnce(items);
		});

		test.each<[DeduplicationMoment['method'] & string, number]>([
			['checkProcessedAndRecord', 2],
			['checkProcessedAndRecord', 3],
			['removeProcessed', 1],
			['removeProcessed', 2],
		])(
			'a temporary failure of the store sends no message again to earlier recipients (%s, from call %d on)',
			async (scene, method, from) => {
				const { service, run, letters, restart, expectEachOnce } = scene;
				const [sent, doubted, ...others] = letters(6);
				service.faults.add({ kind: 'reset', when: 'after', match: { recipient: doubted!.id, times: 1 } });
				await run({ items: [sent!, doubted!] });
				restart();
				failFrom(scene, from, method, 3);
				const items = [sent!, doubted!, ...others];
				await run({ items });
				restart();
				expect(came(await run({ items })).slice(0, 2)).toEqual(['skipped', 'in doubt']);
				expectEachOnce(items);
			},
		);

		test('when the store fails at every removal, all recipients are left in doubt, and nobody gets a message twice', async (scene) => {
			const { run, letters, restart, expectEachOnce } = scene;
			const items = letters(30);
			failFrom(scene, 1, 'removeProcessed');
			expect(came(await run({ items }))).toEqual(all(30, 'sent'));
			restart();
			expect(came(await run({ items }))).toEqual(all(30, 'in doubt'));
			expectEachOnce(items);
		});
	});
});
