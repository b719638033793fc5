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
	description?: string;
	/** Includes the parameters of its path. */
	parameters: Parameter[];
	requestBody?: { content: Record<string, Media> };
	/** By status, or by a range of statuses such as `5XX`. */
	responses: Record<string, DocumentedAnswer>;
}

export interface Parameter {
	name: string;
	in: 'query' | 'header';
	required?: boolean;
	description?: string;
	schema: Schema;
	examples?: Examples;
}

interface DocumentedAnswer {
	description: string;
	headers?: Record<string, { description?: string }>;
	content?: Record<string, Media>;
}

interface Media {
	schema: Schema;
	examples?: Examples;
}

type Examples = Record<string, { value: unknown }>;

/** A JSON Schema, with the keywords that are used here. */
export interface Schema {
	description?: string;
	properties?: Record<string, Schema>;
	additionalProperties?: Schema | boolean;
	items?: Schema;
	oneOf?: Schema[];
	anyOf?: Schema[];
}

/** The operations in the order of the document, with all references resolved. */
export function readOperations(): DocumentedOperation[] {
	const document = dereferenceSync(parse(readFileSync(DOCUMENT, 'utf8')) as object) as { paths: Paths };
	return Object.entries(document.paths).map(([path, { parameters = [], get, post }]) => {
		const operation = (get ?? post)!;
		return {
			...operation,
			path,
			method: get ? 'GET' : 'POST',
			parameters: [...parameters, ...(operation.parameters ?? [])],
		};
	});
}

type Paths = Record<
	string,
	{ parameters?: Parameter[]; get?: DocumentedOperation; post?: DocumentedOperation }
>;
