import { setTimeout as sleep } from 'node:timers/promises';

export interface PollOptions {
	/** The start of the error after a timeout, for example "n8n did not answer". */
	failure?: string;
	timeoutMs?: number;
	everyMs?: number;
	signal?: AbortSignal;
}

/** Repeats a query until the result is not undefined, and returns the result. */
export async function poll<T>(ask: () => Promise<T | undefined> | T | undefined, options: PollOptions = {}) {
	const {
		failure = 'The expected state was not reached',
		timeoutMs = 60_000,
		everyMs = 50,
		signal,
	} = options;
	const deadline = Date.now() + timeoutMs;
	for (;;) {
		signal?.throwIfAborted();
		const answer = await ask();
		if (answer !== undefined) return answer;
		if (Date.now() > deadline) throw new Error(`${failure} within ${timeoutMs / 1000} seconds`);
		await sleep(everyMs);
	}
}

export async function until(isMet: () => Promise<boolean> | boolean, options?: PollOptions): Promise<void> {
	await poll(async () => (await isMet()) || undefined, options);
}
