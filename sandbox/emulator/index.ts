/**
 * The emulator of the Chatbot Service: a real HTTP server that answers like the API and the framework behind it, enforces
 * the limits, fails on demand and records every request. Start it with `startEmulator()`; exchange.ts describes the steps of a
 * request.
 */

import Fastify, { type FastifyInstance } from 'fastify';

import { certificate } from './certificate';
import { loadContract } from './contract';
import { DEFAULT_TOKEN } from './data';
import { exchange, newCutOff, type Context, type Operation } from './exchange';
import { Faults, type Fault } from './faults';
import { Limiter, type Limits } from './limits';
import { Recording, parseJson } from './recording';
import { contacts } from './routes/contacts';
import { lists } from './routes/lists';
import { createData } from './seed';
import { dialectOf } from './services';

export { certificate } from './certificate';
export { loadContract } from './contract';
export * from './data';
export type { Fault } from './faults';
export { LARAVEL_LIMITS, type Limits } from './limits';
export type { RecordedRequest } from './recording';

export interface EmulatorOptions {
	/** 0, the default, selects a free one. */
	port?: number;
	/** Of the account with API access. */
	token?: string;
	/** The header for the token; undefined accepts both the query parameter api_token and a Bearer header. */
	tokenHeader?: string;
	/** Differences from the documented limits, `{}` for exactly these; false, the default, disables them. */
	limits?: Partial<Limits> | false;
	/** The service as which it speaks: watbot, cleverapp, onebot, jetbot or leadtex. Without one, as the interface itself. */
	service?: string;
	/** HTTPS, with the self-signed certificate for localhost. */
	tls?: boolean;
}

export type Emulator = Awaited<ReturnType<typeof startEmulator>>;

/** By name; paths, methods and parameters come from docs/openapi.yaml. */
const OPERATIONS: Record<string, Operation> = { ...contacts, ...lists };

/** nginx's default client_max_body_size. Node refuses larger headers itself, so that limit must be above the emulator's 414. */
const MAX_BYTES = 1024 * 1024;

export async function startEmulator(options: EmulatorOptions = {}) {
	const { token = DEFAULT_TOKEN, limits: limitsAtStart = false, service, tokenHeader, tls } = options;
	const [data, dialect, limits] = [createData(token), dialectOf(service), new Limiter()];
	const [faults, recording, contract] = [new Faults(), new Recording(), loadContract()];
	const parts = { data, dialect, limits, faults, recording, contract };
	const context: Context = { ...parts, tokenHeader, cutOff: newCutOff() };
	const { requests, violations, inFlight } = recording;
	limits.set(limitsAtStart);

	const reset = () => {
		context.cutOff.abort();
		context.cutOff = newCutOff();
		recording.clear();
		faults.clear();
		limits.set(limitsAtStart);
		Object.assign(data, createData(token));
		Object.assign(dialect, dialectOf(service));
	};

	const app = createServer(tls);
	await app.register(async (scope) => addControl(scope, parts, reset), { prefix: '/sandbox' });
	for (const { path: url, method, operationId: name, input } of contract.operations) {
		const handler = exchange(context, { name, input, operation: OPERATIONS[name]! });
		app.route({ method, url, handler });
	}
	app.setNotFoundHandler(exchange(context));

	await app.listen({ port: options.port ?? 0, host: '127.0.0.1' });
	return {
		/** Base URL without a trailing slash, for example http://127.0.0.1:40123. */
		// The certificate is for this name, and Node.js warns of an address as the name of a server.
		url: tls ? app.listeningOrigin.replace('127.0.0.1', 'localhost') : app.listeningOrigin,
		...{ token, requests, violations, inFlight, faults, data, dialect },
		deliveries: () => data.deliveries,
		setLimits: (changed: Partial<Limits> | false) => limits.set(changed),
		/** Restores everything to its state at the start, and closes the connections of waiting requests. */
		reset,
		/** Throws if a request violated docs/openapi.yaml. */
		assertContract() {
			if (violations.length === 0) return;
			const lines = violations.map(({ request: { method, target, rawBody }, problems }) => {
				const start = [method, target.slice(0, 300), rawBody.slice(0, 300)].join(' ');
				return [start, ...problems].join('\n  - ');
			});
			throw new Error(`${lines.length} requests violated docs/openapi.yaml:\n${lines.join('\n')}`);
		},
		/** Stops listening and closes open connections too. */
		async stop() {
			context.cutOff.abort();
			await app.close();
		},
	};
}

function createServer(tls = false): FastifyInstance {
	const http = { maxHeaderSize: MAX_BYTES };
	const server = tls ? { https: { ...http, ...certificate() } } : { http };
	const shared = { bodyLimit: MAX_BYTES, exposeHeadRoutes: false, forceCloseConnections: true };
	const app: FastifyInstance = Fastify({ ...shared, ...server } as object);
	// Bodies stay strings: a body that cannot be parsed must also reach the recording and the contract.
	app.removeAllContentTypeParsers();
	app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
	return app;
}

/** What other processes can read and set, under /sandbox. README.md has the list. By default, curl sends JSON as a form. */
function addControl(
	app: FastifyInstance,
	{ data, limits, faults, recording }: Pick<Context, 'data' | 'limits' | 'faults' | 'recording'>,
	reset: () => void,
): void {
	app.get('/requests', async () => ({ inFlight: recording.inFlight, requests: recording.requests }));
	app.get('/deliveries', async () => data.deliveries);

	/** @param set what it does with the JSON that it gets, and answers */
	const onPost = (path: string, set: (given: unknown) => object) =>
		app.post<{ Body: string }>(path, async ({ body }) => set(parseJson(body)));
	onPost('/faults', (given) => {
		const list = [given as Fault | Fault[]].flat();
		if (list.length === 0) faults.clear();
		for (const each of list) faults.add(each);
		return { added: list.length };
	});
	onPost('/limits', (given) => {
		limits.set(given as Partial<Limits> | false);
		return { limits: given };
	});
	onPost('/reset', () => {
		reset();
		return { reset: true };
	});
}
