/** One question. Times are performance.now() in milliseconds. */
interface Asked {
	at: number;
	answeredAt: number;
}

/** What somebody sees of n8n who asks it again and again. */
export interface Asking {
	/** How often there was an answer. */
	readonly answered: number;
	/** What came instead of an answer. */
	readonly failed: string[];
	/** The longest that an answer was waited for between two moments, in milliseconds. */
	longestMs(from: number, to: number): number;
	/** Waits for the last answer and asks no more. */
	stop(): Promise<void>;
}

const EVERY_MS = 250;

/**
 * Asks four times a second, or as soon as the answer before is there.
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
