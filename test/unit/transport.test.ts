import * as failures from '../../nodes/ChatbotService/client/failure/failure';
import { readTransportError } from '../../nodes/ChatbotService/client/http/transport';

/* What an error proves: whether the request was sent, and what to do. Errors of real connections: test/engine/brokenConnections. */

const { handshakeFailed, interrupted, invalidAddress, timedOut, unreachable, withoutHttps } = failures;

type Thrown = { code?: string; syscall?: string; message: string; description?: string };
type Row = [error: Thrown, failure: failures.Failure];

/** As Node.js throws it. */
const thrown = ({ message, ...rest }: Thrown) => Object.assign(new Error(message), rest);

/** As n8n passes it on: newer versions keep the original errors as causes, older ones only the code and the texts. */
const ways: Array<[string, (error: Thrown) => unknown]> = [
	['as Node.js throws it', thrown],
	['as the cause of a cause', (error) => ({ code: 'ERR_BAD_REQUEST', cause: { cause: thrown(error) } })],
	['without its step', ({ code, message, ...rest }) => ({ httpCode: code, messages: [message], ...rest })],
];

const step = (syscall: string, code: string) => ({
	code,
	syscall,
	message: `${syscall} ${code} 127.0.0.1:443`,
});
const coded = (code: string, message = ''): Thrown => ({ code, message });
const of = (code: string) => `The reason is ${code}.`;

/** A handshake that OpenSSL cannot complete. */
const handshake = (words: string): Thrown => ({
	...{ code: 'EPROTO', syscall: 'write' },
	message: `write EPROTO 806C:error:0A00010B:SSL routines:${words}:350:\n`,
});

const early = 'Client network socket disconnected before secure TLS connection was established';
const noName = 'There is no server with this name.';
const noConnect = 'Proxy connection ended before receiving';
const refusing = 'The server refuses connections on this address and port.';

/** n8n's protection against SSRF. */
const restricted = 'The request was blocked because it resolves to a restricted IP address';
const denied = 'The request was blocked because the destination hostname is restricted';
const blocked = (...[message, description]: [string, string]): Row => {
	return [{ message, description }, failures.addressBlocked([message, description])];
};

const certificates = [
	...['CERT_HAS_EXPIRED', 'CRL_HAS_EXPIRED', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN'],
	...['ERROR_IN_CERT_NOT_AFTER_FIELD', 'ERROR_IN_CRL_NEXT_UPDATE_FIELD', 'HOSTNAME_MISMATCH', 'INVALID_CA'],
	...['INVALID_PURPOSE', 'PATH_LENGTH_EXCEEDED', 'UNABLE_TO_GET_ISSUER_CERT', 'ERR_TLS_CERT_ALTNAME_INVALID'],
];

/** Errors that prove that nothing was sent. */
const unsent: Row[] = [
	[step('getaddrinfo', 'ENOTFOUND'), unreachable(noName)],
	[coded('ENOTFOUND', 'Нет имени'), unreachable(noName)],
	[step('connect', 'ECONNREFUSED'), unreachable(refusing)],
	[step('querySrv', 'ETIMEOUT'), unreachable(of('ETIMEOUT'))],
	[{ message: `${noConnect} CONNECT response` }, unreachable('The proxy closed the connection.')],
	[coded('ECONNRESET', early), handshakeFailed('The server closed the connection.', 'afterTrouble')],
	// In the words of several versions of OpenSSL.
	...['wrong version number', 'http request', 'packet length too long', 'unknown protocol'].map(
		(words): Row => [handshake(`ssl3_get_record:${words}`), withoutHttps()],
	),
	[handshake('ssl3_read_bytes:sslv3 alert handshake failure'), handshakeFailed('', 'pointless')],
	[coded('ERR_INVALID_URL', 'Нет адреса'), invalidAddress()],
	[{ message: 'Invalid URL' }, invalidAddress()],
	[coded('ERR_BAD_REQUEST', 'Unsupported protocol ftp:'), invalidAddress()],
	blocked(restricted, 'The target 10.0.0.1 is not allowed.'),
	blocked(denied, "The hostname 'chat.example.com' is on the configured deny-list."),
	// A credential that is limited to other domains, and one that was deleted.
	...[
		'Domain not allowed: This credential is restricted from accessing example.com.',
		'This credential is configured to prevent use within this node',
		'Credential with ID "7" does not exist for type "chatbotServiceApi".',
		'Credential with ID "7" could not be found.',
		'Credentials could not be decrypted. The likely reason is another "encryptionKey".',
		'Node "Рассылка" does not have any credentials set',
	].map((message): Row => [{ message }, failures.refusedByN8n([message])]),
	...certificates.map((code): Row => [coded(code), failures.certificateRefused(of(code))]),
];

/** Errors after which the service may have received the request. */
const unknown: Row[] = [
	...[
		...['ECONNRESET', 'EHOSTUNREACH', 'ECONNREFUSED', 'EPROTO'].map((code) => step('read', code)),
		step('write', 'EPIPE'),
		coded('ECONNRESET', 'socket hang up'),
		coded('ERR_SSL_WRONG_VERSION_NUMBER', 'SSL routines:ssl3_get_record:wrong version number:354:'),
		coded('HPE_INVALID_CONSTANT', 'Parse Error: Expected HTTP/'),
		coded('ECONNREFUSED', 'ECONNREFUSED'),
		// Codes that only resemble those that prove something, and texts in which others say so.
		...['NOT_ENOTFOUND', 'MY_CRL_ERROR'].map((code) => coded(code)),
		...[
			...[step('connect', 'EHOSTUNREACH').message, handshake('http request').message, restricted],
			...['Unsupported protocol ftp:', 'Domain not allowed: x'],
		].map((text) => coded('ECONNRESET', `Сервис: ${text}`)),
		coded('ECONNRESET', 'Invalid URL of an image'),
	].map((error): Row => [error, interrupted(of(error.code!))]),
	[coded('ECONNABORTED', 'timeout of 300ms exceeded'), timedOut()],
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

// n8n looks at a name that is blocked before it looks at its address.
test.each([
	[restricted, ['N8N_SSRF_ALLOWED_HOSTNAMES', 'N8N_SSRF_ALLOWED_IP_RANGES']],
	[denied, ['N8N_SSRF_ALLOWED_HOSTNAMES']],
])('only the settings that help are named: %s', (message, settings) => {
	expect(readTransportError({ message }).description.match(/N8N_\w+/g)).toEqual(settings);
});

test.each(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'EMFILE'])(
	'the reason %s is given in words',
	(code) => expect(readTransportError(thrown(step('connect', code))).description).not.toContain(code),
);

const refused = step('connect', 'ECONNREFUSED');
const reading = step('read', 'ECONNRESET');
/** Of a host name with several addresses that all fail. */
const aggregate = { code: 'ECONNREFUSED', errors: [refused, refused].map(thrown) };
const circular: Thrown & { cause?: unknown } = coded('ECONNRESET');
circular.cause = circular;

test.each<[string, unknown, failures.Failure]>([
	['a step on a connection too', { ...refused, cause: reading }, interrupted(of('ECONNREFUSED'))],
	['several addresses that all fail', { message: '', cause: { cause: aggregate } }, unreachable(refusing)],
	['a chain of causes without an end', circular, interrupted(of('ECONNRESET'))],
])('of an error with %s, only what is certain is said', (_, error, failure) => {
	expect(readTransportError(error)).toEqual(failure);
});
