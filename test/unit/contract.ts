import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { OpenAPIBackend, type Document } from 'openapi-backend';
import { parse } from 'yaml';

import type { RequestParts } from '../../nodes/ChatbotService/client/placement';

/** Says what breaks docs/openapi.yaml in the parts of a request; nothing when they keep it. */
export type Contract = (endpoint: string, parts: RequestParts) => string[];

interface DocumentedOperation {
	operationId: string;
	parameters?: Array<{ name: string; in: string; required?: boolean; schema: object }>;
	requestBody?: { content: { 'application/json': { schema: KeyedObject } } };
	'x-query-as-object'?: object;
}

interface KeyedObject {
	properties?: Record<string, { 'x-keyed-by'?: string }>;
}

const nothing = { type: 'object', maxProperties: 0 };

/**
 * The contract for values rather than for what is left of them in a URL: there every integer is a text, and
 * validators turn it back before they look. So each operation is rewritten to take its query and its body as two
 * JSON objects, of which nothing is converted.
 */
export async function loadContract(): Promise<Contract> {
	const source = parse(readFileSync(join(__dirname, '../../docs/openapi.yaml'), 'utf8')) as Document;
	const resolved = new OpenAPIBackend({ definition: source, quick: true, validate: false });
	await resolved.init();

	const paths: Record<string, object> = {};
	const keyed = new Map<string, Array<[property: string, attribute: string]>>();
	for (const item of Object.values(resolved.definition.paths ?? {})) {
		const { get, post } = item as Record<'get' | 'post', DocumentedOperation | undefined>;
		const operation = (get ?? post)!;
		const schema = operation.requestBody?.content['application/json'].schema;
		paths[`/${operation.operationId}`] = {
			post: {
				operationId: operation.operationId,
				requestBody: {
					required: true,
					content: { 'application/json': { schema: partsSchema(operation, schema) } },
				},
				responses: {},
			},
		};
		keyed.set(
			operation.operationId,
			Object.entries(schema?.properties ?? {}).flatMap(([property, { 'x-keyed-by': attribute }]) =>
				attribute ? [[property, attribute]] : [],
			),
		);
	}
	const api = new OpenAPIBackend({
		definition: { ...resolved.definition, paths } as Document,
		quick: true,
		ajvOpts: { allErrors: true },
	});
	await api.init();

	return (endpoint, parts) => {
		const request = { method: 'post', path: `/${endpoint}`, headers: {}, body: parts };
		const { errors } = api.validator.validateRequest(request, endpoint);
		const problems = (errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
		for (const [property, attribute] of keyed.get(endpoint)!) {
			const map = (parts.body[property] ?? {}) as Record<string, Record<string, unknown>>;
			const astray = Object.entries(map).filter(([key, entry]) => entry[attribute] !== key);
			problems.push(...astray.map(([key]) => `${property}: key ${key} is not its ${attribute}`));
		}
		return problems;
	};
}

/** An operation documented with both takes its parameters in one of the places, never in both. */
function partsSchema(operation: DocumentedOperation, body: object | undefined): object {
	const parts = (query: object, rest: object) => ({
		type: 'object',
		required: ['query', 'body'],
		properties: { query, body: rest },
	});
	const inQuery = (operation.parameters ?? []).filter((parameter) => parameter.in === 'query');
	const query = operation['x-query-as-object'] ?? {
		type: 'object',
		additionalProperties: false,
		required: inQuery.filter(({ required }) => required).map(({ name }) => name),
		properties: Object.fromEntries(inQuery.map(({ name, schema }) => [name, schema])),
	};
	if (!body) return parts(query, nothing);
	return inQuery.length ? { oneOf: [parts(query, nothing), parts(nothing, body)] } : parts(query, body);
}
