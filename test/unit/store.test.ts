import { setImmediate } from 'node:timers/promises';

import fc from 'fast-check';

import type { End, Standing } from '../../nodes/ChatbotService/run/ledger/entries';
import { keptOf, obsoleteOf } from '../../nodes/ChatbotService/run/ledger/entries';
import { Held, Recipient, type State } from '../../nodes/ChatbotService/run/ledger/held';
import { Store, storeOf } from '../../nodes/ChatbotService/run/ledger/store';
import { VirtualClock } from '../../bench/simulation/clock';
import { seededRandom } from '../../sandbox/emulator/random';
import { FakeEntries, isTicket, type Call, type Row } from './fakeEntries';

/* The store in virtual time. n8n loses entries whenever the calls of two processes overlap. */

const leastWaitMs = 250;
const callMs = 5;

const always = () => true;

/** A process whose calls take some time between their reading and their writing. */
class Process {
	readonly entries: FakeEntries;

	readonly store: Store;

	/** When each call has begun. */
	readonly begun: number[] = [];

	constructor(
		readonly clock = new VirtualClock(),
		row: Row = { stored: [] },
		gapMs: () => number = () => callMs,
	) {
		const pause = async () => {
			this.begun.push(clock.now());
			await clock.sleep(gapMs());
		};
		this.entries = new FakeEntries([], undefined, pause, row);
		this.store = new Store(this.entries, clock);
	}

	/** Lets time pass; by default, until nothing is due any more. */
	pass = async (milliseconds = Infinity) => await this.clock.run(this.clock.now() + milliseconds);

	/** The value of a promise after all time has passed. */
	inTime = async <T>(promise: Promise<T>): Promise<T> => {
		promise.catch(() => {});
		await this.pass();
		return await promise;
	};

	/** Looks for recipients at once. */
	look = async (...keys: string[]): Promise<Record<string, Standing>> => {
		const looks = keys.map(async (key) => [key, await this.store.look(key, always)] as const);
		return Object.fromEntries(await this.inTime(Promise.all(looks)));
	};

	record = async (key: string, end: End) => await this.inTime(this.store.record(key, end));
}

/** A process with an open store. The record of calls is empty. */
async function opened(stored: string[] = [], gapMs?: () => number) {
	const process = new Process(undefined, { stored }, gapMs);
	await process.inTime(process.store.open());
	process.entries.calls.length = process.begun.length = 0;
	return process;
}

/** The state of a recipient for a process that starts after all others have died. */
const standingAfter = async (stored: string[], key: string): Promise<Standing> =>
	(await new Process(undefined, { stored: [...stored] }).look(key))[key]!;

/** The value of a promise, or 'pending'. */
const byNow = async <T>(promise: Promise<T>) => await Promise.race([promise, setImmediate('pending')]);

const pausesOf = (times: number[]) => times.slice(1).map((time, index) => time - times[index]!);

/** Makes another process overwrite the next calls of a kind with what it had read before them. */
function overwrite(entries: FakeEntries, name: Call['name'], times: number) {
	let left = times;
	let before: string[] = [];
	entries.before = () => void (before = entries.stored);
	entries.after = (call) => {
		if (call.name === name && left-- > 0) entries.stored = before;
	};
}

/** Makes removals take five seconds. */
function slowDownRemovals({ entries, clock }: Process) {
	entries.before = async ({ name }) => {
		if (name === 'remove') await clock.sleep(5000);
	};
}

