/** One question. Times are performance.now() in milliseconds. */
interface Asked {
	at: number;
	answeredAt: number;
}

/** The results for a client that sends requests to n8n repeatedly. */
export interface Asking {
	/** The number of answers. */
	readonly answered: number;
	/** The errors that came instead of an answer. */
	readonly failed: string[];
	/** The longest wait for an answer between two moments, in milliseconds. */
	longestMs(from: number, to: number): number;
	/** Waits for the last answer and stops. */
	stop(): Promise<void>;
}

const EVERY_MS = 250;

/**
 * Sends a request four times a second, or as soon as the previous answer has arrived.
 *
 * @param question throws when there is no answer, or a wrong one
 */
export function keepAsking(question: () => Promise<void>): Asking {
	const all: Asked[] = [];
	const failed: string[] = [];
	let isStopped = false;
	const ended = (async () => {
		while (!isStopped) {
			const at = performance.now();
			await question().catch((error: Error) => failed.push(String(error.cause ?? error)));
			const answeredAt = performance.now();
			all.push({ at, answeredAt });
			await new Promise((passed) => setTimeout(passed, at + EVERY_MS - answeredAt));
		}
	})();
	return {
		get answered() {
			return all.length - failed.length;
		},
		failed,
		longestMs: (from, to) =>
			Math.max(0, ...all.map(({ at, answeredAt }) => Math.min(answeredAt, to) - Math.max(at, from))),
		async stop() {
			isStopped = true;
			await ended;
		},
	};
}
