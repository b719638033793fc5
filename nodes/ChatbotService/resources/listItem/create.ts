import type { Operation } from '../operation';
import { columnsOfNew, storedColumns } from './columns';
import { listOfItems } from './fields';

/** POST addListItem. */
export const listItemCreate: Operation = {
	option: {
		name: 'Create',
		value: 'create',
		action: 'Create list item',
		description: 'Create an item of a list',
		routing: { request: { method: 'POST', url: '/addListItem' } },
	},
	fields: [listOfItems, columnsOfNew],
	place: 'body',
	answer: 'created',
	selects: storedColumns,
	advice: {
		unknown:
			'The item may have been created, so the node did not create it again. Look at the list in the service first.',
	},
};
