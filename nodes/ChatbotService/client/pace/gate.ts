import { patienceMs, roundingMs, waitMs } from '../failure/after';
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

/** What keeps a gate closed. */
interface Trouble {
	/** The latest failure. */
	failure: Failure;
	/** When the next probe may leave. */
	until: number;
	failedProbes: number;
	/** When the latest probe left. */
	triedAt: number;
	isProbing: boolean;
	/** Since when the senders know of the trouble. Any other may try, because its user has not waited yet. */
	informed: WeakMap<Sender, number>;
}

/** Holds back requests while there is trouble: those under one limit, or all of an account. */
export class Gate {
	/** Undefined while the gate is open. */
	private trouble: Trouble | undefined;

	get isClosed(): boolean {
		return this.trouble !== undefined;
	}

	/** When another request of a sender may leave, or why the sender does not wait for that. */
	readyFor(sender: Sender, now: number): number | Failure {
		if (!this.trouble) return -Infinity;
		const { failure, until, triedAt, isProbing, informed } = this.trouble;
		const knownSince = informed.get(sender);
		const isTooLong = Math.max(now, until) > (knownSince ?? now) + patienceMs(failure, sender) + roundingMs;
		const isInVain = knownSince !== undefined || (!isProbing && now < triedAt + betweenProbesMs);
		if (isTooLong && isInVain) return failure;
		return Math.max(isTooLong ? now : until, isProbing ? triedAt + longestProbeMs : -Infinity);
	}

	/** Undefined if a sender does not wait here. */
	waitOf(sender: Sender, now: number): Wait | undefined {
		const knownSince = this.trouble?.informed.get(sender);
		if (!this.trouble || knownSince === undefined) return undefined;
		const { failure, until } = this.trouble;
		const longestMs = knownSince + patienceMs(failure, sender) - now;
		return { failure, probeInMs: Math.max(0, until - now), longestMs: Math.max(0, longestMs) };
	}

	/** Notes that a request leaves. @returns whether it is the probe */
	pass(now: number): boolean {
		if (this.trouble) Object.assign(this.trouble, { triedAt: now, isProbing: true });
		return this.trouble !== undefined;
	}

	/** Notes the end of a probe. @param isOver whether it shows that the trouble is over */
	probed(isOver: boolean) {
		if (isOver) this.trouble = undefined;
		else if (this.trouble) this.trouble.isProbing = false;
	}

	/** Notes trouble. @param wasProbe whether the request was the probe @param senders that wait for its end, and the one of the request */
	close(now: number, failure: Failure, wasProbe: boolean, senders: Sender[]) {
		const { trouble } = this;
		const failedProbes = (trouble?.failedProbes ?? 0) + Number(wasProbe);
		const until = now + waitMs(failure, failedProbes);
		this.trouble = {
			failure,
			until: trouble && !wasProbe ? Math.max(trouble.until, until) : until,
			failedProbes,
			triedAt: trouble?.triedAt ?? -Infinity,
			isProbing: !wasProbe && trouble?.isProbing === true,
			informed: trouble?.informed ?? new WeakMap(),
		};
		for (const each of senders) if (!this.trouble.informed.has(each)) this.trouble.informed.set(each, now);
	}
}
