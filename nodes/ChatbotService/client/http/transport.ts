import {
	addressBlocked,
	certificateRefused,
	handshakeFailed,
	interrupted,
	invalidAddress,
	refusedByN8n,
	timedOut,
	unreachable,
	withoutHttps,
	type Failure,
} from '../failure/failure';
import { isObject } from '../../shared/values';

/*
 * A request without an answer: was it sent?
 *
 * A message that may have arrived must never be sent again, so "nothing was sent" is said only of failures before the request was
 * written. The error code is no proof: Node.js reports ECONNRESET, EHOSTUNREACH or EPROTO for a new connection and for one on
 * which the service already has the request. The failed step is proof: the name lookup, `connect`, the TLS handshake, the tunnel
 * of a proxy, or a check before all of them. Every other failure has an unknown outcome.
 *
 * Some versions of n8n drop the `syscall` of an error. All versions keep its texts, as `message` or in `messages`, and Node.js
 * begins them with the step: "connect ECONNREFUSED 127.0.0.1:443".
 */

/** Reasons that users can act on. Others are named by their code. */
const reasons: Record<string, string> = {
	ECONNREFUSED: 'The server refuses connections on this address and port.',
	ENOTFOUND: 'There is no server with this name.',
	EAI_AGAIN: 'The lookup of the server name failed.',
	EHOSTUNREACH: 'There is no network route to the server.',
	ENETUNREACH: 'There is no route to the network of the server.',
	EMFILE: 'n8n has no free connections left.',
};

/** Certificate errors of OpenSSL, which checks the certificate during the handshake. Alerts of the server have other codes. */
const certificateCodes =
	/^(?:CERT_\w+|CRL_\w+|DEPTH_ZERO_SELF_SIGNED_CERT|ERROR_IN_CERT_\w+|ERROR_IN_CRL_\w+|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\w+|ERR_TLS_CERT_ALTNAME_INVALID)$/;

/** Codes that only a name lookup has. */
const lookupCodes = /^(?:ENOTFOUND|EAI_\w+)$/;

/** Errors for an invalid URL, thrown before a connection is made. */
const addressTexts = /^Invalid URL$|^Unsupported protocol /;

/** n8n's SSRF protection blocks addresses before it connects. */
const protectionTexts = /^The request was blocked because /;

/** n8n checks before it connects which domains a credential is limited to. */
const domainTexts = /^Domain not allowed: |^This credential is configured to prevent use /;

/** Errors of n8n for a credential that it cannot read. It reads the credential before each request. */
const credentialTexts =
	/^Credential with ID .* (?:does not exist|could not be found)|^Credentials could not be decrypted|does not have any credentials/;

/** Errors of OpenSSL if the server answers the handshake in plain text. */
const plainTexts = /wrong version number|http request|packet length too long|unknown protocol/i;

/** How many errors are looked at: an error, its causes, and theirs. */
const mostCauses = 10;

/** Explains why there is no answer. @param error thrown by n8n */
export function readTransportError(error: unknown): Failure {
	const { codes, steps, texts } = evidenceIn(error);
	const says = (pattern: RegExp) => texts.find((text) => pattern.test(text));

	if (codes.includes('ERR_INVALID_URL') || says(addressTexts)) return invalidAddress();
	const wordsFrom = (text: string) => texts.slice(texts.indexOf(text));
	const protection = says(protectionTexts);
	if (protection) return addressBlocked(wordsFrom(protection));
	const refusal = says(domainTexts) ?? says(credentialTexts);
	if (refusal) return refusedByN8n(wordsFrom(refusal));

	// If the error also names a step on an established connection, a step before it does not prove that nothing was sent.
	const isOnConnection = steps.some((step) => /read|write/.test(step));
	const isBefore = steps.some((step) => /getaddrinfo|query|connect/.test(step));
	const code = texts.flatMap(codeBefore).at(0) ?? codes.at(-1);
	if (!isOnConnection && (isBefore || codes.some((each) => lookupCodes.test(each))))
		return unreachable((code && reasons[code]) ?? (code ? `The reason is ${code}.` : ''));
	// Nothing passes a tunnel before the proxy has answered.
	if (texts.includes('Proxy connection ended before receiving CONNECT response'))
		return unreachable('The proxy closed the connection.');

	const certificate = codes.find((each) => certificateCodes.test(each));
	if (certificate) return certificateRefused(`The reason is ${certificate}.`);
	// Node.js's text for a handshake that did not finish, whatever closed the connection.
	if (says(/before secure TLS connection was established/))
		return handshakeFailed('The server closed the connection.', 'afterTrouble');
	// During the handshake, OpenSSL fails while the request waits to be encrypted. After it, the codes are ERR_SSL_*.
	const handshake = says(/^write EPROTO /);
	if (handshake) return plainTexts.test(handshake) ? withoutHttps() : handshakeFailed('', 'pointless');

	if (codes.some((each) => each === 'ECONNABORTED' || each === 'ETIMEDOUT')) return timedOut();
	return interrupted(code ? `The reason is ${code}.` : '');
}

/** The step with which Node.js begins an error text. */
const stepIn = (text: string) =>
	/^((?:getaddrinfo|query|connect|read|write)\w*) E/.exec(text)?.slice(1) ?? [];

/** The code in an error text of a step before the request was written. */
const codeBefore = (text: string) =>
	/^(?:getaddrinfo|query\w*|connect) (E[A-Z_]+)/.exec(text)?.slice(1) ?? [];

/** What an error and its causes contain, outermost first: codes (`ECONNRESET`), failed steps (`connect`) and texts. */
function evidenceIn(error: unknown) {
	const causes: unknown[] = [error];
	// A chain of causes can be circular. An AggregateError has one error for each address of a host name.
	for (let index = 0; index < mostCauses; index++) {
		const at = causes[index];
		if (isObject(at)) causes.push(at.cause, ...[at.errors].flat());
	}
	const errors = causes.slice(0, mostCauses).filter(isObject);
	const textsOf = (...names: string[]) =>
		errors
			.flatMap((each) => names.flatMap((name) => each[name]))
			.filter((each): each is string => typeof each === 'string' && each !== '');
	// n8n also uses an HTTP status or its own words as a code.
	const codes = textsOf('code', 'httpCode').filter((code) => /^[A-Z][A-Z0-9_]+$/.test(code));
	const texts = textsOf('message', 'messages', 'description');
	return { codes, steps: [...textsOf('syscall'), ...texts.flatMap(stepIn)], texts };
}
