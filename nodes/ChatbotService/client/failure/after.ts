import type { Failure } from './result';

/*
 * What follows a failure. Each question has one function here, and each row its reason:
 *
 *     a limit, maintenance                            the gate holds this request and the others: they meet it too
 *     no connection, but the service has answered     the same, if other requests follow: the connection may come back
 *     no connection otherwise                         this request is repeated: a wrong address must not take minutes
 *     perhaps done, and doing it twice is harmless    this request is repeated: the failure may be its own
 *     anything else                                   this request ends: it may be done, or is refused again
 *
 * A wait is never shorter than the service asks for, and a request that would wait for too long ends. When a gate opens, and for whom:
 * pace/gate.ts.
 */

/** Attempts of one request whose failure may be its own. */
const mostAttempts = 3;

/** Longest wait that a service may ask of a single request, for which no other request waits. */
const longestAskedMs = 120_000;

/** Services round the wait that they ask for down to whole seconds. */
const roundingMs = 1000;

/** How long a run waits for the end of one trouble: five minutes, also if the service asks for all of them. */
const longestMs = 300_000 + roundingMs;

/** The only request of a run, for which a person often waits, waits less: this time, or several of the waits that the service asks for. */
const longestSingleMs = 30_000;
const waitsOfSingle = 5;

/** The waits if the service asks for none: 1, 2, 4, 5, 5 … s. */
const firstWaitMs = 1000;
const longestWaitMs = 5000;

/** Refusals in a row, of different items, that mean the account: the token, the plan, an endpoint that does not exist. */
const mostRefusals = 3;

/** Failures in a row that can be those of single items. The people behind unknown outcomes are in doubt. */
const mostOfItems = 20;

/** What a request does next: it repeats itself after a wait, waits at the gate with the others, or ends. */
type Next = { next: 'repeat'; afterMs: number } | { next: 'atGate' } | { next: 'end' };

/**
 * What a request does next.
 *
 * @param request with the number of its own repeats so far, without those at a gate
 * @param sender whether other requests follow, and whether the service has answered it before
 */
export function after(
	failure: Failure,
	request: { idempotent: boolean; repeats: number },
	sender: { isPatient?: boolean | undefined; hasAnswered: boolean },
): Next {
	const { repeat, status, retryAfterMs = 0 } = failure;
	const isTrouble = repeat === 'afterTrouble';
	if (isTrouble && (status !== undefined || (sender.isPatient && sender.hasAnswered)))
		return { next: 'atGate' };
	const isHarmless = isTrouble || (repeat === 'ifHarmless' && request.idempotent);
	const isLast = request.repeats + 1 >= mostAttempts || retryAfterMs > longestAskedMs;
	if (!isHarmless || isLast) return { next: 'end' };
	return { next: 'repeat', afterMs: waitMs(failure, request.repeats) };
}

/** The wait before the next attempt, or before the next probe of a gate. @param failed attempts or probes before */
export const waitMs = ({ retryAfterMs = 0 }: Failure, failed: number): number =>
	Math.max(Math.min(longestWaitMs, firstWaitMs * 2 ** failed), retryAfterMs + roundingMs);

/** How long a sender waits for the end of trouble, in milliseconds. A limit is no trouble that a person should have to know of. */
export function patienceMs(
	{ concerns, retryAfterMs = 0 }: Failure,
	{ isPatient }: { isPatient?: boolean },
): number {
	if (isPatient) return longestMs;
	if (retryAfterMs > longestAskedMs) return 0;
	return concerns === 'limit'
		? longestMs
		: Math.min(longestMs, Math.max(longestSingleMs, waitsOfSingle * retryAfterMs));
}

/**
 * What many such failures in a row, of different items, show: after `most` of them no other item is attempted. Undefined if each is the
 * fault of its item.
 *
 * @param hasSucceeded whether another item of the run has succeeded: then the endpoint exists, and the record does not
 */
export function streakOf(
	{ outcome, concerns, repeat }: Failure,
	hasSucceeded: boolean,
): { of: 'unknown' | 'endpoint' | 'account' | 'operation'; most: number } | undefined {
	// Each further request would do the same harm.
	if (concerns === 'operation') return { of: 'operation', most: 1 };
	// Also of a request that only reads: it was repeated in vain.
	if (outcome === 'unknown' || repeat === 'ifHarmless') return { of: 'unknown', most: mostOfItems };
	if (concerns === 'endpoint' && hasSucceeded) return { of: 'endpoint', most: mostOfItems };
	return concerns === 'account' || concerns === 'endpoint'
		? { of: 'account', most: mostRefusals }
		: undefined;
}

/**
 * What is said of a request that ends after an attempt in doubt. A final failure says nothing about earlier attempts. If its text says
 * that nothing was sent or done, the failure in doubt is returned instead.
 */
export const afterDoubt = (inDoubt: Failure, failure: Failure): Failure =>
	failure.status === undefined || (failure.repeat === 'afterTrouble' && failure.concerns === 'account')
		? inDoubt
		: { ...failure, outcome: 'unknown' };
