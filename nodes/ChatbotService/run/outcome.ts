import type { Failure } from '../client/failure';
import { hasFailed, type Left, type Result } from '../client/result';

/** When an item ended: in this run, in an earlier one, or never sent, as its recipient had got the message before. */
export type When = 'now' | 'earlier' | 'skipped';

/** How the items of a run ended, each once, and what may be said of the run as a whole. */
export class Outcomes {
	done = 0;

	failed = 0;

	/** Done items whose recipient had got the message before, so that nothing was sent. */
	skipped = 0;

	/** Failed items of which nobody knows whether the service has done them all the same. */
	unknown = 0;

	/** Requests that the service refused because of a limit. */
	refused = 0;

	/** Items that were on their way when the user stopped the execution. */
	interrupted = 0;

	private readonly outcomes: Array<Result | 'interrupted' | undefined> = [];

	/** Items that ended before this run, and that it did not ask for. */
	private readonly endedEarlier = new Set<number>();

	private waitedMs = 0;

	private waitsUntil = 0;

	private firstRequest: { at: number; ended: number } | undefined;

	private reportedAt = 0;

	/** @param expected number of items */
	constructor(
		readonly expected: number,
		private readonly now: () => number,
	) {}

	of(item: number): Result | Left {
		return this.outcomes[item] ?? 'notSent';
	}

	get ended() {
		return this.done + this.failed;
	}

	get notSent() {
		return this.expected - this.ended - this.interrupted;
	}

	/** What the run is to be blamed for, if anything; else what was left in doubt before. */
	get firstFailed(): { item: number; failure: Failure } | undefined {
		const failed = [...this.outcomes.entries()].flatMap(([item, outcome]) =>
			hasFailed(outcome) ? { item, failure: outcome.failure } : [],
		);
		return failed.find(({ item }) => !this.endedEarlier.has(item)) ?? failed[0];
	}

	/** An item that nothing came of, one that was on its way before any other. */
	get firstLeft(): { item: number; left: Left } {
		const interrupted = this.outcomes.indexOf('interrupted');
		if (interrupted >= 0) return { item: interrupted, left: 'interrupted' };
		const item = Array.from({ length: this.expected }).findIndex((_, index) => !this.outcomes[index]);
		return { item, left: 'notSent' };
	}

	/** Each item ends once: what comes later is ignored. */
	record(item: number, result: Result, when: When = 'now') {
		if (this.outcomes[item]) return;
		this.outcomes[item] = result;
		// A failure of an earlier run is not one of this run.
		if (when !== 'now') this.endedEarlier.add(item);
		if (when === 'skipped') this.skipped++;
		if (!hasFailed(result)) {
			this.done++;
			return;
		}
		this.failed++;
		if (result.failure.outcome === 'unknown') this.unknown++;
	}

	/** An item was on its way when the user stopped the execution. */
	recordInterrupted(item: number) {
		if (this.outcomes[item]) return;
		this.outcomes[item] = 'interrupted';
		this.interrupted++;
	}

	/** The first request leaves now: what came before it says nothing of how long the rest takes. */
	begin() {
		this.firstRequest ??= { at: (this.reportedAt = this.now()), ended: this.ended };
	}

	/** A limit refused a request, and nothing leaves for that long. Waits that overlap count once. */
	refusedFor(waitMs: number) {
		this.refused++;
		const now = this.now();
		this.waitedMs += Math.max(0, now + waitMs - Math.max(now, this.waitsUntil));
		this.waitsUntil = Math.max(this.waitsUntil, now + waitMs);
	}

	/** Seconds in which nothing left because a limit had refused a request. */
	get secondsWaited() {
		return Math.round(this.waitedMs / 1000);
	}

	/** How far the run is, in words; undefined when it was said less than `everyMs` milliseconds ago. */
	progress(everyMs: number): string | undefined {
		const now = this.now();
		const { firstRequest } = this;
		if (!firstRequest || now - this.reportedAt < everyMs) return undefined;
		this.reportedAt = now;
		const perItem = (now - firstRequest.at) / (this.ended - firstRequest.ended);
		const left = Number.isFinite(perItem)
			? `; about ${Math.round((perItem * this.notSent) / 1000)} s left`
			: '';
		return `${this.ended} of ${this.expected} items are through, ${this.failed} of them failed${left}`;
	}
}
