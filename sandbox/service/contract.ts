/**
 * Holds requests and answers against docs/openapi.yaml. A broken rule is reported, never answered: the service itself
 * is more lenient than its documentation, and a client must not come to depend on that.
 */

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

import { OpenAPIBackend, type Document } from 'openapi-backend';
import { parse } from 'yaml';

import type { RecordedRequest } from './recording';
import { findToken, type TokenPlacement } from './tokens';
import { isObject } from './validation';

const DOCUMENT = resolve(__dirname, '../../docs/openapi.yaml');

/** Path prefix of the operations the service has only for checking parameters as one object. */
const AS_OBJECT = '/as-object';

/** The contract, ready to check. It keeps no state, so one serves every service of the process. */
export interface Contract {
	/** @returns what is wrong with the request, in words; empty when it keeps the contract */
	checkRequest(request: RecordedRequest, tokenIn: TokenPlacement | undefined): string[];
	/** @returns what is wrong with an answer to an operation; `body` as text */
	checkAnswer(operation: string, status: number, contentType: string, body: string): string[];
	/** Paths and methods of the operations, for example `/api/v1/sendMessage` → `post`. */
	methods: Map<string, string>;
}

let loaded: Promise<Contract> | undefined;

/** Reads docs/openapi.yaml, once in a process. */
export async function loadContract(): Promise<Contract> {
	loaded ??= build();
	return await loaded;
}

interface OperationFacts {
	id: string;
	path: string;
	method: string;
	takesBody: boolean;
	/** Set when x-query-as-object is: the operation whose body schema the parameters must match as one object. */
	asObject: string | undefined;
	responses: Record<string, { content?: Record<string, unknown> }>;
	keyedBy: Array<{ property: string; attribute: string }>;
}

async function build(): Promise<Contract> {
	const source = parse(readFileSync(DOCUMENT, 'utf8'));
	const api = new OpenAPIBackend({
		definition: withObjectOperations(source),
		quick: true,
		coerceTypes: true,
		ajvOpts: { allErrors: true },
	});
	await api.init();
	const operations = new Map(factsOf(api.definition).map((facts) => [facts.path, facts]));
	const byId = new Map([...operations.values()].map((facts) => [facts.id, facts]));

	const problemsOf = (operation: string, request: RecordedRequest, query: object, body: unknown) => {
		const result = api.validator.validateRequest(
			{
				method: request.method,
				path: request.path,
				headers: request.headers as Record<string, string>,
				query: query as Record<string, string>,
				body,
			},
			operation,
		);
		const problems = (result.errors ?? []).map((error) => {
			const subject = error.params as { additionalProperty?: string; allowedValues?: unknown[] };
			const detail = subject.additionalProperty ?? subject.allowedValues?.join(', ');
			return `${error.instancePath} ${error.message}${detail === undefined ? '' : `: ${detail}`}`.trim();
		});
		return { problems, coercedQuery: result.coerced?.query as Record<string, unknown> | undefined };
	};

	return {
		methods: new Map([...operations.values()].map((facts) => [facts.path, facts.method])),

		checkRequest(request, tokenIn) {
			const token = findToken(request, tokenIn);
			const facts = operations.get(request.path);
			if (!facts) return [`no such path: ${request.path}`];
			if (facts.method !== request.method.toLowerCase())
				return [`${request.path} takes ${facts.method} only`];
			const problems = [...token.problems];

			const hasBody = request.rawBody !== '' || Number(request.headers['content-length'] ?? 0) > 0;
			if (hasBody && !facts.takesBody) problems.push('this operation takes no body');
			if (
				hasBody &&
				facts.takesBody &&
				request.headers['content-type']?.toString().split(';')[0] !== 'application/json'
			) {
				problems.push('the body must be application/json');
			}

			const body = hasBody && facts.takesBody ? (request.body ?? request.rawBody) : undefined;
			const whole = problemsOf(facts.id, request, token.otherQuery, facts.asObject ? undefined : body);
			problems.push(...whole.problems);
			if (facts.asObject) {
				const inQuery = Object.keys(token.otherQuery).length > 0;
				if (body !== undefined && inQuery) problems.push('parameters in both the query and the body');
				const together = body ?? whole.coercedQuery ?? {};
				// After a wrong type the object would only be reported a second time.
				if (whole.problems.length === 0) {
					problems.push(...problemsOf(facts.asObject, request, {}, together).problems);
				}
			}
			for (const { property, attribute } of facts.keyedBy) {
				const map = isObject(body) ? body[property] : undefined;
				for (const [key, entry] of Object.entries(isObject(map) ? map : {})) {
					if (isObject(entry) && entry[attribute] !== key) {
						problems.push(`/requestBody/${property}/${key} must have the same ${attribute} as its key`);
					}
				}
			}
			return problems;
		},

		checkAnswer(operation, status, contentType, body) {
			const facts = byId.get(operation);
			if (!facts) return [`no such operation: ${operation}`];
			const described = facts.responses[String(status)];
			if (!described) return [`status ${status} is not described for ${operation}`];
			const types = Object.keys(described.content ?? {});
			if (body === '')
				return described.content && !isOptionalAnswer(facts, status) ? ['the body is missing'] : [];
			const type = contentType.split(';')[0] ?? '';
			if (types.length > 0 && !types.includes(type)) return [`content type ${type} is not described`];
			if (type !== 'application/json') return [];
			let value: unknown;
			try {
				value = JSON.parse(body);
			} catch {
				return ['the body is not JSON'];
			}
			const { errors } = api.validator.validateResponse(value, operation, status);
			return (errors ?? []).map((error) => `${error.instancePath} ${error.message}`.trim());
		},
	};
}

