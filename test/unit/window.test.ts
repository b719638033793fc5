import type { Count } from '../../nodes/ChatbotService/client/count';
import type { Limit } from '../../nodes/ChatbotService/client/limits';
import { SlidingWindow, type Report } from '../../nodes/ChatbotService/client/window';

/* One limit by itself: when the next request may be sent. How the limits work together is in turn.test.ts. */

const twoPerSecond: Limit = { count: 2, windowMs: 1000 };
const onePerSecond: Limit = { count: 1, windowMs: 1000 };

/** Sends a request that leaves at once, and has it answered after a while. */
function send(
	window: SlidingWindow,
	sentAt: number,
	answeredAt = sentAt + 1,
	refused = false,
	count?: Count,
) {
	const use = window.send(sentAt);
	use.left(sentAt);
	use.answered(answeredAt, refused, count);
	return use;
}

/** From one request to the next, for a window that was slowed down. */
function distance(window: SlidingWindow, now: number): number {
	send(window, now, now + 1);
	return window.readyAt(now) - (now + 1);
}

/** A request that the service refuses; it asks for no wait. */
function refuse(window: SlidingWindow, sentAt: number, now = sentAt + 1) {
	window.refused(now, send(window, sentAt, now, true), { waitMs: 0, askedMs: 0 });
}

const sentAlone = (sentAt: number, guessed = false): Report => ({
	sentAt,
	guessed,
	left: () => {},
	answered: () => {},
});

/** Another refusal, of a request that the window need not know. */
function refusedAt(window: SlidingWindow, now: number, sentAt = now - 1, waitMs = 0) {
	window.refused(now, sentAlone(sentAt), { waitMs, askedMs: waitMs });
}

/** At half the pace since 1,001 ms; the refusal before it was at 1 ms. */
function slowedDown(limit = twoPerSecond, workers = 1) {
	const window = new SlidingWindow(limit, workers);
	refuse(window, 0);
	refuse(window, 1000);
	return window;
}

describe('the next request', () => {
	test('may be sent at once while there is room', () => {
		const window = new SlidingWindow(twoPerSecond, 1);
		expect(window.readyAt(500)).toBeLessThanOrEqual(500);
		send(window, 500);
		expect(window.readyAt(500)).toBeLessThanOrEqual(500);
	});

	test('waits a window from the answer to the oldest of as many as the limit', () => {
		const window = new SlidingWindow(twoPerSecond, 1);
		send(window, 0, 10);
		send(window, 20, 40);
		expect(window.readyAt(50)).toBe(1010);
		send(window, 1010, 1030);
		expect(window.readyAt(1050)).toBe(1040);
	});

	test.each([
		['70 ms, from the answer', 3070, 4070],
		['longer, from shortly after it was sent: the service worked on it', 3071, 4035],
		['very long, likewise', 3900, 4035],
	])('after an answer that took %s', (_, answeredAt, expected) => {
		const window = new SlidingWindow(onePerSecond, 1);
		send(window, 0);
		send(window, 3000, answeredAt);
		expect(window.readyAt(answeredAt)).toBe(expected);
	});

	test('counts from shortly after the one before was sent, while that has no answer', () => {
		const window = new SlidingWindow({ count: 1, windowMs: 1000 }, 1);
		window.send(3000).left(3000);
		expect(window.readyAt(3000)).toBe(4035);
	});

	test('counts from now on as long as the one before may not have left, and from when it had', () => {
		const window = new SlidingWindow(onePerSecond, 1);
		send(window, 0);
		const use = window.send(3000);
		expect(window.readyAt(3000)).toBe(4035);
		expect(window.readyAt(3500)).toBe(4500);
		expect(window.fullness(9000)).toBe(1);
		use.left(3400);
		expect(window.readyAt(3500)).toBe(4435);
		use.answered(3600, false);
		expect(window.readyAt(3600)).toBe(4435);
	});

	test.each([
		['is not known', undefined],
		['is only just before', 3700],
		['can be told only when it is there', 3800],
	])('counts from the answer when by when the one before had left %s', (_, leftBy) => {
		const window = new SlidingWindow(onePerSecond, 1);
		send(window, 0);
		const use = window.send(3000);
		use.answered(3750, false);
		if (leftBy) use.left(leftBy);
		expect(window.readyAt(3760)).toBe(4750);
	});

	test('counts from the answer, however late, as long as none tells how long the way takes', () => {
		const window = new SlidingWindow(twoPerSecond, 1);
		const [first, second] = [window.send(0), window.send(1)];
		for (const use of [first, second]) use.left(1);
		first.answered(600, false);
		second.answered(900, false);
		expect(window.readyAt(900)).toBe(1600);
		send(window, 1600, 2200);
		expect(window.readyAt(2200)).toBe(1900);
		send(window, 2300, 2301);
		expect(window.readyAt(2301)).toBe(2635);
	});
});

