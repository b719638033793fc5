/** Reads docs/openapi.yaml in the same way for all who use it. */

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

import { parse } from 'yaml';

export const DOCUMENT = resolve(__dirname, '../../docs/openapi.yaml');

export interface DocumentedOperation {
	operationId: string;
	description: string;
	/** For example `/api/v1/sendMessage`. */
	path: string;
	method: 'GET' | 'POST';
	parameters: Parameter[];
	requestBody?: { content: Record<string, Media> };
	/** By status, or by a range of statuses such as `5XX`. */
	responses: Record<string, { description: string; content?: Record<string, Media> }>;
}

export interface Parameter {
	name: string;
	in: 'query' | 'header';
	required?: boolean;
	style?: string;
	description: string;
	schema: Schema;
	examples?: Record<string, { value: unknown }>;
}

interface Media {
	schema: Schema;
	examples?: Parameter['examples'];
}

/** A JSON Schema, with the keywords that the emulator reads. */
export interface Schema {
	description?: string;
	type?: string;
	required?: string[];
	properties?: Record<string, Schema>;
	patternProperties?: Record<string, Schema>;
	additionalProperties?: Schema | boolean;
	items?: Schema;
	enum?: unknown[];
	minimum?: number;
	maximum?: number;
	oneOf?: Schema[];
	anyOf?: Schema[];
}

type Path = Partial<Record<'get' | 'post', DocumentedOperation>> & { parameters: Parameter[] };

/** Whether the properties of a parameter are in the query one by one, such as `filters[slug]=value`. */
export const isSpread = ({ style }: Parameter): boolean => style === 'deepObject';

/** The operations in the order of the document, with all references resolved. */
export function readOperations(): DocumentedOperation[] {
	const document = parse(readFileSync(DOCUMENT, 'utf8')) as { paths: object };
	const paths = resolved(document.paths, document) as Record<string, Path>;
	return Object.entries(paths).map(([path, described]) => {
		const operation = (described.get ?? described.post)!;
		const parameters = [...described.parameters, ...(operation.parameters ?? [])];
		return { ...operation, path, method: described.get ? 'GET' : 'POST', parameters };
	});
}

/** A part of the document in which what a reference names stands in its place. */
function resolved(part: unknown, document: object): unknown {
	if (typeof part !== 'object' || part === null) return part;
	if (Array.isArray(part)) return part.map((each) => resolved(each, document));
	const { $ref: reference } = part as { $ref?: string };
	if (reference === undefined)
		return Object.fromEntries(Object.entries(part).map(([key, each]) => [key, resolved(each, document)]));
	const valueIn = (within: unknown, key: string) => (within as Record<string, unknown>)[key];
	return resolved(reference.split('/').slice(1).reduce(valueIn, document), document);
}