describe('a recipient', () => {
	test.each<[string, Standing, string[]]>([
		['that the store does not know is claimed', 'claimed', []],
		['that was sent to is known as such', 'sent', ['sent анна']],
		['whose message got no answer is in doubt', 'inDoubt', ['doubt анна']],
		['that another process has claimed is under way', 'underWay', ['doubt анна', 'sent анна']],
	])('%s, and keeps its entries; it is free unless it is claimed', async (_, standing, stored) => {
		const { store, entries, pass, look } = await opened(stored);
		expect(await look('анна')).toEqual({ анна: standing });
		expect(store.whenFree('анна') !== undefined).toBe(standing === 'claimed');
		void store.close();
		await pass();
		expect(entries.recipients).toEqual(standing === 'claimed' ? ['doubt анна', 'sent анна'] : stored);
	});

	const both = ['doubt анна', 'doubt аня', 'sent анна', 'sent аня'];

	test.each<[string, End | undefined, Standing, string[]]>([
		['has been sent', 'sent', 'sent', ['sent анна', 'sent аня']],
		['has not been sent', 'notSent', 'claimed', []],
		['got no answer', 'unknown', 'inDoubt', ['doubt анна', 'doubt аня']],
		['was to be sent by a process that died', undefined, 'underWay', both],
	])('whose message %s has this state for all processes, by each name', async (_, end, standing, stored) => {
		const { entries, look, record } = await opened();
		expect(await look('анна+аня')).toEqual({ 'анна+аня': 'claimed' });
		if (end) expect(await record('анна+аня', end)).toBe(true);
		expect(entries.recipients).toEqual(stored);
		for (const key of ['анна', 'аня', 'иван+анна', 'аня+иван'])
			expect([key, await standingAfter(entries.stored, key)]).toEqual([key, standing]);
		expect(await standingAfter(entries.stored, 'иван')).toBe('claimed');
	});

	test('that a run looks for is not free, nor looked for a second time, under any of its names', async () => {
		const { store, inTime } = await opened();
		expect(store.whenFree('анна')).toBeUndefined();
		const look = store.look('анна+аня', always);
		for (const key of ['анна', 'аня', 'иван+аня']) {
			expect(store.whenFree(key)).toBeInstanceOf(Promise);
			await expect(store.look(key, always)).rejects.toThrow('"looking" cannot become "looking"');
		}
		expect(store.whenFree('иван')).toBeUndefined();
		expect(await inTime(look)).toBe('claimed');
	});

	test.each<End>(['sent', 'notSent', 'unknown'])(
		'that is claimed is free when it is recorded that its message ended as %s',
		async (end) => {
			const { store, pass, look } = await opened();
			await look('анна', 'иван');
			const free = store.whenFree('анна')!;
			await pass(10_000);
			void store.record('анна', end);
			expect(await byNow(free)).toBe('pending');
			await pass();
			expect(await byNow(free)).not.toBe('pending');
			expect(store.whenFree('анна')).toBeUndefined();
			expect(store.whenFree('иван')).toBeInstanceOf(Promise);
		},
	);
});

test.each<[End, string[], string[]]>([
	['sent', ['sent анна', 'sent аня'], ['doubt анна', 'doubt аня']],
	['unknown', ['doubt анна', 'doubt аня'], ['sent анна', 'sent аня']],
	['notSent', [], ['sent анна', 'sent аня', 'doubt анна', 'doubt аня']],
])('of a message that ended as %s, some entries stay and the others go', (end, kept, obsolete) => {
	expect(keptOf('анна+аня', end)).toEqual(kept);
	expect(obsoleteOf('анна+аня', end)).toEqual(obsolete);
});

