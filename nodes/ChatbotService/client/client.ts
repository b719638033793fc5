import type { IDataObject, IHttpRequestOptions } from 'n8n-workflow';

import type { Account } from './account';
import { readAnswer, type AnswerShape, type Labels, type ReadAnswer, type ServiceAnswer } from './answer';
import { readCount, type Count } from './count';
import { invalidAddress, withAdvice, type Advice, type Failure } from './failure';
import { joinLimits, shareOf, type Limits } from './limits';
import { placeParameters, type WireParameter } from './placement';
import { requestDefaults } from './request';
import { nextAttemptIn } from './retry';
import { withoutToken } from './secrets';
import { readTransportError } from './transport';
import type { Taken, Turn, Turns } from './turn';
import { turnsOf } from './turnsByAccount';
import { wait } from './wait';

/*
 * From a request to its answer:
 *
 *     turn ─ request ─ answer ─ rows, or the failure in words
 *      └────── retry ────┘
 *
 * Runs of the node and the editor's lists ask the same way, so that both keep the account's pace and neither repeats what
 * the service may have done already.
 */

/** A request as the interface has it; the account's limits and token are the client's to add. */
export interface ServiceRequest {
	method: 'GET' | 'POST';
	/** Of the method, below the base URL, such as `/sendMessage`. */
	url: string;
	parameters: WireParameter[];
	/** Whether the parameters in the query may travel as a JSON body when the request target gets long. */
	longInBody: boolean;
	answer: AnswerShape;
	labels: Labels;
	/** Whether doing it twice leaves the service as doing it once does. */
	repeatable: boolean;
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
	/** Ended when nothing more is to leave; what waits then ends with 'notSent'. */
	signal: AbortSignal;
	/** Told of every refusal by a limit; nothing of the caller leaves for that long. */
	refused?: (waitMs: number) => void;
	/** Told that a request is given up, before another one takes its place. */
	gaveUp?: () => void;
}

/** Sends one request and yields its answer, whatever its status. @throws when there is no answer */
export type Send = (options: IHttpRequestOptions) => Promise<ServiceAnswer>;

/** What became of a request that was given up. */
export interface Failed {
	failure: Failure;
}

/** One page of rows. */
export type Page = Extract<ReadAnswer, { rows: IDataObject[] }>;

export class Client {
	/** Why nothing can be asked for with this credential at all. */
	readonly unusable: Failure | undefined;

	/** Where the methods lie. */
	readonly address: string;

	private readonly path: string;

	/** By the limits of operations, which are few and the same objects every time. */
	private readonly joined = new Map<Limits, Limits>();

	constructor(
		private readonly account: Account,
		private readonly send: Send,
	) {
		this.address = account.baseUrl;
		this.turns.adjust(account);
		this.unusable = account.hasAddress ? undefined : invalidAddress();
		// Stryker disable next-line StringLiteral: without an address nothing is sent.
		this.path = account.hasAddress ? new URL(account.baseUrl).pathname : '';
	}

	private get turns(): Turns {
		return turnsOf(this.account);
	}

	/** How many requests can leave within a time in milliseconds, if nobody else asks. */
	leaving(limits: Limits, milliseconds: number): number {
		const { workers } = this.account;
		const shares = Object.values(this.limitsWith(limits)).map((limit) => shareOf(limit, workers));
		return Math.min(...shares.map(({ count, windowMs }) => (count / windowMs) * milliseconds));
	}

	/** Calls back once, in the turn of a first request; never if the caller leaves before. */
	lineUp(caller: Caller, limits: Limits, begin: (turn: Turn) => void) {
		this.turns.lineUp(caller, this.limitsWith(limits), begin);
	}

	/** Lets everything of a caller that still waits leave without being sent. */
	leave(caller: Caller) {
		this.turns.leave(caller);
	}

	/**
	 * Asks page after page until there are enough rows or no more pages.
	 *
	 * @param most rows that are wanted; undefined for all
	 * @param turn of the first request, where the caller has lined up for it
	 */
	async ask(
		caller: Caller,
		request: ServiceRequest,
		most = Infinity,
		turn?: Turn,
	): Promise<{ rows: IDataObject[] } | Failed | 'notSent'> {
		const rows: IDataObject[] = [];
		for (let number = 1; ; number++) {
			const page = await this.askPage(caller, request, number, number === 1 ? turn : undefined);
			if (page === 'notSent' || 'failure' in page) return page;
			rows.push(...page.rows);
			if (rows.length >= most) return { rows: rows.slice(0, most) };
			const more = page.page && page.rows.length > 0 && page.page.current < page.page.last;
			if (!more) return { rows };
		}
	}

