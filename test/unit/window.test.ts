import type { Count } from '../../nodes/ChatbotService/client/pace/bursts';
import type { Limit } from '../../nodes/ChatbotService/client/pace/limits';
import { Slowdown } from '../../nodes/ChatbotService/client/pace/slowdown';
import { SlidingWindow, type Report } from '../../nodes/ChatbotService/client/pace/window';

/*
 * One limit by itself: when the next request may be sent. What it is made of has tests of its own, in arrival.test.ts,
 * slowdown.test.ts and count.test.ts; how limits work together is in turn.test.ts.
 */

const twoPerSecond: Limit = { count: 2, windowMs: 1000 };
const onePerSecond: Limit = { count: 1, windowMs: 1000 };
const tenInTen: Limit = { count: 10, windowMs: 10_000 };

const windowOf = (limit: Limit, { workers = 1, bursts = false } = {}) =>
	new SlidingWindow({ limit, workers, bursts });

interface Request {
	at: number;
	answeredAt?: number;
	refused?: boolean;
	count?: Count;
}

/** Sends a request that leaves at once, and has it answered, a millisecond later where nothing else is said. */
function send(window: SlidingWindow, { at, answeredAt = at + 1, refused = false, count }: Request) {
	const report = window.send(at);
	report.left(at);
	report.answered({ at: answeredAt, refused, count });
	return report;
}

/** A request that the service refuses. It asks for no wait where nothing else is said. */
function refuse(
	window: SlidingWindow,
	{ askedMs = 0, waitMs = 0, ...request }: Request & { askedMs?: number; waitMs?: number },
) {
	const { at, answeredAt = at + 1, count } = request;
	const report = send(window, { ...request, refused: true });
	window.refused({ at: answeredAt, report, refusal: { askedMs, waitMs }, count });
	return report;
}

/** Another refusal, of a request that the window need not know. */
function refuseUnknown(
	window: SlidingWindow,
	at: number,
	{ sentAt = at - 1, guessed = false, waitMs = 0 } = {},
) {
	const report: Report = { sentAt, guessed, isInWindow: () => false, left: () => {}, answered: () => {} };
	window.refused({ at, report, refusal: { waitMs, askedMs: waitMs } });
}

/** From one request to the next, for a window that was slowed down. */
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

	test('A request waits a window from the answer to the oldest of as many as the limit', () => {
		const window = windowOf(twoPerSecond);
		send(window, { at: 0, answeredAt: 10 });
		send(window, { at: 20, answeredAt: 40 });
		expect(window.readyAt(50)).toBe(1010);
		send(window, { at: 1010, answeredAt: 1030 });
		expect(window.readyAt(1050)).toBe(1040);
	});

	test('A request waits a window from when the one before is taken to be counted', () => {
		const window = windowOf(onePerSecond);
		send(window, { at: 0 });
		const report = window.send(3000);
		expect(window.readyAt(3500)).toBe(4500);
		expect(window.fullness(9000)).toBe(1);
		report.left(3400);
		expect(window.readyAt(3500)).toBe(4435);
		report.answered({ at: 3460, refused: false, count: undefined });
		expect(window.readyAt(3500)).toBe(4460);
	});

	test('A window is as full as there were requests within its length', () => {
		const window = windowOf({ count: 4, windowMs: 1000 });
		expect(window.fullness(0)).toBe(0);
		send(window, { at: 0, answeredAt: 10 });
		send(window, { at: 100, answeredAt: 110 });
		const fullness = [200, 1009, 1010, 1110].map((now) => window.fullness(now));
		expect(fullness).toEqual([0.5, 0.5, 0.25, 0]);
	});

	test.each([
		['that of the limit, where whole requests are shared', tenInTen, 2, 10_000],
		['from one request to the next, where they are not', onePerSecond, 3, 3000],
	])('The length of a window is %s', (_, limit, workers, windowMs) => {
		expect(windowOf(limit, { workers }).windowMs).toBe(windowMs);
	});

	test('A request is in the window for its length, from when it is taken to be counted', () => {
		const report = send(windowOf(onePerSecond), { at: 0, answeredAt: 300 });
		expect([300, 1299, 1300].map((now) => report.isInWindow(now))).toEqual([true, true, false]);
	});

	test('A window keeps as many requests as it has room for, since a first answer may come late', () => {
		const window = windowOf(twoPerSecond);
		const reports = [0, 1, 2, 3, 5000].map((at) => window.send(at));
		reports[3]!.answered({ at: 5010, refused: false, count: undefined });
		expect(window.fullness(5500)).toBe(1);
	});

	test('A window keeps no more of the past than the requests of two windows', () => {
		const window = windowOf(twoPerSecond);
		const kept = [0, 1, 2, 3, 4, 5].map((second) => {
			send(window, { at: second * 1000 });
			return (window as unknown as { uses: unknown[] }).uses.length;
		});
		expect(kept).toEqual([1, 2, 3, 4, 2, 3]);
	});
});

