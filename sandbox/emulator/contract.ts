/**
 * Checks requests and answers against docs/openapi.yaml. A violation is reported, but not answered with an error: the service itself
 * is more lenient than its documentation, and a client must not depend on that.
 */

import { Ajv, type ErrorObject } from 'ajv';

import { isSpread, readOperations, type DocumentedOperation, type Parameter, type Schema } from './document';
import { findToken, parseJson, type RecordedRequest } from './recording';

const JSON_TYPE = 'application/json';
const TEXT = 'text/html';

/** What the document says in words about parameters in a query, because OpenAPI has no schema for all of them together. */
const OF_QUERY: Record<string, Schema> = {
	deleteContactVariable: { anyOf: [{ required: ['id'] }, { required: ['name'] }] },
};

/** The contract. It keeps no state, so one instance serves every emulator of the process. */
export type Contract = ReturnType<typeof contractOf>;

let loaded: Contract | undefined;

/** Reads docs/openapi.yaml, once per process. */
export function loadContract(): Contract {
	return (loaded ??= contractOf(readOperations().map(withSchemas)));
}

/** If an operation accepts its parameters in either place, the schema of the body applies to both. */
function withSchemas(operation: DocumentedOperation) {
	const { operationId, parameters, requestBody } = operation;
	const schemaOf = (place: 'query' | 'header', nameOf = (name: string) => name): Schema => {
		const there = parameters.filter((each) => each.in === place);
		const required = there.filter((each) => each.required).map(({ name }) => nameOf(name));
		const named = there.filter((each) => !isSpread(each));
		const properties = Object.fromEntries(named.map(({ name, schema }) => [nameOf(name), schema]));
		const patternProperties = Object.fromEntries(there.filter(isSpread).map(patternOf));
		return { type: 'object', required, properties, patternProperties };
	};
	const query = { ...schemaOf('query'), ...OF_QUERY[operationId], additionalProperties: false };
	const body = requestBody?.content[JSON_TYPE]!.schema;
	// What is spread over the query repeats a part of the body, and replaces none of it.
	const takesEither = body !== undefined && parameters.some((each) => each.in === 'query' && !isSpread(each));
	const header = schemaOf('header', (name) => name.toLowerCase());
	return { ...operation, query, header, body, takesEither, input: body ?? query };
}

const patternOf = ({ name, schema }: Parameter) => [`^${name}\\[.+\\]$`, schema.additionalProperties];

type Described = ReturnType<typeof withSchemas>;

/** Accepts values unchanged. */
const exact = new Ajv({ strict: false, allErrors: true, verbose: true });
/** Converts strings to the schema's type if possible, in the value itself: everything in a URL is a string. */
const coercing = new Ajv({ strict: false, allErrors: true, coerceTypes: true });

function contractOf(operations: Described[]) {
	const byId = new Map(operations.map((each) => [each.operationId, each]));

	return {
		operations,

		/** @returns the problems of the request as texts; empty if it conforms to the contract */
		checkRequest(request: RecordedRequest, tokenHeader: string | undefined): string[] {
			const operation = operations.find(({ path }) => path === request.path);
			if (!operation) return [`no such path: ${request.path}`];
			if (operation.method !== request.method) return [`${request.path} takes ${operation.method} only`];
			const { otherQuery, problems } = findToken(request, tokenHeader);
			const { rawBody, headers, body } = request;
			const hasBody = rawBody !== '' || Number(headers['content-length'] ?? 0) > 0;
			if (hasBody && operation.body && !String(headers['content-type']).startsWith(JSON_TYPE))
				problems.push('the body must be application/json');
			problems.push(...problemsIn(coercing, operation.header, { ...headers }, '/header'));
			return [...problems, ...problemsOf(operation, otherQuery, hasBody ? (body ?? rawBody) : undefined)];
		},

		/** @returns the problems of an answer to an operation */
		checkAnswer(id: string, status: number, contentType: string, body: string): string[] {
			const { responses } = byId.get(id)!;
			const described = responses[statusIn(responses, status)];
			if (!described) return [`status ${status} is not described for ${id}`];
			// An answer that may be text may also be empty. It then needs no content type, as with 204.
			const type = body === '' ? TEXT : contentType.split(';')[0]!;
			const schema = described.content?.[type]?.schema;
			if (!schema) return body === '' && !described.content ? [] : [`${type} is not described for ${id}`];
			const value = type === TEXT ? body : parseJson(body);
			if (value === undefined) return ['the body is not JSON'];
			return answerErrors(schema, value).map((error) => wordsOf(error, '/response'));
		},
	};
}

/** Under which name responses describe a status: itself, or a range such as `5XX`. */
export const statusIn = (responses: object, status: number): string =>
	status in responses ? String(status) : `${Math.floor(status / 100)}XX`;

/** How the value of an answer differs from its schema. */
export const answerErrors = (schema: Schema, value: unknown): ErrorObject[] =>
	closest(errorsIn(exact, schema, value));

function problemsOf(operation: Described, query: object, body: unknown): string[] {
	const { takesEither } = operation;
	const problems = problemsIn(coercing, operation.query, query, '/query');
	if (!operation.body) {
		if (body !== undefined) problems.push('this operation takes no body');
	} else if (body !== undefined || !takesEither) {
		problems.push(...problemsIn(exact, operation.body, body, '/requestBody'));
		if (takesEither && Object.keys(query).length > 0)
			problems.push('parameters in both the query and the body');
	} else if (problems.length === 0) {
		// After a wrong type in the query, this check would only report the problem a second time.
		problems.push(...problemsIn(exact, operation.body, query, '/query'));
	}
	return problems;
}

const problemsIn = (ajv: Ajv, schema: object, value: unknown, at: string) =>
	errorsIn(ajv, schema, value).map((error) => wordsOf(error, at));

function errorsIn(ajv: Ajv, schema: object, value: unknown): ErrorObject[] {
	ajv.validate(schema, value);
	return ajv.errors ?? [];
}

function wordsOf({ instancePath, message, params }: ErrorObject, at: string): string {
	const { additionalProperty, allowedValues } = params as Subject;
	const detail = additionalProperty ?? allowedValues?.join(', ');
	return `${at}${instancePath} ${message}${detail ? `: ${detail}` : ''}`;
}

/** What a problem is about. */
interface Subject {
	additionalProperty?: string;
	allowedValues?: unknown[];
}

/** Where a value may have one of several schemas: only the errors of the one that fits best. */
function closest(errors: ErrorObject[]): ErrorObject[] {
	const choices = errors.filter(({ keyword }) => keyword === 'anyOf' || keyword === 'oneOf');
	return choices.reduce((rest, choice) => {
		const branchOf = ({ instancePath, schemaPath }: ErrorObject) =>
			`${instancePath}/`.startsWith(`${choice.instancePath}/`) &&
			schemaPath.startsWith(`${choice.schemaPath}/`)
				? schemaPath.slice(choice.schemaPath.length).split('/')[1]
				: undefined;
		const sizes = new Map<string, number>();
		for (const branch of rest.map(branchOf)) if (branch) sizes.set(branch, (sizes.get(branch) ?? 0) + 1);
		const [best] = [...sizes].sort(([, a], [, b]) => a - b)[0] ?? [];
		return best ? rest.filter((each) => each !== choice && (branchOf(each) ?? best) === best) : rest;
	}, errors);
}
