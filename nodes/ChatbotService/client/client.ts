import type { ICredentialDataDecryptedObject, IDataObject, IHttpRequestOptions } from 'n8n-workflow';

import { readAccount, type Account } from './account';
import {
	readAnswer,
	readCount,
	type AnswerShape,
	type Labels,
	type ReadAnswer,
	type ServiceAnswer,
} from './answer';
import { withAdvice, type Advice } from './advice';
import { brokenHere, timedOut, type Failure } from './failure';
import type { Count } from './pace/bursts';
import type { Run } from './pace/gate';
import { joinLimits, shareOf, type Limit, type Limits } from './pace/limits';
import { schedulerOf, type Retry, type Slot } from './pace/scheduler';
import { Pages } from './pages';
import { placeParameters, type WireParameter } from './placement';
import { addWitness, requestDefaults } from './request';
import type { Failed, Left, Result } from './result';
import { Repeats } from './retry';
import { withoutTokens } from './secrets';
import { readTransportError } from './transport';
import { wait, within } from './wait';

/*
 * From a request to its answer:
 *
 *     slot ─ request ─ answer ─ rows, or the failure in words
 *      └────── retry ────┘
 *
 * Runs of the node and the editor's lists both use this client, so that both keep the account's pace and neither repeats what the
 * service may have done already.
 */

/** A request to the API, without the account's limits and token, which the client adds. */
export interface ServiceRequest {
	method: 'GET' | 'POST';
	/** Path of the endpoint below the base URL, such as `/sendMessage`. */
	url: string;
	parameters: WireParameter[];
	/** Whether query parameters may travel as a JSON body if the request target is too long. */
	longInBody: boolean;
	answer: AnswerShape;
	labels: Labels;
	/** Whether two identical requests have the same effect as one. */
	idempotent: boolean;
	/** Limits that the request counts towards, in addition to the account's. */
	limits: Limits;
	/** Texts of the operation for failures; undefined if it only reads. */
	advice: Advice | undefined;
	/** Options that the user has set; the defaults apply to the others. */
	sending?: Sending;
}

export type Sending = Pick<IHttpRequestOptions, 'timeout' | 'proxy' | 'skipSslCertificateValidation'>;

/** The sender of requests: a run of the node, or a list of the editor. */
export interface Caller extends Run {
	/** Aborted when nothing more may be sent. */
	signal: AbortSignal;
	/** Called for each refusal by a limit, with the wait until the request is sent again; 0 if it is given up. */
	refused?: (waitMs: number) => void;
	/** Called when a request is given up, before another request takes its slot. */
	gaveUp?: () => void;
}

/** Sends one request and returns its answer, whatever its status. @throws if there is no answer */
export type Send = (options: IHttpRequestOptions) => Promise<ServiceAnswer>;

/** @param waitMs milliseconds until the request asks for its slot */
type Again = Retry & { waitMs: number };

export type Page = Extract<ReadAnswer, { rows: IDataObject[] }>;

/** Timeout if the user sets none: n8n's own default for declarative nodes. */
export const usualTimeoutMs = 300_000;

/** Time after the timeout until this node ends a request that n8n does not end. Enough for an answer that has begun. */
const graceMs = 10_000;

/** Sends the requests of one caller with its credential, which the user may edit meanwhile. */
export class Client {
	/** All tokens that the credential has held so far. n8n authenticates each request with the latest. */
	private readonly tokens = new Set<string>();

	/** Whether the service has answered, so that the address and the settings of the connection are right. */
	private hasAnswered = false;

	/** The latest credential as JSON. n8n passes it with each request, and comparing it takes less time than reading it. */
	private latest: string | undefined;

	constructor(
		private account: Account,
		private readonly send: Send,
	) {
		this.tokens.add(account.token);
	}

	/** Why no request can be sent with the credential; undefined if requests can be sent. */
	get unusable(): Failure | undefined {
		return this.account.unusable;
	}

	/** URL of the API. */
	get address(): string {
		return this.account.baseUrl;
	}

	/** Number of processes that share the account. */
	get workers(): number {
		return this.account.workers;
	}

	/** Applies the credential's current address, limits and token, to waiting requests too. */
	useLatest(credential: ICredentialDataDecryptedObject) {
		const latest = JSON.stringify(credential);
		if (latest === this.latest) return;
		this.latest = latest;
		const account = readAccount(credential);
		if (JSON.stringify(account) === JSON.stringify(this.account)) return;
		this.account = account;
		this.tokens.add(account.token);
		schedulerOf(account.key).use(account);
	}

