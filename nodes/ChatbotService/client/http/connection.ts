import type { ICredentialDataDecryptedObject, IHttpRequestOptions } from 'n8n-workflow';

import { readAccount, type Account } from '../credential/account';
import { readAnswer, type ReadAnswer, type ServiceAnswer } from './answer';
import { withTokenAdvice } from '../failure/advice';
import { brokenHere, credentialChanges, timedOut, unsupportedN8n } from '../failure/failure';
import { readCount } from './headers';
import type { Count } from '../pace/bursts';
import { schedulerOf } from '../pace/schedulers';
import { placeParameters } from './placement';
import { addWitness, requestDefaults, usualTimeoutMs, type ServiceRequest } from './request';
import type { Failed } from '../failure/result';
import { withoutTokens } from '../credential/secrets';
import { readTransportError } from './transport';
import { parsed } from '../../shared/json';
import { within } from '../../shared/wait';

/* One attempt, with the credential as it is at that moment: the user may edit it during a run. What it returns contains no token. */

/** Sends one request and returns its answer, whatever its status. @throws if there is no answer */
export type Send = (options: IHttpRequestOptions) => Promise<ServiceAnswer>;

/** Time after the timeout until this node ends a request that n8n does not end. Enough for an answer that has begun. */
const graceMs = 10_000;

/** How often in a row the address may change before a request leaves. Base URL may be an expression that is never the same. */
const mostChanges = 3;

export class Connection {
	/** All tokens that the credential has held so far. n8n authenticates each request with the latest. */
	private readonly tokens: Set<string>;

	constructor(
		public account: Account,
		private readonly send: Send,
	) {
		this.tokens = new Set([account.token]);
	}

	/** Sends a request and reads its answer. Neither contains a token. */
	async exchange(request: ServiceRequest): Promise<{ answer: ReadAnswer; count?: Count | undefined }> {
		const sent = await this.sendOnce(request);
		if ('failure' in sent) return { answer: { failure: withoutTokens(sent.failure, this.tokens) } };
		try {
			// Tokens are removed before reading, because reading may shorten a text within a token.
			const received = withoutTokens({ ...sent, body: parsed(sent.body) }, this.tokens);
			const answer = readAnswer(received, request.answer, request.labels, Date.now());
			const isAdvised = 'failure' in answer && this.account.tokenLength === 0;
			return {
				answer: isAdvised ? { failure: withTokenAdvice(answer.failure) } : answer,
				count: readCount(received.headers),
			};
		} catch (error) {
			return { answer: { failure: withoutTokens(brokenHere(error, 'unknown'), this.tokens) } };
		}
	}

	/** Sends a request to the credential's current address, which the witness learns from n8n. */
	private async sendOnce(request: ServiceRequest): Promise<ServiceAnswer | Failed> {
		for (let changes = 0; changes < mostChanges; changes++) {
			if (this.account.unusable) return { failure: this.account.unusable };
			const options = this.optionsOf(request);
			let isWitnessed = false;
			let isOutdated = false;
			addWitness(options, (credential) => {
				isWitnessed = true;
				this.useLatest(credential);
				isOutdated = this.account.baseUrl !== options.baseURL || this.account.unusable !== undefined;
				// A changed token must not go to the old address.
				if (isOutdated) throw new Error('The credential has changed');
			});
			try {
				const timeoutMs = (request.sending?.timeout ?? usualTimeoutMs) + graceMs;
				const answer = await within(timeoutMs, this.send(options));
				if (!answer) return { failure: timedOut() };
				return isWitnessed ? answer : this.endUnwitnessed();
			} catch (error) {
				// If the credential has changed, nothing was sent, and the next round uses the new one.
				if (!isOutdated) return { failure: readTransportError(error) };
			}
		}
		return { failure: this.account.unusable ?? credentialChanges() };
	}

	/** Drops an answer, which may contain a token that the node does not know, and sends nothing more. */
	private endUnwitnessed(): Failed {
		this.account = { ...this.account, unusable: unsupportedN8n('notDone') };
		return { failure: unsupportedN8n('unknown') };
	}

	/** Builds new options for every attempt, because n8n writes the token into them. */
	private optionsOf(request: ServiceRequest): IHttpRequestOptions {
		const { baseUrl, tokenLength } = this.account;
		const { method, url, parameters, place, longInBody, alsoInQuery, sending } = request;
		const { query, body } = placeParameters(parameters, {
			place,
			path: `${new URL(baseUrl).pathname}${url}`,
			tokenLength,
			longInBody,
			alsoInQuery,
		});
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

	/** Applies the credential's current address, limits and token, to waiting requests too. */
	private useLatest(credential: ICredentialDataDecryptedObject) {
		this.account = readAccount(credential);
		this.tokens.add(this.account.token);
		schedulerOf(this.account.key).use(this.account);
	}
}
