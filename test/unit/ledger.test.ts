import { sleep } from 'n8n-workflow';

import type { ServiceAnswer } from '../../nodes/ChatbotService/client/http/answer';
import {
	inDoubt,
	notAttempted,
	notRecorded,
	valuesRefused,
} from '../../nodes/ChatbotService/client/failure/failure';
import { passTime, useVirtualTime } from '../virtualTime';
import { FakeEntries } from './fakeEntries';
import { broken, failing, ok, refused } from './answers';
import { ascending, newCredential, once, range, runFor, type AnswerTo, type RunChanges } from './runs';

/*
 * 'Send Once Per': what an item learns about its recipient from n8n's store, and what that costs a broadcast. Runs whose process dies
 * are in sendOncePer.test.ts, the lock of several processes in lock.test.ts.
 */

useVirtualTime();

const { message: isInDoubt } = inDoubt('', '');
const { message: isRefused } = valuesRefused(422, [], '');
const storeFailed = notAttempted(notRecorded(new Error('Занято')));
const doubtsIn = ({ stored }: FakeEntries) => stored.filter((entry) => entry.startsWith('doubt'));

/** Sends to contacts once, and continues after failures. */
const sendTo = async (ids: number[], changes: RunChanges) =>
	await runFor(
		ids.length,
		{ continues: true, ...changes },
		once,
		ids.map((id) => ({ id })),
	);

test.each<[string, ServiceAnswer, requests: number, error: string, object]>([
	['is skipped if the first is accepted', ok, 1, '', { success: true, alreadySent: true }],
	['leaves if the first is refused', refused, 2, '', { success: true }],
	['does not leave if the outcome of the first is unknown', broken, 1, isInDoubt, {}],
])('a second message to a recipient in a run %s', async (_, answer, requests, error, json) => {
	const answerTo: AnswerTo = (__, { length }) => (length === 1 ? answer : ok);
	const run = await sendTo([5, 5], { entries: new FakeEntries(), answerTo });
	expect([run.to.length, run.errors[1]]).toEqual([requests, error]);
	expect(run.json[1]).toMatchObject(json);
});

/** The key of contact 5 in n8n's database, where it stays when the package is updated. */
const key = 'uxE12eWyj_vnOlrooVKNYRpa_QUvKQs3';

test.each<[string, stored: string[], requests: number, error: string]>([
	['sent', [`sent ${key}`], 0, ''],
	['in doubt', [`doubt ${key}`], 0, isInDoubt],
	['claimed by a process that has died', [`sent ${key}`, `doubt ${key}`], 0, isInDoubt],
	['free, although there are other entries', ['open', 'ticket 7c9e6679', 'sent ключ'], 1, ''],
])('after an update, a recipient is still %s', async (_, stored, requests, error) => {
	const { to, errors } = await sendTo([5], { entries: new FakeEntries({ stored }) });
	expect([to.length, errors]).toEqual([requests, [error]]);
});

test.each(['another run', 'another process'])(
	'the others do not wait for a recipient whose message of %s is in progress',
	async (place) => {
		const entries = new FakeEntries();
		const answerTo = async () => await sleep(4000).then(() => ok);
		const first = sendTo([5], { entries, answerTo });
		const other = place === 'another run' ? entries : entries.inAnotherProcess();
		const { to, times, errors } = await sleep(1000).then(
			async () => await sendTo([5, 6, 7], { entries: other }),
		);
		expect([to, errors, times[1]! < 1000]).toEqual([[6, 7], ['', '', ''], true]);
		await first;
	},
);

test('a recipient who is free again is next, not behind the whole broadcast', async () => {
	const entries = new FakeEntries();
	void sendTo([5], { entries, answerTo: async () => await sleep(4000).then(() => refused) });
	await sleep(10);
	const { to } = await sendTo(range(5, 45), { entries, credential: newCredential(2) });
	expect([to.length, to.indexOf(5) < 20]).toEqual([40, true]);
});

test.each([
	['without Send Once Per', undefined],
	['with Send Once Per', new FakeEntries()],
])('%s, the second message to a person leaves soon after the first', async (_, entries) => {
	const contacts = range(1, 61).flatMap((id) => [
		{ id, part: 1 },
		{ id, part: 2 },
	]);
	const parameters = entries && { options: { sendOncePer: '={{ $json.part }}' } };
	const changes = { entries, credential: newCredential(2) };
	const { to, times } = await runFor(120, changes, parameters, contacts);
	const gaps = range(1, 61).map((id) => times[to.lastIndexOf(id)]! - times[to.indexOf(id)]!);
	expect(Math.max(...gaps)).toBeLessThan(5000);
});

