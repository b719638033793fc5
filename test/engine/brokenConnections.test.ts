import dns from 'node:dns';
import http from 'node:http';
import net, { type AddressInfo, type Server, type Socket } from 'node:net';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { startEmulator, type Emulator } from '../../sandbox/emulator';
import { byTitle, operationOf, operations, parametersOf, unknownOf, type Operation } from '../operations';
import { breaks, breaksOfTls, startBreaker, type Break } from './breaker';
import { trustCertificate } from './certificate';
import { modes, runEach, type Attempt } from './everyOperation';
import { credentialFor, runNode, type RunResult } from './harness';
import { startProxy, type Proxy } from './proxy';

/*
 * Connections that break, on real sockets. After the request was sent: every operation reports an unknown outcome, and only
 * idempotent requests are repeated. Before it was sent: the error says that nothing was sent.
 */

let proxy: Proxy;
beforeAll(async () => {
	proxy = await startProxy();
});
beforeEach(() => trustCertificate());
afterEach(() => jest.restoreAllMocks());
afterAll(async () => await proxy.stop());

const messages = operations.filter(({ resource }) => resource === 'message');
const onceOptions = { options: { sendOncePer: 'осень' } };

/** The error texts of an unknown outcome; with a proxy they differ. */
const unknownTitle =
	/^(?:The connection to the service was lost before the answer|The service failed to process the request \(HTTP \d+\)|The answer of the service cannot be read|The service did not answer in time) \[Item 0\]$/;

function expectUnknown({ context, said }: Attempt | { context: string; said: unknown[] }, unknown: string) {
	const [title, text] = said;
	expect([context, title]).toEqual([context, expect.stringMatching(unknownTitle)]);
	expect([context, text]).toEqual([context, expect.stringContaining(unknown)]);
	expect([context, String(text).startsWith(unknown)]).toEqual([context, true]);
	expect([context, text]).toEqual([context, expect.not.stringContaining('Nothing was sent')]);
}

/** Sends messages with 'Send Once Per', and sends them again after the connection works. */
async function sendOnce(
	service: Emulator,
	baseUrl: string,
	requestOptions: INodeParameters,
	mend: () => void,
) {
	const run = async (operation: Operation, deduplication?: RunResult['options']['deduplication']) =>
		await runNode({
			parameters: { ...parametersOf(operation.variants[0]!), ...onceOptions, requestOptions },
			credential: credentialFor(service, { baseUrl }),
			...(deduplication && { deduplication }),
		});
	const first = await Promise.all(messages.map(async (operation) => await run(operation)));
	const sent = service.requests.length;
	mend();
	const second = await Promise.all(
		messages.map(async (operation, index) => await run(operation, first[index]!.options.deduplication)),
	);
	return { first, sent, second, sentAgain: service.requests.length - sent };
}

describe.each([
	['over http', { tls: false, through: false, of: breaks }],
	['over https', { tls: true, through: false, of: { ...breaks, ...breaksOfTls } }],
	['over http, through a proxy', { tls: false, through: true, of: breaks }],
	['over https, through a proxy', { tls: true, through: true, of: { ...breaks, ...breaksOfTls } }],
])('%s', (_way, { tls, through, of }) => {
	test('an operation has an unknown outcome when its connection breaks before the answer', async () => {
		const tryBreak = async ([name, break_]: [string, Break]) => {
			const service = await startEmulator();
			const breaker = await startBreaker(service, break_, { tls });
			const requestOptions = { timeout: 60_000, ...(through && { proxy: proxy.url }) };
			try {
				// One service for all modes: duplicates there do no harm, because no answer arrives.
				const tried = await runEach([service, service, service], {
					requestOptions,
					credential: { baseUrl: breaker.url },
				});
				for (const { endpoint, title, idempotent } of operations) {
					const sent = service.requests.filter(({ operation }) => operation === endpoint).length;
					const same = operations.filter((each) => each.endpoint === endpoint).length;
					expect([name, title, sent]).toEqual([name, title, same * modes.length * (idempotent ? 3 : 1)]);
				}
				for (const attempt of tried) {
					expectUnknown({ ...attempt, context: `${attempt.context}, ${name}` }, unknownOf(attempt));
				}
				service.reset();
				const once = await sendOnce(service, breaker.url, requestOptions, () => breaker.mend());
				expect([name, once.sent, once.sentAgain]).toEqual([name, messages.length, 0]);
				messages.forEach((operation, index) => {
					const { error } = once.first[index]!;
					const said = [error?.message, error?.description];
					expectUnknown({ context: `${operation.title} once, ${name}`, said }, unknownOf(operation));
					const again = once.second[index]!.error;
					expect([name, again?.message]).toEqual([
						name,
						'This message may have been sent already, so it was not sent again [Item 0]',
					]);
					expect([name, again?.description?.startsWith(unknownOf(operation))]).toEqual([name, true]);
				});
			} finally {
				await breaker.stop();
				await service.stop();
			}
		};
		await Promise.all(Object.entries(of).map(tryBreak));
	}, 240_000);
});

