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
} from '../../nodes/ChatbotService/client/failure/failure';
import { readTransportError } from '../../nodes/ChatbotService/client/http/transport';

/* What an error proves: whether the request was sent, and what to do. Errors of real connections: test/engine/brokenConnections. */

type Thrown = { code?: string; syscall?: string; message: string; description?: string };

/** As Node.js throws it. */
const thrown = ({ message, ...rest }: Thrown) => Object.assign(new Error(message), rest);

/** As n8n passes it on: newer versions keep the original errors as causes, older ones only the code and the texts. */
const ways: Array<[string, (error: Thrown) => unknown]> = [
	['as Node.js throws it', thrown],
	['as the cause of a cause', (error) => ({ code: 'ERR_BAD_REQUEST', cause: { cause: thrown(error) } })],
	[
		'without its step, among the messages of n8n',
		({ code, message, description }) => ({ httpCode: code ?? null, messages: [message], description }),
	],
];

type Row = [error: Thrown, failure: Failure];

const step = (syscall: string, code: string): Thrown => {
	const message = `${syscall} ${code} 127.0.0.1:443`;
	return { code, syscall, message };
};

/** A handshake that OpenSSL cannot complete. */
const handshake = (words: string): Thrown => ({
	code: 'EPROTO',
	syscall: 'write',
	message: `write EPROTO 806C:error:0A00010B:SSL routines:${words}:350:\n`,
});

const early = 'Client network socket disconnected before secure TLS connection was established';
const tunnel = 'Proxy connection ended before receiving CONNECT response';

/** n8n's protection against SSRF. */
const restricted = 'The request was blocked because it resolves to a restricted IP address';
const target = 'The target 10.0.0.1 is not allowed.';
const denied = 'The request was blocked because the destination hostname is restricted';
const ofDenyList = "The hostname 'chat.example.com' is on the configured deny-list.";

