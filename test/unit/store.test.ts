import fc from 'fast-check';

import type { End, Standing } from '../../nodes/ChatbotService/run/ledger/entries';
import { mostRemembered } from '../../nodes/ChatbotService/run/ledger/entries';
import { Store, storeOf } from '../../nodes/ChatbotService/run/ledger/store';
import { VirtualClock } from '../../bench/simulation/clock';
import { seededRandom } from '../../sandbox/emulator/random';
import { FakeEntries, isTicket, type Call, type Row } from './fakeEntries';

/* Who has got a message, by entries of which n8n loses some whenever the calls of two processes overlap, in virtual time. */

const leastWaitMs = 250;
const callMs = 5;

const always = () => true;

/** A process whose calls take some time between their reading and their writing. */
class Process {
	readonly entries: FakeEntries;

	readonly store: Store;

	constructor(
		readonly clock = new VirtualClock(),
		row: Row = { stored: [] },
		gapMs: () => number = () => callMs,
	) {
		this.entries = new FakeEntries([], undefined, async () => await clock.sleep(gapMs()), row);
		this.store = new Store(this.entries, clock);
	}

	/** What a promise comes to when all time has passed. */
	async inTime<T>(promise: Promise<T>): Promise<T> {
		promise.catch(() => {});
		await this.clock.run();
		return await promise;
	}

	/** Looks for recipients at once. */
	async look(...keys: string[]): Promise<Record<string, Standing>> {
		const looks = keys.map(async (key) => [key, await this.store.look(key, always)] as const);
		return Object.fromEntries(await this.inTime(Promise.all(looks)));
	}

	async note(key: string, end: End) {
		return await this.inTime(this.store.record(key, end));
	}
}

/** A process in which a run has begun. */
async function opened(stored: string[] = [], gapMs?: () => number) {
	const process = new Process(undefined, { stored }, gapMs);
	await process.inTime(process.store.open());
	return process;
}

/** How a recipient stands for a process that begins when all others have died. */
const standingAfter = async (stored: string[], key: string): Promise<Standing> =>
	(await new Process(undefined, { stored: [...stored] }).look(key))[key]!;

/** What a promise has come to by now; undefined where it has not ended. */
async function byNow<T>(promise: Promise<T>): Promise<T | undefined> {
	let result: T | undefined;
	void promise.then((value) => (result = value));
	for (let round = 0; round < 10; round++) await new Promise((resolve) => setImmediate(resolve));
	return result;
}

describe('a recipient', () => {
	test.each<[string, Standing, string[]]>([
		['of whom nothing is known is claimed', 'claimed', []],
		['who was sent to is known as such', 'sent', ['sent анна']],
		['whose message got no answer is in doubt', 'inDoubt', ['doubt анна']],
		['whom another process has claimed may be sent to right now', 'underWay', ['sent анна', 'doubt анна']],
	])('%s, and keeps its entries', async (_, standing, stored) => {
		const { store, entries, clock, look } = bound(await opened(stored));
		expect(await look('анна')).toEqual({ анна: standing });
		void store.close();
		await clock.run();
		expect(entries.recipients).toEqual(
			standing === 'claimed' ? ['doubt анна', 'sent анна'] : [...stored].sort(),
		);
	});

	test.each<[End, Standing, string[]]>([
		['sent', 'sent', ['sent анна', 'sent аня']],
		['notSent', 'claimed', []],
		['unknown', 'inDoubt', ['doubt анна', 'doubt аня']],
	])(
		'whose message ended as %s is %s for all processes, under each of several names',
		async (end, standing, stored) => {
			const { entries, look, note } = bound(await opened());
			expect(await look('анна+аня')).toEqual({ 'анна+аня': 'claimed' });
			expect(await note('анна+аня', end)).toBe(true);
			expect(entries.recipients).toEqual(stored);
			for (const key of ['анна', 'аня', 'иван+анна', 'аня+иван'])
				expect([key, await standingAfter(entries.stored, key)]).toEqual([key, standing]);
			expect(await standingAfter(entries.stored, 'иван')).toBe('claimed');
		},
	);

	test('whose process died is never free, nor taken for sent to', async () => {
		const { entries, look } = bound(await opened());
		await look('анна+аня');
		for (const key of ['анна', 'аня', 'иван+анна'])
			expect(await standingAfter(entries.stored, key)).toBe('underWay');
	});
});

