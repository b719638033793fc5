import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * A free port of the loopback interface: `preferred` if it is free, otherwise another one.
 *
 * Systems give none of these ports to a program that asks for any port, so another test does not get it before a slow program listens.
 */
export async function freePort(preferred = randomInt(20_000, 32_768)): Promise<number> {
	const server = createServer().listen(preferred, '127.0.0.1');
	try {
		await once(server, 'listening');
	} catch (error) {
		// Windows reserves ports, too.
		if (['EADDRINUSE', 'EACCES'].includes((error as NodeJS.ErrnoException).code!)) return await freePort();
		throw error;
	}
	await once(server.close(), 'close');
	return preferred;
}