const certificates = [
	...['CERT_HAS_EXPIRED', 'CRL_HAS_EXPIRED', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN'],
	...['ERROR_IN_CERT_NOT_AFTER_FIELD', 'ERROR_IN_CRL_NEXT_UPDATE_FIELD', 'HOSTNAME_MISMATCH', 'INVALID_CA'],
	...['INVALID_PURPOSE', 'PATH_LENGTH_EXCEEDED', 'UNABLE_TO_GET_ISSUER_CERT', 'ERR_TLS_CERT_ALTNAME_INVALID'],
];

/** Errors that prove that nothing was sent. */
const unsent: Row[] = [
	[step('getaddrinfo', 'ENOTFOUND'), unreachable('There is no server with this name.')],
	[step('connect', 'ECONNREFUSED'), unreachable('The server refuses connections on this address and port.')],
	[step('connect', 'ECONNRESET'), unreachable('The reason is ECONNRESET.')],
	[step('connect', 'ETIMEDOUT'), unreachable('The reason is ETIMEDOUT.')],
	[step('querySrv', 'ETIMEOUT'), unreachable('The reason is ETIMEOUT.')],
	[{ code: 'ENOTFOUND', message: 'Нет имени' }, unreachable('There is no server with this name.')],
	[{ message: tunnel }, unreachable('The proxy closed the connection.')],
	[
		{ code: 'ECONNRESET', message: early },
		handshakeFailed('The server closed the connection.', 'afterTrouble'),
	],
	// In the words of several versions of OpenSSL.
	...['wrong version number', 'http request', 'packet length too long', 'unknown protocol'].map(
		(words): Row => [handshake(`ssl3_get_record:${words}`), withoutHttps()],
	),
	[handshake('ssl3_read_bytes:sslv3 alert handshake failure'), handshakeFailed('', 'pointless')],
	[{ code: 'ERR_INVALID_URL', message: 'Нет адреса' }, invalidAddress()],
	[{ message: 'Invalid URL' }, invalidAddress()],
	[{ code: 'ERR_BAD_REQUEST', message: 'Unsupported protocol ftp:' }, invalidAddress()],
	[{ message: restricted, description: target }, addressBlocked([restricted, target])],
	[{ message: denied, description: ofDenyList }, addressBlocked([denied, ofDenyList])],
	// A credential that is limited to other domains, and one that was deleted.
	...[
		'Domain not allowed: This credential is restricted from accessing example.com.',
		'This credential is configured to prevent use within this node',
		'Credential with ID "7" does not exist for type "chatbotServiceApi".',
		'Credential with ID "7" could not be found.',
		'Credentials could not be decrypted. The likely reason is another "encryptionKey".',
		'Node "Рассылка" does not have any credentials set',
	].map((message): Row => [{ message }, refusedByN8n([message])]),
	...certificates.map((code): Row => [{ code, message: '' }, certificateRefused(`The reason is ${code}.`)]),
];

const damaged = 'SSL routines:ssl3_get_record:wrong version number:354:';

/** Errors after which the service may have received the request. */
const unknown: Row[] = [
	...[
		...['ECONNRESET', 'EHOSTUNREACH', 'ECONNREFUSED', 'EPROTO'].map((code) => step('read', code)),
		step('write', 'EPIPE'),
		{ code: 'ECONNRESET', message: 'socket hang up' },
		{ code: 'ERR_SSL_WRONG_VERSION_NUMBER', message: damaged },
		{ code: 'HPE_INVALID_CONSTANT', message: 'Parse Error: Expected HTTP/' },
		{ code: 'ECONNREFUSED', message: 'ECONNREFUSED' },
		// Codes that only resemble those that prove something.
		...['NOT_ENOTFOUND', 'MY_CRL_ERROR'].map((code) => ({ code, message: '' })),
	].map((error): Row => [error, interrupted(`The reason is ${error.code}.`)]),
	[{ code: 'ECONNABORTED', message: 'timeout of 300ms exceeded' }, timedOut()],
	[step('read', 'ETIMEDOUT'), timedOut()],
];

describe.each(ways)('an error %s', (_, wrap) => {
	test.each(unsent)('proves that nothing was sent: %j', (error, failure) => {
		expect(failure.outcome).toBe('notDone');
		expect(readTransportError(wrap(error))).toEqual(failure);
	});

	test.each(unknown)('leaves the outcome unknown: %j', (error, failure) => {
		expect([failure.outcome, failure.repeat]).toEqual(['unknown', 'ifHarmless']);
		expect(readTransportError(wrap(error))).toEqual(failure);
	});
});

test.each([
	...[step('connect', 'EHOSTUNREACH'), handshake('http request')].map(({ message }) => `Сервис: ${message}`),
	...[restricted, 'Unsupported protocol ftp:', 'Domain not allowed: x'].map((text) => `Сервис: ${text}`),
	'Invalid URL of an image',
])('a text in which others say so proves nothing: %s', (message) => {
	expect(readTransportError({ message, code: 'ECONNRESET' }).outcome).toBe('unknown');
});

// n8n looks at a name that is blocked before it looks at its address.
test.each([
	[restricted, ['N8N_SSRF_ALLOWED_HOSTNAMES', 'N8N_SSRF_ALLOWED_IP_RANGES']],
	[denied, ['N8N_SSRF_ALLOWED_HOSTNAMES']],
])('the settings that help are named, and no others: %s', (message, settings) => {
	expect(readTransportError({ message }).description.match(/N8N_\w+/g)).toEqual(settings);
});

test.each(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'EMFILE'])(
	'the reason %s is given in words',
	(code) => expect(readTransportError(thrown(step('connect', code))).description).not.toContain(code),
);

/** Of a host name with several addresses that all fail. */
const aggregate = {
	code: 'ECONNREFUSED',
	errors: [step('connect', 'ECONNREFUSED'), step('connect', 'ECONNREFUSED')].map(thrown),
};
const circular: { cause?: unknown; code?: string } = { code: 'ECONNRESET' };
circular.cause = circular;

test.each<[string, unknown, Failure]>([
	[
		'a step before and one after the request was written',
		{ ...step('connect', 'ECONNREFUSED'), cause: step('read', 'ECONNRESET') },
		interrupted('The reason is ECONNREFUSED.'),
	],
	['only a step', { syscall: 'connect', message: 'Нет связи' }, unreachable('')],
	[
		'several addresses that all fail',
		{ message: '', cause: { cause: aggregate } },
		unreachable('The server refuses connections on this address and port.'),
	],
	['other words for a code', { code: 'Request failed', httpCode: 500 }, interrupted('')],
	['a chain of causes without an end', circular, interrupted('The reason is ECONNRESET.')],
	['nothing', undefined, interrupted('')],
])('of an error with %s, the failure says only what is certain', (_, error, failure) => {
	expect(readTransportError(error)).toEqual(failure);
});
