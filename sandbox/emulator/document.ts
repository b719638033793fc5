/** Reads docs/openapi.yaml in the same way for all who use it. */

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

import { dereferenceSync } from 'dereference-json-schema';
import { parse } from 'yaml';

export const DOCUMENT = resolve(__dirname, '../../docs/openapi.yaml');

export interface DocumentedOperation {
	operationId: string;
	/** For example `/api/v1/sendMessage`. */
	path: string;
	method: 'GET' | 'POST';
	parameters: Parameter[];
	requestBody?: { content: Record<string, Media> };
	/** By status, or by a range of statuses such as `5XX`. */
	responses: Record<string, { content?: Record<string, Media> }>;
}

export interface Parameter {
	name: string;
	in: 'query' | 'header';
	required?: boolean;
	style?: string;
	schema: Schema;
	examples?: Record<string, { value: unknown }>;
}

interface Media {
	schema: Schema;
	examples?: Parameter['examples'];
}

/** A JSON Schema, with the keywords that the emulator reads. */
export interface Schema {
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
	const document = dereferenceSync(parse(readFileSync(DOCUMENT, 'utf8')) as object);
	return Object.entries((document as { paths: Record<string, Path> }).paths).map(([path, described]) => {
		const operation = (described.get ?? described.post)!;
		const parameters = [...described.parameters, ...(operation.parameters ?? [])];
		return { ...operation, path, method: described.get ? 'GET' : 'POST', parameters };
	});
}
