import http, { type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

import { credentialFor } from './setUp';

/** A small HTTP server for answers that the emulator does not give. */
interface Answering {
	/** Credential values that point to this server. */
	url: string;
	token: string;
	credential: ReturnType<typeof credentialFor>;
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
	const place = { url: `http://127.0.0.1:${port}`, token: `токен ${servers.push(server)}` };
	return { ...place, credential: credentialFor(place), targets };
}

/** The credential of a service that answers anything with rows that the emulator does not have. */
export const answeringRows = async (data: unknown) => (await startAnswering(() => ({ data }))).credential;

afterAll(() => {
	for (const server of servers) server.close().closeAllConnections();
});
