import { limit, returnAll } from '../fields';
import type { Operation } from '../operation';

export const listSchemaGetAll: Operation = {
	option: {
		name: 'Get Many',
		value: 'getAll',
		action: 'Get many lists',
		description: 'Retrieve many lists with their fields, without their items',
		builderHint: { propertyHint: 'Output: one item per list, with id, name, and fields, an object by slug.' },
		routing: { request: { method: 'GET', url: '/getListSchemas' } },
	},
	fields: [returnAll, limit],
	answer: 'many',
};
