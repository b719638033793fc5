import type { IDataObject } from 'n8n-workflow';

import type { Account } from './credential/account';
import { withAdvice } from './failure/advice';
import { Connection, type Send } from './http/connection';
import { after, afterDoubt } from './failure/after';
import { endlessPages, type Failure } from './failure/failure';
import type { Count } from './pace/bursts';
import { hasAssumed, joinLimits, shareOf, type Limit, type Limits } from './pace/limits';
import type { Sender } from './pace/gate';
import { beforeOthers, type Slot, type SlotRequest } from './pace/scheduler';
import { schedulerOf } from './pace/schedulers';
import type { Page } from './http/answer';
import { Pages, type Extent } from './http/pages';
import type { ServiceRequest } from './http/request';
import { isDone, isUnknown, type Failed, type Left, type Result } from './failure/result';

/*
 * From a request to its answer, in the words of a failure if there is none. Runs of the node and the editor's lists both use this client, so
 * that both keep the account's pace and neither repeats what the service may have done already.
 */

/** The sender of requests: a run of the node, or a list of the editor. */
export interface Caller extends Sender {
	signal: AbortSignal;
	/** Asked when a request could leave. */
	mayLeave?: () => boolean;
	/** Whether the user has stopped it, so that n8n ends also what is in progress. */
	isCanceled?: () => boolean;
	/**
	 * Called for each refusal by a limit, with the wait until the request is sent again (0 if it is given up), and whether limits were
	 * assumed for it.
	 */
	refused?: (waitMs: number, hasAssumed: boolean) => void;
	/** Called when a request is given up, before another request takes its slot. */
	gaveUp?: () => void;
}

/** How a request waits for its slot, and what is called when it leaves. */
export interface Way {
	/** See `SlotRequest`. */
	behind?: number | undefined;
	mayLeave?: (() => boolean) | undefined;
	left?: (() => void) | undefined;
}

/** Sends the requests of one caller with its credential. */
export class Client {
	private readonly connection: Connection;
	/** Whether the service has answered, so that the address and the settings of the connection are right. */
	private hasAnswered = false;

	constructor(account: Account, send: Send) {
		this.connection = new Connection(account, send);
	}

	/** What the credential says now. */
	get account(): Account {
		return this.connection.account;
	}

	/** How many requests can be sent within a time if no other caller uses the account. */
	leaving(limits: Limits, milliseconds: number): number {
		return Math.min(...this.sharesOf(limits).map(({ count, windowMs }) => (count / windowMs) * milliseconds));
	}

	/** Whether requests of all callers under these limits wait for the end of trouble. */
	isInTrouble(limits: Limits): boolean {
		return schedulerOf(this.account.key).isInTrouble(limits);
	}

	/** The longest window of these limits, in milliseconds; 0 without a limit. */
	windowMs(limits: Limits): number {
		return Math.max(0, ...this.sharesOf(limits).map(({ windowMs }) => windowMs));
	}

	private sharesOf(operation: Limits): Limit[] {
		const { limits, workers } = this.account;
		return Object.values(joinLimits(limits, operation)).map((limit) => shareOf(limit, workers));
	}

	/** What a caller waits for because of trouble; undefined if there is none. */
	waitOf(caller: Caller) {
		return schedulerOf(this.account.key).waitOf(caller);
	}

	/** Waits for the slot of a request, or of its next attempt. What it returns: `Scheduler.slot`. */
	private async slot(caller: Caller, request: SlotRequest): Promise<Slot | Failed | undefined> {
		// The user may have edited the credential since the last request, so that it is another account.
		const scheduler = schedulerOf(this.account.key);
		scheduler.use(this.account);
		const slot = await scheduler.slot(request);
		if (!slot || 'failure' in slot || caller.mayLeave?.() !== false) return slot;
		scheduler.release(slot);
		return undefined;
	}

	/** Sends a request, for a list page by page until there are enough rows. Parameters and what it returns otherwise: `pages`. */
	async request(...[caller, request, part]: Parameters<Client['pages']>): Promise<Result | Left> {
		const most = part?.most ?? Infinity;
		const rows: IDataObject[] = [];
		for await (const page of this.pages(caller, request, part)) {
			if (!isDone(page)) return page;
			for (const row of page.rows) rows.push(row);
			if (rows.length >= most) break;
		}
		return { rows: rows.slice(0, most) };
	}

