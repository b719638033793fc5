import fc from 'fast-check';

import type { End, Standing } from '../../nodes/ChatbotService/run/ledger/entries';
import { keptOf, mostRemembered, obsoleteOf } from '../../nodes/ChatbotService/run/ledger/entries';
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

	constructor(
		readonly clock = new VirtualClock(),
		row: Row = { stored: [] },
		gapMs: () => number = () => callMs,
	) {
		this.entries = new FakeEntries([], undefined, async () => await clock.sleep(gapMs()), row);
		this.store = new Store(this.entries, clock);
	}

	/** The value of a promise after all time has passed. */
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

	async record(key: string, end: End) {
		return await this.inTime(this.store.record(key, end));
	}
}

/** A process with a run that has begun. */
async function opened(stored: string[] = [], gapMs?: () => number) {
	const process = new Process(undefined, { stored }, gapMs);
	await process.inTime(process.store.open());
	return process;
}

/** How a recipient stands for a process that begins after all others have died. */
const standingAfter = async (stored: string[], key: string): Promise<Standing> =>
	(await new Process(undefined, { stored: [...stored] }).look(key))[key]!;

/** The value of a promise, or undefined if it is still pending. */
async function byNow<T>(promise: Promise<T>): Promise<T | undefined> {
	let result: T | undefined;
	void promise.then((value) => (result = value));
	for (let round = 0; round < 10; round++) await new Promise((resolve) => setImmediate(resolve));
	return result;
}

/** Lists the calls of a process from now on, with the time at which each writes. */
function writesOf({ entries, clock }: Process) {
	const writes: Array<{ name: Call['name']; at: number }> = [];
	const { before } = entries;
	entries.before = (call, number) => {
		writes.push({ name: call.name, at: clock.now() });
		return before(call, number);
	};
	return writes;
}

const pausesOf = (writes: Array<{ at: number }>) =>
	writes.slice(1).map(({ at }, index) => at - writes[index]!.at);

/** Holds up the next removal before it writes. @returns lets it write */
function holdRemoval(entries: FakeEntries) {
	let write = () => {};
	const written = new Promise<void>((resolve) => (write = resolve));
	entries.before = async ({ name }) => {
		if (name === 'remove') await written;
	};
	return write;
}

describe('a recipient', () => {
	test.each<[string, Standing, string[]]>([
		['that the store does not know is claimed', 'claimed', []],
		['that was sent to is known as such', 'sent', ['sent анна']],
		['whose message got no answer is in doubt', 'inDoubt', ['doubt анна']],
		['that another process has claimed is under way', 'underWay', ['sent анна', 'doubt анна']],
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
			const { entries, look, record } = bound(await opened());
			expect(await look('анна+аня')).toEqual({ 'анна+аня': 'claimed' });
			expect(await record('анна+аня', end)).toBe(true);
			expect(entries.recipients).toEqual(stored);
			for (const key of ['анна', 'аня', 'иван+анна', 'аня+иван'])
				expect([key, await standingAfter(entries.stored, key)]).toEqual([key, standing]);
			expect(await standingAfter(entries.stored, 'иван')).toBe('claimed');
		},
	);

	test('whose process died is neither free nor sent to', async () => {
		const { entries, look } = bound(await opened());
		await look('анна+аня');
		for (const key of ['анна', 'аня', 'иван+анна'])
			expect(await standingAfter(entries.stored, key)).toBe('underWay');
	});
});

/** The methods of a process, for destructuring. */
function bound(process: Process) {
	const { store, entries, clock } = process;
	return {
		process,
		store,
		entries,
		clock,
		look: process.look.bind(process),
		record: process.record.bind(process),
	};
}

