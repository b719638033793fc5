import type { Operation } from '../operation';
import { itemId, listOfItem } from './fields';

/** POST deleteListItem. */
export const listItemDelete: Operation = {
	option: {
		name: 'Delete',
		value: 'delete',
		action: 'Delete list item',
		description: 'Delete an item of a list permanently',
		routing: { request: { method: 'POST', url: '/deleteListItem' } },
	},
	fields: [listOfItem, itemId],
	place: 'body',
	answer: 'deleted',
	advice: {
		unknown:
			'The item may have been deleted, so the node did not try again. Look at the list in the service first.',
	},
};