describe('during a maintenance, nobody is in doubt to whom nothing was sent', () => {
	test.each([
		['start together', 8, 1000, 2],
		['start one after the other', 60, 30_000, 0],
		['differ in their numbers of people', 4, 1000, 10],
	])('of two workers that %s', async (_, count, afterMs, requestsPerSecond) => {
		const over = performance.now() + 100_000;
		const entries = new FakeEntries();
		const answerTo = () => (performance.now() < over ? failing(503, 'Service Unavailable') : ok);
		const sendIn = async (store: FakeEntries, people: number) =>
			await sendTo(range(1, people + 1), {
				...{ answerTo, entries: store, credential: newCredential(requestsPerSecond) },
			});
		const first = sendIn(entries, Math.max(8, count));
		await sleep(afterMs);
		const ended = [await sendIn(entries.inAnotherProcess(), count), await first];
		expect(ended.map(({ errors }) => errors.filter(Boolean))).toEqual([[], []]);
	});
});

test('a recipient whose message waits for its turn in another process is not in doubt', async () => {
	const whatsapp = { ...once, contactMessenger: 'whatsapp' };
	const entries = new FakeEntries();
	// The message leaves ten seconds after that to the other contact.
	const answerTo: AnswerTo = async (contact) => await sleep(contact === 5 ? 4000 : 1).then(() => ok);
	void runFor(2, { entries, answerTo }, whatsapp, [{ id: 4 }, { id: 5 }]);
	const other = { entries: entries.inAnotherProcess(), continues: true };
	const { to, json } = await sleep(1000).then(async () => await runFor(1, other, whatsapp, [{ id: 5 }]));
	expect([to, json]).toEqual([[], [{ success: true, alreadySent: true }]]);
});

describe('a broadcast with Send Once Per', () => {
	test.each<[string, number, number, callMs: number, seconds: number]>([
		['of a thousand messages without a limit', 1000, 0, 5, 10],
		['of a hundred messages at two per second, with a slow database', 100, 2, 150, 52],
	])('%s takes hardly longer than without', async (_, count, requestsPerSecond, callMs, seconds) => {
		const entries = new FakeEntries({ stored: [] }, () => callMs);
		const { to, tookMs } = await runFor(
			count,
			{ entries, credential: newCredential(requestsPerSecond) },
			once,
		);
		expect([to.length, tookMs < seconds * 1000]).toEqual([count, true]);
	});

	test('to a thousand recipients who have the message ends within seconds', async () => {
		const entries = new FakeEntries({ stored: [] }, () => 50);
		await runFor(1000, { entries }, once);
		const next = await runFor(
			1000,
			{ entries: entries.inAnotherProcess(), credential: newCredential(2) },
			once,
		);
		expect([next.to, next.done, next.tookMs < 10_000]).toEqual([[], 1000, true]);
	});

	test('in WhatsApp does not delay messages in other messengers', async () => {
		const contacts = range(1, 45).map((id) => ({ id, messenger: id <= 4 ? 'whatsapp' : 'vk' }));
		const parameters = { ...once, contactMessenger: '={{ $json.messenger }}' };
		const changes = { entries: new FakeEntries(), credential: newCredential(10) };
		const { to, times } = await runFor(44, changes, parameters, contacts);
		const lastAt = (isLast: (id: number) => boolean) => times[to.findLastIndex(isLast)]!;
		expect(lastAt((id) => id > 4)).toBeLessThan(6000);
		expect(lastAt((id) => id <= 4)).toBeLessThan(32_000);
	});

	test.each<[string, number, string, string]>([
		['names it in the end', 0, `${isInDoubt} [Item 2]`, '39 sent, 1 failed.'],
		['names the failure of another item', 40, `${isRefused} [Item 39]`, '38 sent, 2 failed.'],
	])('in stop mode is not stopped by an item in doubt, and %s', async (_, refusing, message, counts) => {
		const entries = new FakeEntries();
		await sendTo([3], { entries, answerTo: () => broken });
		const answerTo: AnswerTo = (contact) => (contact === refusing ? refused : ok);
		const later = await runFor(40, { answerTo, entries: entries.inAnotherProcess() }, once);
		expect(later.sorted).toEqual(range(1, 41).filter((contact) => contact !== 3));
		expect(later.error!.message).toBe(message);
		expect(later.error!.description).toContain(counts);
	});
});

