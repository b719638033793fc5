import net, { type AddressInfo, type Server, type Socket } from 'node:net';
import tls from 'node:tls';

import { certificate, type Emulator } from '../../sandbox/emulator';

/* A TCP proxy that breaks the connection when the service answers: the service has processed the request by then. */

/** What happens instead of the answer, on the client's connection. */
export type Break = (connection: Socket, answer: Buffer) => void;

/** Each of these leaves the client without an answer. */
export const breaks: Record<string, Break> = {
	'is reset': (connection) => connection.resetAndDestroy(),
	// Over TLS, the connection ends without a close_notify alert.
	'is closed': (connection) => connection.end(),
	'brings something else': (connection) => connection.end('SSH-2.0-OpenSSH_9.2p1\r\n'),
	'brings half of the answer': (connection, answer) => connection.end(answer.subarray(0, answer.length / 2)),
};

/** Breaks that only TLS records can have. */
export const breaksOfTls: Record<string, Break> = {
	'brings plain text': (connection) =>
		connection.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n'),
	'brings an alert': (connection) => connection.end(Buffer.from([0x15, 3, 3, 0, 2, 2, 80])),
	'brings a record with a flipped bit': (connection, answer) => {
		// After the header of the first record.
		answer[8]! ^= 0xff;
		connection.end(answer);
	},
};

const listen = async (server: Server): Promise<number> => {
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	return (server.address() as AddressInfo).port;
};

/**
 * @param service that uses HTTP
 * @param isSecure whether clients use HTTPS: then the connection with the encrypted records breaks
 * @returns its base URL, and `mend`, after which it forwards answers
 */
export async function startBreaker({ url }: Pick<Emulator, 'url'>, break_: Break, isSecure: boolean) {
	const open = new Set<Socket>();
	const keep = <Kind extends Socket>(socket: Kind): Kind => {
		open.add(socket);
		socket.on('error', () => socket.destroy()).on('close', () => open.delete(socket));
		return socket;
	};
	let isBroken = true;
	const toService = () => keep(net.connect(Number(new URL(url).port), '127.0.0.1'));

	/** Terminates TLS, which shows which record is the answer. The port of its connection identifies the client's connection. */
	const answering = new Set<number>();
	const inner = tls.createServer(certificate(), (client) => {
		keep(client);
		const port = client.remotePort!;
		const service = toService();
		client.on('data', (data) => service.write(data));
		service.on('data', (data) => {
			answering.add(port);
			client.write(data);
		});
		// Another connection may get the same port.
		client.on('close', () => answering.delete(port));
		service.on('end', () => client.end());
	});
	const innerPort = isSecure ? await listen(inner) : 0;

	const front = net.createServer((client) => {
		keep(client);
		const behind = isSecure ? keep(net.connect(innerPort, '127.0.0.1')) : toService();
		client.on('data', (data) => behind.write(data));
		client.on('end', () => behind.end());
		let hasBroken = false;
		behind.on('data', (data) => {
			if (hasBroken) return;
			hasBroken = isBroken && (!isSecure || answering.has(behind.localPort!));
			if (hasBroken) break_(client, data);
			else client.write(data);
		});
		behind.on('end', () => hasBroken || client.end());
	});
	const port = await listen(front);
	return {
		url: isSecure ? `https://localhost:${port}` : `http://127.0.0.1:${port}`,
		mend: () => void (isBroken = false),
		stop() {
			for (const socket of open) socket.destroy();
			front.close();
			inner.close();
		},
	};
}
