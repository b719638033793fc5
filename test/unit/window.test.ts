import type { Count } from '../../nodes/ChatbotService/client/pace/bursts';
import type { Limit } from '../../nodes/ChatbotService/client/pace/limits';
import { SlidingWindow, type Hit } from '../../nodes/ChatbotService/client/pace/window';

/*
 * One limit by itself: when the next request may be sent. Its parts have tests of their own, in arrival.test.ts, slowdown.test.ts and
 * bursts.test.ts. Several limits together are in scheduler.test.ts.
 */

const twoPerSecond: Limit = { count: 2, windowMs: 1000 };
const onePerSecond: Limit = { count: 1, windowMs: 1000 };
const tenInTen: Limit = { count: 10, windowMs: 10_000 };

const windowOf = (limit: Limit, { workers = 1, bursts = false } = {}) =>
	new SlidingWindow({ limit, workers, bursts });

interface Request {
	at: number;
	answeredAt?: number;
	count?: Count;
	/** Set for a request that the service refuses. */
	waitMs?: number;
}

/** Sends a request that leaves at once. By default, it is answered a millisecond later. */
function send(window: SlidingWindow, { at, answeredAt = at + 1, count, waitMs }: Request) {
	const hit = window.send(at);
	hit.leftBy = at;
	window.answered(hit, { at: answeredAt, count, waitMs });
	return hit;
}

/** A request that the service refuses. By default, the next one need not wait. */
const refuse = (window: SlidingWindow, request: Request) => send(window, { waitMs: 0, ...request });

type Refusal = Partial<Pick<Hit, 'sentAt' | 'isEstimate'>> & { waitMs?: number; count?: Count };

/** Another refusal, of a request that the window no longer counts. */
function refuseUnknown(
	window: SlidingWindow,
	at: number,
	{ sentAt = at - 1, isEstimate = false, waitMs = 0, count }: Refusal = {},
) {
	const hit: Hit = { sentAt, leftBy: sentAt, answeredAt: undefined, isFirst: false, isEstimate };
	window.answered(hit, { at, count, waitMs });
}

/** The time from one request to the next, in a window that was slowed down. */
function distance(window: SlidingWindow, at: number): number {
	send(window, { at });
	return window.readyAt(at) - (at + 1);
}

/** How long a request has to wait. */
const waitAt = (window: SlidingWindow, now: number) => Math.max(0, window.readyAt(now) - now);

/** At half the pace since 1,001 ms; the refusal before it was at 1 ms. */
function slowedDown(limit = twoPerSecond, given = {}) {
	const window = windowOf(limit, given);
	for (const at of [0, 1000]) refuse(window, { at });
	return window;
}

describe('the next request', () => {
	test('A request may be sent at once while there is room', () => {
		const window = windowOf(twoPerSecond);
		expect(waitAt(window, 500)).toBe(0);
		send(window, { at: 500 });
		expect(waitAt(window, 500)).toBe(0);
	});

	test('A request waits for the length of a window after the answer to the oldest request that fills the limit', () => {
		const window = windowOf(twoPerSecond);
		send(window, { at: 0, answeredAt: 10 });
		send(window, { at: 20, answeredAt: 40 });
		expect(window.readyAt(50)).toBe(1010);
		send(window, { at: 1010, answeredAt: 1030 });
		expect(window.readyAt(1050)).toBe(1040);
	});

	test('A request waits for the length of a window after the estimated time of the previous request', () => {
		const window = windowOf(onePerSecond);
		send(window, { at: 0 });
		const hit = window.send(3000);
		expect(window.readyAt(3500)).toBe(4500);
		expect(window.fullness(9000)).toBe(1);
		hit.leftBy = 3400;
		expect(window.readyAt(3500)).toBe(4435);
		window.answered(hit, { at: 3460 });
		expect(window.readyAt(3500)).toBe(4460);
	});

	test('The fullness of a window is the share of requests within its length', () => {
		const window = windowOf({ count: 4, windowMs: 1000 });
		expect(window.fullness(0)).toBe(0);
		send(window, { at: 0, answeredAt: 10 });
		send(window, { at: 100, answeredAt: 110 });
		const fullness = [200, 1009, 1010, 1110].map((now) => window.fullness(now));
		expect(fullness).toEqual([0.5, 0.5, 0.25, 0]);
	});

	test("The length of a window is that of the process's share", () => {
		expect(windowOf(onePerSecond, { workers: 3 }).windowMs).toBe(3000);
	});

	test('A request counts for the length of the window, from its estimated time', () => {
		const window = windowOf(onePerSecond);
		const hit = send(window, { at: 0, answeredAt: 300 });
		expect([300, 1299, 1300].map((now) => window.holds(hit, now))).toEqual([true, true, false]);
	});

	test('A window keeps as many requests as it has room for, because a first answer can come late', () => {
		const window = windowOf(twoPerSecond);
		const hits = [0, 1, 2, 3, 5000].map((at) => window.send(at));
		window.answered(hits[3]!, { at: 5010 });
		expect(window.fullness(5500)).toBe(1);
	});

	test('A window keeps only the requests of its last two lengths', () => {
		const window = windowOf(twoPerSecond);
		const kept = [0, 1, 2, 3, 4, 5].map((second) => {
			send(window, { at: second * 1000 });
			return (window as unknown as { hits: unknown[] }).hits.length;
		});
		expect(kept).toEqual([1, 2, 3, 4, 2, 3]);
	});
});

