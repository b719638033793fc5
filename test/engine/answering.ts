import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A small HTTP server for answers that the emulator does not give. */
export interface Answering {
	/** Credential values that point to this server. */
	url: string;
	token: string;
	/** Request targets in the order of arrival. */
	targets: string[];
	stop(): Promise<void>;
}

const servers: Answering[] = [];

/** Starts the server for one test. @param answer returns the body, which is sent as JSON unless it is a string */
export async function startAnswering(
	answer: (request: IncomingMessage & { url: string }, response: ServerResponse) => unknown,
): Promise<Answering> {
	const targets: string[] = [];
	const server = http.createServer((request, response) => {
		targets.push(request.url!);
		request.resume();
		const body = answer(request as IncomingMessage & { url: string }, response);
		if (response.writableEnded) return;
		response.setHeader('Content-Type', 'application/json');
		response.end(typeof body === 'string' ? body : JSON.stringify(body));
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const started: Answering = {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		token: `токен ${servers.length}`,
		targets,
		async stop() {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
	servers.push(started);
	return started;
}

afterEach(async () => {
	await Promise.all(servers.splice(0).map(async (server) => await server.stop()));
});