/** A server that runs a callback for every connection. */
async function startServer(onConnection: (socket: Socket) => void): Promise<{ port: number; stop(): void }> {
	const server = net.createServer((socket) => {
		socket.on('error', () => {});
		onConnection(socket);
	});
	return await listening(server);
}

async function listening(server: Server) {
	const open = new Set<Socket>();
	server.on('connection', (socket) => open.add(socket));
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
	message: string;
	says: RegExp;
	/** Whether a retry can help. */
	attempts: 1 | 3;
}

const unreachable = { message: 'The service cannot be reached', says: /'Base URL'/, attempts: 3 } as const;
const handshake = {
	message: 'The server did not set up a secure connection',
	says: /'Base URL'.*HTTPS/,
} as const;
const httpsOf = (port: number) => `https://127.0.0.1:${port}`;
const proxyOf = (port: number) => `http://127.0.0.1:${port}`;

const unsent: Record<string, Unsent> = {
	'nobody listens': { baseUrl: () => 'http://127.0.0.1:9', ...unreachable },
	'the server closes it before the handshake': {
		baseUrl: httpsOf,
		server: (socket) => socket.end(),
		...handshake,
		attempts: 3,
	},
	'the server closes it during the handshake': {
		baseUrl: httpsOf,
		server: afterHello((socket) => socket.end()),
		...handshake,
		attempts: 3,
	},
	'the server answers the handshake with an alert': {
		baseUrl: httpsOf,
		server: afterHello((socket) => socket.write(Buffer.from([0x15, 3, 3, 0, 2, 2, 40]))),
		...handshake,
		attempts: 1,
	},
	'the server answers the handshake in plain http': {
		baseUrl: httpsOf,
		server: afterHello((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')),
		message: 'The server at this address does not support HTTPS',
		says: /'Base URL'.*http instead of https/,
		attempts: 1,
	},
	'a proxy closes the tunnel': {
		baseUrl: () => httpsOf(9),
		server: afterHello((socket) => socket.end()),
		proxy: proxyOf,
		...unreachable,
		says: /The proxy closed the connection/,
	},
	'a proxy wants a password for the tunnel': {
		baseUrl: () => httpsOf(9),
		server: afterHello((socket) =>
			socket.end('HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n'),
		),
		proxy: proxyOf,
		message: 'The proxy between n8n and the service requires a user name and a password',
		says: /'Proxy'/,
		attempts: 1,
	},
	'no proxy listens': { baseUrl: () => httpsOf(9), proxy: () => proxyOf(9), ...unreachable },
};

test('when a connection fails, the error says that nothing was sent, and a later run with Send Once Per sends the message', async () => {
	const tryOne = async ([name, { baseUrl, server, proxy: addressOf, message, says, attempts }]: [
		string,
		Unsent,
	]) => {
		let made = 0;
		const broken = await startServer((socket) => {
			made++;
			server!(socket);
		});
		const service = await startEmulator();
		const requestOptions = { timeout: 60_000, ...(addressOf && { proxy: addressOf(broken.port) }) };
		const credential = { baseUrl: baseUrl(broken.port) };
		const [operation] = messages;
		const parameters = { ...parametersOf(operation!.variants[0]!), ...onceOptions };
		const [tried, once] = await Promise.all([
			// A separate account for each mode, because some limits apply to all requests of an account.
			runEach(
				modes.map(([mode]) => ({ ...service, token: `${mode} ${name}` })),
				{ requestOptions, credential },
			),
			runNode({
				parameters: { ...parameters, requestOptions },
				credential: credentialFor(service, credential),
			}),
		]);
		broken.stop();
		const alone = { context: 'once', said: [once.error?.message, once.error?.description] };
		for (const { context, said } of [...tried, alone]) {
			const [title, text] = said;
			const nothingWasSent = expect.stringMatching(/^Nothing was sent\./) as string;
			expect([name, context, title, text]).toEqual([name, context, `${message} [Item 0]`, nothingWasSent]);
			expect([name, context, text]).toEqual([name, context, expect.stringMatching(says)]);
		}
		if (server) expect([name, made]).toEqual([name, (operations.length * modes.length + 1) * attempts]);

		const { deduplication } = once.options;
		const { error, json } = await runNode({
			parameters,
			credential: credentialFor(service),
			deduplication,
		});
		expect([name, error, json]).toEqual([name, undefined, [{ success: true }]]);
		expect([name, service.requests.length]).toEqual([name, 1]);
		await service.stop();
	};
	await Promise.all(Object.entries(unsent).map(tryOne));
}, 240_000);

test('when no address of a host name answers, nothing was sent', async () => {
	const addresses = [
		{ address: '::1', family: 6 },
		{ address: '127.0.0.1', family: 4 },
	];
	const lookup = (_name: string, _options: object, done: (error: null, found: object) => void) =>
		done(null, addresses);
	jest.spyOn(dns, 'lookup').mockImplementation(lookup as never);
	const { error } = await runNode({
		parameters: parametersOf(messages[0]!.variants[0]!),
		credential: credentialFor({ url: 'http://service.example.com:9', token: 'token' }),
	});
	expect(error?.message).toBe('The service cannot be reached [Item 0]');
	expect(error?.description).toMatch(/^Nothing was sent\. The server refuses connections/);
}, 240_000);

describe('a truncated answer', () => {
	const send = operationOf('message/send');

	/** Sends the given number of bytes without a Content-Length and ends the connection. */
	const answering = async (answer: string) =>
		await startServer(
			afterHello((socket) =>
				socket.end(`HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n${answer}`),
			),
		);

	test('leaves the outcome of a message unknown at every length but the full one', async () => {
		const whole = JSON.stringify({ success: true, text: 'Отправлено' });
		const bytes = Buffer.from(whole);
		for (let length = 1; length <= bytes.length; length++) {
			const server = await answering(bytes.subarray(0, length).toString('latin1'));
			const { error, json } = await runNode({
				parameters: parametersOf(send.variants[0]!),
				credential: credentialFor({ url: `http://127.0.0.1:${server.port}`, token: 'token' }),
			});
			server.stop();
			if (length === bytes.length) {
				expect([length, error]).toEqual([length, undefined]);
				expect(json).toHaveLength(1);
			} else {
				expect([length, error?.message]).toEqual([
					length,
					expect.stringMatching(/cannot be read|did not confirm/),
				]);
				expect([length, error?.description?.startsWith(unknownOf(send))]).toEqual([length, true]);
			}
		}
	}, 60_000);

	/* n8n's HTTP client never finishes with these answers, so the node has to end the run. */
	test('ends the run, also with truncated compression or a slow trickle of bytes', async () => {
		const reactions: Array<(socket: Socket) => void> = [
			(socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}'),
			(socket) => {
				socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{');
				const timer = setInterval(() => socket.write(' '), 200);
				socket.on('close', () => clearInterval(timer));
			},
		];
		const tryOne = async (react: (socket: Socket) => void) => {
			const server = await startServer(afterHello(react));
			const { error } = await runNode({
				parameters: { ...parametersOf(send.variants[0]!), requestOptions: { timeout: 500 } },
				credential: credentialFor({ url: `http://127.0.0.1:${server.port}`, token: 'token' }),
			});
			server.stop();
			expectUnknown({ context: '', said: [error?.message, error?.description] }, unknownOf(send));
		};
		await Promise.all(reactions.map(tryOne));
	}, 60_000);

	test('leaves the outcome unknown with headers of 100 KB', async () => {
		const server = http.createServer((_request, response) => {
			response.setHeader('X-Long', 'a'.repeat(100_000));
			response.end('{"success":true}');
		});
		const { port, stop } = await listening(server);
		const { error } = await runNode({
			parameters: parametersOf(send.variants[0]!),
			credential: credentialFor({ url: `http://127.0.0.1:${port}`, token: 'token' }),
		});
		stop();
		expectUnknown({ context: '', said: [error?.message, error?.description] }, unknownOf(send));
	});
});

/* Errors of an established connection that no server can cause on purpose, as n8n's engine reports them. */
describe.each(byTitle(operations.filter(({ idempotent }) => !idempotent)))('%s', (_title, operation) => {
	test.each(['EHOSTUNREACH', 'ENETUNREACH', 'ENETDOWN', 'ECONNREFUSED', 'EPIPE', 'EPROTO'])(
		'is not repeated when reading its answer fails with %s',
		async (code) => {
			const service = await startEmulator();
			const connect = net.Socket.prototype.connect as (...given: unknown[]) => Socket;
			const failing = jest.spyOn(net.Socket.prototype, 'connect').mockImplementation(function (
				this: Socket,
				...given: unknown[]
			) {
				const socket = connect.apply(this, given);
				if (JSON.stringify(given).includes(new URL(service.url).port)) {
					const error = Object.assign(new Error(`read ${code}`), { code, syscall: 'read' });
					socket.push = () => Boolean(socket.destroy(error)) && false;
				}
				return socket;
			});
			const { error } = await runNode({
				parameters: parametersOf(operation.variants[0]!),
				credential: credentialFor(service),
				items: [{} as IDataObject],
			});
			failing.mockRestore();
			const sent = service.requests.length;
			await service.stop();
			expect(sent).toBe(1);
			expectUnknown(
				{ context: operation.title, said: [error?.message, error?.description] },
				unknownOf(operation),
			);
		},
	);
});
