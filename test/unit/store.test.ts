import fc from 'fast-check';

import { mostRemembered, Store, type Due, type Standing } from '../../nodes/ChatbotService/run/store';
import { FakeEntries, type Call } from './fakeEntries';

/* Who has got a message, by entries of which n8n loses some whenever two calls overlap. */

const nothing: Due = { sent: [], released: [] };

const storeOf = (...stored: string[]) => {
	const entries = new FakeEntries(stored);
	return { entries, store: new Store(entries) };
};

/** How recipients stand, who are claimed if nothing is known of them. */
const look = async (store: Store, ...keys: string[]) =>
	Object.fromEntries(await store.update(nothing, () => keys));

const note = async (store: Store, due: Partial<Due>) => {
	await store.update({ ...nothing, ...due }, () => []);
};

/** How a recipient stands for a process that begins after this one has died. */
const standingAfter = async (entries: FakeEntries, key: string): Promise<Standing> =>
	(await new Store(new FakeEntries([...entries.stored])).update(nothing, () => [key])).get(key)!;

const isOver = async (promise: Promise<unknown>) => {
	let over = false;
	void promise.then(() => (over = true));
	for (let round = 0; round < 10; round++) await new Promise((resolve) => setImmediate(resolve));
	return over;
};

/** What a promise comes to, in virtual time. */
const inTime = async <T>(promise: Promise<T>): Promise<T> => {
	promise.catch(() => {});
	for (let round = 0; round < 20; round++) {
		await jest.advanceTimersByTimeAsync(100);
		await new Promise((resolve) => setImmediate(resolve));
	}
	return await promise;
};

describe('a recipient', () => {
	test.each<[string, Standing, Partial<Due>]>([
		['sent to', 'sent', { sent: ['анна+аня'] }],
		['released', 'claimed', { released: ['анна+аня'] }],
		['claimed by a process that died', 'inDoubt', {}],
	])('who was %s is %j for whoever looks next, under each of several names', async (_, standing, due) => {
		const { store, entries } = storeOf();
		expect(await look(store, 'анна+аня')).toEqual({ 'анна+аня': 'claimed' });
		expect(store.closed('аня+иван')).toBeInstanceOf(Promise);
		await note(store, due);
		for (const key of ['анна', 'аня', 'иван+анна', 'аня+иван']) {
			expect(await standingAfter(entries, key)).toBe(standing);
		}
		expect(await standingAfter(entries, 'иван')).toBe('claimed');
	});

	test('who certainly got nothing leaves no entry', async () => {
		const { store, entries } = storeOf();
		await look(store, 'анна');
		await note(store, { released: ['анна'] });
		expect(entries.stored).toEqual([]);
	});
});

describe('an update', () => {
	test('makes one call to look for many recipients, two where entries are to be removed, and none for nothing', async () => {
		const { store, entries } = storeOf();
		await store.update(nothing, () => []);
		expect(entries.calls).toEqual([]);
		await look(store, 'анна', 'иван', 'ольга');
		expect(entries.calls.map(({ name }) => name)).toEqual(['add']);
		await store.update({ sent: ['анна'], released: ['иван'] }, () => ['пётр', 'вера']);
		expect(entries.calls.map(({ name }) => name)).toEqual(['add', 'remove', 'add']);
	});

	test('asks for the next recipients when all that is due has been noted', async () => {
		const { store, entries } = storeOf();
		await look(store, 'анна');
		const stands = await store.update({ ...nothing, released: ['анна'] }, () => {
			expect(entries.stored).toEqual([]);
			expect(store.closed('анна')).toBeUndefined();
			return ['анна'];
		});
		expect(stands.get('анна')).toBe('claimed');
	});

	test('has the newest 100,000 entries kept', async () => {
		expect(mostRemembered).toBe(100_000);
		const { store, entries } = storeOf();
		await store.open();
		await look(store, 'анна');
		await note(store, { sent: ['анна'] });
		const added = entries.calls.filter(({ name }) => name === 'add');
		expect(added.map(({ most }) => most)).toEqual([100_000, 100_000, 100_000]);
	});

	test('writes nothing but the keys it was given', async () => {
		const { store, entries } = storeOf();
		await store.open();
		await look(store, 'анна', 'иван');
		await store.update({ sent: ['анна'], released: ['иван'] }, () => ['ольга']);
		const written = new Set(entries.calls.flatMap((call) => call.entries));
		expect([...written].sort()).toEqual([
			'doubt анна',
			'doubt иван',
			'doubt ольга',
			'open',
			'sent анна',
			'sent иван',
			'sent ольга',
		]);
	});

	test('waits for the one before, also of another run of the node, so that n8n loses nothing', async () => {
		const { store, entries } = storeOf();
		const other = new Store(entries);
		const keys = Array.from({ length: 40 }, (_, index) => `ключ ${index}`);
		await Promise.all(keys.map(async (key, index) => await look(index % 2 ? store : other, key)));
		await Promise.all([
			note(store, { sent: keys.slice(0, 20) }),
			note(other, { sent: keys.slice(20, 30) }),
			note(store, { released: keys.slice(30) }),
			other.open(),
		]);
		expect(entries.peak).toBe(1);
		expect(new Set(entries.stored)).toEqual(
			new Set([...keys.slice(0, 30).map((key) => `sent ${key}`), 'open']),
		);
	});

	test('does not wait for one of another node', async () => {
		const slow = new FakeEntries([], undefined, async () => await new Promise(() => {}));
		void new Store(slow).open();
		const { store } = storeOf();
		expect(await look(store, 'анна')).toEqual({ анна: 'claimed' });
	});

	test('goes on after one that failed', async () => {
		const { store, entries } = storeOf();
		const failing = store.update(nothing, () => {
			throw new Error('Нет');
		});
		const after = look(store, 'анна');
		await expect(failing).rejects.toThrow('Нет');
		expect(await after).toEqual({ анна: 'claimed' });
		expect(entries.peak).toBe(1);
	});
});

