/**
 * Holds requests and answers against docs/openapi.yaml. A broken rule is reported, never answered: the service itself
 * is more lenient than its documentation, and a client must not come to depend on that.
 */

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

import { OpenAPIBackend, type Document } from 'openapi-backend';
import { parse } from 'yaml';

import { parseJson, type RecordedRequest } from './recording';
import { findToken, type FoundToken, type TokenPlacement } from './tokens';
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

/** What this file reads of an operation in the document. */
interface DocumentedOperation {
	operationId: string;
	requestBody?: { content: { 'application/json': { schema: { properties?: Record<string, KeyedSchema> } } } };
	responses: Record<string, { content?: Record<string, unknown> }>;
	'x-query-as-object'?: object;
}

interface KeyedSchema {
	'x-keyed-by'?: string;
}

interface OperationFacts {
	id: string;
	method: string;
	takesBody: boolean;
	/** Set when x-query-as-object is: the operation whose body schema the parameters must match as one object. */
	asObject: string | undefined;
	responses: DocumentedOperation['responses'];
	/** Properties of the body that are maps keyed by an attribute of their values. */
	keyed: Array<{ property: string; attribute: string }>;
}

async function build(): Promise<Contract> {
	const source = parse(readFileSync(DOCUMENT, 'utf8')) as Document;
	// quick leaves out checking the document itself, which takes a second; a test does that.
	const resolved = new OpenAPIBackend({ definition: source, quick: true, validate: false });
	await resolved.init();
	const document = resolved.definition;
	const api = new OpenAPIBackend({
		definition: withObjectOperations(document),
		quick: true,
		coerceTypes: true,
		ajvOpts: { allErrors: true },
	});
	await api.init();
	const facts = factsOf(document);
	const byId = new Map([...facts.values()].map((each) => [each.id, each]));
	const operations = new Map(api.router.getOperations().map((each) => [each.operationId, each]));

	const problemsOf = (operation: string, request: RecordedRequest, query: object, body: unknown) => {
		const result = api.validator.validateRequest(
			{
				method: request.method,
				path: request.path,
				headers: request.headers as Record<string, string>,
				query: query as Record<string, string>,
				body,
			},
			operations.get(operation),
		);
		const problems = (result.errors ?? []).map((error) => {
			const subject = error.params as { additionalProperty?: string; allowedValues?: unknown[] };
			const detail = subject.additionalProperty ?? subject.allowedValues?.join(', ');
			return `${error.instancePath} ${error.message}${detail === undefined ? '' : `: ${detail}`}`.trim();
		});
		return { problems, coercedQuery: result.coerced?.query as Record<string, unknown> | undefined };
	};

	return {
		methods: new Map([...facts].map(([path, { method }]) => [path, method])),

		checkRequest(request, tokenIn) {
			const operation = facts.get(request.path);
			if (!operation) return [`no such path: ${request.path}`];
			if (operation.method !== request.method.toLowerCase())
				return [`${request.path} takes ${operation.method} only`];
			const token = findToken(request, tokenIn);
			const problems = [...token.problems];

			const hasBody = request.rawBody !== '' || Number(request.headers['content-length'] ?? 0) > 0;
			if (hasBody && !operation.takesBody) problems.push('this operation takes no body');
			if (hasBody && operation.takesBody && !isJson(request))
				problems.push('the body must be application/json');
			const body = hasBody && operation.takesBody ? (request.body ?? request.rawBody) : undefined;

			if (operation.asObject) {
				problems.push(...problemsOfEither(operation.id, operation.asObject, request, token.otherQuery, body));
			} else {
				problems.push(...problemsOf(operation.id, request, token.otherQuery, body).problems);
			}
			for (const { property, attribute } of operation.keyed) {
				const map = isObject(body) ? body[property] : undefined;
				for (const [key, entry] of Object.entries(isObject(map) ? map : {})) {
					if (isObject(entry) && entry[attribute] !== key) {
						problems.push(`/requestBody/${property}/${key} must have the same ${attribute} as its key`);
					}
				}
			}
			return problems;
		},

		checkAnswer(id, status, contentType, body) {
			const operation = byId.get(id);
			if (!operation) return [`no such operation: ${id}`];
			const described = operation.responses[String(status)];
			if (!described) return [`status ${status} is not described for ${id}`];
			// Operations that may answer 204 may answer 200 without a body as well.
			const bodyIsOptional = !described.content || (status === 200 && '204' in operation.responses);
			if (body === '') return bodyIsOptional ? [] : ['the body is missing'];
			const type = contentType.split(';')[0] ?? '';
			const types = Object.keys(described.content ?? {});
			if (!types.includes(type)) return [`content type ${type} is not described`];
			if (type !== 'application/json') return [];
			const value = parseJson(body);
			if (value === undefined) return ['the body is not JSON'];
			const { errors } = api.validator.validateResponse(value, id, status);
			return (errors ?? []).map((error) => `${error.instancePath} ${error.message}`.trim());
		},
	};

	/** Parameters in the query or in the body, never in both, and matching one schema as an object. */
	function problemsOfEither(
		id: string,
		asObject: string,
		request: RecordedRequest,
		query: FoundToken['otherQuery'],
		body: unknown,
	): string[] {
		const { problems, coercedQuery } = problemsOf(id, request, query, undefined);
		if (body !== undefined) {
			if (Object.keys(query).length > 0) problems.push('parameters in both the query and the body');
			return [...problems, ...problemsOf(asObject, request, {}, body).problems];
		}
		// After a wrong type in the query the object would only be reported a second time.
		if (problems.length > 0) return problems;
		const together = problemsOf(asObject, request, {}, coercedQuery ?? {}).problems;
		return together.map((problem) => problem.replace('/requestBody', '/query'));
	}
}

function isJson(request: RecordedRequest): boolean {
	return String(request.headers['content-type'] ?? '').split(';')[0] === 'application/json';
}

/**
 * The document with one more operation for each x-query-as-object, whose request body is that object; the validator
 * then checks the rules between parameters with the schema the document states.
 */
function withObjectOperations(document: Document): Document {
	const paths: Record<string, object> = {};
	for (const { path, item, method, operation } of documented(document)) {
		const schema = operation['x-query-as-object'];
		if (!schema) {
			paths[path] = item;
			continue;
		}
		paths[path] = { ...item, [method]: { ...operation, requestBody: undefined } };
		paths[`${path}${AS_OBJECT}`] = {
			post: {
				operationId: `${operation.operationId}AsObject`,
				requestBody: { content: { 'application/json': { schema } } },
				responses: {},
			},
		};
	}
	return { ...document, paths } as Document;
}

function factsOf(document: Document): Map<string, OperationFacts> {
	const facts = new Map<string, OperationFacts>();
	for (const { path, method, operation } of documented(document)) {
		const properties = operation.requestBody?.content['application/json'].schema.properties ?? {};
		facts.set(path, {
			id: operation.operationId,
			method,
			takesBody: operation.requestBody !== undefined,
			asObject: operation['x-query-as-object'] ? `${operation.operationId}AsObject` : undefined,
			responses: operation.responses,
			keyed: Object.entries(properties).flatMap(([property, schema]) =>
				schema['x-keyed-by'] ? [{ property, attribute: schema['x-keyed-by'] }] : [],
			),
		});
	}
	return facts;
}

function documented(document: Document) {
	return Object.entries(document.paths ?? {}).map(([path, item]) => {
		const method = 'get' in (item as object) ? 'get' : 'post';
		const operation = (item as Record<string, unknown>)[method] as DocumentedOperation;
		return { path, item: item as object, method, operation };
	});
}
