import { FakeEntries } from './fakeEntries';
import { ascending, left, newCredential, ok, once, range, refused, runFor } from './runs';
import { clock } from './virtualTime';
import type * as VirtualTime from './virtualTime';

jest.mock('n8n-workflow', () => jest.requireActual<typeof VirtualTime>('./virtualTime').n8nWorkflow());

/* 'Sending Hours', in virtual time: both the clock of the wall and that of the waits. The runs are in Europe/Moscow, UTC+3. */

/** The time of the wall when the virtual clock is at 0. */
let wall = 0;
/** Sets the clock of the wall. */
const itIs = (time: string) => (wall = Date.parse(time) - clock.now());
beforeEach(() => {
	jest.spyOn(Date, 'now').mockImplementation(() => wall + clock.now());
	itIs('2026-11-27T12:00:00+03:00');
});

const day = { from: '09:00', until: '21:00' };
const evening = '2026-11-27T20:59:05+03:00';
const morning = '2026-11-28T09:00:00+03:00';

type Changes = NonNullable<Parameters<typeof runFor>[1]>;

/** Messages to contacts, by default in WhatsApp, one in ten seconds. */
async function broadcast(
	count: number,
	{
		hours = day,
		messenger = 'whatsapp',
		contacts,
		options = {},
		...changes
	}: Changes & {
		hours?: Record<string, unknown>;
		messenger?: string;
		contacts?: object[];
		options?: object;
	} = {},
) {
	const [hint, log] = [jest.fn(), jest.fn()];
	const parameters = {
		contactMessenger: messenger,
		options: { ...options, sendingHours: { values: hours } },
	};
	const began = clock.now();
	const run = await runFor(
		count,
		{ credential: newCredential(), hint, log, ...changes },
		parameters,
		contacts,
	);
	const rows = run.json ?? [];
	return {
		...run,
		tookMs: clock.now() - began,
		sent: rows.filter(({ error }) => !error).length,
		errors: rows.flatMap(({ error }) => (error ? [String(error).replace(/ \[Item \d+\]/, '')] : [])),
		notice: hint.mock.calls.map(([{ message }]) => message as string).join(' '),
		logged: log.mock.calls.flat().join(' '),
	};
}

const notAttempted = 'Not attempted: messages leave only from 09:00 until 21:00 (Europe/Moscow)';

