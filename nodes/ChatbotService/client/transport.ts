import {
	certificateRefused,
	interrupted,
	invalidAddress,
	timedOut,
	unreachable,
	withoutHttps,
	type Failure,
} from './failure';

/* A request that got no answer. n8n hands on what Node.js and axios report, somewhere along the chain of causes. */

const reasons: Record<string, string> = {
	ECONNREFUSED: 'The server refuses connections on this address and port.',
	ENOTFOUND: 'There is no server with this name.',
	EAI_AGAIN: 'The name of the server could not be looked up.',
	EHOSTUNREACH: 'There is no way to the server.',
	ENETUNREACH: 'There is no way to the network of the server.',
	EMFILE: 'This n8n has no free connections left.',
};

const certificateCodes = /CERT|SELF_SIGNED|ERR_TLS|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER/;
const noHttpsCodes = /EPROTO|ERR_SSL/;

interface Caused {
	code?: unknown;
	httpCode?: unknown;
	cause?: unknown;
	message?: unknown;
}

/** What kept the answer away, from the error that the engine threw. */
export function readTransportError(error: unknown): Failure {
	const codes = codesOf(error);
	const code = codes.find((each) => reasons[each]);
	if (code) return unreachable(reasons[code]!);
	const certificate = codes.find((each) => certificateCodes.test(each));
	if (certificate) return certificateRefused(`The reason is ${certificate}.`);
	if (codes.some((each) => noHttpsCodes.test(each))) return withoutHttps();
	if (codes.includes('ERR_INVALID_URL')) return invalidAddress();
	if (codes.some((each) => each === 'ECONNABORTED' || each === 'ETIMEDOUT')) return timedOut();
	return interrupted(codes.length ? `The reason is ${codes[0]}.` : '');
}

/** A chain of causes can end in itself. */
const mostCauses = 5;

function codesOf(error: unknown): string[] {
	const codes: string[] = [];
	for (
		let at = error as Caused | undefined, left = mostCauses;
		at && left;
		at = at.cause as Caused | undefined, left--
	) {
		for (const code of [at.code, at.httpCode]) if (typeof code === 'string') codes.push(code);
		if (at.message === 'Invalid URL') codes.push('ERR_INVALID_URL');
	}
	return codes;
}
