import {
	accessRefused,
	interrupted,
	serviceFailed,
	tooManyRequests,
	underMaintenance,
	unreachable,
	type Failure,
} from '../../nodes/ChatbotService/client/failure';
import { Attempts } from '../../nodes/ChatbotService/client/retry';

const failed = (retryAfterMs?: number) => serviceFailed(503, retryAfterMs);
const maintained = (retryAfterMs?: number) => underMaintenance(503, retryAfterMs);
const limited = (retryAfterMs?: number) => tooManyRequests(429, retryAfterMs);

/** The waits after each attempt of an idempotent request, by default. */
function waitsAfter(failures: Failure[], { idempotent = true } = {}) {
	const attempts = new Attempts(idempotent);
	return failures.map((failure) => attempts.nextAfter(failure));
}

/** The wait after the first attempt. */
const waitAfter = (failure: Failure, { idempotent = true } = {}) => waitsAfter([failure], { idempotent })[0];

/** All waits of a request that always fails in the same way, until it is given up. */
function waitsOf(failure: Failure): number[] {
	const attempts = new Attempts(true);
	const waits: number[] = [];
	for (;;) {
		const next = attempts.nextAfter(failure);
		if (next === undefined) return waits;
		waits.push(next);
		if (waits.length === 1000) throw new Error('it goes on for ever');
	}
}

const times = <T>(count: number, value: T) => Array.from({ length: count }, () => value);

const once = { idempotent: false };

describe('whether a request is sent again', () => {
	test('A request that was certainly not sent is repeated, for every operation', () => {
		expect(waitAfter(unreachable(''), once)).toBe(1000);
		expect(waitAfter(unreachable(''))).toBe(1000);
	});

	test('A request that may have taken effect is repeated only if it is idempotent', () => {
		for (const failure of [failed(), interrupted('')]) {
			expect(waitAfter(failure)).toBe(1000);
			expect(waitAfter(failure, once)).toBeUndefined();
		}
	});

	test('A request that is refused by a limit is repeated, for every operation', () => {
		expect(waitAfter(limited(), once)).toBe(1000);
		expect(waitAfter(limited())).toBe(1000);
	});

	test('A request during maintenance is repeated, for every operation', () => {
		expect(waitAfter(maintained(), once)).toBe(1000);
		expect(waitAfter(maintained())).toBe(1000);
	});

	test('A request is not repeated when the answer would be the same', () => {
		expect(waitAfter(accessRefused(403, { expected: [], isForeign: false }))).toBeUndefined();
	});
});

describe('how long a request waits', () => {
	test('A request that failed waits twice as long the second time', () => {
		expect(waitsOf(failed())).toEqual([1000, 2000]);
		expect(waitsOf(unreachable(''))).toEqual([1000, 2000]);
	});

	test.each([
		['is told no time', undefined],
		['is told to wait for none', 0],
	])(
		'A request that is refused by a limit and %s waits longer each time, up to five seconds, for five minutes',
		(_, askedMs) => {
			expect(waitsOf(limited(askedMs))).toEqual([1000, 2000, 4000, ...times(58, 5000)]);
		},
	);

	test('A request during maintenance waits twice as long each time', () => {
		expect(waitsOf(maintained())).toEqual([1000, 2000, 4000, 8000, 16_000]);
	});

	test.each([1, 50, 30_000, 120_000])(
		'A request waits as long as the service asks, plus the second that rounding down may remove: %p ms',
		(waitMs) => {
			for (const failure of [failed(waitMs), limited(waitMs), maintained(waitMs)]) {
				expect(waitAfter(failure)).toBe(waitMs + 1000);
			}
		},
	);

	test('A request that is asked for a shorter wait waits for the default time', () => {
		expect(waitsOf(limited(500)).slice(0, 5)).toEqual([1500, 2000, 4000, 5000, 5000]);
		expect(waitsOf(limited(3500)).slice(0, 5)).toEqual([4500, 4500, 4500, 5000, 5000]);
		expect(waitsOf(maintained(0))).toEqual([1000, 2000, 4000, 8000, 16_000]);
		expect(waitsOf(failed(0))).toEqual([1000, 2000]);
	});

	test('The waits after refusals grow independently of other failures in between', () => {
		const failures = [limited(), unreachable(''), limited(), unreachable(''), limited()];
		expect(waitsAfter(failures)).toEqual([1000, 1000, 2000, 2000, 4000]);
	});
});

describe('when a request is given up', () => {
	test('Attempts during maintenance and other failed attempts count together', () => {
		expect(waitsAfter([failed(), maintained(), failed()])).toEqual([1000, 2000, undefined]);
		expect(waitsAfter([failed(), ...times(5, maintained())]).slice(4)).toEqual([16_000, undefined]);
	});

	test.each([
		['the three attempts of other failures', failed(), [1000, 2000, undefined]],
		['the six attempts in maintenance', maintained(), [1000, 2000, 4000, 8000, 16_000, undefined]],
	])('Refusals by a limit do not count towards %s', (_, failure, waits) => {
		const refused = times(30, limited());
		expect(waitsAfter([...refused, ...times(waits.length, failure)]).slice(30)).toEqual(waits);
		const between = waits.flatMap(() => [failure, limited()]);
		expect(waitsAfter(between).filter((_, index) => index % 2 === 0)).toEqual(waits);
	});

	test('A request is given up when the service asks for more than two minutes', () => {
		for (const failure of [failed, limited, maintained]) {
			expect(waitAfter(failure(120_000))).toBe(121_000);
			expect(waitAfter(failure(120_001))).toBeUndefined();
		}
	});

	test('A request is given up when the service has asked for more than five minutes in all', () => {
		const others = times(3, limited(60_000));
		expect(waitsAfter([...others, limited(60_000), limited(60_000)]).at(-1)).toBe(61_000);
		expect(waitsAfter([...others, limited(60_001), limited(60_000)]).at(-1)).toBeUndefined();
	});

	test('A request is not given up because of the seconds that are added to the requested waits', () => {
		expect(waitsOf(limited(60_000))).toEqual(times(5, 61_000));
		expect(waitsOf(limited(100_000))).toEqual(times(3, 101_000));
	});

	test('A request is given up when its default waits would exceed five minutes in all', () => {
		const others = [limited(100_000), limited(100_000)];
		expect(waitsAfter([...others, limited(96_000), limited()]).at(-1)).toBeUndefined();
		expect(waitsAfter([...others, limited(95_000), limited()]).at(-1)).toBe(5000);
	});

	test('The five minutes include all waits, for any reason', () => {
		const refused = times(3, limited(80_000));
		expect(waitsAfter([...refused, failed(60_000)]).at(-1)).toBe(61_000);
		expect(waitsAfter([...refused, failed(60_001)]).at(-1)).toBeUndefined();
		expect(waitsAfter([...refused, maintained(60_001)]).at(-1)).toBeUndefined();
	});
});