test('a window is as full as there were requests within its length', () => {
	const window = new SlidingWindow({ count: 4, windowMs: 1000 }, 1);
	expect(window.fullness(0)).toBe(0);
	send(window, 0, 10);
	send(window, 100, 110);
	expect(window.fullness(200)).toBe(0.5);
	expect(window.fullness(1009)).toBe(0.5);
	expect(window.fullness(1010)).toBe(0.25);
	expect(window.fullness(1110)).toBe(0);
});

test('no more of the past is kept than is needed', () => {
	const window = new SlidingWindow(twoPerSecond, 1);
	const { uses } = window as unknown as { uses: unknown[] };
	expect(uses).toHaveLength(0);
	for (let at = 0; at < 100_000; at += 1000) send(window, at);
	expect((window as unknown as { uses: unknown[] }).uses.length).toBeLessThanOrEqual(4);
});

describe('a refused request', () => {
	test('of an account that others share by Workers took nothing of the limit', () => {
		const window = new SlidingWindow({ count: 10, windowMs: 10_000 }, 2);
		for (let at = 0; at < 5; at++) send(window, at, at + 1, at === 2);
		expect(window.fullness(10)).toBe(0.8);
		expect(window.readyAt(10)).toBeLessThanOrEqual(10);
		send(window, 10);
		expect(window.readyAt(20)).toBe(10_001);
	});

	test('leaves the requests before it counted', () => {
		const window = new SlidingWindow({ count: 10, windowMs: 10_000 }, 2);
		for (let at = 0; at < 5; at++) send(window, at);
		send(window, 5, 6, true);
		expect(window.readyAt(20)).toBe(10_001);
	});

	test('counts where the account is not shared: the pace is too fast all the same', () => {
		const window = new SlidingWindow(twoPerSecond, 1);
		send(window, 0);
		send(window, 100, 101, true);
		expect(window.fullness(200)).toBe(1);
	});

	test('pauses the limit for as long as the service asked, and a shorter wait does not end a longer one', () => {
		const window = new SlidingWindow(twoPerSecond, 1);
		send(window, 0, 1, true);
		refusedAt(window, 1, 0, 5000);
		expect(window.readyAt(1)).toBe(5001);
		refusedAt(window, 100, 50, 100);
		expect(window.readyAt(100)).toBe(5001);
		refusedAt(window, 200, 150, 9000);
		expect(window.readyAt(200)).toBe(9200);
	});

	test('by itself does not slow down, and changes nothing where nothing was guessed', () => {
		const window = new SlidingWindow(onePerSecond, 1);
		refuse(window, 0);
		send(window, 3000, 3900);
		expect(window.readyAt(3900)).toBe(4035);
	});

	test('by itself again after the time of thirty requests does not slow down either', () => {
		const window = new SlidingWindow(twoPerSecond, 1);
		refuse(window, 0);
		refuse(window, 15_000);
		send(window, 17_000);
		expect(window.readyAt(17_000)).toBeLessThanOrEqual(17_000);
	});

	test('that follows sooner halves the pace, and spaces the requests evenly', () => {
		const window = new SlidingWindow(twoPerSecond, 1);
		refuse(window, 0);
		refuse(window, 14_999);
		expect(distance(window, 17_000)).toBeCloseTo(1000);
	});

	test('of the same burst slows down no further', () => {
		const window = slowedDown();
		refusedAt(window, 1005, 999);
		refusedAt(window, 1006, 1000);
		expect(distance(window, 1500)).toBeCloseTo(1000);
	});

	test('sent when the one before had been refused slows down further', () => {
		const window = slowedDown();
		refusedAt(window, 1100, 1001);
		expect(distance(window, 1500)).toBeCloseTo(500 / 0.45);
	});

	test.each([
		['by a tenth when it follows soon', 16_000, 500 / 0.45],
		['by half of that later', 16_001, 500 / 0.475],
	])('slows down further %s', (_, now, expected) => {
		const window = slowedDown();
		refusedAt(window, now, now - 1);
		expect(distance(window, now + 100)).toBeCloseTo(expected);
	});

	test('never slows down to less than a tenth', () => {
		const window = slowedDown();
		for (let at = 2000; at < 60_000; at += 1000) refusedAt(window, at, at - 1);
		expect(distance(window, 60_000)).toBeCloseTo(500 / 0.1);
	});

	test('of an account that others share by Workers slows down a little, and never to less than half', () => {
		const window = slowedDown(twoPerSecond, 2);
		expect(distance(window, 2000)).toBeCloseTo(1000 / 0.9);
		refusedAt(window, 3001, 3000);
		expect(distance(window, 4000)).toBeCloseTo(1000 / (0.9 * 0.97));
		for (let at = 5000; at < 100_000; at += 1000) refusedAt(window, at, at - 1);
		expect(distance(window, 100_000)).toBeCloseTo(1000 / 0.5);
	});

	test('later slows down as little where the account is shared', () => {
		const window = slowedDown(twoPerSecond, 2);
		refusedAt(window, 17_600, 17_599);
		expect(distance(window, 17_700)).toBeCloseTo(1000 / (0.9 * 0.97));
	});
});

