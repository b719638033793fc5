import net, { type AddressInfo, type Socket } from 'node:net';

import {
	handshakeFailed,
	inDoubt,
	interrupted,
	malformedAnswer,
	proxyRefused,
	serviceFailed,
	timedOut,
	unreachable,
	withoutHttps,
	type Failure,
} from '../../nodes/ChatbotService/client/failure/failure';
import { duringTests } from '../duringTests';
import { isRequestOf, operationOf, operations, parametersOf, unknownOf, type Operation } from '../operations';
import { breaks, breaksOfTls, startBreaker, type Break } from './breaker';
import { trustCertificate } from './certificate';
import { credentialFor, runNode, withEmulator, type RunResult } from './harness';
import { startProxy } from './proxy';

/*
 * Connections that break, on real sockets. After the request was sent: the outcome is unknown, and only idempotent requests are
 * repeated. Before it was sent: the error says that nothing was sent. Every operation in every error mode is in matrix.test.ts.
 */

const proxy = duringTests(startProxy);
beforeAll(trustCertificate);
afterAll(() => jest.restoreAllMocks());

const messages = operations.filter(({ resource, question }) => resource === 'message' && !question);
const ask = operationOf('message/sendAndWait');
const send = operationOf('message/send');
const attach = operationOf('tag/attach');

const titleOf = ({ message }: Failure) => `${message} [Item 0]`;

function expectUnknown({ error }: RunResult, operation: Operation) {
	// A proxy may answer in place of the service, with a status of its own.
	const { message } = serviceFailed(500);
	expect([interrupted('').message, malformedAnswer(200, '').message, timedOut().message, message]).toContain(
		error?.message.replace(' [Item 0]', '').replace(/\b5\d\d\b/, '500'),
	);
	const { title } = operation;
	expect([title, error?.description?.startsWith(unknownOf(operation))]).toEqual([title, true]);
}

/** Runs an operation, messages with 'Send Once Per'. */
const runOf =
	(credential: ReturnType<typeof credentialFor>, requestOptions = {}) =>
	async (operation: Operation, deduplication?: RunResult['options']['deduplication']) =>
		await runNode({
			parameters: {
				...parametersOf(operation.variants[0]!),
				...(messages.includes(operation) && { options: { sendOncePer: 'осень' } }),
				requestOptions,
			},
			credential,
			...(deduplication && { deduplication }),
		});

const over = (way: string, of: Record<string, Break>, { tls = false, through = false }) =>
	Object.entries(of).map(([name, break_]) => [name, way, { tls, through }, break_] as const);

const reset = { 'is reset': breaks['is reset']! };

test.concurrent.each([
	...over('over http', breaks, {}),
	...over('over https', { ...breaks, ...breaksOfTls }, { tls: true }),
	...over('over http, through a proxy', reset, { through: true }),
	...over('over https, through a proxy', { ...reset, ...breaksOfTls }, { tls: true, through: true }),
])(
	'a connection that %s leaves the outcome unknown, %s',
	withEmulator(async (service, _name, _way, { tls, through }, break_) => {
		const breaker = await startBreaker(service, break_, tls);
		const requestOptions = { timeout: 60_000, ...(through && { proxy: proxy.url }) };
		const run = runOf(credentialFor(service, { baseUrl: breaker.url }), requestOptions);
		const once = through ? [send] : messages;
		// Through a proxy, one message shows what its connections do.
		const tried = through ? [send, attach] : [...messages, attach, ask];
		try {
			const first = await Promise.all(tried.map(async (operation) => await run(operation)));
			for (const [index, operation] of tried.entries()) {
				expectUnknown(first[index]!, operation);
				const sent = service.requests.filter(isRequestOf(operation));
				expect([operation.title, sent.length]).toEqual([operation.title, operation.idempotent ? 3 : 1]);
			}
			breaker.mend();
			for (const [index, operation] of once.entries()) {
				const { error } = await run(operation, first[index]!.options.deduplication);
				expect(error?.message).toBe(titleOf(inDoubt('', '')));
				expect(error?.description?.startsWith(unknownOf(operation))).toBe(true);
			}
			expect(service.requests).toHaveLength(tried.length + 2);
			for (const { run } of first) expect(run.waitTill).toBeUndefined();
		} finally {
			breaker.stop();
		}
	}),
);

