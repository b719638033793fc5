import { limit, returnAll } from '../fields';
import type { Operation } from '../operation';

/** GET getListSchemas. */
export const listSchemaGetAll: Operation = {
	option: {
		name: 'Get Many',
		value: 'getAll',
		action: 'Get many list schemas',
		description: 'Retrieve many list schemas with their fields',
		builderHint: { propertyHint: 'Output: one item per list, with id, name, and fields, an object by slug.' },
		routing: { request: { method: 'GET', url: '/getListSchemas' } },
	},
	fields: [returnAll, limit],
	answer: 'many',
};
