import type { AddressInfo } from 'node:net';

import { Server } from 'proxy-chain';

/** A request that reached a proxy: with `CONNECT` for a tunnel, which HTTPS needs. `user` is as in the options. */
interface Passage {
	method: string;
	/** As `<host>:<port>`. */
	target: string;
	user: string | undefined;
}

/**
 * A real HTTP proxy on the loopback interface. Its passages include those that were rejected.
 *
 * @param user the only one who is let through, as `<user name>:<password>`; without this, everybody is
 */
export async function startProxy(user?: string) {
	const passages: Passage[] = [];
	const proxy = new Server({
		...{ host: '127.0.0.1', port: 0 },
		prepareRequestFunction({ request, hostname, port }) {
			const [, encoded] = /^Basic (.+)/.exec(request.headers['proxy-authorization'] ?? '') ?? [];
			const given = encoded && Buffer.from(encoded, 'base64').toString();
			passages.push({ method: request.method!, target: `${hostname}:${port}`, user: given });
			return { requestAuthentication: user !== undefined && given !== user };
		},
	});
	await proxy.listen();
	const { port } = proxy.server.address() as AddressInfo;
	const url = `http://127.0.0.1:${port}`;
	return { url, passages, stop: async () => await proxy.close(true) };
}
