import { getEventListeners } from 'node:events';

import { sleep } from 'n8n-workflow';

import type { ServiceAnswer } from '../../nodes/ChatbotService/client/http/answer';
import {
	brokenHere,
	credentialUnreadable,
	valuesRefused,
} from '../../nodes/ChatbotService/client/failure/failure';
import type { Kept } from '../../nodes/ChatbotService/run/ledger/execution';
import { canceledError } from '../../nodes/ChatbotService/run/output';
import { run } from '../../nodes/ChatbotService/run/run';
import { wordsOf } from '../operations/words';
import { inTime, passTime, useVirtualTime } from '../virtualTime';
import { FakeEntries } from './fakeEntries';
import { FakeN8n } from './fakeN8n';
import { answer, broken, limited, ok, refused } from './answers';
import { contextFor, newCredential, once, range, runFor, type AnswerTo, type RunChanges } from './runs';

/* Moments of a run that tests on n8n's engine cannot cause reliably. Everything else of a run is in test/engine. */

useVirtualTime();
afterEach(() => jest.restoreAllMocks());

const { message: isRefused } = valuesRefused(422, [], '');
const mayBeSent = wordsOf('message/send').unknown!;
const canceled = 'The execution was canceled';

describe('when items take long to read', () => {
	/** The run pauses before every item. */
	const pauseBeforeEveryItem = () => {
		let time = 0;
		jest.spyOn(performance, 'now').mockImplementation(() => (time += 10));
	};

	test('a run that is stopped in a pause sends nothing more, in the continue modes', async () => {
		pauseBeforeEveryItem();
		const stop = new AbortController();
		const sent: boolean[] = [];
		const send = async () => {
			// The abort is due before the next pause.
			if (sent.push(stop.signal.aborted) === 3) setTimeout(() => stop.abort(), 0);
			return ok;
		};
		await inTime(run(contextFor(8, { continues: true, signal: stop.signal, send })));
		await passTime();
		expect([sent.length >= 3, sent.includes(true)]).toEqual([true, false]);
	});

	test('each message to a person waits for the answer to the one before, in the continue modes', async () => {
		pauseBeforeEveryItem();
		let [underWay, most, sent] = [0, 0, 0];
		const send = async () => {
			most = Math.max(most, ++underWay);
			sent++;
			await sleep(3);
			underWay--;
			return ok;
		};
		const toOne = Array.from({ length: 8 }, () => ({ id: 5 }));
		await inTime(run(contextFor(8, { continues: true, send }, {}, toOne)));
		expect([sent, most]).toEqual([8, 1]);
	});

	test('nothing leaves after a pause in which an item was refused, and all answers are waited for, in stop mode', async () => {
		pauseBeforeEveryItem();
		let [hasRefused, begun, answered] = [false, 0, 0];
		const sent: boolean[] = [];
		const send = async () => {
			sent.push(hasRefused);
			const isThird = ++begun === 3;
			await sleep(0);
			answered++;
			hasRefused ||= isThird;
			return isThird ? refused : ok;
		};
		await expect(inTime(run(contextFor(8, { send })))).rejects.toThrow(isRefused);
		const before = answered;
		await passTime();
		expect([answered, before, sent.includes(true)]).toEqual([begun, begun, false]);
	});

	test('an item leaves before the others are read, in the continue modes', async () => {
		pauseBeforeEveryItem();
		const read: number[] = [];
		const send = async () => {
			read.push((context.source as FakeN8n).asked.filter((each) => each.startsWith('text@')).length);
			return ok;
		};
		const context = contextFor(3, { continues: true, send }, { text: '={{ $json.id + 1 }}' });
		await inTime(run(context));
		expect(read).toEqual([1, 2, 3]);
	});
});

test('a credential without expressions is read a few times for a thousand items, because n8n takes a query for each', async () => {
	const credential = jest.fn(newCredential());
	expect((await runFor(1000, { credential })).done).toBe(1000);
	expect(credential.mock.calls.length).toBeLessThan(30);
});

