import type { ICredentialDataDecryptedObject, IDataObject, IHttpRequestOptions } from 'n8n-workflow';

import { readAccount, type Account } from './account';
import { readAnswer, type AnswerShape, type Labels, type ReadAnswer, type ServiceAnswer } from './answer';
import { within } from './deadline';
import { withAdvice, type Advice } from './advice';
import { brokenHere, timedOut, type Failure } from './failure';
import { accounts } from './pace/accounts';
import { readCount, type Count } from './pace/bursts';
import { joinLimits, shareOf, type Limit, type Limits, type Terms } from './pace/limits';
import type { Ending, Scheduler, Slot } from './pace/scheduler';
import { Pages } from './pages';
import { placeParameters, type WireParameter } from './placement';
import { addWitness, requestDefaults } from './request';
import type { Failed, Left, Result } from './result';
import { Attempts } from './retry';
import { withoutTokens } from './secrets';
import { readTransportError } from './transport';
import { wait } from './wait';

/*
 * From a request to its answer:
 *
 *     slot ─ request ─ answer ─ rows, or the failure in words
 *      └────── retry ────┘
 *
 * Runs of the node and the editor's lists ask the same way, so that both keep the account's pace and neither repeats what
 * the service may have done already.
 */

/** A request as the API takes it, without the account's limits and token, which the client adds. */
export interface ServiceRequest {
	method: 'GET' | 'POST';
	/** The endpoint, below the base URL, such as `/sendMessage`. */
	url: string;
	parameters: WireParameter[];
	/** Whether the parameters in the query may travel as a JSON body when the request target gets long. */
	longInBody: boolean;
	answer: AnswerShape;
	labels: Labels;
	/** Whether doing it twice leaves the service as doing it once does. */
	idempotent: boolean;
	/** Limits that it counts towards beside the account's. */
	limits: Limits;
	/** What the user is told of a failure in words of its own. */
	advice: Advice;
	/** How it is sent, where the user wants that otherwise than usual. */
	sending?: Sending;
}

/** What a user may want of the way a request is sent. */
export type Sending = Pick<IHttpRequestOptions, 'timeout' | 'proxy' | 'skipSslCertificateValidation'>;

/** Who asks: a run of the node, or a list of the editor. */
export interface Caller {
	/** Ended when nothing more is to leave. What waits then ends as 'notSent'. */
	signal: AbortSignal;
	/** Told of every refusal by a limit; nothing of the caller leaves for that long. */
	refused?: (waitMs: number) => void;
	/** Told that a request is given up, before another one takes its place. */
	gaveUp?: () => void;
}

/** Sends one request and yields its answer, whatever its status. @throws when there is no answer */
export type Send = (options: IHttpRequestOptions) => Promise<ServiceAnswer>;

/** One page of rows. */
export type Page = Extract<ReadAnswer, { rows: IDataObject[] }>;

/** What n8n is asked for where the user has set no Timeout: its own default for declarative nodes. */
export const usualTimeoutMs = 300_000;

/** So much later than n8n does, a request is ended that n8n does not end. Time for an answer that has begun. */
const graceMs = 10_000;

/** Asks the service with one credential, which may be edited meanwhile. */
export class Client {
	/** All that the credential has held so far; n8n authenticates each request with the latest. */
	private readonly tokens = new Set<string>();

	/** Those whose requests wait for a slot. */
	private readonly callers = new Set<Caller>();

	constructor(
		private account: Account,
		private readonly send: Send,
	) {
		this.tokens.add(account.token);
	}

	/** Why nothing can be asked for with this credential at all. */
	get unusable(): Failure | undefined {
		return this.account.unusable;
	}

	/** Where the methods lie. */
	get address(): string {
		return this.account.baseUrl;
	}

	/**
	 * Goes on with what the credential holds now: its address, its limits and its token. Where one of them has changed, what waits is
	 * enqueued anew.
	 */
	useLatest(credential: ICredentialDataDecryptedObject) {
		const account = readAccount(credential);
		if (JSON.stringify(account) === JSON.stringify(this.account)) return;
		const { scheduler } = this;
		this.account = account;
		this.tokens.add(account.token);
		for (const caller of this.callers) scheduler.enqueueAgain(caller);
	}

