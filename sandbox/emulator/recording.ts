/** The record of every request to the service, including refused ones. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { parse } from 'node:querystring';

import { isObject, type Input } from './validation';

/** A request and its outcome. Times are performance.now() in milliseconds. */
export interface RecordedRequest {
	/** Starts at 1 after every reset. */
	id: number;
	method: string;
	/** Without the query. */
	path: string;
	/** The request target as sent: path and query, still percent-encoded. */
	target: string;
	/** Name of the operation, for example sendMessage; undefined for an unknown path or method. */
	operation: string | undefined;
	/** Decoded; a name that occurs several times has an array. */
	query: Record<string, string | string[]>;
	/** Names in lower case, as in Node. */
	headers: Record<string, string | string[] | undefined>;
	/** Parsed JSON or form body; undefined without a body or if it cannot be parsed. */
	body: unknown;
	rawBody: string;
	/** Query and body merged as the framework merges them; the body wins. */
	input: Input;
	/** When the headers of the request were read. */
	arrivedAt: number;
	/** When the limits count it: arrivedAt, or later after a delay fault; undefined if a fault ended it before. */
	countedAt: number | undefined;
	/** When the answer was passed to the network; undefined without an answer, for example after a reset. */
	answeredAt: number | undefined;
	status: number | undefined;
	/** True when the request took effect: the message was delivered, the record changed, the data was read. */
	accepted: boolean;
	/** The limit that refused it: account, a messenger, or whatsAppNumber. */
	refusedBy: string | undefined;
	faults: string[];
}

export interface Violation {
	request: RecordedRequest;
	problems: string[];
}

/** What is not known when a request arrives. */
const UNKNOWN = {
	operation: undefined,
	body: undefined,
	countedAt: undefined,
	answeredAt: undefined,
	status: undefined,
	refusedBy: undefined,
};

export class Recording {
	readonly requests: RecordedRequest[] = [];
	readonly violations: Violation[] = [];
	/** Requests that arrived and were neither answered nor closed yet. */
	readonly inFlight = { now: 0, peak: 0 };

	private readonly byMessage = new WeakMap<IncomingMessage, RecordedRequest>();

	/** Opens the entry of a request after its headers were read. */
	begin(message: IncomingMessage, response: ServerResponse): void {
		const target = message.url!;
		const [path = ''] = target.split('?', 1);
		const query = parseQuery(target.slice(path.length + 1));
		const request: RecordedRequest = {
			id: this.requests.length + 1,
			method: message.method!,
			path,
			target,
			query,
			headers: { ...message.headers },
			rawBody: '',
			input: query,
			arrivedAt: performance.now(),
			accepted: false,
			faults: [],
			...UNKNOWN,
		};
		this.requests.push(request);
		this.byMessage.set(message, request);
		this.inFlight.now++;
		this.inFlight.peak = Math.max(this.inFlight.peak, this.inFlight.now);
		// For the answers of the web framework itself; others are recorded where they are created.
		response.once('finish', () => {
			request.answeredAt ??= performance.now();
			request.status ??= response.statusCode;
		});
		response.once('close', () => this.inFlight.now--);
	}

	/** The entry of a request, completed with its body. */
	complete(message: IncomingMessage, rawBody: string, operation: string | undefined): RecordedRequest {
		const request = this.byMessage.get(message)!;
		const isJson = /[/+]json\b/i.test(String(request.headers['content-type']));
		const body = isJson ? parseJson(rawBody) : undefined;
		const input = { ...request.query, ...(isObject(body) && body) };
		return Object.assign(request, { operation, rawBody, body, input });
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

function parseQuery(search: string): Record<string, string | string[]> {
	return { ...(parse(search) as Record<string, string | string[]>) };
}
