import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { baseUrlOf, isAddress } from './baseUrl';
import { digestOf } from './digest';
import { invalidAddress, invalidPace, invalidToken, type Failure } from './failure';
import { accountLimits, usualRequestsPerSecond, type Limits } from './pace/limits';
import { encodedLength } from './placement';
import { tokenOf, tokenPlaceOf, unsendablePartOf } from './token';
import { isEmpty, numberIn } from './values';

/** Name of the credential's type in n8n. */
export const credentialType = 'chatbotServiceApi';

/** What a client needs to know of a credential. */
export interface Account {
	/** The same for all credentials of one account, whatever they are called; it tells nothing of the token. */
	key: string;
	token: string;
	/** Characters that the token adds to the query of each request. */
	tokenLength: number;
	/** Where the methods lie: the address of the service with `/api/v1`. */
	baseUrl: string;
	/** Why no request can be sent with the credential at all. */
	unusable: Failure | undefined;
	limits: Limits;
	/** Among how many processes the limits are shared. */
	workers: number;
	/** Whether what is left of a minute, by the service's own count, is used at once. */
	bursts: boolean;
}

/** @param credential of the type `chatbotServiceApi` */
export function readAccount(credential: ICredentialDataDecryptedObject): Account {
	const token = tokenOf(credential);
	const place = tokenPlaceOf(credential);
	const baseUrl = baseUrlOf(credential.baseUrl);
	const requestsPerSecond = requestsPerSecondOf(credential);
	return {
		key: digestOf([isAddress(baseUrl) ? new URL(baseUrl).href : baseUrl, token]),
		token,
		tokenLength: place.in === 'query' ? encodedLength(place.name) + encodedLength(place.value) + 2 : 0,
		baseUrl,
		unusable: whyUnusable(credential),
		limits: accountLimits(requestsPerSecond ?? usualRequestsPerSecond),
		workers: Math.max(1, Number(credential.workers ?? 1) || 1),
		bursts: credential.bursts === true,
	};
}

/** The pace that a credential says, the usual one where it says none; undefined where it says no pace that could be kept. */
export function requestsPerSecondOf({
	requestsPerSecond,
}: ICredentialDataDecryptedObject): number | undefined {
	if (isEmpty(requestsPerSecond)) return usualRequestsPerSecond;
	const number = numberIn(requestsPerSecond);
	return number !== undefined && number >= 0 ? number : undefined;
}

function whyUnusable(credential: ICredentialDataDecryptedObject): Failure | undefined {
	if (!isAddress(credential.baseUrl)) return invalidAddress();
	const unsendable = unsendablePartOf(credential);
	if (unsendable) return invalidToken(unsendable);
	return requestsPerSecondOf(credential) === undefined
		? invalidPace(credential.requestsPerSecond)
		: undefined;
}
