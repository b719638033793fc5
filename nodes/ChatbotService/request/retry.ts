import type { Failure } from './failure';

const mostAttempts = 5;
const longestWaitMs = 60_000;
const firstWaitMs = 1000;

/**
 * How long to wait before the same request is sent again, in milliseconds; undefined when it must not or need not be.
 *
 * @param repeatable whether the operation is harmless to repeat
 * @param attempt number of attempts so far
 */
export function nextAttemptIn(failure: Failure, repeatable: boolean, attempt: number): number | undefined {
	const allowed =
		failure.repeat === 'afterLimit' ||
		failure.repeat === 'always' ||
		(failure.repeat === 'ifHarmless' && repeatable);
	if (!allowed || attempt >= mostAttempts) return undefined;
	const wait = failure.retryAfterMs ?? firstWaitMs * 2 ** (attempt - 1);
	return wait <= longestWaitMs ? wait : undefined;
}
