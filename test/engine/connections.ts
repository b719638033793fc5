import net, { isIP, type AddressInfo, type Server, type Socket } from 'node:net';
import tls from 'node:tls';

import { certificate } from '../../sandbox/emulator';

/* Servers on real sockets, whose connections break. */

const listening = async (server: Server): Promise<number> => {
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
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

/** What happens on the client's connection instead of the answer. */
export type Break = (connection: Socket, answer: Buffer) => void;

/** A service that has each request, but whose answers break. @param isSecure whether the records of HTTPS break */
export async function startBreaker(break_: Break, isSecure: boolean) {
	/** The targets of the requests. */
	const targets: string[] = [];
	/** TLS does not show what a record is. The port of the connection behind it tells whether it is the answer. */
	const answering = new Set<number>();
	const answer = (socket: Socket) =>
		void socket.on('data', (data) => {
			const [, target] = /^(?:GET|POST) (\S+) HTTP/.exec(data.toString()) ?? [];
			if (target) targets.push(target);
			answering.add(socket.remotePort!);
			socket.write('HTTP/1.1 200 OK\r\nContent-Length: 16\r\n\r\n{"success":true}');
		});
	const inner = isSecure ? tls.createServer(certificate(), answer) : net.createServer(answer);
	inner.on('tlsClientError', () => {}).on('connection', (socket) => socket.on('error', () => {}));
	const innerPort = await listening(inner);
	const front = await startServer((client) => {
		const behind = net.connect(innerPort, '127.0.0.1').on('error', () => {});
		client.pipe(behind);
		client.on('close', () => behind.destroy());
		let hasBroken = false;
		behind.on('data', (data: Buffer) => {
			if (hasBroken) return;
			hasBroken = answering.delete(behind.localPort!);
			if (hasBroken) break_(client, data);
			else client.write(data);
		});
	});
	const stop = () => [front.stop(), inner.close()];
	return {
		url: isSecure ? `https://localhost:${front.port}` : `http://127.0.0.1:${front.port}`,
		targets,
		stop,
	};
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
