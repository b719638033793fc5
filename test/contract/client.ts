/** Talks to the emulator as a client of the interface should, and as one that should not. */

import { loadContract, startEmulator, type Emulator, type EmulatorOptions } from '../../sandbox/emulator';
import { parseJson } from '../../sandbox/emulator/recording';

export { until } from '../../sandbox/processes/poll';

export interface Asked<Body> {
	status: number;
	headers: Headers;
	text: string;
	/** The answer as JSON, which the caller knows the shape of; undefined when it is none. */
	json: Body;
}

/** The body of a 422. */
export interface Invalid {
	message: string;
	errors: Record<string, string[]>;
}

export interface Question {
	/** That of the operation unless it is given. */
	method?: string;
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

/** An emulator for the tests of a file: it starts before them, and is reset after each. */
export function useEmulator(options?: EmulatorOptions): Emulator {
	let started: Emulator;
	beforeAll(async () => {
		started = await startEmulator(options);
	});
	afterEach(() => started.reset());
	afterAll(async () => await started.stop());
	return new Proxy({} as Emulator, { get: (_, key: keyof Emulator) => started[key] });
}

/** @returns what asks an operation (or, with a leading slash, a path) and holds the answer against docs/openapi.yaml */
export function clientOf(service: Emulator) {
	return async <Body = unknown>(operation: string, question: Question = {}): Promise<Asked<Body>> => {
		const { query = {}, body, token = service.token, signal = null, faulty } = question;
		const contract = loadContract();
		const path = operation.startsWith('/') ? operation : `/api/v1/${operation}`;
		const url = new URL(path, service.url);
		for (const [name, value] of Object.entries(query)) url.searchParams.append(name, String(value));
		if (token !== null) url.searchParams.append('api_token', token);
		const headers = Object.entries({
			accept: 'application/json',
			'x-requested-with': 'XMLHttpRequest',
			...(body === undefined ? {} : { 'content-type': 'application/json' }),
			...question.headers,
		}).filter((entry): entry is [string, string] => entry[1] !== undefined);

		const answer = await fetch(url, {
			method: question.method ?? contract.methods.get(path) ?? 'GET',
			headers,
			body: body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body),
			redirect: 'manual',
			signal,
		});
		const text = await answer.text();

		if (!faulty && path !== operation) {
			const type = answer.headers.get('content-type') ?? '';
			const problems = contract.checkAnswer(operation, answer.status, type, text);
			if (problems.length > 0) {
				throw new Error(`${operation} answered ${answer.status} ${text}, but ${problems.join('; ')}`);
			}
		}
		return { status: answer.status, headers: answer.headers, text, json: parseJson(text) as Body };
	};
}