describe('a run that reaches the end of its hours', () => {
	beforeEach(() => itIs(evening));

	test.each([
		['in stop mode ends with the items that were sent', false, 0],
		['in the continue modes says of each other item that it was not attempted', true, 14],
	])('%s', async (_, continues, errors) => {
		const run = await broadcast(20, { continues, options: once.options, entries: new FakeEntries() });
		expect(run.error).toBeUndefined();
		expect(run.to).toEqual(range(1, 7));
		expect([run.sent, run.errors]).toEqual([6, Array.from({ length: errors }, () => notAttempted)]);
		expect(run.notice).toContain(
			"6 of 20 messages were sent before 21:00 (Europe/Moscow). Start the workflow again tomorrow after 09:00: with 'Send Once Per', nobody gets a message twice.",
		);
		expect(run.logged).toContain('6 of 20 messages');
		expect(run.tookMs).toBeLessThan(60_000);
	});

	test.each([false, true])(
		'claims nobody whose message does not leave (continues: %s)',
		async (continues) => {
			const entries = new FakeEntries();
			const first = await broadcast(20, { continues, options: once.options, entries });
			itIs(morning);
			const next = await broadcast(20, { continues, options: once.options, entries: left(entries) });
			expect([first.to, next.to]).toEqual([range(1, 7), range(7, 21)]);
			expect([next.sent, next.error, next.notice]).toEqual([
				20,
				undefined,
				expect.stringContaining('6 were skipped'),
			]);
		},
	);

	test('tells a run without Send Once Per which items to send', async () => {
		const { notice } = await broadcast(20);
		expect(notice).toContain(
			'Start the workflow again tomorrow after 09:00, only with the items that were not attempted.',
		);
	});

	test('waits for the answers to requests in progress', async () => {
		const answerTo = async () => await clock.sleep(20_000).then(() => ok);
		const run = await broadcast(20, { continues: true, answerTo });
		expect([run.sent, run.errors.length]).toEqual([run.to.length, 20 - run.to.length]);
		expect(run.tookMs).toBeGreaterThan(55_000);
	});

	test('does not repeat a refused message after the hours', async () => {
		const limited = {
			statusCode: 429,
			headers: { 'retry-after': '30' },
			body: { message: 'Too Many Attempts.' },
		};
		const entries = new FakeEntries();
		const run = await broadcast(20, {
			...{ continues: true, options: once.options, entries },
			answerTo: (_, { length }) => (length >= 3 ? limited : ok),
		});
		expect([run.sent, new Set(run.errors)]).toEqual([2, new Set([notAttempted])]);
		itIs(morning);
		expect((await broadcast(20, { options: once.options, entries: left(entries) })).to).toEqual(range(3, 21));
	});

	test('ends with the failure of a message that was in progress, in stop mode', async () => {
		const late: number[] = [];
		const end = clock.now() + 55_000;
		const answerTo = async (contact: number) => {
			await clock.sleep(20_000);
			if (clock.now() < end) return ok;
			late.push(contact);
			return refused;
		};
		const { error, to } = await broadcast(20, { answerTo });
		expect(error!.message).toBe(`The service refused the request [Item ${late[0]! - 1}]`);
		expect(error!.description).toContain(
			`${to.length - late.length} were done, ${late.length} failed and ${20 - to.length} were not sent`,
		);
	});

	test('says so of a single message that was still waiting', async () => {
		itIs('2026-11-27T20:59:58+03:00');
		const credential = newCredential();
		const [, { json, to, notice }] = await Promise.all([
			broadcast(1, { credential }),
			broadcast(1, { credential }),
		]);
		expect([json, to]).toEqual([[], []]);
		expect(notice).toContain('0 of 1 messages were sent before 21:00 (Europe/Moscow)');
	});

	test('says nothing if only the answer to the last message comes later', async () => {
		itIs('2026-11-27T20:59:50+03:00');
		const answerTo = async () => await clock.sleep(20_000).then(() => ok);
		const { sent, notice } = await broadcast(1, { answerTo });
		expect([sent, notice]).toEqual([1, '']);
	});

	test('ends an interval of Batching', async () => {
		const parameters = {
			options: { sendingHours: { values: day } },
			requestOptions: { batching: { batch: { batchSize: 1, batchInterval: 3_600_000 } } },
		};
		const began = clock.now();
		const { to, json } = await runFor(3, { continues: true }, parameters);
		expect([to, json!.length, clock.now() - began < 57_000]).toEqual([[1], 3, true]);
	});

	test('is stopped like any other', async () => {
		const stop = new AbortController();
		void clock.sleep(30_000).then(() => stop.abort());
		const { error, to } = await broadcast(20, { signal: stop.signal });
		expect([error!.message, to]).toEqual(['The execution was canceled', range(1, 4)]);
	});
});

test('two workers send one broadcast until its hours end, and the next run sends the rest: everybody gets it once', async () => {
	itIs(evening);
	const entries = new FakeEntries();
	const options = once.options;
	const workers = [entries, new FakeEntries([], undefined, undefined, entries.row)];
	const runs = await Promise.all(
		workers.map(async (each) => await broadcast(20, { entries: each, continues: true, options })),
	);
	const reached = runs.flatMap(({ to }) => to);
	expect(reached.length).toBeLessThan(15);
	itIs(morning);
	const next = await broadcast(20, { entries: left(entries), continues: true, options });
	expect(ascending([...reached, ...next.to])).toEqual(range(1, 21));
	expect(next.errors).toEqual([]);
});

describe('a run that starts outside of its hours', () => {
	beforeEach(() => itIs('2026-11-27T23:15:00+03:00'));

	test('sends nothing and says why, in stop mode', async () => {
		const run = await broadcast(3);
		expect(run.to).toEqual([]);
		expect(run.error!.message).toBe(`${notAttempted} [Item 0]`);
		expect(run.error!.description).toBe(
			'It is 23:15 there. Start the workflow again tomorrow after 09:00, only with the items that were not attempted. Of 3 items, 0 were done, 0 failed and 3 were not sent.',
		);
	});

	test('sends nothing and says why of each item, in the continue modes', async () => {
		const run = await broadcast(3, { continues: true });
		expect([run.to, run.errors]).toEqual([[], [notAttempted, notAttempted, notAttempted]]);
		expect(run.notice).toContain(`${notAttempted}. It is 23:15 there.`);
	});

	test('takes today for the next day if the hours come later', async () => {
		itIs('2026-11-27T05:00:00+03:00');
		expect((await broadcast(1)).error!.description).toContain('Start the workflow again today after 09:00');
	});

	test('leaves what an earlier try has done as it is', async () => {
		itIs(evening);
		const triesKey = {};
		await broadcast(20, { continues: true, triesKey });
		itIs('2026-11-27T23:15:00+03:00');
		const again = await broadcast(20, { continues: true, triesKey });
		expect([again.to, again.sent, again.errors.length]).toEqual([[], 6, 14]);
	});

	test('claims nothing', async () => {
		const entries = new FakeEntries();
		await broadcast(3, { continues: true, options: once.options, entries });
		expect(entries.recipients).toEqual([]);
	});
});