/** Operations that may answer 204 may answer 200 without a body as well. */
function isOptionalAnswer(facts: OperationFacts, status: number): boolean {
	return status === 200 && '204' in facts.responses;
}

/**
 * The document with one more operation for each x-query-as-object, whose request body is that object; the validator
 * then checks the rules between parameters with the schema the document states.
 */
function withObjectOperations(source: Document): Document {
	const paths: Record<string, unknown> = {};
	for (const [path, item] of Object.entries(source.paths ?? {})) {
		paths[path] = item;
		const operation = (item as Record<string, any>).post;
		const schema = operation?.['x-query-as-object'];
		if (!schema) continue;
		const { requestBody, ...withoutBody } = operation;
		paths[path] = { ...item, post: { ...withoutBody, 'x-takes-body': Boolean(requestBody) } };
		paths[`${path}${AS_OBJECT}`] = {
			post: {
				operationId: `${operation.operationId}AsObject`,
				// A copy: the library resolves a reference only once per object.
				requestBody: { content: { 'application/json': { schema: { ...schema } } } },
				responses: {},
			},
		};
	}
	return { ...source, paths } as Document;
}

function factsOf(document: Document): OperationFacts[] {
	return Object.entries(document.paths ?? {})
		.filter(([path]) => !path.endsWith(AS_OBJECT))
		.map(([path, item]) => {
			const method = 'get' in (item as object) ? 'get' : 'post';
			const operation = (item as Record<string, any>)[method];
			const properties = operation.requestBody?.content['application/json'].schema.properties ?? {};
			return {
				id: operation.operationId,
				path,
				method,
				takesBody: Boolean(operation.requestBody) || operation['x-takes-body'] === true,
				asObject: operation['x-query-as-object'] ? `${operation.operationId}AsObject` : undefined,
				responses: operation.responses,
				keyedBy: Object.entries<Record<string, string>>(properties).flatMap(([property, schema]) =>
					schema['x-keyed-by'] ? [{ property, attribute: schema['x-keyed-by'] }] : [],
				),
			};
		});
}
