import type { Failure } from '../failure/failure';
import { patienceMs, roundingMs, type Run } from '../failure/retry';

/*
 * Trouble that is certainly not the fault of one request: the service refuses it because of a limit or of maintenance, or cannot be
 * reached for a while. Nothing leaves until the trouble may be over. Then one request tries, and the others follow if it succeeds.
 */

/** The first wait if the service asks for none. It doubles with each request that has tried in vain. */
const firstWaitMs = 1000;
const longestWaitMs = 5000;

/** After this time without an answer to the request that tries, another one tries. */
const longestTrialMs = 10_000;

/** Holds back requests while there is trouble: those under one limit, or all of an account. */
export class Gate {
	/** The latest failure of the current trouble; undefined while the gate is open. */
	private failure: Failure | undefined;
	private until = 0;
	/** When the request left that tries now. */
	private triedAt: number | undefined;
	private vainTrials = 0;
	/** Since when the runs know of the trouble. One that does not may try, however long the others have waited. */
	private informed = new WeakMap<Run, number>();

	/** When another request of a run may leave, or why the run does not wait for that. */
	readyFor(run: Run, now: number): number | Failure {
		if (!this.failure) return -Infinity;
		const informedAt = this.informed.get(run);
		const longestUntil = (informedAt ?? now) + patienceMs(this.failure, run) + roundingMs;
		const isTooLong = Math.max(now, this.until) > longestUntil;
		if (isTooLong && informedAt !== undefined) return this.failure;
		return Math.max(isTooLong ? now : this.until, (this.triedAt ?? -Infinity) + longestTrialMs);
	}

	/** Notes that a request leaves. @returns whether it tries */
	pass(now: number): boolean {
		if (this.failure) this.triedAt = now;
		return this.failure !== undefined;
	}

	/** Notes the end of a request that tried. @param isOver whether it shows that the trouble is over */
	tried(isOver: boolean) {
		this.triedAt = undefined;
		if (isOver) this.failure = undefined;
	}

	/** Notes trouble. @param wasTrial whether the request tried @param runs that wait for its end, and the one of the request */
	close(now: number, failure: Failure, wasTrial: boolean, runs: Run[]) {
		if (!this.failure) {
			this.until = now;
			this.vainTrials = 0;
			this.informed = new WeakMap();
		}
		if (wasTrial) {
			this.vainTrials++;
			this.triedAt = undefined;
		}
		const ownMs = Math.min(longestWaitMs, firstWaitMs * 2 ** this.vainTrials);
		const until = now + Math.max(ownMs, (failure.retryAfterMs ?? 0) + roundingMs);
		this.until = wasTrial ? until : Math.max(this.until, until);
		this.failure = failure;
		for (const run of runs) if (!this.informed.has(run)) this.informed.set(run, now);
	}
}
