import { schemaId } from '../fields';
import { mayBeDone, type Operation } from '../operation';

export const listSchemaDelete: Operation = {
	option: {
		name: 'Delete',
		value: 'delete',
		action: 'Delete list',
		description: 'Delete a list permanently',
		routing: { request: { method: 'POST', url: '/deleteListSchema' } },
	},
	fields: [schemaId],
	answer: 'deleted',
	advice: mayBeDone('The list may have been deleted', 'the lists in the service'),
};
