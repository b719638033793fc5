import { notAttempted, type Failure } from '../client/failure/failure';
import type { Completion } from '../resources/operation';
import { hasFailed, isDone, isUnknown, type Left, type Result } from '../client/failure/result';

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
	/** Why items were not attempted within their hours. Trouble that is not only of a limit outweighs that: no other item leaves either. */
	trouble: Failure | undefined;
	/** What the user should know about results, with the number of items. */
	readonly notices = new Map<string, number>();
	/** Why results may not be what the user means, with the number of items. */
	readonly warnings = new Map<string, number>();
	/** Requests that a limit refused. */
	refused = 0;
	/** Whether the node had assumed limits for one of them. */
	hasAssumed = false;
	/** By index. */
	private readonly ends: Array<{ outcome: Result | 'interrupted'; when: When } | undefined> = [];
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
		return this.ends[item]?.outcome ?? 'notSent';
	}

	/** How many items ended how. */
	get counts() {
		const count = (counts: (outcome: Result | Left, when: When) => boolean) =>
			this.ends.filter((end) => end && counts(end.outcome, end.when)).length;
		const done = count(isDone);
		const failed = count(hasFailed);
		const interrupted = count((outcome) => outcome === 'interrupted');
		return {
			done,
			/** Done items for which nothing was sent, because the recipient already had the message. */
			skipped: count((_, when) => when === 'skipped'),
			failed,
			notAttempted: count((_, when) => when === 'notAttempted'),
			/** Failed items that the service may have processed. */
			unknown: count(isUnknown),
			/** Items in progress when the user stopped the execution. */
			interrupted,
			ended: done + failed,
			notSent: this.expected - done - failed - interrupted,
		};
	}

	/** The first failure of this run; if it has none, the first failure left by an earlier run. */
	get firstFailed(): { item: number; failure: Failure } | undefined {
		const failed = this.ends.flatMap((end, item) =>
			hasFailed(end?.outcome) ? { item, failure: end.outcome.failure, when: end.when } : [],
		);
		return failed.find(({ when }) => when !== 'earlier') ?? failed[0];
	}

	/** Why items have failed that were attempted, and how many of them, the commonest first. Trouble is told by itself. */
	get reasons(): Array<[message: string, count: number]> {
		const counts = new Map<string, number>();
		for (const { message } of this.failures) countOne(counts, message);
		if (this.trouble) counts.delete(this.trouble.message);
		return [...counts].sort(([, one], [, other]) => other - one);
	}

	/** One failure that all items share, so that it concerns the run. */
	get ofAll(): Failure | undefined {
		const { failures } = this;
		const [first] = failures;
		return failures.length === this.expected && failures.every((each) => each === first) ? first : undefined;
	}

	/** Of the items that were attempted. */
	private get failures(): Failure[] {
		return this.ends.flatMap((end) =>
			hasFailed(end?.outcome) && end.when !== 'notAttempted' ? [end.outcome.failure] : [],
		);
	}

	/** An item without a result, preferably one that was in progress. */
	get firstLeft(): { item: number; left: Left } {
		const lefts = Array.from({ length: this.expected }, (_, item) => this.of(item));
		const left = lefts.includes('interrupted') ? 'interrupted' : 'notSent';
		return { item: lefts.indexOf(left), left };
	}

	/** Only the first outcome of an item counts. */
	record(item: number, outcome: Result | 'interrupted', when: When = 'now') {
		if (this.ends[item]) return;
		this.ends[item] = { outcome, when };
		if (isDone(outcome)) {
			countOne(this.notices, outcome.notice);
			countOne(this.warnings, outcome.warning);
		}
		if (!hasFailed(outcome) || when !== 'notAttempted') return;
		const { failure } = outcome;
		const isFirst = !this.trouble || this.trouble.concerns === 'limit';
		if (isFirst && failure.concerns !== 'hours') this.trouble = failure;
		this.ends[item] = { outcome: { failure: notAttempted(failure) }, when };
	}

	/** Completes the result of an item that is done. */
	complete(item: number, { row, notice }: Awaited<ReturnType<Completion>>) {
		if (row) this.ends[item] = { outcome: { rows: [row] }, when: 'now' };
		countOne(this.notices, notice);
	}

	/** Starts the estimate of the remaining time, when the first request is sent. */
	begin() {
		this.firstRequest ??= { at: (this.reportedAt = this.now()), ended: this.counts.ended };
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
		const { ended, failed, notSent } = this.counts;
		const perItem = firstRequest && (now - firstRequest.at) / (ended - firstRequest.ended);
		const left =
			perItem && Number.isFinite(perItem) ? `; about ${Math.round((perItem * notSent) / 1000)} s left` : '';
		return `${ended} of ${this.expected} items processed, ${failed} of them failed${left}`;
	}
}

/** @param counts numbers of items by a text */
export function countOne(counts: Map<string, number>, text: string | undefined) {
	if (text) counts.set(text, (counts.get(text) ?? 0) + 1);
}
