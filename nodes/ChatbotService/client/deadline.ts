import { wait } from './wait';

/*
 * n8n ends a request after its Timeout, but not always. The HTTP client of n8n 2.8 waits forever for a compressed answer that breaks off
 * and for a proxy that never answers; that of all release lines waits for an answer that trickles. A run must end all the same, so every
 * request has a time limit of our own, somewhat later.
 */

/** Yields what the work does, or undefined when it has taken too long; its own end is of no interest then. @throws what the work throws */
export async function within<T>(milliseconds: number, work: Promise<T>): Promise<T | undefined> {
	const ended = new AbortController();
	try {
		return await Promise.race([work, wait(milliseconds, ended.signal).then(() => undefined)]);
	} finally {
		ended.abort();
	}
}