test('a short run in which everything is done calls nothing in n8n, reports nothing and leaves nothing behind', async () => {
	const entries = new FakeEntries();
	const { signal } = new AbortController();
	const { done, notice, logged } = await runFor(3, { entries, signal });
	expect([done, entries.calls, notice, logged]).toEqual([3, [], '', []]);
	expect(getEventListeners(signal, 'abort')).toEqual([]);
	await runFor(3, { entries, signal }, once);
	expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('a long run writes its progress to the log of n8n every 30 seconds, with the time left as its requests took so far', async () => {
	const answerTo: AnswerTo = (contact) => (contact === 2 ? refused : ok);
	const changes = { credential: newCredential(0.1), answerTo, continues: true };
	// The first three need no request.
	const contacts = ['Анна', 'Иван', 'Ольга', ...range(1, 8)].map((id) => ({ id }));
	const { logged } = await runFor(10, changes, {}, contacts);
	expect(logged).toEqual([
		'Рассылка: 7 of 10 items processed, 4 of them failed; about 23 s left',
		'Рассылка: 10 of 10 items processed, 4 of them failed; about 0 s left',
	]);
});

test('a run that asks for the fields of many lists waits without a warning in the log of n8n', async () => {
	const warn = jest.spyOn(process, 'emitWarning');
	const fieldFilters = { filter: [{ slug: 'price', value: '1 024' }] };
	const parameters = { resource: 'listItem', operation: 'getAll', returnAll: true, fieldFilters };
	const changes = { continues: true, answerTo: () => answer(200, { data: [] }) };
	const { to, errors } = await runFor(12, changes, { ...parameters, schemaId: '={{ $json.id }}' });
	expect([to.length >= 24, errors.filter(Boolean)]).toEqual([true, []]);
	expect(warn).not.toHaveBeenCalled();
});

/* A run always ends, whatever fails in it, so that nobody waits for it forever. */
describe('a run ends although something throws', () => {
	const thrower = (): never => {
		throw new TypeError('нечто');
	};
	const unreadable = {
		...{ headers: {}, body: {} },
		get statusCode(): number {
			return thrower();
		},
	};
	const { message: interrupted, description: nothingSent } = brokenHere(new TypeError('нечто'), 'notDone');

	test.each<[string, RunChanges, string]>([
		['an answer', { answerTo: () => unreadable }, mayBeSent],
		[
			'the credential',
			{ credential: async () => ({ token: { toString: thrower } }) as never },
			credentialUnreadable(new TypeError('нечто')).description,
		],
		[
			'the parameters',
			{ source: Object.defineProperty(new FakeN8n({}, []), 'raw', { get: thrower }) },
			nothingSent,
		],
	])('%s: each item ends with a failure', async (_, changes, description) => {
		const { json } = await runFor(3, { continues: true, ...changes });
		expect(json).toHaveLength(3);
		for (const { message } of json) expect(message).toEqual(expect.stringContaining(description));
	});

	test('an answer: in stop mode, nothing more leaves', async () => {
		const { error, to } = await runFor(50, { answerTo: () => unreadable });
		expect(error!.message).toBe(`${interrupted} [Item 0]`);
		expect(error!.description).toMatch(/ "нечто"\.$/);
		// As many as may be in flight.
		expect(to.length).toBeLessThanOrEqual(10);
	});

	test('an item while its values are read: nothing is sent for it, and the others are', async () => {
		const { source } = contextFor(3, { send: async () => ok });
		source.json = (item) => (item === 1 ? thrower() : { id: item + 1 });
		const { errors, sorted } = await runFor(3, { continues: true, source });
		expect(sorted).toEqual([1, 3]);
		expect(errors.map(Boolean)).toEqual([false, true, false]);
	});

	test('what n8n keeps for a retry: each item keeps its answer, and the run ends', async () => {
		const kept = Object.defineProperty({} as Kept, 'rows', { get: thrower, configurable: true });
		const { done, to } = await runFor(3, { continues: true, kept });
		expect([done, to.length]).toEqual([3, 3]);
	});
});

describe('Stop says what is true', () => {
	const attach = { resource: 'tag', operation: 'attach', tagName: 'VIP' };
	const list = { resource: 'listSchema', operation: 'getAll', returnAll: true };

	/** Stops while the first of three items waits for its second request. */
	async function stoppedAfter(failure: () => ServiceAnswer, parameters: Record<string, unknown>) {
		const stop = new AbortController();
		const answerTo = () => {
			setTimeout(() => stop.abort(), 50);
			return failure();
		};
		return await runFor(3, { answerTo, credential: newCredential(0.1), signal: stop.signal }, parameters);
	}

	const lost = () => {
		throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
	};
	const { node } = contextFor(0, { send: async () => ok });
	const { unknown } = wordsOf('tag/attach');
	const mayBeDone = canceledError({ node, first: 0, unknown }, { item: 0, left: 'interrupted' }).description;
	const inProgress = '0 done, 1 in progress, 2 not attempted.';
	const notSent = '0 done, 3 not attempted.';
	test.each<[string, () => ServiceAnswer, string, string]>([
		['was refused by a failing service', () => broken, inProgress, `${inProgress} ${mayBeDone}`],
		['got no answer', lost, inProgress, `${inProgress} ${mayBeDone}`],
		['was refused by a limit', () => limited(), notSent, notSent],
	])('of a tag whose request %s before it is tried again', async (_, failure, counts, description) => {
		const { to, notice, error } = await stoppedAfter(failure, attach);
		expect([to.length, error!.message, error!.description]).toEqual([1, canceled, description]);
		expect(notice).toContain(counts);
	});

	const page = { ...ok, body: { data: [{ id: 1 }], meta: { current_page: 1, last_page: 2 } } };
	const get = {
		...{ resource: 'api', operation: 'request', method: 'GET', endpoint: 'getReferrals' },
		...{ parametersInput: 'define', parameters: {}, returnAll: false },
	};
	test.each<[string, ServiceAnswer, Record<string, unknown>]>([
		['a list between two pages', page, list],
		['a request to the API before it is tried again', broken, get],
	])('of %s, which has changed nothing', async (_, found, parameters) => {
		const { to, notice } = await stoppedAfter(() => found, parameters);
		expect([to.length, notice]).toEqual([1, inProgress]);
	});

	test('before a run begins: nothing is sent', async () => {
		const { to, error } = await runFor(3, { signal: AbortSignal.abort() });
		expect([to, error!.message]).toEqual([[], canceled]);
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
});