/** The methods of a process, to be called by themselves. */
function bound(process: Process) {
	const { store, entries, clock } = process;
	return {
		process,
		store,
		entries,
		clock,
		look: process.look.bind(process),
		note: process.note.bind(process),
	};
}

describe('a claim', () => {
	test('is confirmed before the run is told of it, by a call a quarter of a second later', async () => {
		const { store, entries, clock } = bound(await opened());
		const calls = entries.calls.length;
		const from = clock.now();
		const look = store.look('анна', always);
		await clock.run(from + callMs + leastWaitMs - 1);
		expect(await byNow(look)).toBeUndefined();
		expect(entries.calls).toHaveLength(calls + 1);
		await clock.run(from + 2 * callMs + leastWaitMs + 1);
		expect(await byNow(look)).toBe('claimed');
		expect(entries.calls).toHaveLength(calls + 2);
	});

	test('waits three times as long as the longest call has taken, which is forgotten after two minutes or twice that', async () => {
		let gapMs = 200;
		const { store, clock, look } = bound(await opened([], () => gapMs));
		gapMs = 5;
		const msFor = async (key: string) => {
			const from = clock.now();
			let at = 0;
			void store.look(key, always).then(() => (at = clock.now()));
			await clock.run();
			return at - from;
		};
		expect(store.claimMs).toBe(3 * 200 + 2 * 200);
		expect(await msFor('анна')).toBeGreaterThanOrEqual(600);
		for (let minute = 0; minute < 5; minute++) {
			await clock.run(clock.now() + 60_000);
			await look(`ключ ${minute}`);
		}
		expect(store.claimMs).toBe(leastWaitMs + 2 * 5);
		expect(await msFor('иван')).toBeLessThan(300);
	});

	test('is followed by no other call of this process until it is confirmed, whatever its runs want', async () => {
		const { store, entries, clock, look } = bound(await opened());
		await look('ольга');
		const calls = entries.calls.length;
		void store.look('анна', always);
		await clock.run(clock.now() + 2 * callMs);
		expect(entries.calls).toHaveLength(calls + 1);
		void store.look('иван', always);
		void store.open();
		void store.record('ольга', 'sent');
		void store.whenFree('ольга');
		await clock.run(clock.now() + leastWaitMs - 4 * callMs);
		expect(entries.calls).toHaveLength(calls + 1);
		await clock.run(clock.now() + 100);
		expect(entries.entriesOf('add').at(-1)).toEqual([
			'open',
			'sent ольга',
			...['анна', 'иван'].flatMap((key) => [`sent ${key}`, `doubt ${key}`]),
		]);
		expect(entries.entriesOf('remove').at(-1)).toEqual(['doubt ольга']);
	});

	test('that nobody wants any more when it is confirmed is released, and the run is not told', async () => {
		const { store, entries, clock } = bound(await opened());
		let isWanted = true;
		const look = store.look('анна', () => isWanted);
		await clock.run(clock.now() + 2 * callMs);
		expect(entries.recipients).toEqual(['doubt анна', 'sent анна']);
		isWanted = false;
		await clock.run();
		expect(await byNow(look)).toBeUndefined();
		expect(entries.recipients).toEqual([]);
		expect(store.whenFree('анна')).toBeUndefined();
	});

	test('that nobody wants any more before it is made is not made', async () => {
		const { store, entries, clock } = bound(await opened());
		const calls = entries.calls.length;
		void store.look('анна', () => false);
		await clock.run();
		expect(entries.calls.slice(calls).flatMap((call) => call.entries)).not.toContain('sent анна');
		expect(store.whenFree('анна')).toBeUndefined();
	});
});