describe('guesses', () => {
	test('A request guesses when one before it in the window is not known to be counted', () => {
		const window = windowOf(onePerSecond);
		expect(window.send(0).guessed).toBe(false);
		expect(send(window, { at: 1000, answeredAt: 1070 }).guessed).toBe(true);
		expect(send(window, { at: 3000, answeredAt: 3900 }).guessed).toBe(false);
		expect(window.send(5000).guessed).toBe(true);
	});

	test('A request guesses nothing of one that is out of the window', () => {
		const window = windowOf(twoPerSecond);
		send(window, { at: 0 });
		send(window, { at: 1000, answeredAt: 1900 });
		const guessed = [3000, 5000, 7000].map((at) => send(window, { at }).guessed);
		expect(guessed).toEqual([true, true, false]);
	});

	/** A window of a second with two refusals soon after each other, of requests that guessed. @returns how long the next waits */
	const afterGuesses = (...guessed: boolean[]) => {
		const window = windowOf(onePerSecond);
		send(window, { at: 0 });
		for (const [index, each] of guessed.entries())
			refuseUnknown(window, 20_000 + 5000 * index, { guessed: each });
		send(window, { at: 50_000, answeredAt: 52_000 });
		return window.readyAt(52_000) - 50_000;
	};

	test.each([
		['A refusal is explained by a wrong guess: the window begins later, and the pace stays', [true], 1140],
		['Refusals are explained by wrong guesses up to the longest latency', [true, true], 1560],
		['A refusal that no longer latency explains slows down', [true, true, true], 2035],
		['Refusals of requests that guessed nothing slow down', [false, false], 2035],
		['A first refusal that guessed nothing changes nothing', [false], 1035],
	])('%s', (_, guessed, expected) => {
		expect(afterGuesses(...guessed)).toBeCloseTo(expected, 6);
	});

	test('A burst of refusals is explained by one wrong guess', () => {
		const window = windowOf(onePerSecond);
		send(window, { at: 0 });
		refuseUnknown(window, 20_000, { guessed: true });
		refuseUnknown(window, 20_010, { sentAt: 19_990, guessed: true });
		send(window, { at: 50_000, answeredAt: 50_900 });
		expect(window.readyAt(50_900)).toBe(51_140);
	});

	test('A wrong guess explains nothing where it is slowed down already', () => {
		const window = slowedDown(onePerSecond);
		refuseUnknown(window, 2000, { guessed: true });
		expect(distance(window, 3000)).toBeCloseTo(1000 / 0.45);
	});

	test('A wrong guess explains nothing where the service names less than the limit', () => {
		const window = windowOf(twoPerSecond);
		send(window, { at: 0 });
		const report = window.send(500);
		window.send(501);
		const count = { limit: 1, remaining: 0 };
		window.refused({
			at: 600,
			report: { ...report, guessed: true },
			refusal: { askedMs: 0, waitMs: 0 },
			count,
		});
		expect(distance(window, 5000)).toBeCloseTo(1000);
	});

	test('A longer latency gets shorter again while requests are sent', () => {
		const window = windowOf(onePerSecond);
		send(window, { at: 0 });
		refuseUnknown(window, 20_000, { guessed: true });
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
	test('A refused request took nothing of a limit that several processes share', () => {
		const window = windowOf(tenInTen, { workers: 2 });
		for (let at = 0; at < 5; at++) send(window, { at, refused: at === 2 });
		expect(window.fullness(10)).toBe(0.8);
		expect(waitAt(window, 10)).toBe(0);
		send(window, { at: 10 });
		expect(window.readyAt(20)).toBe(10_001);
	});

	test('A refused request leaves those before it counted', () => {
		const window = windowOf(tenInTen, { workers: 2 });
		for (let at = 0; at < 5; at++) send(window, { at });
		send(window, { at: 5, refused: true });
		expect(window.readyAt(20)).toBe(10_001);
	});

	test('A refused request counts where the account is not shared: the pace is too fast all the same', () => {
		const window = windowOf(twoPerSecond);
		send(window, { at: 0 });
		send(window, { at: 100, refused: true });
		expect(window.fullness(200)).toBe(1);
	});

	test('A refusal pauses for as long as the service asked, and a shorter wait does not end a longer one', () => {
		const window = windowOf(twoPerSecond);
		send(window, { at: 0, refused: true });
		const readyAt = [
			{ at: 1, waitMs: 5000 },
			{ at: 100, waitMs: 100 },
			{ at: 200, waitMs: 9000 },
		].map(({ at, waitMs }) => {
			refuseUnknown(window, at, { waitMs, sentAt: 0 });
			return window.readyAt(at);
		});
		expect(readyAt).toEqual([5001, 5001, 9200]);
	});

	test('Requests are spaced evenly once refusals have slowed down', () => {
		expect(distance(slowedDown(), 17_000)).toBeCloseTo(1000);
		expect(distance(slowedDown(twoPerSecond, { workers: 2 }), 2000)).toBeCloseTo(1000 / 0.9);
	});

	test('Refusals of one burst slow down once, and a later one further', () => {
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

describe('a refusal that names a window', () => {
	const pauseAfter = (askedMs: number | undefined, waitMs: number, count?: Count) => {
		const window = windowOf(tenInTen);
		const report = send(window, { at: 50, answeredAt: 100, refused: true });
		window.refused({ at: 100, report, refusal: { askedMs, waitMs }, count });
		return window.readyAt(100) - 100;
	};
	const own = { limit: 10, remaining: 0 };

	test.each<[string, number | undefined, number, number]>([
		['of its length for a shorter wait', 2000, 3000, 10_000],
		['of its length for one as long, without the second that came to it', 10_000, 11_000, 10_000],
		['as it waits when it asks for more than the window has', 10_001, 11_001, 11_001],
		['as it waits when it asks for nothing', undefined, 3000, 3000],
		['no shorter than what the request waits itself, but for a second', 2000, 14_000, 13_000],
	])('A refusal that names this very window makes a pause %s', (_, askedMs, waitMs, expected) => {
		expect(pauseAfter(askedMs, waitMs, own)).toBe(expected);
	});

	test.each<[string, Count | undefined]>([
		['another window', { limit: 11, remaining: 0 }],
		['the window by the minute', { limit: 60, remaining: 0 }],
		['no window', undefined],
	])('A refusal that names %s makes a pause as it waits', (_, count) => {
		expect(pauseAfter(2000, 3000, count)).toBe(3000);
	});

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

	test('A count is of a limit in its own window, or by the minute', () => {
		const window = windowOf(tenInTen);
		const limits = [9, 10, 11, 59, 60, 61, 100];
		expect(limits.filter((limit) => window.isCountedBy({ limit, remaining: 1 }))).toEqual([10, 60]);
	});

	const minuteUsedUp = { limit: 120, remaining: 0 };

	test.each([500, 60_000])(
		'A window by the minute that is used up does not slow down, when the service asks for %p ms',
		(askedMs) => {
			const window = windowOf(twoPerSecond);
			for (let at = 1000; at < 20_000; at += 2000) refuse(window, { at, count: minuteUsedUp, askedMs });
			expect(distance(window, 30_000)).toBeLessThanOrEqual(0);
		},
	);

	test.each<[string, Count | undefined, number]>([
		['A window by the minute that is used up ends when the service says', minuteUsedUp, 31_000],
		['A refusal that names no window does not say when one ends', undefined, 2008],
	])('%s', (_, count, readyAt) => {
		const window = windowOf(twoPerSecond);
		refuse(window, { at: 0, answeredAt: 0, count, askedMs: 30_000 });
		for (let sent = 0; sent < 9; sent++)
			send(window, { at: 1000 + sent, count: { limit: 120, remaining: 8 - sent } });
		expect(window.readyAt(20_000)).toBe(readyAt);
	});

	test.each<[string, Count, number]>([
		['something is left of the window by the minute', { limit: 120, remaining: 1 }, 500],
		['the service asks for more than a minute', { limit: 120, remaining: 0 }, 60_001],
		['the service names another window', { limit: 119, remaining: 0 }, 500],
	])('Refusals slow down when %s', (_, count, askedMs) => {
		const window = windowOf(twoPerSecond);
		for (const at of [0, 1000]) refuse(window, { at, count, askedMs });
		expect(distance(window, 5000)).toBeCloseTo(1000);
	});
});

/** Sends ten requests, between which others use the account too, from a new window on. @returns the time after it */
function amongOthers(window: SlidingWindow, perRequest: number, limit = 120) {
	let remaining = limit;
	for (let at = 0; at < 10_000; at += 1000) {
		remaining = Math.max(0, remaining - perRequest);
		send(window, { at, answeredAt: at + 10, count: { limit, remaining } });
	}
	return 9010;
}

describe("what the service says of others' use", () => {
	test("Requests are spaced evenly, at the part of the limit that is this process's", () => {
		const window = windowOf(twoPerSecond);
		const at = amongOthers(window, 2);
		expect(waitAt(window, at)).toBeGreaterThan(900);
		expect(waitAt(window, at)).toBeLessThan(1100);
	});

	test.each([
		['nobody else uses the account', 1, 120],
		['the count is of half the limit by the minute', 2, 60],
		['the count is of its own window', 2, 2],
	])('Requests are sent as the window has room when %s', (_, perRequest, limit) => {
		const window = windowOf(twoPerSecond);
		expect(waitAt(window, amongOthers(window, perRequest, limit))).toBe(0);
	});

	test('Requests are sent as usual where Workers leaves others their part already', () => {
		const window = windowOf(twoPerSecond, { workers: 2 });
		const at = amongOthers(window, 2);
		send(window, { at });
		expect(window.readyAt(at)).toBeLessThanOrEqual(at + 1 + 1100);
	});

	test('Nothing is sent when nothing is left', () => {
		const window = windowOf({ count: 1, windowMs: 6000 });
		for (let sent = 0; sent < 10; sent++)
			send(window, {
				at: sent * 100,
				answeredAt: sent * 100 + 10,
				count: { limit: 10, remaining: 9 - sent },
			});
		expect(window.readyAt(40_000)).toBe(60_010);
	});

	/** A window whose count of the minute has much left. */
	const withMuchLeft = ({ bursts = true } = {}) => {
		const window = windowOf(twoPerSecond, { bursts });
		for (let sent = 0; sent < 10; sent++)
			send(window, { at: sent, count: { limit: 120, remaining: 119 - sent } });
		return window;
	};

	test('Bursts use at once what is left, where they are switched on', () => {
		expect(withMuchLeft().readyAt(11)).toBe(11);
		expect(withMuchLeft({ bursts: false }).readyAt(11)).toBeGreaterThan(900);
	});

	test('Bursts wait for the end of a pause', () => {
		const window = withMuchLeft();
		refuseUnknown(window, 12, { sentAt: 10, waitMs: 500 });
		expect(window.readyAt(12)).toBe(512);
	});

	test('Bursts give way to the even pace while it is slowed down', () => {
		const window = withMuchLeft();
		for (const at of [12, 14]) refuseUnknown(window, at);
		expect(window.readyAt(20)).toBe(10 + 1000);
	});
});

describe('what answers say of the very window', () => {
	/** What a window makes of the answer to a request of 20,000 ms, the latest of several. */
	const heardOf = (earlier: Request[], latest: Partial<Request> = {}) => {
		const window = windowOf(tenInTen);
		const heard = jest.spyOn(Slowdown.prototype, 'heard').mockReturnValue();
		for (const each of earlier) send(window, each);
		send(window, { at: 20_000, answeredAt: 20_100, count: { limit: 10, remaining: 7 }, ...latest });
		const calls = heard.mock.calls.map(([each]) => each);
		heard.mockRestore();
		return calls;
	};

	test.each<[string, Request, { least: number; most: number }]>([
		['at the same time', { at: 20_000, answeredAt: 20_000 }, { least: 1, most: 2 }],
		['before, and answered later', { at: 19_990, answeredAt: 20_001 }, { least: 0, most: 2 }],
		['just within four fifths of the window', { at: 12_001 }, { least: 1, most: 2 }],
		['four fifths of the window before', { at: 12_000 }, { least: 0, most: 2 }],
		['just within the window', { at: 10_001 }, { least: 0, most: 2 }],
		['a window before', { at: 10_000 }, { least: 0, most: 1 }],
		['later', { at: 20_001 }, { least: 0, most: 1 }],
		['before, and refused', { at: 19_000, refused: true }, { least: 0, most: 1 }],
	])('What is used is compared with a request that was sent %s', (_, earlier, own) => {
		expect(heardOf([earlier])).toEqual([{ at: 20_100, used: 3, own }]);
	});

	test('A request that has no answer yet may be in the window, but need not', () => {
		const window = windowOf(tenInTen);
		const heard = jest.spyOn(Slowdown.prototype, 'heard').mockReturnValue();
		window.send(19_000);
		send(window, { at: 20_000, count: { limit: 10, remaining: 7 } });
		expect(heard).toHaveBeenCalledWith({ at: 20_001, used: 3, own: { least: 0, most: 2 } });
		heard.mockRestore();
	});

	test.each<[string, Partial<Request>]>([
		['refuses', { refused: true }],
		['counts another limit', { count: { limit: 60, remaining: 7 } }],
		['counts nothing', { count: undefined }],
	])('Nothing is heard of the window from an answer that %s', (_, latest) => {
		expect(heardOf([], latest)).toEqual([]);
	});

	test('Answers that find nobody else in the window speed up what was slowed down', () => {
		const window = slowedDown(tenInTen);
		expect(distance(window, 5000)).toBeCloseTo(2000);
		for (const [at, remaining] of [
			[7001, 8],
			[9001, 7],
		] as const)
			send(window, { at, count: { limit: 10, remaining } });
		expect(waitAt(window, 9100)).toBe(0);
	});
});

describe('a window of a faster pace than another', () => {
	/** A window of a pace that begins when requests were sent at a slower one already. */
	const fasterThan = (slower: SlidingWindow, limit = twoPerSecond) =>
		new SlidingWindow({ limit, workers: 1, bursts: false }, slower);

	test('A window begins with the requests of the slower one, and learns what becomes of them', () => {
		const slower = windowOf(onePerSecond);
		const report = slower.send(0);
		const window = fasterThan(slower);
		expect(window.fullness(0)).toBe(0.5);
		send(window, { at: 10, answeredAt: 20 });
		expect(window.readyAt(100)).toBe(1100);
		report.left(50);
		expect(window.readyAt(100)).toBe(1085);
		report.answered({ at: 300, refused: false, count: undefined });
		expect(window.readyAt(300)).toBe(1300);
	});

	test('A window begins at its whole limit, also where the slower one has slowed down', () => {
		const window = fasterThan(slowedDown(onePerSecond), { count: 4, windowMs: 1000 });
		for (let sent = 0; sent < 4; sent++) {
			expect(waitAt(window, 20_000)).toBe(0);
			send(window, { at: 20_000 });
		}
		expect(window.readyAt(20_001)).toBe(21_001);
	});

	test('A window knows all requests of its own time, however few the slower one has room for', () => {
		const even = windowOf({ count: 1, windowMs: 400 });
		for (const at of [0, 400, 800, 1200, 1600]) send(even, { at });
		expect(fasterThan(even, { count: 10, windowMs: 1000 }).fullness(1700)).toBe(0.3);
	});

	test('What is sent at the faster pace alone is not in the slower one', () => {
		const slower = windowOf(onePerSecond);
		send(fasterThan(slower), { at: 0 });
		expect(slower.fullness(1)).toBe(0);
		expect(waitAt(slower, 1)).toBe(0);
	});
});

describe('whether a window is like new', () => {
	/** From when on it is, to the millisecond; it is not before. */
	const newFrom = (window: SlidingWindow, from: number) => {
		expect([window.isLikeNew(from - 1), window.isLikeNew(from)]).toEqual([false, true]);
	};

	test('A window is like new before anything is sent, and again when all that was sent is out of it', () => {
		const window = windowOf({ count: 2, windowMs: 100_000 });
		expect(window.isLikeNew(0)).toBe(true);
		send(window, { at: 1000 });
		newFrom(window, 101_001);
	});

	test('A window is not like new while a count may be remembered', () => {
		const window = windowOf(twoPerSecond);
		send(window, { at: 1000, answeredAt: 1010 });
		newFrom(window, 62_010);
	});

	test('A window is not like new during a pause', () => {
		const window = windowOf(twoPerSecond);
		refuseUnknown(window, 1000, { waitMs: 300_000 });
		newFrom(window, 301_000);
	});

	test('A window is not like new while a refusal may be followed by a second one', () => {
		const window = windowOf({ count: 1, windowMs: 10_000 });
		refuseUnknown(window, 1000);
		newFrom(window, 301_000);
	});

	test('A window is not like new until the pace has come back', () => {
		const window = windowOf({ count: 1, windowMs: 10_000 });
		for (const at of [1000, 2000]) refuseUnknown(window, at);
		expect(window.isLikeNew(602_000)).toBe(false);
		expect(window.isLikeNew(4_000_000)).toBe(true);
	});

	test('A window is not like new until the latency is the usual one', () => {
		const window = windowOf(onePerSecond);
		refuseUnknown(window, 1000, { guessed: true });
		newFrom(window, 201_000);
	});
});