describe('how long the way takes', () => {
	/** A window in which the request before is only taken to be counted when the next one is sent. */
	const guessing = (limit = onePerSecond) => {
		const window = new SlidingWindow(limit, 1);
		send(window, 0);
		return window;
	};
	/** A refusal of a request that was sent when the one before had been answered late. */
	const refuseGuessed = (window: SlidingWindow, at: number) => {
		send(window, at, at + 900);
		const report = send(window, at + 1035, at + 1040, true);
		expect(report.guessed).toBe(true);
		window.refused(at + 1040, report, { waitMs: 0, askedMs: 0 });
	};
	/** Whether an answer that took twice a way is still taken for when the request was counted, and a later one not. */
	const hasWay = (window: SlidingWindow, at: number, wayMs: number) => {
		send(window, at, at + 2 * wayMs);
		expect(window.readyAt(at + 2 * wayMs)).toBe(at + 2 * wayMs + 1000);
		send(window, at + 5000, at + 5000 + 2 * wayMs + 1);
		expect(window.readyAt(at + 5000 + 2 * wayMs + 1)).toBe(at + 5000 + wayMs + 1000);
	};

	test('is guessed when a request is sent after one that is not known to be counted', () => {
		const window = guessing();
		expect(window.send(1000).guessed).toBe(false);
		expect(window.send(2000).guessed).toBe(true);
	});

	test('is not guessed after an answer that came soon', () => {
		const window = guessing();
		send(window, 1000, 1070);
		expect(send(window, 3000, 3071).guessed).toBe(false);
		expect(window.send(5000).guessed).toBe(true);
	});

	test('is not guessed for a request that is out of the window', () => {
		const window = guessing(twoPerSecond);
		send(window, 1000, 1900);
		expect(send(window, 3000).guessed).toBe(true);
		expect(send(window, 5000).guessed).toBe(true);
		expect(send(window, 7000).guessed).toBe(false);
	});

	test('is taken to be four times as long when a guess was wrong, and the pace stays', () => {
		const window = guessing();
		hasWay(window, 10_000, 35);
		refuseGuessed(window, 20_000);
		hasWay(window, 30_000, 140);
		expect(window.readyAt(50_000)).toBeLessThanOrEqual(50_000);
	});

	test('is taken to be sixteen times as long at most; then the pace slows down', () => {
		const window = guessing();
		refuseGuessed(window, 20_000);
		refuseGuessed(window, 25_000);
		hasWay(window, 30_000, 560);
		expect(distance(window, 40_000)).toBeCloseTo(1000);
		window.refused(41_000, sentAlone(40_900, true), { waitMs: 0, askedMs: 0 });
		expect(distance(window, 45_000)).toBeCloseTo(2000);
	});

	test('is not learned from a refusal of a request that guessed nothing', () => {
		const window = guessing();
		refuse(window, 20_000);
		hasWay(window, 30_000, 35);
	});

	test('is learned once from a burst', () => {
		const window = guessing();
		send(window, 19_000, 19_900);
		refuseGuessed(window, 20_000);
		window.refused(21_041, sentAlone(20_900, true), { waitMs: 0, askedMs: 0 });
		hasWay(window, 30_000, 140);
	});

	test('is taken to be shorter again after the time of two hundred requests, step by step', () => {
		const window = guessing();
		refuseGuessed(window, 20_000);
		refuseGuessed(window, 25_000);
		const changedAt = 26_040;
		hasWay(window, changedAt + 190_000, 560);
		window.readyAt(changedAt + 199_999);
		send(window, changedAt + 199_000, changedAt + 199_999);
		expect(window.readyAt(changedAt + 199_999)).toBe(changedAt + 200_999);
		window.readyAt(changedAt + 200_000);
		hasWay(window, changedAt + 201_000, 140);
		window.readyAt(changedAt + 399_999);
		hasWay(window, changedAt + 389_000, 140);
		window.readyAt(changedAt + 400_000);
		hasWay(window, changedAt + 401_000, 35);
		window.readyAt(changedAt + 900_000);
		hasWay(window, changedAt + 901_000, 35);
	});

	test('is the usual one while requests are spaced evenly, which leaves room enough', () => {
		const window = guessing(twoPerSecond);
		refuseGuessed(window, 20_000);
		refuseGuessed(window, 25_000);
		refuse(window, 30_000);
		send(window, 40_000, 40_900);
		expect(window.readyAt(40_900)).toBeCloseTo(40_035 + 1000);
	});
});