describe('the store', () => {
	test('is the same one for all runs of a node, and another one for another node', () => {
		const entries = new FakeEntries();
		const again = new FakeEntries([], entries.owner);
		expect(storeOf(again)).toBe(storeOf(entries));
		expect(storeOf(new FakeEntries())).not.toBe(storeOf(entries));
	});

	test('is forgotten when nothing is left to be done, with all that n8n holds of the last run, but for how long its calls take', async () => {
		const entries = new FakeEntries();
		const store = storeOf(entries);
		await store.open();
		expect(await store.look('анна', always)).toBe('claimed');
		const noted = store.record('анна', 'sent');
		await store.close();
		expect(await noted).toBe(true);
		expect(storeOf(entries)).toBe(store);
		await new Promise((resolve) => setTimeout(resolve, 600));
		expect(entries.stored).toEqual(['open', 'sent анна']);
		const another = storeOf(entries);
		expect(another).not.toBe(store);
		expect(another.claimMs).toBe(store.claimMs);
	});

	test('is called with the entries of the run that has begun last', async () => {
		const first = new FakeEntries();
		const last = new FakeEntries([], first.owner);
		storeOf(first);
		await storeOf(last).open();
		expect([first.calls.length, last.calls.length]).toEqual([0, 1]);
	});

	test('does for many runs in one call what it does for one', async () => {
		const { store, entries, clock } = bound(new Process());
		const keys = Array.from({ length: 30 }, (_, index) => `ключ ${index}`);
		const runs = keys.map(async (key) => {
			await store.open();
			expect(await store.look(key, always)).toBe('claimed');
			expect(await store.record(key, 'sent')).toBe(true);
			await store.close();
		});
		await clock.run();
		await Promise.all(runs);
		expect(entries.calls.length).toBeLessThanOrEqual(8);
		expect(entries.peak).toBe(1);
		expect(entries.recipients).toEqual(keys.map((key) => `sent ${key}`).sort());
	});

	test('holds nothing but recipients when the last run has ended', async () => {
		const { store, entries, clock, look } = bound(await opened());
		await look('анна', 'иван', 'ольга');
		const notes = [store.record('анна', 'sent'), store.record('иван', 'notSent'), store.record('ольга', 'unknown')];
		const closed = store.close();
		await clock.run(clock.now() + 50);
		expect(await byNow(closed.then(() => 'closed'))).toBe('closed');
		const expected = ['open', 'sent анна', 'doubt ольга'];
		expect([...entries.stored].sort()).toEqual([...expected].sort());
		await clock.run();
		expect(await Promise.all(notes)).toEqual([true, true, true]);
		expect([...entries.stored].sort()).toEqual([...expected].sort());
	});

	test('makes no call while nothing is to be done', async () => {
		const { entries, clock, look } = bound(await opened());
		await look('анна');
		const calls = entries.calls.length;
		await clock.run(clock.now() + 600_000);
		expect(entries.calls).toHaveLength(calls);
	});

	test('has the newest 100,000 entries kept', async () => {
		expect(mostRemembered).toBe(100_000);
		const { entries, look, note } = bound(await opened());
		await look('анна');
		await note('анна', 'sent');
		const added = entries.calls.filter(({ name }) => name === 'add');
		expect(new Set(added.map(({ most }) => most))).toEqual(new Set([100_000]));
	});

	test('gets nothing but the keys it was given, and tickets', async () => {
		const { entries, look, note } = bound(await opened());
		await look('анна', 'иван');
		await note('анна', 'sent');
		await note('иван', 'notSent');
		const written = new Set(
			entries.calls.flatMap((call) => call.entries).filter((entry) => !isTicket(entry)),
		);
		expect([...written].sort()).toEqual(['doubt анна', 'doubt иван', 'open', 'sent анна', 'sent иван']);
		for (const entry of entries.calls.flatMap((call) => call.entries).filter(isTicket))
			expect(entry).toMatch(/^ticket [\da-f-]{36}$/);
	});
});

describe('how a message ended', () => {
	test('is noted two seconds later where nothing else is to be done, and at once where somebody waits for it', async () => {
		const { store, entries, clock, look } = bound(await opened());
		await look('анна', 'иван');
		const from = clock.now();
		void store.record('анна', 'sent');
		await clock.run(from + 1900);
		expect(entries.recipients).toContain('doubt анна');
		await clock.run(from + 2100);
		expect(entries.recipients).not.toContain('doubt анна');
		await clock.run();
		void store.record('иван', 'sent');
		await clock.run(clock.now() + 50);
		expect(entries.recipients).toContain('doubt иван');
		void store.whenFree('иван');
		await clock.run(clock.now() + leastWaitMs + 50);
		expect(entries.recipients).toEqual(['sent анна', 'sent иван']);
	});

	test('is noted with the next claims', async () => {
		const { store, entries, clock, look } = bound(await opened());
		await look('анна');
		void store.record('анна', 'sent');
		void store.look('иван', always);
		await clock.run(clock.now() + 50);
		expect(entries.recipients).toEqual(['doubt иван', 'sent анна', 'sent иван']);
	});
});

