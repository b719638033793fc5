import { streakOf } from '../client/failure/after';
import { manyUnknown, type Failure } from '../client/failure/failure';
import { hasFailed, type Result } from '../client/failure/result';

/*
 * Whether requests of a run may still leave, and why not. Whatever ends a run early says so here, and all waits of the run end with this
 * signal. Trouble of one limit ends only its lane.
 */

/** Why nothing more leaves. Items that have not left end with the failure, if there is one. */
type Reason =
	/** The user has stopped the execution, or an item has failed in stop mode. */
	| { why: 'canceled' | 'failed' }
	/** The account or n8n's store is in trouble. */
	| { why: 'trouble'; failure: Failure };

export class Halt {
	private readonly controller = new AbortController();
	/** Aborted when nothing more may leave, and when the run has ended. */
	readonly signal = this.controller.signal;
	/** Fulfilled when the signal is aborted. Node.js warns of more than ten listeners at a signal. */
	readonly over = new Promise<void>((over) => this.signal.addEventListener('abort', () => over()));
	/** Fulfilled when the user stops the execution. */
	readonly canceled: Promise<void>;
	private readonly cancel: () => void;
	private first: Reason | undefined;

	/**
	 * @param stopped aborted when the user stops the execution
	 * @param mayContinue whether the other items continue after one has failed
	 */
	constructor(
		private readonly stopped: AbortSignal | undefined,
		readonly mayContinue: boolean,
	) {
		let cancel = () => {};
		this.canceled = new Promise((resolve) => (cancel = resolve));
		this.cancel = () => {
			this.controller.abort();
			cancel();
		};
		stopped?.addEventListener('abort', this.cancel);
		if (stopped?.aborted) this.cancel();
	}

	/** Undefined if requests may leave. */
	get reason(): Reason | undefined {
		return this.stopped?.aborted ? { why: 'canceled' } : this.first;
	}

	/** Halts the run. The first reason counts, unless the user stops the execution later. */
	because(reason: Reason) {
		this.first ??= reason;
		this.controller.abort();
	}

	/** Notes that an item has failed. In stop mode, that is a reason. */
	failed() {
		if (!this.mayContinue) this.because({ why: 'failed' });
	}

	/** Ends all waits of the run. Call it when the run has ended, because n8n keeps its signal for the whole execution. */
	close() {
		this.stopped?.removeEventListener('abort', this.cancel);
		this.controller.abort();
	}
}

/** Counts failures in a row that are not the fault of single items. Every other outcome resets the count. */
export class Streak {
	private failure: Failure | undefined;
	private latest: ReturnType<typeof streakOf>;
	private count = 0;
	private hasSucceeded = false;

	/** Notes how the request of an item ended. @returns why no other item should be attempted, if so */
	after(outcome: Result): Failure | undefined {
		const failure = hasFailed(outcome) ? outcome.failure : undefined;
		// One request that several items have waited for.
		if (failure && failure === this.failure) return undefined;
		this.failure = failure;
		this.hasSucceeded ||= !failure;
		const streak = failure && streakOf(failure, this.hasSucceeded);
		this.count = streak?.of === this.latest?.of ? this.count + 1 : 1;
		this.latest = streak;
		if (!streak || this.count < streak.most) return undefined;
		return streak.of === 'unknown' ? manyUnknown(this.count, failure!) : failure;
	}
}