/** A server that runs a callback for every connection. */
async function startServer(onConnection: (socket: Socket) => void): Promise<{ port: number; stop(): void }> {
	const open = new Set<Socket>();
	const server = net.createServer((socket) => {
		open.add(socket.on('error', () => {}));
		onConnection(socket);
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	return {
		port,
		stop() {
			server.close();
			for (const socket of open) socket.destroy();
		},
	};
}

const afterHello = (react: (socket: Socket) => void) => (socket: Socket) =>
	void socket.once('data', () => react(socket));

interface Unsent {
	baseUrl: (port: number) => string;
	server?: (socket: Socket) => void;
	proxy?: (port: number) => string;
	failureOf: (reason: string) => Failure;
	/** Whether a retry can help. */
	attempts: 1 | 3;
}

/** The texts of a failure before and after its reason. */
const around = (failureOf: Unsent['failureOf']) => failureOf('…').description.split('…');

const httpsOf = (port: number) => `https://localhost:${port}`;
const proxyOf = (port: number) => `http://127.0.0.1:${port}`;

const unsent: Record<string, Unsent> = {
	'nobody listens': { baseUrl: () => 'http://127.0.0.1:9', failureOf: unreachable, attempts: 3 },
	'the server closes it during the handshake': {
		baseUrl: httpsOf,
		server: afterHello((socket) => socket.end()),
		failureOf: (reason) => handshakeFailed(reason, 'afterTrouble'),
		attempts: 3,
	},
	'the server answers the handshake with an alert': {
		baseUrl: httpsOf,
		server: afterHello((socket) => socket.write(Buffer.from([0x15, 3, 3, 0, 2, 2, 40]))),
		failureOf: (reason) => handshakeFailed(reason, 'pointless'),
		attempts: 1,
	},
	'the server answers the handshake in plain http': {
		baseUrl: httpsOf,
		server: afterHello((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')),
		failureOf: withoutHttps,
		attempts: 1,
	},
	'a proxy closes the tunnel': {
		baseUrl: () => httpsOf(9),
		server: afterHello((socket) => socket.end()),
		proxy: proxyOf,
		failureOf: unreachable,
		attempts: 3,
	},
	'a proxy wants a password for the tunnel': {
		baseUrl: () => httpsOf(9),
		server: afterHello((socket) =>
			socket.end('HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n'),
		),
		proxy: proxyOf,
		failureOf: () => proxyRefused(407),
		attempts: 1,
	},
};

test.concurrent.each(Object.entries(unsent))(
	'nothing was sent when %s, and a later run with Send Once Per sends the message',
	withEmulator(async (service, _name, { baseUrl, server, proxy: addressOf, failureOf, attempts }) => {
		let made = 0;
		const broken = await startServer((socket) => {
			made++;
			server!(socket);
		});
		const requestOptions = { timeout: 60_000, ...(addressOf && { proxy: addressOf(broken.port) }) };
		const run = runOf(credentialFor(service, { baseUrl: baseUrl(broken.port) }), requestOptions);
		const [first, tag] = await Promise.all([run(send), run(attach)]);
		broken.stop();
		for (const { error } of [first!, tag!]) {
			expect(error?.message).toBe(titleOf(failureOf('')));
			for (const text of around(failureOf)) expect(error?.description).toContain(text);
		}
		expect(made).toBe(server ? 2 * attempts : 0);
		const later = await runOf(credentialFor(service))(send, first!.options.deduplication);
		expect([later.error, later.json]).toEqual([undefined, [{ success: true }]]);
		expect(service.requests).toHaveLength(1);
	}),
);

/* n8n's HTTP client never finishes with these answers, so the node has to end the run. */
test.concurrent.each<[string, (socket: Socket) => void]>([
	[
		'truncated compression',
		(socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}'),
	],
	[
		'a slow trickle of bytes',
		(socket) => {
			socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{');
			const timer = setInterval(() => socket.write(' '), 200);
			socket.on('close', () => clearInterval(timer));
		},
	],
])(
	'an answer that never ends does not keep the run: %s',
	withEmulator(async (_service, _name, react) => {
		const server = await startServer(afterHello(react));
		const credential = credentialFor({ url: `http://127.0.0.1:${server.port}`, token: 'token' });
		const result = await runOf(credential, { timeout: 500 })(send);
		server.stop();
		expectUnknown(result, send);
	}),
);
