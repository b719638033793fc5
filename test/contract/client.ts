/** A client of the emulator, for valid and invalid requests. */

import { loadContract, startEmulator, type Emulator, type EmulatorOptions } from '../../sandbox/emulator';
import { parseJson } from '../../sandbox/emulator/recording';

export { until } from '../../sandbox/processes/poll';

export interface Asked<Body> {
	status: number;
	headers: Headers;
	text: string;
	/** The answer as JSON with the type that the caller expects; undefined if it is not JSON. */
	json: Body;
}

/** The body of a 422. */
export interface Invalid {
	message: string;
	errors: Record<string, string[]>;
}

export interface Question {
	/** The method; by default that of the operation. */
	method?: string;
	query?: Record<string, string | number>;
	body?: unknown;
	/** Headers to add to those that the API requires; undefined removes one. */
	headers?: Record<string, string | undefined>;
	/** null sends no token. */
	token?: string | null;
	signal?: AbortSignal;
	/** Whether a fault is expected to break the documented answers. */
	faulty?: boolean;
}

/** An emulator for the tests of a file: it starts before them, and is reset after each. */
export function useEmulator(options?: EmulatorOptions): Emulator {
	let started: Emulator | undefined;
	beforeAll(async () => {
		started = await startEmulator(options);
	});
	afterEach(() => started?.reset());
	afterAll(async () => await started?.stop());
	return new Proxy({} as Emulator, { get: (_, key: keyof Emulator) => started![key] });
}

/** @returns a function that calls an operation (or, with a leading slash, a path) and checks the answer against docs/openapi.yaml */
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
