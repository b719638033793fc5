import type { Limit } from '../../nodes/ChatbotService/client/limits';
import { SlidingWindow } from '../../nodes/ChatbotService/client/window';

/* One limit by itself: when the next request may be sent. How the limits work together is in turn.test.ts. */

const twoPerSecond: Limit = { count: 2, windowMs: 1000 };

/** Sends a request that leaves at once, and has it answered after a while. */
function send(window: SlidingWindow, sentAt: number, answeredAt = sentAt + 1, refused = false) {
	const use = window.send(sentAt);
	use.left(sentAt);
	use.answered(answeredAt, refused);
}

/** From one request to the next, for a window that was slowed down. */
function distance(window: SlidingWindow, now: number): number {
	send(window, now, now + 1);
	return window.readyAt(now) - (now + 1);
}

/** A request that the service refuses; it asks for no wait. */
function refuse(window: SlidingWindow, sentAt: number, now = sentAt + 1) {
	send(window, sentAt, now, true);
	window.refused(now, sentAt, 0);
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
		const window = new SlidingWindow({ count: 1, windowMs: 1000 }, 1);
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
		const window = new SlidingWindow({ count: 1, windowMs: 1000 }, 1);
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
		const window = new SlidingWindow({ count: 1, windowMs: 1000 }, 1);
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
		window.refused(1, 0, 5000);
		expect(window.readyAt(1)).toBe(5001);
		window.refused(100, 50, 100);
		expect(window.readyAt(100)).toBe(5001);
		window.refused(200, 150, 9000);
		expect(window.readyAt(200)).toBe(9200);
	});

	test('by itself does not slow down, but leaves more room for the way', () => {
		const window = new SlidingWindow({ count: 1, windowMs: 1000 }, 1);
		refuse(window, 0);
		send(window, 3000, 3140);
		expect(window.readyAt(3200)).toBe(4140);
		send(window, 5000, 5141);
		expect(window.readyAt(5200)).toBe(6070);
	});

	test('by itself again after the time of twenty requests does not slow down either', () => {
		const window = new SlidingWindow(twoPerSecond, 1);
		refuse(window, 0);
		refuse(window, 10_000);
		send(window, 12_000);
		expect(window.readyAt(12_000)).toBeLessThanOrEqual(12_000);
	});

	test('that follows sooner halves the pace, and spaces the requests evenly', () => {
		const window = new SlidingWindow(twoPerSecond, 1);
		refuse(window, 0);
		refuse(window, 9_998);
		expect(distance(window, 12_000)).toBeCloseTo(1000);
	});

	test('of the same burst slows down no further', () => {
		const window = slowedDown();
		window.refused(1005, 999, 0);
		window.refused(1006, 1000, 0);
		expect(distance(window, 1500)).toBeCloseTo(1000);
	});

	test('sent when the one before had been refused slows down further', () => {
		const window = slowedDown();
		window.refused(1100, 1001, 0);
		expect(distance(window, 1500)).toBeCloseTo(500 / 0.45);
	});

	test.each([
		['by a tenth when it follows soon', 11_000, 500 / 0.45],
		['by half of that later', 11_001, 500 / 0.475],
	])('slows down further %s', (_, now, expected) => {
		const window = slowedDown();
		window.refused(now, now - 1, 0);
		expect(distance(window, now + 100)).toBeCloseTo(expected);
	});

	test('never slows down to less than a twentieth', () => {
		const window = slowedDown();
		for (let at = 2000; at < 60_000; at += 1000) window.refused(at, at - 1, 0);
		expect(distance(window, 60_000)).toBeCloseTo(500 / 0.05);
	});

	test('of an account that others share by Workers slows down a little, and never to less than half', () => {
		const window = slowedDown(twoPerSecond, 2);
		expect(distance(window, 2000)).toBeCloseTo(1000 / 0.9);
		window.refused(3001, 3000, 0);
		expect(distance(window, 4000)).toBeCloseTo(1000 / (0.9 * 0.97));
		for (let at = 5000; at < 100_000; at += 1000) window.refused(at, at - 1, 0);
		expect(distance(window, 100_000)).toBeCloseTo(1000 / 0.5);
	});

	test('later slows down as little where the account is shared', () => {
		const window = slowedDown(twoPerSecond, 2);
		window.refused(12_112, 12_111, 0);
		expect(distance(window, 12_200)).toBeCloseTo(1000 / (0.9 * 0.97));
	});
});

describe('the pace comes back', () => {
	test('after the time of forty requests without a refusal, then in ever larger steps', () => {
		const window = slowedDown();
		let [at, share] = [1001, 0.5];
		for (const [grown, part] of [0.05, 0.1, 0.2].entries()) {
			const quietMs = (500 * Math.min(40, 20 / share)) / 2 ** grown;
			expect(distance(window, at + quietMs - 0.1)).toBeCloseTo(500 / share);
			at += quietMs;
			share *= 1 + part;
			expect(distance(window, at)).toBeCloseTo(500 / share);
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
		for (let times = 0; times < 9; times++) window.refused((at += 1000), at - 1, 0);
		const share = 0.5 * 0.9 ** 9;
		expect(distance(window, at + 19_999)).toBeCloseTo(500 / share);
		expect(distance(window, at + 20_000)).toBeCloseTo(500 / (share * 1.05));
	});

	test('in steps of the time of four requests at least', () => {
		const window = slowedDown();
		for (let at = 2000; at < 60_000; at += 1000) window.refused(at, at - 1, 0);
		const changedAt = 59_000;
		// 20,000, 10,000, 5,000 and 2,500 ms, then 2,000 each.
		const share = 0.05 * 1.05 * 1.1 * 1.2 * 1.4;
		expect(distance(window, changedAt + 37_500 + 1999)).toBeCloseTo(500 / share);
		expect(distance(window, changedAt + 37_500 + 2000)).toBeCloseTo(500 / (share * 1.8));
		expect(distance(window, changedAt + 37_500 + 4000)).toBeCloseTo(500 / (share * 1.8 * 2));
		expect(distance(window, changedAt + 37_500 + 6000)).toBeCloseTo(500 / (share * 1.8 * 2 * 2));
	});

	test('from the beginning after another refusal', () => {
		const window = slowedDown();
		window.readyAt(1001 + 30_000);
		window.refused(40_000, 39_999, 0);
		const share = 500 / distance(window, 40_001);
		expect(distance(window, 40_000 + (500 * 20) / share - 1)).toBeCloseTo(500 / share);
		expect(distance(window, 40_000 + (500 * 20) / share)).toBeCloseTo(500 / (share * 1.05));
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
		refuse(window, 55_000);
		expect(distance(window, 56_000)).toBeCloseTo(1000);
	});
});
