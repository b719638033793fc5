import fc from 'fast-check';
import type { IDataObject, INodeExecutionData, IPairedItemData } from 'n8n-workflow';

import type { ServiceAnswer } from '../../nodes/ChatbotService/client/answer';
import {
	inDoubt,
	leftUnknown,
	notAttempted,
	notRecorded,
	tokenRefused,
} from '../../nodes/ChatbotService/client/failure';
import { Outcomes } from '../../nodes/ChatbotService/run/outcome';
import { run } from '../../nodes/ChatbotService/run/run';
import { seededRandom } from '../../sandbox/emulator/random';
import { FakeEntries, type Call, type Row } from './fakeEntries';
import { broken, contactOf, contextFor, newCredential, ok, once, refused, runFor } from './runs';
import { clock, inTime } from './virtualTime';
import type * as VirtualTime from './virtualTime';

jest.mock('n8n-workflow', () => jest.requireActual<typeof VirtualTime>('./virtualTime').n8nWorkflow());

/*
 * The promises of 'Send Once Per' and of Retry when processes die, n8n's store fails, the user stops a run, or processes overwrite
 * each other's entries. In virtual time, and generated; engine/processes.test.ts kills real processes.
 */

/** The most recipients of one run that are claimed, in progress, or sent and not recorded yet. */
const mostInDoubt = 50 + 10 + 50;

/** The service: who has received a message, and how it answers. */
class Service {
	/** How many messages each contact has received. */
	readonly received = new Map<number, number>();

	/** Called for each request. */
	onRequest: (number: number) => void = () => {};

	/** The next answer for a contact, where it is not the usual one. */
	readonly answers = new Map<number, ServiceAnswer>();

	private requests = 0;

	constructor(private readonly answerMs: () => number) {}

	readonly send = async (options: Parameters<typeof contactOf>[0]) => {
		const contact = contactOf(options);
		const answer = this.answers.get(contact) ?? ok;
		this.answers.delete(contact);
		if (answer !== refused) this.received.set(contact, (this.received.get(contact) ?? 0) + 1);
		this.onRequest(++this.requests);
		await clock.sleep(this.answerMs());
		return answer;
	};

	countFromHere() {
		this.requests = 0;
	}
}

/** What ends or disturbs a run. */
type Trouble =
	| { kind: 'dies' | 'stopped'; request: number }
	| { kind: 'dies'; call: number; when: 'before' | 'after' }
	| { kind: 'dies'; atMs: number }
	| { kind: 'store fails'; call: number; when: 'before' | 'after'; times: number; name?: Call['name'] }
	| { kind: 'refused' | 'unknown'; contact: number };

const call = fc.integer({ min: 1, max: 12 });
const when = fc.constantFrom('before' as const, 'after' as const);
const request = fc.integer({ min: 1, max: 70 });
const trouble: fc.Arbitrary<Trouble> = fc.oneof(
	fc.record({ kind: fc.constant('dies' as const), call, when }),
	fc.record({ kind: fc.constant('dies' as const), atMs: fc.nat({ max: 4000 }) }),
	fc.record({ kind: fc.constantFrom('dies' as const, 'stopped' as const), request }),
	fc.record({
		kind: fc.constant('store fails' as const),
		...{ call, when, times: fc.constantFrom(1, 3, 6, Infinity) },
		name: fc.constantFrom('add' as const, 'remove' as const, undefined),
	}),
	fc.record({ kind: fc.constantFrom('refused' as const, 'unknown' as const), contact: request }),
);

const broadcasts = fc.record({
	count: fc.integer({ min: 1, max: 80 }),
	requestsPerSecond: fc.constantFrom<number[]>(0, 0, 5, 20),
	batchSize: fc.constantFrom<number[]>(0, 0, 0, 30),
	/** Whether the execution that is retried identifies the items, and not a value of 'Send Once Per'. */
	isRetry: fc.boolean(),
	gapMs: fc.constantFrom<number[]>([1, 1], [5, 20], [60, 120], [1000, 1000]),
	/** How long a process stands still in some of its calls. */
	stallMs: fc.constantFrom<number[]>(0, 0, 600, 3000, 8000),
	answerMs: fc.constantFrom<number[]>([0, 20], [40, 40], [300, 500]),
	seed: fc.integer({ min: 1 }),
});

const disturbances = fc.record({
	trouble,
	continues: fc.boolean(),
	/** Who else sends to the same recipients at the same time. */
	beside: fc.constantFrom<'nobody' | 'a run' | 'a process'>('nobody', 'nobody', 'a run', 'a process'),
});

type Generated<Arbitrary> = Arbitrary extends fc.Arbitrary<infer Value> ? Value : never;
type Broadcast = Generated<typeof broadcasts>;
type Disturbed = Generated<typeof disturbances>;

