import http, { type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A small HTTP server for answers that the emulator does not give. */
interface Answering {
	/** Credential values that point to this server. */
	url: string;
	token: string;
	/** Request targets in the order of arrival. */
	targets: string[];
}

const servers: http.Server[] = [];

/** Starts the server for the tests of a file. @param answer returns the body, which is sent as JSON unless it is a string */
export async function startAnswering(
	answer: (request: IncomingMessage & { url: string }) => unknown,
): Promise<Answering> {
	const targets: string[] = [];
	const server = http.createServer((request, response) => {
		targets.push(request.url!);
		request.resume();
		const body = answer(request as IncomingMessage & { url: string });
		response.setHeader('Content-Type', 'application/json');
		response.end(typeof body === 'string' ? body : JSON.stringify(body));
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	return { url: `http://127.0.0.1:${port}`, token: `токен ${servers.push(server)}`, targets };
}

afterAll(() => {
	for (const server of servers) server.close().closeAllConnections();
});
