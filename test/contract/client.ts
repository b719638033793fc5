import { loadContract, startEmulator, type Emulator, type EmulatorOptions } from '../../sandbox/emulator';
import { parseJson } from '../../sandbox/emulator/recording';

/* A client of the emulator, for valid and invalid requests. */

export interface Question {
	/** By default, that of the operation. */
	method?: string;
	query?: Record<string, string | number>;
	body?: unknown;
	/** Headers to add to those that the API requires; undefined removes one. */
	headers?: Record<string, string | undefined>;
	/** null sends no token. */
	token?: string | null;
	signal?: AbortSignal;
	/** Whether a fault is expected to break the documented answers. */
	isFaulty?: boolean;
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

/** @returns a function that calls an operation, or another path, and checks the answer against docs/openapi.yaml */
export function clientOf(service: Emulator) {
	return async <Body = unknown>(operation: string, question: Question = {}) => {
		const { query = {}, body, token = service.token, signal = null } = question;
		const { operations, checkAnswer } = loadContract();
		const described = operations.find(({ operationId }) => operationId === operation);
		const url = new URL(described?.path ?? operation, service.url);
		for (const [name, value] of Object.entries(query)) url.searchParams.append(name, String(value));
		if (token !== null) url.searchParams.append('api_token', token);
		const headers = Object.entries({
			accept: 'application/json',
			'x-requested-with': 'XMLHttpRequest',
			...(body === undefined ? {} : { 'content-type': 'application/json' }),
			...question.headers,
		}).filter((entry): entry is [string, string] => entry[1] !== undefined);

		const {
			status,
			headers: answered,
			...answer
		} = await fetch(url, {
			method: question.method ?? described?.method ?? 'GET',
			headers,
			body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
			redirect: 'manual',
			signal,
		}).then(async (response) => ({
			status: response.status,
			headers: response.headers,
			text: await response.text(),
		}));
		if (described && !question.isFaulty)
			expect(checkAnswer(operation, status, answered.get('content-type') ?? '', answer.text)).toEqual([]);
		return { status, headers: answered, ...answer, json: parseJson(answer.text) as Body };
	};
}