describe('a claim', () => {
	test('is confirmed by a call a quarter of a second later, before the run learns of it', async () => {
		const { store, entries, pass } = await opened();
		const look = store.look('анна', always);
		await pass(callMs + leastWaitMs - 1);
		expect(await byNow(look)).toBe('pending');
		expect(entries.calls).toHaveLength(1);
		await pass(callMs + 2);
		expect(await byNow(look)).toBe('claimed');
		expect(entries.calls).toHaveLength(2);
	});

	test('waits three times as long as the longest call of the last two to four minutes', async () => {
		let gapMs = 200;
		const { store, clock, pass, look } = await opened([], () => gapMs);
		gapMs = 5;
		const msFor = async (key: string) => {
			const from = clock.now();
			let at = 0;
			void store.look(key, always).then(() => (at = clock.now()));
			await pass();
			return at - from;
		};
		expect(store.claimMs).toBe(3 * 200 + 2 * 200);
		for (const key of ['анна', 'ольга']) expect(await msFor(key)).toBeGreaterThanOrEqual(600);
		for (let minute = 0; minute < 5; minute++) {
			await pass(60_000);
			await look(`ключ ${minute}`);
		}
		expect(store.claimMs).toBe(leastWaitMs + 2 * 5);
		expect(await msFor('иван')).toBeLessThan(300);
	});

	test('is followed by no other call of this process until it is confirmed, whatever its runs ask for', async () => {
		const { store, entries, pass, look } = await opened();
		await look('ольга');
		entries.calls.length = 0;
		void store.look('анна', always);
		await pass(2 * callMs);
		void store.look('иван', always);
		void store.open();
		void store.record('ольга', 'sent');
		void store.whenFree('ольга');
		await pass(leastWaitMs - 4 * callMs);
		expect(entries.calls).toHaveLength(1);
		await pass(100);
		expect(entries.calls.map(({ name }) => name)).toEqual(['add', 'add', 'remove']);
		expect(entries.entriesOf('add').at(-1)).toEqual([
			...['open', 'sent ольга'],
			...['sent анна', 'doubt анна', 'sent иван', 'doubt иван'],
		]);
		expect(entries.entriesOf('remove')).toEqual([['doubt ольга']]);
	});

	test('is not made if it is no longer wanted', async () => {
		const { store, entries, pass } = await opened();
		void store.look('анна', () => false);
		await pass();
		expect(entries.calls).toEqual([]);
		expect(store.whenFree('анна')).toBeUndefined();
	});

	test.each<[string, (entries: FakeEntries) => unknown]>([
		['when it is confirmed', () => {}],
		['when another process has overwritten it', (entries) => (entries.stored = [])],
		['when it cannot be confirmed', (entries) => entries.fail(3, 'add')],
	])('that is no longer wanted %s is released, and the run does not learn of it', async (_, disturb) => {
		const { store, entries, pass } = await opened();
		let isWanted = true;
		const look = store.look('анна', () => isWanted);
		await pass(2 * callMs);
		expect(entries.recipients).toEqual(['doubt анна', 'sent анна']);
		disturb(entries);
		isWanted = false;
		await pass();
		expect(await byNow(look)).toBe('pending');
		expect(entries.recipients).toEqual([]);
		expect(entries.entriesOf('add').filter((added) => added.includes('doubt анна'))).toHaveLength(1);
		expect(store.whenFree('анна')).toBeUndefined();
	});

	test('that another process brings back after it has overwritten it is a claim of this process', async () => {
		const { store, entries, inTime } = await opened();
		let before = entries.stored;
		let first: string[] = [];
		entries.before = () => void (before = entries.stored);
		entries.after = (_, number) => {
			if (number === 1) first = entries.stored;
			if (number === 1) entries.stored = before;
			if (number === 2) entries.stored = first;
		};
		expect(await inTime(store.look('анна', always))).toBe('claimed');
	});
});

