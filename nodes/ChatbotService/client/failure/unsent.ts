import { notDone, ofAccount, type Failure } from './result';
import { n8nSays, quote, wordsOf } from '../../shared/quote';

/* Failures before a request was written: of the credential, of its settings, and of the connection. */

/** By default, every request with these settings fails. */
const notSent = (message: string, description: string, more?: Partial<Failure>): Failure =>
	notDone(message, `Nothing was sent. ${description.trim()}`, { ...ofAccount, ...more });

export const credentialUnreadable = (error: unknown): Failure =>
	notDone(
		'The credential of the node cannot be read',
		`Open the credential in the node and save it again. If it no longer exists, choose another one.${n8nSays(wordsOf(error))}`,
	);

/** @param first index of an item @param other index of an item with another address or token */
export const credentialDiffers = (first: number, other: number): Failure =>
	notDone(
		'The credential of the node has expressions that give another address or token for other items',
		`Nothing was sent. n8n uses one credential for all items of a run, and it differs for item ${first} and item ${first + other}. Put the node Loop Over Items before this node, with a Batch Size of 1, and connect this node's output back to it: then each item is sent with its own credential.`,
	);

/** Does not quote the value, which can contain a token. */
export const invalidAddress = (): Failure =>
	notDone(
		"'Base URL' in the credential is not a valid URL",
		'Enter it as in the address bar of the browser when you are logged in to the service, such as https://watbot.ru.',
		ofAccount,
	);

/** With an invalid pace, requests would be sent without any pace. */
export const invalidPace = (found: unknown): Failure =>
	notSent(
		"'Requests per Second' in the credential must be a number, 0 or more",
		`Enter a number such as 2 or 0.5, or 0 for no limit. If the field contains an expression, check its result. Received: ${quote(found)}.`,
	);

/** Each process would use the limits as if it were alone. */
export const invalidWorkers = (found: unknown): Failure =>
	notSent(
		"'n8n Processes' in the credential must be a whole number, 1 or more",
		`Enter how many n8n processes use this account, such as 1. If the field contains an expression, check its result. Received: ${quote(found)}.`,
	);

/** @param label of the field in the credential */
export const invalidToken = (label: 'API Token' | 'Parameter or Header Name'): Failure =>
	notSent(
		`'${label}' in the credential contains characters that are not allowed in a header`,
		label === 'API Token'
			? "Paste the API token again from the page 'API' of your account in the service, without line breaks or invisible characters. Or choose 'Query Parameter' as 'Token Placement'."
			: "The name of a header consists of Latin letters, digits and hyphens, such as X-Api-Token. Correct 'Parameter or Header Name', or choose 'Query Parameter' as 'Token Placement'.",
	);

/** n8n's SSRF protection blocked the request. @param words of n8n */
export function addressBlocked(words: string[]): Failure {
	const says = [...new Set(words)].join('. ');
	// n8n looks for a name in its list of blocked ones before it looks at the IP address.
	const orAddress = /hostname is restricted/.test(says)
		? ''
		: ', or its IP address in N8N_SSRF_ALLOWED_IP_RANGES';
	return notSent(
		'n8n blocked the address of the service',
		`Check 'Base URL' in the credential, and the proxy if there is one. If they are right, the administrator of this n8n can allow the server: its name in N8N_SSRF_ALLOWED_HOSTNAMES${orAddress}.${n8nSays(says)}`,
	);
}

/** n8n does not use the credential for this request. @param words of n8n */
export const refusedByN8n = (words: string[]): Failure =>
	notSent(
		'n8n did not send the request',
		`Check the credential and its 'Base URL', or ask the administrator of this n8n.${n8nSays([...new Set(words)].join('. '))}`,
	);

export const unreachable = (reason: string): Failure =>
	notSent(
		'The service cannot be reached',
		`${reason} Check 'Base URL' in the credential, then the internet connection of the server on which n8n runs. If 'Proxy' is set under 'Request Options' on the Settings tab of the node, check it too.`,
		{ repeat: 'afterTrouble' },
	);

export const proxyRefused = (): Failure =>
	notSent(
		'The proxy between n8n and the service requires a user name and a password',
		"Enter them in the address of 'Proxy' under 'Request Options' on the Settings tab of the node, such as http://user:password@proxy.example.com:3128.",
	);

export const certificateRefused = (reason: string): Failure =>
	notSent(
		"The service's certificate is not trusted",
		`Check 'Base URL' in the credential. If the certificate comes from your own authority or from a proxy of your network, the administrator of this n8n can set NODE_EXTRA_CA_CERTS to the file of the authority. Otherwise, you can turn on 'Ignore SSL Issues' under 'Request Options' on the Settings tab of the node. ${reason}`,
	);

export const withoutHttps = (): Failure =>
	notSent(
		'The server at this address does not support HTTPS',
		"Check 'Base URL' in the credential. If it contains a port, check the port. If you run the service yourself without HTTPS, use http instead of https.",
	);

/** The connection was made, but the request had to wait for the TLS handshake. */
export const handshakeFailed = (reason: string, repeat: 'afterTrouble' | 'pointless'): Failure =>
	notSent(
		'The server did not set up a secure connection',
		`${reason} Check whether the server at the address and port in 'Base URL' of the credential supports HTTPS.`,
		{ repeat },
	);
