import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { baseUrlOf, isAddress } from './baseUrl';
import { invalidAddress, invalidPace, invalidToken, invalidWorkers, type Failure } from '../failure/failure';
import { accountLimit, type Limits, type Pace } from '../pace/limits';
import { digestOf, isEmpty, numberIn } from '../../shared/values';

/*
 * What the credential says: address, token, pace, or why no request can be sent with it. All credentials with the same address and
 * token are one account and share its limits.
 */

export const credentialType = 'chatbotServiceApi';

/** Documented limit of an account over all operations. */
export const usualRequestsPerSecond = 2;

/** Name of the query parameter if the user enters none, as the services document it. */
export const usualTokenName = 'api_token';

/** Where a request carries the token. */
interface TokenPlace {
	in: 'query' | 'header';
	name: string;
	value: string;
}

/** The parts of a credential that a client uses. */
export interface Account extends Pace {
	/** Equal for all credentials with the same address and token. A digest, so it does not reveal the token. */
	key: string;
	token: string;
	tokenPlace: TokenPlace;
	/** URL of the API: the address of the service with `/api/v1`. */
	baseUrl: string;
	/** Why no request can be sent with the credential; undefined if requests can be sent. */
	unusable: Failure | undefined;
}

/** @param credential of the type `chatbotServiceApi` */
export function readAccount(credential: ICredentialDataDecryptedObject): Account {
	// Without blanks from pasting.
	const token = String(credential.token ?? '').trim();
	const tokenPlace = tokenPlaceOf(credential, token);
	const baseUrl = baseUrlOf(credential.baseUrl);
	const perSecond = numberOr(usualRequestsPerSecond, credential.requestsPerSecond);
	const workers = numberOr(1, credential.workers);
	const hasAddress = isAddress(credential.baseUrl);
	const isPace = perSecond >= 0;
	const areWorkers = Number.isSafeInteger(workers) && workers >= 1;
	const unsendable = unsendablePartOf(tokenPlace);
	let unusable: Failure | undefined;
	if (!hasAddress) unusable = invalidAddress();
	else if (!isPace) unusable = invalidPace(credential.requestsPerSecond);
	else if (!areWorkers) unusable = invalidWorkers(credential.workers);
	else if (unsendable) unusable = invalidToken(unsendable);
	return {
		key: digestOf([hasAddress ? new URL(baseUrl).href : baseUrl, token]),
		token,
		tokenPlace,
		baseUrl,
		unusable,
		limits: limitsOf(isPace ? perSecond : usualRequestsPerSecond),
		workers: areWorkers ? workers : 1,
		bursts: credential.bursts === true,
	};
}

/** The usual number if the field is empty; NaN if its value is not a number. */
const numberOr = (usual: number, value: unknown): number =>
	isEmpty(value) ? usual : (numberIn(value) ?? NaN);

/** Limit of the account over all operations; none for 0. @param perSecond may be a fraction */
function limitsOf(perSecond: number): Limits {
	if (!perSecond) return {};
	const isWhole = Number.isInteger(perSecond);
	return {
		[accountLimit]: isWhole ? { count: perSecond, windowMs: 1000 } : { count: 1, windowMs: 1000 / perSecond },
	};
}

function tokenPlaceOf(
	{ tokenPlacement, tokenName }: ICredentialDataDecryptedObject,
	token: string,
): TokenPlace {
	const name = String(tokenName ?? '').trim();
	switch (tokenPlacement) {
		case 'bearer':
			return { in: 'header', name: 'Authorization', value: `Bearer ${token}` };
		case 'header':
			// The field has one default for both placements, and nginx drops headers with an underscore.
			return { in: 'header', name: name && name !== usualTokenName ? name : 'Authorization', value: token };
		default:
			return { in: 'query', name: name || usualTokenName, value: token };
	}
}

/** Characters that Node.js rejects in a header. */
const notInHeaders = /[^\t\x20-\x7e\x80-\xff]/;
const headerName = /^[\w!#$%&'*+.^`|~-]+$/;

/** Label of the part of a credential that HTTP cannot carry; undefined if there is none. */
function unsendablePartOf(place: TokenPlace): 'API Token' | 'Parameter or Header Name' | undefined {
	if (place.in === 'query') return undefined;
	if (!headerName.test(place.name)) return 'Parameter or Header Name';
	return notInHeaders.test(place.value) ? 'API Token' : undefined;
}
