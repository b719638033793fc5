import { serviceFailed, timedOut, valuesRefused } from '../../nodes/ChatbotService/client/failure';
import { hasFailed, Outcomes, type Ended } from '../../nodes/ChatbotService/run/outcome';

const done: Ended = { rows: [{ success: true }] };
const refused: Ended = { failure: valuesRefused(422, ['Text'], 'Нет текста') };
const inDoubt: Ended = { failure: timedOut() };

/** Outcomes with a clock that the test sets. */
function outcomesOf(expected: number) {
	const clock = { now: 5000 };
	return { clock, outcomes: new Outcomes(expected, () => clock.now) };
}

describe('counts', () => {
	test('begin with nothing done and nothing sent', () => {
		const { outcomes } = outcomesOf(3);
		expect(outcomes).toMatchObject({ expected: 3, done: 0, failed: 0, unknown: 0, ended: 0, notSent: 3 });
		expect([0, 1, 2].map((item) => outcomes.of(item))).toEqual(['notSent', 'notSent', 'notSent']);
	});

	test('are of how the items ended', () => {
		const { outcomes } = outcomesOf(6);
		outcomes.record(4, refused);
		outcomes.record(0, done);
		outcomes.record(2, inDoubt);
		outcomes.record(1, { rows: [] });
		expect(outcomes).toMatchObject({ done: 2, failed: 2, unknown: 1, ended: 4, notSent: 2 });
		expect([0, 1, 2, 3, 4, 5].map((item) => outcomes.of(item))).toEqual([
			done,
			{ rows: [] },
			inDoubt,
			'notSent',
			refused,
			'notSent',
		]);
	});

	test('of what is not known are of failures alone, whatever the service may have done', () => {
		const { outcomes } = outcomesOf(3);
		outcomes.record(0, { failure: serviceFailed(500) });
		outcomes.record(1, refused);
		outcomes.record(2, done);
		expect(outcomes.unknown).toBe(1);
	});

	test('take an item that was on its way neither for one that has ended nor for one that was not sent', () => {
		const { outcomes } = outcomesOf(4);
		outcomes.record(0, done);
		outcomes.recordBrokenOff(1);
		outcomes.recordBrokenOff(3);
		expect(outcomes).toMatchObject({ done: 1, failed: 0, unknown: 0, brokenOff: 2, ended: 1, notSent: 1 });
		expect([1, 2, 3].map((item) => outcomes.of(item))).toEqual(['brokenOff', 'notSent', 'brokenOff']);
	});
});

describe('an item whose recipient had got the message before', () => {
	test('is done and skipped, and says so', () => {
		const { outcomes } = outcomesOf(3);
		outcomes.recordSkipped(2);
		outcomes.record(0, done);
		expect(outcomes).toMatchObject({ done: 2, skipped: 1, failed: 0, unknown: 0, ended: 2, notSent: 1 });
		expect(outcomes.of(2)).toEqual({ rows: [{ success: true, alreadySent: true }] });
		expect(hasFailed(outcomes.of(2))).toBe(false);
	});

	test('is the only one that counts as skipped', () => {
		const { outcomes } = outcomesOf(4);
		outcomes.record(0, done);
		outcomes.record(1, inDoubt);
		outcomes.recordEarlier(2, done);
		outcomes.recordBrokenOff(3);
		expect(outcomes.skipped).toBe(0);
	});
});

describe('an item that ended before this run', () => {
	test('counts as any other', () => {
		const { outcomes } = outcomesOf(4);
		outcomes.recordEarlier(0, done);
		outcomes.recordEarlier(1, inDoubt);
		expect(outcomes).toMatchObject({ done: 1, failed: 1, unknown: 1, ended: 2, notSent: 2 });
		expect([outcomes.of(0), outcomes.of(1)]).toEqual([done, inDoubt]);
	});

	test('is what a run ended with only where nothing else failed', () => {
		const { outcomes } = outcomesOf(6);
		outcomes.recordEarlier(0, done);
		expect(outcomes.firstFailed).toBeUndefined();
		outcomes.recordEarlier(3, inDoubt);
		outcomes.recordEarlier(1, inDoubt);
		expect(outcomes.firstFailed).toEqual({ item: 1, ...inDoubt });
		outcomes.record(5, refused);
		expect(outcomes.firstFailed).toEqual({ item: 5, ...refused });
		outcomes.record(4, refused);
		expect(outcomes.firstFailed).toEqual({ item: 4, ...refused });
	});
});

describe('the first item', () => {
	test('that failed is the first by its place, not in time', () => {
		const { outcomes } = outcomesOf(5);
		expect(outcomes.firstFailed).toBeUndefined();
		outcomes.record(0, done);
		expect(outcomes.firstFailed).toBeUndefined();
		outcomes.record(3, inDoubt);
		expect(outcomes.firstFailed).toEqual({ item: 3, ...inDoubt });
		outcomes.record(1, refused);
		expect(outcomes.firstFailed).toEqual({ item: 1, ...refused });
	});

	test('that nothing came of is one that was on its way, before any that never left', () => {
		const { outcomes } = outcomesOf(5);
		expect(outcomes.firstLeft).toEqual({ item: 0, left: 'notSent' });
		outcomes.record(0, done);
		outcomes.record(1, refused);
		expect(outcomes.firstLeft).toEqual({ item: 2, left: 'notSent' });
		outcomes.recordBrokenOff(4);
		expect(outcomes.firstLeft).toEqual({ item: 4, left: 'brokenOff' });
		outcomes.recordBrokenOff(3);
		expect(outcomes.firstLeft).toEqual({ item: 3, left: 'brokenOff' });
	});
});

