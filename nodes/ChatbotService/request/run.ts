import type { INodeExecutionData } from 'n8n-workflow';

import type { Account } from './credential';
import type { Failure } from './failure';
import { Gate } from './gate';

/** How an item ended. */
export type Ending = 'done' | 'failed' | 'notSent';

/** What an item came to in an earlier try of the same run, where that must not be tried again. */
export type Remembered = { items: INodeExecutionData[] } | { failure: Failure };

/** What the items of one run of the node share. */
export class Run {
	/** Undefined where the items do not come all at once. */
	readonly gate: Gate | undefined;

	/** The account whose credential the node has, read once for all items. */
	account: Promise<Account> | undefined;

	/** Called when the run is stopped, to let go of what still waits. */
	onStop: (() => void) | undefined;

	private readonly endings = new Map<number, Ending>();

	private readonly startedAt = performance.now();

	private reportedAt = this.startedAt;

	private stopReason: 'failure' | 'cancel' | undefined;

	/** By what a request changes: settles when the latest one to change it has ended. */
	private readonly latest = new Map<string, Promise<void>>();

	private allEnded = () => {};

	private readonly ended = new Promise<void>((resolve) => {
		this.allEnded = resolve;
	});

	/**
	 * @param expected number of items; 1 for a call as a tool
	 * @param gated whether the engine hands over all items in one go
	 * @param memory shared with the other tries
	 */
	constructor(
		readonly expected: number,
		gated: boolean,
		readonly memory: Map<number, Remembered>,
		signal: AbortSignal | undefined,
	) {
		this.gate = gated && expected > 1 ? new Gate(expected) : undefined;
		if (!signal) return;
		const cancel = () => this.stop('cancel');
		signal.addEventListener('abort', cancel);
		void this.ended.then(() => signal.removeEventListener('abort', cancel));
		if (signal.aborted) cancel();
	}

	/** Set once nothing more is to leave: an item failed in stop mode, or the user stopped the execution. */
	get stopped() {
		return this.stopReason;
	}

	stop(reason: 'failure' | 'cancel') {
		this.stopReason = this.stopReason === 'cancel' ? 'cancel' : reason;
		this.onStop?.();
	}

	/**
	 * Notes how an item ended, once; resolves when all items of the run have. The engine listens to none of them before it
	 * has started all, so that an item may throw only then.
	 */
	async end(item: number, ending: Ending): Promise<void> {
		if (!this.endings.has(item)) this.endings.set(item, ending);
		if (this.endings.size >= this.expected) this.allEnded();
		await this.ended;
	}

	/** Number of items that have ended in a way. */
	count(ending: Ending): number {
		return [...this.endings.values()].filter((each) => each === ending).length;
	}

	/** How far the run is, in words; undefined when it was said less than `everyMs` milliseconds ago. */
	progress(everyMs: number): string | undefined {
		const now = performance.now();
		if (now - this.reportedAt < everyMs) return undefined;
		this.reportedAt = now;
		const ended = this.endings.size;
		const secondsLeft = Math.round((((now - this.startedAt) / ended) * (this.expected - ended)) / 1000);
		return `${ended} of ${this.expected} items are through, ${this.count('failed')} of them failed; about ${secondsLeft} s left`;
	}

	/** Runs what changes the same target one after the other, in the order of the calls. */
	async inOrder<T>(target: string | undefined, change: () => Promise<T>): Promise<T> {
		if (target === undefined) return await change();
		const before = this.latest.get(target);
		const mine = (async () => {
			await before;
			return await change();
		})();
		const settled = mine.then(
			() => {},
			() => {},
		);
		this.latest.set(target, settled);
		return await mine;
	}
}
