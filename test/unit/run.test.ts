import { getEventListeners } from 'node:events';

import fc from 'fast-check';
import type { IDataObject, IHttpRequestOptions } from 'n8n-workflow';

import type { ServiceAnswer } from '../../nodes/ChatbotService/client/answer';
import { Client } from '../../nodes/ChatbotService/client/client';
import {
	brokenHere,
	credentialUnreadable,
	inDoubt,
	leftUnknown,
	notRecorded,
	valuesRefused,
} from '../../nodes/ChatbotService/client/failure';
import { Claims } from '../../nodes/ChatbotService/run/ledger/claims';
import type { Kept } from '../../nodes/ChatbotService/run/ledger/execution';
import { Outcomes } from '../../nodes/ChatbotService/run/outcome';
import { canceledError, tally } from '../../nodes/ChatbotService/run/output';
import type { RunContext } from '../../nodes/ChatbotService/run/prepare';
import { run } from '../../nodes/ChatbotService/run/run';
import { withoutStore } from '../../nodes/ChatbotService/run/values/problems';
import { Settings } from '../../nodes/ChatbotService/run/values/settings';
import { labelOf, wordsOf } from '../operations/words';
import { FakeEntries, type Call } from './fakeEntries';
import { FakeN8n } from './fakeN8n';
import {
	ascending,
	broken,
	contactOf,
	contextFor,
	left,
	newCredential,
	ok,
	once,
	outcomeOf,
	range,
	refused,
	runFor,
	type AnswerTo,
} from './runs';
import { clock, inTime } from './virtualTime';
import type * as VirtualTime from './virtualTime';

jest.mock('n8n-workflow', () => jest.requireActual<typeof VirtualTime>('./virtualTime').n8nWorkflow());

/* Moments of a run that tests on n8n's engine cannot cause reliably. Everything else of a run is in test/engine. */

/** How the items ended, in the words of the node; those that are not counted were not sent. */
function counted(expected: number, ends: { done?: number; failed?: number; interrupted?: number }): string {
	const { done = 0, failed = 0, interrupted = 0 } = ends;
	const notSent = expected - done - failed - interrupted;
	return tally({ expected, done, failed, interrupted, notSent, notAttempted: 0 });
}

const { message: isRefused } = valuesRefused(422, [], '');
const mayBeSent = wordsOf('message/send').unknown!;

/** The error of a stopped run whose request was in progress. @param unknown what the operation says about that */
function canceledWith(unknown?: string) {
	const { node } = contextFor(0, { send: async () => ok });
	return canceledError({ node, first: 0, unknown }, { item: 0, left: 'interrupted' });
}

const { message: canceled } = canceledWith();

test('in stop mode, nothing leaves after the first refusal, although more requests could', async () => {
	const sent: number[] = [];
	const answers: Array<(answer: ServiceAnswer) => void> = [];
	const ended = run(
		contextFor(30, {
			send: async (options) => {
				sent.push(contactOf(options));
				return await new Promise((resolve) => answers.push(resolve));
			},
		}),
	);
	const outcome = expect(ended).rejects.toMatchObject({
		message: expect.stringContaining('[Item 3]'),
		description: expect.stringContaining(counted(30, { done: 9, failed: 1 })),
	});
	while (sent.length < 10) await new Promise((resolve) => setImmediate(resolve));
	answers[3]!(refused);
	await clock.run(clock.now() + 20);
	expect(sent).toHaveLength(10);
	for (const answer of answers) answer(ok);
	await inTime(outcome);
	expect(sent).toHaveLength(10);
});

/** Lets the run pause before every item, as it does where items take long to read. */
function pauseBeforeEveryItem() {
	let time = 0;
	jest.spyOn(performance, 'now').mockImplementation(() => (time += 10));
}

test.each<[string, boolean]>([
	['goes on', true],
	['stops', false],
])(
	'a run that is stopped in a pause sends nothing more, if the workflow %s at a failure',
	async (_, continues) => {
		pauseBeforeEveryItem();
		const stop = new AbortController();
		let sentAfter = 0;
		let begun = 0;
		const context = contextFor(8, {
			continues,
			signal: stop.signal,
			send: async () => {
				if (stop.signal.aborted) sentAfter++;
				// The abort is due before the next pause.
				if (++begun === 3) void clock.sleep(0).then(() => stop.abort());
				return ok;
			},
		});
		await outcomeOf(context);
		await clock.run();
		expect(begun).toBeGreaterThanOrEqual(3);
		expect(sentAfter).toBe(0);
	},
);

