import { sleep } from 'n8n-workflow';

import * as failures from '../../nodes/ChatbotService/client/failure/failure';
import { passTime, useVirtualTime } from '../virtualTime';
import { FakeEntries } from './fakeEntries';
import { broken, closed, later, ok, refused } from './answers';
import { ascending, newCredential, once, range, runFor, type AnswerTo, type RunChanges } from './runs';

/*
 * 'Send Once Per': what an item learns about its recipient from n8n's store, and what that costs a broadcast. Runs whose process dies
 * are in sentOnce.test.ts, the lock of several processes in lock.test.ts.
 */

useVirtualTime();

const { message: isInDoubt } = failures.inDoubt('', '');
const { message: isRefused } = failures.valuesRefused([], '');
const storeFailed = failures.notAttempted(failures.notRecorded(new Error('Занято')));
const doubtsIn = ({ stored }: FakeEntries) => stored.filter((entry) => entry.startsWith('doubt'));

/** Sends to contacts once, and continues after failures. */
const sendTo = async (ids: number[], changes: RunChanges) => {
	const contacts = ids.map((id) => ({ id }));
	return await runFor(ids.length, { continues: true, ...changes }, once, contacts);
};

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

describe('a recipient whose message is in progress', () => {
	test.each(['run', 'process'])('in another %s makes nobody else wait', async (place) => {
		const entries = new FakeEntries();
		const first = sendTo([5], { entries, answerTo: async () => await later(4000) });
		const other = place === 'run' ? entries : entries.inAnotherProcess();
		await later(1000);
		const { to, times, errors } = await sendTo([5, 6, 7], { entries: other });
		expect([to, errors, times[1]! < 1000]).toEqual([[6, 7], ['', '', ''], true]);
		await first;
	});

	test('is not in doubt while it waits for its turn', async () => {
		const whatsapp = { ...once, contactMessenger: 'whatsapp' };
		const entries = new FakeEntries();
		// The message leaves ten seconds after that to the other contact.
		const answerTo: AnswerTo = async (contact) => await later(contact === 5 ? 4000 : 1);
		void runFor(2, { entries, answerTo }, whatsapp, [{ id: 4 }, { id: 5 }]);
		await later(1000);
		const other = { entries: entries.inAnotherProcess(), continues: true };
		const { to, json } = await runFor(1, other, whatsapp, [{ id: 5 }]);
		expect([to, json]).toEqual([[], [{ success: true, alreadySent: true }]]);
	});

	test.each([
		['start together', 8, 1000, 2],
		['start one after the other', 60, 30_000, 0],
		['differ in their numbers of people', 4, 1000, 10],
	])('is not in doubt in maintenance of two that %s', async (_, count, afterMs, perSecond) => {
		const over = performance.now() + 100_000;
		const entries = new FakeEntries();
		const answerTo = () => (performance.now() < over ? closed() : ok);
		const sendIn = async (store: FakeEntries, people: number) =>
			await sendTo(range(1, people + 1), { answerTo, entries: store, credential: newCredential(perSecond) });
		const first = sendIn(entries, Math.max(8, count));
		await sleep(afterMs);
		const ended = [await sendIn(entries.inAnotherProcess(), count), await first];
		expect(ended.flatMap(({ errors }) => errors).filter(Boolean)).toEqual([]);
	});
});

test.each([
	['without Send Once Per', undefined],
	['with Send Once Per', new FakeEntries()],
])('%s, the second message to a person leaves soon', async (_, entries) => {
	const contacts = range(0, 80).map((index) => ({ id: 1 + Math.floor(index / 2), part: index % 2 }));
	const parameters = entries && { options: { sendOncePer: '=часть {{ $json.part }}' } };
	const { to, times } = await runFor(80, { entries, credential: newCredential(2) }, parameters, contacts);
	const gaps = range(1, 41).map((id) => times[to.lastIndexOf(id)]! - times[to.indexOf(id)]!);
	expect([to.length, Math.max(...gaps) < 5000]).toEqual([80, true]);
});

describe('a broadcast with Send Once Per', () => {
	test.each<[string, number, number, callMs: number, seconds: number]>([
		['without a limit', 300, 0, 5, 4],
		['at two per second, with a slow database', 100, 2, 150, 52],
	])('takes hardly longer %s, and seconds when repeated', async (_, count, perSecond, callMs, seconds) => {
		const entries = new FakeEntries({ stored: [] }, () => callMs);
		const credential = newCredential(perSecond);
		const { to, tookMs } = await runFor(count, { entries, credential }, once);
		expect([to.length, tookMs < seconds * 1000]).toEqual([count, true]);
		const next = await runFor(count, { entries: entries.inAnotherProcess(), credential }, once);
		expect([next.to, next.done, next.tookMs < 10_000]).toEqual([[], count, true]);
	});

	test.each<[string, number, string, string]>([
		['names it in the end', 0, `${isInDoubt} [Item 2]`, '39 sent, 1 failed.'],
		['names the failure of another item', 40, `${isRefused} [Item 39]`, '38 sent, 2 failed.'],
	])('in stop mode goes on after a doubt, and %s', async (_, refusing, message, counts) => {
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
	/** From the second claim on. @param seconds how long */
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

	const lost = 'Рассылка: n8n could not record the outcome for 60 recipients; they are in doubt';

	test.each<[string, () => FakeEntries, count: number, doubts: number, logged: string[]]>([
		['for a moment', () => new FakeEntries().fail({ times: 2 }), 3, 0, []],
		['for seconds in the end', () => new FakeEntries().fail({ name: 'remove', times: 9 }), 1, 0, []],
		['for twenty seconds, as a database restarts', () => failsFor(20), 120, 0, []],
		['for good in the end', () => new FakeEntries().fail({ name: 'remove' }), 60, 60, [lost]],
	])('%s, everybody gets the message', async (_, storeOf, count, doubts, logged) => {
		const entries = storeOf();
		const run = await sendTo(range(1, count + 1), { entries });
		expect([run.done, run.sorted, run.logged]).toEqual([count, range(1, count + 1), logged]);
		expect([entries.stored.length, doubtsIn(entries).length]).toEqual([count + doubts, doubts]);
	});

	test.each([true, false])('for longer, the next run goes on (continues: %s)', async (continues) => {
		const entries = failsFor(40);
		const { to, error, errors, notice, tookMs } = await runFor(200, { entries, continues }, once);
		expect([to.length > 0, to.length <= 50, tookMs < 40_000]).toEqual([true, true, true]);
		const left = errors.filter((each) => each === storeFailed.message);
		expect(left).toHaveLength(continues ? 200 - to.length : 0);
		const goOn = "start the workflow again: with 'Send Once Per', no one gets a message twice";
		const said = continues ? notice : `${error!.message}: ${error!.description!}`;
		for (const words of continues ? [goOn] : [`${storeFailed.message} [Item `, storeFailed.description])
			expect(said).toContain(words);
		expect(said).toContain(`${200 - to.length} not attempted`);
		expect(doubtsIn(entries)).toEqual([]);
		const next = await sendTo(range(1, 201), { entries: entries.inAnotherProcess() });
		expect(ascending([...to, ...next.to])).toEqual(range(1, 201));
	});
});

test('Stop ends a run at once, and all is recorded', async () => {
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
