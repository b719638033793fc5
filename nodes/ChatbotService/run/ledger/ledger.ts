import { answerOfNothing } from '../../client/http/answer';
import { digestOf } from '../../shared/digest';
import { brokenHere, inDoubt, leftUnknown, notRecorded, recordTaken } from '../../client/failure/failure';
import type { Limits } from '../../client/pace/limits';
import { hasFailed, isUnknown, type Left, type Result } from '../../client/failure/result';
import { isReading, type Operation } from '../../resources/operation';
import type { When } from '../outcome';
import { Claims, type Claimed, type ClaimRequest } from './claims';
import type { End, Entries } from './entries';
import { ExecutionRecord, type Fingerprints, type Kept } from './execution';
import { LockRowTaken } from './lock';
import { openStore } from './store';
import { triesOf, type Tries } from './tries';

/*
 * Was this item done before? Three places know:
 *
 *     tries       an earlier try of the same run, with Retry On Fail
 *     execution   an earlier run of the same execution, with Retry
 *     claims      other runs, in n8n's store: with 'Send Once Per', and for what a retried execution must not repeat
 *
 * The first two are asked before anything of an item is read, so an item that is done needs no valid values. Recipients are
 * claimed shortly before their requests are sent, because a process that dies leaves all its claimed recipients in doubt.
 */

/** An item that is about to be sent. */
export interface LedgerItem {
	index: number;
	values: {
		limits: Limits;
		/** Identifies its recipient under its value of 'Send Once Per'; undefined if it has none. */
		dedupKey: string | undefined;
	};
	fingerprints: Fingerprints;
}

/** Why an item is not sent: it ended in an earlier run, its recipient has the message, or n8n's store failed. */
export interface Withheld {
	when: When;
	result: Result;
}

/** Whether an item may be sent; 'later' if another process has its recipient. */
export type Verdict = 'go' | 'later' | Withheld;

/** The parts of a run that the ledger needs. */
interface LedgerRun {
	operation: Operation;
	usesSendOncePer: boolean;
	/** The same object in all tries of the run; null if there is only one. */
	triesKey: object | null;
	/** The execution's data of the node; null if there is none. */
	kept: Kept | null;
	/** n8n's store of the node; undefined if there is none. */
	entries: Entries | undefined;
	/** Whether other processes may use the store at the same time. */
	isShared: boolean;
	/** The longest window of limits, in milliseconds. */
	windowMs(limits: Limits): number;
}

/** Records which items are done, before and during a run. */
export class Ledger {
	/** n8n's error if it has no store for claims. */
	storeError: unknown;
	private readonly tries: Tries;
	private readonly execution: ExecutionRecord;
	private claims: Claims | undefined;
	/** What the items claim whose recipients are reserved, by index. */
	private readonly requests = new Map<number, ClaimRequest>();

	constructor(private readonly run: LedgerRun) {
		const { operation, triesKey, kept } = run;
		this.tries = triesOf(triesKey, kept?.origin);
		this.execution = new ExecutionRecord(operation, kept);
	}

	/** Opens n8n's store if the run needs it. */
	async open() {
		const { operation, usesSendOncePer, entries, isShared } = this.run;
		const isRetried = this.tries.origin !== undefined && !operation.idempotent;
		if (!entries || !(usesSendOncePer || isRetried)) return;
		try {
			await entries.check();
			this.claims = new Claims(openStore(entries, isShared));
		} catch (error) {
			this.storeError = error;
		}
	}

	get canClaim(): boolean {
		return this.claims !== undefined;
	}

	/** How items ended in an earlier try of the execution, by index. They are known without their values. */
	get endedInEarlierTries(): ReadonlyMap<number, Result> {
		return this.tries.ended;
	}

	/** How an item ended before, in an earlier try or run of the execution. */
	earlier(index: number, fingerprints: Fingerprints): Result | undefined {
		return this.tries.ended.get(index) ?? this.execution.of(index, fingerprints);
	}