	/** How many requests can be sent within a time if no other caller uses the account. */
	leaving(limits: Limits, milliseconds: number): number {
		return Math.min(...this.sharesOf(limits).map(({ count, windowMs }) => (count / windowMs) * milliseconds));
	}

	/** The longest window of these limits, in milliseconds; 0 without a limit. */
	windowMs(limits: Limits): number {
		return Math.max(0, ...this.sharesOf(limits).map(({ windowMs }) => windowMs));
	}

	/** This process's share of the limits. */
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
	 * @param most number of rows wanted
	 * @param slot of the first request, if the caller has it
	 * @returns 'notSent' if nothing was sent, 'interrupted' if the caller left between two pages
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

	/** Requests one page, numbered from 1, and repeats the request as long as that is harmless. */
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

	/** Builds new options for every attempt, because n8n writes the token into them. */
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
		/** Failure of an attempt that the service may have processed. */
		let inDoubt: Failure | undefined;
		const repeats = new Repeats(request.idempotent);
		let slot = firstSlot ?? (await this.slot(caller, request.limits));
		for (;;) {
			if (!slot) return inDoubt ? { failure: inDoubt } : 'notSent';
			if ('failure' in slot) {
				caller.gaveUp?.();
				return { failure: inDoubt ?? slot.failure };
			}
			const attempt = await this.attempt(caller, request, page, { slot, repeats });
			if (!('failure' in attempt)) return attempt;
			const { failure, again } = attempt;
			if (failure.outcome === 'unknown') inDoubt = failure;
			if (!again) return { failure: inDoubt ? afterDoubt(inDoubt, failure) : failure };
			await wait(again.waitMs, caller.signal);
			slot = await this.slot(caller, request.limits, 0, again);
		}
	}

	private async attempt(
		caller: Caller,
		request: ServiceRequest,
		page: number,
		{ slot, repeats }: { slot: Slot; repeats: Repeats },
	): Promise<Page | (Failed & { again: Again | undefined })> {
		let isAnswered = false;
		let count: Count | undefined;
		try {
			const sent = await this.sendOnce(request, page);
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
		const isConnection = failure.status === undefined;
		if (failure.repeat === 'afterTrouble' && (!isConnection || (caller.isPatient && this.hasAnswered))) {
			const retry = slot.scheduler.trouble(slot, failure);
			if (failure.concerns === 'limit') caller.refused?.(retry?.waitMs ?? 0);
			// The scheduler delays it.
			return retry && { ...retry, waitMs: 0 };
		}
		const waitMs = repeats.nextAfter(failure);
		const { since, attempts } = slot.request;
		return waitMs === undefined ? undefined : { since, attempts: attempts + 1, waitMs };
	}

	/** Sends one request and reads its answer. The result contains no token. */
	private async sendOnce(
		request: ServiceRequest,
		page: number,
	): Promise<{ answer: ReadAnswer; count?: Count | undefined }> {
		const sent = await this.exchange(request, page);
		if ('failure' in sent) return { answer: { failure: withoutTokens(sent.failure, this.tokens) } };
		try {
			// Tokens are removed before reading, because reading may shorten a text within a token.
			const answer = withoutTokens(sent, this.tokens);
			return {
				answer: readAnswer(answer, request.answer, request.labels, Date.now()),
				count: readCount(answer.headers),
			};
		} catch (error) {
			return { answer: { failure: withoutTokens(brokenHere(error, 'unknown'), this.tokens) } };
		}
	}

	/** Sends a request to the credential's current address, which the witness learns from n8n. */
	private async exchange(request: ServiceRequest, page: number): Promise<ServiceAnswer | Failed> {
		for (;;) {
			if (this.unusable) return { failure: this.unusable };
			const options = this.optionsOf(request, page);
			let hasMoved = false;
			addWitness(options, (credential) => {
				this.useLatest(credential);
				hasMoved = this.address !== options.baseURL;
				// A changed token must not go to the old address.
				if (hasMoved) throw new Error('The address of the service has changed');
			});
			try {
				const timeoutMs = (request.sending?.timeout ?? usualTimeoutMs) + graceMs;
				return (await within(timeoutMs, this.send(options))) ?? { failure: timedOut() };
			} catch (error) {
				// If the address has changed, nothing was sent, and the next round uses the new address.
				if (!hasMoved) return { failure: readTransportError(error) };
			}
		}
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
