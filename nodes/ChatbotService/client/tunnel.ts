import { proxyRefused, tunnelRefused, type Failure } from './failure';
import type { ServiceAnswer } from './answer';

/*
 * A request by https through a proxy waits until the proxy has made a tunnel to the service. Where the proxy refuses that, n8n's HTTP
 * client hands on its refusal as if it were the answer of the service. What tells them apart is the connection: only what came out of
 * the tunnel is encrypted. It can be looked at where n8n is asked for the answer as a stream.
 */

/** An answer of Node.js that has not been read yet. */
interface Stream extends AsyncIterable<Uint8Array> {
	/** Absent where the answer was compressed, which Node.js has undone by then. */
	socket?: { encrypted?: boolean } | null;
	destroy?(): void;
}

const isStream = (body: unknown): body is Stream =>
	typeof body === 'object' && body !== null && Symbol.asyncIterator in body;

/** Reads an answer that was asked for as a stream, or says that nothing passed the tunnel. @throws where the connection breaks */
export async function readTunnelled(answer: ServiceAnswer): Promise<ServiceAnswer | { failure: Failure }> {
	const { body, statusCode } = answer;
	if (!isStream(body)) return answer;
	if (body.socket && !body.socket.encrypted) {
		body.destroy?.();
		return { failure: statusCode === 407 ? proxyRefused(statusCode) : tunnelRefused(statusCode) };
	}
	const decoder = new TextDecoder();
	let text = '';
	for await (const chunk of body) text += decoder.decode(chunk, { stream: true });
	return { ...answer, body: parsed(text + decoder.decode()) };
}

/** As n8n does: the text where it is no JSON. */
function parsed(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return text;
	}
}
