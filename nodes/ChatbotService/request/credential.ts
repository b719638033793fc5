import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

/** What the pipeline needs to know of a credential. */
export interface Account {
	/** The same for all credentials of one account, whatever they are called. */
	key: string;
	token: string;
	/** Characters that the token adds to the query of each request. */
	tokenLength: number;
}

/** @param credential of the type `chatbotServiceApi` */
export function readAccount(credential: ICredentialDataDecryptedObject): Account {
	const token = String(credential.token ?? '').trim();
	const name = String(credential.tokenName ?? '');
	const inQuery = (credential.tokenPlacement ?? 'query') === 'query';
	return {
		key: `${String(credential.baseUrl ?? '')} ${token}`,
		token,
		tokenLength: inQuery ? name.length + encodeURIComponent(token).length + 2 : 0,
	};
}