describe('a recipient whom a run looks for or has claimed', () => {
	test('is not free for the runs of this process, from then on', async () => {
		const { store } = bound(await opened());
		expect(store.whenFree('анна')).toBeUndefined();
		void store.look('анна+аня', always);
		for (const key of ['анна', 'аня', 'аня+иван']) expect(store.whenFree(key)).toBeInstanceOf(Promise);
		expect(store.whenFree('иван')).toBeUndefined();
	});

	test.each<End>(['sent', 'notSent', 'unknown'])(
		'is free when it has been noted that its message ended as %s',
		async (end) => {
			const { store, clock, look } = bound(await opened());
			await look('анна', 'иван');
			const free = store.whenFree('анна')!;
			await clock.run(clock.now() + 10_000);
			expect(await byNow(free.then(() => 'free'))).toBeUndefined();
			void store.record('анна', end);
			await clock.run();
			expect(await byNow(free.then(() => 'free'))).toBe('free');
			expect(store.whenFree('анна')).toBeUndefined();
			expect(store.whenFree('иван')).toBeInstanceOf(Promise);
		},
	);

	test.each(['sent', 'doubt'])('is free when it was not claimed, as it is %s already', async (name) => {
		const { store, look } = bound(await opened([`${name} анна`]));
		await look('анна');
		expect(store.whenFree('анна')).toBeUndefined();
	});
});

describe('where another process writes over the entries', () => {
	/** Lets another process write what it has read before a call, after so many calls of a kind have written. */
	function writeOver({ entries }: Process, name: Call['name'], times: number) {
		let left = times;
		let before: string[] = [];
		entries.before = () => void (before = entries.stored);
		entries.after = (call) => {
			if (call.name === name && left-- > 0) entries.stored = before;
		};
	}

	test.each([1, 2, 3, 10])(
		'%i times, claims are made again, and the run is told when they stay',
		async (times) => {
			const { process, store, entries, clock } = bound(await opened());
			writeOver(process, 'add', times);
			const looks = Promise.all(['анна', 'иван'].map(async (key) => await store.look(key, always)));
			for (let made = 0; made < times; made++) {
				await clock.run(clock.now() + leastWaitMs);
				expect(await byNow(looks)).toBeUndefined();
			}
			await clock.run();
			expect(await byNow(looks)).toEqual(['claimed', 'claimed']);
			expect(entries.recipients).toEqual(['doubt анна', 'doubt иван', 'sent анна', 'sent иван']);
		},
	);

	test('with a claim of the same recipient, that one holds', async () => {
		const { store, entries, clock } = bound(await opened());
		let isFirst = true;
		entries.after = () => {
			if (isFirst) entries.stored = ['sent анна', 'doubt анна'];
			isFirst = false;
		};
		const look = store.look('анна', always);
		await clock.run();
		expect(await byNow(look)).toBe('underWay');
		expect(entries.recipients).toEqual(['doubt анна', 'sent анна']);
		expect(store.whenFree('анна')).toBeUndefined();
	});

	test.each<[End, string[]]>([
		['sent', ['sent анна']],
		['notSent', []],
		['unknown', ['doubt анна']],
	])(
		'what was removed of a message that ended as %s is removed again, until it stays away',
		async (end, stored) => {
			for (const times of [1, 2, 5]) {
				const { process, store, entries, clock, look, note } = bound(await opened());
				await look('анна');
				writeOver(process, 'remove', times);
				await note('анна', end);
				void store.close();
				await clock.run();
				expect([times, entries.recipients]).toEqual([times, stored]);
			}
		},
	);
});

