/** docs/openapi.yaml as its readers see it. */

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

import { OpenAPIBackend, type Document } from 'openapi-backend';
import { parse } from 'yaml';

export const PATH = resolve(__dirname, '../../docs/openapi.yaml');

export const text = readFileSync(PATH, 'utf8');

/** By name. */
export type Examples = Record<string, { value: unknown }>;

export interface Parameter {
	name: string;
	in: 'query' | 'header';
	description?: string;
	schema: Schema;
	examples?: Examples;
}

export interface Schema {
	description?: string;
	properties?: Record<string, Schema>;
	additionalProperties?: Schema | boolean;
	items?: Schema;
	oneOf?: Schema[];
	anyOf?: Schema[];
}

export interface Media {
	schema: Schema;
	examples?: Examples;
}

export interface Answer {
	description: string;
	headers?: Record<string, { description?: string }>;
	content?: Record<string, Media>;
}

export interface Operation {
	operationId: string;
	path: string;
	method: 'GET' | 'POST';
	description?: string;
	/** Those of its path among them. */
	parameters: Parameter[];
	requestBody?: { content: Record<string, Media> };
	responses: Record<string, Answer>;
}

/** @returns the operations, with everything in its place that the document refers to */
export async function loadOperations(): Promise<Operation[]> {
	const api = new OpenAPIBackend({ definition: parse(text) as Document, quick: true, validate: false });
	await api.init();
	return Object.entries(api.definition.paths!).map(([path, item]) => {
		const {
			get,
			post,
			parameters = [],
		} = item as unknown as Record<'get' | 'post', Operation | undefined> & Pick<Operation, 'parameters'>;
		const operation = (get ?? post)!;
		return {
			...operation,
			path,
			method: get ? 'GET' : 'POST',
			parameters: [...parameters, ...(operation.parameters ?? [])],
		};
	});
}
