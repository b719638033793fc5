import type { Failure } from './failure';

/*
 * Whether one request is repeated after a failure, and how long it waits. Whether that does no harm at all is `idempotent` of the
 * operation. Trouble that other requests meet too is up to pace/gate.ts, for as long as `patienceMs` says.
 */

/** The waits before the second and the third attempt. There is no fourth. */
const waitsMs = [1000, 2000];

/** Longest wait that a service may ask of a request alone. */
const longestAskedMs = 120_000;

/** Services round the wait that they ask for down to whole seconds. */
export const roundingMs = 1000;

/** How long a run waits for the end of one trouble. */
const longestMs = 300_000;

/** A request alone, for which a person often waits, waits less: this time, or several of the waits that the service asks for. */
const longestAloneMs = 30_000;
const waitsAlone = 5;

/** What the pace needs to know about the sender of requests. The rest is in `Caller` of client.ts. */
export interface Run {
	/** Whether other requests follow, so that it waits for the end of longer trouble. */
	isPatient?: boolean;
	/** Whether it is a list of the editor, which lets the others go first. */
	isForEditor?: boolean;
}

/** How long a request waits for the end of trouble, in milliseconds. A limit is no trouble that a person should have to know of. */
export function patienceMs({ concerns, retryAfterMs = 0 }: Failure, { isPatient }: Run): number {
	if (isPatient) return longestMs;
	if (retryAfterMs > longestAskedMs) return 0;
	return concerns === 'limit'
		? longestMs
		: Math.min(longestMs, Math.max(longestAloneMs, waitsAlone * retryAfterMs));
}

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
