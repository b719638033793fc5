import { schemaId } from '../fields';
import type { Operation } from '../operation';

export const listSchemaGet: Operation = {
	option: {
		name: 'Get',
		value: 'get',
		action: 'Get list',
		description: 'Retrieve a list with its fields, without its items',
		builderHint: { propertyHint: 'Output: id, name, and fields, an object by slug.' },
		routing: { request: { method: 'GET', url: '/getListSchema' } },
	},
	fields: [schemaId],
	answer: 'one',
};
