import type { Failure } from './failure';

/**
 * A limit is reached by pace, not by a fault: whoever shares the account may be ahead several times. Together with the waits
 * between them, so many attempts outlast a window of a minute, even if the service asks for no wait at all.
 */
const mostAttemptsAtLimit = 20;

/** The maintenance of an update is over by then; a longer one says how long it takes. */
const mostAttemptsInMaintenance = 6;

/** Attempts after which a request is given up, the first included. */
const mostAttempts: Record<Failure['repeat'], number> = {
	pointless: 1,
	ifHarmless: 3,
	always: 3,
	afterMaintenance: mostAttemptsInMaintenance,
	afterLimit: mostAttemptsAtLimit,
};

/** Longest wait that a service may ask for, and all waits of one request together. */
const longestAskedMs = 120_000;
const longestTotalMs = 300_000;

const firstWaitMs = 1000;
const longestWaitAtLimitMs = 5000;

/** Services ask for whole seconds and cut off the rest. */
export const cutOffMs = 1000;

/** What a request is, and has been through. */
export interface Attempts {
	/** Whether doing it twice leaves the service as doing it once does. */
	repeatable: boolean;
	made: number;
	/** What the service has asked to wait, or what was waited without being asked. */
	waitedMs: number;
}

/** How long to wait before the same request is sent again, in milliseconds; undefined when it must not be, or not any more. */
export function nextAttemptIn(
	failure: Failure,
	{ repeatable, made, waitedMs }: Attempts,
): number | undefined {
	const { repeat, retryAfterMs: askedMs } = failure;
	const most = mostAttempts[repeat];
	if (made >= most || (repeat === 'ifHarmless' && !repeatable)) return undefined;
	const growing = firstWaitMs * 2 ** (made - 1);
	const own = repeat === 'afterLimit' ? Math.min(longestWaitAtLimitMs, growing) : growing;
	if (askedMs === undefined) return waitedMs + own <= longestTotalMs ? own : undefined;
	if (askedMs > longestAskedMs || waitedMs + askedMs > longestTotalMs) return undefined;
	return Math.max(askedMs + cutOffMs, own);
}