describe('where the service names the window that was hit', () => {
	const tenInTen: Limit = { count: 10, windowMs: 10_000 };
	const pauseAfter = (askedMs: number | undefined, waitMs: number, count?: Count, limit = tenInTen) => {
		const window = new SlidingWindow(limit, 1);
		window.refused(100, send(window, 50, 100, true), { askedMs, waitMs }, count);
		return window.readyAt(100) - 100;
	};
	const own = { limit: 10, remaining: 0 };

	test.each<[string, number | undefined, number, number]>([
		['of its length for a shorter wait', 2000, 3000, 10_000],
		['of its length for one as long, without the second that came to it', 10_000, 11_000, 10_000],
		['as it waits when it asks for more than the window has', 10_001, 11_001, 11_001],
		['as it waits when it asks for nothing', undefined, 3000, 3000],
		['no shorter than what the request waits itself, but for a second', 2000, 14_000, 13_000],
	])('there is a pause %s', (_, askedMs, waitMs, expected) => {
		expect(pauseAfter(askedMs, waitMs, own)).toBe(expected);
	});

	test.each<[string, Count | undefined]>([
		['another one', { limit: 11, remaining: 0 }],
		['the one by the minute', { limit: 60, remaining: 0 }],
		['none', undefined],
	])('but as it waits where it names %s', (_, count) => {
		expect(pauseAfter(2000, 3000, count)).toBe(3000);
	});

	test.each<[string, Count, number]>([
		[
			'at once to what the service names where that is less than the credential says',
			{ limit: 1, remaining: 0 },
			1000,
		],
		['not by a limit that had room left', { limit: 1, remaining: 1 }, 0],
		['not by one that is more', { limit: 3, remaining: 0 }, 0],
	])('slows down %s', (_, count, expected) => {
		const window = new SlidingWindow(twoPerSecond, 1);
		window.refused(1, send(window, 0, 1, true), { waitMs: 0, askedMs: 0 }, count);
		send(window, 20_000);
		expect(Math.max(0, window.readyAt(20_001) - 20_001)).toBe(expected);
	});

	test('a count is of the limit in its own window, or by the minute', () => {
		const window = new SlidingWindow(tenInTen, 1);
		expect(
			[9, 10, 11, 59, 60, 61, 100].filter((limit) => window.isCountedBy({ limit, remaining: 1 })),
		).toEqual([10, 60]);
	});

	test('a window by the minute that is used up does not slow down, however often', () => {
		const window = new SlidingWindow(twoPerSecond, 1);
		for (let at = 1000; at < 20_000; at += 2000) {
			const report = send(window, at, at + 5, true, { limit: 120, remaining: 0 });
			window.refused(at + 5, report, { askedMs: 500, waitMs: 500 }, { limit: 120, remaining: 0 });
		}
		send(window, 30_000);
		expect(window.readyAt(30_000)).toBeLessThanOrEqual(30_000);
	});

	test.each<[string, Count, number]>([
		['something is left', { limit: 120, remaining: 1 }, 500],
		['it asks for more than a minute', { limit: 120, remaining: 0 }, 60_001],
		['it is another window', { limit: 119, remaining: 0 }, 500],
	])('but slows down when %s', (_, count, askedMs) => {
		const window = new SlidingWindow(twoPerSecond, 1);
		for (const at of [0, 1000]) {
			window.refused(at + 1, send(window, at, at + 1, true, count), { askedMs, waitMs: 0 }, count);
		}
		expect(distance(window, 5000)).toBeCloseTo(1000);
	});

	test('and not for a wait of just a minute', () => {
		const window = new SlidingWindow(twoPerSecond, 1);
		const count = { limit: 120, remaining: 0 };
		for (const at of [0, 1000]) {
			window.refused(at + 1, send(window, at, at + 1, true, count), { askedMs: 60_000, waitMs: 0 }, count);
		}
		send(window, 5000);
		expect(window.readyAt(5000)).toBeLessThanOrEqual(5000);
	});
});

