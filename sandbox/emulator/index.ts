/**
 * The emulator of the Chatbot Service: a real HTTP server that answers like the API and the framework behind it, enforces
 * the limits, fails on demand and records every request. Start it with `startEmulator()`; exchange.ts describes the steps of a
 * request.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import Fastify, { type FastifyError, type FastifyInstance } from 'fastify';

import { html } from './answers';
import { loadContract } from './contract';
import { DEFAULT_TOKEN } from './data';
import { dialectOf, type Dialect } from './dialect';
import { exchange, newCutOff, type Context, type Operation } from './exchange';
import { Faults } from './faults';
import { LOGIN_PAGE, NOT_FOUND_PAGE, serverPage } from './html';
import { Limiter, type Limits } from './limits';
import { Recording, type Violation } from './recording';
import { Refusal } from './refusal';
import { contacts } from './routes/contacts';
import { CONTROL_PREFIX, addControl } from './routes/control';
import { contactVariables } from './routes/contactVariables';
import { listItems } from './routes/listItems';
import { listSchemas } from './routes/listSchemas';
import { messages } from './routes/messages';
import { tags } from './routes/tags';
import { createData } from './seed';
import type { TokenPlacement } from './tokens';

export { loadContract, type Contract } from './contract';
export * from './data';
export type { Dialect } from './dialect';
export type { Fault } from './faults';
export { DOCUMENTED_LIMITS, LARAVEL_LIMITS, type Limits } from './limits';
export type { RecordedRequest } from './recording';
export type { TokenPlacement } from './tokens';

export interface EmulatorOptions {
	/** The port; 0, the default, selects a free one. */
	port?: number;
	/** Token of the account with API access. */
	token?: string;
	/** undefined accepts both the query parameter api_token and a Bearer header. */
	tokenIn?: TokenPlacement;
	/** Differences from the documented limits, `{}` for exactly these; false, the default, disables them. */
	limits?: Partial<Limits> | false;
	/** Differences from the defaults of dialect.ts. */
	dialect?: Partial<Dialect>;
	/** HTTPS, with the self-signed certificate for localhost in tls/. */
	tls?: boolean;
}

export type Emulator = Awaited<ReturnType<typeof startEmulator>>;

/** Operations by name; paths and methods come from docs/openapi.yaml. */
const OPERATIONS: Record<string, Operation> = {
	...contacts,
	...tags,
	...contactVariables,
	...messages,
	...listSchemas,
	...listItems,
};

/** Node refuses larger headers itself; this limit must be above the emulator's own 414. */
const MAX_HEADER_BYTES = 1024 * 1024;

/** nginx's default client_max_body_size. */
const MAX_BODY_BYTES = 1024 * 1024;

export async function startEmulator(options: EmulatorOptions = {}) {
	const token = options.token ?? DEFAULT_TOKEN;
	const context: Context = {
		data: createData(token),
		dialect: dialectOf(options.dialect),
		limits: new Limiter(),
		faults: new Faults(),
		recording: new Recording(),
		contract: loadContract(),
		tokenIn: options.tokenIn,
		cutOff: newCutOff(),
	};
	const { data, dialect, faults, limits, recording } = context;
	limits.set(options.limits ?? false);

	const reset = () => {
		context.cutOff.abort();
		context.cutOff = newCutOff();
		recording.clear();
		faults.clear();
		limits.set(options.limits ?? false);
		Object.assign(data, createData(token));
		Object.assign(dialect, dialectOf(options.dialect));
	};

	const app = createServer(options);
	app.addHook('onRequest', async (request, reply) => {
		if (!request.url.startsWith(`${CONTROL_PREFIX}/`)) recording.begin(request.raw, reply.raw);
	});
	await app.register(async (scope) => addControl(scope, context, reset), { prefix: CONTROL_PREFIX });
	addInterface(app, context);

	await app.listen({ port: options.port ?? 0, host: '127.0.0.1' });
	return {
		/** Base URL without a trailing slash, for example http://127.0.0.1:40123. */
		// The certificate is for this name, and Node.js warns of an address as the name of a server.
		url: options.tls ? app.listeningOrigin.replace('127.0.0.1', 'localhost') : app.listeningOrigin,
		token,
		/** Every request outside /sandbox, in order of arrival. */
		requests: recording.requests,
		/** Requests that violated docs/openapi.yaml. */
		violations: recording.violations,
		/** Requests without an answer: now, and the maximum at the same time. */
		inFlight: recording.inFlight,
		/** Messages that reached a recipient, in order. */
		deliveries: () => data.deliveries,
		faults,
		/** The in-memory store, for assertions and for seeding. */
		data,
		/** How the service differs from others; set its properties to change it. */
		dialect,
		setLimits: (changed: Partial<Limits> | false) => limits.set(changed),
		/** Restores everything to its state at the start, and closes the connections of waiting requests. */
		reset,
		/** Throws with a list of violations if a request violated docs/openapi.yaml. */
		assertContract: () => assertContract(recording.violations),
		/** Stops listening and closes open connections too. */
		async stop() {
			context.cutOff.abort();
			await app.close();
		},
	};
}