describe('the states of a recipient', () => {
	/** Each state may follow the one before it. */
	const next: Record<State, State[]> = {
		free: ['looking'],
		looking: ['claimed', 'removing', 'free'],
		claimed: ['claimed', 'confirmed', 'removing', 'free'],
		confirmed: ['recording'],
		recording: ['removing'],
		removing: ['free'],
	};
	const states = Object.keys(next) as State[];

	test.each(states)('that may follow %s, and no others', (from) => {
		for (const to of states) {
			const recipient = new Held().of('анна');
			for (const state of states.slice(1, states.indexOf(from) + 1)) recipient.become(state);
			const isAllowed = next[from].includes(to);
			if (isAllowed) recipient.become(to);
			else expect(() => recipient.become(to)).toThrow(`A claim that is "${from}" cannot become "${to}"`);
			expect(recipient.state).toBe(isAllowed ? to : from);
		}
	});

	test('are kept until the recipient is free again', () => {
		const held = new Held();
		const recipient = held.of('анна+аня');
		recipient.become('looking');
		for (const key of ['анна', 'аня+иван']) expect(held.of(key)).toBe(recipient);
		recipient.become('free');
		for (const key of ['анна', 'аня+иван']) expect(held.of(key)).not.toBe(recipient);
	});

	test('allow neither a record without a claim nor a second record', async () => {
		const { store, look, record } = await opened();
		await expect(store.record('анна', 'sent')).rejects.toThrow('"free" cannot become "recording"');
		await look('анна');
		void store.record('анна', 'sent');
		await expect(store.record('анна', 'sent')).rejects.toThrow('"recording" cannot become "recording"');
		await look('иван');
		expect(await record('иван', 'sent')).toBe(true);
	});

	/** Makes one transition of a recipient throw. */
	function breakAt(key: string, at: State) {
		const { become } = Recipient.prototype;
		const spy = jest.spyOn(Recipient.prototype, 'become').mockImplementation(function (this: Recipient, to) {
			if (this.key !== key || to !== at) return become.call(this, to);
			spy.mockRestore();
			throw new Error('Сломано');
		});
	}

	const broken = 'Error: Сломано';

	test.each<[State, string, string[], Standing[]]>([
		['claimed', 'анна', ['sent', broken, broken], ['sent', 'underWay', 'underWay']],
		['claimed', 'иван', ['sent', broken, broken], ['sent', 'underWay', 'underWay']],
		['removing', 'ольга', [broken, broken, broken], ['underWay', 'underWay', 'underWay']],
		['confirmed', 'анна', ['sent', broken, broken], ['sent', 'underWay', 'underWay']],
		['confirmed', 'иван', ['sent', 'claimed', broken], ['sent', 'claimed', 'underWay']],
	])(
		'that throw at %s for %s end the looks, and the recipients are free in this process',
		async (at, key, expected, after) => {
			const { store, inTime, look, record } = await opened(['sent ольга']);
			const keys = ['ольга', 'анна', 'иван'];
			breakAt(key, at);
			const looks = keys.map(async (each) => await store.look(each, always).catch(String));
			const ends = await inTime(Promise.all(looks));
			expect(ends).toEqual(expected);
			if (ends[1] === 'claimed') expect(await record('анна', 'notSent')).toBe(true);
			for (const each of keys) expect([each, store.whenFree(each)]).toEqual([each, undefined]);
			expect(Object.values(await look(...keys))).toEqual(after);
		},
	);
});

