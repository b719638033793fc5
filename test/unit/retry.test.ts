import {
	accessRefused,
	interrupted,
	serviceFailed,
	tooManyRequests,
	unreachable,
} from '../../nodes/ChatbotService/client/failure';
import { nextAttemptIn } from '../../nodes/ChatbotService/client/retry';

const first = { made: 1, waitedMs: 0 };
const failed = (retryAfterMs?: number) => serviceFailed(503, retryAfterMs);
const limited = (retryAfterMs?: number) => tooManyRequests(429, retryAfterMs);

describe('a request is sent again', () => {
	test('whatever it asks for, when nothing can have left', () => {
		expect(nextAttemptIn(unreachable(''), false, first)).toBe(1000);
		expect(nextAttemptIn(unreachable(''), true, first)).toBe(1000);
	});

	test('only when that is harmless, when the service may have done it', () => {
		for (const failure of [failed(), interrupted('')]) {
			expect(nextAttemptIn(failure, true, first)).toBe(1000);
			expect(nextAttemptIn(failure, false, first)).toBeUndefined();
		}
	});

	test('whatever it asks for, after a limit was reached', () => {
		expect(nextAttemptIn(limited(), false, first)).toBe(1000);
		expect(nextAttemptIn(limited(), true, first)).toBe(1000);
	});

	test('never, when the answer would be the same', () => {
		expect(nextAttemptIn(accessRefused(403), true, first)).toBeUndefined();
	});
});

describe('it waits', () => {
	test('twice as long the second time', () => {
		expect(nextAttemptIn(failed(), true, { made: 2, waitedMs: 1000 })).toBe(2000);
	});

	test('no longer each time at a limit, where the pace slows down itself', () => {
		expect(nextAttemptIn(limited(), false, { made: 5, waitedMs: 4000 })).toBe(1000);
	});

	test.each([0, 50, 30_000, 120_000])('what the service asks for: %p ms', (waitMs) => {
		expect(nextAttemptIn(failed(waitMs), true, first)).toBe(waitMs);
		expect(nextAttemptIn(limited(waitMs), false, first)).toBe(waitMs);
	});
});

describe('it is given up', () => {
	test('after three attempts', () => {
		expect(nextAttemptIn(failed(0), true, { made: 2, waitedMs: 0 })).toBe(0);
		expect(nextAttemptIn(failed(0), true, { made: 3, waitedMs: 0 })).toBeUndefined();
		expect(nextAttemptIn(unreachable(''), false, { made: 3, waitedMs: 0 })).toBeUndefined();
	});

	test('after twenty at a limit', () => {
		expect(nextAttemptIn(limited(), false, { made: 19, waitedMs: 0 })).toBe(1000);
		expect(nextAttemptIn(limited(), false, { made: 20, waitedMs: 0 })).toBeUndefined();
	});

	test('when the service asks for more than two minutes', () => {
		expect(nextAttemptIn(limited(120_001), false, first)).toBeUndefined();
		expect(nextAttemptIn(failed(120_001), true, first)).toBeUndefined();
	});

	test('when all waits together would be longer than five minutes', () => {
		expect(nextAttemptIn(limited(60_000), false, { made: 5, waitedMs: 240_000 })).toBe(60_000);
		expect(nextAttemptIn(limited(60_000), false, { made: 5, waitedMs: 240_001 })).toBeUndefined();
	});
});
