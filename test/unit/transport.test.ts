import fc from 'fast-check';

import {
	certificateRefused,
	interrupted,
	invalidAddress,
	timedOut,
	unreachable,
	withoutHttps,
} from '../../nodes/ChatbotService/client/failure';
import { readTransportError } from '../../nodes/ChatbotService/client/transport';

/** As Node.js throws it. */
const systemError = (code: string, message = `connect ${code}`) =>
	Object.assign(new Error(message), { code });

/** As the engine hands it on: what happened is a cause of a cause, or a code of its own making. */
const wrapped = (cause: unknown, depth = 1): unknown =>
	depth ? Object.assign(new Error('The service failed'), { cause: wrapped(cause, depth - 1) }) : cause;

const reasons = {
	ECONNREFUSED: 'The server refuses connections on this address and port.',
	ENOTFOUND: 'There is no server with this name.',
	EAI_AGAIN: 'The name of the server could not be looked up.',
	EHOSTUNREACH: 'There is no way to the server.',
	ENETUNREACH: 'There is no way to the network of the server.',
	EMFILE: 'This n8n has no free connections left.',
};
const untrusted = [
	'CERT_HAS_EXPIRED',
	'CERT_NOT_YET_VALID',
	'DEPTH_ZERO_SELF_SIGNED_CERT',
	'SELF_SIGNED_CERT_IN_CHAIN',
	'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
	'UNABLE_TO_GET_ISSUER_CERT',
	'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
	'ERR_TLS_CERT_ALTNAME_INVALID',
];
const plain = ['EPROTO', 'ERR_SSL_WRONG_VERSION_NUMBER'];
const late = ['ECONNABORTED', 'ETIMEDOUT'];
const broken = ['ECONNRESET', 'EPIPE', 'ERR_BAD_RESPONSE', 'ERR_STREAM_PREMATURE_CLOSE'];

describe.each<[string, (error: Error & { code: string }) => unknown]>([
	['itself', (error) => error],
	['of its cause', (error) => wrapped(error)],
	['of the cause of causes', (error) => wrapped(error, 3)],
	['that n8n calls httpCode', ({ code }) => ({ httpCode: code, message: '' })],
	['below another code', (error) => Object.assign(wrapped(error) as Error, { code: 'ERR_BAD_REQUEST' })],
	['below a code that says nothing', (error) => Object.assign(wrapped(error) as Error, { httpCode: 'none' })],
])('an error tells by the code %s', (_, wrap) => {
	const read = (code: string) => readTransportError(wrap(systemError(code)));

	test.each(Object.entries(reasons))('why nothing left: %s', (code, reason) => {
		expect(read(code)).toEqual(unreachable(reason));
	});

	test.each(untrusted)('that the certificate is not trusted, and why: %s', (code) => {
		expect(read(code)).toEqual(certificateRefused(`The reason is ${code}.`));
	});

	test.each(plain)('that no https is spoken there: %s', (code) => {
		expect(read(code)).toEqual(withoutHttps());
	});

	test.each(late)('that no answer came in time: %s', (code) => {
		expect(read(code)).toEqual(timedOut());
	});

	test('that the address is none: ERR_INVALID_URL', () => {
		expect(read('ERR_INVALID_URL')).toEqual(invalidAddress());
	});
});

test.each(broken)('an error with the code %s means that the connection broke off, and names it', (code) => {
	for (const error of [systemError(code), wrapped(systemError(code)), wrapped(systemError(code), 3)]) {
		expect(readTransportError(error)).toEqual(interrupted(`The reason is ${code}.`));
	}
});

test('an address that is none is known by the words of the error too', () => {
	expect(readTransportError(new TypeError('Invalid URL'))).toEqual(invalidAddress());
	expect(readTransportError(wrapped(new TypeError('Invalid URL'), 2))).toEqual(invalidAddress());
});

test.each<[string, unknown]>([
	['an error without a code', new Error('socket hang up')],
	['an error with a number for a code', { code: 500 }],
	['a text', 'socket hang up'],
	['undefined', undefined],
	['null', null],
])('%s means that the connection broke off, and no reason is made up', (_, error) => {
	expect(readTransportError(error)).toEqual(interrupted(''));
});

test('a chain of causes that leads back to itself is read to an end', () => {
	const loop: { cause?: unknown; code?: string } = { code: 'ECONNRESET' };
	loop.cause = loop;
	expect(readTransportError(loop)).toEqual(interrupted('The reason is ECONNRESET.'));
});

test('no words of the error itself are shown, as the request with its token can stand there', () => {
	const codes = fc.constantFrom(...Object.keys(reasons), ...untrusted, ...plain, ...late, ...broken);
	fc.assert(
		fc.property(fc.string(), codes, (words, code) => {
			const { message, description } = readTransportError(wrapped(systemError(code, `секрет ${words}`)));
			expect(`${message} ${description}`).not.toContain('секрет');
		}),
	);
});
