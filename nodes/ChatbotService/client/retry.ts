import type { Failure } from './failure';
import { roundingMs } from './pace/limits';

/** Attempts after which a request is given up, the first included. Refusals by a limit are bounded by the time alone. */
const mostAttempts: Record<Failure['repeat'], number> = {
	pointless: 1,
	ifHarmless: 3,
	always: 3,
	// The maintenance of an update is over by then; a longer one says how long it takes.
	afterMaintenance: 6,
	afterLimit: Infinity,
};

/** Longest wait that a service may ask for, and all waits of one request together. */
const longestAskedMs = 120_000;
const longestTotalMs = 300_000;

const firstWaitMs = 1000;
const longestWaitAtLimitMs = 5000;

/** The attempts at one request, which have all failed. */
export class Attempts {
	/** Refused by a limit, and failed otherwise: a request that was refused often may still fail as often as another one. */
	private readonly made = { afterLimit: 0, otherwise: 0 };

	/** What the service has asked to wait, or what was waited without being asked for as much. */
	private waitedMs = 0;

	/** @param idempotent whether doing it twice leaves the service as doing it once does */
	constructor(private readonly idempotent: boolean) {}

	/**
	 * An attempt has failed. @returns how long to wait before the same request is sent again, in milliseconds; undefined when it must
	 * not be, or not any more
	 */
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
