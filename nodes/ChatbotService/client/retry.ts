import type { Failure } from './failure';

/** Attempts after which a request is given up, the first included. */
const mostAttempts = 3;

/** A limit is reached by pace, not by a fault: whoever shares the account may be ahead several times. */
const mostAttemptsAtLimit = 20;

/** Longest wait that a service may ask for, and all waits of one request together. */
export const longestWaitMs = 120_000;
const longestTotalMs = 300_000;

const firstWaitMs = 1000;

/** What a request has been through. */
export interface Attempts {
	made: number;
	waitedMs: number;
}

/**
 * How long to wait before the same request is sent again, in milliseconds; undefined when it must not be, or not any more.
 *
 * For a limit it is what the service asked for, or 0: then the pace alone decides when the request's turn comes again.
 *
 * @param repeatable whether the operation is harmless to repeat
 */
export function nextAttemptIn(
	failure: Failure,
	repeatable: boolean,
	{ made, waitedMs }: Attempts,
): number | undefined {
	const atLimit = failure.repeat === 'afterLimit';
	const allowed = atLimit || failure.repeat === 'always' || (failure.repeat === 'ifHarmless' && repeatable);
	if (!allowed || made >= (atLimit ? mostAttemptsAtLimit : mostAttempts)) return undefined;
	const wait = failure.retryAfterMs ?? firstWaitMs * (atLimit ? 1 : 2 ** (made - 1));
	return wait <= longestWaitMs && waitedMs + wait <= longestTotalMs ? wait : undefined;
}
