import { sleep } from 'n8n-workflow';

/* Reading thousands of items takes seconds, so it is done in slices. Between two slices, the rest of the process can run. */

/** Longest synchronous slice before yielding to the event loop. */
const longestSliceMs = 8;

/** Longest time that the rest of the process gets at a time. */
const mostForOthersMs = 30;

/** Longest time for which an idle event loop is active during a sleep. */
const idleMs = 0.3;

export class Slices {
	private endsAt = performance.now() + longestSliceMs;
	private last = Promise.resolve();

	/** Yields to the event loop when the current slice is over. Of callers that wait at the same time, each yields after the one before. */
	async next() {
		if (performance.now() >= this.endsAt) await (this.last = this.last.then(async () => await this.yield()));
	}

	private async yield() {
		await yieldToEventLoop();
		this.endsAt = performance.now() + longestSliceMs;
	}
}

/**
 * Lets everything else in the process run. An execution in n8n takes dozens of steps, one per iteration of the event loop. Therefore
 * this function does not yield for one iteration only, but until the event loop is idle.
 */
async function yieldToEventLoop(): Promise<void> {
	const until = performance.now() + mostForOthersMs;
	let busyMs: number;
	do {
		const before = performance.eventLoopUtilization();
		await sleep(1);
		busyMs = performance.eventLoopUtilization(before).active;
	} while (busyMs > idleMs && performance.now() < until);
}
