import type { Socket } from 'node:net';

import * as failures from '../../nodes/ChatbotService/client/failure/failure';
import type { Failure } from '../../nodes/ChatbotService/client/failure/failure';
import { startEmulator } from '../../sandbox/emulator';
import { duringTests } from '../duringTests';
import { operationOf, unknownOf } from '../operations';
import { startBreaker, startServer, trustCertificate } from './connections';
import { useFastTime } from './fastTime';
import { credentialFor, runNode, type RunResult } from './harness';
import { usual } from './scene';

/*
 * Connections that break, on real sockets. After the request was sent: the outcome is unknown, and only idempotent requests are
 * repeated. Before it was sent: the error says that nothing was sent. What each code means: unit/transport.test.ts. Every operation with
 * every fault: matrix.test.ts.
 */

useFastTime();
const service = duringTests(startEmulator);
beforeAll(trustCertificate);
afterAll(() => jest.restoreAllMocks());

const { handshakeFailed, unreachable, withoutHttps } = failures;
const unknown = unknownOf(operationOf('message/send'));
const once = { options: { sendOncePer: 'осень' } };

/** Sends a message once, or attaches a tag, which may be repeated. */
const runOf = (credential: ReturnType<typeof credentialFor>, requestOptions = {}) => {
	const run = async (title: string, changes: object, store: object = {}) =>
		await runNode({ parameters: usual(title, { ...changes, requestOptions }), credential, ...store });
	return {
		send: async (before?: RunResult) =>
			await run('message/send', once, before && { deduplication: before.options.deduplication }),
		attach: async () => await run('tag/attach', {}),
	};
};

const timeout = 60_000;

const half = 'HTTP/1.1 200 OK\r\nContent-Length: 16\r\n\r\n{"succ';

test.concurrent.each<[how: string, break_: (connection: Socket) => void, isSecure: boolean]>([
	['is reset', (connection) => connection.resetAndDestroy(), false],
	['brings half of the answer', (connection) => connection.end(half), false],
	['brings plain text over TLS', (connection) => connection.end('HTTP/1.1 400 Bad\r\n\r\n'), true],
])('the outcome is unknown if a connection %s', async (_, break_, isSecure) => {
	const breaker = await startBreaker(break_, isSecure);
	const { send, attach } = runOf(credentialFor({ ...breaker, token: 'token' }), { timeout });
	const [sent, attached] = await Promise.all([send(), attach()]);
	expect(sent.error?.description?.startsWith(unknown)).toBe(true);
	expect(attached.error?.description?.startsWith(unknownOf(operationOf('tag/attach')))).toBe(true);
	const named = (endpoint: string) => breaker.targets.filter((target) => target.includes(endpoint));
	expect([named('/sendMessage').length, named('Tag').length]).toEqual([1, 3]);
	const { error } = await send(sent);
	expect(error?.message).toBe(`${failures.inDoubt('', '').message} [Item 0]`);
	expect(breaker.targets).toHaveLength(4);
	breaker.stop();
});

const afterHello = (react: (socket: Socket) => void) => (socket: Socket) =>
	void socket.once('data', () => react(socket));
const ends = afterHello((socket) => socket.end());
const says = (answer: string | Buffer) => afterHello((socket) => socket.end(answer));

const alert = Buffer.from([0x15, 3, 3, 0, 2, 2, 40]);
const plain = 'HTTP/1.1 400 Bad Request\r\n\r\n';
const refused = unreachable('The server refuses connections on this address and port.');
const closed = handshakeFailed('The server closed the connection.', 'afterTrouble');
const closedByProxy = unreachable('The proxy closed the connection.');

type Unsent = [how: string, who: string, server: (socket: Socket) => void, of: Failure, tries: number];

const unsent: Unsent[] = [
	['nobody listens', 'nobody', ends, refused, 0],
	['the handshake ends', 'service', ends, closed, 3],
	['an alert answers the handshake', 'service', says(alert), handshakeFailed('', 'pointless'), 1],
	['plain http answers the handshake', 'service', says(plain), withoutHttps(), 1],
	['a proxy closes the tunnel', 'proxy', ends, closedByProxy, 3],
];

test.concurrent.each(unsent)('nothing was sent if %s', async (...[, who, server, failure, tries]) => {
	let made = 0;
	const broken = await startServer((socket) => {
		made++;
		server(socket);
	});
	const urls = { nobody: 'http://127.0.0.1:9', proxy: 'https://localhost:9' };
	const url = urls[who as 'proxy'] ?? `https://localhost:${broken.port}`;
	const options = { timeout, ...(who === 'proxy' && { proxy: `http://127.0.0.1:${broken.port}` }) };
	const { send, attach } = runOf(credentialFor({ url, token: service.token }), options);
	const [sent, attached] = await Promise.all([send(), attach()]);
	broken.stop();
	const { message, description } = failure;
	for (const { error } of [sent, attached])
		expect([error?.message, error?.description]).toEqual([`${message} [Item 0]`, description]);
	expect(made).toBe(2 * tries);
	// So a later run sends the message.
	const later = await runOf(credentialFor(service)).send(sent);
	expect([later.error, later.json]).toEqual([undefined, [{ success: true }]]);
});
