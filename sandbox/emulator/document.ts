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
	/** Includes the parameters of its path. */
	parameters: Parameter[];
	requestBody?: { content: Record<string, Media> };
	/** By status, or by a range of statuses such as `5XX`. */
	responses: Record<string, { headers?: object; content?: Record<string, Media> }>;
}

export interface Parameter {
	name: string;
	in: 'query' | 'header';
	required?: boolean;
	schema: Schema;
	examples?: Examples;
}

interface Media {
	schema: Schema;
	examples?: Examples;
}

type Examples = Record<string, { value: unknown }>;

/** A JSON Schema, with the keywords that the emulator reads. */
export interface Schema {
	type?: string;
	required?: string[];
	properties?: Record<string, Schema>;
	additionalProperties?: Schema | boolean;
	items?: Schema;
	enum?: unknown[];
	minimum?: number;
	maximum?: number;
	oneOf?: Schema[];
	anyOf?: Schema[];
}

type Paths = Record<
	string,
	{ parameters?: Parameter[]; get?: DocumentedOperation; post?: DocumentedOperation }
>;

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