describe('estimates', () => {
	test('A request is an estimate if the time of an earlier request in the window is estimated', () => {
		const window = windowOf(onePerSecond);
		expect(window.send(0).isEstimate).toBe(false);
		expect(send(window, { at: 1000, answeredAt: 1070 }).isEstimate).toBe(true);
		expect(send(window, { at: 3000, answeredAt: 3900 }).isEstimate).toBe(false);
		expect(window.send(5000).isEstimate).toBe(true);
	});

	test('A request is not an estimate because of a request outside the window', () => {
		const window = windowOf(twoPerSecond);
		send(window, { at: 0 });
		send(window, { at: 1000, answeredAt: 1900 });
		const estimates = [3000, 5000, 7000].map((at) => send(window, { at }).isEstimate);
		expect(estimates).toEqual([true, true, false]);
	});

	const wrong = { isEstimate: true };
	const right = { isEstimate: false };
	const usedUp = (limit: number) => ({ count: { limit, remaining: 0 } });

	test.each<[string, Refusal[], number]>([
		['A wrong estimate explains a refusal: the window begins later, and the pace stays', [wrong], 1140],
		['Wrong estimates explain refusals up to the longest latency', [wrong, wrong], 1560],
		['A refusal that no longer latency explains slows down', [wrong, wrong, wrong], 2035],
		['Refusals of requests that were no estimate slow down', [right, right], 2035],
		['A first refusal of a request that was no estimate changes nothing', [right], 1035],
		['One wrong estimate explains a burst of refusals', [wrong, { ...wrong, sentAt: 19_990 }], 1140],
		['A wrong estimate explains a refusal that names more', [{ ...wrong, ...usedUp(3) }], 1140],
		['A minute that is used up explains a refusal, and no estimate', [{ ...wrong, ...usedUp(60) }], 1035],
	])('%s', (_, refusals, expected) => {
		const window = windowOf(onePerSecond);
		send(window, { at: 0 });
		for (const [index, refusal] of refusals.entries()) refuseUnknown(window, 20_000 + 5000 * index, refusal);
		send(window, { at: 50_000, answeredAt: 52_000 });
		expect(window.readyAt(52_000) - 50_000).toBeCloseTo(expected, 6);
	});

	test('A wrong estimate explains nothing during a slowdown', () => {
		const window = slowedDown(onePerSecond);
		refuseUnknown(window, 2000, { isEstimate: true });
		expect(distance(window, 3000)).toBeCloseTo(1000 / 0.45);
	});

	test('A wrong estimate explains nothing if the service reports less than the limit', () => {
		const window = windowOf(twoPerSecond);
		send(window, { at: 0 });
		refuseUnknown(window, 600, { ...wrong, ...usedUp(1) });
		expect(distance(window, 5000)).toBeCloseTo(1000);
	});

	test('A longer latency gets shorter again while requests are sent', () => {
		const window = windowOf(onePerSecond);
		send(window, { at: 0 });
		refuseUnknown(window, 20_000, { isEstimate: true });
		for (const [at, latencyMs] of [
			[217_000, 140],
			[220_000, 35],
		] as const) {
			send(window, { at, answeredAt: at + 900 });
			expect(window.readyAt(at + 900)).toBe(at + 1000 + latencyMs);
		}
	});
});