test('in stop mode, nothing leaves after a pause in which an item was refused', async () => {
	pauseBeforeEveryItem();
	let hasRefused = false;
	let sentAfter = 0;
	let begun = 0;
	let answered = 0;
	const context = contextFor(8, {
		send: async () => {
			if (hasRefused) sentAfter++;
			const number = ++begun;
			await clock.sleep(0);
			answered++;
			if (number !== 3) return ok;
			hasRefused = true;
			return refused;
		},
	});
	await expect(inTime(run(context))).rejects.toThrow(isRefused);
	// The run has waited for the requests in flight.
	expect(answered).toBe(begun);
	await clock.run();
	expect([answered, sentAfter]).toEqual([begun, 0]);
});

const isDoubt = (entry: string) => entry.startsWith('doubt');

/** A store whose calls fail as long as it says so. */
function storeFailing(message: string, fails: (call: Call) => boolean = () => true): FakeEntries {
	const entries = new FakeEntries();
	entries.before = (call) => {
		if (fails(call)) throw new Error(message);
	};
	return entries;
}

test.each([2, 1000])(
	'a credential without expressions is read a few times for %i items, because n8n takes a query for each',
	async (count) => {
		const credential = jest.fn(newCredential());
		expect((await runFor(count, { credential })).sorted).toHaveLength(count);
		expect(credential.mock.calls.length).toBeLessThan(30);
	},
);

