import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

/* Where the token is sent. The credential and the client both read it here. */

/** Name of the query parameter if the user enters none, as the services document it. */
export const usualTokenName = 'api_token';

/** Where a credential sends its token. @param credential of the type `chatbotServiceApi` */
export function tokenPlaceOf(credential: ICredentialDataDecryptedObject): {
	in: 'query' | 'header';
	name: string;
	value: string;
} {
	const token = tokenOf(credential);
	const name = String(credential.tokenName ?? '').trim();
	switch (credential.tokenPlacement) {
		case 'bearer':
			return { in: 'header', name: 'Authorization', value: `Bearer ${token}` };
		case 'header':
			// The field has one default for both placements, and nginx drops headers with an underscore.
			return { in: 'header', name: name && name !== usualTokenName ? name : 'Authorization', value: token };
		default:
			return { in: 'query', name: name || usualTokenName, value: token };
	}
}

/** The token as it is sent, without blanks from pasting. */
export const tokenOf = (credential: ICredentialDataDecryptedObject): string =>
	String(credential.token ?? '').trim();

/** Characters that Node.js rejects in a header. */
const notInHeaders = /[^\t\x20-\x7e\x80-\xff]/;
const headerName = /^[\w!#$%&'*+.^`|~-]+$/;

/** Label of the part of a credential that HTTP cannot carry; undefined if there is none. */
export function unsendablePartOf(
	credential: ICredentialDataDecryptedObject,
): 'API Token' | 'Parameter or Header Name' | undefined {
	const place = tokenPlaceOf(credential);
	if (place.in === 'query') return undefined;
	if (!headerName.test(place.name)) return 'Parameter or Header Name';
	return notInHeaders.test(place.value) ? 'API Token' : undefined;
}