	private get scheduler(): Scheduler {
		return accounts.schedulerOf(this.account.key);
	}

	/** How many requests can leave within a time in milliseconds, if nobody else asks. */
	leaving(limits: Limits, milliseconds: number): number {
		return Math.min(...this.sharesOf(limits).map(({ count, windowMs }) => (count / windowMs) * milliseconds));
	}

	/** The longest window of these limits, in milliseconds; 0 without a limit. */
	windowMs(limits: Limits): number {
		return Math.max(0, ...this.sharesOf(limits).map(({ windowMs }) => windowMs));
	}

	/** What this process may use of the limits. */
	private sharesOf(operation: Limits): Limit[] {
		const { limits, workers } = this.termsOf(operation);
		return Object.values(limits).map((limit) => shareOf(limit, workers));
	}

	/** Calls back with the slot of a first request; never if the caller leaves before. */
	enqueue(caller: Caller, limits: Limits, begin: (slot: Slot) => void) {
		this.callers.add(caller);
		const again = () => this.enqueue(caller, limits, begin);
		this.scheduler.enqueue(caller, this.termsOf(limits), begin, again);
	}

	/** Lets everything of a caller that still waits leave without being sent. */
	leave(caller: Caller) {
		this.scheduler.leave(caller);
	}

	/**
	 * Asks page after page until there are enough rows or no more pages.
	 *
	 * @param most rows that are wanted; undefined for all
	 * @param slot of the first request, where the caller has enqueued it
	 * @returns 'notSent' where nothing has left, 'interrupted' where the caller left between two pages
	 */
	async ask(caller: Caller, request: ServiceRequest, most = Infinity, slot?: Slot): Promise<Result | Left> {
		const rows: IDataObject[] = [];
		const pages = new Pages();
		for (;;) {
			const isFirst = pages.next === 1;
			const page = await this.askPage(caller, request, pages.next, isFirst ? slot : undefined);
			if (page === 'notSent') return isFirst ? page : 'interrupted';
			if ('failure' in page) return page;
			if (isFirst && page.rows.length >= most) return { rows: page.rows.slice(0, most) };
			const follows = pages.follows(page.rows, page.page);
			if (typeof follows === 'object') {
				caller.gaveUp?.();
				return follows;
			}
			for (const row of page.rows) rows.push(row);
			if (!follows || rows.length >= most) return { rows: rows.slice(0, most) };
		}
	}

	/** Asks for one page, the first of which is 1, and again as far as that is harmless. */
	async askPage(
		caller: Caller,
		request: ServiceRequest,
		number: number,
		slot?: Slot,
	): Promise<Page | Failed | 'notSent'> {
		const outcome = await this.untilAnswered(caller, request, number, slot);
		if (outcome === 'notSent' || !('failure' in outcome)) return outcome;
		const hasAssumed = Object.values(request.limits).some(({ assumed }) => assumed);
		return { failure: withAdvice(outcome.failure, request.advice, { hasAssumed }) };
	}

	/** New ones for every attempt, because n8n writes the token into what it is given. */
	private optionsOf(request: ServiceRequest, page: number): IHttpRequestOptions {
		const { account } = this;
		const { method, url, parameters, longInBody, sending } = request;
		const { query, body } = placeParameters(parameters, {
			path: `${new URL(account.baseUrl).pathname}${url}`,
			tokenLength: account.tokenLength,
			longInBody,
		});
		return {
			...sending,
			...requestDefaults,
			headers: { ...requestDefaults.headers },
			ignoreHttpStatusErrors: true,
			returnFullResponse: true,
			method,
			baseURL: account.baseUrl,
			url,
			qs: page > 1 ? { ...query, page } : query,
			body,
		};
	}

