import fc from 'fast-check';
import { sleep, type IDataObject, type IPairedItemData } from 'n8n-workflow';

import type { ServiceAnswer } from '../../nodes/ChatbotService/client/http/answer';
import {
	inDoubt,
	leftUnknown,
	notAttempted,
	notRecorded,
	tokenRefused,
} from '../../nodes/ChatbotService/client/failure/failure';
import { seededRandom } from '../../sandbox/emulator/random';
import { times } from '../times';
import { inTime, passTime, useVirtualTime } from '../virtualTime';
import { FakeEntries, type Database } from './fakeEntries';
import { broken, failing, ok, refused } from './answers';
import { newCredential, once, runFor, type AnswerTo } from './runs';

/*
 * The promises of 'Send Once Per' and of Retry when processes die or run at the same time, n8n's store fails, the user stops a run, or
 * processes overwrite each other's entries. In virtual time, and generated; test/e2e kills real processes.
 */

useVirtualTime();
afterEach(() => jest.restoreAllMocks());

const call = fc.integer({ min: 1, max: 12 });
const when = fc.constantFrom('before' as const, 'after' as const);
const request = fc.integer({ min: 1, max: 70 });
/** What ends or disturbs a run. */
const trouble = fc.oneof(
	fc.record({ kind: fc.constant('none' as const) }),
	fc.record({ kind: fc.constant('dies' as const), call, when }),
	fc.record({ kind: fc.constant('dies' as const), atMs: fc.nat({ max: 4000 }) }),
	fc.record({ kind: fc.constantFrom('dies' as const, 'stopped' as const), request }),
	fc.record({
		kind: fc.constant('store fails' as const),
		...{ from: call, when, times: fc.constantFrom(1, 3, 6, Infinity) },
		name: fc.constantFrom('add' as const, 'remove' as const, undefined),
	}),
	fc.record({ kind: fc.constantFrom('refused' as const, 'unknown' as const), contact: request }),
);

const broadcasts = fc.record({
	count: fc.integer({ min: 1, max: 80 }),
	requestsPerSecond: fc.constantFrom<number[]>(0, 0, 5, 20),
	/** Whether the execution that is retried identifies the items, and not a value of 'Send Once Per'. */
	isRetry: fc.boolean(),
	callMs: fc.constantFrom<number[]>([1, 1], [5, 20], [60, 120], [1000, 1000]),
	/** How long a process stands still in some of its calls. */
	stallMs: fc.constantFrom<number[]>(0, 0, 600, 3000, 8000),
	answerMs: fc.constantFrom<number[]>([0, 20], [40, 40], [300, 500]),
	/** Without a seed, all processes run in step. */
	seed: fc.option(fc.integer({ min: 1 }), { freq: 9, nil: undefined }),
});

const disturbances = fc.record({
	trouble,
	continues: fc.boolean(),
	/** Who else sends to the same recipients at the same time, and when these start at the latest. */
	beside: fc.array(fc.constantFrom('run' as const, 'process' as const), { maxLength: 2 }),
	startsMs: fc.constantFrom(0, 30, 400),
});

type Generated<Arbitrary> = Arbitrary extends fc.Arbitrary<infer Value> ? Value : never;
type Broadcast = Generated<typeof broadcasts>;
type Disturbed = Generated<typeof disturbances>;
type Trouble = Generated<typeof trouble>;

const doubts = [inDoubt('', ''), leftUnknown('')].map(({ message }) => message);

/** How the messages to contacts have ended; 'done' if they were sent now or before. */
const endsOf = ({ items, errors }: Awaited<ReturnType<typeof runFor>>) =>
	items.map(({ pairedItem }, index) => ({
		contact: (pairedItem as IPairedItemData).item + 1,
		came: !errors[index] ? 'done' : doubts.includes(errors[index]) ? 'in doubt' : 'failed',
	}));

/** Processes that send to the same recipients, with one database. */
class Scene {
	/** How many messages each contact has received. */
	readonly received = new Map<number, number>();

	private readonly database: Database = { stored: [] };

	private readonly random: () => number;

	constructor(private readonly given: Broadcast) {
		this.random = given.seed === undefined ? () => 0.5 : seededRandom(given.seed);
		jest.spyOn(Math, 'random').mockImplementation(seededRandom(given.seed ?? 1));
	}

	/** Runs in a process of its own and beside it. @returns how the messages have ended */
	async disturbed({ trouble, continues, beside, startsMs }: Disturbed) {
		const process = this.newProcess();
		const runs = beside.map(async (kind) => {
			await sleep(this.between([0, startsMs]));
			return await this.run(kind === 'run' ? process : this.newProcess(), { kind: 'none' }, true);
		});
		const ended = await inTime(Promise.all([this.run(process, trouble, continues), ...runs]));
		return { ends: ended.flatMap(endsOf), hasDied: process.entries.died.aborted };
	}

	/** A run that nothing disturbs, and all work that continues after it. */
	async undisturbed() {
		const ends = endsOf(await this.run(this.newProcess(), { kind: 'none' }, true));
		await passTime();
		return ends;
	}

	/** The number of recipients with an entry. */
	countOf(kind: 'sent' | 'doubt') {
		return this.database.stored.filter((entry) => entry.startsWith(`${kind} `)).length;
	}

