import { sleep } from 'n8n-workflow';

/* Reading thousands of items takes seconds. It is done in slices, and between two of them the rest of the process gets its turn. */

/** Longest synchronous slice before yielding to the event loop. */
const longestSliceMs = 8;

/** Longest time that the rest of the process gets at a time. */
const mostForOthersMs = 30;

/** What the event loop is busy with while nothing is done. */
const idleMs = 0.3;

/** Work in slices. */
export class Slices {
	private endsAt = performance.now() + longestSliceMs;

	/** Yields to the event loop when the present slice is over. */
	async next() {
		if (performance.now() < this.endsAt) return;
		await yieldToEventLoop();
		this.endsAt = performance.now() + longestSliceMs;
	}
}

/**
 * Lets everything else in the process run. An execution of n8n takes dozens of steps, one for each turn of the event loop. After a
 * single turn it would have made a single step, so the others get turns until they have nothing more to do.
 */
export async function yieldToEventLoop(): Promise<void> {
	const until = performance.now() + mostForOthersMs;
	let busyMs: number;
	do {
		const before = performance.eventLoopUtilization();
		await sleep(1);
		busyMs = performance.eventLoopUtilization(before).active;
	} while (busyMs > idleMs && performance.now() < until);
}