describe('a recipient whom a run looks for or has claimed', () => {
	test('is closed to all runs of the node in this process, and to no others', async () => {
		const { store, entries } = storeOf();
		const other = new Store(entries);
		const elsewhere = storeOf().store;
		let answer = () => {};
		entries.after = async () => await new Promise<void>((resolve) => (answer = resolve));
		const looking = store.update(nothing, () => ['анна', 'иван']);
		expect(await isOver(looking)).toBe(false);
		expect([store.closed('анна'), other.closed('анна')]).toEqual([expect.any(Promise), expect.any(Promise)]);
		answer();
		await looking;
		expect(other.closed('анна')).toBeInstanceOf(Promise);
		expect(elsewhere.closed('анна')).toBeUndefined();
		expect(other.closed('ольга')).toBeUndefined();
	});

	test.each<[string, (store: Store) => Promise<void> | void]>([
		['sent', async (store) => await note(store, { sent: ['анна'] })],
		['released', async (store) => await note(store, { released: ['анна'] })],
		['left', (store) => store.leave('анна')],
	])('is open again when it has been %s, and others are told', async (_, end) => {
		const { store, entries } = storeOf();
		const other = new Store(entries);
		await look(store, 'анна', 'иван');
		const closed = other.closed('анна')!;
		expect(await isOver(closed)).toBe(false);
		await end(store);
		expect(await isOver(closed)).toBe(true);
		expect(other.closed('анна')).toBeUndefined();
		expect(await isOver(other.closed('иван')!)).toBe(false);
	});

	test('is closed though it was sent to before, until that is noted again', async () => {
		const { store } = storeOf('sent анна');
		expect(await look(store, 'анна')).toEqual({ анна: 'sent' });
		expect(store.closed('анна')).toBeInstanceOf(Promise);
		await note(store, { sent: ['анна'] });
		expect(store.closed('анна')).toBeUndefined();
	});
});

