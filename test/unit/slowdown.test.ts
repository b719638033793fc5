import { Slowdown } from '../../nodes/ChatbotService/client/pace/slowdown';

/* What share of a limit is used after refusals. Requests of two per second are 500 ms apart. */

const twoPerSecond = { count: 2, windowMs: 1000 };

function refuse(slowdown: Slowdown, at: number, { most = 1, isExplained = false } = {}) {
	slowdown.refused({ at, most, isExplained });
	return slowdown.share;
}

/** The share at a time, when it has grown until then. */
function shareAt(slowdown: Slowdown, now: number) {
	slowdown.recover(now);
	return slowdown.share;
}

const fresh = ({ workers = 1 } = {}) => new Slowdown({ limit: twoPerSecond, workers });

/** Slowed down since 1,000 ms; the first refusal was at 0. */
function slowedDown(given = {}) {
	const slowdown = fresh(given);
	refuse(slowdown, 0);
	refuse(slowdown, 1000);
	return slowdown;
}

/** Refused every second, until the share is the least. @returns also when it was refused last */
function slowedDownMost(given = {}) {
	const slowdown = slowedDown(given);
	let at = 1000;
	while (at < 100_000) refuse(slowdown, (at += 1000));
	return { slowdown, at };
}

describe('refusals', () => {
	test.each([
		['A single refusal', [0]],
		['A refusal after the time of thirty requests', [0, 15_000]],
		['A refusal long after another', [0, 100_000]],
	])('%s leaves the whole limit', (_, times) => {
		const slowdown = fresh();
		for (const at of times) refuse(slowdown, at);
		expect(slowdown.share).toBe(1);
		expect(slowdown.isActive).toBe(false);
	});

	test('A second refusal within the time of thirty requests halves the pace', () => {
		const slowdown = fresh();
		refuse(slowdown, 0);
		expect(refuse(slowdown, 14_999)).toBe(0.5);
		expect(slowdown.isActive).toBe(true);
	});

	test('How soon a refusal follows another is the same, however long the whole limit was used before', () => {
		const slowdown = fresh();
		expect(shareAt(slowdown, 200_000)).toBe(1);
		refuse(slowdown, 200_000);
		expect(shareAt(slowdown, 210_000)).toBe(1);
		expect(refuse(slowdown, 214_999)).toBe(0.5);
	});

	test('A refusal that something else explains does not slow down, but the next one soon after it does', () => {
		const slowdown = fresh();
		refuse(slowdown, 0);
		expect(refuse(slowdown, 100, { isExplained: true, most: 0.5 })).toBe(1);
		expect(refuse(slowdown, 15_099)).toBe(0.5);
	});

	test('Requests sent before the latest refusal belong to its burst', () => {
		const slowdown = slowedDown();
		expect([999, 1000].map((sentAt) => slowdown.isOfEarlierBurst({ sentAt }))).toEqual([true, false]);
		expect(fresh().isOfEarlierBurst({ sentAt: 0 })).toBe(false);
	});

	test.each([
		['a tenth when it follows soon', {}, 15_999, 0.45],
		['half of that later', {}, 16_000, 0.475],
		['three hundredths among several processes', { workers: 2 }, 2000, 0.9 * 0.97],
		['as little among several processes later', { workers: 2 }, 17_600, 0.9 * 0.97],
	])('A further refusal slows down by %s', (_, given, at, share) => {
		expect(refuse(slowedDown(given), at)).toBeCloseTo(share, 10);
	});

	test('The first slowdown among several processes is by a tenth', () => {
		expect(slowedDown({ workers: 2 }).share).toBe(0.9);
	});

	test.each([
		['a tenth', {}, 0.1],
		['half of it among several processes', { workers: 2 }, 0.5],
	])('The share is never less than %s', (_, given, least) => {
		expect(slowedDownMost(given).slowdown.share).toBe(least);
		expect(refuse(fresh(given), 0, { most: 0.01 })).toBe(least);
	});

	test.each([
		['A first refusal slows down at once to what the service names', [0], 0.7, 0.7],
		['A refusal that names the whole limit is one like any other', [0], 1, 1],
		['A refusal that names more than the limit is one like any other', [0], 1.5, 1],
		['A refusal that names more than is used slows down as usual', [0, 1000, 2000], 0.7, 0.45],
	])('%s', (_, times, most, share) => {
		const slowdown = fresh();
		for (const at of times.slice(0, -1)) refuse(slowdown, at);
		expect(refuse(slowdown, times.at(-1)!, { most })).toBe(share);
	});
});

