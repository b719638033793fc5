import type { ICredentialDataDecryptedObject, IDataObject, IHttpRequestOptions } from 'n8n-workflow';

import type { Advice } from '../failure/advice';
import type { AnswerShape, Labels } from './answer';
import type { Limits } from '../pace/limits';
import type { Place, WireParameter } from './placement';

/* What a request is, the headers that all of them have, and how a client learns with which credential n8n has sent one. */

/** A request to the API, without the account's limits and token, which the client adds. */
export interface ServiceRequest {
	method: 'GET' | 'POST';
	/** Path of the endpoint below the base URL, such as `/sendMessage`. */
	url: string;
	parameters: WireParameter[];
	place: Place;
	/** Whether query parameters may travel as a JSON body if the request target is too long. */
	longInBody: boolean;
	/** An object in the body whose values also travel in the query, because services look for them in different places. */
	alsoInQuery?: string | undefined;
	answer: AnswerShape;
	labels: Labels;
	/** Whether two identical requests have the same effect as one. */
	idempotent: boolean;
	/** Limits that the request counts towards, in addition to the account's. */
	limits: Limits;
	/** Texts of the operation for failures; undefined if it only reads. */
	advice: Advice | undefined;
	/** Options that the user has set; the defaults apply to the others. */
	sending?: Sending | undefined;
	/** For a list: the parameter that sets how many rows a page has, and the most that the service accepts. */
	pageSize?: { name: string; most: number } | undefined;
	/** For a list: what a row looks like in the output, if not as the service writes it. */
	shape?: ((row: IDataObject) => IDataObject) | undefined;
	/** For a list: whether its further pages are not wanted. */
	onlyFirstPage?: boolean;
	/** Whether its caller may go on after a failure, so that nothing is given up. */
	mayFail?: boolean;
	/** Whether it belongs to an item that changes something: then a request that only reads leaves nothing in doubt. */
	ofChange?: boolean;
}

export type Sending = Pick<IHttpRequestOptions, 'timeout' | 'proxy' | 'skipSslCertificateValidation'>;

/** Timeout in milliseconds if the user sets none: n8n's own default for declarative nodes. */
export const usualTimeoutMs = 300_000;

/** The same for a message, so that one silent answer does not hold up a run. */
export const messageTimeoutMs = 60_000;

export const requestDefaults = {
	headers: {
		// Without both, the service answers with a web page or redirects to its login page.
		Accept: 'application/json',
		'X-Requested-With': 'XMLHttpRequest',
	},
	disableFollowRedirect: true,
} as const;

/** Called with the credential that authenticates a request. It may still change where the request goes. */
type Witness = (credential: ICredentialDataDecryptedObject) => void;

/**
 * Adds a witness to a request. n8n reads the credential for each request, since the user may have edited it, and passes the same
 * options object to the credential's `authenticate`. The property is not enumerable, so copies do not have it. If an n8n passes a copy,
 * the answer comes without a call of the witness, and ends the run.
 */
export const addWitness = (options: object, witness: Witness) =>
	Object.defineProperty(options, 'witness', { value: witness });

/** Undefined for requests of other nodes, such as HTTP Request. */
export const witnessOf = (options: object): Witness | undefined => (options as { witness?: Witness }).witness;
