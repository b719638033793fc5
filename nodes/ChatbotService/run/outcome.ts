import { notAttempted, type Failure } from '../client/failure/failure';
import type { Completion } from '../resources/operation';
import { hasFailed, type Left, type Result } from '../client/failure/result';

/*
 * How the items of a run ended: the numbers for the notice above the output, and for the progress in n8n's log. The sentences:
 * output.ts.
 */

/**
 * When an item ended: in this run, in an earlier run, skipped because its recipient already had the message, or not attempted because of
 * trouble of the account or outside of the sending hours.
 */
export type When = 'now' | 'earlier' | 'skipped' | 'notAttempted';

export class Outcomes {
	done = 0;
	failed = 0;
	/** Done items for which nothing was sent, because the recipient already had the message. */
	skipped = 0;
	/** Failed items that the service may have processed. */
	unknown = 0;
	notAttempted = 0;
	/** Why items were not attempted. Trouble that is not only of a limit outweighs that: no other item leaves either. */
	trouble: Failure | undefined;
	/** What the user should know about results, with the number of items. */
	readonly notices = new Map<string, number>();
	/** Requests that a limit refused. */
	refused = 0;
	/** Whether the node had assumed limits for one of them. */
	hasAssumed = false;
	/** Items in progress when the user stopped the execution. */
	interrupted = 0;
	private readonly outcomes: Array<Result | 'interrupted' | undefined> = [];
	/** Items that this run did not send, because they had ended before. */
	private readonly endedEarlier = new Set<number>();
	private waitedMs = 0;
	private waitsUntil = 0;
	private firstRequest: { at: number; ended: number } | undefined;
	private reportedAt: number;

	/** @param expected number of items */
	constructor(
		readonly expected: number,
		private readonly now: () => number,
	) {
		this.reportedAt = now();
	}

	of(item: number): Result | Left {
		return this.outcomes[item] ?? 'notSent';
	}

	get ended() {
		return this.done + this.failed;
	}

	get notSent() {
		return this.expected - this.ended - this.interrupted;
	}

	/** The first failure of this run; if it has none, the first failure left by an earlier run. */
	get firstFailed(): { item: number; failure: Failure } | undefined {
		const failed = [...this.outcomes.entries()].flatMap(([item, outcome]) =>
			hasFailed(outcome) ? { item, failure: outcome.failure } : [],
		);
		return failed.find(({ item }) => !this.endedEarlier.has(item)) ?? failed[0];
	}

	/** An item without a result, preferably one that was in progress. */
	get firstLeft(): { item: number; left: Left } {
		const interrupted = this.outcomes.indexOf('interrupted');
		if (interrupted >= 0) return { item: interrupted, left: 'interrupted' };
		const item = Array.from({ length: this.expected }).findIndex((_, index) => !this.outcomes[index]);
		return { item, left: 'notSent' };
	}

	/** Only the first result of an item counts. */
	record(item: number, result: Result, when: When = 'now') {
		if (this.outcomes[item]) return;
		this.outcomes[item] = result;
		if (when === 'earlier' || when === 'skipped') this.endedEarlier.add(item);
		if (when === 'skipped') this.skipped++;
		if (!hasFailed(result)) {
			this.note(result.notice);
			this.done++;
			return;
		}
		this.failed++;
		if (when !== 'notAttempted') {
			if (result.failure.outcome === 'unknown') this.unknown++;
			return;
		}
		this.notAttempted++;
		if (!this.trouble || this.trouble.concerns === 'limit') this.trouble = result.failure;
		this.outcomes[item] = { failure: notAttempted(result.failure) };
	}

	/** Completes the result of an item that is done. */
	complete(item: number, { row, notice }: Awaited<ReturnType<Completion>>) {
		if (row) this.outcomes[item] = { rows: [row] };
		this.note(notice);
	}

	private note(notice: string | undefined) {
		if (notice) this.notices.set(notice, (this.notices.get(notice) ?? 0) + 1);
	}

	recordInterrupted(item: number) {
		if (this.outcomes[item]) return;
		this.outcomes[item] = 'interrupted';
		this.interrupted++;
	}

	/** Starts the estimate of the remaining time, when the first request is sent. */
	begin() {
		this.firstRequest ??= { at: (this.reportedAt = this.now()), ended: this.ended };
	}

	/** Notes a refusal by a limit: requests under this limit wait for that time. Overlapping waits count once. */
	refusedFor(waitMs: number, hasAssumed: boolean) {
		this.refused++;
		this.hasAssumed ||= hasAssumed;
		const now = this.now();
		this.waitedMs += Math.max(0, now + waitMs - Math.max(now, this.waitsUntil));
		this.waitsUntil = Math.max(this.waitsUntil, now + waitMs);
	}

	get secondsWaited() {
		return Math.round(this.waitedMs / 1000);
	}

	/** Undefined if the last one is less than `everyMs` milliseconds old. */
	progress(everyMs: number): string | undefined {
		const now = this.now();
		const { firstRequest } = this;
		if (now - this.reportedAt < everyMs) return undefined;
		this.reportedAt = now;
		const perItem = firstRequest && (now - firstRequest.at) / (this.ended - firstRequest.ended);
		const left =
			perItem && Number.isFinite(perItem)
				? `; about ${Math.round((perItem * this.notSent) / 1000)} s left`
				: '';
		return `${this.ended} of ${this.expected} items processed, ${this.failed} of them failed${left}`;
	}
}
