import type { Failure } from './failure';
import { roundingMs } from './pace/limits';

/** The waits before the second and the third attempt. There is no fourth. */
const waitsMs = [1000, 2000];

/** Longest wait that a service may ask for. */
const longestAskedMs = 120_000;

/** Decides whether to repeat one request after a failure. The scheduler decides about trouble that is not the fault of the request. */
export class Repeats {
	private made = 0;

	/** @param idempotent whether two identical requests have the same effect as one */
	constructor(private readonly idempotent: boolean) {}

	/** Notes a failed attempt. @returns milliseconds until the next one; undefined if there must be none */
	nextAfter({ repeat, retryAfterMs: askedMs = 0 }: Failure): number | undefined {
		const ownMs = waitsMs[this.made++];
		const isHarmless = repeat === 'afterTrouble' || (repeat === 'ifHarmless' && this.idempotent);
		if (ownMs === undefined || !isHarmless || askedMs > longestAskedMs) return undefined;
		return Math.max(askedMs + roundingMs, ownMs);
	}
}
