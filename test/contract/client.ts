import { loadContract, startEmulator, type Emulator, type EmulatorOptions } from '../../sandbox/emulator';
import { parseJson } from '../../sandbox/emulator/recording';
import { duringTests } from '../duringTests';

/* A client of the emulator, for valid and invalid requests. */

export interface Request {
	query?: Record<string, string | number>;
	body?: unknown;
	/** Headers to add to those that the API requires; undefined removes one. */
	headers?: Record<string, string | undefined>;
	/** null sends no token. */
	token?: string | null;
}

/** An emulator for the tests of a file: it starts before them, and is reset after each. */
export function useEmulator(options?: EmulatorOptions): Emulator {
	const service = duringTests(async () => await startEmulator(options));
	afterEach(() => service.reset());
	return service;
}

/** @returns a function that calls an operation, or another path, and checks the answer against docs/openapi.yaml */
export function clientOf(service: Emulator) {
	return async <Body = unknown>(operation: string, request: Request = {}) => {
		const { query = {}, body, token = service.token } = request;
		const { operations, checkAnswer } = loadContract();
		const described = operations.find(({ operationId }) => operationId === operation);
		const url = new URL(described?.path ?? operation, service.url);
		for (const [name, value] of Object.entries(query)) url.searchParams.append(name, String(value));
		if (token !== null) url.searchParams.append('api_token', token);
		const headers: Record<string, string | undefined> = {
			accept: 'application/json',
			'x-requested-with': 'XMLHttpRequest',
			...(body !== undefined && { 'content-type': 'application/json' }),
			...request.headers,
		};
		const response = await fetch(url, {
			method: described?.method ?? 'GET',
			headers: JSON.parse(JSON.stringify(headers)) as Record<string, string>,
			body: body === undefined ? body : JSON.stringify(body),
			redirect: 'manual',
		});
		const text = await response.text();
		const { status, headers: answered } = response;
		if (described)
			expect(checkAnswer(operation, status, answered.get('content-type') ?? '', text)).toEqual([]);
		return { status, headers: answered, text, json: parseJson(text) as Body };
	};
}