describe('the store of a node', () => {
	test('is the same for all its runs, and calls n8n through the latest of them', async () => {
		const first = new FakeEntries();
		const last = new FakeEntries([], first.owner);
		const store = storeOf(first);
		expect(storeOf(last)).toBe(store);
		expect(storeOf(new FakeEntries())).not.toBe(store);
		await store.open();
		expect([first.calls.length, last.calls.length]).toEqual([0, 1]);
	});

	test('is dropped when nothing is left to do, keeps the times of its calls for its successor, and does not drop the successor', async () => {
		jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick'] });
		try {
			const pause = async () => await new Promise<void>((resolve) => setTimeout(resolve, 100));
			const entries = new FakeEntries([], undefined, pause);
			const first = storeOf(entries);
			const use = async () => {
				await first.open();
				expect(await first.look('анна', always)).toBe('claimed');
				void first.record('анна', 'sent');
				await first.close();
				// The removal of the claim is not confirmed yet.
				await setImmediate();
				expect(storeOf(entries)).toBe(first);
				return 'closed';
			};
			const used = use();
			await jest.advanceTimersByTimeAsync(1500);
			expect(await byNow(used)).toBe('closed');
			expect(entries.stored).toEqual(['open', 'sent анна']);
			const second = storeOf(entries);
			expect(second).not.toBe(first);
			expect(second.claimMs).toBe(5 * 100);
			void second.open();
			// The first one waits up to two seconds for more to record.
			await jest.advanceTimersByTimeAsync(3000);
			expect(storeOf(entries)).toBe(second);
		} finally {
			jest.useRealTimers();
		}
	});

	test('is closed at once if nothing is to be recorded, even while it waits after an overwrite', async () => {
		const { store, entries, pass, inTime } = await opened();
		await inTime(store.open());
		overwrite(entries, 'add', 1);
		const look = store.look('анна', always);
		while ((await byNow(look)) === 'pending') await pass(callMs);
		const closed = store.close();
		await pass(callMs);
		expect(await byNow(closed)).not.toBe('pending');
	});

	test('serves many runs with as many calls as one run', async () => {
		const { store, entries, inTime } = new Process();
		const keys = Array.from({ length: 30 }, (_, index) => `ключ ${index}`);
		const runs = keys.map(async (key) => {
			await store.open();
			expect(await store.look(key, always)).toBe('claimed');
			expect(await store.record(key, 'sent')).toBe(true);
			await store.close();
		});
		await inTime(Promise.all(runs));
		expect(entries.calls.length).toBeLessThanOrEqual(8);
		expect(entries.peak).toBe(1);
		expect(entries.recipients).toEqual(keys.map((key) => `sent ${key}`).sort());
	});

	test('holds only recipients when the last run has ended', async () => {
		const { store, entries, pass, look } = await opened();
		const ends: Record<string, End> = { анна: 'sent', иван: 'notSent', ольга: 'unknown' };
		await look(...Object.keys(ends));
		const records = Object.entries(ends).map(async ([key, end]) => await store.record(key, end));
		const closed = store.close();
		for (const milliseconds of [50, Infinity]) {
			await pass(milliseconds);
			expect(await byNow(closed)).not.toBe('pending');
			expect([...entries.stored].sort()).toEqual(['doubt ольга', 'open', 'sent анна']);
		}
		expect(await Promise.all(records)).toEqual([true, true, true]);
	});

	test('records how the messages of a run that ends have ended, while another run uses it', async () => {
		const { store, entries, pass, inTime, look } = await opened();
		await inTime(store.open());
		await look('анна');
		void store.record('анна', 'sent');
		const closed = store.close();
		await pass(50);
		expect(await byNow(closed)).not.toBe('pending');
		expect(entries.recipients).toEqual(['sent анна']);
	});

	test.each([0, 1])(
		'is closed when a record that is being written has been written, while %i other runs use it',
		async (others) => {
			const process = await opened();
			const { store, entries, pass, inTime, look } = process;
			if (others) await inTime(store.open());
			await look('анна');
			slowDownRemovals(process);
			const recorded = store.record('анна', 'sent');
			await pass(3000);
			expect(entries.calls.at(-1)!.name).toBe('remove');
			const closed = store.close();
			await pass(3000);
			expect(await byNow(closed)).toBe('pending');
			await pass(1050);
			expect(await byNow(closed)).not.toBe('pending');
			expect(await byNow(recorded)).toBe(true);
		},
	);

	test('makes no call while there is nothing to do', async () => {
		const { entries, pass, look } = await opened();
		await look('анна');
		entries.calls.length = 0;
		await pass(600_000);
		expect(entries.calls).toEqual([]);
	});

	test('writes only the given keys, and tickets, and asks n8n to keep the newest 100,000 entries', async () => {
		const { entries, look, record } = await opened();
		await look('анна', 'иван');
		await record('анна', 'sent');
		await record('иван', 'notSent');
		const written = [...new Set(entries.calls.flatMap((call) => call.entries))].sort();
		expect(written).toEqual([
			...['doubt анна', 'doubt иван', 'sent анна', 'sent иван'],
			...written.filter(isTicket).map(() => expect.stringMatching(/^ticket [\da-f-]{36}$/)),
		]);
		const most = entries.calls.filter(({ name }) => name === 'add').map((call) => call.most);
		expect(new Set(most)).toEqual(new Set([100_000]));
	});
});

