import { patienceMs, waitMs } from '../failure/after';
import type { Failure } from '../failure/failure';

/*
 * Trouble that is certainly not the fault of one request: the service refuses it because of a limit or of maintenance, or cannot be
 * reached for a while. Nothing leaves until the trouble may be over. Then one request, the probe, tries. The others follow if it
 * succeeds. This is a circuit breaker; its waits are in failure/after.ts.
 */

/** After this time without an answer to the probe, another one leaves. */
const longestProbeMs = 10_000;

/** How often a sender that has not waited yet may try, although the service asks for a longer wait than anybody has patience for. */
const betweenProbesMs = 60_000;

/** What the pace needs to know about the sender of requests: a run of the node, or a list of the editor. */
export interface Sender {
	/** Aborted when nothing more may be sent. */
	signal?: AbortSignal;
	/** Whether other requests follow, so that it waits for the end of longer trouble. */
	isPatient?: boolean;
	/** Whether it is a list of the editor, which lets the others go first. */
	isForEditor?: boolean;
}

/** What a sender waits for, and in how many milliseconds another request tries. It waits for `longestMs` at most. */
export interface Wait {
	failure: Failure;
	probeInMs: number;
	longestMs: number;
}

/** Holds back requests while there is trouble: those under one limit, or all of an account. */
export class Gate {
	/** The latest failure; undefined while the gate is open. */
	private failure: Failure | undefined;
	/** When the next probe may leave. */
	private until = -Infinity;
	private failedProbes = 0;
	/** When the latest probe left. */
	private triedAt = -Infinity;
	private isProbing = false;
	/** Since when the senders know of the trouble. Any other may try, because its user has not waited yet. */
	private informed = new WeakMap<Sender, number>();

	get isClosed(): boolean {
		return this.failure !== undefined;
	}

	/** When another request of a sender may leave, or why the sender does not wait for that. */
	readyFor(sender: Sender, now: number): number | Failure {
		const { failure, until, triedAt, isProbing } = this;
		if (!failure) return -Infinity;
		const knownSince = this.informed.get(sender);
		const isTooLong = Math.max(now, until) > (knownSince ?? now) + patienceMs(failure, sender);
		const isInVain = knownSince !== undefined || (!isProbing && now < triedAt + betweenProbesMs);
		if (isTooLong && isInVain) return failure;
		return Math.max(isTooLong ? now : until, isProbing ? triedAt + longestProbeMs : -Infinity);
	}

	/** Undefined if a sender does not wait here. */
	waitOf(sender: Sender, now: number): Wait | undefined {
		const knownSince = this.informed.get(sender);
		if (!this.failure || knownSince === undefined) return undefined;
		const longestMs = knownSince + patienceMs(this.failure, sender) - now;
		const probeInMs = Math.max(0, this.until - now);
		return { failure: this.failure, probeInMs, longestMs: Math.max(0, longestMs) };
	}

	/** Notes that a request leaves. @returns whether it is the probe */
	pass(now: number): boolean {
		if (!this.isClosed) return false;
		this.triedAt = now;
		return (this.isProbing = true);
	}

	/** Notes the end of a probe. @param isOver whether it shows that the trouble is over */
	probed(isOver: boolean) {
		this.isProbing = false;
		if (!isOver) return;
		this.failure = undefined;
		this.until = this.triedAt = -Infinity;
		this.failedProbes = 0;
		this.informed = new WeakMap();
	}

	/** Notes trouble. @param wasProbe whether the request was the probe @param senders that wait for its end, and the one of the request */
	close(now: number, failure: Failure, wasProbe: boolean, senders: Sender[]) {
		this.failure = failure;
		if (wasProbe) this.isProbing = false;
		this.failedProbes += Number(wasProbe);
		const until = now + waitMs(failure, this.failedProbes);
		this.until = wasProbe ? until : Math.max(this.until, until);
		for (const each of senders) if (!this.informed.has(each)) this.informed.set(each, now);
	}
}