describe('a refused request', () => {
	test('A refused request does not count towards a limit that several processes share', () => {
		const window = windowOf(tenInTen, { workers: 2 });
		for (let at = 0; at < 5; at++) (at === 2 ? refuse : send)(window, { at });
		expect(window.fullness(10)).toBe(0.8);
		expect(waitAt(window, 10)).toBe(0);
		send(window, { at: 10 });
		expect(window.readyAt(20)).toBe(10_001);
	});

	test('A refused request counts if the account is not shared, because the pace is too fast', () => {
		const window = windowOf(twoPerSecond);
		send(window, { at: 0 });
		refuse(window, { at: 100 });
		expect(window.fullness(200)).toBe(1);
	});

	test('After a refusal, nothing is sent during the wait, and a shorter wait does not end a longer one', () => {
		const window = windowOf(twoPerSecond);
		const readyAt = [
			{ at: 1, waitMs: 5000 },
			{ at: 100, waitMs: 100 },
			{ at: 200, waitMs: 9000 },
		].map(({ at, waitMs }) => {
			refuseUnknown(window, at, { waitMs, sentAt: 0 });
			return window.readyAt(at);
		});
		expect(readyAt).toEqual([5001, 5001, 9200]);
		expect(window.pausedUntil).toBe(9200);
	});

	test('Requests are spaced evenly once refusals have slowed down', () => {
		expect(distance(slowedDown(), 17_000)).toBeCloseTo(1000);
		expect(distance(slowedDown(twoPerSecond, { workers: 2 }), 2000)).toBeCloseTo(1000 / 0.9);
	});

	test('Refusals of one burst slow down once, and a later refusal slows down further', () => {
		const window = slowedDown();
		refuseUnknown(window, 1005, { sentAt: 999 });
		refuseUnknown(window, 1006, { sentAt: 1000 });
		expect(distance(window, 1500)).toBeCloseTo(1000);
		refuseUnknown(window, 1600, { sentAt: 1001 });
		expect(distance(window, 2000)).toBeCloseTo(500 / 0.45);
	});

	test('The pace comes back while no request is refused', () => {
		const window = slowedDown();
		send(window, { at: 200_000 });
		expect(waitAt(window, 200_000)).toBe(0);
		send(window, { at: 200_010 });
		expect(window.readyAt(200_020)).toBe(201_001);
	});
});

describe('a refusal with a count', () => {
	test.each<[string, Count, number]>([
		['slows down at once to less than the credential says', { limit: 1, remaining: 0 }, 1000],
		['does not slow down while that has room left', { limit: 1, remaining: 1 }, 0],
		['does not slow down to more than the limit', { limit: 3, remaining: 0 }, 0],
	])('A first refusal with a count %s', (_, count, expected) => {
		const window = windowOf(twoPerSecond);
		refuse(window, { at: 0, count });
		send(window, { at: 20_000 });
		expect(waitAt(window, 20_001)).toBe(expected);
	});

	test('A count belongs to a limit per minute, however many processes share the limit', () => {
		const window = windowOf(tenInTen, { workers: 2 });
		const limits = [5, 10, 30, 59, 60, 61];
		expect(limits.filter((limit) => window.isCountedBy({ limit, remaining: 1 }))).toEqual([60]);
	});

	test('Refusals because a minute is used up do not slow down', () => {
		const window = windowOf(twoPerSecond);
		for (let at = 1000; at < 20_000; at += 2000) refuse(window, { at, count: { limit: 120, remaining: 0 } });
		expect(distance(window, 30_000)).toBeLessThanOrEqual(0);
	});

	test.each<[string, Count]>([
		['something is left of the minute', { limit: 120, remaining: 1 }],
		['the count is of another window', { limit: 119, remaining: 0 }],
	])('Refusals slow down when %s', (_, count) => {
		const window = windowOf(twoPerSecond);
		for (const at of [0, 1000]) refuse(window, { at, count });
		expect(distance(window, 5000)).toBeCloseTo(1000);
	});
});

