import { serviceFailed, timedOut, valuesRefused } from '../../nodes/ChatbotService/client/failure';
import type { Result } from '../../nodes/ChatbotService/client/result';
import { Outcomes, type When } from '../../nodes/ChatbotService/run/outcome';

const done: Result = { rows: [{ success: true }] };
const skipped: Result = { rows: [{ success: true, alreadySent: true }] };
const refused: Result = { failure: valuesRefused(422, ['Text'], 'Нет текста') };
const inDoubt: Result = { failure: timedOut() };

/** Outcomes with a clock that the test sets. */
function outcomesOf(expected: number) {
	const clock = { now: 5000 };
	return { clock, outcomes: new Outcomes(expected, () => clock.now) };
}

const countsOf = ({ done, failed, unknown, skipped, interrupted, ended, notSent }: Outcomes) => ({
	...{ done, failed, unknown, skipped, interrupted, ended, notSent },
});
const zero = { done: 0, failed: 0, unknown: 0, skipped: 0, interrupted: 0, ended: 0 };

test.each<[string, [Result, When?], Partial<typeof zero>]>([
	['done', [done], { done: 1 }],
	['done without rows', [{ rows: [] }], { done: 1 }],
	['failed', [refused], { failed: 1 }],
	['failed and unknown', [inDoubt], { failed: 1, unknown: 1 }],
	['unknown if the service failed', [{ failure: serviceFailed(500) }], { failed: 1, unknown: 1 }],
	['done, by an earlier run', [done, 'earlier'], { done: 1 }],
	['unknown, by an earlier run', [inDoubt, 'earlier'], { failed: 1, unknown: 1 }],
	['done and skipped, if the recipient had the message', [skipped, 'skipped'], { done: 1, skipped: 1 }],
])('an item counts as %s', (_, end, counts) => {
	const { outcomes } = outcomesOf(4);
	expect(countsOf(outcomes)).toEqual({ ...zero, notSent: 4 });
	outcomes.record(2, ...end);
	expect(countsOf(outcomes)).toEqual({ ...zero, notSent: 3, ended: 1, ...counts });
});

test('only the first end of an item counts', () => {
	const { outcomes } = outcomesOf(2);
	outcomes.record(0, done);
	outcomes.record(0, inDoubt);
	outcomes.recordInterrupted(0);
	outcomes.recordInterrupted(1);
	outcomes.recordInterrupted(1);
	outcomes.record(1, refused);
	expect([outcomes.of(0), outcomes.of(1)]).toEqual([done, 'interrupted']);
	expect(countsOf(outcomes)).toEqual({ ...zero, done: 1, interrupted: 1, ended: 1, notSent: 0 });
});

test('each item has the outcome that was recorded for it, and counts add up, in whatever order the items end', () => {
	const { outcomes } = outcomesOf(10);
	for (const item of [4, 0]) outcomes.record(item, done);
	outcomes.record(2, inDoubt, 'earlier');
	outcomes.record(1, refused);
	for (const item of [8, 3]) outcomes.record(item, skipped, 'skipped');
	for (const item of [9, 6]) outcomes.recordInterrupted(item);
	expect([...Array(10).keys()].map((item) => outcomes.of(item))).toEqual([
		...[done, refused, inDoubt, skipped, done],
		...['notSent', 'interrupted', 'notSent', skipped, 'interrupted'],
	]);
	const counts = { done: 4, failed: 2, unknown: 1, skipped: 2, interrupted: 2, ended: 6, notSent: 2 };
	expect(countsOf(outcomes)).toEqual(counts);
});

