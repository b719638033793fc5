import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';

/** A free port of the loopback interface: `preferred` if it is free, otherwise another one. */
export async function freePort(preferred = 0): Promise<number> {
	const server = createServer().listen(preferred, '127.0.0.1');
	try {
		await once(server, 'listening');
	} catch (error) {
		if (preferred) return await freePort();
		throw error;
	}
	const { port } = server.address() as AddressInfo;
	await once(server.close(), 'close');
	return port;
}
