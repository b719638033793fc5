import type { Failure } from './failure';
import { roundingMs } from './pace/limits';

/** Number of attempts, the first included. Refusals by a limit are bounded by time alone. */
const mostAttempts: Record<Failure['repeat'], number> = {
	pointless: 1,
	ifHarmless: 3,
	always: 3,
	// Enough for an update of the service. Longer maintenance states its duration.
	afterMaintenance: 6,
	afterLimit: Infinity,
};

/** Longest wait that a service may ask for, and longest total wait of one request. */
const longestAskedMs = 120_000;
const longestTotalMs = 300_000;

const firstWaitMs = 1000;
const longestWaitAtLimitMs = 5000;

/** The failed attempts of one request. */
export class Attempts {
	/** Refusals by a limit are counted separately, so that they do not use up the attempts for other failures. */
	private readonly made = { afterLimit: 0, otherwise: 0 };

	/** Total wait in milliseconds, without `roundingMs`. */
	private waitedMs = 0;

	/** @param idempotent whether two identical requests have the same effect as one */
	constructor(private readonly idempotent: boolean) {}

	/** Notes a failed attempt. @returns milliseconds until the next attempt; undefined if there must be none */
	nextAfter({ repeat, retryAfterMs: askedMs = 0 }: Failure): number | undefined {
		const made = ++this.made[repeat === 'afterLimit' ? repeat : 'otherwise'];
		if (made >= mostAttempts[repeat] || (repeat === 'ifHarmless' && !this.idempotent)) return undefined;
		const growing = firstWaitMs * 2 ** (made - 1);
		const own = repeat === 'afterLimit' ? Math.min(longestWaitAtLimitMs, growing) : growing;
		this.waitedMs += Math.max(askedMs, own);
		if (askedMs > longestAskedMs || this.waitedMs > longestTotalMs) return undefined;
		return Math.max(askedMs + roundingMs, own);
	}
}
