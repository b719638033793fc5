/**
 * The steps of a request in the service:
 *
 *   recorded → contract → faults before → request line → token → account limit → validation → the operation
 *   (its own limits, effect) → faults after → answer
 *
 * The operations are in routes/. They are synchronous, so that requests do not interleave.
 */

import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { TLSSocket } from 'node:tls';

import type { FastifyReply, FastifyRequest } from 'fastify';

import { Refusal, html, json, refusal, serverPage, type Answer } from './answers';
import type { Contract } from './contract';
import type { Data } from './data';
import type { Dialect } from './services';
import type { Schema } from './document';
import type { Effect, Faults } from './faults';
import type { Limiter, LimitName } from './limits';
import { findToken, type RecordedRequest, type Recording } from './recording';
import { isObject, normalize, validate, type Input } from './validation';

export interface Context {
	data: Data;
	dialect: Dialect;
	limits: Limiter;
	faults: Faults;
	recording: Recording;
	contract: Contract;
	tokenHeader: string | undefined;
	/** A reset or stop aborts and replaces this: connections of waiting requests are closed, and the requests have no effect. */
	cutOff: AbortController;
}

/** Allows any number of requests to wait for the next reset without a warning. */
export function newCutOff(): AbortController {
	const cutOff = new AbortController();
	setMaxListeners(0, cutOff.signal);
	return cutOff;
}

export interface Call {
	data: Data;
	dialect: Dialect;
	/** Parameters of query and body, trimmed, empty strings as null. They have the schema of the operation. */
	input: Input;
	/** The query as it was sent, including the token. */
	query: RecordedRequest['query'];
	/** Absolute URL of the method, without a query. */
	url: string;
	/** Counts the request against one more limit or refuses it with 429. */
	limit(name: LimitName): void;
}

/** The effect of an operation; throws a Refusal instead. @returns the answer, sent as JSON; undefined for an empty page */
export type Operation = (call: Call) => unknown;

interface Route {
	name: string;
	input: Schema;
	operation: Operation;
}

/** Web servers refuse longer request lines; nginx, by default, lines of more than 8 KB. */
const REQUEST_LINE_BYTES = 8 * 1024;

/** @param route undefined for a path that is not an operation of the API: it needs no token and has no limit */
export function exchange(context: Context, route?: Route) {
	const { recording, contract, faults } = context;
	return async (request: FastifyRequest, reply: FastifyReply) => {
		const { signal: over } = context.cutOff;
		const record = recording.add(request, reply.raw, route?.name);
		const problems = contract.checkRequest(record, context.tokenHeader);
		if (problems.length > 0) recording.violations.push({ request: record, problems });

		const before = faults.apply('before', record, false);
		await pause(before.delayMs, over);
		if (over.aborted) return finish('reset', record, reply, over);
		if (before.end !== undefined) return finish(behind(before.printed, before.end), record, reply, over);

		// The moment of arrival counts, or the end of a delay, not the moment at which this process handles the request.
		record.countedAt = Math.min(record.arrivedAt + before.delayMs, performance.now());
		const answer = decide(context, record, `${request.protocol}://${request.host}`, route);

		const after = faults.apply('after', record, record.accepted);
		await pause(after.delayMs, over);
		const end = over.aborted ? 'reset' : (after.end ?? answer);
		return finish(behind(before.printed + after.printed, end), record, reply, over);
	};
}

function decide(context: Context, record: RecordedRequest, base: string, route?: Route): Answer {
	let headers: Answer['headers'] = {};
	let answer: Answer;
	try {
		const line = `${record.method} ${record.target} HTTP/1.1\r\n`;
		if (line.length > REQUEST_LINE_BYTES)
			throw new Refusal(html(serverPage(414), 414, { connection: 'close' }));
		if (!route) throw refusal(404, `The route ${record.path.slice(1)} could not be found.`);
		const { data, dialect } = context;
		const token = admit(context, record);
		const limit = (name: LimitName) => {
			const counted = context.limits.count(name, token, record.countedAt!, headers);
			headers = counted.headers;
			if (!counted.isRefused) return;
			record.refusedBy = name;
			throw refusal(429, 'Too Many Attempts.');
		};
		limit('account');
		const input = normalize(record.input) as Input;
		validate(route.input, input);
		const { query } = record;
		const body = route.operation({ data, dialect, input, query, url: `${base}${record.path}`, limit });
		answer = body === undefined ? html('') : json(body);
		if (dialect.answers === 'wrapped') answer = wrapped(body);
		record.accepted = true;
	} catch (error) {
		if (!(error instanceof Refusal)) throw error;
		answer = error.answer;
	}
	return { ...answer, headers: { ...headers, ...answer.headers } };
}

/** Passes a request to its operation or refuses it. @returns its token */
function admit(context: Context, record: RecordedRequest): string {
	const { token, isInHeader } = findToken(record, context.tokenHeader);
	if (isInHeader && context.dialect.header === 'ignored') throw refusal(500, 'Server Error');
	const account = context.data.accounts.find((each) => each.token === token);
	if (!account) throw refusal(401, 'Unauthenticated.');
	if (!account.apiAccess) throw refusal(403, 'Forbidden');
	return account.token;
}

/** A success in the form that LEADTEX has for all of them. */
const wrapped = (body: unknown): Answer =>
	json({ data: null, ...(isObject(body) && body), errors: [], message: '', success: true });

type Ending = NonNullable<Effect['end']>;

/** What PHP prints first is sent first, and determines the content type. */
function behind(printed: string, ending: Ending): Ending {
	if (printed === '' || typeof ending === 'string') return ending;
	const { status, headers, body } = ending;
	return html(printed + body, status, { ...headers, 'content-type': 'text/html; charset=UTF-8' });
}

async function pause(ms: number, over: AbortSignal) {
	if (ms > 0) await sleep(ms, undefined, { signal: over }).catch(() => undefined);
}

function finish(ending: Ending, record: RecordedRequest, reply: FastifyReply, over: AbortSignal) {
	const { socket } = reply.request.raw;
	if (typeof ending === 'string') {
		if (ending === 'silence') over.addEventListener('abort', () => socket.destroy());
		// A TLS socket cannot send the reset itself.
		else if (socket instanceof TLSSocket) socket.destroy();
		else socket.resetAndDestroy();
		return reply.hijack();
	}
	// The client may have given up while the answer was delayed.
	if (!socket.destroyed) {
		record.status = ending.status;
		record.answeredAt = performance.now();
	}
	return reply.code(ending.status).headers(ending.headers).send(ending.body);
}
