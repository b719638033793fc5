import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

/** What every request to the service has in common. */
export const requestDefaults = {
	headers: {
		// Without both, the service answers with a web page or sends the request to its login page.
		Accept: 'application/json',
		'X-Requested-With': 'XMLHttpRequest',
	},
	disableFollowRedirect: true,
} as const;

/** Told which credential a request is authenticated with. @throws where the request must not be sent with it */
export type Witness = (credential: ICredentialDataDecryptedObject) => void;

/**
 * Has a request tell which credential it is authenticated with. n8n reads the credential for each request, and the user may have
 * edited it since the run began; its `authenticate` gets the very object that the node has handed to n8n. What is added is not
 * enumerable, so that nobody copies it.
 */
export const addWitness = (options: object, witness: Witness) =>
	Object.defineProperty(options, 'witness', { value: witness });

/** Undefined for a request that is not the node's, such as one of the HTTP Request node. */
export const witnessOf = (options: object): Witness | undefined => (options as { witness?: Witness }).witness;
