import fc from 'fast-check';

import {
	certificateRefused,
	interrupted,
	invalidAddress,
	timedOut,
	unreachable,
	withoutHttps,
	type Failure,
} from '../../nodes/ChatbotService/client/failure';
import { readTransportError } from '../../nodes/ChatbotService/client/transport';

/** As Node.js throws it. */
const systemError = (code: string, message = `connect ${code}`) =>
	Object.assign(new Error(message), { code });

/** As the engine hands it on: what happened is a cause of a cause, or a code of its own making. */
const wrapped = (cause: unknown, depth = 1): unknown =>
	depth ? Object.assign(new Error('The service failed'), { cause: wrapped(cause, depth - 1) }) : cause;

const unreached = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'EMFILE'];
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

describe.each<[string, (error: Error) => unknown]>([
	['as it is', (error) => error],
	['as a cause', (error) => wrapped(error)],
	['as a cause of causes', (error) => wrapped(error, 3)],
	[
		'as httpCode of an error of n8n',
		(error) => ({ httpCode: (error as { code?: string }).code, message: '' }),
	],
	['below another code', (error) => Object.assign(wrapped(error) as Error, { code: 'ERR_BAD_REQUEST' })],
	['below a code that says nothing', (error) => Object.assign(wrapped(error) as Error, { httpCode: 'none' })],
])('an error %s', (_, wrap) => {
	const read = (code: string) => readTransportError(wrap(systemError(code)));

	test.each(unreached)('%s: nothing left, so it may be repeated whatever it was', (code) => {
		expect(read(code)).toMatchObject({
			message: 'The service cannot be reached',
			outcome: 'notDone',
			repeat: 'always',
		});
	});

	test.each(untrusted)('%s: the certificate, which is named', (code) => {
		expect(read(code)).toEqual(certificateRefused(`The reason is ${code}.`));
	});

	test.each(plain)('%s: no https is spoken there, so nothing left', (code) => {
		expect(read(code)).toEqual(withoutHttps());
	});

	test.each(late)('%s: no answer in time, so it may be done', (code) => {
		expect(read(code)).toEqual(timedOut());
	});

	test('an address that is none', () => {
		expect(read('ERR_INVALID_URL')).toEqual(invalidAddress());
	});
});

test.each(broken)('%s: broken off, so it may be done, and the code is named', (code) => {
	for (const error of [systemError(code), wrapped(systemError(code)), wrapped(systemError(code), 3)]) {
		expect(readTransportError(error)).toEqual(interrupted(`The reason is ${code}.`));
	}
});

test('every way of not reaching the service is told apart', () => {
	const reasons = [
		'The server refuses connections on this address and port.',
		'There is no server with this name.',
		'The name of the server could not be looked up.',
		'There is no way to the server.',
		'There is no way to the network of the server.',
		'This n8n has no free connections left.',
	];
	const found = unreached.map((code) => readTransportError(systemError(code)));
	expect(found).toEqual(reasons.map((reason) => unreachable(reason)));
	for (const [index, { description }] of found.entries())
		expect(description).toMatch(
			new RegExp(`^Nothing was sent\\. ${reasons[index]!.replaceAll('.', '\\.')} Check `),
		);
});

test('an address that is none is known by its words too', () => {
	expect(readTransportError(new TypeError('Invalid URL'))).toEqual(invalidAddress());
	expect(readTransportError(wrapped(new TypeError('Invalid URL'), 2))).toEqual(invalidAddress());
});

test.each<[string, unknown]>([
	['an error without a code', new Error('socket hang up')],
	['one with a number for a code', { code: 500 }],
	['a text', 'socket hang up'],
	['nothing', undefined],
	['null', null],
])('%s: broken off, and nothing is made up', (_, error) => {
	expect(readTransportError(error)).toMatchObject({
		message: 'The connection to the service broke off before the answer',
		outcome: 'unknown',
	});
	expect(readTransportError(error)).toEqual(interrupted(''));
	expect(readTransportError(error).description).not.toMatch(/reason|undefined|\s$/);
});

test('only what certainly left nothing may always be repeated', () => {
	const repeat = (code: string): Failure['repeat'] => readTransportError(systemError(code)).repeat;
	expect(unreached.map(repeat)).toEqual(unreached.map(() => 'always'));
	expect(untrusted.map(repeat)).toEqual(untrusted.map(() => 'pointless'));
	expect([...late, ...broken].map(repeat)).toEqual([...late, ...broken].map(() => 'ifHarmless'));
});

test('a chain of causes that bites its tail is read to an end', () => {
	const loop: { cause?: unknown; code?: string } = { code: 'ECONNRESET' };
	loop.cause = loop;
	expect(readTransportError(loop)).toEqual(interrupted('The reason is ECONNRESET.'));
});

test('no words of the error itself are shown, as the request with its token can stand there', () => {
	const text = fc.string({ minLength: 8 }).filter((each) => each.trim().length >= 8);
	fc.assert(
		fc.property(text, fc.constantFrom(...unreached, ...untrusted, ...late, ...broken), (words, code) => {
			const { message, description } = readTransportError(wrapped(systemError(code, `секрет ${words}`)));
			expect(`${message} ${description}`).not.toContain('секрет');
		}),
	);
});