/** Sends ten requests, between which others use the account too, from a new window on. @returns the time after it */
function amongOthers(window: SlidingWindow, perRequest: number) {
	let remaining = 120;
	for (let at = 0; at < 10_000; at += 1000) {
		remaining -= perRequest;
		send(window, at, at + 10, false, { limit: 120, remaining });
	}
	return 9010;
}

/** Whether the next request waits for more than the window of two a second would let it. */
const isEven = (window: SlidingWindow, at: number) => window.readyAt(at) > at;

describe("what the service says of others' use", () => {
	test("spaces the requests evenly, at the part of the limit that is this process's", () => {
		const window = new SlidingWindow(twoPerSecond, 1);
		const at = amongOthers(window, 2);
		expect(window.readyAt(at) - at).toBeGreaterThan(900);
		expect(window.readyAt(at) - at).toBeLessThan(1100);
	});

	test('changes nothing where there are none', () => {
		const window = new SlidingWindow(twoPerSecond, 1);
		const at = amongOthers(window, 1);
		expect(isEven(window, at)).toBe(false);
	});

	test('changes nothing where Workers leaves them their part already', () => {
		const window = new SlidingWindow(twoPerSecond, 2);
		const at = amongOthers(window, 2);
		send(window, at, at + 1);
		expect(window.readyAt(at)).toBeLessThanOrEqual(at + 1 + 1100);
	});

	test.each([60, 2])('is not heard of a count of %p', (limit) => {
		const window = new SlidingWindow(twoPerSecond, 1);
		let remaining = limit;
		for (let at = 0; at < 10_000; at += 1000) {
			remaining = Math.max(0, remaining - 2);
			send(window, at, at + 10, false, { limit, remaining });
		}
		expect(isEven(window, 9010)).toBe(false);
	});

	test('holds everything when nothing is left', () => {
		const window = new SlidingWindow({ count: 1, windowMs: 6000 }, 1);
		for (let sent = 0; sent < 10; sent++)
			send(window, sent * 100, sent * 100 + 10, false, { limit: 10, remaining: 9 - sent });
		expect(window.readyAt(40_000)).toBe(60_010);
	});

	test('is used at once by bursts, until the first refusal slows down', () => {
		const window = new SlidingWindow(twoPerSecond, 1);
		const count = (remaining: number) => ({ limit: 120, remaining });
		window.setLimit(twoPerSecond, 1, true);
		for (let sent = 0; sent < 10; sent++) send(window, sent, sent + 1, false, count(119 - sent));
		expect(window.readyAt(11)).toBe(11);
		window.setLimit(twoPerSecond, 1, false);
		expect(window.readyAt(11)).toBeGreaterThan(900);
		window.setLimit(twoPerSecond, 1, true);
		refusedAt(window, 12, 10, 500);
		expect(window.readyAt(12)).toBe(512);
	});
});

