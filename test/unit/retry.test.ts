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

/** How long a request waits after each of its attempts, of what may be repeated where nothing else is said. */
function waitsAfter(failures: Failure[], { idempotent = true } = {}) {
	const attempts = new Attempts(idempotent);
	return failures.map((failure) => attempts.nextAfter(failure));
}

/** How long a request waits after its first attempt. */
const waitAfter = (failure: Failure, { idempotent = true } = {}) => waitsAfter([failure], { idempotent })[0];

/** All waits of a request that fails the same way every time, until it is given up. */
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
const sum = (values: number[]) => values.reduce((all, each) => all + each, 0);

const once = { idempotent: false };

describe('whether a request is sent again', () => {
	test('A request that cannot have left is sent again, whatever it asks for', () => {
		expect(waitAfter(unreachable(''), once)).toBe(1000);
		expect(waitAfter(unreachable(''))).toBe(1000);
	});

	test('A request that the service may have done is sent again only when that is harmless', () => {
		for (const failure of [failed(), interrupted('')]) {
			expect(waitAfter(failure)).toBe(1000);
			expect(waitAfter(failure, once)).toBeUndefined();
		}
	});

	test('A request that is refused by a limit is sent again, whatever it asks for', () => {
		expect(waitAfter(limited(), once)).toBe(1000);
		expect(waitAfter(limited())).toBe(1000);
	});

	test('A request that meets maintenance is sent again, whatever it asks for', () => {
		expect(waitAfter(maintained(), once)).toBe(1000);
		expect(waitAfter(maintained())).toBe(1000);
	});

	test('A request is not sent again when the answer would be the same', () => {
		expect(waitAfter(accessRefused(403, { expected: [], isForeign: false }))).toBeUndefined();
	});

	test('A message that a limit has refused is not sent again once the service may have sent it', () => {
		expect(waitsAfter([limited(), failed()], once)).toEqual([1000, undefined]);
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
		'A request that is refused by a limit and %s waits ever longer, up to five seconds, for five minutes',
		(_, askedMs) => {
			expect(waitsOf(limited(askedMs))).toEqual([1000, 2000, 4000, ...times(58, 5000)]);
		},
	);

	test('A request that meets maintenance waits twice as long each time', () => {
		expect(waitsOf(maintained())).toEqual([1000, 2000, 4000, 8000, 16_000]);
	});

	test.each([1, 50, 30_000, 120_000])(
		'A request waits for what the service asks, and a second that may have been rounded off: %p ms',
		(waitMs) => {
			for (const failure of [failed(waitMs), limited(waitMs), maintained(waitMs)]) {
				expect(waitAfter(failure)).toBe(waitMs + 1000);
			}
		},
	);

	test('A request that is asked to wait for less waits as long as without being asked', () => {
		expect(waitsOf(limited(500)).slice(0, 5)).toEqual([1500, 2000, 4000, 5000, 5000]);
		expect(waitsOf(limited(3500)).slice(0, 5)).toEqual([4500, 4500, 4500, 5000, 5000]);
		expect(waitsOf(maintained(0))).toEqual([1000, 2000, 4000, 8000, 16_000]);
		expect(waitsOf(failed(0))).toEqual([1000, 2000]);
	});

	test('The waits after refusals grow by themselves, whatever else fails in between', () => {
		const failures = [limited(), unreachable(''), limited(), unreachable(''), limited()];
		expect(waitsAfter(failures)).toEqual([1000, 1000, 2000, 2000, 4000]);
	});
});

describe('when a request is given up', () => {
	test('A request that failed is given up after three attempts', () => {
		expect(waitsAfter([failed(0), failed(0), failed(0)])).toEqual([1000, 2000, undefined]);
		expect(waitsAfter(times(3, unreachable('')), once)).toEqual([1000, 2000, undefined]);
	});

	test('A request that meets maintenance is given up after six attempts', () => {
		expect(waitsAfter(times(6, maintained()), once).slice(4)).toEqual([16_000, undefined]);
	});

	test('Attempts during maintenance and attempts that failed otherwise count together', () => {
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

	test.each([0, 1000, 4500, 7000])(
		'A request that is refused by a limit is given up when it has waited for five minutes, asked for %p ms each time',
		(askedMs) => {
			const waits = waitsOf(limited(askedMs));
			// The second that comes to what is asked is not counted.
			expect(sum(waits)).toBeGreaterThan(290_000);
			expect(sum(waits) - 1000 * waits.length).toBeLessThanOrEqual(300_000);
			expect(waits.length).toBeGreaterThan(40);
			expect(waits.length).toBeLessThan(65);
		},
	);

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

	test('A request is not given up because of the seconds that are added for rounding', () => {
		expect(waitsOf(limited(60_000))).toEqual(times(5, 61_000));
		expect(waitsOf(limited(100_000))).toEqual(times(3, 101_000));
	});

	test('A request is given up when it would wait for more than five minutes in all unasked', () => {
		const others = [limited(100_000), limited(100_000)];
		expect(waitsAfter([...others, limited(96_000), limited()]).at(-1)).toBeUndefined();
		expect(waitsAfter([...others, limited(95_000), limited()]).at(-1)).toBe(5000);
	});

	test('The five minutes are those of all waits, whatever each of them was for', () => {
		const refused = times(3, limited(80_000));
		expect(waitsAfter([...refused, failed(60_000)]).at(-1)).toBe(61_000);
		expect(waitsAfter([...refused, failed(60_001)]).at(-1)).toBeUndefined();
		expect(waitsAfter([...refused, maintained(60_001)]).at(-1)).toBeUndefined();
	});
});
