import { schemaId } from '../../shared/fields';
import type { Operation } from '../../shared/operation';

/** POST deleteListSchema (interface, section 4.4). */
export const listSchemaDelete: Operation = {
	option: {
		name: 'Delete',
		value: 'delete',
		action: 'Delete list schema',
		description: 'Delete a list schema permanently',
		routing: { request: { method: 'POST', url: '/deleteListSchema' } },
	},
	fields: [schemaId],
	place: 'body',
	answer: 'deleted',
	repeatable: false,
};
