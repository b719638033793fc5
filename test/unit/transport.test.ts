import fc from 'fast-check';

import {
	certificateRefused,
	handshakeFailed,
	interrupted,
	invalidAddress,
	refusedByN8n,
	timedOut,
	unreachable,
	unsendable,
	withoutHttps,
	type Failure,
} from '../../nodes/ChatbotService/client/failure';
import { readTransportError } from '../../nodes/ChatbotService/client/transport';

/* What an error proves: whether the request was sent, and what to do. Errors of real connections: test/engine/brokenConnections. */

interface Thrown {
	code?: string;
	syscall?: string;
	message: string;
	description?: string;
}

/** As Node.js throws it. */
const thrown = ({ message, ...rest }: Thrown) => Object.assign(new Error(message), rest);

/** As n8n passes it on: newer versions keep the original errors as causes, older ones only the code and the texts. */
const ways: Array<[string, (error: Thrown) => unknown]> = [
	['as Node.js throws it', thrown],
	[
		'as the cause of an error',
		(error) => Object.assign(new Error('The service failed'), { cause: thrown(error) }),
	],
	[
		'as the cause of a cause',
		(error) => ({ cause: { message: error.message, code: error.code, cause: thrown(error) } }),
	],
	[
		'without its step, among the messages of n8n',
		({ code, message, description }) => ({
			httpCode: code ?? null,
			message: 'The connection cannot be established',
			messages: [message, message],
			description,
		}),
	],
	[
		'below a code that says nothing',
		(error) =>
			Object.assign(new Error('The service failed'), {
				code: 'ERR_BAD_REQUEST',
				httpCode: 'none',
				cause: thrown(error),
			}),
	],
];

const step = (syscall: string, code: string): Thrown => ({
	code,
	syscall,
	message: `${syscall} ${code} 127.0.0.1:443`,
});

const because = (code: string) => unreachable(`The reason is ${code}.`);

const handshake = (words: string): Thrown => ({
	code: 'EPROTO',
	syscall: 'write',
	message: `write EPROTO 806C:error:0A00010B:SSL routines:${words}:350:\n`,
});

const early: Thrown = {
	code: 'ECONNRESET',
	message: 'Client network socket disconnected before secure TLS connection was established',
};

/** Errors that prove that nothing was sent. */
const unsent: Array<[string, Thrown, Failure]> = [
	['no such server', step('getaddrinfo', 'ENOTFOUND'), unreachable('There is no server with this name.')],
	[
		'a lookup that fails for now',
		step('getaddrinfo', 'EAI_AGAIN'),
		unreachable('The name of the server could not be looked up.'),
	],
	['a lookup that fails otherwise', step('queryA', 'ESERVFAIL'), because('ESERVFAIL')],
	[
		'a connection refused',
		step('connect', 'ECONNREFUSED'),
		unreachable('The server refuses connections on this address and port.'),
	],
	['no way to the server', step('connect', 'EHOSTUNREACH'), unreachable('There is no way to the server.')],
	[
		'no way to the network',
		step('connect', 'ENETUNREACH'),
		unreachable('There is no way to the network of the server.'),
	],
	['no free connections', step('connect', 'EMFILE'), unreachable('This n8n has no free connections left.')],
	...['ENETDOWN', 'EHOSTDOWN', 'ECONNRESET', 'ETIMEDOUT', 'ECONNABORTED', 'EADDRNOTAVAIL'].map(
		(code): [string, Thrown, Failure] => [
			`a connection that fails: ${code}`,
			step('connect', code),
			because(code),
		],
	),
	[
		'a proxy that closes the tunnel',
		{ message: 'Proxy connection ended before receiving CONNECT response' },
		unreachable('The proxy closed the connection.'),
	],
	[
		'a handshake that the server closes',
		early,
		handshakeFailed('The server closed the connection.', 'always'),
	],
	['plain text in the handshake', handshake('ssl3_get_record:wrong version number'), withoutHttps()],
	[
		'an alert in the handshake',
		handshake('ssl3_read_bytes:sslv3 alert handshake failure'),
		handshakeFailed('', 'pointless'),
	],
	['an address that is none', { code: 'ERR_INVALID_URL', message: 'Invalid URL' }, invalidAddress()],
	['an address that is none, without a code', { message: 'Invalid URL' }, invalidAddress()],
	[
		'an address of another protocol',
		{ code: 'ERR_BAD_REQUEST', message: 'Unsupported protocol ftp:' },
		invalidAddress(),
	],
	...[
		'Invalid character in header content ["Authorization"]',
		'Header name must be a valid HTTP token ["X Token"]',
		'The value of "msecs" is out of range. It must be a non-negative finite number. Received -1',
		'error trying to parse `config.timeout` to int',
	].map((message): [string, Thrown, Failure] => [
		`options that HTTP cannot carry: ${message}`,
		{ message },
		unsendable(message),
	]),
	[
		"n8n's protection against SSRF",
		{
			message: 'The request was blocked because it resolves to a restricted IP address',
			description: 'The target 10.0.0.1 is not allowed.',
		},
		refusedByN8n([
			'The request was blocked because it resolves to a restricted IP address',
			'The target 10.0.0.1 is not allowed.',
		]),
	],
	[
		'a credential that is limited to other domains',
		{ message: 'Domain not allowed: This credential is restricted from accessing example.com.' },
		refusedByN8n(['Domain not allowed: This credential is restricted from accessing example.com.']),
	],
	[
		'a credential that was deleted',
		{ message: 'Credential with ID "7" does not exist for type "chatbotServiceApi".' },
		refusedByN8n(['Credential with ID "7" does not exist for type "chatbotServiceApi".']),
	],
	...[
		'CERT_HAS_EXPIRED',
		'CERT_NOT_YET_VALID',
		'DEPTH_ZERO_SELF_SIGNED_CERT',
		'SELF_SIGNED_CERT_IN_CHAIN',
		'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
		'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
		'ERR_TLS_CERT_ALTNAME_INVALID',
	].map((code): [string, Thrown, Failure] => [
		`a certificate that is not trusted: ${code}`,
		{ code, message: 'self-signed certificate' },
		certificateRefused(`The reason is ${code}.`),
	]),
];

