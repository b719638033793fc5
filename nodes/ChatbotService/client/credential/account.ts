import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { baseUrlOf, isAddress } from './baseUrl';
import { digestOf } from '../../shared/digest';
import { encodedLength } from '../../shared/encodedLength';
import { invalidAddress, invalidPace, invalidToken, invalidWorkers, type Failure } from '../failure/failure';
import { accountLimit, type Limits, type Pace } from '../pace/limits';
import { tokenOf, tokenPlaceOf, unsendablePartOf } from './token';
import { isEmpty, numberIn } from '../../shared/values';

/*
 * What the credential says: address, token, pace, or why no request can be sent with it. All credentials with the same address and
 * token are one account and share its limits.
 */

export const credentialType = 'chatbotServiceApi';

/** Documented limit of an account over all operations. */
export const usualRequestsPerSecond = 2;

/** The parts of a credential that a client uses. */
export interface Account extends Pace {
	/** Equal for all credentials with the same address and token. A digest, so it does not reveal the token. */
	key: string;
	token: string;
	/** Characters that the token adds to the query of each request. */
	tokenLength: number;
	/** URL of the API: the address of the service with `/api/v1`. */
	baseUrl: string;
	/** Why no request can be sent with the credential; undefined if requests can be sent. */
	unusable: Failure | undefined;
}

export function readAccount(credential: ICredentialDataDecryptedObject): Account {
	const token = tokenOf(credential);
	const place = tokenPlaceOf(credential);
	const baseUrl = baseUrlOf(credential.baseUrl);
	const perSecond = numberOr(usualRequestsPerSecond, credential.requestsPerSecond);
	const workers = numberOr(1, credential.workers);
	const hasAddress = isAddress(credential.baseUrl);
	const isPace = perSecond >= 0;
	const areWorkers = Number.isSafeInteger(workers) && workers >= 1;
	const unsendable = unsendablePartOf(credential);
	let unusable: Failure | undefined;
	if (!hasAddress) unusable = invalidAddress();
	else if (!isPace) unusable = invalidPace(credential.requestsPerSecond);
	else if (!areWorkers) unusable = invalidWorkers(credential.workers);
	else if (unsendable) unusable = invalidToken(unsendable);
	return {
		key: digestOf([hasAddress ? new URL(baseUrl).href : baseUrl, token]),
		token,
		tokenLength: place.in === 'query' ? encodedLength(place.name) + encodedLength(place.value) + 2 : 0,
		baseUrl,
		unusable,
		limits: accountLimits(isPace ? perSecond : usualRequestsPerSecond),
		workers: areWorkers ? workers : 1,
		bursts: credential.bursts === true,
	};
}

/** The usual number if the field is empty; NaN if its value is not a number. */
const numberOr = (usual: number, value: unknown): number =>
	isEmpty(value) ? usual : (numberIn(value) ?? NaN);

/** Limit of the account over all operations; none for 0. @param requestsPerSecond may be a fraction */
export function accountLimits(requestsPerSecond: number): Limits {
	if (!requestsPerSecond) return {};
	return {
		[accountLimit]: Number.isInteger(requestsPerSecond)
			? { count: requestsPerSecond, windowMs: 1000 }
			: { count: 1, windowMs: 1000 / requestsPerSecond },
	};
}