describe('how a message ended', () => {
	const isDoubted = (entries: FakeEntries, key: string) => entries.recipients.includes(`doubt ${key}`);

	test('is recorded two seconds after the first of those that are recorded together', async () => {
		const { store, entries, pass, look } = await opened();
		await look('анна', 'иван', 'ольга');
		void store.record('анна', 'sent');
		await pass(1000);
		void store.record('иван', 'sent');
		await pass(900);
		expect(isDoubted(entries, 'анна')).toBe(true);
		await pass(200);
		expect(entries.recipients).toEqual(['doubt ольга', 'sent анна', 'sent иван', 'sent ольга']);
		await pass(400);
		void store.record('ольга', 'sent');
		await pass(1900);
		expect(isDoubted(entries, 'ольга')).toBe(true);
		await pass(500);
		expect(isDoubted(entries, 'ольга')).toBe(false);
	});

	test('is recorded at once only if a run waits for that recipient', async () => {
		const { store, entries, pass, look } = await opened();
		await look('анна', 'иван', 'ольга');
		void store.record('анна', 'sent');
		void store.whenFree('иван');
		await pass(50);
		expect(isDoubted(entries, 'анна')).toBe(true);
		void store.record('ольга', 'sent');
		void store.whenFree('анна');
		await pass(50);
		expect(entries.recipients).toEqual(['doubt иван', 'sent анна', 'sent иван', 'sent ольга']);
		void store.record('иван', 'sent');
		await pass(leastWaitMs + 50);
		expect(isDoubted(entries, 'иван')).toBe(false);
	});

	test('is recorded by a later round if others are being written', async () => {
		const process = await opened();
		const { store, entries, pass, look } = process;
		await look('анна', 'иван');
		slowDownRemovals(process);
		void store.record('анна', 'sent');
		await pass(6900);
		const calls = entries.calls.length;
		expect(entries.calls.at(-1)!.name).toBe('remove');
		void store.record('иван', 'sent');
		await pass(200);
		expect(entries.recipients).toEqual(['doubt иван', 'sent анна', 'sent иван']);
		expect(entries.calls).toHaveLength(calls);
		await pass();
		expect(entries.recipients).toEqual(['sent анна', 'sent иван']);
	});

	test('is recorded with the next claims, before they are made', async () => {
		const { store, entries, pass, look } = await opened();
		await look('анна');
		entries.calls.length = 0;
		void store.record('анна', 'sent');
		void store.look('иван', always);
		await pass(50);
		expect(entries.calls.map(({ name }) => name)).toEqual(['remove', 'add']);
		expect(entries.recipients).toEqual(['doubt иван', 'sent анна', 'sent иван']);
	});

	test('does not delay a look once it is recorded', async () => {
		const { store, entries, pass, look, record } = await opened();
		await look('анна');
		await record('анна', 'sent');
		void store.look('иван', always);
		await pass(2 * callMs);
		expect(entries.recipients).toEqual(['doubt иван', 'sent анна', 'sent иван']);
	});
});

describe('when another process overwrites the entries', () => {
	test.each([1, 2, 3, 10])(
		'%i times, claims are made again, and the run is told when they hold',
		async (times) => {
			const { store, entries, pass } = await opened();
			overwrite(entries, 'add', times);
			const looks = Promise.all(['анна', 'иван'].map(async (key) => await store.look(key, always)));
			for (let made = 0; made < times; made++) {
				await pass(leastWaitMs);
				expect(await byNow(looks)).toBe('pending');
			}
			await pass();
			expect(await byNow(looks)).toEqual(['claimed', 'claimed']);
			expect(entries.recipients).toEqual(['doubt анна', 'doubt иван', 'sent анна', 'sent иван']);
		},
	);

	test('each claim is made once in a call, and this process waits twice as long, then four times as long', async () => {
		const { entries, begun, look } = await opened();
		overwrite(entries, 'add', 3);
		await look('анна');
		for (const { entries: added } of entries.calls) expect(new Set(added).size).toBe(added.length);
		const waits = pausesOf(begun.slice(0, 5)).map((pause) => pause - callMs);
		expect(waits).toEqual([1, 2, 4, 4].map((factor) => factor * leastWaitMs));
	});

	test('removals wait twice as long, then four times as long', async () => {
		const { entries, begun, look, record } = await opened();
		await look('анна');
		overwrite(entries, 'remove', 3);
		await record('анна', 'sent');
		const removals = begun.filter((_, call) => entries.calls[call]!.name === 'remove');
		const waits = pausesOf(removals).map((pause) => pause - 2 * callMs);
		expect(waits).toEqual([1, 2, 4].map((factor) => factor * leastWaitMs));
	});

	test.each<[End, string[]]>([
		['sent', ['sent анна']],
		['notSent', []],
		['unknown', ['doubt анна']],
	])(
		'the entries to remove after a message ended as %s are removed again until the removal holds',
		async (end, stored) => {
			for (const times of [1, 2, 5]) {
				const { store, entries, pass, look, record } = await opened();
				await look('анна');
				overwrite(entries, 'remove', times);
				await record('анна', end);
				void store.close();
				await pass();
				expect([times, entries.recipients]).toEqual([times, stored]);
			}
		},
	);

	test.each([0, 1, 2])(
		'by a claim of the same recipient, that claim holds, even if the confirmation fails %i times after it has written',
		async (times) => {
			const { store, entries, pass, inTime } = await opened();
			const look = store.look('анна', always);
			await pass(50);
			entries.stored = ['sent анна', 'doubt анна'];
			entries.fail(times, 'add', 'after');
			expect(await inTime(look)).toBe('underWay');
			expect(entries.recipients).toEqual(['doubt анна', 'sent анна']);
			expect(store.whenFree('анна')).toBeUndefined();
		},
	);
});

