/** Who asked for what and when: every request to the service, the ones it refused included. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { parse } from 'node:querystring';

import { isObject, type Input } from './validation';

/** One request as it arrived and what became of it. Times are performance.now() in milliseconds. */
export interface RecordedRequest {
	/** Counts from 1 after every reset. */
	id: number;
	method: string;
	/** Without the query. */
	path: string;
	/** The request target as sent: path and query, still percent-encoded. */
	target: string;
	/** Name of the operation, for example sendMessage; undefined for an unknown path or method. */
	operation: string | undefined;
	/** Decoded; a name given several times has an array. */
	query: Record<string, string | string[]>;
	/** Names in lower case, as Node gives them. */
	headers: Record<string, string | string[] | undefined>;
	/** Parsed JSON or form body; undefined when there is none or it cannot be parsed. */
	body: unknown;
	rawBody: string;
	/** Query and body merged as the framework merges them; the body wins. */
	input: Input;
	/** When the head of the request was read. */
	arrivedAt: number;
	/** What the limits count: arrivedAt, or later after a delay fault; undefined when a fault ended it before. */
	countedAt: number | undefined;
	/** When the answer was handed to the network; undefined when none was, as after a reset. */
	answeredAt: number | undefined;
	status: number | undefined;
	/** True when the request took effect: the message was delivered, the record changed, the data was read. */
	accepted: boolean;
	/** Which limit refused it: account, a messenger, or whatsAppNumber. */
	refusedBy: string | undefined;
	/** Kinds of the faults that hit it. */
	faults: string[];
}

/** A request that broke docs/openapi.yaml, and how. */
export interface Violation {
	request: RecordedRequest;
	problems: string[];
}

/** What one service was asked, and what became of it. */
export class Recording {
	readonly requests: RecordedRequest[] = [];
	readonly violations: Violation[] = [];
	/** Requests that arrived and were neither answered nor cut off yet. */
	readonly inFlight = { now: 0, peak: 0 };

	private readonly byMessage = new WeakMap<IncomingMessage, RecordedRequest>();

	/** Opens the entry of a request whose head was read. */
	begin(message: IncomingMessage, response: ServerResponse): void {
		const target = message.url ?? '/';
		const [path = '/'] = target.split('?', 1);
		const request: RecordedRequest = {
			id: this.requests.length + 1,
			method: message.method ?? 'GET',
			path,
			target,
			operation: undefined,
			query: parseQuery(target.slice(path.length + 1)),
			headers: { ...message.headers },
			body: undefined,
			rawBody: '',
			input: {},
			arrivedAt: performance.now(),
			countedAt: undefined,
			answeredAt: undefined,
			status: undefined,
			accepted: false,
			refusedBy: undefined,
			faults: [],
		};
		this.requests.push(request);
		this.byMessage.set(message, request);
		this.inFlight.now++;
		this.inFlight.peak = Math.max(this.inFlight.peak, this.inFlight.now);
		// For the answers the framework gives by itself; the others are noted where they are made.
		response.once('finish', () => {
			request.answeredAt ??= performance.now();
			request.status ??= response.statusCode;
		});
		response.once('close', () => this.inFlight.now--);
	}

	/** The entry opened for a request, completed with its body. */
	complete(message: IncomingMessage, rawBody: string, operation: string | undefined): RecordedRequest {
		const request = this.byMessage.get(message);
		if (!request) throw new Error('a request must be recorded before it is answered');
		request.operation = operation;
		request.rawBody = rawBody;
		request.body = parseBody(rawBody, String(request.headers['content-type'] ?? ''));
		request.input = { ...request.query, ...(isObject(request.body) ? request.body : {}) };
		return request;
	}

	clear(): void {
		this.requests.length = 0;
		this.violations.length = 0;
		this.inFlight.peak = this.inFlight.now;
	}
}

/** JSON of any text, or undefined when it is none. */
export function parseJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

function parseBody(rawBody: string, contentType: string): unknown {
	if (rawBody === '') return undefined;
	// Malformed JSON is an empty input to the framework, not an error of its own.
	if (/[/+]json\b/i.test(contentType)) return parseJson(rawBody);
	if (/x-www-form-urlencoded/i.test(contentType)) return parseQuery(rawBody);
	return undefined;
}

function parseQuery(search: string): Record<string, string | string[]> {
	return { ...(parse(search) as Record<string, string | string[]>) };
}
