import type { AddressInfo } from 'node:net';

import { Server } from 'proxy-chain';

/** A request that reached a proxy: with `CONNECT` for a tunnel, which HTTPS needs. `user` is as in the options. */
interface Passage {
	method: string;
	/** As `<host>:<port>`. */
	target: string;
	user: string | undefined;
}

export interface ProxyOptions {
	/** The only user who is let through, as `<user name>:<password>`; without this, everybody is. */
	user?: string;
	/** Makes clients connect to the proxy with HTTPS, with this certificate. */
	tls?: { key: string; cert: string };
	/** Its address on the loopback interface: 127.0.0.1, or ::1. */
	host?: '127.0.0.1' | '::1';
}

/** A real HTTP proxy on the loopback interface. Its passages include those that were rejected. */
export async function startProxy({ user, tls, host = '127.0.0.1' }: ProxyOptions = {}) {
	const passages: Passage[] = [];
	const proxy = new Server({
		...{ host, port: 0 },
		...(tls ? { serverType: 'https', httpsOptions: tls } : { serverType: 'http' }),
		prepareRequestFunction({ request, hostname, port }) {
			const [, encoded] = /^Basic (.+)/.exec(request.headers['proxy-authorization'] ?? '') ?? [];
			const given = encoded && Buffer.from(encoded, 'base64').toString();
			passages.push({ method: request.method!, target: `${hostname}:${port}`, user: given });
			return { requestAuthentication: user !== undefined && given !== user };
		},
	});
	await proxy.listen();
	const { port } = proxy.server.address() as AddressInfo;
	const url = `${tls ? 'https' : 'http'}://${host === '::1' ? '[::1]' : host}:${port}`;
	return { url, passages, stop: async () => await proxy.close(true) };
}
