import getPort from 'get-port';

/** A port of the loopback interface nobody listens on: `preferred` when it is free, any other one otherwise. */
export async function freePort(preferred?: number): Promise<number> {
	return await getPort({ host: '127.0.0.1', port: preferred });
}