test.each<[string, Parameters<typeof hasFailed>[0], boolean]>([
	['a failure', refused, true],
	['an answer', done, false],
	['an item that was not sent', 'notSent', false],
	['an item that was on its way', 'brokenOff', false],
	['nothing yet', undefined, false],
])('whether it has failed: %s', (_, outcome, failed) => {
	expect(hasFailed(outcome)).toBe(failed);
});

describe('refusals by a limit', () => {
	/** What is told at which time, in milliseconds. */
	const after = (...told: Array<[at: number, waitMs: number]>) => {
		const { clock, outcomes } = outcomesOf(9);
		for (const [at, waitMs] of told) {
			clock.now = 5000 + at;
			outcomes.refusedFor(waitMs);
		}
		return [outcomes.refused, outcomes.secondsWaited];
	};

	test('none, and nothing was waited for', () => {
		expect(after()).toEqual([0, 0]);
	});

	test('one, and its wait', () => {
		expect(after([0, 7000])).toEqual([1, 7]);
		expect(after([123, 7000])).toEqual([1, 7]);
	});

	test('of a burst wait together', () => {
		expect(after([0, 7000], [0, 7000], [0, 7000])).toEqual([3, 7]);
	});

	test('whose waits overlap count the time once', () => {
		expect(after([0, 4000], [3000, 4000])).toEqual([2, 7]);
		expect(after([0, 4000], [3000, 4000], [6000, 4000])).toEqual([3, 10]);
	});

	test('within the wait of another add nothing', () => {
		expect(after([0, 10_000], [3000, 2000])).toEqual([2, 10]);
		expect(after([0, 10_000], [3000, 2000], [9000, 2000])).toEqual([3, 11]);
	});

	test('one after the other add up', () => {
		expect(after([0, 4000], [4000, 3000])).toEqual([2, 7]);
		expect(after([0, 4000], [60_000, 3000])).toEqual([2, 7]);
	});

	test('that were given up count, and nothing is waited for', () => {
		expect(after([0, 0])).toEqual([1, 0]);
		expect(after([0, 4000], [1000, 0])).toEqual([2, 4]);
	});

	test('tell whole seconds', () => {
		expect(after([0, 400])).toEqual([1, 0]);
		expect(after([0, 500])).toEqual([1, 1]);
		expect(after([0, 400], [1000, 400])).toEqual([2, 1]);
	});
});

describe('how far a run is', () => {
	const every30s = 30_000;

	/** A run of which some items ended before the first request, which left at second 10. */
	function started(expected: number, before: number) {
		const { clock, outcomes } = outcomesOf(expected);
		for (let item = 0; item < before; item++) outcomes.record(item, refused);
		clock.now += 10_000;
		outcomes.begin();
		return { clock, outcomes };
	}

	test('is not said before anything has left, however long that takes', () => {
		const { clock, outcomes } = outcomesOf(100);
		outcomes.record(0, refused);
		clock.now += 600_000;
		expect(outcomes.progress(every30s)).toBeUndefined();
	});

	test('is said every 30 seconds', () => {
		const { clock, outcomes } = started(100, 0);
		outcomes.record(0, done);
		clock.now += 29_999;
		expect(outcomes.progress(every30s)).toBeUndefined();
		clock.now += 1;
		expect(outcomes.progress(every30s)).toBeDefined();
		expect(outcomes.progress(every30s)).toBeUndefined();
		clock.now += 29_999;
		expect(outcomes.progress(every30s)).toBeUndefined();
		clock.now += 1;
		expect(outcomes.progress(every30s)).toBeDefined();
	});

	test('is told with what failed and what is left', () => {
		const { clock, outcomes } = started(100, 0);
		for (let item = 0; item < 20; item++) outcomes.record(item, item < 18 ? done : refused);
		clock.now += 40_000;
		expect(outcomes.progress(every30s)).toBe(
			'20 of 100 items are through, 2 of them failed; about 160 s left',
		);
	});

	test('reckons from the first request: what ended before says nothing of the pace', () => {
		const { clock, outcomes } = started(100, 50);
		for (let item = 50; item < 60; item++) outcomes.record(item, done);
		clock.now += 30_000;
		expect(outcomes.progress(every30s)).toBe(
			'60 of 100 items are through, 50 of them failed; about 120 s left',
		);
	});

	test('reckons from the first request, not from the latest', () => {
		const { clock, outcomes } = started(100, 0);
		clock.now += 20_000;
		outcomes.begin();
		for (let item = 0; item < 10; item++) outcomes.record(item, done);
		clock.now += 20_000;
		outcomes.begin();
		expect(outcomes.progress(every30s)).toBe(
			'10 of 100 items are through, 0 of them failed; about 360 s left',
		);
	});

	test('says nothing of what is left as long as nothing has ended since', () => {
		const { clock, outcomes } = started(100, 50);
		clock.now += 30_000;
		expect(outcomes.progress(every30s)).toBe('50 of 100 items are through, 50 of them failed');
		expect(outcomesOf(3).outcomes.progress(every30s)).toBeUndefined();
	});
});
