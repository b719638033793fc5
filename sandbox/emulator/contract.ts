/**
 * Checks requests and answers against docs/openapi.yaml. A violation is reported, but not answered with an error: the service itself
 * is more lenient than its documentation, and a client must not depend on that.
 */

import { Ajv } from 'ajv';

import { CONTACT_IDS } from './data';
import { readOperations, type DocumentedOperation, type Parameter } from './document';
import { parseJson, type RecordedRequest } from './recording';
import { findToken, type TokenPlacement } from './tokens';
import { isObject, type Input } from './validation';

const JSON_TYPE = 'application/json';
const TEXT = 'text/html';

/** Rules for parameters in any place that OpenAPI cannot express; the document states them in its descriptions. */
const RULES: Record<string, (sent: Input) => string[]> = {
	deleteContactVariable: ({ id, name }) =>
		id === undefined && name === undefined ? ['id is required without name, and name without id'] : [],
	createOrUpdateContact: ({ messenger, ...sent }) => {
		const needed = CONTACT_IDS[messenger as keyof typeof CONTACT_IDS];
		return needed && sent[needed] === undefined ? [`${needed} is required for ${messenger as string}`] : [];
	},
	createListSchema: ({ fields }) =>
		Object.entries(isObject(fields) ? fields : {})
			.filter(([key, field]) => isObject(field) && field.slug !== key)
			.map(([key]) => `/fields/${key} must have the same slug as its key`),
};

/** The contract. It keeps no state, so one instance serves every emulator of the process. */
export type Contract = ReturnType<typeof contractOf>;

let loaded: Contract | undefined;

/** Reads docs/openapi.yaml, once per process. */
export function loadContract(): Contract {
	return (loaded ??= contractOf(readOperations()));
}

/** Accepts values unchanged. */
const exact = new Ajv({ strict: false, allErrors: true });
/** Converts strings to the schema's type if possible, in the value itself: everything in a URL is a string. */
const coercing = new Ajv({ strict: false, allErrors: true, coerceTypes: true });

function contractOf(documented: DocumentedOperation[]) {
	const operations = documented.map(withSchemas);
	const byPath = new Map(operations.map((each) => [each.path, each]));
	const byId = new Map(operations.map((each) => [each.operationId, each]));

	return {
		/** Paths and methods of the operations, for example `/api/v1/sendMessage` → `POST`. */
		methods: new Map(operations.map(({ path, method }) => [path, method])),

		/** @returns the problems of the request as texts; empty if it conforms to the contract */
		checkRequest(request: RecordedRequest, tokenIn: TokenPlacement | undefined): string[] {
			const operation = byPath.get(request.path);
			if (!operation) return [`no such path: ${request.path}`];
			if (operation.method !== request.method) return [`${request.path} takes ${operation.method} only`];
			const { otherQuery: query, problems } = findToken(request, tokenIn);
			const hasBody = request.rawBody !== '' || Number(request.headers['content-length'] ?? 0) > 0;
			if (hasBody && operation.body && !isJson(request)) problems.push('the body must be application/json');
			const body = hasBody ? (request.body ?? request.rawBody) : undefined;
			return [
				...problems,
				...problemsIn(coercing, operation.header, { ...request.headers }, '/header'),
				...problemsOf(coercing, operation, { ...query }, body),
			];
		},

		/** The problems of values before they become strings in a URL; an empty body means no body. */
		checkParameters(id: string, { query, body }: { query: object; body: object }): string[] {
			return problemsOf(exact, byId.get(id)!, query, Object.keys(body).length > 0 ? body : undefined);
		},

		/** @returns the problems of an answer to an operation */
		checkAnswer(id: string, status: number, contentType: string, body: string): string[] {
			const operation = byId.get(id);
			if (!operation) return [`no such operation: ${id}`];
			const range = `${Math.floor(status / 100)}XX`;
			const described = operation.responses[status] ?? operation.responses[range];
			if (!described) return [`status ${status} is not described for ${id}`];
			const { content } = described;
			if (!content) return body === '' ? [] : ['a body is not described'];
			if (body === '' && !content[TEXT]) return ['the body is missing'];
			// An answer that may be text may also be empty. It then needs no content type, as with 204.
			const type = body === '' ? TEXT : (contentType.split(';')[0] ?? '');
			if (!content[type]) return [`content type ${type} is not described`];
			const value = type === TEXT ? body : parseJson(body);
			if (value === undefined) return ['the body is not JSON'];
			return problemsIn(exact, content[type].schema, value, '/response');
		},
	};
}

/** If an operation accepts its parameters in either place, the schema of the body applies to both. */
function withSchemas(operation: DocumentedOperation) {
	const { parameters, requestBody } = operation;
	return {
		...operation,
		query: { ...schemaOf(parameters, 'query'), additionalProperties: false },
		header: schemaOf(parameters, 'header'),
		body: requestBody?.content[JSON_TYPE]!.schema,
		takesEither: requestBody !== undefined && parameters.some((each) => each.in === 'query'),
	};
}

function problemsOf(
	ajv: Ajv,
	operation: ReturnType<typeof withSchemas>,
	query: object,
	body: unknown,
): string[] {
	const { takesEither } = operation;
	const inQuery = problemsIn(ajv, operation.query, query, '/query');
	const problems: string[] = [];
	if (!operation.body) {
		if (body !== undefined) problems.push('this operation takes no body');
	} else if (body !== undefined || !takesEither) {
		problems.push(...problemsIn(exact, operation.body, body, '/requestBody'));
		if (takesEither && Object.keys(query).length > 0)
			problems.push('parameters in both the query and the body');
	} else if (inQuery.length === 0) {
		// After a wrong type in the query, this check would only report the problem a second time.
		problems.push(...problemsIn(exact, operation.body, query, '/query'));
	}
	const sent = { ...query, ...(isObject(body) ? body : {}) };
	return [...problems, ...inQuery, ...(RULES[operation.operationId]?.(sent) ?? [])];
}

function problemsIn(ajv: Ajv, schema: object, value: unknown, at: string): string[] {
	ajv.validate(schema, value);
	return (ajv.errors ?? []).map(({ instancePath, message, params }) => {
		const subject = params as { additionalProperty?: string; allowedValues?: unknown[] };
		const detail = subject.additionalProperty ?? subject.allowedValues?.join(', ');
		return `${at}${instancePath} ${message}${detail === undefined ? '' : `: ${detail}`}`;
	});
}

/** The parameters in one place as a JSON Schema. */
function schemaOf(parameters: Parameter[], place: Parameter['in']): object {
	const nameOf = ({ name }: Parameter) => (place === 'header' ? name.toLowerCase() : name);
	const there = parameters.filter((each) => each.in === place);
	return {
		type: 'object',
		required: there.filter(({ required }) => required).map(nameOf),
		properties: Object.fromEntries(there.map((each) => [nameOf(each), each.schema])),
	};
}

function isJson(request: RecordedRequest): boolean {
	return String(request.headers['content-type'] ?? '').split(';')[0] === JSON_TYPE;
}
