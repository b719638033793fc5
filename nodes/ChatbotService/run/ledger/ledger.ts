import type { Client } from '../../client/client';
import { answerOfNothing } from '../../client/http/answer';
import { systemClock } from '../../client/pace/clock';
import { digestOf } from '../../shared/values';
import { inDoubt, leftUnknown, notRecorded, recordTaken } from '../../client/failure/failure';
import type { Limits } from '../../client/pace/limits';
import { hasFailed, isUnknown, type Failed, type Left, type Result } from '../../client/failure/result';
import { isIdempotent, type Operation } from '../../resources/operation';
import type { When } from '../outcome';
import { ExecutionRecord, type Fingerprint, type Kept } from './execution';
import { LockRowTaken } from './lock';
import { openStore, type End, type Entries, type Found } from './store';

/*
 * Was this item done before? Three places know:
 *
 *     tries       an earlier try of the same run, with Retry On Fail
 *     execution   an earlier run of the same execution, with Retry
 *     store       other runs, in n8n's store: with 'Send Once Per', and for what a retried execution must not repeat
 *
 * The first two are asked before anything of an item is read, so an item that is done needs no valid values. Recipients are
 * claimed shortly before their requests are sent, because a process that dies leaves all its claimed recipients in doubt.
 */

/** The wait before another look whether another process still has a recipient. */
const againMs = 3000;

/**
 * How long a recipient may be claimed elsewhere until the message should have been answered, besides the longest window of its limits and
 * the time of trouble, which the other process has too.
 */
const longestElsewhereMs = 10_000;

/** Longest time for the end of a run that the user has stopped. The store records the rest after the run. */
const longestEndMs = 700;

const { sleep } = systemClock;

/** An item that is about to be sent. */
export interface LedgerItem {
	index: number;
	values: {
		/** Whether it changes nothing in the service. */
		reads?: boolean;
		limits: Limits;
		/** Identifies its recipient under its value of 'Send Once Per'; undefined if it has none. */
		dedupKey: string | undefined;
	};
	fingerprint: Fingerprint;
}

/** Why an item is not sent: it ended in an earlier run, its recipient has the message, or trouble has ended its lane. */
export interface Unsent {
	when: When;
	result: Result;
}

/** Whether an item may be sent, or when to claim again because another item or process has its recipient. */
export type Verdict = 'go' | { again: Promise<void> } | Unsent;

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
	/** The account, with the longest window of limits in milliseconds, and whether requests wait for the end of trouble. */
	client: Pick<Client, 'windowMs' | 'isInTrouble'>;
}

/** What the tries of one run share. With Retry On Fail, n8n runs a node again for all its items. */
interface Tries {
	/** Results of items that must not be tried again, by index. */
	ended: Map<number, Result>;
	/** The execution's origin at the first try: see `execution.ts`. */
	origin: string | undefined;
}

const triesByRun = new WeakMap<object, Tries>();

/** Records which items are done, before and during a run. */
export class Ledger {
	/** n8n's error if it has no store for claims. */
	storeError: unknown;
	/** Whether the store remembered nobody when the run began. */
	isEmpty = true;
	readonly execution: ExecutionRecord;
	private readonly tries: Tries;
	/** Undefined if nothing can be claimed. */
	private store: ReturnType<typeof openStore> | undefined;
	/** The recipients of claimed items whose requests have not ended. */
	private readonly claimed = new Map<number, string>();
	/** How long another process has had an item's recipient, in milliseconds without trouble. */
	private readonly elsewhereMs = new Map<number, number>();
	/** Calls of the store that have not ended. */
	private pending = 0;
	private lost = 0;
	private isClosed = false;
	private settled = () => {};

	constructor(private readonly run: LedgerRun) {
		const { operation, triesKey, kept } = run;
		const known = triesKey && triesByRun.get(triesKey);
		this.tries = known ?? { ended: new Map(), origin: kept?.origin };
		if (triesKey) triesByRun.set(triesKey, this.tries);
		this.execution = new ExecutionRecord(operation, kept);
	}

	async open() {
		const { operation, usesSendOncePer, entries, isShared } = this.run;
		const isRetried = this.tries.origin !== undefined && !isIdempotent(operation);
		if (!entries || !(usesSendOncePer || isRetried)) return;
		try {
			this.isEmpty = (await entries.count()) === 0;
			this.store = openStore(entries, isShared);
		} catch (error) {
			this.storeError = error;
		}
	}

	get canClaim(): boolean {
		return this.store !== undefined;
	}

	/** How items ended in an earlier try of the execution, by index. They are known without their values. */
	get endedInEarlierTries(): ReadonlyMap<number, Result> {
		return this.tries.ended;
	}

	/** How an item ended before, in an earlier try or run of the execution. */
	earlier(index: number, fingerprint: Fingerprint): Result | undefined {
		return this.tries.ended.get(index) ?? this.execution.of(index, fingerprint);
	}