interface Ended {
	contact: number;
	/** 'done' if it was sent now or before. */
	came: 'done' | 'in doubt' | 'failed';
}

function endOf({ json: { error }, error: canceled, pairedItem }: INodeExecutionData): Ended {
	const contact = (pairedItem as IPairedItemData).item + 1;
	if (error === undefined && !canceled) return { contact, came: 'done' };
	const isInDoubt = [inDoubt('', ''), leftUnknown('')].some((each) => String(error).startsWith(each.message));
	return { contact, came: isInDoubt ? 'in doubt' : 'failed' };
}

/** Processes that send to the same recipients, with one table. */
class Scene {
	readonly row: Row = { stored: [] };

	readonly service: Service;

	private readonly random: () => number;

	constructor(readonly given: Broadcast) {
		this.random = seededRandom(given.seed);
		this.service = new Service(() => this.between(given.answerMs));
	}

	newProcess() {
		const { gapMs, stallMs } = this.given;
		const entries = new FakeEntries(
			[],
			undefined,
			async () => await clock.sleep(this.between(gapMs)),
			this.row,
		);
		entries.stall = async () => await clock.sleep(this.random() < 0.03 ? stallMs : 0);
		return new Process(this, entries);
	}

	/** A run in a process of its own, which ends without items if it fails as a whole or its process dies. */
	async disturbed({ trouble, continues, beside }: Disturbed) {
		const process = this.newProcess();
		this.service.countFromHere();
		process.meet(trouble);
		const others = { nobody: [], 'a run': [process], 'a process': [this.newProcess()] }[beside];
		const runs = [process.run(continues), ...others.map(async (other) => await other.run(true))];
		const [ended] = await inTime(Promise.all(runs));
		this.service.onRequest = () => {};
		this.service.answers.clear();
		return { ended, process };
	}

	/** A run that nothing disturbs, and all work that continues after it. */
	async undisturbed() {
		const ended = (await inTime(this.newProcess().run(true)))!;
		await clock.run();
		return ended;
	}

	/** The number of recipients with an entry. */
	countOf(kind: 'sent' | 'doubt') {
		return this.row.stored.filter((entry) => entry.startsWith(`${kind} `)).length;
	}

	get inDoubt() {
		return this.countOf('doubt');
	}

	private between([least = 0, most = 0]: number[]) {
		return least + this.random() * (most - least);
	}
}

class Process {
	private readonly stop = new AbortController();

	private readonly credential: ReturnType<typeof newCredential>;

	private announceDeath = () => {};

	private readonly death = new Promise<undefined>((died) => (this.announceDeath = () => died(undefined)));

	constructor(
		private readonly scene: Scene,
		readonly entries: FakeEntries,
	) {
		this.credential = newCredential(scene.given.requestsPerSecond);
	}

	async run(continues: boolean): Promise<Ended[] | undefined> {
		const { service, given } = this.scene;
		const { count, batchSize, isRetry } = given;
		const batching = { batch: { batchSize, batchInterval: 100 } };
		const changes = {
			...{ send: service.send, entries: this.entries, credential: this.credential, continues },
			signal: this.stop.signal,
			kept: isRetry ? { origin: 'исходная' } : null,
		};
		const parameters = { ...(!isRetry && once), ...(batchSize && { requestOptions: { batching } }) };
		const ended = run(contextFor(count, changes, parameters)).then(
			(items) => items.map(endOf),
			() => undefined,
		);
		return await Promise.race([ended, this.death]);
	}

	meet(trouble: Trouble) {
		const { service } = this.scene;
		if ('atMs' in trouble) {
			void clock.sleep(trouble.atMs).then(() => this.die());
		} else if ('request' in trouble) {
			const end = trouble.kind === 'dies' ? () => this.die() : () => this.stop.abort();
			service.onRequest = (number) => void (number === trouble.request && end());
		} else if ('contact' in trouble) {
			service.answers.set(trouble.contact, trouble.kind === 'refused' ? refused : broken);
		} else if (trouble.kind === 'dies') {
			this.entries[trouble.when] = (_, number) => void (number === trouble.call && this.die());
		} else {
			let calls = 0;
			this.entries[trouble.when] = ({ name }) => {
				if (trouble.name && name !== trouble.name) return;
				calls++;
				if (calls >= trouble.call && calls < trouble.call + trouble.times) throw new Error('Занято');
			};
		}
	}

	/** From now on, no call to the store is answered, and no request leaves. Requests in transit still arrive. */
	private die() {
		this.entries.die();
		this.announceDeath();
		this.stop.abort();
	}
}

