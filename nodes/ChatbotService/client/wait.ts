import { sleep } from 'n8n-workflow';

/* n8n's rules forbid timers of one's own, so all waiting is done with n8n-workflow's. */

/** A sleep cannot be taken back: what is left of it when a wait ends early lasts no longer than that. */
const longestSleepMs = 500;

/** Waits, or ends at once when the signal does. */
export async function wait(milliseconds: number, signal: AbortSignal): Promise<void> {
	let end = () => {};
	const ended = new Promise<void>((resolve) => (end = resolve));
	signal.addEventListener('abort', end);
	for (let left = milliseconds; left > 0 && !signal.aborted; left -= longestSleepMs) {
		await Promise.race([sleep(Math.min(left, longestSleepMs)), ended]);
	}
	signal.removeEventListener('abort', end);
}

/** What others may take of the process at a time, before it is our turn again. */
const mostForOthersMs = 30;

/** What the event loop is busy with while nobody does anything. */
const idleMs = 0.3;

/**
 * Lets everything else in the process get on. An execution of n8n takes dozens of steps, one for each turn of the event loop, so
 * that a single turn would be a single step for it: the turn is theirs until they have nothing more to do.
 */
export async function letOthersGoOn(): Promise<void> {
	const until = performance.now() + mostForOthersMs;
	let busyMs: number;
	do {
		const before = performance.eventLoopUtilization();
		await sleep(1);
		busyMs = performance.eventLoopUtilization(before).active;
	} while (busyMs > idleMs && performance.now() < until);
}
