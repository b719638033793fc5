import fc from 'fast-check';
import { sleep, type IDataObject, type IPairedItemData } from 'n8n-workflow';

import type { ServiceAnswer } from '../../nodes/ChatbotService/client/http/answer';
import * as failures from '../../nodes/ChatbotService/client/failure/failure';
import { seededRandom } from '../../sandbox/emulator/random';
import { times } from '../times';
import { inTime, passTime, useVirtualTime } from '../virtualTime';
import { FakeEntries, type Database } from './fakeEntries';
import { broken, failing, ok, refused } from './answers';
import { newCredential, once, runFor, type AnswerTo } from './runs';

/*
 * The promises of 'Send Once Per' and of Retry when processes die or run at the same time, n8n's store fails, the user stops a run, or
 * processes overwrite each other's entries. In virtual time, and generated; test/e2e kills real processes. The generated test takes
 * seconds of a processor, because whole broadcasts meet each other in it.
 */

useVirtualTime();
afterEach(() => jest.restoreAllMocks());

const call = fc.integer({ min: 1, max: 12 });
const when = fc.constantFrom('before' as const, 'after' as const);
const request = fc.integer({ min: 1, max: 70 });
const one = <Word extends string>(...words: Word[]) => fc.constantFrom(...words);

/** What ends or disturbs a run. */
const trouble = fc.oneof(
	fc.record({ kind: one('none') }),
	fc.record({ kind: one('dies'), call, when }),
	fc.record({ kind: one('dies'), atMs: fc.nat({ max: 4000 }) }),
	fc.record({ kind: one('dies', 'stopped'), request }),
	fc.record({
		...{ kind: one('store fails'), name: fc.constantFrom('add' as const, 'remove' as const, undefined) },
		...{ from: call, when, times: fc.constantFrom(1, 3, 6, Infinity) },
	}),
	fc.record({ kind: one('refused', 'unknown'), contact: request }),
);

const broadcasts = fc.record({
	count: fc.integer({ min: 1, max: 80 }),
	requestsPerSecond: fc.constantFrom(0, 0, 5, 20),
	/** Whether the execution that is retried identifies the items, and not a value of 'Send Once Per'. */
	isRetry: fc.boolean(),
	callMs: fc.constantFrom([1, 1], [5, 20], [60, 120], [1000, 1000]),
	/** How long a process stands still in some of its calls. */
	stallMs: fc.constantFrom(0, 0, 600, 3000, 8000),
	answerMs: fc.constantFrom([0, 20], [40, 40], [300, 500]),
	/** Without a seed, all processes run in step. */
	seed: fc.option(fc.integer({ min: 1 }), { freq: 9, nil: undefined }),
});

const disturbances = fc.record({
	trouble,
	continues: fc.boolean(),
	/** Who else sends to the same recipients at the same time, and when these start at the latest. */
	beside: fc.array(one('run', 'process'), { maxLength: 2 }),
	startsMs: fc.constantFrom(0, 30, 400),
});

type Generated<Arbitrary> = Arbitrary extends fc.Arbitrary<infer Value> ? Value : never;
type Broadcast = Generated<typeof broadcasts>;
type Disturbed = Generated<typeof disturbances>;

const none = { kind: 'none' as const };
const doubts = [failures.inDoubt('', ''), failures.leftUnknown('')].map(({ message }) => message);

/** 'done' if it was sent now or before. */
const endsOf = ({ items, errors }: Awaited<ReturnType<typeof runFor>>) =>
	items.map(({ pairedItem }, index) => ({
		contact: (pairedItem as IPairedItemData).item + 1,
		came: !errors[index] ? 'done' : doubts.includes(errors[index]) ? 'in doubt' : 'failed',
	}));

/** Processes that send to the same recipients, with one database. */
function sceneOf({ count, isRetry, seed, ...given }: Broadcast) {
	const database: Database = { stored: [] };
	/** How many messages each contact has received. */
	const received = new Map<number, number>();
	const random = seed === undefined ? () => 0.5 : seededRandom(seed);
	jest.spyOn(Math, 'random').mockImplementation(seededRandom(seed ?? 1));
	const between = ([least, most]: readonly [number, number]) => least + random() * (most - least);

	const newProcess = () => {
		const entries = new FakeEntries(database, () => between(given.callMs));
		entries.stallMs = () => (random() < 0.03 ? given.stallMs : 0);
		return { entries, credential: newCredential(given.requestsPerSecond) };
	};

	type Process = ReturnType<typeof newProcess>;
	const run = async (process: Process, trouble: Disturbed['trouble'], continues = true) => {
		const { entries } = process;
		const stop = new AbortController();
		const signal = AbortSignal.any([stop.signal, entries.died]);
		const end = () => (trouble.kind === 'stopped' ? stop.abort() : entries.die());
		if (trouble.kind === 'store fails') entries.fail(trouble);
		if ('atMs' in trouble) setTimeout(end, trouble.atMs);
		if ('call' in trouble)
			entries[trouble.when] = () => void (entries.calls.length === trouble.call && end());
		const answerTo: AnswerTo = async (contact, to) => {
			const kind = 'contact' in trouble && trouble.contact === contact ? trouble.kind : undefined;
			if (kind !== 'refused') received.set(contact, (received.get(contact) ?? 0) + 1);
			if ('request' in trouble && trouble.request === to.indexOf(contact) + 1) end();
			await sleep(between(given.answerMs));
			return kind === 'refused' ? refused : kind === 'unknown' ? broken : ok;
		};
		const kept = isRetry ? { origin: 'исходная' } : null;
		return await runFor(count, { ...process, answerTo, continues, signal, kept }, isRetry ? {} : once);
	};

	return {
		received,
		/** The number of recipients with an entry. */
		countOf: (kind: 'sent' | 'doubt') =>
			database.stored.filter((entry) => entry.startsWith(`${kind} `)).length,
		/** Runs in a process of its own and beside it. @returns how the messages have ended */
		async disturbed({ trouble, continues, beside, startsMs }: Disturbed) {
			const process = newProcess();
			const others = beside.map(async (kind) => {
				await sleep(between([0, startsMs]));
				return await run(kind === 'run' ? process : newProcess(), none);
			});
			const ended = await inTime(Promise.all([run(process, trouble, continues), ...others]));
			return { ends: ended.flatMap(endsOf), hasDied: process.entries.died.aborted };
		},
		/** A run that nothing disturbs, and all work that continues after it. */
		async undisturbed() {
			const ends = endsOf(await run(newProcess(), none));
			await passTime();
			return ends;
		},
	};
}