describe('the first item', () => {
	test('that failed is the first by its index, not in time', () => {
		const { outcomes } = outcomesOf(5);
		outcomes.record(1, done);
		expect(outcomes.firstFailed).toBeUndefined();
		outcomes.record(3, inDoubt);
		expect(outcomes.firstFailed).toEqual({ item: 3, ...inDoubt });
		outcomes.record(0, refused);
		expect(outcomes.firstFailed).toEqual({ item: 0, ...refused });
	});

	test('that failed is one of an earlier run only if nothing has failed in this run', () => {
		const { outcomes } = outcomesOf(6);
		outcomes.record(0, done, 'earlier');
		expect(outcomes.firstFailed).toBeUndefined();
		outcomes.record(3, inDoubt, 'earlier');
		outcomes.record(1, inDoubt, 'earlier');
		expect(outcomes.firstFailed).toEqual({ item: 1, ...inDoubt });
		outcomes.record(5, refused);
		expect(outcomes.firstFailed).toEqual({ item: 5, ...refused });
	});

	test('without a result is an interrupted one, before any that was not sent', () => {
		const { outcomes } = outcomesOf(5);
		outcomes.record(1, refused);
		expect(outcomes.firstLeft).toEqual({ item: 0, left: 'notSent' });
		outcomes.recordInterrupted(4);
		expect(outcomes.firstLeft).toEqual({ item: 4, left: 'interrupted' });
		expect(outcomes.firstFailed).toEqual({ item: 1, ...refused });
		outcomes.recordInterrupted(0);
		expect(outcomes.firstLeft).toEqual({ item: 0, left: 'interrupted' });
	});

	test('without a result is not one that has ended', () => {
		const { outcomes } = outcomesOf(3);
		outcomes.record(0, done);
		outcomes.record(1, refused);
		expect(outcomes.firstLeft).toEqual({ item: 2, left: 'notSent' });
	});
});

test.each<[string, startsMs: number[], waitsMs: number[], seconds: number]>([
	['is 0 without a refusal', [], [], 0],
	['is that of the only refusal', [123], [7000], 7],
	['counts once if waits overlap', [0, 3000, 6000], [4000, 4000, 4000], 10],
	['continues from the longest of several waits', [0, 3000, 9000], [10_000, 2000, 2000], 11],
	['adds up for one wait right after the other', [0, 4000], [4000, 3000], 7],
	['leaves out the time between two waits', [0, 60_000], [4000, 3000], 7],
	['is rounded as a whole, not wait by wait', [0, 1000], [400, 400], 1],
])('the time in which nothing left because of refusals %s', (_, startsMs, waitsMs, seconds) => {
	const { clock, outcomes } = outcomesOf(9);
	for (const [index, startMs] of startsMs.entries()) {
		clock.now = 5000 + startMs;
		outcomes.refusedFor(waitsMs[index]!);
	}
	expect(outcomes.refused).toBe(waitsMs.length);
	expect(outcomes.secondsWaited).toBe(seconds);
});

describe('the progress of a run', () => {
	const every30s = 30_000;

	/** A run of 100 items, of which some failed before the first request, which left at second 10. */
	function started(failedBefore: number) {
		const { clock, outcomes } = outcomesOf(100);
		const recordNext = (count: number, ended: Result) => {
			for (let index = 0; index < count; index++) outcomes.record(outcomes.ended, ended);
		};
		recordNext(failedBefore, refused);
		clock.now += 10_000;
		outcomes.begin();
		return { clock, outcomes, recordNext };
	}

	test('is not reported before the first request, however long that takes', () => {
		const { clock, outcomes } = outcomesOf(100);
		outcomes.record(0, refused);
		clock.now += 600_000;
		expect(outcomes.progress(every30s)).toBeUndefined();
	});

	test('is reported every 30 seconds', () => {
		const { clock, outcomes } = started(0);
		for (let round = 0; round < 2; round++) {
			clock.now += 29_999;
			expect(outcomes.progress(every30s)).toBeUndefined();
			clock.now += 1;
			expect(outcomes.progress(every30s)).toBeDefined();
		}
	});

	test.each<[string, before: number, done: number, failed: number, seconds: number, text: string]>([
		['how many have failed', 0, 18, 2, 40, '20 of 100 items processed, 2 of them failed; about 160 s left'],
		[
			'an estimate by the items that ended since the first request',
			...([50, 10, 0, 30] as const),
			'60 of 100 items processed, 50 of them failed; about 120 s left',
		],
		[
			'no estimate as long as nothing has ended since the first request',
			...([50, 0, 0, 30] as const),
			'50 of 100 items processed, 50 of them failed',
		],
	])('is reported with %s', (_, before, doneSince, failedSince, seconds, text) => {
		const { clock, outcomes, recordNext } = started(before);
		recordNext(doneSince, done);
		recordNext(failedSince, refused);
		clock.now += seconds * 1000;
		expect(outcomes.progress(every30s)).toBe(text);
	});

	test('is estimated from the first request, not from a later one', () => {
		const { clock, outcomes, recordNext } = started(0);
		clock.now += 20_000;
		outcomes.begin();
		recordNext(10, done);
		clock.now += 20_000;
		outcomes.begin();
		expect(outcomes.progress(every30s)).toBe('10 of 100 items processed, 0 of them failed; about 360 s left');
	});
});
