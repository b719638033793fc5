import { getEventListeners } from 'node:events';

import { sleep } from 'n8n-workflow';

import type { ServiceAnswer } from '../../nodes/ChatbotService/client/http/answer';
import * as failures from '../../nodes/ChatbotService/client/failure/failure';
import type { Kept } from '../../nodes/ChatbotService/run/ledger/execution';
import { canceledError } from '../../nodes/ChatbotService/run/output';
import { wait } from '../../nodes/ChatbotService/client/pace/clock';
import { wordsOf } from '../operations/words';
import { inTime, passTime, useVirtualTime } from '../virtualTime';
import { FakeEntries } from './fakeEntries';
import { FakeN8n } from './fakeN8n';
import { broken, limited, lost, ok, refused } from './answers';
import { contextFor, newCredential, once, range, runFor, type AnswerTo, type RunChanges } from './runs';

/* Moments of a run that tests on n8n's engine cannot cause reliably. Everything else of a run is in test/engine. */

useVirtualTime();
afterEach(() => jest.restoreAllMocks());

const { message: isRefused } = failures.valuesRefused([], '');
const canceled = 'The execution was canceled';

describe('in a pause before every item', () => {
	beforeEach(() => {
		let time = 0;
		jest.spyOn(performance, 'now').mockImplementation(() => (time += 10));
	});

	test('nothing leaves after a refusal in stop mode', async () => {
		let [hasRefused, answered] = [false, 0];
		const sent: boolean[] = [];
		const send = async () => {
			const isThird = sent.push(hasRefused) === 3;
			await sleep(0);
			answered++;
			hasRefused ||= isThird;
			return isThird ? refused : ok;
		};
		expect((await runFor(8, { send })).error!.message).toContain(isRefused);
		// All answers are waited for.
		const before = answered;
		await passTime();
		expect([answered, before, sent.includes(true)]).toEqual([sent.length, sent.length, false]);
	});

	test('an item leaves before the others are read', async () => {
		const source = contextFor(3, { send: jest.fn() }, { text: '={{ $json.id + 1 }}' }).source as FakeN8n;
		const read: number[] = [];
		const answerTo = () => {
			read.push(source.asked.filter((each) => each.startsWith('text@')).length);
			return ok;
		};
		await runFor(3, { continues: true, source, answerTo });
		expect(read).toEqual([1, 2, 3]);
	});
});

// n8n takes a query for each.
test('a credential is read rarely for many items', async () => {
	const credential = jest.fn(newCredential());
	expect((await runFor(300, { credential })).done).toBe(300);
	expect(credential.mock.calls.length).toBeLessThan(30);
});

test('a short run reports nothing and leaves nothing', async () => {
	const entries = new FakeEntries();
	const { signal } = new AbortController();
	const { done, notice, logged } = await runFor(3, { entries, signal });
	expect([done, entries.calls, notice, logged]).toEqual([3, [], '', []]);
	await runFor(3, { entries, signal }, once);
	await inTime(wait(1200, signal));
	expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('a long run logs its progress and the time left', async () => {
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

/* A run always ends, whatever fails in it, so that nobody waits for it forever. */
describe('a run ends although something throws', () => {
	const error = new TypeError('нечто');
	const thrower = (): never => {
		throw error;
	};
	const throwing = (name: string, rest: object = {}) =>
		Object.defineProperty({ ...rest }, name, { get: thrower, configurable: true, enumerable: true }) as never;
	const answerTo = () => throwing('statusCode', { headers: {}, body: {} });
	const credential = async () => ({ token: { toString: thrower } }) as never;
	const { message: interrupted, description: nothingSent } = failures.brokenHere(error, 'notDone');

	test.each<[string, RunChanges, string]>([
		['an answer', { answerTo }, wordsOf('message/send').unknown!],
		['the credential', { credential }, failures.credentialUnreadable(error).description],
		['the parameters', { source: throwing('raw') }, nothingSent],
	])('%s: each item ends with a failure', async (_, changes, description) => {
		const { json } = await runFor(3, { continues: true, ...changes });
		expect(json).toHaveLength(3);
		for (const { message } of json) expect(message).toEqual(expect.stringContaining(description));
	});

	test('an answer: in stop mode, nothing more leaves', async () => {
		const { error, to } = await runFor(50, { answerTo });
		expect(error!.message).toBe(`${interrupted} [Item 0]`);
		expect(error!.description).toMatch(/ "нечто"\.$/);
		// As many as may be in flight.
		expect(to.length).toBeLessThanOrEqual(10);
	});

	test('what n8n keeps: each item keeps its answer', async () => {
		const { done, to } = await runFor(3, { continues: true, kept: throwing('rows') as Kept });
		expect([done, to.length]).toEqual([3, 3]);
	});
});

describe('Stop says what is true', () => {
	const tag = { resource: 'tag', operation: 'attach', tagName: 'VIP' };
	const { node } = contextFor(0, { send: async () => ok });
	const { unknown } = wordsOf('tag/attach');
	const mayBe = canceledError({ node, first: 0, unknown }, { item: 0, left: 'interrupted' }).description!;
	const inProgress = '0 done, 1 in progress, 2 not attempted.';
	const notSent = '0 done, 3 not attempted.';
	const noneSent = '0 sent, 3 not attempted.';

	/* The first of three items waits for its second request. */
	test.each<[string, () => ServiceAnswer | Error, Record<string, unknown>, counts: string, doubt: string]>([
		['a tag that a failing service refused', () => broken, tag, inProgress, ` ${mayBe}`],
		['a tag that got no answer', () => lost('ECONNRESET'), tag, inProgress, ` ${mayBe}`],
		['a tag that a limit refused', () => limited(), tag, notSent, ''],
		['a message without a connection', () => lost('ECONNREFUSED'), {}, noneSent, ''],
	])('of %s', async (_, answered, parameters, counts, doubt) => {
		const stop = new AbortController();
		const answerTo = () => {
			setTimeout(() => stop.abort(), 50);
			const answer = answered();
			if (answer instanceof Error) throw answer;
			return answer;
		};
		const changes = { answerTo, credential: newCredential(0.1), signal: stop.signal };
		const { to, notice, error } = await runFor(3, changes, parameters);
		expect([to.length, error!.message, error!.description]).toEqual([1, canceled, `${counts}${doubt}`]);
		expect(notice).toContain(counts);
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
