import { Slowdown } from '../../nodes/ChatbotService/client/pace/slowdown';

/* The share of a limit that is used after refusals. Requests of two per second are 500 ms apart. */

const twoPerSecond = { count: 2, windowMs: 1000 };

function refuse(slowdown: Slowdown, at: number, changes: { most?: number; isExplained?: boolean } = {}) {
	slowdown.refused({ at, ...changes });
	return slowdown.share;
}

/** The share at the given time, after it has grown until then. */
function shareAt(slowdown: Slowdown, now: number) {
	slowdown.recover(now);
	return slowdown.share;
}

const fresh = (workers = 1) => new Slowdown({ limit: twoPerSecond, workers });

/** Slowed down since 1,000 ms; the first refusal was at 0. */
function slowedDown() {
	const slowdown = fresh();
	refuse(slowdown, 0);
	refuse(slowdown, 1000);
	return slowdown;
}

/** Refused every second until 100,000 ms, so that the share is the least. */
function slowedDownMost() {
	const slowdown = fresh();
	for (let at = 0; at <= 100_000; at += 1000) refuse(slowdown, at);
	return slowdown;
}

test('The spacing is the time between two requests at the whole limit', () => {
	expect(fresh().spacingMs).toBe(500);
	expect(new Slowdown({ limit: { count: 1, windowMs: 10_000 }, workers: 1 }).spacingMs).toBe(10_000);
});

describe('refusals', () => {
	test.each<[string, times: number[], share: number, most: number | undefined]>([
		['A single refusal leaves the whole limit', [0], 1, undefined],
		['A refusal after the time of sixty requests leaves the whole limit', [0, 30_000], 1, undefined],
		['A second refusal within the time of sixty requests halves the pace', [0, 29_999], 0.5, undefined],
		['A further refusal slows down by a tenth when it follows soon', [0, 1000, 1001], 0.45, undefined],
		['A further refusal slows down by a tenth when it follows later', [0, 1000, 30_999], 0.45, undefined],
		['A first refusal slows down at once to what the service names', [0], 0.7, 0.7],
		['A second refusal slows down to what the service names', [0, 1000], 0.7, 0.7],
		['A refusal that names less than is used slows down to that', [0, 1000, 2000], 0.3, 0.3],
		['A refusal that names the whole limit is one like any other', [0], 1, 1],
		['A refusal that names more than the limit is one like any other', [0], 1, 1.5],
		['A second refusal that names the whole limit is one like any other', [0, 1000], 0.5, 1],
		['A refusal that names more than is used slows down as usual', [0, 1000, 2000], 0.45, 0.7],
		['A refusal that names just what is used slows down as usual', [0, 1000, 2000], 0.45, 0.5],
		['A refusal that names next to nothing leaves a tenth', [0], 0.1, 0.01],
	])('%s', (_, times, share, most) => {
		const slowdown = fresh();
		for (const at of times.slice(0, -1)) refuse(slowdown, at);
		expect(refuse(slowdown, times.at(-1)!, { most })).toBe(share);
		expect(slowdown.isActive).toBe(share < 1);
	});

	test('The time between two refusals counts, however long the whole limit was used before', () => {
		const slowdown = fresh();
		expect(shareAt(slowdown, 200_000)).toBe(1);
		refuse(slowdown, 200_000);
		expect(shareAt(slowdown, 210_000)).toBe(1);
		expect(refuse(slowdown, 229_999)).toBe(0.5);
	});

	test('An explained refusal does not slow down, but the next one soon after it does', () => {
		const slowdown = fresh();
		refuse(slowdown, 0);
		expect(refuse(slowdown, 100, { isExplained: true, most: 0.5 })).toBe(1);
		expect(refuse(slowdown, 30_099)).toBe(0.5);
	});

	test('An explained refusal does not change a share that has begun to grow', () => {
		const slowdown = slowedDown();
		shareAt(slowdown, 31_000);
		refuse(slowdown, 32_000, { isExplained: true });
		expect(shareAt(slowdown, 45_999)).toBe(0.525);
		expect(shareAt(slowdown, 46_000)).toBeCloseTo(0.525 * 1.1, 10);
	});

	test('Requests sent before the latest refusal belong to its burst', () => {
		const slowdown = slowedDown();
		expect([999, 1000].map((sentAt) => slowdown.wasInFlightAtRefusal({ sentAt }))).toEqual([true, false]);
		expect(fresh().wasInFlightAtRefusal({ sentAt: 0 })).toBe(false);
	});

	test('The share is never less than a tenth', () => {
		expect(slowedDownMost().share).toBe(0.1);
	});
});

describe('growing back', () => {
	test('The share grows after the time of sixty requests without a refusal, then in ever larger steps', () => {
		const slowdown = slowedDown();
		let [at, share] = [1000, 0.5];
		for (const [grown, part] of [0.05, 0.1, 0.2].entries()) {
			at += 30_000 / 2 ** grown;
			expect(shareAt(slowdown, at - 0.1)).toBeCloseTo(share, 10);
			share *= 1 + part;
			expect(shareAt(slowdown, at)).toBeCloseTo(share, 10);
		}
	});

	test('The share grows to the whole limit and not beyond', () => {
		expect(shareAt(slowedDown(), 200_000)).toBe(1);
	});

	test('The steps of growth are at least the time of four requests apart, and at most double the share', () => {
		const slowdown = slowedDownMost();
		// 30,000, 15,000, 7,500 and 3,750 ms, then 2,000 each.
		const share = 0.1 * 1.05 * 1.1 * 1.2 * 1.4;
		const later = 100_000 + 56_250;
		expect(shareAt(slowdown, later + 1999)).toBeCloseTo(share, 10);
		expect(shareAt(slowdown, later + 2000)).toBeCloseTo(share * 1.8, 10);
		expect(shareAt(slowdown, later + 3999)).toBeCloseTo(share * 1.8, 10);
		expect(shareAt(slowdown, later + 4000)).toBeCloseTo(share * 1.8 * 2, 10);
	});

	test('The share grows from the beginning after another refusal', () => {
		const slowdown = slowedDown();
		expect(shareAt(slowdown, 31_000)).toBeGreaterThan(0.5);
		const share = refuse(slowdown, 40_000);
		expect(shareAt(slowdown, 69_999)).toBeCloseTo(share, 10);
		expect(shareAt(slowdown, 70_000)).toBeCloseTo(share * 1.05, 10);
	});
});

test('A slowdown is over when the share has grown back, and a refusal would be the first one again', () => {
	const single = fresh();
	expect(single.isOver(0)).toBe(true);
	refuse(single, 1000);
	expect([30_999, 31_000].map((now) => single.isOver(now))).toEqual([false, true]);
	const slowdown = slowedDown();
	expect(slowdown.isOver(30_000)).toBe(false);
	expect(slowdown.isOver(200_000)).toBe(true);
});

test('a limit that workers share slows down only a little, and never below half', () => {
	const slowdown = fresh(2);
	expect(refuse(slowdown, 0)).toBe(1);
	expect(refuse(slowdown, 1000)).toBe(0.9);
	expect(refuse(slowdown, 2000)).toBeCloseTo(0.9 * 0.97);
	for (let second = 3; second < 60; second++) refuse(slowdown, second * 1000);
	expect(slowdown.share).toBe(0.5);
});
