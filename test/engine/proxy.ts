import type { AddressInfo } from 'node:net';

import { Server, type HttpServerOptions } from 'proxy-chain';

/** A request that reached a proxy. */
interface Passage {
	/** Its method: `CONNECT` for a tunnel, which HTTPS needs. */
	method: string;
	/** Its target, as `<host>:<port>`. */
	target: string;
	/** User name and password of its `Proxy-Authorization`, as `<user name>:<password>`. */
	user: string | undefined;
}

interface Proxy {
	/** Its address, for example http://127.0.0.1:40123. */
	url: string;
	/** All requests in order, including those that were rejected. */
	passages: Passage[];
	stop(): Promise<void>;
}

export interface ProxyOptions {
	/** The only user who is let through, as `<user name>:<password>`; without this, everybody is. */
	user?: string;
	/** Makes clients connect to the proxy with HTTPS, with this certificate. */
	tls?: { key: string; cert: string };
	/** Its address on the loopback interface: 127.0.0.1, or ::1. */
	host?: '127.0.0.1' | '::1';
}

/** A real HTTP proxy on the loopback interface. */
export async function startProxy({ user, tls, host = '127.0.0.1' }: ProxyOptions = {}): Promise<Proxy> {
	const passages: Passage[] = [];
	const options: HttpServerOptions = {
		host,
		port: 0,
		prepareRequestFunction({ request, hostname, port }) {
			const passage = {
				method: request.method ?? '',
				target: `${hostname}:${port}`,
				user: userIn(request.headers['proxy-authorization']),
			};
			passages.push(passage);
			return { requestAuthentication: user !== undefined && passage.user !== user };
		},
	};
	const proxy = new Server(tls ? { ...options, serverType: 'https', httpsOptions: tls } : options);
	await proxy.listen();
	const { port } = proxy.server.address() as AddressInfo;
	return {
		url: `${tls ? 'https' : 'http'}://${host === '::1' ? '[::1]' : host}:${port}`,
		passages,
		stop: async () => await proxy.close(true),
	};
}

function userIn(header: string | undefined): string | undefined {
	const [scheme, encoded] = header?.split(' ') ?? [];
	return scheme === 'Basic' ? Buffer.from(encoded!, 'base64').toString() : undefined;
}