describe('several processes at once (generated)', () => {
	/** Sends to all recipients, as a run does. */
	async function run(
		{ store, clock }: Process,
		keys: string[],
		given: { ahead: number; paceMs: number; sent: (key: string) => void; isAlive: () => boolean },
	) {
		const ends = new Map<string, Standing>();
		const sends: Array<Promise<unknown>> = [];
		await store.open();
		let waiting = keys.map((key) => ({ key, looks: 0, at: 0 }));
		while (waiting.length) {
			const next = waiting.filter(({ at }) => at <= clock.now()).slice(0, given.ahead);
			await clock.sleep(next.length ? 0 : 50);
			const looks = next.map(async (each) => ({ each, standing: await store.look(each.key, always) }));
			for (const { each, standing } of await Promise.all(looks)) {
				if (standing === 'underWay' && each.looks++ < 4) {
					each.at = clock.now() + 3000;
					continue;
				}
				waiting = waiting.filter((other) => other !== each);
				ends.set(each.key, standing);
				if (standing !== 'claimed') continue;
				await clock.sleep(given.paceMs);
				if (!given.isAlive()) return await new Promise<never>(() => {});
				given.sent(each.key);
				sends.push(clock.sleep(40).then(() => void store.record(each.key, 'sent')));
			}
		}
		await Promise.all(sends);
		await store.close();
		return ends;
	}

	const broadcast = fc.record({
		processes: fc.integer({ min: 2, max: 3 }),
		keys: fc.integer({ min: 1, max: 40 }),
		areSame: fc.boolean(),
		ahead: fc.constantFrom(1, 4, 20, 50),
		paceMs: fc.constantFrom(0, 50),
		gapMs: fc.constantFrom([5, 20], [5, 120], [60, 120], [100, 103]),
		startsMs: fc.constantFrom(0, 30, 400),
		diesMs: fc.option(fc.integer({ min: 100, max: 3000 }), { nil: undefined }),
		/** Without a seed, all processes are in step. */
		seed: fc.option(fc.integer({ min: 1 }), { freq: 9, nil: undefined }),
	});

	test('nobody is sent to twice, everybody is reached or in doubt, and nothing else stays behind', async () => {
		await fc.assert(
			fc.asyncProperty(broadcast, async (given) => {
				const random = given.seed === undefined ? () => 0 : seededRandom(given.seed);
				const [least, most] = given.gapMs as [number, number];
				const clock = new VirtualClock();
				const row: Row = { stored: [] };
				const newProcess = () => new Process(clock, row, () => least + random() * (most - least));
				const times = new Map<string, number>();
				const sent = (key: string) => void times.set(key, (times.get(key) ?? 0) + 1);
				const keysOf = (process: number) =>
					Array.from({ length: given.keys }, (_, index) => `${given.areSame ? '' : process}/${index}`);
				const ends: Array<Map<string, Standing>> = [];
				for (let index = 0; index < given.processes; index++) {
					const process = newProcess();
					const startsAt = random() * given.startsMs;
					const diesAt = index === 0 ? (given.diesMs ?? Infinity) : Infinity;
					const isAlive = () => clock.now() < diesAt;
					if (diesAt < Infinity) void clock.sleep(diesAt).then(() => process.entries.die());
					void clock
						.sleep(startsAt)
						.then(async () => await run(process, keysOf(index), { ...given, sent, isAlive }))
						.then((end) => ends.push(end));
				}
				await clock.run();
				const hasDied = given.diesMs !== undefined;
				expect(ends.length).toBeGreaterThanOrEqual(given.processes - (hasDied ? 1 : 0));
				expect([...times].filter(([, count]) => count > 1)).toEqual([]);
				const inDoubt = ends.flatMap((end) => [...end].filter(([, standing]) => standing === 'underWay'));
				if (!hasDied) expect(inDoubt).toEqual([]);

				const last = newProcess();
				const all = [...new Set(Array.from({ length: given.processes }, (_, index) => keysOf(index)).flat())];
				const before = new Map(times);
				const ending = run(last, all, { ...given, sent, isAlive: always });
				await clock.run();
				const end = await ending;
				for (const [key, standing] of end) {
					const expected = before.has(key) ? ['sent', 'underWay'] : ['claimed', 'underWay'];
					expect([key, expected.includes(standing)]).toEqual([key, true]);
					if (!hasDied && standing === 'underWay') throw new Error(`${key} is in doubt`);
				}
				expect([...times].filter(([, count]) => count > 1)).toEqual([]);
				// A few of the last ones, which another process has brought back, or whose process has died.
				expect(row.stored.filter(isTicket).length).toBeLessThanOrEqual(8 * (given.processes + 1));
			}),
			{ numRuns: 150 },
		);
	});
});