test('no recipient gets a message twice, and each gets it from a later run or is reported as in doubt (generated)', async () => {
	let [deaths, named] = [0, 0];
	const property = async (given: Broadcast, runs: Disturbed[]) => {
		const scene = new Scene(given);
		const { received } = scene.service;
		const isFalse = ({ came, contact }: Ended) => came === 'done' && received.get(contact) !== 1;
		let [mayDoubt, mayLose] = [false, false];
		for (const run of runs) {
			const before = scene.inDoubt;
			const { ended, process } = await scene.disturbed(run);
			expect(ended?.filter(isFalse) ?? []).toEqual([]);
			expect(scene.inDoubt - before).toBeLessThanOrEqual(mostInDoubt);
			if (process.entries.isDead) deaths++;
			mayDoubt ||= run.trouble.kind !== 'refused';
			mayLose ||= ['dies', 'store fails'].includes(run.trouble.kind);
		}
		// Work that continues after the runs.
		await clock.run();
		const { inDoubt } = scene;
		const last = await scene.undisturbed();
		expect([...received.values()].filter((count) => count > 1)).toEqual([]);
		expect(last.filter((each) => each.came === 'failed' || isFalse(each))).toEqual([]);
		const doubted = last.filter(({ came }) => came === 'in doubt');
		expect(doubted).toHaveLength(inDoubt);
		if (!mayDoubt) expect(doubted).toEqual([]);
		// Nobody is in doubt whose message has not left.
		if (!mayLose) expect(doubted.filter(({ contact }) => !received.has(contact))).toEqual([]);
		if (inDoubt) named++;
		// They remain in doubt, and everybody else is recorded.
		expect(scene.inDoubt).toBe(inDoubt);
		expect(scene.countOf('sent')).toBeGreaterThanOrEqual(given.count - inDoubt);
	};
	const some = fc.array(disturbances, { minLength: 1, maxLength: 3 });
	await fc.assert(fc.asyncProperty(broadcasts, some, property), { numRuns: 60 });
	// Otherwise, the generated moments do not occur in the runs.
	expect(deaths).toBeGreaterThan(10);
	expect(named).toBeGreaterThan(10);
}, 120_000);

test('a process that dies in a run with a rate limit leaves only two seconds of messages in doubt', async () => {
	const usual = { stallMs: 0, batchSize: 0, isRetry: false, gapMs: [5, 5], answerMs: [40, 40], seed: 1 };
	const scene = new Scene({ ...usual, count: 100, requestsPerSecond: 4 });
	const trouble: Trouble = { kind: 'dies', request: 6 };
	await scene.disturbed({ trouble, continues: true, beside: 'nobody' });
	const doubted = (await scene.undisturbed()).filter(({ came }) => came === 'in doubt').length;
	expect(doubted).toBeGreaterThan(0);
	// Eight are sent within two seconds, and four are in progress within one.
	expect(doubted).toBeLessThanOrEqual(8 + 4);
});

describe('10,000 items with one recipient end one after the other', () => {
	const unauthorized = { statusCode: 401, headers: {}, body: { message: 'Unauthenticated.' } };
	const failing = () => {
		const entries = new FakeEntries();
		entries.fail(Infinity, 'add');
		return entries;
	};

	const { message: isNotAttempted } = notAttempted(tokenRefused(401));
	const { message: isNotRecorded } = notRecorded(new Error('Занято'));
	test.each<[string, number, ServiceAnswer, FakeEntries | undefined, string | undefined]>([
		['after trouble of the account', 3, unauthorized, undefined, isNotAttempted],
		['after trouble of the account, with Send Once Per', 3, unauthorized, new FakeEntries(), isNotAttempted],
		['because the first of them is sent', 1, ok, new FakeEntries(), undefined],
		["because n8n's store fails", 0, ok, failing(), isNotRecorded],
	])('%s', async (_, requests, answer, entries, error) => {
		const contacts = Array<object>(10_000).fill({ id: 5 });
		const context = { answerTo: () => answer, entries, continues: true };
		const { json, to } = await runFor(10_000, context, entries && once, contacts);
		expect([json!.length, to.length]).toEqual([10_000, requests]);
		const isRest = (item: IDataObject) =>
			error === undefined ? item.alreadySent : String(item.error).startsWith(error);
		expect(json!.filter(isRest)).toHaveLength(10_000 - requests);
		expect(entries?.recipients.filter((entry) => entry.startsWith('doubt')) ?? []).toEqual([]);
	});
});

test('a message whose outcome cannot be noted is not sent again, and holds up no other run', async () => {
	const entries = new FakeEntries();
	jest.spyOn(Outcomes.prototype, 'record').mockImplementationOnce(() => {
		throw new Error('Ошибка в коде');
	});
	const first = await runFor(1, { entries, continues: true }, once);
	expect([first.to, endOf({ json: first.json![0]!, pairedItem: { item: 0 } }).came]).toEqual([[1], 'failed']);
	const other = await runFor(1, { entries, continues: true }, once);
	expect(other.to).toEqual([]);
	expect(endOf({ json: other.json![0]!, pairedItem: { item: 0 } }).came).toBe('in doubt');
});
