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
import { isObject, type Input } from './validation';

const JSON_TYPE = 'application/json';
const TEXT = 'text/html';

const DOCUMENT = resolve(__dirname, '../../docs/openapi.yaml');

/**
 * Rules that OpenAPI has no means for; the document states them in its descriptions.
 * @param sent the parameters of one operation, wherever they are
 */
const RULES: Record<string, (sent: Input) => string[]> = {
	deleteContactVariable: ({ id, name }) =>
		id === undefined && name === undefined ? ['id is required without name, and name without id'] : [],
	createListSchema: ({ fields }) =>
		Object.entries(isObject(fields) ? fields : {})
			.filter(([key, field]) => isObject(field) && field.slug !== key)
			.map(([key]) => `/fields/${key} must have the same slug as its key`),
};

/** @returns what is wrong between the parameters of an operation, beyond what the schemas of the document say */
export function checkRules(operation: string, sent: Input): string[] {
	return RULES[operation]?.(sent) ?? [];
}

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
	parameters?: Array<{ in: string }>;
	requestBody?: { content: { 'application/json': { schema: object } } };
	responses: Record<string, DocumentedResponse>;
}

interface DocumentedResponse {
	content?: Record<string, { schema: object }>;
}

interface OperationFacts {
	id: string;
	method: string;
	takesBody: boolean;
	/** Takes its parameters in the query or in the body: the schema of the body is then that of the query as an object. */
	takesEither: boolean;
	responses: DocumentedOperation['responses'];
}

async function build(): Promise<Contract> {
	const source = parse(readFileSync(DOCUMENT, 'utf8')) as Document;
	// quick leaves out checking the document itself, which takes a second; a test does that.
	const resolved = new OpenAPIBackend({ definition: source, quick: true, validate: false });
	await resolved.init();
	const document = resolved.definition;
	const api = new OpenAPIBackend({
		definition: withOperationsToCheck(document),
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

			if (operation.takesEither) {
				problems.push(...problemsOfEither(operation.id, request, token.otherQuery, body));
			} else {
				problems.push(...problemsOf(operation.id, request, token.otherQuery, body).problems);
			}
			const sent = { ...token.otherQuery, ...(isObject(body) ? body : {}) };
			return [...problems, ...checkRules(operation.id, sent)];
		},

		checkAnswer(id, status, contentType, body) {
			const operation = byId.get(id);
			if (!operation) return [`no such operation: ${id}`];
			const range = `${Math.floor(status / 100)}XX`;
			const described = operation.responses[status] ?? operation.responses[range];
			if (!described) return [`status ${status} is not described for ${id}`];
			const { content } = described;
			if (!content) return body === '' ? [] : ['a body is not described'];
			if (body === '' && !content[TEXT]) return ['the body is missing'];
			// What may be a text may be an empty one, and then it need not be called a text, as with 204.
			const type = body === '' ? TEXT : (contentType.split(';')[0] ?? '');
			if (!content[type]) return [`content type ${type} is not described`];
			const value = type === TEXT ? body : parseJson(body);
			if (value === undefined) return ['the body is not JSON'];
			const { errors } = api.validator.validateResponse(value, type === TEXT ? asText(id) : id, status);
			return (errors ?? []).map((error) => `${error.instancePath} ${error.message}`.trim());
		},
	};

	/** Parameters in the query or in the body, never in both, and matching one schema as an object. */
	function problemsOfEither(
		id: string,
		request: RecordedRequest,
		query: FoundToken['otherQuery'],
		body: unknown,
	): string[] {
		const { problems, coercedQuery } = problemsOf(id, request, query, undefined);
		if (body !== undefined) {
			if (Object.keys(query).length > 0) problems.push('parameters in both the query and the body');
			return [...problems, ...problemsOf(asObject(id), request, {}, body).problems];
		}
		// After a wrong type in the query the object would only be reported a second time.
		if (problems.length > 0) return problems;
		const together = problemsOf(asObject(id), request, {}, coercedQuery ?? {}).problems;
		return together.map((problem) => problem.replace('/requestBody', '/query'));
	}
}

function isJson(request: RecordedRequest): boolean {
	return String(request.headers['content-type'] ?? '').split(';')[0] === JSON_TYPE;
}

/** Operations that the service has only for checking what belongs to another one. */
const asObject = (id: string) => `${id}AsObject`;
const asText = (id: string) => `${id}AsText`;

/**
 * The document with further operations, so that the validator applies the schemas of the document to what it does not look at
 * by itself: the query as one object, which is an operation's request body, and answers that are texts.
 */
function withOperationsToCheck(document: Document): Document {
	const paths: Record<string, object> = {};
	const add = (operation: Partial<DocumentedOperation>) => {
		paths[`/${operation.operationId}`] = { post: { responses: {}, ...operation } };
	};
	for (const { path, item, method, operation } of documented(document)) {
		const { operationId, requestBody, responses } = operation;
		const either = takesEither(operation);
		paths[path] = either ? { ...item, [method]: { ...operation, requestBody: undefined } } : item;
		if (either) add({ operationId: asObject(operationId), requestBody });
		const texts = Object.entries(responses).flatMap(([status, { content }]) =>
			content?.[TEXT] ? [[status, { description: '', content: { [JSON_TYPE]: content[TEXT] } }]] : [],
		);
		add({ operationId: asText(operationId), responses: Object.fromEntries(texts) });
	}
	return { ...document, paths } as Document;
}

function factsOf(document: Document): Map<string, OperationFacts> {
	const facts = new Map<string, OperationFacts>();
	for (const { path, method, operation } of documented(document)) {
		facts.set(path, {
			id: operation.operationId,
			method,
			takesBody: operation.requestBody !== undefined,
			takesEither: takesEither(operation),
			responses: operation.responses,
		});
	}
	return facts;
}

function takesEither({ parameters, requestBody }: DocumentedOperation): boolean {
	return requestBody !== undefined && (parameters ?? []).some((parameter) => parameter.in === 'query');
}

function documented(document: Document) {
	return Object.entries(document.paths ?? {}).map(([path, item]) => {
		const method = 'get' in (item as object) ? 'get' : 'post';
		const operation = (item as Record<string, unknown>)[method] as DocumentedOperation;
		return { path, item: item as object, method, operation };
	});
}
