/**
 * The steps of a request in the service:
 *
 *   recorded → contract → faults before → request line → JSON asked for? → token → account limit → the operation
 *   (validation, its own limits, effect) → faults after → answer
 *
 * The operations are in routes/. They are synchronous, so that requests do not interleave.
 */

import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { TLSSocket } from 'node:tls';

import type { FastifyReply, FastifyRequest } from 'fastify';

import { refused, wrapped, type Answer } from './answers';
import type { Contract } from './contract';
import type { Data } from './data';
import type { Dialect } from './dialect';
import type { Effect, Faults } from './faults';
import { serverPage } from './html';
import { TooMany, type Limiter, type LimitName } from './limits';
import { behind } from './php';
import type { RecordedRequest, Recording } from './recording';
import { Refusal } from './refusal';
import { findToken, type TokenPlacement } from './tokens';
import { normalize, type Input } from './validation';

export interface Context {
	data: Data;
	dialect: Dialect;
	limits: Limiter;
	faults: Faults;
	recording: Recording;
	contract: Contract;
	tokenIn: TokenPlacement | undefined;
	/** A reset or stop aborts and replaces this: connections of waiting requests are closed, and the requests have no effect. */
	cutOff: AbortController;
}

export interface Call {
	data: Data;
	dialect: Dialect;
	/** Parameters of query and body, trimmed, empty strings as null. */
	input: Input;
	/** The query as it was sent, including the token. */
	query: RecordedRequest['query'];
	/** Absolute URL of the method, without a query. */
	url: string;
	asksForJson: boolean;
	/** Counts the request against one more limit or refuses it with 429. */
	limit(name: LimitName): void;
}

/** Allows any number of requests to wait for the next reset without a warning. */
export function newCutOff(): AbortController {
	const cutOff = new AbortController();
	setMaxListeners(0, cutOff.signal);
	return cutOff;
}

/** The effect of an operation; throws a Refusal instead of its effect. */
export type Operation = (call: Call) => Answer;

/** Web servers refuse longer request lines; nginx, by default, lines of more than 8 KB. */
const REQUEST_LINE_BYTES = 8 * 1024;

/** @param name undefined for a path that is not an operation of the API: it needs no token and has no limit */
export function exchange(context: Context, name: string | undefined, operation: Operation) {
	return async (request: FastifyRequest, reply: FastifyReply) => {
		const { recording, contract, faults } = context;
		const { signal: over } = context.cutOff;
		const rawBody = typeof request.body === 'string' ? request.body : '';
		const record = recording.complete(request.raw, rawBody, name);
		const problems = contract.checkRequest(record, context.tokenIn);
		if (problems.length > 0) recording.violations.push({ request: record, problems });

		const end = (ending: Ending, printed = '') =>
			finish(typeof ending === 'string' ? ending : behind(printed, ending), record, reply, over);

		const before = faults.apply('before', record, false);
		await pause(before.delayMs, over);
		if (over.aborted) return end('reset');
		if (before.end !== undefined) return end(before.end, before.printed);

		// The moment of arrival counts, or the end of a delay, not the moment at which this process handles the request.
		const now = Math.min(record.arrivedAt + before.delayMs, performance.now());
		record.countedAt = now;
		const base = `${request.protocol}://${request.host}`;
		const answer = decide(context, record, { now, operation, base });

		const after = faults.apply('after', record, record.accepted);
		await pause(after.delayMs, over);
		return end(over.aborted ? 'reset' : (after.end ?? answer), before.printed + after.printed);
	};
}

function decide(
	context: Context,
	record: RecordedRequest,
	{ now, operation, base }: { now: number; operation: Operation; base: string },
): Answer {
	let rateHeaders: Record<string, string> = {};
	let answer: Answer;
	const isOfApi = record.operation !== undefined;
	try {
		refuseLongTarget(record);
		const token = isOfApi ? admit(context, record, base) : undefined;
		const limit = (name: LimitName) => {
			if (token !== undefined) rateHeaders = context.limits.count(name, token, now, rateHeaders);
		};
		limit('account');
		answer = operation({
			data: context.data,
			dialect: context.dialect,
			input: normalize(record.input) as Input,
			query: record.query,
			url: `${base}${record.path}`,
			asksForJson: asksForJson(record),
			limit,
		});
		if (isOfApi && context.dialect.answers === 'wrapped') answer = wrapped(answer);
		record.accepted = isOfApi;
	} catch (error) {
		if (!(error instanceof Refusal)) throw error;
		if (error instanceof TooMany) record.refusedBy = error.limit;
		answer = refused(error);
	}
	return { ...answer, headers: { ...rateHeaders, ...answer.headers } };
}

function refuseLongTarget(record: RecordedRequest) {
	const line = `${record.method} ${record.target} HTTP/1.1\r\n`;
	if (Buffer.byteLength(line) > REQUEST_LINE_BYTES) {
		throw new Refusal(414, serverPage('414 Request-URI Too Large'), { connection: 'close' });
	}
}

/** Passes a request to its operation or refuses it. @returns its token */
function admit(context: Context, record: RecordedRequest, base: string): string {
	if (!asksForJson(record)) throw new Refusal(302, '', { location: `${base}/login` });
	const { token, isInHeader } = findToken(record, context.tokenIn);
	if (isInHeader && context.dialect.header === 'ignored') throw new Refusal(500, { message: 'Server Error' });
	const account = context.data.accounts.find((each) => each.token === token);
	if (!account) throw new Refusal(401, { message: 'Unauthenticated.' });
	if (!account.apiAccess) throw new Refusal(403, { message: 'Forbidden' });
	return account.token;
}

/** The framework's expectsJson(): JSON comes first in Accept, or a script sends the request and accepts anything. */
function asksForJson({ headers }: Pick<RecordedRequest, 'headers'>): boolean {
	const accept = String(headers.accept ?? '*/*');
	const first = accept.split(',')[0] ?? '';
	if (/[/+]json/.test(first)) return true;
	return headers['x-requested-with'] === 'XMLHttpRequest' && /^\s*\*\/?\*?\s*(;|$)/.test(first);
}

async function pause(ms: number, over: AbortSignal) {
	if (ms > 0) await sleep(ms, undefined, { signal: over }).catch(() => undefined);
}

type Ending = NonNullable<Effect['end']>;

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
