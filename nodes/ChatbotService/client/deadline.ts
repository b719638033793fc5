import { sleep } from 'n8n-workflow';

/*
 * n8n ends a request after its Timeout, but not always. The HTTP client of n8n 2.8 waits forever for a compressed answer that breaks off
 * and for a proxy that never answers; that of all release lines waits for an answer that trickles. A run must end all the same, so every
 * request has a time limit of our own, somewhat later.
 */

const lookEveryMs = 500;

interface Waiting {
	until: number;
	end(): void;
}

/** All requests of this process. One sleep serves them all, since a sleep of n8n's cannot be taken back. */
const waiting = new Set<Waiting>();

/** Yields what the work does, or undefined when it has taken too long; its own end is of no interest then. @throws what the work throws */
export async function within<T>(milliseconds: number, work: Promise<T>): Promise<T | undefined> {
	let own: Waiting;
	const tooLate = new Promise<undefined>((resolve) => {
		own = { until: performance.now() + milliseconds, end: () => resolve(undefined) };
	});
	waiting.add(own!);
	if (!isWatched) void watch();
	try {
		return await Promise.race([work, tooLate]);
	} finally {
		waiting.delete(own!);
	}
}

let isWatched = false;

async function watch() {
	isWatched = true;
	while (waiting.size) {
		await sleep(lookEveryMs);
		const now = performance.now();
		for (const { until, end } of waiting) if (now >= until) end();
	}
	isWatched = false;
}
