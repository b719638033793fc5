import { sleep } from 'n8n-workflow';

/*
 * n8n's rules for community nodes forbid timers, so all waits use `sleep` of n8n-workflow. Its `sleepWithAbort` leaves a listener at the
 * signal after each wait, and a long run waits thousands of times with the same signal.
 */

/** A sleep cannot be cancelled. After an early end of a wait, its last sleep continues for at most this time. */
const longestSleepMs = 500;

/** Waits, or returns at once when the signal is aborted. */
export async function wait(milliseconds: number, signal: AbortSignal): Promise<void> {
	let end = () => {};
	const ended = new Promise<void>((resolve) => (end = resolve));
	signal.addEventListener('abort', end);
	for (let left = milliseconds; left > 0 && !signal.aborted; left -= longestSleepMs) {
		await Promise.race([sleep(Math.min(left, longestSleepMs)), ended]);
	}
	signal.removeEventListener('abort', end);
}

/*
 * n8n ends a request after its Timeout, but not always. The HTTP client of n8n 2.8 waits forever for a truncated compressed answer and
 * for a proxy that never answers. In all release lines, the Timeout does not end an answer that arrives slowly, in small pieces.
 * Therefore every request also has a slightly later time limit here.
 */

/** Returns the result of the work, or undefined if it takes too long; a later result is ignored. @throws what the work throws */
export async function within<T>(milliseconds: number, work: Promise<T>): Promise<T | undefined> {
	const ended = new AbortController();
	try {
		return await Promise.race([work, wait(milliseconds, ended.signal).then(() => undefined)]);
	} finally {
		// Without a reason, `abort` creates an exception with its stack, which takes longer than the rest of this function.
		ended.abort('ended');
	}
}
