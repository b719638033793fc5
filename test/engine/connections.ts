import net, { isIP, type AddressInfo, type Server, type Socket } from 'node:net';
import tls from 'node:tls';

import { certificate } from '../../sandbox/emulator';

/* Servers on real sockets, whose connections break. */

const listening = async (server: Server): Promise<number> => {
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	// So that a test that fails does not keep Jest from ending.
	server.unref();
	return (server.address() as AddressInfo).port;
};

/** A server that runs a callback for every connection. */
export async function startServer(onConnection: (socket: Socket) => void) {
	const open = new Set<Socket>();
	const server = net.createServer((socket) => {
		open.add(socket.on('error', () => {}));
		onConnection(socket);
	});
	const port = await listening(server);
	return {
		port,
		stop() {
			server.close();
			for (const socket of open) socket.destroy();
		},
	};
}

/** A service that has each request, but whose answers break. @param break_ what happens on the connection instead of the answer */
export async function startBreaker(break_: (connection: Socket) => void, isSecure: boolean) {
	/** The targets of the requests. */
	const targets: string[] = [];
	/** The connections below TLS, by the port of the client. */
	const connections = new Map<number, Socket>();
	const answer = (socket: Socket) =>
		void socket.on('data', (data) => {
			const [, target] = /^(?:GET|POST) (\S+) HTTP/.exec(data.toString()) ?? [];
			if (target) targets.push(target);
			break_(connections.get(socket.remotePort!)!);
		});
	const server = isSecure ? tls.createServer(certificate(), answer) : net.createServer(answer);
	server.prependListener('connection', (socket: Socket) => {
		connections.set(
			socket.remotePort!,
			socket.on('error', () => {}),
		);
	});
	const port = await listening(server);
	const url = isSecure ? `https://localhost:${port}` : `http://127.0.0.1:${port}`;
	return { url, targets, stop: () => server.close() };
}

/** Makes the certificate of the emulator trusted, like one of a known authority, until mocks are restored. */
export function trustCertificate() {
	const { cert: ca } = certificate();
	const connect = tls.connect as (options: tls.ConnectionOptions) => tls.TLSSocket;
	jest.spyOn(tls, 'connect').mockImplementation(((options: tls.ConnectionOptions) => {
		const { servername = '' } = options;
		// Node.js 24 warns of an IP address, which the standard does not allow as a server name.
		return connect({ ...options, ca, servername: isIP(servername) ? '' : servername });
	}) as typeof tls.connect);
}