describe('when calls fail', () => {
	test.each([1, 2])('%i times, recipients are still looked for', async (times) => {
		const { entries, look } = await opened(['sent анна']);
		entries.fail(times, 'add');
		expect(await look('анна', 'иван')).toEqual({ анна: 'sent', иван: 'claimed' });
	});

	test('a failed call is not repeated at once, so that a busy database can recover', async () => {
		const { store, entries, pass } = await opened();
		entries.fail(1, 'add');
		void store.look('анна', always);
		await pass(150);
		expect(entries.calls).toHaveLength(1);
		await pass(100);
		expect(entries.calls).toHaveLength(2);
	});

	test('three times, the look fails with the last error, and the recipient is free and has the same state as before', async () => {
		const { store, entries, pass, look } = await opened(['sent анна']);
		entries.fail(3, 'add');
		await expect(look('анна')).rejects.toThrow('Занято');
		expect(store.whenFree('анна')).toBeUndefined();
		expect(entries.recipients).toEqual(['sent анна']);
		void store.close();
		await pass();
		expect(entries.recipients).toEqual(['sent анна']);
	});

	test('three times, opening the store throws the error of n8n, and the store opens when n8n works again', async () => {
		const { store, entries, inTime } = new Process();
		entries.fail(3, 'add');
		await expect(inTime(store.open())).rejects.toThrow('Занято');
		await inTime(store.open());
	});

	/** A process that has made a claim and not confirmed it. */
	async function claiming() {
		const process = await opened();
		const failed = process.store.look('анна', always).catch((error: Error) => error.message);
		await process.pass(50);
		expect(process.entries.recipients).toEqual(['doubt анна', 'sent анна']);
		process.begun.length = 0;
		return { ...process, failed };
	}

	test.each([3, 6, 9])(
		'between a claim and its confirmation, %i times, the run is told, and the claim is released when n8n works again',
		async (times) => {
			const { store, entries, failed, pass } = await claiming();
			entries.fail(times, 'add');
			await pass(2000);
			expect(await byNow(failed)).toBe('Занято');
			await pass();
			expect(entries.recipients).toEqual([]);
			expect(store.whenFree('анна')).toBeUndefined();
		},
	);

	test('between a claim and its confirmation, forever, this process waits longer each time and gives up the fourth time: the claim stays in doubt, and the recipient is free in this process', async () => {
		const { store, entries, begun, failed, inTime } = await claiming();
		entries.fail(Infinity, 'add');
		expect(await inTime(failed)).toBe('Занято');
		const attempts = 3;
		expect(begun).toHaveLength(4 * attempts);
		const pauses = pausesOf(begun).filter((_, index) => (index + 1) % attempts === 0);
		const waits = pauses.map((pause) => pause - callMs);
		expect(waits).toEqual([2, 4, 8].map((factor) => factor * leastWaitMs));
		expect(store.whenFree('анна')).toBeUndefined();
		expect(await standingAfter(entries.stored, 'анна')).toBe('underWay');
	});

	test.each([1, 2])(
		'a claim that failed after it was written, %i times, does not count as confirmed',
		async (times) => {
			const { entries, look } = await opened();
			entries.fail(times, 'add', 'after');
			expect(await look('анна')).toEqual({ анна: 'underWay' });
			expect(entries.recipients).toEqual(['doubt анна', 'sent анна']);
		},
	);

	test.each([1, 2, 3])('a removal that fails %i times is made again until it is certain', async (times) => {
		for (const when of ['before', 'after'] as const) {
			const { store, entries, inTime, look } = await opened();
			await look('анна', 'иван');
			entries.fail(times, 'remove', when);
			const records = Promise.all([store.record('анна', 'sent'), store.record('иван', 'notSent')]);
			expect(await inTime(records)).toEqual([true, true]);
			expect(entries.recipients).toEqual(['sent анна']);
		}
	});

	test('a run is not closed before a removal that failed has been made again', async () => {
		const { store, entries, pass, look } = await opened();
		await look('анна');
		entries.fail(1, 'remove');
		void store.record('анна', 'sent');
		const closed = store.close();
		await pass(100);
		expect(await byNow(closed)).toBe('pending');
		await pass();
		expect(await byNow(closed)).not.toBe('pending');
	});

	test('a removal that fails forever is given up: the run learns of it, and the recipients are in doubt and free in this process', async () => {
		const { store, entries, pass, look } = await opened();
		await look('анна', 'иван');
		entries.fail(Infinity, 'remove');
		const records = [store.record('анна', 'sent'), store.record('иван', 'notSent')];
		const closed = store.close();
		await pass();
		expect(await byNow(Promise.all(records))).toEqual([false, false]);
		expect(await byNow(closed)).not.toBe('pending');
		for (const key of ['анна', 'иван']) expect(await standingAfter(entries.stored, key)).toBe('underWay');
		expect(store.whenFree('анна')).toBeUndefined();
	});
});