	/**
	 * The pages of a list, each requested when it is needed. The last one can be a failure, 'notSent' if nothing was sent, or 'interrupted'
	 * if the caller was stopped in between.
	 *
	 * @param part which rows are needed, and how the first request waits
	 */
	async *pages(
		caller: Caller,
		request: ServiceRequest,
		{ behind, mayLeave, left, ...part }: Extent & Way = {},
	): AsyncGenerator<Result | Left, void> {
		const pages = new Pages(request, part);
		for (let isFirst = true; ; isFirst = false) {
			// A list that has begun is read to its end before others begin.
			const way = { behind: isFirst ? behind : beforeOthers, mayLeave, left };
			const page = await this.requestPage(caller, pages.request, way);
			if (typeof page === 'string') return yield isFirst ? page : 'interrupted';
			if ('failure' in page) return yield page;
			const { rows, next: follows, endless } = pages.take(page);
			if (rows) yield { rows, next: follows };
			if (endless !== undefined) {
				if (!request.mayFail) caller.gaveUp?.();
				return yield { failure: endlessPages(endless) };
			}
			if (follows === undefined) return;
		}
	}

	/** Sends one request, and repeats it as long as that is harmless. */
	private async requestPage(
		caller: Caller,
		request: ServiceRequest,
		{ behind = 0, mayLeave, left }: Way,
	): Promise<Page | Failed | Left> {
		const { limits, advice, mayFail, ofChange } = request;
		/** Whether it has changed nothing of its item, however it ends. */
		const isLookUp = ofChange && !advice;
		const end = (failure: Failure): Failed | Left => {
			const advised = withAdvice(failure, advice, hasAssumed(limits));
			const ended: Failed = { failure: isLookUp ? { ...advised, outcome: 'notDone' } : advised };
			if (!caller.isCanceled?.()) return ended;
			if (isLookUp) return 'notSent';
			return isUnknown(ended) || !ofChange ? 'interrupted' : ended;
		};
		/** Failure of an attempt that the service may have processed. */
		let inDoubt: Failure | undefined;
		let next: SlotRequest | undefined;
		for (;;) {
			const slot = await this.slot(caller, next ?? { sender: caller, limits, behind, mayLeave });
			if (!slot) return inDoubt ? end(inDoubt) : 'notSent';
			if ('failure' in slot) {
				if (!mayFail) caller.gaveUp?.();
				return next ? end(inDoubt ?? slot.failure) : slot;
			}
			left?.();
			const attempt = await this.attempt(caller, request, slot);
			if (!('failure' in attempt)) return attempt;
			const { failure, isLast } = attempt;
			if (failure.outcome === 'unknown') inDoubt = failure;
			if (isLast) return end(inDoubt ? afterDoubt(inDoubt, failure) : failure);
			next = slot.request;
		}
	}

	private async attempt(
		caller: Caller,
		request: ServiceRequest,
		slot: Slot,
	): Promise<Page | (Failed & { isLast: boolean })> {
		let isAnswered = false;
		let count: Count | undefined;
		try {
			const sent = await this.connection.exchange(request);
			const { answer } = sent;
			count = sent.count;
			isAnswered = !('failure' in answer) || answer.failure.status !== undefined;
			this.hasAnswered ||= isAnswered;
			if (!('failure' in answer)) return answer;
			const isLast = !this.goesOn(answer.failure, caller, request, slot);
			if (isLast && !request.mayFail) caller.gaveUp?.();
			return { ...answer, isLast };
		} finally {
			slot.scheduler.release(slot, isAnswered, count);
		}
	}

	/** Whether a request is sent again. If so, that of the slot says when. */
	private goesOn(
		failure: Failure,
		caller: Caller,
		{ idempotent, limits }: ServiceRequest,
		slot: Slot,
	): boolean {
		const { scheduler, request } = slot;
		const { hasAnswered } = this;
		const { isPatient } = caller;
		const following = after(failure, { idempotent, repeats: request.repeats }, { isPatient, hasAnswered });
		if (following.next === 'repeat') scheduler.repeat(slot, following.afterMs);
		if (following.next !== 'atGate') return following.next === 'repeat';
		const waitMs = scheduler.trouble(slot, failure);
		if (failure.concerns === 'limit') caller.refused?.(waitMs ?? 0, hasAssumed(limits));
		return waitMs !== undefined;
	}
}
