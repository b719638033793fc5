import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

/** Options of every request to the service. */
export const requestDefaults = {
	headers: {
		// Without both, the service answers with a web page or redirects to its login page.
		Accept: 'application/json',
		'X-Requested-With': 'XMLHttpRequest',
	},
	disableFollowRedirect: true,
} as const;

/** Called with the credential that authenticates a request. @throws if the request must not be sent with it */
export type Witness = (credential: ICredentialDataDecryptedObject) => void;

/**
 * Adds a witness to a request. n8n reads the credential for each request, since the user may have edited it, and passes the same
 * options object to the credential's `authenticate`. The property is not enumerable, so copies do not have it.
 */
export const addWitness = (options: object, witness: Witness) =>
	Object.defineProperty(options, 'witness', { value: witness });

/** Undefined for requests of other nodes, such as HTTP Request. */
export const witnessOf = (options: object): Witness | undefined => (options as { witness?: Witness }).witness;