describe('where calls fail', () => {
	beforeEach(() => jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick'] }));
	afterEach(() => jest.useRealTimers());

	/** Lets the next calls of a kind fail, that many of them. */
	const letFail = (entries: FakeEntries, name: Call['name'], times: number) => {
		let left = times;
		entries.before = (call) => {
			if (call.name === name && left-- > 0) throw new Error(`Занято: ${left}`);
		};
	};

	test.each([1, 2])('looking is tried again after %i failed calls', async (times) => {
		const { store, entries } = storeOf('sent анна');
		letFail(entries, 'add', times);
		expect(await inTime(look(store, 'анна', 'иван'))).toEqual({ анна: 'sent', иван: 'claimed' });
		expect(entries.calls).toHaveLength(times + 1);
	});

	test('a failed call is not made again at once, so that a busy database gets on', async () => {
		const { store, entries } = storeOf();
		letFail(entries, 'add', 1);
		const looking = look(store, 'анна');
		expect(await isOver(looking)).toBe(false);
		expect(entries.calls).toHaveLength(1);
		expect(await inTime(looking)).toEqual({ анна: 'claimed' });
		expect(entries.calls).toHaveLength(2);
	});

	test('looking is given up after three failed calls with the words of the last, and leaves nobody closed', async () => {
		const { store, entries } = storeOf();
		letFail(entries, 'add', 3);
		await expect(inTime(look(store, 'анна'))).rejects.toThrow('Занято: 0');
		expect(entries.calls).toHaveLength(3);
		expect(store.closed('анна')).toBeUndefined();
		expect(await inTime(look(store, 'анна'))).toEqual({ анна: 'claimed' });
	});

	test('other runs of the node wait until a call that fails has been given up', async () => {
		const { store, entries } = storeOf();
		const other = new Store(entries);
		letFail(entries, 'add', 3);
		const failing = look(store, 'анна');
		const after = look(other, 'иван');
		await expect(inTime(failing)).rejects.toThrow();
		await inTime(after);
		expect(entries.entriesOf('add').map(([entry]) => entry)).toEqual([
			...['sent анна', 'sent анна', 'sent анна'],
			'sent иван',
		]);
	});

	test('opening the store is tried three times, and then throws what n8n says', async () => {
		const { store, entries } = storeOf();
		letFail(entries, 'add', 3);
		await expect(inTime(store.open())).rejects.toThrow('Занято: 0');
		await inTime(store.open());
		expect(entries.calls).toHaveLength(4);
	});

	test.each([1, 2])('removing entries is tried again after %i failed calls', async (times) => {
		const { store, entries } = storeOf();
		await inTime(look(store, 'анна', 'иван'));
		letFail(entries, 'remove', times);
		await inTime(note(store, { sent: ['анна'], released: ['иван'] }));
		expect(entries.stored).toEqual(['sent анна']);
		expect(entries.entriesOf('remove')).toHaveLength(times + 1);
		expect(store.notNoted).toBe(0);
	});

	test('recipients who could not be noted are counted, in doubt and open to other runs, and the next are looked for', async () => {
		const { store, entries } = storeOf();
		const other = new Store(entries);
		await inTime(look(store, 'анна', 'иван', 'ольга', 'пётр'));
		letFail(entries, 'remove', 3);
		const stands = await inTime(
			store.update({ sent: ['анна', 'иван'], released: ['ольга'] }, () => ['вера']),
		);
		expect([...stands]).toEqual([['вера', 'claimed']]);
		expect([store.notNoted, other.notNoted]).toEqual([3, 0]);
		expect(['анна', 'иван', 'ольга'].map((key) => other.closed(key))).toEqual([
			undefined,
			undefined,
			undefined,
		]);
		expect(other.closed('пётр')).toBeInstanceOf(Promise);
		expect(await inTime(look(other, 'анна', 'ольга'))).toEqual({ анна: 'inDoubt', ольга: 'inDoubt' });
	});
});

describe('whatever is done, and whenever the process dies (generated)', () => {
	/** What the test knows of a recipient. */
	interface Known {
		/** How it may stand. */
		may: Set<Standing>;
		/** How it stood when this process looked for it, as long as it is closed. */
		open?: Standing;
	}

	const names = ['а', 'б', 'в', 'г', 'д', 'е'];

	const step = fc.record({
		/** Who is looked for. */
		next: fc.subarray(names),
		/** What became of those who are claimed: by recipient. */
		became: fc.tuple(...names.map(() => fc.constantFrom('sent', 'released', 'left', 'open'))),
		/** Which of the two runs does it. */
		run: fc.constantFrom(0, 1),
		/** After how many moments of the update, each before or after a call has written, the process dies; mostly not at all. */
		dies: fc.option(fc.nat({ max: 4 }), { freq: 2, nil: undefined }),
	});

	test('a recipient stands as it was noted last, or is in doubt', async () => {
		await fc.assert(
			fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 15 }), async (steps) => {
				const known = new Map<string, Known>(names.map((name) => [name, { may: new Set(['claimed']) }]));
				const atOnce = async () => {};
				let entries = new FakeEntries([], undefined, atOnce);
				let stores = [new Store(entries), new Store(entries)];
				for (const { next, became, run, dies } of steps) {
					const store = stores[run]!;
					const due: Due = { sent: [], released: [] };
					for (const [index, name] of names.entries()) {
						const each = known.get(name)!;
						// Whoever was sent to before is noted again; nothing else may become of it.
						const end = each.open === 'sent' && became[index] !== 'open' ? 'sent' : became[index]!;
						if (!each.open || end === 'open') continue;
						if (end === 'left') {
							store.leave(name);
							each.open = undefined;
						} else {
							due[end].push(name);
						}
					}

					let moments = 0;
					let die = () => {};
					const dead = new Promise<'dead'>((resolve) => (die = () => resolve('dead')));
					const moment = async () => {
						if (moments++ !== dies) return;
						die();
						await new Promise(() => {});
					};
					entries.before = moment;
					entries.after = moment;
					const asked: string[] = [];
					const outcome = await Promise.race([
						dead,
						store.update(due, () => {
							asked.push(...next.filter((name) => store.closed(name) === undefined));
							return [...asked];
						}),
					]);

					for (const [end, stands] of [
						['sent', 'sent'],
						['released', 'claimed'],
					] as const) {
						for (const name of due[end]) {
							const each = known.get(name)!;
							each.open = undefined;
							each.may = new Set(outcome === 'dead' ? [stands, 'inDoubt'] : [stands]);
						}
					}
					if (outcome === 'dead') {
						for (const name of asked) known.get(name)!.may.add('inDoubt');
						for (const each of known.values()) each.open = undefined;
						entries = new FakeEntries([...entries.stored], undefined, atOnce);
						stores = [new Store(entries), new Store(entries)];
						continue;
					}
					expect(entries.peak).toBeLessThanOrEqual(1);
					expect([...outcome.keys()]).toEqual(asked);
					for (const [name, standing] of outcome) {
						const each = known.get(name)!;
						if (!each.may.has(standing)) throw new Error(`${name} must not be ${standing}`);
						// What is written by now is both entries, whatever stood there before.
						each.may = new Set(['inDoubt']);
						if (standing === 'inDoubt') store.leave(name);
						else each.open = standing;
					}
					const closed = names.filter((name) => stores[1 - run]!.closed(name) !== undefined);
					expect(closed).toEqual(names.filter((name) => known.get(name)!.open !== undefined));
				}
			}),
			{ numRuns: 200 },
		);
	});
});