	private newProcess() {
		const entries = new FakeEntries(this.database, () => this.between(this.given.callMs));
		entries.stallMs = () => (this.random() < 0.03 ? this.given.stallMs : 0);
		return { entries, credential: newCredential(this.given.requestsPerSecond) };
	}

	private async run(
		{ entries, credential }: ReturnType<Scene['newProcess']>,
		trouble: Trouble,
		continues: boolean,
	) {
		const { count, isRetry, answerMs } = this.given;
		const stop = new AbortController();
		const signal = AbortSignal.any([stop.signal, entries.died]);
		const end = () => (trouble.kind === 'stopped' ? stop.abort() : entries.die());
		if (trouble.kind === 'store fails') entries.fail(trouble);
		if ('atMs' in trouble) setTimeout(end, trouble.atMs);
		if ('call' in trouble)
			entries[trouble.when] = () => void (entries.calls.length === trouble.call && end());
		const answerTo: AnswerTo = async (contact, to) => {
			const isRefused = trouble.kind === 'refused' && trouble.contact === contact;
			const isUnknown = trouble.kind === 'unknown' && trouble.contact === contact;
			if (!isRefused) this.received.set(contact, (this.received.get(contact) ?? 0) + 1);
			if ('request' in trouble && trouble.request === to.indexOf(contact) + 1) end();
			await sleep(this.between(answerMs));
			return isRefused ? refused : isUnknown ? broken : ok;
		};
		const kept = isRetry ? { origin: 'исходная' } : null;
		return await runFor(
			count,
			{ answerTo, entries, credential, continues, signal, kept },
			isRetry ? {} : once,
		);
	}

	private between([least = 0, most = 0]: number[]) {
		return least + this.random() * (most - least);
	}
}

test('no recipient gets a message twice, and each gets it from a later run or is reported as in doubt (generated)', async () => {
	let [deaths, named] = [0, 0];
	const property = async (given: Broadcast, runs: Disturbed[]) => {
		const scene = new Scene(given);
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
	await fc.assert(fc.asyncProperty(broadcasts, some, property), { numRuns: times(15) });
	// Otherwise, the generated moments do not occur in the runs.
	expect(deaths).toBeGreaterThan(times(3));
	expect(named).toBeGreaterThan(times(3));
}, 120_000);

test.each([
	[
		'while it sends',
		'two seconds of messages in doubt, and those in progress, at the usual pace',
		2,
		100,
		4 + 2,
	],
	['while it sends', 'two seconds of messages in doubt, and those in progress', 4, 100, 8 + 4],
	['after its claims', 'two seconds of messages in doubt, and those in progress', 4, 100, 8 + 4],
	[
		'while it sends',
		'fifty in doubt, ten in progress and fifty not recorded yet, without a limit',
		0,
		300,
		110,
	],
])('a process that dies %s leaves only %s', async (when, _, requestsPerSecond, count, most) => {
	const entries = new FakeEntries();
	let claims = 0;
	entries.after = (name) => {
		if (when === 'after its claims' && name === 'add' && ++claims === 2) entries.die();
	};
	const answerTo: AnswerTo = async (contact) => {
		if (when === 'while it sends' && contact === 6) entries.die();
		return await sleep(40).then(() => ok);
	};
	// The lock of a process that dies within a call would delay the later run.
	const isWorker = when === 'while it sends';
	await runFor(count, { entries, answerTo, isWorker, credential: newCredential(requestsPerSecond) }, once);
	const later = await runFor(count, { entries: entries.inAnotherProcess(), isWorker, continues: true }, once);
	const doubted = endsOf(later).filter(({ came }) => came === 'in doubt');
	expect(doubted.length).toBeGreaterThan(0);
	expect(doubted.length).toBeLessThanOrEqual(most);
	// They are named after about twelve seconds.
	expect(later.tookMs).toBeLessThan(13_000);
	// The others do not wait until it is certain that nobody sends these.
	expect(later.times.at(-1)).toBeLessThan(5000);
});

const { message: isNotAttempted } = notAttempted(tokenRefused(401));
const { message: isNotRecorded } = notAttempted(notRecorded(new Error('Занято')));
const failingStore = new FakeEntries();
failingStore.fail({ name: 'add' });

test.each<[string, number, ServiceAnswer, FakeEntries | undefined, string | undefined]>([
	['after trouble of the account', 3, failing(401, 'Unauthenticated.'), undefined, isNotAttempted],
	['because the first of them is sent', 1, ok, new FakeEntries(), undefined],
	["because n8n's store fails", 0, ok, failingStore, isNotRecorded],
])(
	'10,000 items with one recipient end one after the other %s',
	async (_, requests, answer, entries, error) => {
		const contacts = Array<object>(10_000).fill({ id: 5 });
		const context = { answerTo: () => answer, entries, continues: true };
		const { json, errors, to } = await runFor(10_000, context, entries && once, contacts);
		expect([json.length, to.length]).toEqual([10_000, requests]);
		const isRest = ({ alreadySent }: IDataObject, index: number) =>
			error === undefined ? alreadySent : errors[index] === error;
		expect(json.filter(isRest)).toHaveLength(10_000 - requests);
	},
);