describe("when n8n's store fails", () => {
	test('for a moment, a run does not notice', async () => {
		const entries = new FakeEntries();
		entries.fail({ times: 2 });
		const { done, logged } = await sendTo([1, 2, 3], { entries });
		expect([done, logged, doubtsIn(entries)]).toEqual([3, [], []]);
	});

	test('for some seconds, the end of a message is still recorded', async () => {
		const entries = new FakeEntries();
		entries.fail({ name: 'remove', times: 9 });
		const { done, logged } = await sendTo([1], { entries });
		expect([done, logged, entries.stored.length, doubtsIn(entries)]).toEqual([1, [], 1, []]);
	});

	/** Fails from the second claim on. @param seconds how long */
	function failsFor(seconds: number): FakeEntries {
		const entries = new FakeEntries();
		let firstAt: number | undefined;
		entries.before = (name) => {
			if (name === 'remove' || !entries.stored.length) return;
			firstAt ??= performance.now();
			if (performance.now() < firstAt + seconds * 1000) throw new Error('Занято');
		};
		return entries;
	}

	test('for twenty seconds, as when the database restarts, nobody is left out', async () => {
		const entries = failsFor(20);
		const { done, sorted, notice } = await sendTo(range(1, 121), { entries });
		expect([done, sorted, notice, doubtsIn(entries)]).toEqual([120, range(1, 121), '', []]);
	});

	test('for longer, the rest is not attempted, the notice says how to go on, and the next run sends it', async () => {
		const entries = failsFor(40);
		const { to, errors, notice, tookMs } = await sendTo(range(1, 601), { entries });
		expect(errors.filter((error) => error === storeFailed.message)).toHaveLength(600 - to.length);
		expect([to.length > 0, to.length <= 50, tookMs < 40_000]).toEqual([true, true, true]);
		expect(notice).toContain(`${600 - to.length} not attempted`);
		expect(notice).toContain(
			"Then start the workflow again: with 'Send Once Per', no one gets a message twice",
		);
		const next = await sendTo(range(1, 601), { entries });
		expect(ascending([...to, ...next.to])).toEqual(range(1, 601));
	});

	test('for longer in stop mode, the run stops, and the next run sends the rest', async () => {
		const entries = failsFor(40);
		const { error, to } = await runFor(120, { entries }, once);
		expect(error!.message).toContain(`${storeFailed.message} [Item `);
		expect(error!.description).toContain(storeFailed.description);
		expect([to.length > 0, to.length <= 50, doubtsIn(entries)]).toEqual([true, true, []]);
		const next = await runFor(120, { entries: entries.inAnotherProcess() }, once);
		expect(ascending([...to, ...next.to])).toEqual(range(1, 121));
	});

	test('and no outcome can be recorded, the run ends, and the log of n8n says for how many recipients', async () => {
		const entries = new FakeEntries();
		entries.fail({ name: 'remove' });
		const { to, logged } = await sendTo(range(1, 61), { entries });
		expect([to.length, doubtsIn(entries).length]).toEqual([60, 60]);
		expect(logged).toEqual([
			'Рассылка: n8n could not record the outcome for 60 recipients; they are in doubt',
		]);
	});

	test('with an answer that is none, nobody gets a message', async () => {
		const entries = new FakeEntries();
		entries.add = async () => await Promise.resolve(5 as never);
		const { to, errors } = await sendTo([1, 2, 3], { entries });
		expect([to, errors.filter(Boolean).length]).toEqual([[], 3]);
	});
});

test('a run that the user stops while it claims its first recipients ends when they are free', async () => {
	const entries = new FakeEntries();
	const stop = new AbortController();
	entries.before = () => stop.abort();
	const { to } = await runFor(60, { entries, signal: stop.signal }, once);
	expect([to, entries.stored]).toEqual([[], []]);
});

test('a run that the user stops ends within a second although the database is slow, and everything is recorded later', async () => {
	const entries = new FakeEntries();
	const stop = new AbortController();
	const answerTo = () => {
		entries.before = async () => await sleep(18_000);
		stop.abort();
		return ok;
	};
	const run = await runFor(60, { answerTo, entries, signal: stop.signal }, once);
	expect([run.error!.message, run.tookMs < 1000]).toEqual(['The execution was canceled', true]);
	await passTime();
	expect([entries.stored.length, doubtsIn(entries)]).toEqual([run.to.length, []]);
});

test('a message whose answer cannot be read because of a mistake in this node is not sent again', async () => {
	const unreadable = Object.defineProperty({ ...ok }, 'statusCode', {
		get() {
			throw new Error('Ошибка в коде');
		},
	});
	const entries = new FakeEntries();
	const first = await sendTo([1], { entries, answerTo: () => unreadable });
	const next = await sendTo([1], { entries: entries.inAnotherProcess() });
	expect([first.to, next.to, next.errors]).toEqual([[1], [], [isInDoubt]]);
});
