import { sleep } from 'n8n-workflow';

import { useVirtualTime } from '../virtualTime';
import { FakeEntries } from './fakeEntries';
import { limited, ok } from './answers';
import { newCredential, once, range, runFor, type AnswerTo, type RunChanges } from './runs';

/*
 * 'Sending Hours', in virtual time. The runs are in Europe/Moscow, UTC+3. Whole runs that end with their hours or start outside of them are
 * in test/engine/hours.test.ts.
 */

useVirtualTime();

const itIs = (time: string) => jest.setSystemTime(new Date(time));
const onFriday = (time: string) => itIs(`2026-11-27T${time}+03:00`);

const day = { from: '09:00', until: '21:00' };
const overMidnight = { from: '22:00', until: '06:00' };
const untilMidnight = { from: '09:00', until: '00:00' };
const lastSeconds = '20:59:55';
const night = '23:15:00';

/** Messages to contacts, one in a second. With a store, they are sent once. */
async function broadcast(
	count: number,
	{ hours = day, ...changes }: RunChanges & { hours?: Record<string, unknown> } = {},
	contacts?: object[],
) {
	const options = { ...(changes.entries && once.options), sendingHours: { values: hours } };
	return await runFor(count, { credential: newCredential(1), ...changes }, { options }, contacts);
}

const notAttempted = 'Not attempted: messages leave only from 09:00 until 21:00 (Europe/Moscow)';

test.each<[from: string | undefined, until: string | undefined, time: string, next: string]>([
	['09:00', '21:00', '09:00:00', ''],
	[undefined, undefined, '08:59:00', 'today after 09:00'],
	['09:00', '21:00', '08:59:59', 'today after 09:00'],
	['09:00', '21:00', '20:59:59', ''],
	['09:00', '21:00', '21:00:00', 'tomorrow after 09:00'],
	['22:00', '06:00', '22:00:00', ''],
	['22:00', '06:00', '05:59:59', ''],
	['22:00', '06:00', '06:00:00', 'today after 22:00'],
	[' 9:00 ', '21:00', '09:00:00', ''],
	// As in a spreadsheet.
	['9:00:00', '21:00:00', '21:00:00', 'tomorrow after 09:00'],
])('from %j until %j at %s, a run sends or says when', async (from, until, time, next) => {
	onFriday(time);
	const { to, error } = await broadcast(1, { hours: { from, until } });
	expect(to).toEqual(next ? [] : [1]);
	expect(error?.description ?? '').toContain(next ? `Start the workflow again ${next}` : '');
});

describe('a run that reaches the end of its hours', () => {
	beforeEach(() => onFriday(lastSeconds));

	test.each([
		[day, lastSeconds, 'tomorrow after 09:00'],
		[overMidnight, '05:59:55', 'today after 22:00'],
		[untilMidnight, '23:59:55', 'today after 09:00'],
	])('says with %j when and for which items to go on', async (hours, time, next) => {
		onFriday(time);
		const { notice, done } = await broadcast(20, { hours });
		expect(done).toBeGreaterThan(3);
		expect(notice.split('<br>')).toEqual([
			`${done} sent, ${20 - done} not attempted.`,
			`Messages leave only from ${hours.from} to ${hours.until} (Europe/Moscow).`,
			`Start the workflow again ${next}, only with the items that were not attempted.`,
		]);
	});

	test('does not repeat a refused message after the hours', async () => {
		const entries = new FakeEntries();
		const answerTo: AnswerTo = (_, { length }) => (length >= 3 ? limited(30) : ok);
		const run = await broadcast(20, { continues: true, entries, answerTo });
		expect([run.done, new Set(run.errors)]).toEqual([2, new Set(['', notAttempted])]);
		itIs('2026-11-28T09:00:00+03:00');
		expect((await broadcast(20, { entries: entries.inAnotherProcess() })).to).toEqual(range(3, 21));
	});

	test('says so of a single message that was still waiting', async () => {
		onFriday('20:59:58');
		const credential = newCredential(0.1);
		const runs = await Promise.all([broadcast(1, { credential }), broadcast(1, { credential })]);
		const { json, to, notice } = runs[1]!;
		expect([json, to]).toEqual([[], []]);
		expect(notice).toMatch(/^Messages leave only from 09:00 to 21:00 \(Europe\/Moscow\)\.<br>Start the/);
	});
});

test('outside of the hours, wrong items are still named', async () => {
	onFriday(night);
	const contacts = [{ id: 1 }, { id: 'Анна' }, { id: 3 }];
	const { errors } = await broadcast(3, { continues: true }, contacts);
	expect(errors.map((error) => error === notAttempted)).toEqual([true, false, true]);
	expect(errors[1]).toContain("'Contact ID'");
});

/* New York, where clocks go from 02:00 to 03:00 on March 14, and from 02:00 back to 01:00 on November 7, 2027. */
test.each([
	['to summer, the hours end earlier', '2027-03-14T01:59:55-05:00', '03:01', 65],
	['to winter, they last longer', '2027-11-07T01:59:55-04:00', '02:00', 100],
])('when clocks change %s for the run', async (_, time, until, sent) => {
	itIs(time);
	const run = await broadcast(100, { timezone: 'America/New_York', hours: { from: '00:30', until } });
	expect(run.to).toHaveLength(sent);
	expect(run.notice.includes(`from 00:30 to ${until} (America/New_York)`)).toBe(sent < 100);
});

const whileOneWaits: AnswerTo = () => {
	void sleep(300).then(() => onFriday(night));
	return ok;
};
const withTheThird: AnswerTo = (contact) => {
	if (contact === 3) onFriday(night);
	return ok;
};

test.each<[string, AnswerTo, perSecond: number, runs: number, sent: number[], most: number]>([
	['while a message waits', whileOneWaits, 2.5, 12, [1], 1500],
	['when the next message is due', withTheThird, 10, 12, [1, 2, 3], 5000],
])(
	'a clock that jumps %s stops it and blocks nobody',
	async (_, answerTo, ...[perSecond, runs, sent, most]) => {
		const changes = { continues: true, credential: newCredential(perSecond), answerTo };
		// Ten messages without an end would block the account.
		for (const _ of range(0, runs)) {
			onFriday('12:00:00');
			const { to, tookMs } = await broadcast(20, changes);
			expect([to, tookMs < most]).toEqual([sent, true]);
		}
	},
);