	/** Whether the recipient of an item must be claimed before it is sent. */
	needsClaim({ values }: LedgerItem): boolean {
		const isRetried = this.tries.origin !== undefined && !values.reads;
		return this.canClaim && (values.dedupKey !== undefined || isRetried);
	}

	/** Claims the recipient of an item that needs it. Never throws. @returns a failure if n8n's store has failed */
	async claim(item: LedgerItem): Promise<Verdict | Failed> {
		this.pending++;
		try {
			const key = this.keyOf(item);
			return this.verdictOf(item, key, await this.store!.claim(key));
		} catch (error) {
			return { failure: error instanceof LockRowTaken ? recordTaken() : notRecorded(error) };
		} finally {
			this.callEnded();
		}
	}

	/** Notes how the request of an item ended. */
	after(item: LedgerItem, outcome: Result | Left) {
		this.release(item.index, endOf(outcome));
		const { advice } = this.run.operation;
		if (typeof outcome === 'object') this.remember(item, outcome);
		else if (outcome === 'interrupted' && advice)
			this.remember(item, { failure: leftUnknown(advice.unknown) });
	}

	/**
	 * Releases claims whose requests were not sent, and waits until n8n's store knows how the others ended.
	 *
	 * @param canceled fulfilled when the user stops the run and does not want to wait for long
	 * @returns the number of recipients that n8n could not record; they are in doubt
	 */
	async close(canceled: Promise<void>): Promise<number> {
		const { store } = this;
		if (!store) return 0;
		this.isClosed = true;
		for (const index of this.claimed.keys()) this.release(index, 'notSent');
		store.recordNow();
		const settled = new Promise<void>((resolve) => (this.settled = resolve));
		const shortlyAfter = canceled.then(async () => await sleep(longestEndMs));
		if (this.pending) await Promise.race([settled, shortlyAfter]);
		store.close();
		return this.lost;
	}

	/** What an item claims: its recipient or, in a retried execution, what its request changes. */
	private keyOf({ index, values: { dedupKey }, fingerprint }: LedgerItem): string {
		const { operation } = this.run;
		return dedupKey ?? digestOf([this.tries.origin, operation.option.value, index, fingerprint()]);
	}

	/** One that is elsewhere for too long has an unknown outcome. */
	private verdictOf(item: LedgerItem, key: string, found: Found | { whenFree: Promise<void> }): Verdict {
		const { index, values } = item;
		if (typeof found === 'object') return { again: found.whenFree };
		if (found === 'claimed') {
			this.claimed.set(index, key);
			// So that the run does not end before it is free.
			if (this.isClosed) this.release(index, 'notSent');
			return 'go';
		}
		if (found !== 'elsewhere') {
			void this.record(key, found);
			return this.earlierOf(item, found === 'sent');
		}
		const { client } = this.run;
		const waitedMs = this.elsewhereMs.get(index) ?? 0;
		if (waitedMs >= longestElsewhereMs + client.windowMs(values.limits)) return this.earlierOf(item, false);
		this.elsewhereMs.set(index, waitedMs + (client.isInTrouble(values.limits) ? 0 : againMs));
		return { again: sleep(againMs) };
	}

	/** How an item ended according to n8n's store. */
	private earlierOf(item: LedgerItem, isSent: boolean): Unsent {
		const { answer, advice, broadcast } = this.run.operation;
		// What only reads has no advice, and is never claimed.
		const { unknown } = advice!;
		if (item.values.dedupKey !== undefined) {
			if (isSent) return { when: 'skipped', result: { rows: [{ success: true, alreadySent: true }] } };
			const label = broadcast!.sendOncePer.displayName;
			return { when: 'earlier', result: { failure: inDoubt(label, unknown) } };
		}
		const result: Result = isSent ? { rows: [answerOfNothing(answer)] } : { failure: leftUnknown(unknown) };
		this.remember(item, result);
		return { when: 'earlier', result };
	}

	/** Notes how the claim of an item ended, if it has one. */
	release(index: number, end: End) {
		const key = this.claimed.get(index);
		this.claimed.delete(index);
		if (key !== undefined) void this.record(key, end);
	}

	private async record(key: string, end: End) {
		this.pending++;
		if (!(await this.store!.record(key, end))) this.lost++;
		this.callEnded();
	}

	private callEnded() {
		this.pending--;
		if (!this.pending) this.settled();
	}

	/** Keeps answers and unknown outcomes, which must not be tried again. */
	private remember({ index, values, fingerprint }: LedgerItem, result: Result) {
		const { operation } = this.run;
		const maybeDone = isUnknown(result) && !values.reads && !isIdempotent(operation);
		if (hasFailed(result) && !maybeDone) return;
		this.tries.ended.set(index, result);
		if (!values.reads) this.execution.keep(index, result, fingerprint);
	}
}

/** How a claim ends when its request does. */
export function endOf(outcome: Result | Left): End {
	if (outcome === 'notSent') return 'notSent';
	if (outcome === 'interrupted' || isUnknown(outcome)) return 'unknown';
	return hasFailed(outcome) ? 'notSent' : 'sent';
}
