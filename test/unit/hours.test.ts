import { sleep } from 'n8n-workflow';

import { useVirtualTime } from '../virtualTime';
import { FakeEntries } from './fakeEntries';
import { failing, limited, ok, refused } from './answers';
import { newCredential, once, range, runFor, type AnswerTo, type RunChanges } from './runs';

/*
 * 'Sending Hours', in virtual time. The runs are in Europe/Moscow, UTC+3. Whole runs that end with their hours or start outside of them are
 * in test/engine/hours.test.ts.
 */

useVirtualTime();

const itIs = (time: string) => jest.setSystemTime(new Date(time));

const day = { from: '09:00', until: '21:00' };
const overMidnight = { from: '22:00', until: '06:00' };
const untilMidnight = { from: '09:00', until: '00:00' };
const evening = '2026-11-27T20:59:05+03:00';
const night = '2026-11-27T23:15:00+03:00';
const morning = '2026-11-28T09:00:00+03:00';

/** Messages to contacts in WhatsApp, one in ten seconds. With a store, they are sent once. */
async function broadcast(
	count: number,
	{ hours = day, ...changes }: RunChanges & { hours?: Record<string, unknown> } = {},
	parameters: Record<string, unknown> = {},
	contacts?: object[],
) {
	const options = { ...(changes.entries && once.options), sendingHours: { values: hours } };
	return await runFor(count, changes, { contactMessenger: 'whatsapp', options, ...parameters }, contacts);
}

const notAttempted = 'Not attempted: messages leave only from 09:00 until 21:00 (Europe/Moscow)';

const answerLate = async () => await sleep(20_000).then(() => ok);

describe('a run that reaches the end of its hours', () => {
	beforeEach(() => itIs(evening));

	test.each([
		[day, evening, 'tomorrow after 09:00'],
		[overMidnight, '2026-11-28T05:59:05+03:00', 'today after 22:00'],
		[untilMidnight, '2026-11-27T23:59:05+03:00', 'today after 09:00'],
	])(
		'tells a run with the hours %j, without Send Once Per, when and for which items to go on',
		async (...row) => {
			const [hours, time, next] = row;
			itIs(time);
			const { notice, done } = await broadcast(20, { hours });
			expect(notice).toBe(
				`${done} sent, ${20 - done} not attempted.<br>Messages leave only from ${hours.from} to ${hours.until} (Europe/Moscow).<br>Start the workflow again ${next}, only with the items that were not attempted.`,
			);
		},
	);

	test('says so, whatever the answers to requests in progress are', async () => {
		const answerTo = async () => await sleep(60_000).then(() => failing(401, 'Unauthenticated.'));
		const changes = { continues: true, credential: newCredential(0.2), answerTo };
		const { errors, notice } = await broadcast(20, changes, { contactMessenger: 'vk' });
		expect(errors.at(-1)).toBe(notAttempted);
		expect(notice).toMatch(/^0 sent, .*<br>Messages leave only from 09:00 to 21:00 /);
	});

	test('waits for the answers to requests in progress', async () => {
		const run = await broadcast(20, { continues: true, answerTo: answerLate });
		expect([run.done, run.json.length]).toEqual([run.to.length, 20]);
		expect(run.tookMs).toBeGreaterThan(55_000);
	});

	test('does not repeat a refused message after the hours', async () => {
		const entries = new FakeEntries();
		const answerTo: AnswerTo = (_, { length }) => (length >= 3 ? limited(30) : ok);
		const run = await broadcast(20, { continues: true, entries, answerTo });
		expect([run.done, new Set(run.errors)]).toEqual([2, new Set(['', notAttempted])]);
		itIs(morning);
		expect((await broadcast(20, { entries: entries.inAnotherProcess() })).to).toEqual(range(3, 21));
	});

	test('ends with the failure of a message that was in progress, in stop mode', async () => {
		const answerTo: AnswerTo = async (contact) =>
			await sleep(20_000).then(() => (contact === 4 ? refused : ok));
		const { error, to } = await broadcast(20, { answerTo });
		expect(to).toEqual(range(1, 5));
		expect(error!.message).toBe('The service rejected the request [Item 3]');
		expect(error!.description).toMatch(/^3 sent, 1 failed, 16 not attempted\. /);
	});

	test('says so of a single message that was still waiting', async () => {
		itIs('2026-11-27T20:59:58+03:00');
		const credential = newCredential();
		const runs = await Promise.all([broadcast(1, { credential }), broadcast(1, { credential })]);
		const { json, to, notice } = runs[1]!;
		expect([json, to]).toEqual([[], []]);
		expect(notice).toMatch(/^Messages leave only from 09:00 to 21:00 \(Europe\/Moscow\)\.<br>Start the/);
	});

	test('says nothing if only the answer to the last message comes later', async () => {
		itIs('2026-11-27T20:59:50+03:00');
		const { done, notice } = await broadcast(1, { answerTo: answerLate });
		expect([done, notice]).toEqual([1, '']);
	});
});