	private async untilAnswered(
		caller: Caller,
		request: ServiceRequest,
		page: number,
		firstSlot: Slot | undefined,
	): Promise<Page | Failed | 'notSent'> {
		/** An attempt that the service may have done. */
		let inDoubt: Failure | undefined;
		const attempts = new Attempts(request.idempotent);
		for (let isFirst = true; ; isFirst = false) {
			const slot = (isFirst && firstSlot) || (await this.acquire(caller, request.limits, !isFirst));
			if (!slot) return inDoubt ? { failure: inDoubt } : 'notSent';
			let ending: Ending = {};
			let next: number | undefined;
			try {
				const { answer, count } = await this.sendOnce(request, page);
				ending = { count };
				if (!('failure' in answer)) return answer;
				const { failure } = answer;
				if (failure.outcome === 'unknown') inDoubt = failure;
				next = attempts.nextAfter(failure);
				ending = { count, ...paceAfter(failure, next) };
				if (failure.repeat === 'afterLimit') caller.refused?.(next ?? 0);
				if (next === undefined) {
					caller.gaveUp?.();
					return { failure: inDoubt ? afterDoubt(inDoubt, failure) : failure };
				}
			} finally {
				slot.scheduler.release(slot, ending);
			}
			// Where the pace was told, it waits for this request and all others.
			if (!ending.refused && ending.closedMs === undefined) await wait(next, caller.signal);
		}
	}

	private async acquire(run: Caller, limits: Limits, first: boolean): Promise<Slot | undefined> {
		if (run.signal.aborted) return undefined;
		this.callers.add(run);
		const again = async () => await this.acquire(run, limits, first);
		return await this.scheduler.acquire({ run, terms: this.termsOf(limits), first, again });
	}

	/** One request and its answer, or what kept the answer away; no token in either. */
	private async sendOnce(
		request: ServiceRequest,
		page: number,
	): Promise<{ answer: ReadAnswer; count?: Count | undefined }> {
		const sent = await this.exchange(request, page);
		if ('failure' in sent) return { answer: { failure: withoutTokens(sent.failure, this.tokens) } };
		try {
			// Before anything is read of it, because what is read may be shortened.
			const answer = withoutTokens(sent, this.tokens);
			return {
				answer: readAnswer(answer, request.answer, request.labels, Date.now()),
				count: readCount(answer.headers),
			};
		} catch (error) {
			return { answer: { failure: withoutTokens(brokenHere(error, 'unknown'), this.tokens) } };
		}
	}

	/** Sends a request to the address that the credential holds now. n8n reads the credential for each request, and tells us. */
	private async exchange(request: ServiceRequest, page: number): Promise<ServiceAnswer | Failed> {
		for (;;) {
			if (this.unusable) return { failure: this.unusable };
			const options = this.optionsOf(request, page);
			let hasMoved = false;
			addWitness(options, (credential) => {
				this.useLatest(credential);
				hasMoved = this.address !== options.baseURL;
				// The token goes to no other address than its own.
				if (hasMoved) throw new Error('The address of the service has changed');
			});
			try {
				const timeoutMs = (request.sending?.timeout ?? usualTimeoutMs) + graceMs;
				return (await within(timeoutMs, this.send(options))) ?? { failure: timedOut() };
			} catch (error) {
				// Where the address has changed, nothing has left, and the next round asks at the new one.
				if (!hasMoved) return { failure: readTransportError(error) };
			}
		}
	}

	private termsOf(operation: Limits): Terms {
		const { limits, workers, bursts } = this.account;
		return { limits: joinLimits(limits, operation), workers, bursts };
	}
}

/**
 * A refusal now says nothing of the attempts before it. A failure without an answer, or during maintenance, says that nothing was sent
 * or done, which would be read as true of them all.
 */
const afterDoubt = (inDoubt: Failure, failure: Failure): Failure =>
	failure.status === undefined || failure.repeat === 'afterMaintenance'
		? inDoubt
		: { ...failure, outcome: 'unknown' };

/** What a failure means for all requests of the account. @param waitMs until it is tried again; undefined when it is not */
function paceAfter({ repeat, retryAfterMs }: Failure, waitMs: number | undefined): Ending {
	if (repeat === 'afterLimit') return { refused: { askedMs: retryAfterMs, waitMs } };
	return repeat === 'afterMaintenance' && waitMs ? { closedMs: waitMs } : {};
}