test.each<[End, string[], string[]]>([
	['sent', ['sent анна', 'sent аня'], ['doubt анна', 'doubt аня']],
	['unknown', ['doubt анна', 'doubt аня'], ['sent анна', 'sent аня']],
	['notSent', [], ['sent анна', 'sent аня', 'doubt анна', 'doubt аня']],
])('of a message that ended as %s, some entries stay and the others go', (end, kept, obsolete) => {
	expect(keptOf('анна+аня', end)).toEqual(kept);
	expect(obsoleteOf('анна+аня', end)).toEqual(obsolete);
});

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
		for (const key of ['анна', 'ольга']) expect(await msFor(key)).toBeGreaterThanOrEqual(600);
		for (let minute = 0; minute < 5; minute++) {
			await clock.run(clock.now() + 60_000);
			await look(`ключ ${minute}`);
		}
		expect(store.claimMs).toBe(leastWaitMs + 2 * 5);
		expect(await msFor('иван')).toBeLessThan(300);
	});

	test('is followed by no other call of this process until it is confirmed, whatever its runs ask for', async () => {
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
		expect(entries.calls.slice(calls).map(({ name }) => name)).toEqual(['add', 'add', 'remove']);
	});

	test('is released without telling the run if it is no longer wanted when it is confirmed', async () => {
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

	test('is not made again if it is no longer wanted when another process has overwritten it', async () => {
		const { store, entries, clock } = bound(await opened());
		entries.after = () => {
			entries.stored = [];
			entries.after = () => {};
		};
		let isWanted = true;
		void store.look('анна', () => isWanted);
		await clock.run(clock.now() + 2 * callMs);
		isWanted = false;
		await clock.run();
		const claims = entries.entriesOf('add').filter((added) => added.includes('doubt анна'));
		expect(claims).toHaveLength(1);
		expect(store.whenFree('анна')).toBeUndefined();
	});

	test('that another process brings back after it has overwritten it is a claim of this process', async () => {
		const { store, entries, clock } = bound(await opened());
		let before = entries.stored;
		let first: string[] = [];
		entries.before = () => void (before = entries.stored);
		entries.after = (_, number) => {
			if (number === 2) first = entries.stored;
			if (number === 2) entries.stored = before;
			if (number === 3) entries.stored = first;
		};
		const look = store.look('анна', always);
		await clock.run();
		expect(await byNow(look)).toBe('claimed');
	});

	test('is not made if it is no longer wanted', async () => {
		const { store, entries, clock } = bound(await opened());
		const calls = entries.calls.length;
		void store.look('анна', () => false);
		await clock.run();
		expect(entries.calls).toHaveLength(calls);
		expect(store.whenFree('анна')).toBeUndefined();
	});
});

const states: State[] = ['free', 'looking', 'claimed', 'confirmed', 'recording', 'removing'];

