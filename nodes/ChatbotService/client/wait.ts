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