describe('a run that starts outside of its hours', () => {
	test('takes today for the next day if the hours come later', async () => {
		itIs('2026-11-27T05:00:00+03:00');
		expect((await broadcast(1)).error!.description).toContain('Start the workflow again today after 09:00');
	});

	test('still says what is wrong with single items, so that they are right the next day', async () => {
		itIs(night);
		const contacts = [{ id: 1 }, { id: 'Анна' }, { id: 3 }];
		const { errors } = await broadcast(3, { continues: true }, {}, contacts);
		expect(errors.map((error) => error === notAttempted)).toEqual([true, false, true]);
		expect(errors[1]).toContain("'Contact ID'");
	});

	test('leaves what an earlier try has done as it is', async () => {
		itIs(evening);
		const triesKey = {};
		await broadcast(20, { continues: true, triesKey });
		itIs(night);
		const again = await broadcast(20, { continues: true, triesKey });
		expect([again.to, again.done, again.json.length]).toEqual([[], 6, 20]);
	});
});

test.each<[string, hours: Record<string, unknown>, time: string, isOpen: boolean]>([
	['at its first minute', day, '2026-11-27T09:00:00+03:00', true],
	['before its first minute', day, '2026-11-27T08:59:59+03:00', false],
	['in its last second', day, '2026-11-27T20:59:59+03:00', true],
	['at its end', day, '2026-11-27T21:00:00+03:00', false],
	['over midnight, at its first minute', overMidnight, '2026-11-27T22:00:00+03:00', true],
	['over midnight, before its first minute', overMidnight, '2026-11-27T21:59:59+03:00', false],
	['over midnight, in its last second', overMidnight, '2026-11-28T05:59:59+03:00', true],
	['over midnight, at its end', overMidnight, '2026-11-28T06:00:00+03:00', false],
	['until midnight, at midnight', untilMidnight, '2026-11-28T00:00:00+03:00', false],
	['at 8:59 if n8n has stored no hours', {}, '2026-11-27T08:59:00+03:00', false],
	['at 9:00 from 9:00 if n8n has stored no end', { from: ' 9:00 ' }, '2026-11-27T09:00:00+03:00', true],
	[
		'at 21:00 until 21:00:00, as in a spreadsheet',
		{ from: '9:00:00', until: '21:00:00' },
		'2026-11-27T21:00:00+03:00',
		false,
	],
])('the hours are open or not %s', async (_, hours, time, isOpen) => {
	itIs(time);
	expect((await broadcast(1, { hours })).to).toEqual(isOpen ? [1] : []);
});

/** New York, where clocks go from 02:00 to 03:00 on March 14, and from 02:00 back to 01:00 on November 7, 2027. */
test.each([
	['to summer, the hours end an hour earlier', '2027-03-14T01:15:05-05:00', 6 * 60],
	['to winter, they last an hour longer', '2027-11-07T01:15:05-04:00', 3 * 6 * 60],
])('when clocks change %s for the run', async (_, time, sent) => {
	itIs(time);
	const hours = { from: '00:30', until: '03:15' };
	const run = await broadcast(2000, { timezone: 'America/New_York', continues: true, hours });
	expect(run.to).toHaveLength(sent);
	expect(run.notice).toContain('from 00:30 to 03:15 (America/New_York)');
});

test('a clock that jumps while a message waits for its slot stops this message, and the account is free for others', async () => {
	const answerTo: AnswerTo = () => {
		void sleep(300).then(() => itIs(night));
		return ok;
	};
	const changes = { continues: true, credential: newCredential(2.5), answerTo };
	// Ten messages without an end would block the account.
	for (const _ of range(0, 12)) {
		itIs('2026-11-27T12:00:00+03:00');
		const { to, tookMs } = await broadcast(3, changes, { contactMessenger: 'vk' });
		expect([to, tookMs < 1500]).toEqual([[1], true]);
	}
});

test('a clock that jumps past the end of the hours stops the message that is due next, and the account is free for others', async () => {
	const answerTo: AnswerTo = (contact) => {
		if (contact === 3) itIs(night);
		return ok;
	};
	const changes = { continues: true, credential: newCredential(10), answerTo };
	// Ten messages without an end would block the account.
	for (const _ of range(0, 12)) {
		itIs('2026-11-27T12:00:00+03:00');
		const { to, tookMs } = await broadcast(20, changes, { contactMessenger: 'vk' });
		expect([to, tookMs < 5000]).toEqual([[1, 2, 3], true]);
	}
});
