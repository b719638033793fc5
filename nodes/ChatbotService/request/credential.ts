import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { baseUrlOf, isAddress } from '../shared/baseUrl';
import { accountLimits, type Limits } from './limits';

/** What the pipeline needs to know of a credential. */
export interface Account {
	/** The same for all credentials of one account, whatever they are called. */
	key: string;
	token: string;
	/** Characters that the token adds to the query of each request. */
	tokenLength: number;
	/** Whether the base URL is an address at all. */
	hasAddress: boolean;
	limits: Limits;
	/** Among how many processes the limits are shared. */
	workers: number;
}

/** @param credential of the type `chatbotServiceApi` */
export function readAccount(credential: ICredentialDataDecryptedObject): Account {
	const token = String(credential.token ?? '').trim();
	const name = String(credential.tokenName ?? '');
	const inQuery = (credential.tokenPlacement ?? 'query') === 'query';
	const baseUrl = baseUrlOf(credential.baseUrl);
	return {
		key: `${baseUrl} ${token}`,
		token,
		tokenLength: inQuery ? name.length + encodeURIComponent(token).length + 2 : 0,
		hasAddress: isAddress(credential.baseUrl),
		limits: accountLimits(Number(credential.requestsPerSecond ?? 2)),
		workers: Math.max(1, Number(credential.workers ?? 1) || 1),
	};
}