describe('with Send Once Per', () => {
	test('a request that cannot get a slot ends, and its recipient is free for the next run', async () => {
		const error = new Error('Нет места');
		jest.spyOn(Client.prototype, 'slot').mockRejectedValueOnce(error);
		const entries = new FakeEntries();
		const first = await runFor(2, { entries, continues: true }, once, [{ id: 1 }, { id: 2 }]);
		expect(first.to).toEqual([]);
		for (const { error: title, message } of first.json!) {
			expect(title).toContain(brokenHere(error, 'notDone').message);
			expect(message).toContain('Нет места');
		}
		const next = await runFor(2, { entries: left(entries) }, once, [{ id: 1 }, { id: 2 }]);
		expect(next.to).toEqual([1, 2]);
	});

	const { message: isInDoubt } = inDoubt('', '');
	const label = labelOf('message/send', 'options.sendOncePer');
	const storeFailed = notRecorded(new Error('Нет связи с базой'));

	test.each<[string, ServiceAnswer, number[], object]>([
		['is not sent again', ok, [5], { success: true, alreadySent: true }],
		['is sent again if it was refused', refused, [5, 5], { success: true }],
		[
			'is not sent again if its outcome is unknown',
			broken,
			[5],
			{ error: `${isInDoubt} [Item 1]`, message: expect.any(String) },
		],
	])('a message to a recipient of two items %s', async (_, answer, expected, second) => {
		const answerTo: AnswerTo = (_contact, { length }) => (length === 1 ? answer : ok);
		const context = { answerTo, entries: new FakeEntries(), continues: true };
		const { json, to } = await runFor(2, context, once, [{ id: 5 }, { id: '5' }]);
		expect(to).toEqual(expected);
		expect(json![1]).toEqual(second);
	});

	test.each<[string, number, string, string]>([
		['is named by its error in the end', 0, `${isInDoubt} [Item 2]`, counted(40, { done: 39, failed: 1 })],
		[
			'is not named by the error if another one fails',
			40,
			`${isRefused} [Item 39]`,
			counted(40, { done: 38, failed: 2 }),
		],
	])(
		'in stop mode, an item in doubt does not stop the others and %s',
		async (_, refusing, message, counts) => {
			const entries = new FakeEntries();
			await runFor(1, { answerTo: () => broken, entries }, once, [{ id: 3 }]);
			const answerTo: AnswerTo = (contact) => (contact === refusing ? refused : ok);
			const { error, sorted } = await runFor(40, { answerTo, entries: left(entries) }, once);
			expect(sorted).toEqual(range(1, 41).filter((contact) => contact !== 3));
			expect(error!.message).toBe(message);
			expect(error!.description).toContain(counts);
		},
	);

	test('without a store in n8n, items without a value are sent', async () => {
		const options = { sendOncePer: "={{ $json.id === 2 ? 'осень' : '' }}" };
		const { json, to } = await runFor(3, { continues: true }, { options });
		expect(to).toEqual([1, 3]);
		expect(json![1]).toMatchObject({ error: expect.stringContaining(withoutStore(label, '').message) });
	});

	test('in stop mode, a store that fails stops the run, and the next run sends the rest', async () => {
		// Its calls fail three times after the first recipients are claimed: then the node gives up the call.
		let [first, failures]: [string[] | undefined, number] = [undefined, 0];
		const entries = storeFailing('Нет связи с базой', ({ name, entries: added }) => {
			const doubts = name === 'add' ? added.filter(isDoubt) : [];
			if (!doubts.length) return false;
			first ??= doubts;
			return !first.includes(doubts[0]!) && ++failures <= 3;
		});
		const { error, to } = await runFor(120, { entries }, once);
		expect(error!.message).toContain(`${storeFailed.message} [Item `);
		expect(error!.description).toContain(storeFailed.description);
		expect(to.length).toBeGreaterThan(0);
		expect(to.length).toBeLessThanOrEqual(50);
		expect(entries.stored.filter(isDoubt)).toEqual([]);
		const next = await runFor(120, { entries: left(entries) }, once);
		expect(ascending([...to, ...next.to])).toEqual(range(1, 121));
	});

	test('in stop mode, the error names the failed store, not an earlier recipient in doubt', async () => {
		const entries = new FakeEntries();
		await runFor(1, { answerTo: () => broken, entries }, once);
		const failing = left(entries);
		let asked = 0;
		failing.before = ({ name, entries: added }) => {
			if (name === 'add' && added.some(isDoubt) && ++asked > 1) throw new Error('Нет связи с базой');
		};
		const { error } = await runFor(120, { entries: failing }, once);
		expect(error!.message).toContain(storeFailed.message);
	});

	test("a run that the user stops ends, although n8n's store no longer answers", async () => {
		const entries = new FakeEntries();
		const stop = new AbortController();
		const answerTo = () => {
			entries.die();
			stop.abort();
			return ok;
		};
		const { error } = await runFor(60, { answerTo, entries, signal: stop.signal }, once);
		expect(error!.message).toBe(canceled);
	});

	test('the log of n8n contains the number of recipients that n8n could not record', async () => {
		const entries = storeFailing('Нет связи с базой', ({ name }) => name === 'remove');
		const log = jest.fn();
		await runFor(3, { entries, log }, once);
		expect(log.mock.calls.flat()).toEqual([
			expect.stringMatching(/^Рассылка: n8n could not record the outcome for 3 recipients/),
		]);
		expect(entries.stored.filter(isDoubt)).toHaveLength(3);
	});
});