describe('the count of a minute', () => {
	/** A window that has sent ten requests, after which so many are left of 120 a minute. */
	const withLeft = (left: number, given: object = { bursts: true }) => {
		const window = windowOf(twoPerSecond, given);
		for (let sent = 1; sent <= 10; sent++)
			send(window, { at: 10 * sent, count: { limit: 120, remaining: left + 10 - sent } });
		return window;
	};

	test.each([
		['uses at once what is left if Bursts are on', { bursts: true }, 105],
		['uses what is left of the whole limit, however many share it', { bursts: true, workers: 2 }, 105],
		['keeps the even pace if Bursts are off', { bursts: false }, 1091],
	])('A process %s', (_, given, readyAt) => {
		expect(withLeft(100, given).readyAt(105)).toBe(readyAt);
	});

	test.each([true, false])('Nothing is sent when nothing is left (bursts: %p)', (bursts) => {
		const window = withLeft(0, { bursts });
		expect(window.readyAt(5000)).toBe(60_011);
		expect(window.readyAt(60_011)).toBeLessThan(60_011);
	});

	test('A count of another window is neither used nor waited for', () => {
		const window = windowOf(twoPerSecond, { bursts: true });
		for (let sent = 1; sent <= 10; sent++)
			send(window, { at: 1000 * sent, count: { limit: 2, remaining: 0 } });
		expect(waitAt(window, 11_000)).toBe(0);
		send(window, { at: 11_000, count: { limit: 119, remaining: 100 } });
		expect(window.readyAt(11_002)).toBe(11_001);
		send(window, { at: 11_002, count: { limit: 119, remaining: 99 } });
		expect(window.readyAt(11_004)).toBe(12_001);
	});

	test('Bursts wait for the end of a pause', () => {
		const window = withLeft(100);
		window.pausedUntil = 500;
		expect(window.readyAt(105)).toBe(500);
	});

	test('Bursts give way to the even pace after a refusal, for a minute', () => {
		const window = withLeft(100);
		refuse(window, { at: 110, answeredAt: 120 });
		for (let sent = 1; sent <= 10; sent++)
			send(window, { at: 50_000 + sent, count: { limit: 120, remaining: 100 - sent } });
		expect(window.readyAt(50_020)).toBe(51_010);
		expect(window.readyAt(60_119)).toBe(51_010);
		expect(window.readyAt(60_120)).toBe(60_120);
	});

	test('Bursts give way to the even pace while it is slowed down', () => {
		const window = windowOf(tenInTen, { bursts: true });
		refuse(window, { at: 0, answeredAt: 0, count: { limit: 1, remaining: 0 } });
		for (let at = 61_001; at <= 61_010; at++)
			send(window, { at, count: { limit: 60, remaining: 61_050 - at } });
		// The refusal was a minute ago, and the share of a tenth has grown once.
		expect(window.readyAt(61_020)).toBeCloseTo(61_011 + 1000 / 0.105);
	});
});

describe('a window of a faster pace than another', () => {
	/** A window of a pace that begins when requests were sent at a slower one already. */
	const fasterThan = (slower: SlidingWindow, limit = twoPerSecond) =>
		new SlidingWindow({ limit, workers: 1, bursts: false }, slower);

	test('A window begins with the requests of the slower one, and sees when they are answered', () => {
		const slower = windowOf(onePerSecond);
		const hit = slower.send(0);
		const window = fasterThan(slower);
		expect(window.fullness(0)).toBe(0.5);
		send(window, { at: 10, answeredAt: 20 });
		expect(window.readyAt(100)).toBe(1100);
		hit.leftBy = 50;
		expect(window.readyAt(100)).toBe(1085);
		slower.answered(hit, { at: 300 });
		expect(window.readyAt(300)).toBe(1300);
	});

	test('A window begins at its whole limit, even if the slower one has slowed down', () => {
		const window = fasterThan(slowedDown(onePerSecond), { count: 4, windowMs: 1000 });
		for (let sent = 0; sent < 4; sent++) {
			expect(waitAt(window, 20_000)).toBe(0);
			send(window, { at: 20_000 });
		}
		expect(window.readyAt(20_001)).toBe(21_001);
	});

	test('A window has all requests of its own length, even if the slower window has room for fewer', () => {
		const even = windowOf({ count: 1, windowMs: 400 });
		for (const at of [0, 400, 800, 1200, 1600]) send(even, { at });
		expect(fasterThan(even, { count: 10, windowMs: 1000 }).fullness(1700)).toBe(0.3);
	});
});

describe('whether a window is like new', () => {
	test('A window is like new before anything is sent', () => {
		expect(windowOf(twoPerSecond).isLikeNew(0)).toBe(true);
	});

	const slow = { count: 1, windowMs: 10_000 };
	const long = { count: 2, windowMs: 100_000 };

	test.each<[string, Limit, (window: SlidingWindow) => void, number]>([
		['all requests have left the window', long, (window) => send(window, { at: 1000 }), 101_001],
		[
			'the minute with the known count ends',
			twoPerSecond,
			(window) => send(window, { at: 1000, count: { limit: 120, remaining: 5 } }),
			61_001,
		],
		['bursts may begin again after a refusal', twoPerSecond, (window) => refuseUnknown(window, 1000), 61_000],
		['a pause ends', twoPerSecond, (window) => refuseUnknown(window, 1000, { waitMs: 300_000 }), 301_000],
		['a refusal would be a first one', slow, (window) => refuseUnknown(window, 1000), 601_000],
		[
			'the latency is the usual one',
			onePerSecond,
			(window) => refuseUnknown(window, 1000, { isEstimate: true }),
			201_000,
		],
	])('A window is not like new until %s', (_, limit, use, from) => {
		const window = windowOf(limit);
		use(window);
		expect([window.isLikeNew(from - 1), window.isLikeNew(from)]).toEqual([false, true]);
	});

	test('A window is not like new until the pace has come back', () => {
		const window = windowOf(slow);
		for (const at of [1000, 2000]) refuseUnknown(window, at);
		expect(window.isLikeNew(602_000)).toBe(false);
		expect(window.isLikeNew(4_000_000)).toBe(true);
	});
});
