import getPort from 'get-port';

/** A free port of the loopback interface: `preferred` if it is free, otherwise another one. */
export async function freePort(preferred?: number): Promise<number> {
	return await getPort({ host: '127.0.0.1', port: preferred });
}
