import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

/** How a credential sends its token: in the query or in a header, under a name, as a text. */
export interface TokenPlace {
	in: 'query' | 'header';
	name: string;
	value: string;
}

/** @param credential of the type `chatbotServiceApi` */
export function tokenPlaceOf(credential: ICredentialDataDecryptedObject): TokenPlace {
	const token = tokenOf(credential);
	const name = String(credential.tokenName ?? '').trim();
	switch (credential.tokenPlacement) {
		case 'bearer':
			return { in: 'header', name: 'Authorization', value: `Bearer ${token}` };
		case 'header':
			return { in: 'header', name: name || 'Authorization', value: token };
		default:
			return { in: 'query', name: name || 'api_token', value: token };
	}
}

/** The token as it is sent; blanks around it come from pasting. */
export const tokenOf = (credential: ICredentialDataDecryptedObject): string =>
	String(credential.token ?? '').trim();