describe('growing back', () => {
	test('The share grows after the time of sixty requests without a refusal, then in ever larger steps', () => {
		const slowdown = slowedDown();
		let [at, share] = [1000, 0.5];
		for (const [grown, part] of [0.05, 0.1, 0.2].entries()) {
			const quietMs = (500 * Math.min(60, 30 / share)) / 2 ** grown;
			expect(shareAt(slowdown, at + quietMs - 0.1)).toBeCloseTo(share, 10);
			at += quietMs;
			share *= 1 + part;
			expect(shareAt(slowdown, at + 0.1)).toBeCloseTo(share, 10);
		}
	});

	test('The share grows to the whole limit and not beyond', () => {
		expect(shareAt(slowedDown(), 200_000)).toBe(1);
	});

	test('A small share begins to grow as late as a half', () => {
		const slowdown = slowedDown();
		let at = 2000;
		for (let times = 0; times < 9; times++) refuse(slowdown, (at += 1000));
		const share = 0.5 * 0.9 ** 9;
		expect(shareAt(slowdown, at + 29_999)).toBeCloseTo(share, 10);
		expect(shareAt(slowdown, at + 30_000)).toBeCloseTo(share * 1.05, 10);
	});

	test('The steps of growth are the time of four requests apart at least, and double the share at most', () => {
		const { slowdown, at } = slowedDownMost();
		// 30,000, 15,000, 7,500 and 3,750 ms, then 2,000 each.
		const share = 0.1 * 1.05 * 1.1 * 1.2 * 1.4;
		const later = at + 56_250;
		expect(shareAt(slowdown, later + 1999)).toBeCloseTo(share, 10);
		expect(shareAt(slowdown, later + 2000)).toBeCloseTo(share * 1.8, 10);
		expect(shareAt(slowdown, later + 3999)).toBeCloseTo(share * 1.8, 10);
		expect(shareAt(slowdown, later + 4000)).toBeCloseTo(share * 1.8 * 2, 10);
	});

	test('The share grows from the beginning after another refusal', () => {
		const slowdown = slowedDown();
		expect(shareAt(slowdown, 31_000)).toBeGreaterThan(0.5);
		const share = refuse(slowdown, 40_000);
		const quietMs = 500 * Math.min(60, 30 / share);
		expect(shareAt(slowdown, 40_000 + quietMs - 1)).toBeCloseTo(share, 10);
		expect(shareAt(slowdown, 40_000 + quietMs)).toBeCloseTo(share * 1.05, 10);
	});
});

describe('answers that say what is used of the window', () => {
	/** Answers a second apart, by requests of others in the window. @returns the shares after them */
	const hear = (slowdown: Slowdown, others: number[]) =>
		others.map((each, index) => {
			slowdown.heard({ at: 2000 + 1000 * index, used: 3 + each, own: { least: 2, most: 3 } });
			return slowdown.share;
		});

	test.each([
		['Two answers in a row that find nobody else double the share', [0, 0], [0.5, 1]],
		[
			'An answer that finds somebody else keeps the share, and two more must find nobody',
			[0, 1, 0, 0],
			[0.5, 0.5, 0.5, 1],
		],
		['Answers that find somebody else every time never speed up', [1, 2, 1, 2], [0.5, 0.5, 0.5, 0.5]],
	])('%s', (_, others, shares) => {
		expect(hear(slowedDown(), others)).toEqual(shares);
	});

	test('The share is doubled by two answers each time, up to the whole limit', () => {
		const slowdown = fresh();
		refuse(slowdown, 0, { most: 0.3 });
		expect(hear(slowdown, [0, 0, 0, 0])).toEqual([0.3, 0.6, 0.6, 1]);
	});

	test('Answers that found nobody else before it slowed down count too', () => {
		const slowdown = fresh();
		hear(slowdown, [0, 0, 0, 0]);
		refuse(slowdown, 7000);
		refuse(slowdown, 8000);
		expect(hear(slowdown, [0])).toEqual([1]);
	});

	test('An answer that finds somebody else makes the share grow as late as if it were new', () => {
		const slowdown = slowedDown();
		shareAt(slowdown, 31_000);
		const share = slowdown.share;
		slowdown.heard({ at: 32_000, used: 9, own: { least: 2, most: 3 } });
		const quietMs = 500 * (30 / share);
		expect(shareAt(slowdown, 32_000 + quietMs - 1)).toBe(share);
		expect(shareAt(slowdown, 32_000 + quietMs + 1)).toBeCloseTo(share * 1.05, 10);
	});

	test('An answer that says less than this process has used itself ends all listening', () => {
		const slowdown = slowedDown();
		expect(hear(slowdown, [-1, 0, 0, 0])).toEqual([0.5, 0.5, 0.5, 0.5]);
	});

	test('An answer that says one more than is certain of this process is believed', () => {
		const slowdown = slowedDown();
		for (const at of [2000, 3000]) slowdown.heard({ at, used: 3, own: { least: 2, most: 5 } });
		expect(slowdown.share).toBe(1);
	});
});

test('A slowdown is over when the share has grown back, and a refusal would be the first one again', () => {
	const single = fresh();
	expect(single.isOver(0)).toBe(true);
	refuse(single, 1000);
	expect([15_999, 16_000].map((now) => single.isOver(now))).toEqual([false, true]);
	const slowdown = slowedDown();
	expect(slowdown.isOver(30_000)).toBe(false);
	expect(slowdown.isOver(200_000)).toBe(true);
});