test('a short run in which everything is done calls nothing in n8n, reports nothing and leaves nothing behind', async () => {
	const entries = new FakeEntries();
	const [hint, log] = [jest.fn(), jest.fn()];
	const { signal } = new AbortController();
	const { json } = await runFor(3, { entries, hint, log, signal });
	expect(json).toHaveLength(3);
	expect([entries.calls, hint.mock.calls, log.mock.calls]).toEqual([[], [], []]);
	expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('a long run writes its progress to the log of n8n', async () => {
	const log = jest.fn();
	await runFor(7, { credential: newCredential(0.1), log });
	expect(log.mock.calls.flat()).toEqual([
		expect.stringMatching(/^Рассылка: 4 .*\b7\b.*\b0\b.*\b23\b/),
		expect.stringMatching(/^Рассылка: 7 .*\b7\b.*\b0\b/),
	]);
});

test('in the continue modes, an item leaves before the others are checked', async () => {
	pauseBeforeEveryItem();
	const sentAfter: number[] = [];
	let checked = 0;
	const context = contextFor(3, {
		continues: true,
		send: async () => {
			sentAfter.push(checked);
			return ok;
		},
	});
	jest.spyOn(Settings.prototype, 'of').mockImplementation(() => {
		checked++;
		return { sending: {} };
	});
	await outcomeOf(context);
	expect(sentAfter).toEqual([1, 2, 3]);
});

describe('an execution that failed and is retried', () => {
	/** The kept data as n8n saves it and passes it to a retry. */
	const saved = (kept: Kept) => JSON.parse(JSON.stringify(kept)) as Kept;

	/** Of 30 contacts the fourth is refused, and the outcome of the fifth is unknown. */
	const answers: AnswerTo = (contact) => ({ 4: refused, 5: broken })[contact] ?? ok;

	/** An execution that failed, and what it has sent. */
	async function failed() {
		const kept: Kept = {};
		const entries = new FakeEntries();
		const answerTo: AnswerTo = async (contact, to) => {
			const answer = await answers(contact, to);
			// A failure comes only after as many requests as may be in flight have left.
			while (answer !== ok && to.length < 10) await new Promise((resolve) => setImmediate(resolve));
			return answer;
		};
		const { error, to } = await runFor(30, { answerTo, kept, entries });
		expect(error).toBeDefined();
		return { kept: saved(kept), entries, to };
	}

	test.each([true, false])(
		'sends only what is missing, and not what may have been done, with a store: %p',
		async (hasStore) => {
			const { kept, entries, to } = await failed();
			expect(to).toContain(5);
			expect(to.length).toBeLessThan(30);
			const { error, sorted } = await runFor(30, { kept, entries: hasStore ? entries : undefined });
			expect(sorted).toEqual(range(1, 31).filter((contact) => contact === 4 || !to.includes(contact)));
			expect(error!.message).toBe(`${leftUnknown('').message} [Item 4]`);
			expect(error!.description).toContain(counted(30, { done: 29, failed: 1 }));
		},
	);

	const another = newCredential();
	const elsewhere = async () => ({ ...(await another()), baseUrl: 'https://other.example.com' });

	test.each<[string, Partial<RunContext>, Record<string, unknown>]>([
		['the service has another address', { credential: elsewhere }, {}],
		['the operation is another one', {}, { resource: 'tag', operation: 'attach', tagName: 'VIP' }],
	])('sends everything if %s', async (_, changes, parameters) => {
		const { kept } = await failed();
		expect((await runFor(30, { kept, ...changes }, parameters)).sorted).toEqual(range(1, 31));
	});

	test('needs no valid values for an item that is done', async () => {
		const { kept, to } = await failed();
		const done = to.filter((contact) => contact !== 4 && contact !== 5);
		const { json, sorted } = await runFor(30, { kept, continues: true }, { text: '' });
		expect(sorted).toEqual([]);
		for (const contact of done) expect(json![contact - 1]).toEqual({ success: true });
	});

	test('sends nothing twice, however often and with however many tries an execution is retried', async () => {
		const { kept, entries, to } = await failed();
		const all = to.filter((contact) => contact !== 4);
		let store = entries;
		for (const refusing of [16, 27, 0]) {
			const tried = { kept: saved(kept), triesKey: {}, entries: store };
			// In the second try, the service accepts the contact that it refused in the first.
			const first = await runFor(30, {
				...tried,
				answerTo: (contact) => (contact === refusing ? refused : ok),
			});
			const second = await runFor(30, tried);
			all.push(...first.to.filter((contact) => contact !== refusing), ...second.to);
			store = left(store);
		}
		expect(ascending(all)).toEqual(range(1, 31));
	});
});

/* A run always ends, whatever fails in it, so that nobody waits for it forever. */
describe('a run ends although something throws', () => {
	const thrower = (): never => {
		throw new TypeError('нечто');
	};
	const unreadable = {
		headers: {},
		get statusCode(): number {
			return thrower();
		},
		body: {},
	};
	const { message: interrupted, description: nothingSent } = brokenHere(new TypeError('нечто'), 'notDone');

	test.each<[string, Partial<RunContext>, string]>([
		['an answer', { send: async () => unreadable }, mayBeSent],
		[
			'the credential',
			{ credential: async () => ({ token: { toString: thrower } }) as never },
			credentialUnreadable(new TypeError('нечто')).description,
		],
		[
			'a parameter',
			{ source: Object.defineProperty(new FakeN8n({}, []), 'raw', { get: thrower }) },
			nothingSent,
		],
	])('%s: each item ends with a failure', async (_, changes, description) => {
		const { json } = await runFor(3, { continues: true, ...changes });
		expect(json).toHaveLength(3);
		for (const { message } of json!) expect(message).toEqual(expect.stringContaining(description));
	});

	test('an answer: in stop mode, nothing more leaves', async () => {
		const answerTo: AnswerTo = (contact) => (contact === 1 ? unreadable : ok);
		const { error, to } = await runFor(50, { answerTo });
		expect(error?.message).toBe(`${interrupted} [Item 0]`);
		expect(error?.description).toContain(`${mayBeSent} `);
		expect(error?.description).toContain(' "нечто". ');
		expect(to.length).toBeLessThan(50);
	});

	test('the credential: in stop mode, the error says so', async () => {
		const { error } = await runFor(3, { credential: async () => thrower() });
		expect(error?.description).toContain(counted(3, { failed: 3 }));
	});

	test('the settings of an item: nothing is sent for it, and the others are', async () => {
		jest.spyOn(Settings.prototype, 'of').mockImplementationOnce(thrower);
		const { json, sorted } = await runFor(3, { continues: true });
		expect(sorted).toEqual([2, 3]);
		expect(json![0]).toEqual({
			error: `${interrupted} [Item 0]`,
			message: nothingSent,
		});
	});

	test('the client, after a request: its outcome is unknown', async () => {
		const { ask } = Client.prototype;
		jest.spyOn(Client.prototype, 'ask').mockImplementationOnce(async function (this: Client, ...request) {
			await ask.apply(this, request);
			return thrower();
		});
		const { json } = await runFor(3, { continues: true });
		expect(json![0]!.message).toContain(mayBeSent);
		expect(json!.slice(1)).toEqual([{ success: true }, { success: true }]);
	});

	test('what is recorded: the outcome is unknown', async () => {
		jest.spyOn(Outcomes.prototype, 'record').mockImplementationOnce(thrower);
		const { json } = await runFor(3, { continues: true });
		expect(json![0]!.error).toBe(`${interrupted} [Item 0]`);
		expect(json!.slice(1)).toEqual([{ success: true }, { success: true }]);
	});

	test('an item while its values are read: nothing is sent for it, and the others are', async () => {
		const { source } = contextFor(3, { send: async () => ok });
		source.json = (item) => (item === 1 ? thrower() : { id: item + 1 });
		const kept = { items: 'a'.repeat(39) };
		const { json, sorted } = await runFor(3, { continues: true, triesKey: {}, kept, source });
		expect(sorted).toEqual([1, 3]);
		expect(json![1]!.error).toContain('[Item 1]');
	});

	test('the claims, before a request leaves: the error says that nothing was sent, and the account is free again', async () => {
		jest.spyOn(Claims.prototype, 'reserve').mockImplementation(thrower);
		const credential = newCredential();
		const entries = new FakeEntries();
		const { json, to } = await runFor(15, { entries, credential, continues: true }, once);
		expect(to).toEqual([]);
		expect(json).toHaveLength(15);
		for (const { error, message } of json!)
			expect([error, message]).toEqual([expect.stringContaining(interrupted), nothingSent]);
		jest.restoreAllMocks();
		const again = await runFor(15, { entries: left(entries), credential }, once);
		expect([again.json!.length, again.to.length]).toEqual([15, 15]);
	});

	test("n8n's store: a recipient whose state is unknown gets no message", async () => {
		const entries = new FakeEntries();
		entries.add = async () => await Promise.resolve(5 as never);
		const { json, to } = await runFor(3, { entries, continues: true }, once);
		expect(to).toEqual([]);
		expect(json).toHaveLength(3);
	});
});

describe('Stop says what is true', () => {
	const attach = { resource: 'tag', operation: 'attach', tagName: 'VIP' };
	const list = { resource: 'listSchema', operation: 'getAll', returnAll: true };

	/** Stops while the first of three items waits for its second request. */
	async function stoppedAfter(failure: () => ServiceAnswer, continues: boolean, parameters: object = attach) {
		const stop = new AbortController();
		const hint = jest.fn();
		const answerTo = () => {
			void clock.sleep(50).then(() => stop.abort());
			return failure();
		};
		const context = { answerTo, credential: newCredential(0.1), signal: stop.signal, continues, hint };
		const ended = await runFor(3, context, { ...parameters });
		return { ...ended, hint };
	}

	const lost = () => {
		throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
	};
	const limited = () => ({ statusCode: 429, headers: {}, body: {} });
	const { description: mayBeDone } = canceledWith(wordsOf('tag/attach').unknown);
	test.each<[string, () => ServiceAnswer, string, string | null | undefined]>([
		['was refused by a failing service', () => broken, counted(3, { interrupted: 1 }), mayBeDone],
		['got no answer', lost, counted(3, { interrupted: 1 }), mayBeDone],
		['was refused by a limit', limited, counted(3, {}), undefined],
	])('of a tag whose request %s before it is tried again', async (_, failure, counts, description) => {
		const { to, hint, error } = await stoppedAfter(failure, false);
		expect(to).toHaveLength(1);
		expect(hint).toHaveBeenCalledWith(expect.objectContaining({ message: expect.stringContaining(counts) }));
		expect(error?.message).toBe(canceled);
		expect(error?.description).toBe([description, counts].filter(Boolean).join(' '));
	});

	test('of a list between two pages', async () => {
		const page = { ...ok, body: { data: [{ id: 1 }], meta: { current_page: 1, last_page: 2 } } };
		const { to, hint } = await stoppedAfter(() => page, false, list);
		expect(to).toHaveLength(1);
		expect(hint.mock.calls.flat()).toEqual([
			expect.objectContaining({ message: counted(3, { interrupted: 1 }) }),
		]);
	});

	test('before a run begins: nothing is sent', async () => {
		const { to, error } = await runFor(3, { signal: AbortSignal.abort() });
		expect([to, error?.message]).toEqual([[], canceled]);
	});

	test('while the last item is sent: the run has succeeded', async () => {
		const stop = new AbortController();
		const answerTo = () => {
			stop.abort();
			return ok;
		};
		const { json } = await runFor(1, { answerTo, signal: stop.signal });
		expect(json).toEqual([{ success: true }]);
	});

	test('in the continue modes, the item says that it was in progress', async () => {
		const { json, hint } = await stoppedAfter(() => broken, true);
		expect(json).toHaveLength(3);
		expect(hint).toHaveBeenCalledWith(
			expect.objectContaining({ message: expect.stringContaining(counted(3, { interrupted: 1 })) }),
		);
	});
});

test('messages to one recipient leave in item order, each after the answer to the one before, and no recipient waits for another (generated)', async () => {
	const item = fc.record({
		id: fc.integer({ min: 1, max: 4 }),
		answerMs: fc.integer({ min: 1, max: 500 }),
		answer: fc.constantFrom(ok, ok, refused, broken),
	});
	await fc.assert(
		fc.asyncProperty(
			fc.array(item, { minLength: 1, maxLength: 30 }),
			fc.boolean(),
			async (items, isBatched) => {
				const began = clock.now();
				const underWay = new Set<number>();
				const sent: number[] = [];
				let endedAt = 0;
				const send = async (options: IHttpRequestOptions) => {
					const contact = contactOf(options);
					const index = Number({ ...options.qs, ...(options.body as IDataObject) }.text);
					expect(underWay).not.toContain(contact);
					underWay.add(contact);
					sent.push(index);
					await clock.sleep(items[index]!.answerMs);
					underWay.delete(contact);
					endedAt = clock.now() - began;
					return items[index]!.answer;
				};
				const contacts = items.map(({ id }, index) => ({ id, index }));
				// In batches, items come while earlier ones are under way.
				const batching = { batch: { batchSize: 3, batchInterval: 300 } };
				const parameters = { text: '={{ $json.index }}', ...(isBatched && { requestOptions: { batching } }) };
				await inTime(run(contextFor(items.length, { send, continues: true }, parameters, contacts)));

				const indexesOf = (id: number) => [...items.keys()].filter((index) => items[index]!.id === id);
				let longestMs = 0;
				for (const id of [1, 2, 3, 4]) {
					expect(sent.filter((index) => items[index]!.id === id)).toEqual(indexesOf(id));
					longestMs = Math.max(
						longestMs,
						indexesOf(id).reduce((sum, index) => sum + items[index]!.answerMs, 0),
					);
				}
				if (!isBatched) expect(endedAt).toBe(longestMs);
			},
		),
		{ numRuns: 50 },
	);
});