describe('the pace comes back', () => {
	test('after the time of sixty requests without a refusal, then in ever larger steps', () => {
		const window = slowedDown();
		let [at, share] = [1001, 0.5];
		for (const [grown, part] of [0.05, 0.1, 0.2].entries()) {
			const quietMs = (500 * Math.min(60, 30 / share)) / 2 ** grown;
			expect(distance(window, at + quietMs - 0.1)).toBeCloseTo(500 / share);
			at += quietMs;
			share *= 1 + part;
			expect(distance(window, at + 0.1)).toBeCloseTo(500 / share);
		}
	});

	test('to the whole limit and not beyond', () => {
		const window = slowedDown();
		const later = 200_000;
		send(window, later);
		expect(window.readyAt(later)).toBeLessThanOrEqual(later);
		send(window, later + 10);
		expect(window.readyAt(later + 20)).toBe(later + 1001);
	});

	test('at a fifth of it as late as at half of it', () => {
		const window = slowedDown();
		let at = 2000;
		for (let times = 0; times < 9; times++) refusedAt(window, (at += 1000), at - 1);
		const share = 0.5 * 0.9 ** 9;
		expect(distance(window, at + 29_999)).toBeCloseTo(500 / share);
		expect(distance(window, at + 30_000)).toBeCloseTo(500 / (share * 1.05));
	});

	test('in steps of the time of four requests at least', () => {
		const window = slowedDown();
		for (let at = 2000; at < 60_000; at += 1000) refusedAt(window, at, at - 1);
		const changedAt = 59_000;
		// 30,000, 15,000, 7,500 and 3,750 ms, then 2,000 each.
		const share = 0.1 * 1.05 * 1.1 * 1.2 * 1.4;
		expect(distance(window, changedAt + 56_250 + 1999)).toBeCloseTo(500 / share);
		expect(distance(window, changedAt + 56_250 + 2000)).toBeCloseTo(500 / (share * 1.8));
		expect(distance(window, changedAt + 56_250 + 3999)).toBeCloseTo(500 / (share * 1.8));
		expect(distance(window, changedAt + 56_250 + 4000)).toBeCloseTo(500 / (share * 1.8 * 2));
	});

	test('from the beginning after another refusal', () => {
		const window = slowedDown();
		window.readyAt(1001 + 30_000);
		refusedAt(window, 40_000, 39_999);
		const share = 500 / distance(window, 40_001);
		const quietMs = 500 * Math.min(60, 30 / share);
		expect(distance(window, 40_000 + quietMs - 1)).toBeCloseTo(500 / share);
		expect(distance(window, 40_000 + quietMs)).toBeCloseTo(500 / (share * 1.05));
	});
});

describe('a credential that was changed', () => {
	test('and says the same changes nothing', () => {
		const window = slowedDown();
		window.setLimit({ ...twoPerSecond }, 1);
		expect(distance(window, 2000)).toBeCloseTo(1000);
	});

	test.each<[string, Limit, number, Limit]>([
		['another count', { count: 4, windowMs: 1000 }, 1, { count: 4, windowMs: 1000 }],
		['another length', { count: 2, windowMs: 3000 }, 1, { count: 2, windowMs: 3000 }],
		['other workers', { count: 2, windowMs: 1000 }, 2, { count: 1, windowMs: 1000 }],
	])('to %s begins anew at the whole of it', (_, limit, workers, mine) => {
		const window = slowedDown();
		window.setLimit(limit, workers);
		expect(window.windowMs).toBe(mine.windowMs);
		for (let sent = 0; sent < mine.count; sent++) {
			expect(window.readyAt(50_000)).toBeLessThanOrEqual(50_000);
			send(window, 50_000);
		}
		expect(window.readyAt(50_000)).toBe(50_001 + mine.windowMs);
	});

	test('is compared with what it was changed to, not with what it was', () => {
		const window = new SlidingWindow(twoPerSecond, 1);
		window.setLimit({ count: 1, windowMs: 1000 }, 1);
		refuse(window, 0);
		refuse(window, 1000);
		window.setLimit({ count: 1, windowMs: 1000 }, 1);
		expect(distance(window, 2000)).toBeCloseTo(2000);
	});

	test('does not grow faster for what had grown before', () => {
		const window = slowedDown();
		window.readyAt(1001 + 35_000);
		window.setLimit({ count: 4, windowMs: 2000 }, 1);
		refuse(window, 50_000);
		refuse(window, 60_000);
		expect(distance(window, 61_000)).toBeCloseTo(1000);
	});

	test('listens anew to what the service says of its count', () => {
		const window = new SlidingWindow(twoPerSecond, 1);
		const at = amongOthers(window, 2);
		expect(isEven(window, at)).toBe(true);
		window.setLimit({ count: 4, windowMs: 1000 }, 1);
		expect(isEven(window, at)).toBe(false);
	});
});
