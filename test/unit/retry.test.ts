import {
	accessRefused,
	interrupted,
	serviceFailed,
	tooManyRequests,
	underMaintenance,
	unreachable,
	type Failure,
} from '../../nodes/ChatbotService/client/failure';
import { Repeats } from '../../nodes/ChatbotService/client/retry';

/* Which failures of one request let the client send it again. What trouble does to all requests of an account is in gate.test.ts. */

const failed = (retryAfterMs?: number) => serviceFailed(503, retryAfterMs);

/** The waits after each attempt of a request; undefined where it is not sent again. */
function waitsAfter(failures: Failure[], idempotent = true) {
	const repeats = new Repeats(idempotent);
	return failures.map((failure) => repeats.nextAfter(failure));
}

test.each<[string, isRepeated: boolean, isRepeatedIfNotIdempotent: boolean, Failure]>([
	['was certainly not sent', true, true, unreachable('')],
	['is refused by a limit', true, true, tooManyRequests(429)],
	['came during maintenance', true, true, underMaintenance(503)],
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

test.each<[string, Failure[], Array<number | undefined>]>([
	['fails', [failed(), failed(), failed()], [1000, 2000, undefined]],
	['fails and asks for no time', [failed(0), failed(0), failed(0)], [1000, 2000, undefined]],
	['is not sent', [unreachable(''), unreachable(''), unreachable('')], [1000, 2000, undefined]],
	['fails in different ways', [failed(), unreachable(''), interrupted('')], [1000, 2000, undefined]],
])('A request that %s has three attempts', (_, failures, waits) => {
	expect(waitsAfter(failures)).toEqual(waits);
});

test('A request waits as long as the service asks, plus the second that rounding down may remove, up to two minutes', () => {
	for (const askedMs of [1, 50, 30_000, 120_000])
		expect(waitsAfter([failed(askedMs)])).toEqual([askedMs + 1000]);
	expect(waitsAfter([failed(120_001)])).toEqual([undefined]);
	expect(waitsAfter([failed(500), failed(500), failed(500)])).toEqual([1500, 2000, undefined]);
});
