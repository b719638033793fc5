/** Requests of one account that may be under way at once. The engine itself would send those of all items together. */
const mostInFlight = 10;

/** Whose turn it is: the requests of one account, one after the other, at most ten at once. */
export class Turns {
	private inFlight = 0;

	private readonly waiting = new Set<() => void>();

	/**
	 * Runs a request when its turn comes.
	 *
	 * @param signal of the execution; the wait ends at once when it is aborted
	 * @throws the reason of the signal, or what the request throws
	 */
	async take<T>(signal: AbortSignal | undefined, request: () => Promise<T>): Promise<T> {
		while (this.inFlight >= mostInFlight) await this.nextFree(signal);
		signal?.throwIfAborted();
		this.inFlight++;
		try {
			return await request();
		} finally {
			this.inFlight--;
			const [next] = this.waiting;
			next?.();
		}
	}

	private async nextFree(signal: AbortSignal | undefined): Promise<void> {
		await new Promise<void>((resolve, reject) => {
			const leave = () => {
				this.waiting.delete(wake);
				signal?.removeEventListener('abort', abort);
			};
			const wake = () => {
				leave();
				resolve();
			};
			const abort = () => {
				leave();
				reject(signal?.reason as Error);
			};
			this.waiting.add(wake);
			signal?.addEventListener('abort', abort, { once: true });
			if (signal?.aborted) abort();
		});
	}
}

const turnsByAccount = new Map<string, Turns>();

/** The turns of an account, shared by all runs and workflows of this process. */
export function turnsOf(account: string): Turns {
	const known = turnsByAccount.get(account);
	if (known) return known;
	const turns = new Turns();
	turnsByAccount.set(account, turns);
	return turns;
}