	/** Asks for one page, the first of which is 1, and again as far as that is harmless. */
	async askPage(
		caller: Caller,
		request: ServiceRequest,
		number: number,
		turn?: Turn,
	): Promise<Page | Failed | 'notSent'> {
		if (this.unusable) return { failure: this.unusable };
		const { account } = this;
		const outcome = await this.untilAnswered(caller, request, number, turn);
		if (outcome === 'notSent') return outcome;
		if (!('failure' in outcome)) return { ...outcome, rows: withoutToken(outcome.rows, account.token) };
		const hasAssumed = Object.values(request.limits).some(({ assumed }) => assumed);
		const failure = withAdvice(outcome.failure, request.advice, { hasAssumed });
		return { failure: withoutToken(failure, account.token) };
	}

	/** New ones for every attempt, because n8n writes the token into what it is given. */
	private optionsOf(request: ServiceRequest, page: number): IHttpRequestOptions {
		const { account } = this;
		const { method, url, parameters, longInBody, sending } = request;
		const { query, body } = placeParameters(parameters, {
			path: `${this.path}${url}`,
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
		firstTurn: Turn | undefined,
	): Promise<Page | Failed | 'notSent'> {
		const limits = this.limitsWith(request.limits);
		/** The attempt after which nobody knows whether the service has done it. */
		let inDoubt: Failure | undefined;
		const notSent = (): Failed | 'notSent' => (inDoubt ? { failure: inDoubt } : 'notSent');
		for (let made = 1, waitedMs = 0; ; made++) {
			const turn = made === 1 ? firstTurn : undefined;
			if (!turn && caller.signal.aborted) return notSent();
			let next: number | undefined;
			const attempt = async (): Promise<Taken & { answer: ReadAnswer }> => {
				const { answer, count } = await this.once(request, page);
				if (!('failure' in answer)) return { answer, count };
				const { failure } = answer;
				if (failure.outcome === 'unknown') inDoubt = failure;
				next = nextAttemptIn(failure, { repeatable: request.repeatable, made, waitedMs });
				if (failure.repeat === 'afterLimit') caller.refused?.(next ?? 0);
				if (next === undefined) caller.gaveUp?.();
				return { answer, count, ...paceAfter(failure, next) };
			};
			const taken = turn
				? await this.turns.use(turn, attempt)
				: await this.turns.take({ run: caller, limits, first: made > 1 }, attempt);
			if (!taken) return notSent();
			const { answer } = taken;
			if (!('failure' in answer)) return answer;
			const { failure } = answer;
			// A refusal now says nothing of the attempts before.
			if (next === undefined) return { failure: inDoubt ? { ...failure, outcome: 'unknown' } : failure };
			waitedMs += failure.retryAfterMs ?? next;
			// Where the pace was told, it waits for this request and all others.
			if (!taken.refused && taken.closedMs === undefined) await wait(next, caller.signal);
		}
	}

	/** One request and its answer, or what kept the answer away. */
	private async once(
		request: ServiceRequest,
		page: number,
	): Promise<{ answer: ReadAnswer; count?: Count | undefined }> {
		try {
			const answer = await this.send(this.optionsOf(request, page));
			return {
				answer: readAnswer(answer, request.answer, request.labels, Date.now()),
				count: readCount(answer.headers),
			};
		} catch (error) {
			return { answer: { failure: readTransportError(error) } };
		}
	}

	private limitsWith(limits: Limits): Limits {
		const joined = this.joined.get(limits) ?? joinLimits(this.account.limits, limits);
		this.joined.set(limits, joined);
		return joined;
	}
}

/** What a failure means for all requests of the account. @param waitMs until it is tried again; undefined when it is not */
function paceAfter({ repeat, retryAfterMs }: Failure, waitMs: number | undefined): Taken {
	if (repeat === 'afterLimit') return { refused: { askedMs: retryAfterMs, waitMs } };
	return repeat === 'afterMaintenance' && waitMs ? { closedMs: waitMs } : {};
}