describe('where calls fail', () => {
	/** Lets the next calls of a kind fail, so many of them, before or after they have written. */
	function letFail(
		{ entries }: Process,
		name: Call['name'],
		times: number,
		when: 'before' | 'after' = 'before',
	) {
		let left = times;
		entries[when] = (call) => {
			if (call.name === name && left-- > 0) throw new Error('Занято');
		};
	}

	test.each([1, 2])('%i times, recipients are looked for all the same', async (times) => {
		const { process, look } = bound(await opened(['sent анна']));
		letFail(process, 'add', times);
		expect(await look('анна', 'иван')).toEqual({ анна: 'sent', иван: 'claimed' });
	});

	test('a failed call is not made again at once, so that a busy database gets on', async () => {
		const { process, store, entries, clock } = bound(await opened());
		letFail(process, 'add', 1);
		const calls = entries.calls.length;
		void store.look('анна', always);
		await clock.run(clock.now() + 150);
		expect(entries.calls).toHaveLength(calls + 1);
		await clock.run(clock.now() + 100);
		expect(entries.calls).toHaveLength(calls + 2);
	});

	test('three times, looking is given up with the words of the last, and the recipient is free and as before', async () => {
		const { process, store, entries, clock } = bound(await opened(['sent анна']));
		letFail(process, 'add', 3);
		await expect(process.inTime(store.look('анна', always))).rejects.toThrow('Занято');
		expect(store.whenFree('анна')).toBeUndefined();
		expect(entries.recipients).toEqual(['sent анна']);
		void store.close();
		await clock.run();
		expect(entries.recipients).toEqual(['sent анна']);
	});

	test('three times, opening the store throws what n8n says, and it can be opened when it works again', async () => {
		const process = new Process();
		letFail(process, 'add', 3);
		await expect(process.inTime(process.store.open())).rejects.toThrow('Занято');
		await process.inTime(process.store.open());
	});

	test.each([3, 6, 9])(
		'between a claim and its confirmation, %i times, the run is told, and the claim is released when n8n answers again',
		async (times) => {
			const { process, store, entries, clock } = bound(await opened());
			const look = store.look('анна', always);
			const failed = look.catch((error: Error) => error.message);
			await clock.run(clock.now() + 50);
			expect(entries.recipients).toEqual(['doubt анна', 'sent анна']);
			letFail(process, 'add', times);
			await clock.run(clock.now() + 2000);
			expect(await byNow(failed)).toBe('Занято');
			await clock.run();
			expect(entries.recipients).toEqual([]);
			expect(store.whenFree('анна')).toBeUndefined();
		},
	);

	test('between a claim and its confirmation, for good, the claim stays in doubt and holds nobody up', async () => {
		const { process, store, entries, clock } = bound(await opened());
		const failed = store.look('анна', always).catch((error: Error) => error.message);
		await clock.run(clock.now() + 50);
		letFail(process, 'add', Infinity);
		await clock.run();
		expect(await failed).toBe('Занято');
		expect(store.whenFree('анна')).toBeUndefined();
		expect(await standingAfter(entries.stored, 'анна')).toBe('underWay');
	});

	test.each([1, 2])(
		'a claim that failed after it was written, %i times, is not taken for a confirmed one',
		async (times) => {
			const { process, store, entries, clock } = bound(await opened());
			letFail(process, 'add', times, 'after');
			const look = store.look('анна', always);
			await clock.run();
			expect(await byNow(look)).toBe('underWay');
			expect(entries.recipients).toEqual(['doubt анна', 'sent анна']);
		},
	);

	test.each([1, 2])(
		'a confirmation that failed after it was written, %i times, confirms nothing',
		async (times) => {
			const { process, store, entries, clock } = bound(await opened());
			const look = store.look('анна', always);
			await clock.run(clock.now() + 50);
			// Another process has claimed the same, and its entries are there when ours is looked for.
			entries.stored = ['sent анна', 'doubt анна'];
			letFail(process, 'add', times, 'after');
			await clock.run();
			expect(await byNow(look)).toBe('underWay');
		},
	);

	test.each([1, 2, 3])(
		'removing fails %i times: it is made again when it is certain that it was not made',
		async (times) => {
			for (const when of ['before', 'after'] as const) {
				const { process, entries, look } = bound(await opened());
				await look('анна', 'иван');
				letFail(process, 'remove', times, when);
				const notes = [process.store.record('анна', 'sent'), process.store.record('иван', 'notSent')];
				await process.clock.run();
				expect(await Promise.all(notes)).toEqual([true, true]);
				expect(entries.recipients).toEqual(['sent анна']);
			}
		},
	);

	test('removing fails for good: the run is told that it was not noted, the recipients are in doubt, and others get on', async () => {
		const { process, store, entries, clock, look } = bound(await opened());
		await look('анна', 'иван');
		letFail(process, 'remove', Infinity);
		const notes = [store.record('анна', 'sent'), store.record('иван', 'notSent')];
		const closed = store.close().then(() => 'closed');
		await clock.run();
		expect(await byNow(Promise.all(notes))).toEqual([false, false]);
		expect(await byNow(closed)).toBe('closed');
		for (const key of ['анна', 'иван']) expect(await standingAfter(entries.stored, key)).toBe('underWay');
		expect(store.whenFree('анна')).toBeUndefined();
	});
});
