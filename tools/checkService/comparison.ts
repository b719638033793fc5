import type { ErrorObject } from 'ajv';

import { withoutRemarks } from '../../nodes/ChatbotService/client/http/framework';
import { loadContract } from '../../sandbox/emulator';
import { answerErrors, statusIn } from '../../sandbox/emulator/contract';
import type { DocumentedOperation, Schema } from '../../sandbox/emulator/document';
import { parseJson } from '../../sandbox/emulator/recording';
import type { Names } from './names';
import type { Answer, Call } from './session';

/* Where answers differ from docs/openapi.yaml. It shows no value of an answer, because values belong to the account and to people. */

interface Difference {
	/** Where in the answer. */
	place: string;
	/** What docs/openapi.yaml says about that place. Its descriptions end with a mark, such as (seen). */
	says: string;
	came: string;
}

const json = 'application/json';
const html = 'text/html';

/** @returns rows of a table: the operation, the place, what docs/openapi.yaml says, what came */
export function differencesIn(calls: Call[], names: Names): string[][] {
	const rows = calls.flatMap((call) =>
		inCall(call, names).map(({ place, says, came }) => [call.endpoint, place, says, came]),
	);
	return [...new Map(rows.map((row) => [row.join('|'), row])).values()];
}

function inCall(call: Call, names: Names): Difference[] {
	const { answers, expects, failure, remarks, title } = call;
	const operation = loadContract().operations.find(({ operationId }) => operationId === call.endpoint)!;
	const last = answers.at(-1);
	if (!last) return [{ place: 'answer', says: title, came: 'none' }];
	const succeeds = Object.keys(operation.responses).filter((each) => each.startsWith('2'));
	const found = answers.flatMap((answer) =>
		// What came before a repeated request is described, or differs, like any other answer.
		inAnswer(operation, answer, answer === last ? (expects ?? succeeds) : [], names),
	);
	const success = operation.responses[succeeds[0]!]!.description;
	if (!found.length && !expects && failure)
		found.push({ place: 'answer', says: success, came: 'what the node cannot read' });
	const saysOf = (about: string) => describedParameter(operation, about) ?? operation.description;
	return [...found, ...remarks.map(({ about, came }) => ({ place: about, says: saysOf(about), came }))];
}

function inAnswer(
	{ responses }: DocumentedOperation,
	{ status, headers, text }: Answer,
	expected: string[],
	names: Names,
): Difference[] {
	const key = statusIn(responses, status);
	const { content } = responses[key] ?? {};
	const found: Difference[] = [];
	if (expected.length ? !expected.includes(key) : !responses[key]) {
		const known = expected.length ? expected : Object.keys(responses);
		const says = known.map((each) => `${each}: ${responses[each]!.description}`).join(' ');
		found.push({ place: 'status', says, came: String(status) });
	}
	if (!content) return found;
	// An answer that may be text may also be empty.
	const type = text ? String(headers['content-type']).split(';')[0]! : html;
	if (!content[type]) {
		const came = [json, html, 'text/plain'].includes(type) ? type : 'another';
		found.push({ place: 'content type', says: Object.keys(content).join(', '), came });
	}
	const isText = content[type] && type !== json;
	const value = isText ? text : valueOf(text);
	const schema = content[isText ? type : json]?.schema;
	if (!isText && content[json] && parseJson(text) === undefined)
		found.push({ place: 'answer', says: json, came: value === undefined ? 'no JSON' : 'text before JSON' });
	if (value === undefined || !schema) return found;
	return [...found, ...answerErrors(schema, value).map((error) => inValue(error, names))];
}

/** The value of a JSON text, also behind what PHP has printed before it, which the node accepts. */
function valueOf(text: string): unknown {
	const { body } = withoutRemarks(text);
	return typeof body === 'string' ? parseJson(body) : body;
}

function inValue({ instancePath, keyword, message, params, parentSchema, data }: ErrorObject, names: Names) {
	const { missingProperty: missing, additionalProperty: additional, allowedValues } = params as Subject;
	const decode = (name: string) => name.replaceAll('~1', '/').replaceAll('~0', '~');
	const path = [...instancePath.split('/').slice(1).map(decode), ...[missing ?? additional ?? []].flat()];
	const schema = parentSchema as Schema;
	const { description } = (missing === undefined ? schema : schema.properties?.[missing]) ?? {};
	const detail = allowedValues ? ` (${allowedValues.join(', ')})` : '';
	const found = additional === undefined ? data : (data as Record<string, unknown>)[additional];
	return {
		place: path.map(names.shown).join('.') || 'answer',
		says: `${message}${detail}${description ? `: ${description}` : ''}`,
		came: missing !== undefined ? 'missing' : keyword === 'pattern' ? maskOf(data) : kindOf(found),
	};
}

/** What an error is about. */
interface Subject {
	missingProperty?: string;
	additionalProperty?: string;
	allowedValues?: unknown[];
}

const kindOf = (value: unknown) => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value);

/** The form of a text, without what it says. */
const maskOf = (text: unknown) =>
	`"${String(text)
		.slice(0, 40)
		.replace(/\p{L}/gu, 'a')
		.replace(/\p{N}/gu, '9')
		.replace(/[^a9 .:+-]/gu, '·')}"`;

function describedParameter({ parameters, requestBody }: DocumentedOperation, name: string) {
	const inBody = requestBody?.content[json]?.schema.properties?.[name];
	return (inBody ?? parameters.find((each) => each.name === name))?.description;
}
