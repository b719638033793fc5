import { answerOfNothing } from '../../client/answer';
import { digestOf } from '../../client/digest';
import { inDoubt, leftUnknown, notRecorded } from '../../client/failure';
import type { Limits } from '../../client/pace/limits';
import { hasFailed, isUnknown, type Left, type Result } from '../../client/result';
import { isReading, type Operation } from '../../resources/operation';
import { Claims, type Known, type Pace } from './claims';
import type { End, Entries } from './entries';
import { ExecutionRecord, type Fingerprints, type Kept } from './execution';
import { storeOf } from './store';
import { triesOf, type Tries } from './tries';

/*
 * Has this item been done before? Three places know:
 *
 *     tries       an earlier try of the same run, with Retry On Fail
 *     execution   the same execution when it ran before, with Retry
 *     claims      other runs, in n8n's store: with 'Send Once Per', and for what an execution that is retried once more must not repeat
 *
 * The first two answer before the values of an item are checked, because an item that is done needs no valid values. The claims
 * answer shortly before its request leaves, because a process that dies leaves all recipients in doubt that it has claimed.
 */

/** An item that is about to leave. */
export interface LedgerItem {
	index: number;
	values: {
		/** What its request counts towards. */
		limits: Limits;
		/** Stands for its recipient under its value of 'Send Once Per'; undefined where it has none. */
		dedupKey: string | undefined;
	};
	fingerprints: Fingerprints;
}

/** Why an item does not leave: it ended in an earlier run, its recipient has the message, or n8n's store failed. */
export interface Held {
	reason: 'earlier' | 'skipped' | 'storeFailed';
	result: Result;
}

/** How an item stands before it leaves. */
export type Verdict = 'go' | Held;

/** What a run tells the ledger of itself. */
export interface LedgerRun {
	operation: Operation;
	/** Whether the user has added 'Send Once Per'. */
	isOncePer: boolean;
	/** The same object in all tries of the run; null where there is only one. */
	triesKey: object | null;
	/** The execution's own data of the node; null where there is none. */
	kept: Kept | null;
	/** n8n's store of the node; undefined where there is none. */
	entries: Entries | undefined;
	pace: Pace;
	/** Ended when nothing more is to leave. */
	signal: AbortSignal;
}

/** What was done before, and what this run does. */
export class Ledger {
	/** Why n8n has no store for claims, if it says so. */
	storeError: unknown;

	private readonly operation: Operation;

	private readonly tries: Tries;

	private readonly execution: ExecutionRecord;

	private claims: Claims | undefined;

	/** Of the items that were claimed, by index. */
	private readonly keys = new Map<number, string>();

	constructor(private readonly run: LedgerRun) {
		const { operation, triesKey, kept } = run;
		this.operation = operation;
		this.tries = triesOf(triesKey, kept?.origin);
		this.execution = new ExecutionRecord(operation, kept);
	}

	/** Opens n8n's store where the run needs it. */
	async open() {
		const { operation, isOncePer, entries, pace, signal } = this.run;
		const isRetried = this.tries.origin !== undefined && !operation.idempotent;
		if (!entries || !(isOncePer || isRetried)) return;
		try {
			const store = storeOf(entries);
			await store.open();
			this.claims = new Claims(store, pace, signal);
		} catch (error) {
			this.storeError = error;
		}
	}

	/** Whether recipients can be claimed. */
	get canClaim(): boolean {
		return this.claims !== undefined;
	}

	/** How an item ended before, as far as the run and its execution tell. */
	earlier(index: number, fingerprints: Fingerprints): Result | undefined {
		return this.tries.ended.get(index) ?? this.execution.of(index, fingerprints);
	}

	/** Calls back once, with whether an item may leave. Its recipient is claimed then. */
	before(item: LedgerItem, then: (verdict: Verdict) => void) {
		const { claims } = this;
		const key = claims && this.keyOf(item);
		if (key === undefined) {
			then('go');
			return;
		}
		const known = (standing: Known) => {
			if (standing === 'claimed') this.keys.set(item.index, key);
			then(standing === 'claimed' ? 'go' : this.held(item, standing));
		};
		claims!.want({ item: item.index, key, limits: item.values.limits, known });
	}

	/** The request of an item leaves now. */
	left({ index }: LedgerItem) {
		const key = this.keys.get(index);
		if (key !== undefined) this.claims!.left(key);
	}

	/** The request of an item has ended. */
	after(item: LedgerItem, outcome: Result | Left) {
		const key = this.keys.get(item.index);
		if (key !== undefined) this.claims!.ended(key, endOf(outcome));
		if (typeof outcome === 'object') this.remember(item, outcome);
	}

	/**
	 * Releases what was claimed and did not leave, and waits until n8n's store knows how the others ended.
	 *
	 * @param stopped ended when the user stops the run, and does not want to wait for long
	 * @returns of how many recipients n8n could not record it
	 */
	async close(stopped: AbortSignal | undefined): Promise<number> {
		await this.claims?.close(stopped);
		return this.claims?.notRecorded ?? 0;
	}

	/** The node ends with an error, and may be run again. @param count number of items */
	save(count: number) {
		this.execution.save(count);
	}

	/** The node has succeeded. */
	forget() {
		this.execution.forget();
	}

	/**
	 * What an item claims: its recipient, or in a retried execution itself, by what it was asked for with. Both fingerprints name it, as
	 * one of them may have changed since.
	 */
	private keyOf({ index, values: { dedupKey }, fingerprints }: LedgerItem): string | undefined {
		const { origin } = this.tries;
		if (dedupKey !== undefined || origin === undefined) return dedupKey;
		return [fingerprints.written(), fingerprints.identity()]
			.filter((fingerprint) => fingerprint !== undefined)
			.map((fingerprint) => digestOf([origin, this.operation.option.value, index, fingerprint]))
			.join('+');
	}

	private held(item: LedgerItem, standing: Exclude<Known, 'claimed'>): Held {
		const { answer, advice = {}, sendOncePer } = this.operation;
		if (typeof standing === 'object')
			return { reason: 'storeFailed', result: { failure: notRecorded(standing.error) } };
		if (item.values.dedupKey !== undefined) {
			if (standing === 'sent')
				return { reason: 'skipped', result: { rows: [{ success: true, alreadySent: true }] } };
			const label = sendOncePer!.field.displayName;
			return { reason: 'earlier', result: { failure: inDoubt(label, advice) } };
		}
		const result: Result =
			standing === 'sent' ? { rows: [answerOfNothing(answer)] } : { failure: leftUnknown(advice) };
		this.remember(item, result);
		return { reason: 'earlier', result };
	}

	/** Answers, and what may have been done, are not tried again; everything else may be. */
	private remember({ index, fingerprints }: LedgerItem, result: Result) {
		const { operation } = this;
		if (hasFailed(result) && (operation.idempotent || !isUnknown(result))) return;
		this.tries.ended.set(index, result);
		if (!isReading(operation)) this.execution.keep(index, result, fingerprints);
	}
}

/** How a claim ends with the request. */
function endOf(outcome: Result | Left): End {
	if (outcome === 'notSent') return 'notSent';
	if (outcome === 'interrupted' || isUnknown(outcome)) return 'unknown';
	return hasFailed(outcome) ? 'notSent' : 'sent';
}