/* Last, because it takes longest: a mutant that another test notices does not get here. */
describe('several processes at once (generated)', () => {
	/** Sends to all recipients, as a run does. */
	async function run(
		{ store, entries, clock }: Process,
		keys: string[],
		{ ahead, paceMs, sent }: { ahead: number; paceMs: number; sent: string[] },
	) {
		const ends = new Map<string, Standing>();
		const sends: Array<Promise<unknown>> = [];
		await store.open();
		let waiting = keys.map((key) => ({ key, looks: 0, at: 0 }));
		while (waiting.length) {
			const next = waiting.filter(({ at }) => at <= clock.now()).slice(0, ahead);
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
				await clock.sleep(paceMs);
				if (entries.isDead) return await new Promise<never>(() => {});
				sent.push(each.key);
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
		/** Without a seed, all processes run in step. */
		seed: fc.option(fc.integer({ min: 1 }), { freq: 9, nil: undefined }),
	});

	test('no recipient gets a message twice, each gets it or is in doubt, and only a few tickets remain', async () => {
		await fc.assert(
			fc.asyncProperty(broadcast, async (given) => {
				const random = given.seed === undefined ? () => 0 : seededRandom(given.seed);
				const [least, most] = given.gapMs as [number, number];
				const clock = new VirtualClock();
				const row: Row = { stored: [] };
				const newProcess = () => new Process(clock, row, () => least + random() * (most - least));
				const sent: string[] = [];
				const keysOf = (process: number) =>
					Array.from({ length: given.keys }, (_, index) => `${given.areSame ? '' : process}/${index}`);
				const all = new Set<string>();
				const ends: Array<Map<string, Standing>> = [];
				for (let index = 0; index < given.processes; index++) {
					const process = newProcess();
					const keys = keysOf(index);
					for (const key of keys) all.add(key);
					void clock
						.sleep(random() * given.startsMs)
						.then(async () => await run(process, keys, { ...given, sent }))
						.then((end) => ends.push(end));
					if (index > 0 || given.diesMs === undefined) continue;
					void clock.sleep(given.diesMs).then(() => process.entries.die());
				}
				await clock.run();
				const hasDied = given.diesMs !== undefined;
				expect(ends.length).toBeGreaterThanOrEqual(given.processes - (hasDied ? 1 : 0));
				expect(sent).toEqual([...new Set(sent)]);
				if (!hasDied) expect(ends.flatMap((end) => [...end.values()])).not.toContain('underWay');

				const before = new Set(sent);
				const last = newProcess();
				const end = await last.inTime(run(last, [...all], { ...given, sent }));
				for (const [key, standing] of end) {
					const known = before.has(key) ? 'sent' : 'claimed';
					// Only a process that has died leaves somebody in doubt.
					expect([key, standing]).toEqual([key, hasDied && standing === 'underWay' ? standing : known]);
				}
				expect(sent).toEqual([...new Set(sent)]);
				// Another process has brought back a few of the last tickets, or their process has died.
				expect(row.stored.filter(isTicket).length).toBeLessThanOrEqual(8 * (given.processes + 1));
			}),
			{ numRuns: 150 },
		);
	});
});
