import { sleep } from 'n8n-workflow';

import { texts } from '../pasted/table';
import { useVirtualTime } from '../virtualTime';
import { FakeEntries } from './fakeEntries';
import { forbidden, limited, ok } from './answers';
import { ascending, newCredential, once, range, runFor, type AnswerTo, type RunChanges } from './runs';

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
		[day, lastSeconds],
		[overMidnight, '05:59:55'],
		[untilMidnight, '23:59:55'],
	])('says with %j when and for which items to go on', async (hours, time) => {
		onFriday(time);
		const { notice, logged, done } = await broadcast(20, { hours });
		expect(done).toBeGreaterThan(3);
		const said = [
			`${done} sent, ${20 - done} not attempted.`,
			`For ${20 - done} of them it is night until ${hours.from} (Europe/Moscow).`,
			'Start the workflow again then, only with the items that were not attempted.',
		];
		expect(notice.split('<br>')).toEqual(said);
		expect(logged.at(-1)).toContain(said.join(' '));
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
		expect(notice).toMatch(/^It is night until 09:00 \(Europe\/Moscow\)\.<br>Start the workflow again then,/);
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
	expect(run.notice.includes('until 00:30 (America/New_York)')).toBe(sent < 100);
});

test.each([
	['00:07', '+10 | UTC+10 | utc +10:00 | GMT+10 | +1000 | МСК+7 | мск + 7 | MSK+7 | Asia/Vladivostok'],
	['10:37', '−3:30 | –3:30 | -0330'],
	['19:52', '+5:45 | Asia/Kathmandu'],
	['04:07', '+14 | Etc/GMT-14'],
	['17:07', 'МСК | MSK+0 | Europe/Moscow'],
	['16:07', 'МСК-1 | +2 | Europe/Kaliningrad'],
	['14:07', 'UTC | GMT | +0'],
])('it is %s in %s', async (there, zones) => {
	itIs('2026-11-27T14:07:00Z');
	const hours = { from: '23:00', until: '23:01', timeZone: '={{ $json.zone }}' };
	for (const zone of texts(zones)) {
		const { error } = await broadcast(1, { hours }, [{ id: 1, zone: ` ${zone}\u00a0` }]);
		expect(error!.message).toContain(`(${zone})`);
		expect(error!.description).toContain(`It is ${there} there.`);
	}
});

describe('recipients in several time zones', () => {
	const hours = { ...day, timeZone: '={{ $json.zone }}' };
	const zones = [
		'МСК',
		'Asia/Vladivostok',
		'UTC+5',
		'Europe/Samara',
		'+10',
		'Asia/Kamchatka',
		'Europe/London',
	];
	const people = (count: number) =>
		range(1, count + 1).map((id) => ({ id, zone: zones[(id - 1) % zones.length] }));
	const inZone = (zone: string) => (id: number) => zones[(id - 1) % zones.length] === zone;

	test.each([false, true])('everyone is told the next times (continues: %s)', async (continues) => {
		onFriday('20:30:00');
		const run = await broadcast(21, { hours, continues, entries: new FakeEntries() }, people(21));
		expect(run.to).toEqual(range(1, 22).filter((id) => inZone('МСК')(id) || inZone('Europe/London')(id)));
		expect(run.notice.split('<br>')).toEqual([
			'6 sent, 15 not attempted.',
			'For 3 of them it is night until 09:00 (Asia/Kamchatka).',
			'For 6 of them it is night until 09:00 (+10).',
			'For 3 of them it is night until 09:00 (UTC+5).',
			'For 3 of them it is night for longer.',
			"Start the workflow again then: with 'Send Once Per', no one gets a message twice.",
		]);
		const said = (id: number) =>
			run.to.includes(id) ? '' : (expect.stringContaining('Not attempted:') as string);
		expect(run.errors).toEqual(continues ? range(1, 22).map(said) : Array(6).fill(''));
	});

	test.each([
		['while those of others are closed', '20:30:00', zones, 10, 1],
		['shortly after they have closed', '20:59:58', ['МСК', 'Europe/London', 'МСК'], 1, 5],
	])(
		'a process that dies %s leaves nobody in doubt to whom nothing may leave',
		async (_, time, zones, perSecond, dies) => {
			onFriday(time);
			const entries = new FakeEntries();
			const people = range(0, 21).map((index) => ({ id: index + 1, zone: zones[index % zones.length] }));
			const answerTo: AnswerTo = (_, to) => {
				if (to.length === dies) entries.die();
				return ok;
			};
			const given = { hours, continues: true, credential: newCredential(perSecond) };
			const first = await broadcast(21, { ...given, entries, answerTo }, people);
			// The hours of all zones open, one after the other.
			const sent = [...first.to];
			const doubts = new Set<number>();
			for (const hour of range(0, 24)) {
				itIs(new Date(Date.parse('2026-11-28T00:00:00+03:00') + hour * 3_600_000).toISOString());
				const next = await broadcast(21, { ...given, entries: entries.inAnotherProcess() }, people);
				sent.push(...next.to);
				next.errors.forEach((error, index) => error.includes('may have been sent') && doubts.add(index + 1));
			}
			expect(new Set(sent).size).toBe(sent.length);
			expect(ascending([...new Set([...sent, ...doubts])])).toEqual(range(1, 22));
			const wereOpen = people.filter(
				({ zone }) => zone === 'Europe/London' || (dies === 1 && zone === 'МСК'),
			);
			const mayBeInDoubt = [...first.to, ...wereOpen.map(({ id }) => id)];
			expect(mayBeInDoubt).toEqual(expect.arrayContaining([...doubts]));
		},
	);

	test('a message that waits does not leave after its hours, and the others do', async () => {
		onFriday('20:59:58');
		const answerTo: AnswerTo = (_, to) => (to.length === 1 ? limited(30) : ok);
		const two = [
			{ id: 1, zone: 'МСК' },
			{ id: 2, zone: 'МСК' },
			{ id: 3, zone: 'Europe/London' },
		];
		const run = await broadcast(3, { hours, continues: true, answerTo }, two);
		expect([run.to, run.errors]).toEqual([
			[1, 3],
			[expect.stringContaining('(МСК)'), expect.stringContaining('(МСК)'), ''],
		]);
	});

	test('trouble of the account is said beside the hours', async () => {
		onFriday('20:30:00');
		const { notice } = await broadcast(21, { hours, continues: true, answerTo: () => forbidden }, people(21));
		expect(notice).toContain('The service denied access');
		expect(notice).toContain('For 2 of them it is night until 09:00 (Asia/Kamchatka).');
		expect(notice).toContain('Then start the workflow again, only');
	});
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
