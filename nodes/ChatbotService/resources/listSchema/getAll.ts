import { limit, returnAll } from '../../shared/fields';
import type { Operation } from '../../shared/operation';

/** GET getListSchemas (interface, section 4.4). */
export const listSchemaGetAll: Operation = {
	option: {
		name: 'Get Many',
		value: 'getAll',
		action: 'Get many list schemas',
		description: 'Retrieve many list schemas with their fields',
		routing: { request: { method: 'GET', url: '/getListSchemas' } },
	},
	fields: [returnAll, limit],
	place: 'query',
	answer: 'many',
	repeatable: true,
};