function createServer({ tls }: EmulatorOptions): FastifyInstance {
	const shared = {
		bodyLimit: MAX_BODY_BYTES,
		exposeHeadRoutes: false,
		forceCloseConnections: true,
	} as const;
	const node = { maxHeaderSize: MAX_HEADER_BYTES };
	const fileOf = (name: string) => readFileSync(join(__dirname, 'tls', name), 'utf8');
	const app = tls
		? (Fastify({
				...shared,
				https: { ...node, key: fileOf('key.pem'), cert: fileOf('cert.pem') },
			}) as unknown as FastifyInstance)
		: Fastify({ ...shared, http: node });

	// Bodies stay strings: a body that cannot be parsed must also reach the recording and the contract.
	app.removeAllContentTypeParsers();
	app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));

	app.setErrorHandler(async (error: FastifyError, _request, reply) => {
		if (error.statusCode === 413) {
			const { status, headers, body } = html(serverPage('413 Request Entity Too Large'), 413);
			return await reply.code(status).headers(headers).send(body);
		}
		return await reply.code(500).send({ message: `Server Error: ${error.message}` });
	});
	return app;
}

function addInterface(app: FastifyInstance, context: Context): void {
	for (const [path, method] of context.contract.methods) {
		const name = path.slice(path.lastIndexOf('/') + 1);
		const operation = OPERATIONS[name];
		if (!operation) throw new Error(`docs/openapi.yaml has ${path}, the emulator does not`);
		app.route({ method, url: path, handler: exchange(context, name, operation) });
	}
	app.get(
		'/login',
		exchange(context, undefined, () => html(LOGIN_PAGE)),
	);
	app.setNotFoundHandler(
		exchange(context, undefined, ({ url, asksForJson }) => {
			const { pathname } = new URL(url);
			const allowed = context.contract.methods.get(pathname);
			const [status, message] = allowed
				? [405, `This method is not supported for route ${pathname.slice(1)}. Supported methods: ${allowed}.`]
				: [404, `The route ${pathname.slice(1)} could not be found.`];
			throw new Refusal(status as number, asksForJson ? { message } : NOT_FOUND_PAGE);
		}),
	);
}

function assertContract(violations: Violation[]): void {
	if (violations.length === 0) return;
	const lines = violations.map(
		({ request, problems }) =>
			`${request.method} ${excerpt(request.target)} ${excerpt(request.rawBody)}\n  - ${problems.join('\n  - ')}`,
	);
	throw new Error(`${violations.length} requests violated docs/openapi.yaml:\n${lines.join('\n')}`);
}

function excerpt(text: string): string {
	return text.length > 300 ? `${text.slice(0, 300)}… (${text.length} characters)` : text;
}
