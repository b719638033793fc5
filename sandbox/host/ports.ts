import { createServer } from 'node:net';

/** A port of the loopback interface nobody listens on: `preferred` when it is free, any other one otherwise. */
export async function freePort(preferred = 0): Promise<number> {
	return (await listenOnce(preferred)) ?? (await listenOnce(0)) ?? Promise.reject(new Error('No free port'));
}

async function listenOnce(port: number): Promise<number | undefined> {
	return await new Promise((resolve, reject) => {
		const server = createServer();
		server.once('error', (error: NodeJS.ErrnoException) => {
			if (error.code === 'EADDRINUSE' || error.code === 'EACCES') resolve(undefined);
			else reject(error);
		});
		server.listen(port, '127.0.0.1', () => {
			const address = server.address();
			server.close(() => resolve(typeof address === 'object' && address ? address.port : undefined));
		});
	});
}
