/** The record of every request to the service, including refused ones. */

import type { ServerResponse } from 'node:http';
import { parse } from 'node:querystring';

import type { FastifyRequest } from 'fastify';

import { isObject, type Input } from './validation';

/** A request and its outcome. Times are performance.now() in milliseconds. */
export interface RecordedRequest {
	method: string;
	/** Without the query. */
	path: string;
	/** Path and query, still percent-encoded. */
	target: string;
	/** For example sendMessage; undefined for an unknown path or method. */
	operation: string | undefined;
	/** Decoded; a name that occurs several times has an array. */
	query: Record<string, string | string[]>;
	/** Names in lower case, as in Node. */
	headers: Record<string, string | string[] | undefined>;
	/** Parsed JSON or form body; undefined without a body or if it cannot be parsed. */
	body: unknown;
	rawBody: string;
	/** Of the client's connection, which n8n makes anew for each request. */
	port: number | undefined;
	/** Query and body merged as the framework merges them; the body wins. */
	input: Input;
	arrivedAt: number;
	/** When the limits count it: arrivedAt, or later after a delay fault; undefined if a fault ended it before. */
	countedAt: number | undefined;
	/** When the answer was passed to the network; undefined without an answer. */
	answeredAt: number | undefined;
	status: number | undefined;
	/** Whether it took effect: the message was delivered, the record changed, the data was read. */
	accepted: boolean;
	/** The limit that refused it: account, a messenger, or whatsAppNumber. */
	refusedBy: string | undefined;
	faults: string[];
}

export class Recording {
	readonly requests: RecordedRequest[] = [];
	readonly violations: Array<{ request: RecordedRequest; problems: string[] }> = [];
	/** Requests that were neither answered nor closed yet. */
	readonly inFlight = { now: 0, peak: 0 };

	/** @param operation undefined for an unknown path or method */
	add({ raw, body: rawBody }: FastifyRequest, response: ServerResponse, operation: string | undefined) {
		const target = raw.url!;
		const [path = ''] = target.split('?', 1);
		// It has no prototype.
		const query = { ...(parse(target.slice(path.length + 1)) as RecordedRequest['query']) };
		const isJson = /[/+]json\b/i.test(String(raw.headers['content-type']));
		const body = isJson ? parseJson(String(rawBody)) : undefined;
		const request: RecordedRequest = {
			...{ method: raw.method!, path, target, operation },
			...{ query, headers: { ...raw.headers }, body, rawBody: String(rawBody ?? '') },
			input: { ...query, ...(isObject(body) && body) },
			port: raw.socket.remotePort,
			...{ arrivedAt: performance.now(), countedAt: undefined, answeredAt: undefined },
			...{ status: undefined, accepted: false, refusedBy: undefined, faults: [] },
		};
		this.requests.push(request);
		this.inFlight.now++;
		this.inFlight.peak = Math.max(this.inFlight.peak, this.inFlight.now);
		response.once('close', () => this.inFlight.now--);
		return request;
	}

	clear(): void {
		this.requests.length = 0;
		this.violations.length = 0;
		this.inFlight.peak = this.inFlight.now;
	}
}

export function parseJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		// The framework treats malformed JSON as empty input, not as an error.
		return undefined;
	}
}

/**
 * The token of a request, the query without it, and the contract's problems with its place.
 * @param tokenHeader where the token belongs; undefined accepts both the query parameter api_token and a Bearer header
 */
export function findToken({ query, headers }: RecordedRequest, tokenHeader: string | undefined) {
	const { api_token: parameter, ...otherQuery } = query;
	const [, bearer] = /^Bearer (.+)/.exec(String(headers.authorization)) ?? [];
	const inHeader = tokenHeader ? headers[tokenHeader.toLowerCase()] : bearer;
	const inQuery = tokenHeader ? undefined : parameter;
	const found = [inQuery ?? [], inHeader ?? []].flat();

	const problems: string[] = [];
	if (found.length === 0) problems.push('no token where it belongs');
	if (found.length > 1) problems.push('the token is given more than once');
	return { token: found[0], isInHeader: inQuery === undefined && found.length > 0, otherQuery, problems };
}
