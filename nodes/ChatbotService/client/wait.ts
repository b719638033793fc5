import { sleep } from 'n8n-workflow';

/* n8n's rules for community nodes forbid timers, so all waits use `sleep` of n8n-workflow. Some versions lack its `sleepWithAbort`. */

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
