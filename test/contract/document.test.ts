/** docs/openapi.yaml is valid and shows what the emulator does; requests and answers that break it are noticed. */

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { DOCUMENT, readOperations, type DocumentedOperation } from '../../sandbox/emulator/document';
import { clientOf, useEmulator, type Request } from './client';

const service = useEmulator();
const ask = clientOf(service);

test('a public validator finds nothing wrong with it', async () => {
	const run = promisify(execFile);
	const { stdout } = await run(process.execPath, [join(__dirname, 'validator.mjs'), DOCUMENT]);
	expect(stdout).toBe('');
});

const byName = readOperations().map((each): [string, DocumentedOperation] => [each.operationId, each]);

test.each(byName)('the service accepts what it shows of %s', async (name, operation) => {
	const requests = requestsOf(operation);
	expect(requests.length).toBeGreaterThanOrEqual(2);
	for (const request of requests) {
		service.reset();
		const { status } = await ask(name, request);
		expect([request, status]).toEqual([request, 200]);
		service.assertContract();
	}
	const shown = Object.entries(operation.responses).filter(([, { content = {} }]) =>
		Object.values(content).some(({ examples }) => examples),
	);
	// A success, a refusal and a failure.
	expect([...new Set(shown.map(([status]) => status[0]))].sort()).toEqual(['2', '4', '5']);
});

/** The requests that an operation shows: examples of its parameters with the same name belong together. */
function requestsOf({ parameters, requestBody }: DocumentedOperation): Request[] {
	const queries: Record<string, NonNullable<Request['query']>> = {};
	for (const { name, examples = {} } of parameters) {
		for (const [example, { value }] of Object.entries(examples))
			(queries[example] ??= {})[name] = value as string;
	}
	const bodies = Object.values(requestBody?.content['application/json']?.examples ?? {});
	return [
		...Object.values(queries).map((query) => ({ query })),
		...bodies.map(({ value }) => ({ body: value })),
	];
}

const message = { contact_id: 5001, text: 'Привет' };
const tag = { contact_id: 5001, name: 'VIP' };

test.each<[string, Request, RegExp]>([
	['getBotTags', {}, /query must have required property 'bot_id'/],
	['attachTagToContact', { query: tag }, /requestBody must be/],
	['sendMessage', { query: { text: 'x' }, body: message }, /both the query and the body/],
	['sendMessage', { body: { ...message, contact_id: '5001' } }, /must be integer/],
	['getListSchemas', { token: null }, /no token/],
	['/api/v1/getBots', {}, /no such path/],
])('%s with %j violates the contract', async (name, request, problem) => {
	await ask(name, request);
	expect(() => service.assertContract()).toThrow(problem);
});
