import { schemaId } from '../fields';
import type { Operation } from '../operation';

/** POST deleteListSchema. */
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
	advice: {
		unknown:
			'The list may have been deleted, so the node did not try again. Look at the lists in the service first.',
	},
};
