/** docs/openapi.yaml as a public document: people and tools can read it without anything else. */

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import {
	DOCUMENT,
	readOperations,
	type DocumentedOperation,
	type Schema,
} from '../../sandbox/emulator/document';
import { clientOf, useEmulator, type Question } from './client';

const text = readFileSync(DOCUMENT, 'utf8');
const operations = readOperations();

const service = useEmulator();
const ask = clientOf(service);

async function problemsOf(path: string): Promise<string> {
	const run = promisify(execFile);
	return (await run(process.execPath, [join(__dirname, 'validator.mjs'), path])).stdout;
}

test('A public validator finds nothing wrong with docs/openapi.yaml', async () => {
	expect(await problemsOf(DOCUMENT)).toBe('');
});

test('A public validator finds what is wrong with other documents', async () => {
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

const byName = operations.map((each): [string, DocumentedOperation] => [each.operationId, each]);

test.each(byName)('docs/openapi.yaml describes %s in three sentences or more', (_name, { description }) => {
	expect(description!.match(/[.:] |[.]$/gm)!.length).toBeGreaterThanOrEqual(3);
});

test.each(byName)(
	'docs/openapi.yaml describes every parameter, answer, header and property of %s',
	(_name, { parameters, requestBody, responses }) => {
		const answers = Object.entries(responses);
		const headers = answers.flatMap(([, answer]) => Object.entries(answer.headers ?? {}));
		const contents = [requestBody, ...Object.values(responses)].map((each) => each?.content ?? {});
		const properties = contents.flatMap((content) =>
			Object.values(content).flatMap(({ schema }) => propertiesIn(schema)),
		);
		const named = parameters.map((each): [string, { description?: string }] => [each.name, each]);
		const all = [...named, ...answers, ...headers, ...properties];
		const undescribed = all.filter(([, { description }]) => !description);
		expect(undescribed.map(([name]) => name)).toEqual([]);
	},
);

test.each(byName)(
	'docs/openapi.yaml shows two or more requests for %s, which the service accepts unchanged',
	async (name, operation) => {
		const requests = requestsOf(operation);
		expect(requests.length).toBeGreaterThanOrEqual(2);
		for (const question of requests) {
			service.reset();
			const { status } = await ask(name, question);
			expect({ ...question, status }).toEqual({ ...question, status: 200 });
			service.assertContract();
		}
	},
);

test.each(byName)(
	'docs/openapi.yaml shows a success, a refusal and a failure of %s',
	(_name, { responses }) => {
		const shown = Object.entries(responses).filter(([, { content = {} }]) =>
			Object.values(content).some(({ examples }) => examples),
		);
		expect([...new Set(shown.map(([status]) => status[0]))].sort()).toEqual(['2', '4', '5']);
	},
);

test('docs/openapi.yaml refers only to documents that its readers have, and needs no extension', () => {
	expect(text).not.toMatch(/\bsections? \d|\binterface \d/i);
	expect(text).not.toMatch(/(?:^|[{,]) *x-[\w-]+:/m);
});

test('The emulator answers with the headers that docs/openapi.yaml describes', async () => {
	service.setLimits({ account: { requests: 2, windowMs: 60_000 } });
	const { responses } = operations.find(({ operationId }) => operationId === 'getListSchema')!;
	for (const [schema_id, status] of [
		['5dee4800c2cc5a38ec797235', 200],
		['unknown', 404],
		['unknown', 429],
	] as const) {
		const { headers } = await ask('getListSchema', { query: { schema_id } });
		const limiting = [...headers.keys()].filter((name) => /^(x-ratelimit|retry-after)/.test(name));
		const described = Object.keys(responses[status]!.headers!).map((name) => name.toLowerCase());
		expect([status, limiting.sort()]).toEqual([status, described.sort()]);
	}
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

/** The requests that an operation shows: examples of its parameters with the same name belong together. */
function requestsOf({ parameters, requestBody }: DocumentedOperation): Question[] {
	const queries: Record<string, NonNullable<Question['query']>> = {};
	for (const { name, examples = {} } of parameters) {
		for (const [example, { value }] of Object.entries(examples)) {
			(queries[example] ??= {})[name] = value as string;
		}
	}
	const bodies = Object.values(requestBody?.content['application/json']?.examples ?? {});
	return [
		...Object.values(queries).map((query) => ({ query })),
		...bodies.map(({ value }) => ({ body: value })),
	];
}