/** Errors after which the service may have received the request. */
const unknown: Array<[string, Thrown, Failure]> = [
	...['ECONNRESET', 'EHOSTUNREACH', 'ENETUNREACH', 'ENETDOWN', 'ECONNREFUSED', 'EPIPE'].map(
		(code): [string, Thrown, Failure] => [
			`read ${code}`,
			step('read', code),
			interrupted(`The reason is ${code}.`),
		],
	),
	['write EPIPE', step('write', 'EPIPE'), interrupted('The reason is EPIPE.')],
	['EPROTO while reading', step('read', 'EPROTO'), interrupted('The reason is EPROTO.')],
	[
		'a connection that ends',
		{ code: 'ECONNRESET', message: 'socket hang up' },
		interrupted('The reason is ECONNRESET.'),
	],
	...[
		'ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC',
		'ERR_SSL_WRONG_VERSION_NUMBER',
		'ERR_SSL_BAD_RECORD_TYPE',
		'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED',
	].map((code): [string, Thrown, Failure] => [
		`a damaged record: ${code}`,
		{ code, message: '804C:error:0A00010B:SSL routines:ssl3_get_record:wrong version number:354:\n' },
		interrupted(`The reason is ${code}.`),
	]),
	['no answer in time', { code: 'ECONNABORTED', message: 'timeout of 300ms exceeded' }, timedOut()],
	['no packet in time', { code: 'ETIMEDOUT', syscall: 'read', message: 'read ETIMEDOUT' }, timedOut()],
	[
		'an answer that is no HTTP',
		{ code: 'HPE_INVALID_CONSTANT', message: 'Parse Error: Expected HTTP/' },
		interrupted('The reason is HPE_INVALID_CONSTANT.'),
	],
	[
		'headers that are too long',
		{ code: 'HPE_HEADER_OVERFLOW', message: 'Parse Error: Header overflow' },
		interrupted('The reason is HPE_HEADER_OVERFLOW.'),
	],
	[
		'a code without a step',
		{ code: 'ECONNREFUSED', message: 'ECONNREFUSED' },
		interrupted('The reason is ECONNREFUSED.'),
	],
	['words alone', { message: 'socket hang up' }, interrupted('')],
];

describe.each(ways)('an error %s', (_, wrap) => {
	test.each(unsent)('proves that nothing was sent: %s', (_name, error, failure) => {
		expect(readTransportError(wrap(error))).toEqual(failure);
		expect(failure.outcome).toBe('notDone');
	});

	test.each(unknown)('leaves the outcome unknown: %s', (_name, error, failure) => {
		const read = readTransportError(wrap(error));
		expect(read.message).toBe(failure.message);
		expect([read.outcome, read.repeat]).toEqual(['unknown', 'ifHarmless']);
		expect(read.description).not.toContain('Nothing was sent');
	});
});

test.each(unknown)('the error code gives the reason: %s', (_name, error, failure) => {
	expect(readTransportError(thrown(error))).toEqual(failure);
});

test('a host name with several addresses that all fail was not reached', () => {
	const errors = [step('connect', 'ECONNREFUSED'), step('connect', 'ENETUNREACH')].map(thrown);
	const aggregate = Object.assign(new Error(''), { code: 'ECONNREFUSED', errors });
	for (const error of [aggregate, { httpCode: 'ECONNREFUSED', message: '', cause: { cause: aggregate } }])
		expect(readTransportError(error).outcome).toBe('notDone');
});

test('an error that names a step before and one after the request was written proves nothing', () => {
	const error = { message: 'connect ECONNREFUSED 127.0.0.1:443', cause: thrown(step('read', 'ECONNRESET')) };
	expect(readTransportError(error).outcome).toBe('unknown');
});

test.each<[string, unknown]>([
	['an error without a code', new Error('socket hang up')],
	['an error with a number for a code', { code: 500 }],
	['a text', 'socket hang up'],
	['undefined', undefined],
	['null', null],
])('%s means that the connection was interrupted, without an invented reason', (_, error) => {
	expect(readTransportError(error)).toEqual(interrupted(''));
});

test('a circular chain of causes does not block', () => {
	const loop: { cause?: unknown; code?: string } = { code: 'ECONNRESET' };
	loop.cause = loop;
	expect(readTransportError(loop)).toEqual(interrupted('The reason is ECONNRESET.'));
});

test('the text of a connection error is not shown, because it can contain the request with its token (generated)', () => {
	const codes = fc.constantFrom(
		'ECONNRESET',
		'EPIPE',
		'ERR_SSL_BAD_RECORD_TYPE',
		'ECONNABORTED',
		'ENOTFOUND',
	);
	fc.assert(
		fc.property(fc.string(), codes, (words, code) => {
			const { message, description } = readTransportError(thrown({ code, message: `секрет ${words}` }));
			expect(`${message} ${description}`).not.toContain('секрет');
		}),
	);
});
