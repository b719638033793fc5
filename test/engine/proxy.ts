import type { AddressInfo } from 'node:net';

import { Server, type HttpServerOptions } from 'proxy-chain';

/** A request that came to a proxy. */
export interface Passage {
	/** How it was asked for: `CONNECT` for a way through, as https needs one. */
	method: string;
	/** Where it wants to go, as `<host>:<port>`. */
	target: string;
	/** User name and password of its `Proxy-Authorization`, as `<user name>:<password>`. */
	user: string | undefined;
}

export interface Proxy {
	/** Its address, for example http://127.0.0.1:40123. */
	url: string;
	/** What came, in order, also what was not let through. */
	passages: Passage[];
	stop(): Promise<void>;
}

export interface ProxyOptions {
	/** The only one that is let through, as `<user name>:<password>`; without it everybody is. */
	user?: string;
	/** Spoken to by https, with this certificate. */
	tls?: { key: Buffer; cert: Buffer };
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
