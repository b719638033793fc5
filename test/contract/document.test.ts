/** docs/openapi.yaml as a public document: a stranger and their tools can read it without anything else. */

import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { parse } from 'yaml';

import { loadContract, startService, type Service } from '../../sandbox/service';
import { ask, type Question } from './client';
import { PATH, loadOperations, text, type Examples, type Operation, type Schema } from './document';

let operations: Operation[];
beforeAll(async () => {
	operations = await loadOperations();
});

async function problemsOf(path: string): Promise<string> {
	const run = promisify(execFile);
	return (await run(process.execPath, [join(__dirname, 'validator.mjs'), path])).stdout;
}

describe('a public validator', () => {
	it('finds nothing wrong with the document', async () => {
		expect(await problemsOf(PATH)).toBe('');
	});

	it('finds what is wrong with others', async () => {
		const folder = await mkdtemp(join(tmpdir(), 'openapi-'));
		try {
			const path = join(folder, 'openapi.yaml');
			await writeFile(path, text.replace('in: query', 'in: nowhere').replace('value: 5001', 'value: Анна'));
			const problems = await problemsOf(path);
			expect(problems).toMatch(/^struct at #\/paths\/.*\/in: /m);
			expect(problems).toMatch(/^no-invalid-\S+-examples at /m);
		} finally {
			await rm(folder, { recursive: true });
		}
	});
});

describe('the words', () => {
	it('describe every operation, in sentences', () => {
		for (const { operationId, description = '' } of operations) {
			const sentences = description.match(/[.:] |[.]$/gm) ?? [];
			expect([operationId, sentences.length >= 3]).toEqual([operationId, true]);
		}
	});

	it('describe every parameter, answer and header', () => {
		const undescribed = operations.flatMap(({ operationId, parameters, responses }) => [
			...parameters.filter(({ description }) => !description).map(({ name }) => `${operationId} ${name}`),
			...Object.entries(responses).flatMap(([status, { description, headers = {} }]) => [
				...(description ? [] : [`${operationId} ${status}`]),
				...Object.entries(headers)
					.filter(([, header]) => !header.description)
					.map(([name]) => `${operationId} ${status} ${name}`),
			]),
		]);
		expect(undescribed).toEqual([]);
	});

	it('describe every property of what is sent and answered', () => {
		const undescribed = operations.flatMap(({ operationId, requestBody, responses }) => {
			const contents = [requestBody, ...Object.values(responses)].map((each) => each?.content ?? {});
			const schemas = contents.flatMap((content) => Object.values(content).map(({ schema }) => schema));
			return schemas
				.flatMap(propertiesIn)
				.filter(([, { description }]) => !description)
				.map(([name]) => `${operationId} ${name}`);
		});
		expect(undescribed).toEqual([]);
	});

	it('refer to no document that its readers do not have, and the tools need no extension', () => {
		expect(text).not.toMatch(/\bsections? \d|\binterface \d/i);
		expect(keysIn(parse(text)).filter((key) => key.startsWith('x-'))).toEqual([]);
	});

	function propertiesIn(schema: Schema): Array<[string, Schema]> {
		const { properties = {}, additionalProperties, items, oneOf = [], anyOf = [] } = schema;
		const inside = [
			...Object.values(properties),
			...oneOf,
			...anyOf,
			...(items ? [items] : []),
			...(typeof additionalProperties === 'object' ? [additionalProperties] : []),
		];
		return [...Object.entries(properties), ...inside.flatMap(propertiesIn)];
	}

	function keysIn(value: unknown): string[] {
		if (typeof value !== 'object' || value === null) return [];
		return Object.entries(value).flatMap(([key, inner]) => [key, ...keysIn(inner)]);
	}
});

describe('the examples', () => {
	let service: Service;
	beforeAll(async () => {
		service = await startService();
	});
	afterAll(async () => await service.stop());

	/** The requests that an operation shows: its parameters with examples of one name belong together. */
	function requestsOf({ parameters, requestBody }: Operation): Array<[string, Question]> {
		const queries: Record<string, NonNullable<Question['query']>> = {};
		for (const { name, examples = {} } of parameters) {
			for (const [example, { value }] of Object.entries(examples)) {
				(queries[example] ??= {})[name] = value as string;
			}
		}
		const bodies = Object.entries(requestBody?.content['application/json']?.examples ?? {});
		return [
			...Object.entries(queries).map(([name, query]): [string, Question] => [`${name}, query`, { query }]),
			...bodies.map(([name, { value }]): [string, Question] => [`${name}, body`, { body: value }]),
		];
	}

	interface ShownAnswer {
		status: string;
		type: string;
		name: string;
		value: unknown;
	}

	const answersOf = ({ responses }: Operation): ShownAnswer[] =>
		Object.entries(responses).flatMap(([status, { content = {} }]) =>
			Object.entries(content).flatMap(([type, { examples = {} }]) =>
				Object.entries(examples as Examples).map(([name, { value }]) => ({ status, type, name, value })),
			),
		);

	it('show two requests or more of every operation', () => {
		for (const operation of operations) {
			const names = requestsOf(operation).map(([name]) => name);
			expect([operation.operationId, names.length >= 2]).toEqual([operation.operationId, true]);
		}
	});

	it('of requests do as they are, and the service takes them', async () => {
		for (const operation of operations) {
			for (const [name, question] of requestsOf(operation)) {
				service.reset();
				const { status } = await ask(service, operation.method, operation.operationId, question);
				expect([operation.operationId, name, status]).toEqual([operation.operationId, name, 200]);
				service.assertContract();
			}
		}
	});

	it('show of every operation how it succeeds and how it is refused', () => {
		for (const operation of operations) {
			const statuses = answersOf(operation).map(({ status }) => status[0]);
			expect([operation.operationId, [...new Set(statuses)].sort()]).toEqual([
				operation.operationId,
				['2', '4', '5'],
			]);
		}
	});

	it('of answers are as the document describes them', async () => {
		const { checkAnswer } = await loadContract();
		for (const operation of operations) {
			for (const { status, type, name, value } of answersOf(operation)) {
				const body = type === 'application/json' ? JSON.stringify(value) : String(value);
				const code = Number(status.replace('XX', '00'));
				const problems = checkAnswer(operation.operationId, code, type, body);
				expect([operation.operationId, status, name, problems]).toEqual([
					operation.operationId,
					status,
					name,
					[],
				]);
			}
		}
	});
});

describe('the headers', () => {
	it('that the service answers with are those of the document', async () => {
		const service = await startService({ limits: { account: { requests: 2, windowMs: 60_000 } } });
		try {
			const { responses } = operations.find(({ operationId }) => operationId === 'getListSchema')!;
			const query = { schema_id: 'unknown' };
			const known = { schema_id: '5dee4800c2cc5a38ec797235' };
			for (const [question, status] of [
				[{ query: known }, 200],
				[{ query }, 404],
				[{ query }, 429],
			] as const) {
				const { headers } = await ask(service, 'GET', 'getListSchema', question);
				const limiting = [...headers.keys()].filter((name) => /^(x-ratelimit|retry-after)/.test(name));
				const described = Object.keys(responses[status]!.headers!).map((name) => name.toLowerCase());
				expect([status, limiting.sort()]).toEqual([status, described.sort()]);
			}
		} finally {
			await service.stop();
		}
	});
});
