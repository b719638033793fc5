import {
	isSpread,
	readOperations,
	type DocumentedOperation,
	type Schema,
} from '../../sandbox/emulator/document';
import type { Place } from './operation';

/* What docs/openapi.yaml says about an operation and its parameters. */

interface Documented {
	method: DocumentedOperation['method'];
	/** Where the node sends all parameters: a body that the service takes as well is only for long texts. */
	place: Place;
	/** @param wire its name; `field.slug` means `slug` in the object `field` */
	parameterAt(wire: string): { required: boolean; isNumber: boolean };
}

const operations = new Map(readOperations().map((each) => [each.operationId, each]));

export function documentedAt(endpoint: string): Documented {
	const { method, parameters, requestBody } = operations.get(endpoint)!;
	const inQuery = parameters.filter((each) => each.in === 'query' && !isSpread(each));
	const query: Schema = {
		required: inQuery.filter(({ required }) => required).map(({ name }) => name),
		properties: Object.fromEntries(inQuery.map(({ name, schema }) => [name, schema])),
	};
	const values: Schema = requestBody?.content['application/json']!.schema ?? query;
	return {
		method,
		place: requestBody && inQuery.length === 0 ? 'body' : 'query',
		parameterAt(wire) {
			const found = find(values, wire.split('.'));
			if (!found) throw new Error(`docs/openapi.yaml has no parameter ${wire} of ${endpoint}`);
			return { required: found.required, isNumber: found.schema.type === 'integer' };
		},
	};
}

/** In an operation with several forms of a request, a parameter is necessary if its own form needs it. */
function find(values: Schema, [name, ...rest]: string[]): { required: boolean; schema: Schema } | undefined {
	const form = [values, ...(values.oneOf ?? [])].find(({ properties }) => properties?.[name!]);
	const schema = form?.properties?.[name!];
	if (!form || !schema) return undefined;
	return rest.length ? find(schema, rest) : { required: form.required?.includes(name!) ?? false, schema };
}
