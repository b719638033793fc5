import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { OpenAPIBackend, type Document } from 'openapi-backend';
import { parse } from 'yaml';

import type { RequestParts } from '../../nodes/ChatbotService/client/placement';
import { checkRules } from '../../sandbox/service/contract';

/** Says what breaks docs/openapi.yaml in the parts of a request; nothing when they keep it. */
export type Contract = (endpoint: string, parts: RequestParts) => string[];

interface DocumentedOperation {
	operationId: string;
	parameters?: Array<{ name: string; in: string; required?: boolean; schema: object }>;
	requestBody?: { content: { 'application/json': { schema: object } } };
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
	for (const item of Object.values(resolved.definition.paths ?? {})) {
		const { get, post } = item as Record<'get' | 'post', DocumentedOperation | undefined>;
		const operation = (get ?? post)!;
		paths[`/${operation.operationId}`] = {
			post: {
				operationId: operation.operationId,
				requestBody: {
					required: true,
					content: { 'application/json': { schema: partsSchema(operation) } },
				},
				responses: {},
			},
		};
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
		return [...problems, ...checkRules(endpoint, { ...parts.query, ...parts.body })];
	};
}

/** An operation documented with both takes the same parameters in one of the places, never in both. */
function partsSchema({ parameters, requestBody }: DocumentedOperation): object {
	const parts = (query: object, rest: object) => ({
		type: 'object',
		required: ['query', 'body'],
		properties: { query, body: rest },
	});
	const body = requestBody?.content['application/json'].schema;
	const inQuery = (parameters ?? []).filter((parameter) => parameter.in === 'query');
	if (body && inQuery.length) return { oneOf: [parts(body, nothing), parts(nothing, body)] };
	const query = {
		type: 'object',
		additionalProperties: false,
		required: inQuery.filter(({ required }) => required).map(({ name }) => name),
		properties: Object.fromEntries(inQuery.map(({ name, schema }) => [name, schema])),
	};
	return parts(query, body ?? nothing);
}
