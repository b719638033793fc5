/** Talks to the stand-in as a client of the interface should, and as one that should not. */

import { loadContract, type Service } from '../../sandbox/service';

export { until } from '../../sandbox/processes/poll';

export interface Asked<Body = unknown> {
	status: number;
	headers: Headers;
	text: string;
	/** The answer as JSON, which the caller knows the shape of; undefined when it is none. */
	json: Body;
}

/** The body of a 422. */
export interface Invalid {
	errors: Record<string, string[]>;
}

export interface Question {
	query?: Record<string, string | number>;
	body?: unknown;
	/** Added to, or with undefined removed from, the headers the interface asks for. */
	headers?: Record<string, string | undefined>;
	/** null sends none. */
	token?: string | null;
	signal?: AbortSignal;
	/** A fault is expected to break the documented answers. */
	faulty?: boolean;
}

/** Asks an operation (or, with a leading slash, a path) and holds the answer against docs/openapi.yaml. */
export async function ask<Body = unknown>(
	service: Service,
	method: 'GET' | 'POST',
	operation: string,
	question: Question = {},
): Promise<Asked<Body>> {
	const { query = {}, body, token = service.token } = question;
	const url = new URL(operation.startsWith('/') ? operation : `/api/v1/${operation}`, service.url);
	for (const [name, value] of Object.entries(query)) url.searchParams.append(name, String(value));
	if (token !== null) url.searchParams.append('api_token', token);
	const headers = Object.entries({
		accept: 'application/json',
		'x-requested-with': 'XMLHttpRequest',
		...(body === undefined ? {} : { 'content-type': 'application/json' }),
		...question.headers,
	}).filter((entry): entry is [string, string] => entry[1] !== undefined);

	const answer = await fetch(url, {
		method,
		headers,
		body: body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body),
		redirect: 'manual',
		signal: question.signal ?? null,
	});
	const text = await answer.text();

	if (!question.faulty && !operation.startsWith('/')) {
		const contract = loadContract();
		const type = answer.headers.get('content-type') ?? '';
		const problems = contract.checkAnswer(operation, answer.status, type, text);
		if (problems.length > 0) {
			throw new Error(`${operation} answered ${answer.status} ${text}, but ${problems.join('; ')}`);
		}
	}
	return { status: answer.status, headers: answer.headers, text, json: parsed(text) as Body };
}

function parsed(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}
