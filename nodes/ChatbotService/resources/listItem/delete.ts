import { mayBeDone, type Operation } from '../operation';
import { itemId, listForPicking } from './itemFields';

export const listItemDelete: Operation = {
	option: {
		name: 'Delete',
		value: 'delete',
		action: 'Delete list item',
		description: 'Delete an item of a list permanently',
		routing: { request: { method: 'POST', url: '/deleteListItem' } },
	},
	fields: [listForPicking, itemId],
	answer: 'deleted',
	advice: mayBeDone('The item may have been deleted', 'the list in the service'),
};
