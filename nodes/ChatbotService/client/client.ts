import type { Account } from './credential/account';
import { withAdvice } from './failure/advice';
import { Connection, type Send } from './http/connection';
import type { Failure } from './failure/failure';
import type { Count } from './pace/bursts';
import { joinLimits, shareOf, type Limit, type Limits } from './pace/limits';
import { schedulerOf, type Retry, type Slot } from './pace/scheduler';
import { Pages, type Page, type Part } from './http/pages';
import type { ServiceRequest } from './http/request';
import type { Failed, Left, Result } from './failure/result';
import { Repeats, type Run } from './failure/retry';
import { wait } from '../shared/wait';

/*
 * From a request to its answer:
 *
 *     slot ─ request ─ answer ─ rows, or the failure in words
 *      └────── retry ────┘
 *
 * Runs of the node and the editor's lists both use this client, so that both keep the account's pace and neither repeats what the
 * service may have done already.
 */

/** The sender of requests: a run of the node, or a list of the editor. */
export interface Caller extends Run {
	/** Aborted when nothing more may be sent. */
	signal: AbortSignal;
	/** Called for each refusal by a limit, with the wait until the request is sent again; 0 if it is given up. */
	refused?: (waitMs: number) => void;
	/** Called when a request is given up, before another request takes its slot. */
	gaveUp?: () => void;
}

/** How a request is sent again: it asks for its slot after this wait. */
type Again = Retry & { waitMs: number };

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

	/** The longest window of these limits, in milliseconds; 0 without a limit. */
	windowMs(limits: Limits): number {
		return Math.max(0, ...this.sharesOf(limits).map(({ windowMs }) => windowMs));
	}

	private sharesOf(operation: Limits): Limit[] {
		const { limits, workers } = this.account;
		return Object.values(joinLimits(limits, operation)).map((limit) => shareOf(limit, workers));
	}

	/**
	 * Waits for the slot of a request.
	 *
	 * @param behind requests of the caller that wait behind it under the same limits
	 * @returns undefined if the caller leaves before; a failure if trouble of the account takes too long
	 */
	async slot(run: Caller, limits: Limits, behind = 0, retry?: Retry): Promise<Slot | Failed | undefined> {
		if (run.signal.aborted) return undefined;
		const scheduler = schedulerOf(this.account.key);
		scheduler.use(this.account);
		const leave = () => scheduler.leave(run);
		run.signal.addEventListener('abort', leave);
		try {
			return await scheduler.slot({ run, limits, behind, ...retry });
		} finally {
			run.signal.removeEventListener('abort', leave);
		}
	}

	/**
	 * Requests pages until there are enough rows or no more pages.
	 *
	 * @param part which rows are needed, and the slot of the first request, if the caller has it
	 * @returns 'notSent' if nothing was sent, 'interrupted' if the caller left between two pages
	 */
	async ask(
		caller: Caller,
		request: ServiceRequest,
		{ slot, ...part }: Part & { slot?: Slot } = {},
	): Promise<Result | Left> {
		const pages = new Pages(request, part);
		for (let isFirst = true; ; isFirst = false) {
			const page = await this.askOnce(caller, pages.request, isFirst ? slot : undefined);
			if (page === 'notSent') return isFirst ? page : 'interrupted';
			if ('failure' in page) return page;
			const result = pages.take(page);
			if (result && 'failure' in result) caller.gaveUp?.();
			if (result) return result;
		}
	}

	/** Sends one request, and repeats it as long as that is harmless. */
	private async askOnce(
		caller: Caller,
		request: ServiceRequest,
		firstSlot?: Slot,
	): Promise<Page | Failed | 'notSent'> {
		const { idempotent, limits, advice } = request;
		const hasAssumed = Object.values(limits).some(({ assumed }) => assumed);
		const failed = (failure: Failure) => ({ failure: withAdvice(failure, advice, hasAssumed) });
		const repeats = new Repeats(idempotent);
		/** Failure of an attempt that the service may have processed. */
		let inDoubt: Failure | undefined;
		let slot = firstSlot ?? (await this.slot(caller, limits));
		for (;;) {
			if (!slot) return inDoubt ? failed(inDoubt) : 'notSent';
			if ('failure' in slot) {
				caller.gaveUp?.();
				return failed(inDoubt ?? slot.failure);
			}
			const attempt = await this.attempt(caller, request, { slot, repeats });
			if (!('failure' in attempt)) return attempt;
			const { failure, again } = attempt;
			if (failure.outcome === 'unknown') inDoubt = failure;
			if (!again) return failed(inDoubt ? afterDoubt(inDoubt, failure) : failure);
			await wait(again.waitMs, caller.signal);
			slot = await this.slot(caller, limits, 0, again);
		}
	}

	private async attempt(
		caller: Caller,
		request: ServiceRequest,
		{ slot, repeats }: { slot: Slot; repeats: Repeats },
	): Promise<Page | (Failed & { again: Again | undefined })> {
		let isAnswered = false;
		let count: Count | undefined;
		try {
			const sent = await this.connection.exchange(request);
			const { answer } = sent;
			count = sent.count;
			isAnswered = !('failure' in answer) || answer.failure.status !== undefined;
			this.hasAnswered ||= isAnswered;
			if (!('failure' in answer)) return answer;
			const again = this.againAfter(answer.failure, caller, slot, repeats);
			if (!again) caller.gaveUp?.();
			return { ...answer, again };
		} finally {
			slot.scheduler.release(slot, isAnswered, count);
		}
	}

	/** How to send a request again; undefined if it is given up. */
	private againAfter(failure: Failure, caller: Caller, slot: Slot, repeats: Repeats): Again | undefined {
		const { attempts, waitedMs } = slot.request;
		const isConnection = failure.status === undefined;
		if (failure.repeat === 'afterTrouble' && (!isConnection || (caller.isPatient && this.hasAnswered))) {
			const retry = slot.scheduler.trouble(slot, failure);
			if (failure.concerns === 'limit') caller.refused?.(retry ? retry.waitedMs - waitedMs : 0);
			// The scheduler delays it.
			return retry && { ...retry, waitMs: 0 };
		}
		const waitMs = repeats.nextAfter(failure);
		return waitMs === undefined ? undefined : { attempts: attempts + 1, waitedMs, waitMs };
	}
}

/**
 * A final failure says nothing about earlier attempts. If its text says that nothing was sent or done, the failure in doubt is
 * returned instead.
 */
const afterDoubt = (inDoubt: Failure, failure: Failure): Failure =>
	failure.status === undefined || (failure.repeat === 'afterTrouble' && failure.concerns === 'account')
		? inDoubt
		: { ...failure, outcome: 'unknown' };
