import {
	accessRefused,
	interrupted,
	serviceFailed,
	tooManyRequests,
	underMaintenance,
	unreachable,
	type Failure,
} from '../../nodes/ChatbotService/client/failure';
import { nextAttemptIn } from '../../nodes/ChatbotService/client/retry';

/** Of what may be repeated, and of what may not. */
const harmless = { repeatable: true };
const once = { repeatable: false };
const first = { made: 1, waitedMs: 0 };
const failed = (retryAfterMs?: number) => serviceFailed(503, retryAfterMs);
const maintained = (retryAfterMs?: number) => underMaintenance(503, retryAfterMs);
const limited = (retryAfterMs?: number) => tooManyRequests(429, retryAfterMs);

describe('whether a request is sent again', () => {
	test('A request that cannot have left is sent again, whatever it asks for', () => {
		expect(nextAttemptIn(unreachable(''), { ...once, ...first })).toBe(1000);
		expect(nextAttemptIn(unreachable(''), { ...harmless, ...first })).toBe(1000);
	});

	test('A request that the service may have done is sent again only when that is harmless', () => {
		for (const failure of [failed(), interrupted('')]) {
			expect(nextAttemptIn(failure, { ...harmless, ...first })).toBe(1000);
			expect(nextAttemptIn(failure, { ...once, ...first })).toBeUndefined();
		}
	});

	test('A request that is refused by a limit is sent again, whatever it asks for', () => {
		expect(nextAttemptIn(limited(), { ...once, ...first })).toBe(1000);
		expect(nextAttemptIn(limited(), { ...harmless, ...first })).toBe(1000);
	});

	test('A request that meets maintenance is sent again, whatever it asks for', () => {
		expect(nextAttemptIn(maintained(), { ...once, ...first })).toBe(1000);
		expect(nextAttemptIn(maintained(), { ...harmless, ...first })).toBe(1000);
	});

	test('A request is not sent again when the answer would be the same', () => {
		expect(
			nextAttemptIn(accessRefused(403, { sought: [], isForeign: false }), { ...harmless, ...first }),
		).toBeUndefined();
	});
});

/** All waits of a request that fails the same way every time, until it is given up. */
function waitsOf(failure: Failure): number[] {
	const waits: number[] = [];
	for (let waitedMs = 0; ; waitedMs += failure.retryAfterMs ?? waits.at(-1)!) {
		const next = nextAttemptIn(failure, { ...harmless, made: waits.length + 1, waitedMs });
		if (next === undefined) return waits;
		waits.push(next);
	}
}
const times = <T>(count: number, value: T) => Array.from({ length: count }, () => value);

describe('how long a request waits', () => {
	test('A request that failed waits twice as long the second time', () => {
		expect(waitsOf(failed())).toEqual([1000, 2000]);
		expect(waitsOf(unreachable(''))).toEqual([1000, 2000]);
	});

	test('A request that is refused by a limit waits ever longer, up to five seconds', () => {
		expect(waitsOf(limited())).toEqual([1000, 2000, 4000, ...times(16, 5000)]);
	});

	test('A request that meets maintenance waits twice as long each time', () => {
		expect(waitsOf(maintained())).toEqual([1000, 2000, 4000, 8000, 16_000]);
	});

	test.each([0, 50, 30_000, 120_000])(
		'A request waits for what the service asks, and the second that it may have cut off: %p ms',
		(waitMs) => {
			for (const failure of [failed(waitMs), limited(waitMs), maintained(waitMs)]) {
				expect(nextAttemptIn(failure, { ...harmless, ...first })).toBe(waitMs + 1000);
			}
		},
	);

	test('A request that is asked to wait for less waits as long as without being asked', () => {
		expect(waitsOf(limited(0))).toEqual([1000, 2000, 4000, ...times(16, 5000)]);
		expect(waitsOf(limited(3500))).toEqual([4500, 4500, 4500, ...times(16, 5000)]);
		expect(waitsOf(maintained(0))).toEqual([1000, 2000, 4000, 8000, 16_000]);
		expect(waitsOf(failed(0))).toEqual([1000, 2000]);
	});

	test('A request that is refused by a limit waits for more than a minute in all, even if it is asked for no wait', () => {
		expect(waitsOf(limited(0)).reduce((sum, each) => sum + each)).toBeGreaterThan(61_000);
	});
});

describe('when a request is given up', () => {
	test('A request that failed is given up after three attempts', () => {
		expect(nextAttemptIn(failed(0), { ...harmless, made: 2, waitedMs: 0 })).toBe(2000);
		expect(nextAttemptIn(failed(0), { ...harmless, made: 3, waitedMs: 0 })).toBeUndefined();
		expect(nextAttemptIn(unreachable(''), { ...once, made: 3, waitedMs: 0 })).toBeUndefined();
	});

	test('A request that is refused by a limit is given up after twenty attempts', () => {
		expect(nextAttemptIn(limited(), { ...once, made: 19, waitedMs: 0 })).toBe(5000);
		expect(nextAttemptIn(limited(), { ...once, made: 20, waitedMs: 0 })).toBeUndefined();
	});

	test('A request that meets maintenance is given up after six attempts', () => {
		expect(nextAttemptIn(maintained(), { ...once, made: 5, waitedMs: 0 })).toBe(16_000);
		expect(nextAttemptIn(maintained(), { ...once, made: 6, waitedMs: 0 })).toBeUndefined();
	});

	test('A request is given up when the service asks for more than two minutes', () => {
		for (const failure of [failed, limited, maintained]) {
			expect(nextAttemptIn(failure(120_000), { ...harmless, ...first })).toBe(121_000);
			expect(nextAttemptIn(failure(120_001), { ...harmless, ...first })).toBeUndefined();
		}
	});

	test('A request is given up when the service has asked for more than five minutes in all', () => {
		expect(nextAttemptIn(limited(60_000), { ...once, made: 5, waitedMs: 240_000 })).toBe(61_000);
		expect(nextAttemptIn(limited(60_000), { ...once, made: 5, waitedMs: 240_001 })).toBeUndefined();
	});

	test('A request is not given up for the seconds that come to what was asked', () => {
		expect(waitsOf(limited(60_000))).toEqual(times(5, 61_000));
		expect(waitsOf(limited(100_000))).toEqual(times(3, 101_000));
	});

	test('A request is given up when it would wait for more than five minutes in all unasked', () => {
		expect(nextAttemptIn(limited(), { ...once, made: 4, waitedMs: 295_000 })).toBe(5000);
		expect(nextAttemptIn(limited(), { ...once, made: 4, waitedMs: 295_001 })).toBeUndefined();
	});
});
