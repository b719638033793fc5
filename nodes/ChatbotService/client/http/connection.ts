import type { IHttpRequestOptions } from 'n8n-workflow';

import { readAccount, type Account } from '../credential/account';
import { readAnswer, type Page, type ServiceAnswer } from './answer';
import { withTokenAdvice } from '../failure/advice';
import { brokenHere, timedOut, unsupportedN8n } from '../failure/failure';
import { readCount, type Count } from '../pace/bursts';
import { schedulerOf } from '../pace/schedulers';
import { placeParameters } from './placement';
import { addWitness, requestDefaults, usualTimeoutMs, type ServiceRequest } from './request';
import type { Failed, Failure } from '../failure/result';
import { withoutTokens } from '../credential/secrets';
import { readTransportError } from './transport';
import { parsed } from '../../shared/json';
import { wait } from '../pace/clock';

/* One attempt, with the credential as it is at that moment: the user may edit it during a run. What it returns contains no token. */

/** Sends one request and returns its answer, whatever its status. @throws if there is no answer */
export type Send = (options: IHttpRequestOptions) => Promise<ServiceAnswer>;

/**
 * Time after the timeout until this node ends a request that n8n does not end. Enough for an answer that has begun.
 *
 * The HTTP client of n8n 2.8 waits forever for a truncated compressed answer and for a proxy that never answers. In all release lines,
 * the Timeout does not end an answer that arrives slowly, in small pieces.
 */
const graceMs = 10_000;

export class Connection {
	/** All tokens that the credential has held so far, because an answer can contain an earlier one. */
	private readonly tokens: Set<string>;

	constructor(
		public account: Account,
		private readonly send: Send,
	) {
		this.tokens = new Set([account.token]);
	}

	/** Sends a request and reads its answer. Neither contains a token. */
	async exchange(request: ServiceRequest): Promise<{ answer: Page | Failed; count?: Count | undefined }> {
		const failed = (failure: Failure) => ({ answer: { failure: withoutTokens(failure, this.tokens) } });
		const sent = await this.sendOnce(request);
		if ('failure' in sent) return failed(sent.failure);
		try {
			// Tokens are removed before reading, because reading may shorten a text within a token.
			const received = withoutTokens({ ...sent, body: parsed(sent.body) }, this.tokens);
			const answer = readAnswer(received, request.answer, request.labels, Date.now());
			const count = readCount(received.headers);
			if (!('failure' in answer) || this.account.tokenPlace.in === 'query') return { answer, count };
			return { answer: { failure: withTokenAdvice(answer.failure) }, count };
		} catch (error) {
			return failed(brokenHere(error, 'unknown'));
		}
	}

	/** Sends a request with the credential that n8n reads for it, and applies that credential to what waits. */
	private async sendOnce(request: ServiceRequest): Promise<ServiceAnswer | Failed> {
		if (this.account.unusable) return { failure: this.account.unusable };
		const options = this.optionsOf(request);
		// Undefined until n8n calls the witness.
		let used = undefined as Account | undefined;
		addWitness(options, (credential) => {
			used = this.account = readAccount(credential);
			this.tokens.add(used.token);
			schedulerOf(used.key).use(used);
			// A changed token must not go to the old address.
			options.baseURL = used.baseUrl;
		});
		try {
			const timeoutMs = (request.sending?.timeout ?? usualTimeoutMs) + graceMs;
			const answer = await within(timeoutMs, this.send(options));
			if (!answer) return { failure: timedOut() };
			return used ? answer : this.endUnwitnessed();
		} catch (error) {
			return { failure: used?.unusable ?? readTransportError(error) };
		}
	}

	/** Drops an answer, which may contain a token that the node does not know, and sends nothing more. */
	private endUnwitnessed(): Failed {
		this.account = { ...this.account, unusable: unsupportedN8n('notDone') };
		return { failure: unsupportedN8n('unknown') };
	}

	/** Builds new options for every attempt, because n8n writes the token into them. */
	private optionsOf(request: ServiceRequest): IHttpRequestOptions {
		const { baseUrl, tokenPlace } = this.account;
		const { method, url, parameters, sending } = request;
		const path = `${new URL(baseUrl).pathname}${url}`;
		const { query, body } = placeParameters(parameters, { ...request, path, tokenPlace });
		return {
			...sending,
			...requestDefaults,
			headers: { ...requestDefaults.headers },
			ignoreHttpStatusErrors: true,
			returnFullResponse: true,
			// n8n would round long numbers.
			encoding: 'text',
			method,
			baseURL: baseUrl,
			url,
			qs: query,
			body,
		};
	}
}

/** Returns the result of the work, or undefined if it takes too long; a later result is ignored. @throws what the work throws */
async function within<T>(milliseconds: number, work: Promise<T>): Promise<T | undefined> {
	const ended = new AbortController();
	try {
		return await Promise.race([work, wait(milliseconds, ended.signal).then(() => undefined)]);
	} finally {
		// Without a reason, `abort` creates an exception with its stack, which takes longer than the rest of this function.
		ended.abort('ended');
	}
}
