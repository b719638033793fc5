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

const times = <T>(count: number, value: T) => Array.from({ length: count }, () => value);

/** The waits after each attempt of a request; undefined where it is not sent again. */
function waitsAfter(failures: Failure[], idempotent = true) {
	const attempts = new Attempts(idempotent);
	return failures.map((failure) => attempts.nextAfter(failure));
}

/** All waits of a request that always fails in the same way, until it is given up. */
function waitsOf(failure: Failure) {
	const waits = waitsAfter(times(100, failure));
	expect(waits).toContain(undefined);
	return waits.slice(0, waits.indexOf(undefined));
}

test.each<[string, isRepeated: boolean, isRepeatedIfNotIdempotent: boolean, Failure]>([
	['was certainly not sent', true, true, unreachable('')],
	['is refused by a limit', true, true, limited()],
	['came during maintenance', true, true, maintained()],
	['failed in the service', true, false, failed()],
	['was interrupted', true, false, interrupted('')],
	['would get the same answer', false, false, accessRefused(403, { expected: [], isForeign: false })],
])(
	'A request that %s is sent again: %p if it is idempotent, %p if it is not',
	(_, isRepeated, isRepeatedIfNotIdempotent, failure) => {
		expect(waitsAfter([failure], true)).toEqual([isRepeated ? 1000 : undefined]);
		expect(waitsAfter([failure], false)).toEqual([isRepeatedIfNotIdempotent ? 1000 : undefined]);
	},
);

test.each<[string, Failure, number[]]>([
	['failed', failed(), [1000, 2000]],
	['failed and is to wait for no time', failed(0), [1000, 2000]],
	['was not sent', unreachable(''), [1000, 2000]],
	['came during maintenance', maintained(), [1000, 2000, 4000, 8000, 16_000]],
	['came during maintenance for no time', maintained(0), [1000, 2000, 4000, 8000, 16_000]],
	['is refused by a limit', limited(), [1000, 2000, 4000, ...times(58, 5000)]],
	['is refused by a limit for no time', limited(0), [1000, 2000, 4000, ...times(58, 5000)]],
	// The seconds that are added to the requested waits do not count towards five minutes.
	['is refused by a limit for a minute', limited(60_000), times(5, 61_000)],
	['is refused by a limit for 100 seconds', limited(100_000), times(3, 101_000)],
])('A request that %s each time waits between its attempts, and is given up', (_, failure, waits) => {
	expect(waitsOf(failure)).toEqual(waits);
});

test.each([failed, limited, maintained])(
	'A request waits as long as the service asks, plus the second that rounding down may remove, and is given up when that is more than two minutes',
	(failure) => {
		for (const askedMs of [1, 50, 30_000, 120_000])
			expect(waitsAfter([failure(askedMs)])).toEqual([askedMs + 1000]);
		expect(waitsAfter([failure(120_001)])).toEqual([undefined]);
	},
);

test('A request that is asked for a shorter wait waits for the default time', () => {
	expect(waitsOf(limited(500)).slice(0, 5)).toEqual([1500, 2000, 4000, 5000, 5000]);
	expect(waitsOf(limited(3500)).slice(0, 5)).toEqual([4500, 4500, 4500, 5000, 5000]);
});

const refusedOften = times(30, limited());
const refusedFor = (...seconds: number[]) => seconds.map((each) => limited(each * 1000));

test.each<[string, Failure[], lastWaits: Array<number | undefined>]>([
	[
		'waits after refusals and after other failures independently',
		[limited(), unreachable(''), limited(), unreachable(''), limited()],
		[1000, 1000, 2000, 2000, 4000],
	],
	[
		'has three attempts, those in maintenance included',
		[failed(), maintained(), failed()],
		[1000, 2000, undefined],
	],
	[
		'has six attempts if the last is in maintenance',
		[failed(), ...times(5, maintained())],
		[16_000, undefined],
	],
	[
		'has three attempts after refusals by a limit',
		[...refusedOften, ...times(3, failed())],
		[1000, 2000, undefined],
	],
	[
		'has three attempts between refusals by a limit',
		[failed(), limited(), failed(), limited(), failed()],
		[1000, 1000, 2000, 2000, undefined],
	],
	[
		'has six attempts in maintenance after refusals by a limit',
		[...refusedOften, ...times(6, maintained())],
		[1000, 2000, 4000, 8000, 16_000, undefined],
	],
	[
		'has six attempts in maintenance between refusals by a limit',
		times(6, [maintained(), limited()]).flat().slice(0, -1),
		[1000, 1000, 2000, 2000, 4000, 4000, 8000, 5000, 16_000, 5000, undefined],
	],
	['is given up after more than five minutes in all', refusedFor(60, 60, 60, 60.001, 60), [undefined]],
	['may wait for five minutes by default waits', refusedFor(100, 100, 95, 0), [5000]],
	['is given up after more than that by default waits', refusedFor(100, 100, 96, 0), [undefined]],
	['may wait for five minutes for any reason', [...refusedFor(80, 80, 80), failed(60_000)], [61_000]],
	['is given up after more by a failure', [...refusedFor(80, 80, 80), failed(60_001)], [undefined]],
	['is given up after more by maintenance', [...refusedFor(80, 80, 80), maintained(60_001)], [undefined]],
])('A request %s', (_, failures, lastWaits) => {
	expect(waitsAfter(failures).slice(-lastWaits.length)).toEqual(lastWaits);
});