describe('where another process overwrites entries at the same moment', () => {
	/** Loses what was written by so many calls from the first claim on. */
	async function noted(lost: number) {
		const { store, entries } = storeOf('sent давно');
		let left = lost;
		entries.after = () => {
			if (left-- > 0) entries.stored = ['sent давно', 'doubt анна'];
		};
		await look(store, 'анна', 'иван');
		const kept = await look(store, 'ольга');
		await note(store, { sent: ['анна', 'иван'] });
		return { entries, kept };
	}

	test.each([0, 1, 2, 3, 4, 5, 6])(
		'a recipient who was sent to is noted all the same when %i calls are lost',
		async (lost) => {
			const { entries } = await noted(lost);
			for (const key of ['анна', 'иван', 'давно']) expect(await standingAfter(entries, key)).toBe('sent');
		},
	);

	test('nothing is noted again where nothing was lost', async () => {
		const { entries } = await noted(0);
		expect(entries.calls.map(({ name }) => name)).toEqual(['add', 'add', 'remove', 'add']);
	});

	test('recipients who were noted shortly before are noted again, but nobody who is only claimed', async () => {
		const { store, entries } = storeOf();
		await look(store, 'анна', 'иван', 'ольга');
		await note(store, { sent: ['анна'] });
		entries.stored = [];
		await note(store, { sent: ['иван'] });
		expect(new Set(entries.stored)).toEqual(new Set(['sent анна', 'sent иван']));
	});

	test('noting again is given up after five attempts', async () => {
		const { entries } = await noted(Infinity);
		expect(entries.entriesOf('remove')).toHaveLength(1 + 5);
	});

	describe('in virtual time,', () => {
		beforeEach(() => jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick'] }));
		afterEach(() => {
			jest.useRealTimers();
			jest.restoreAllMocks();
		});

		/** Notes one recipient and, some time later, another, when both entries have been lost. */
		async function notedApart(milliseconds: number) {
			const { store, entries } = storeOf();
			await look(store, 'анна', 'иван');
			await note(store, { sent: ['анна'] });
			await jest.advanceTimersByTimeAsync(milliseconds);
			entries.stored = [];
			const noting = note(store, { sent: ['иван'] });
			expect(await isOver(noting)).toBe(false);
			return { entries, noting };
		}

		test.each([
			[2000, ['sent анна', 'sent иван']],
			[2001, ['sent иван']],
		])('what was noted up to two seconds before is noted again: after %i ms', async (ms, expected) => {
			const { entries, noting } = await notedApart(ms);
			await inTime(noting);
			expect([...entries.stored].sort()).toEqual(expected);
		});

		test('noting again waits for 100 to 200 ms, so that two processes do not overlap once more', async () => {
			jest.spyOn(Math, 'random').mockReturnValue(0.5);
			const { entries } = await notedApart(0);
			const calls = entries.calls.length;
			await jest.advanceTimersByTimeAsync(149);
			expect(entries.calls).toHaveLength(calls);
			await jest.advanceTimersByTimeAsync(1);
			expect(entries.calls).toHaveLength(calls + 1);
		});
	});
});