	/** Whether the recipient of an item must be claimed before it is sent. */
	needsClaim({ values }: LedgerItem): boolean {
		return this.canClaim && (values.dedupKey !== undefined || this.tries.origin !== undefined);
	}

	/** Reserves the recipient of an item that needs a claim. @returns when it is free, if another item of this process has it */
	reserve(item: LedgerItem): Promise<void> | undefined {
		const key = this.keyOf(item);
		const windowMs = this.run.windowMs(item.values.limits);
		this.requests.set(item.index, { item: item.index, key, windowMs });
		return this.claims!.reserve(key);
	}

	/** Claims the reserved recipients of items. Never throws, because nobody else could have these recipients ever again. */
	async claim(items: LedgerItem[]): Promise<Verdict[]> {
		const claimed = await this.claims!.claim(items.map(({ index }) => this.requests.get(index)!));
		return items.map((item, index) => {
			try {
				return this.verdictOf(item, claimed[index]!);
			} catch (error) {
				return { when: 'now', result: { failure: brokenHere(error, 'unknown') } };
			}
		});
	}

	/** Notes how the request of an item ended. */
	after(item: LedgerItem, outcome: Result | Left) {
		this.claims?.ended(item.index, endOf(outcome));
		if (typeof outcome === 'object') this.remember(item, outcome);
	}

	/**
	 * Releases claims whose requests were not sent, and waits until n8n's store knows how the others ended.
	 *
	 * @param stopped aborted when the user stops the run and does not want to wait for long
	 * @returns the number of recipients that n8n could not record
	 */
	async close(stopped: AbortSignal | undefined): Promise<number> {
		await this.claims?.close(stopped);
		return this.claims?.notRecorded ?? 0;
	}

	/** The node ends with an error and may be retried. @param count number of items */
	save(count: number) {
		this.execution.save(count);
	}

	/** The node has succeeded. */
	forget() {
		this.execution.forget();
	}

	/** What an item claims: its recipient or, in a retried execution, what its request changes. */
	private keyOf({ index, values: { dedupKey }, fingerprints }: LedgerItem): string {
		const { operation } = this.run;
		return dedupKey ?? digestOf([this.tries.origin, operation.option.value, index, fingerprints.identity()]);
	}

	private verdictOf(item: LedgerItem, claimed: Claimed): Verdict {
		const { answer, advice, sendOncePer } = this.run.operation;
		// What only reads has no advice, and is never claimed.
		if (claimed === 'claimed' || !advice) return 'go';
		if (claimed === 'elsewhere') return 'later';
		if (typeof claimed === 'object') {
			const { error } = claimed;
			const failure = error instanceof LockRowTaken ? recordTaken() : notRecorded(error);
			return { when: 'now', result: { failure } };
		}
		if (item.values.dedupKey !== undefined) {
			if (claimed === 'sent')
				return { when: 'skipped', result: { rows: [{ success: true, alreadySent: true }] } };
			const label = sendOncePer!.field.displayName;
			return { when: 'earlier', result: { failure: inDoubt(label, advice.unknown) } };
		}
		const result: Result =
			claimed === 'sent' ? { rows: [answerOfNothing(answer)] } : { failure: leftUnknown(advice.unknown) };
		this.remember(item, result);
		return { when: 'earlier', result };
	}

	/** Keeps answers and unknown outcomes, which must not be tried again. */
	private remember({ index, fingerprints }: LedgerItem, result: Result) {
		const { operation } = this.run;
		if (hasFailed(result) && (operation.idempotent || !isUnknown(result))) return;
		this.tries.ended.set(index, result);
		if (!isReading(operation)) this.execution.keep(index, result, fingerprints);
	}
}

/** How a claim ends when its request does. */
function endOf(outcome: Result | Left): End {
	if (outcome === 'notSent') return 'notSent';
	if (outcome === 'interrupted' || isUnknown(outcome)) return 'unknown';
	return hasFailed(outcome) ? 'notSent' : 'sent';
}