test.each<[string, hours: { from: string; until: string }, time: string, isOpen: boolean]>([
	['at its first minute', day, '2026-11-27T09:00:00+03:00', true],
	['before its first minute', day, '2026-11-27T08:59:59+03:00', false],
	['in its last second', day, '2026-11-27T20:59:59+03:00', true],
	['at its end', day, '2026-11-27T21:00:00+03:00', false],
	['over midnight, in the evening', { from: '22:00', until: '6:00' }, '2026-11-27T23:30:00+03:00', true],
	['over midnight, at midnight', { from: '22:00', until: '6:00' }, '2026-11-28T00:00:00+03:00', true],
	['over midnight, in the morning', { from: '22:00', until: '6:00' }, '2026-11-28T05:59:00+03:00', true],
	['over midnight, at its end', { from: '22:00', until: '6:00' }, '2026-11-28T06:00:00+03:00', false],
	['until midnight, before it', { from: '09:00', until: '00:00' }, '2026-11-27T23:59:00+03:00', true],
	['until midnight, at midnight', { from: '09:00', until: '00:00' }, '2026-11-28T00:00:00+03:00', false],
])('the hours are open or not %s', async (_, hours, time, isOpen) => {
	itIs(time);
	expect((await broadcast(1, { hours })).to).toEqual(isOpen ? [1] : []);
});

describe('when clocks change', () => {
	const night = { from: '00:30', until: '03:15' };
	/** New York, where clocks go from 02:00 to 03:00 on March 14, and from 02:00 back to 01:00 on November 7, 2027. */
	const inNewYork = { timezone: 'America/New_York', continues: true };

	test('to summer, the hours end an hour earlier for the run', async () => {
		itIs('2027-03-14T01:15:05-05:00');
		const run = await broadcast(1000, { ...inNewYork, hours: night });
		expect(run.to).toHaveLength(6 * 60);
		expect(run.notice).toContain('before 03:15 (America/New_York)');
	});

	test('to winter, they last an hour longer', async () => {
		itIs('2027-11-07T01:15:05-04:00');
		expect((await broadcast(2000, { ...inNewYork, hours: night })).to).toHaveLength(3 * 6 * 60);
	});
});

test('a clock that jumps past the end of the hours stops the message that is due next', async () => {
	const { to } = await broadcast(20, {
		...{ continues: true, messenger: 'vk', credential: newCredential(10) },
		answerTo(contact) {
			if (contact === 3) itIs('2026-11-27T22:00:00+03:00');
			return ok;
		},
	});
	expect(to).toEqual([1, 2, 3]);
});

test('a broadcast of 3,000 messages in WhatsApp that starts at two ends at nine, and the next day sends the rest', async () => {
	const entries = new FakeEntries();
	itIs('2026-11-27T14:00:00+03:00');
	const first = await broadcast(3000, { options: once.options, entries });
	expect(first.notice).toContain('2520 of 3000 messages were sent before 21:00 (Europe/Moscow)');
	itIs(morning);
	const next = await broadcast(3000, { options: once.options, entries: left(entries) });
	expect(ascending([...first.to, ...next.to])).toEqual(range(1, 3001));
});

test.each<[string, Record<string, unknown> | undefined]>([
	['09:00 to 21:00 if n8n has stored no values', {}],
	['9:00 as 09:00, and an Until that n8n has not stored', { from: ' 9:00 ' }],
	['what a spreadsheet gives', { from: '9:00:00', until: '21:00:00' }],
])('the hours are %s', async (_, hours) => {
	itIs('2026-11-27T08:59:00+03:00');
	expect((await broadcast(1, { hours })).error!.message).toBe(`${notAttempted} [Item 0]`);
});