describe('the states of a recipient', () => {
	/** The states that lead to a state from `free`. */
	const pathTo: Record<State, State[]> = {
		free: [],
		looking: ['looking'],
		claimed: ['looking', 'claimed'],
		confirmed: ['looking', 'claimed', 'confirmed'],
		recording: ['looking', 'claimed', 'confirmed', 'recording'],
		removing: ['looking', 'claimed', 'confirmed', 'recording', 'removing'],
	};
	const next: Record<State, State[]> = {
		free: ['looking'],
		looking: ['claimed', 'removing', 'free'],
		claimed: ['claimed', 'confirmed', 'removing', 'free'],
		confirmed: ['recording'],
		recording: ['removing'],
		removing: ['free'],
	};
	const pairs = states.flatMap((from) => states.map((to) => [from, to] as const));

	test.each(pairs)('from %s to %s', (from, to) => {
		const recipient = new Held().of('анна');
		for (const state of pathTo[from]) recipient.become(state);
		if (next[from].includes(to)) {
			recipient.become(to);
			expect(recipient.state).toBe(to);
		} else {
			expect(() => recipient.become(to)).toThrow(`A claim that is "${from}" cannot become "${to}"`);
			expect(recipient.state).toBe(from);
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

	test('do not allow two looks for a recipient at once, under any of its names', async () => {
		const { store, process } = bound(await opened());
		const look = store.look('анна+аня', always);
		for (const key of ['анна', 'аня', 'иван+аня'])
			await expect(store.look(key, always)).rejects.toThrow('"looking" cannot become "looking"');
		expect(await process.inTime(look)).toBe('claimed');
	});

	test('do not allow a record without a claim, nor a second one', async () => {
		const { store, look, record } = bound(await opened());
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
			const { store, clock, look, record } = bound(await opened(['sent ольга']));
			const keys = ['ольга', 'анна', 'иван'];
			breakAt(key, at);
			const looks = keys.map(async (each) => await store.look(each, always).catch(String));
			await clock.run();
			const ends = await Promise.all(looks);
			expect(ends).toEqual(expected);
			if (ends[1] === 'claimed') expect(await record('анна', 'notSent')).toBe(true);
			for (const each of keys) expect([each, store.whenFree(each)]).toEqual([each, undefined]);
			expect(Object.values(await look(...keys))).toEqual(after);
		},
	);
});

describe('the store', () => {
	test('is the same one for all runs of a node, and another one for another node', () => {
		const entries = new FakeEntries();
		const again = new FakeEntries([], entries.owner);
		expect(storeOf(again)).toBe(storeOf(entries));
		expect(storeOf(new FakeEntries())).not.toBe(storeOf(entries));
	});

	test('is forgotten when nothing is left to do, together with what n8n holds of the last run; only the times of its calls are kept', async () => {
		const entries = new FakeEntries();
		const store = storeOf(entries);
		await store.open();
		expect(await store.look('анна', always)).toBe('claimed');
		const recorded = store.record('анна', 'sent');
		await store.close();
		expect(await recorded).toBe(true);
		expect(storeOf(entries)).toBe(store);
		await new Promise((resolve) => setTimeout(resolve, 600));
		expect(entries.stored).toEqual(['open', 'sent анна']);
		const another = storeOf(entries);
		expect(another).not.toBe(store);
		expect(another.claimMs).toBe(store.claimMs);
	});

	test('that is forgotten does not forget the one that follows it, when the time to record is over', async () => {
		jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick'] });
		try {
			const pause = async () => await new Promise<void>((resolve) => setTimeout(resolve, callMs));
			const entries = new FakeEntries([], undefined, pause);
			const first = storeOf(entries);
			const use = async (store: Store, key: string) => {
				await store.open();
				expect(await store.look(key, always)).toBe('claimed');
				void store.record(key, 'sent');
				await store.close();
			};
			const used = use(first, 'анна');
			await jest.advanceTimersByTimeAsync(1500);
			await used;
			const second = storeOf(entries);
			expect(second).not.toBe(first);
			const opening = second.open();
			await jest.advanceTimersByTimeAsync(3000);
			await opening;
			expect(storeOf(entries)).toBe(second);
		} finally {
			jest.useRealTimers();
		}
	});

	test('is closed at once if nothing is to be recorded, even while it waits after an overwrite', async () => {
		const { process, store, entries, clock } = bound(await opened());
		await process.inTime(store.open());
		const { stored } = entries;
		entries.after = () => {
			entries.stored = stored;
			entries.after = () => {};
		};
		let found: Standing | undefined;
		void store.look('анна', always).then((standing) => (found = standing));
		while (!found) await clock.run(clock.now() + callMs);
		const closed = store.close().then(() => 'closed');
		await clock.run(clock.now() + callMs);
		expect(await byNow(closed)).toBe('closed');
	});

	test('is called with the entries of the run that has begun last', async () => {
		const first = new FakeEntries();
		const last = new FakeEntries([], first.owner);
		storeOf(first);
		await storeOf(last).open();
		expect([first.calls.length, last.calls.length]).toEqual([0, 1]);
	});

	test('serves many runs with as many calls as one run', async () => {
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

	test('holds only recipients when the last run has ended', async () => {
		const { store, entries, clock, look } = bound(await opened());
		await look('анна', 'иван', 'ольга');
		const records = [
			store.record('анна', 'sent'),
			store.record('иван', 'notSent'),
			store.record('ольга', 'unknown'),
		];
		const closed = store.close();
		await clock.run(clock.now() + 50);
		expect(await byNow(closed.then(() => 'closed'))).toBe('closed');
		const expected = ['open', 'sent анна', 'doubt ольга'];
		expect([...entries.stored].sort()).toEqual([...expected].sort());
		await clock.run();
		expect(await Promise.all(records)).toEqual([true, true, true]);
		expect([...entries.stored].sort()).toEqual([...expected].sort());
	});

	test.each([0, 1])(
		'is closed when a record that is being written has been written, while %i other runs use it',
		async (others) => {
			const { store, entries, clock, look } = bound(await opened());
			for (let run = 0; run < others; run++) {
				void store.open();
				await clock.run();
			}
			await look('анна');
			const write = holdRemoval(entries);
			const recorded = store.record('анна', 'sent');
			await clock.run(clock.now() + 3000);
			expect(entries.calls.at(-1)!.name).toBe('remove');
			const closed = store.close().then(() => 'closed');
			await clock.run(clock.now() + 3000);
			expect(await byNow(closed)).toBeUndefined();
			write();
			await clock.run(clock.now() + 50);
			expect(await byNow(closed)).toBe('closed');
			expect(await byNow(recorded)).toBe(true);
		},
	);

	test('records how the messages of a run that ends have ended, while another run uses it', async () => {
		const { process, store, entries, clock, look } = bound(await opened());
		await process.inTime(store.open());
		await look('анна');
		void store.record('анна', 'sent');
		const closed = store.close().then(() => 'closed');
		await clock.run(clock.now() + 50);
		expect(await byNow(closed)).toBe('closed');
		expect(entries.recipients).toEqual(['sent анна']);
	});

	test('does not let a look wait after a record', async () => {
		const { store, entries, clock, look, record } = bound(await opened());
		await look('анна');
		await record('анна', 'sent');
		void store.look('иван', always);
		await clock.run(clock.now() + 2 * callMs);
		expect(entries.recipients).toEqual(['doubt иван', 'sent анна', 'sent иван']);
	});

	test('makes no call while there is nothing to do', async () => {
		const { entries, clock, look } = bound(await opened());
		await look('анна');
		const calls = entries.calls.length;
		await clock.run(clock.now() + 600_000);
		expect(entries.calls).toHaveLength(calls);
	});

	test('asks n8n to keep the newest 100,000 entries', async () => {
		expect(mostRemembered).toBe(100_000);
		const { entries, look, record } = bound(await opened());
		await look('анна');
		await record('анна', 'sent');
		const added = entries.calls.filter(({ name }) => name === 'add');
		expect(new Set(added.map(({ most }) => most))).toEqual(new Set([100_000]));
	});

	test('writes only the given keys, and tickets', async () => {
		const { entries, look, record } = bound(await opened());
		await look('анна', 'иван');
		await record('анна', 'sent');
		await record('иван', 'notSent');
		const written = new Set(
			entries.calls.flatMap((call) => call.entries).filter((entry) => !isTicket(entry)),
		);
		expect([...written].sort()).toEqual(['doubt анна', 'doubt иван', 'open', 'sent анна', 'sent иван']);
		for (const entry of entries.calls.flatMap((call) => call.entries).filter(isTicket))
			expect(entry).toMatch(/^ticket [\da-f-]{36}$/);
	});
});

describe('how a message ended', () => {
	test('is recorded two seconds later if there is nothing else to do, and at once if another run waits for the recipient', async () => {
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

	test('is recorded two seconds after the first of those that are recorded together', async () => {
		const { store, entries, clock, look } = bound(await opened());
		await look('анна', 'иван', 'ольга');
		const from = clock.now();
		const isDoubted = (key: string) => entries.recipients.includes(`doubt ${key}`);
		void store.record('анна', 'sent');
		await clock.run(from + 1000);
		void store.record('иван', 'sent');
		await clock.run(from + 2100);
		expect(['анна', 'иван'].filter(isDoubted)).toEqual([]);
		await clock.run(from + 2500);
		void store.record('ольга', 'sent');
		await clock.run(from + 4400);
		expect(isDoubted('ольга')).toBe(true);
		await clock.run(from + 4900);
		expect(isDoubted('ольга')).toBe(false);
	});

	test('is recorded by a later round if others are being written', async () => {
		const { store, entries, clock, look } = bound(await opened());
		await look('анна', 'иван');
		const write = holdRemoval(entries);
		void store.record('анна', 'sent');
		await clock.run(clock.now() + 2100);
		const calls = entries.calls.length;
		expect(entries.calls.at(-1)!.name).toBe('remove');
		void store.record('иван', 'sent');
		write();
		await clock.run(clock.now() + 100);
		expect(entries.calls).toHaveLength(calls);
		await clock.run();
		expect(entries.recipients).toEqual(['sent анна', 'sent иван']);
	});

	test('is recorded at once only if a run waits for that recipient', async () => {
		const { store, entries, clock, look } = bound(await opened());
		await look('анна', 'иван', 'ольга');
		void store.record('анна', 'sent');
		void store.whenFree('иван');
		await clock.run(clock.now() + 50);
		expect(entries.recipients).toContain('doubt анна');
		void store.record('ольга', 'sent');
		void store.whenFree('анна');
		await clock.run(clock.now() + 50);
		expect(entries.recipients.filter((entry) => entry.startsWith('doubt '))).toEqual(['doubt иван']);
		void store.record('иван', 'sent');
		await clock.run(clock.now() + leastWaitMs + 50);
		expect(entries.recipients).not.toContain('doubt иван');
	});

	test('is recorded with the next claims, before they are made', async () => {
		const { store, entries, clock, look } = bound(await opened());
		await look('анна');
		void store.record('анна', 'sent');
		const calls = entries.calls.length;
		void store.look('иван', always);
		await clock.run(clock.now() + 50);
		expect(entries.calls.slice(calls).map(({ name }) => name)).toEqual(['remove', 'add']);
		expect(entries.recipients).toEqual(['doubt иван', 'sent анна', 'sent иван']);
	});
});

describe('a recipient that a run looks for or has claimed', () => {
	test('is not free for the runs of this process', async () => {
		const { store } = bound(await opened());
		expect(store.whenFree('анна')).toBeUndefined();
		void store.look('анна+аня', always);
		for (const key of ['анна', 'аня', 'аня+иван']) expect(store.whenFree(key)).toBeInstanceOf(Promise);
		expect(store.whenFree('иван')).toBeUndefined();
	});

	test.each<End>(['sent', 'notSent', 'unknown'])(
		'is free when it is recorded that its message ended as %s',
		async (end) => {
			const { store, clock, look } = bound(await opened());
			await look('анна', 'иван');
			const free = store.whenFree('анна')!;
			await clock.run(clock.now() + 10_000);
			expect(await byNow(free.then(() => 'free'))).toBeUndefined();
			void store.record('анна', end);
			expect(await byNow(free.then(() => 'free'))).toBeUndefined();
			await clock.run();
			expect(await byNow(free.then(() => 'free'))).toBe('free');
			expect(store.whenFree('анна')).toBeUndefined();
			expect(store.whenFree('иван')).toBeInstanceOf(Promise);
		},
	);

	test.each(['sent', 'doubt'])('is free if it was not claimed because it has the entry %s', async (name) => {
		const { store, look } = bound(await opened([`${name} анна`]));
		await look('анна');
		expect(store.whenFree('анна')).toBeUndefined();
	});
});

describe('when another process overwrites the entries', () => {
	/** Makes another process overwrite the next calls of a kind with what it had read before them. */
	function overwrite({ entries }: Process, name: Call['name'], times: number) {
		let left = times;
		let before: string[] = [];
		entries.before = () => void (before = entries.stored);
		entries.after = (call) => {
			if (call.name === name && left-- > 0) entries.stored = before;
		};
	}

	test.each([1, 2, 3, 10])(
		'%i times, claims are made again, and the run is told when they hold',
		async (times) => {
			const { process, store, entries, clock } = bound(await opened());
			overwrite(process, 'add', times);
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

	test('each claim is made once in a call, and this process waits twice as long, then four times as long', async () => {
		const { process, store, entries, clock } = bound(await opened());
		overwrite(process, 'add', 3);
		const writes = writesOf(process);
		void store.look('анна', always);
		await clock.run();
		for (const { entries: added } of entries.calls) expect(new Set(added).size).toBe(added.length);
		const waits = pausesOf(writes.slice(0, 5)).map((pause) => pause - callMs);
		expect(waits).toEqual([1, 2, 4, 4].map((factor) => factor * leastWaitMs));
	});

	test('with a claim of the same recipient, that claim holds', async () => {
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

	test('removals wait twice as long, then four times as long', async () => {
		const { process, clock, look, record } = bound(await opened());
		await look('анна');
		overwrite(process, 'remove', 3);
		const writes = writesOf(process);
		await record('анна', 'sent');
		await clock.run();
		const removals = writes.filter(({ name }) => name === 'remove');
		const waits = pausesOf(removals).map((pause) => pause - 2 * callMs);
		expect(waits).toEqual([1, 2, 4].map((factor) => factor * leastWaitMs));
	});

	test.each<[End, string[]]>([
		['sent', ['sent анна']],
		['notSent', []],
		['unknown', ['doubt анна']],
	])(
		'what was removed of a message that ended as %s is removed again until the removal holds',
		async (end, stored) => {
			for (const times of [1, 2, 5]) {
				const { process, store, entries, clock, look, record } = bound(await opened());
				await look('анна');
				overwrite(process, 'remove', times);
				await record('анна', end);
				void store.close();
				await clock.run();
				expect([times, entries.recipients]).toEqual([times, stored]);
			}
		},
	);
});

describe('when calls fail', () => {
	/** Makes the next calls of a kind fail, before or after they have written. */
	function makeFail(
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

	test.each([1, 2])('%i times, recipients are still looked for', async (times) => {
		const { process, look } = bound(await opened(['sent анна']));
		makeFail(process, 'add', times);
		expect(await look('анна', 'иван')).toEqual({ анна: 'sent', иван: 'claimed' });
	});

	test('a failed call is not repeated at once, so that a busy database can recover', async () => {
		const { process, store, entries, clock } = bound(await opened());
		makeFail(process, 'add', 1);
		const calls = entries.calls.length;
		void store.look('анна', always);
		await clock.run(clock.now() + 150);
		expect(entries.calls).toHaveLength(calls + 1);
		await clock.run(clock.now() + 100);
		expect(entries.calls).toHaveLength(calls + 2);
	});

	test('three times, the look fails with the last error, and the recipient is free and stands as before', async () => {
		const { process, store, entries, clock } = bound(await opened(['sent анна']));
		makeFail(process, 'add', 3);
		await expect(process.inTime(store.look('анна', always))).rejects.toThrow('Занято');
		expect(store.whenFree('анна')).toBeUndefined();
		expect(entries.recipients).toEqual(['sent анна']);
		void store.close();
		await clock.run();
		expect(entries.recipients).toEqual(['sent анна']);
	});

	test('three times, opening the store throws what n8n says, and the store opens when n8n works again', async () => {
		const process = new Process();
		makeFail(process, 'add', 3);
		await expect(process.inTime(process.store.open())).rejects.toThrow('Занято');
		await process.inTime(process.store.open());
	});

	test.each([3, 6, 9])(
		'between a claim and its confirmation, %i times, the run is told, and the claim is released when n8n works again',
		async (times) => {
			const { process, store, entries, clock } = bound(await opened());
			const look = store.look('анна', always);
			const failed = look.catch((error: Error) => error.message);
			await clock.run(clock.now() + 50);
			expect(entries.recipients).toEqual(['doubt анна', 'sent анна']);
			makeFail(process, 'add', times);
			await clock.run(clock.now() + 2000);
			expect(await byNow(failed)).toBe('Занято');
			await clock.run();
			expect(entries.recipients).toEqual([]);
			expect(store.whenFree('анна')).toBeUndefined();
		},
	);

	test('between a claim and its confirmation, a run that no longer wants it is not told', async () => {
		const { process, store, clock } = bound(await opened());
		let isWanted = true;
		const look = store.look('анна', () => isWanted).catch(String);
		await clock.run(clock.now() + 50);
		isWanted = false;
		makeFail(process, 'add', 3);
		await clock.run();
		expect(await byNow(look)).toBeUndefined();
		expect(store.whenFree('анна')).toBeUndefined();
	});

	test('between a claim and its confirmation, this process waits twice as long, then four times as long, and gives up the fourth time', async () => {
		const { process, store, clock } = bound(await opened());
		void store.look('анна', always).catch(() => {});
		await clock.run(clock.now() + 50);
		makeFail(process, 'add', Infinity);
		const failures = writesOf(process);
		await clock.run();
		const attempts = 3;
		expect(failures).toHaveLength(4 * attempts);
		const pauses = pausesOf(failures).filter((_, index) => (index + 1) % attempts === 0);
		const waits = pauses.map((pause) => pause - callMs);
		expect(waits).toEqual([2, 4, 8].map((factor) => factor * leastWaitMs));
	});

	test('between a claim and its confirmation, forever, the claim stays in doubt, and the recipient is free in this process', async () => {
		const { process, store, entries, clock } = bound(await opened());
		const failed = store.look('анна', always).catch((error: Error) => error.message);
		await clock.run(clock.now() + 50);
		makeFail(process, 'add', Infinity);
		await clock.run();
		expect(await failed).toBe('Занято');
		expect(store.whenFree('анна')).toBeUndefined();
		expect(await standingAfter(entries.stored, 'анна')).toBe('underWay');
	});

	test.each([1, 2])(
		'a claim that failed after it was written, %i times, does not count as confirmed',
		async (times) => {
			const { process, store, entries, clock } = bound(await opened());
			makeFail(process, 'add', times, 'after');
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
			// Another process has claimed the same recipient.
			entries.stored = ['sent анна', 'doubt анна'];
			makeFail(process, 'add', times, 'after');
			await clock.run();
			expect(await byNow(look)).toBe('underWay');
		},
	);

	test.each([1, 2, 3])('a removal that fails %i times is made again until it holds', async (times) => {
		for (const when of ['before', 'after'] as const) {
			const { process, entries, look } = bound(await opened());
			await look('анна', 'иван');
			makeFail(process, 'remove', times, when);
			const records = [process.store.record('анна', 'sent'), process.store.record('иван', 'notSent')];
			await process.clock.run();
			expect(await Promise.all(records)).toEqual([true, true]);
			expect(entries.recipients).toEqual(['sent анна']);
		}
	});

	test('a run is not closed before a removal that failed has been made again', async () => {
		const { process, store, clock, look } = bound(await opened());
		await look('анна');
		makeFail(process, 'remove', 1);
		void store.record('анна', 'sent');
		const closed = store.close().then(() => 'closed');
		await clock.run(clock.now() + 100);
		expect(await byNow(closed)).toBeUndefined();
		await clock.run();
		expect(await byNow(closed)).toBe('closed');
	});

	test('a removal that fails forever is given up: the run is told, and the recipients are in doubt and free in this process', async () => {
		const { process, store, entries, clock, look } = bound(await opened());
		await look('анна', 'иван');
		makeFail(process, 'remove', Infinity);
		const records = [store.record('анна', 'sent'), store.record('иван', 'notSent')];
		const closed = store.close().then(() => 'closed');
		await clock.run();
		expect(await byNow(Promise.all(records))).toEqual([false, false]);
		expect(await byNow(closed)).toBe('closed');
		for (const key of ['анна', 'иван']) expect(await standingAfter(entries.stored, key)).toBe('underWay');
		expect(store.whenFree('анна')).toBeUndefined();
	});
});

/* Last, because it takes longest: a mutant that another test notices does not get here. */
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
		/** Without a seed, all processes run in step. */
		seed: fc.option(fc.integer({ min: 1 }), { freq: 9, nil: undefined }),
	});

	test('no recipient is sent to twice, each is sent to or in doubt, and only a few tickets stay behind', async () => {
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
				// Another process has brought back a few of the last tickets, or their process has died.
				expect(row.stored.filter(isTicket).length).toBeLessThanOrEqual(8 * (given.processes + 1));
			}),
			{ numRuns: 150 },
		);
	});
});