test('all get a message once or are in doubt (generated)', async () => {
	let [deaths, named] = [0, 0];
	const property = async (given: Broadcast, runs: Disturbed[]) => {
		const scene = sceneOf(given);
		const { received } = scene;
		const isFalse = ({ came, contact }: ReturnType<typeof endsOf>[number]) =>
			came === 'done' && received.get(contact) !== 1;
		for (const run of runs) {
			const { ends, hasDied } = await scene.disturbed(run);
			expect(ends.filter(isFalse)).toEqual([]);
			if (hasDied) deaths++;
		}
		// Work that continues after the runs.
		await passTime();
		const inDoubt = scene.countOf('doubt');
		const last = await scene.undisturbed();
		expect([...received.values()].filter((count) => count > 1)).toEqual([]);
		expect(last.filter((each) => each.came === 'failed' || isFalse(each))).toEqual([]);
		const doubted = last.filter(({ came }) => came === 'in doubt');
		expect(doubted).toHaveLength(inDoubt);
		const kinds = runs.map(({ trouble: { kind } }) => kind);
		if (kinds.every((kind) => kind === 'refused' || kind === 'none')) expect(doubted).toEqual([]);
		// Nobody is in doubt whose message has not left.
		if (!kinds.includes('dies') && !kinds.includes('store fails'))
			expect(doubted.filter(({ contact }) => !received.has(contact))).toEqual([]);
		if (inDoubt) named++;
		// They remain in doubt, and everybody else is recorded.
		expect(scene.countOf('doubt')).toBe(inDoubt);
		expect(scene.countOf('sent')).toBeGreaterThanOrEqual(given.count - inDoubt);
	};
	const some = fc.array(disturbances, { minLength: 1, maxLength: 3 });
	await fc.assert(fc.asyncProperty(broadcasts, some, property), { numRuns: times(6) });
	// Otherwise, the generated moments do not occur in the runs.
	expect([deaths > times(1), named > times(1)]).toEqual([true, true]);
}, 120_000);

const atSixth = 'while it sends';
const atClaim = 'after its claims';

/* In doubt are two seconds of messages and those in progress; without a limit fifty, ten in progress and fifty not recorded. */
test.each<[string, perSecond: number, count: number, most: number]>([
	[atSixth, 2, 100, 4 + 2],
	[atClaim, 4, 100, 8 + 4],
	[atSixth, 0, 300, 50 + 10 + 50],
])('a process that dies %s leaves few: %i per second', async (when, perSecond, count, most) => {
	const entries = new FakeEntries();
	let claims = 0;
	entries.after = (name) => {
		if (when === atClaim && name === 'add' && ++claims === 2) entries.die();
	};
	const answerTo: AnswerTo = async (contact) => {
		if (when === atSixth && contact === 6) entries.die();
		return await sleep(40).then(() => ok);
	};
	// The lock of a process that dies within a call would delay the later run.
	const isWorker = when === atSixth;
	await runFor(count, { entries, answerTo, isWorker, credential: newCredential(perSecond) }, once);
	const later = await runFor(count, { entries: entries.inAnotherProcess(), isWorker, continues: true }, once);
	const doubted = endsOf(later).filter(({ came }) => came === 'in doubt');
	expect(doubted.length).toBeGreaterThan(0);
	expect(doubted.length).toBeLessThanOrEqual(most);
	// They are named after about twelve seconds, and the others do not wait until it is certain that nobody sends these.
	expect(later.tookMs).toBeLessThan(13_000);
	expect(later.times.at(-1)).toBeLessThan(5000);
});

const { message: isNotAttempted } = failures.notAttempted(failures.tokenRefused());
const { message: isNotRecorded } = failures.notAttempted(failures.notRecorded(new Error('Занято')));

test.each<[string, number, ServiceAnswer, FakeEntries | undefined, string | undefined]>([
	['after trouble of the account', 3, failing(401, 'Unauthenticated.'), undefined, isNotAttempted],
	['because the first of them is sent', 1, ok, new FakeEntries(), undefined],
	["because n8n's store fails", 0, ok, new FakeEntries().fail({ name: 'add' }), isNotRecorded],
])('2,000 items with one recipient end %s', async (_, requests, answer, entries, error) => {
	const contacts = Array<object>(2000).fill({ id: 5 });
	const context = { answerTo: () => answer, entries, continues: true };
	const { json, errors, to } = await runFor(2000, context, entries && once, contacts);
	expect([json.length, to.length]).toEqual([2000, requests]);
	const isRest = ({ alreadySent }: IDataObject, index: number) =>
		error === undefined ? alreadySent : errors[index] === error;
	expect(json.filter(isRest)).toHaveLength(2000 - requests);
});
