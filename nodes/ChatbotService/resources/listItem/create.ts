import { mayBeDone, type Operation } from '../operation';
import { columnsOfNew, saving } from './columns';
import { listOfItems } from './itemFields';

export const listItemCreate: Operation = {
	option: {
		name: 'Create',
		value: 'create',
		action: 'Create list item',
		description: 'Create an item of a list',
		routing: { request: { method: 'POST', url: '/addListItem' } },
	},
	fields: [listOfItems, columnsOfNew],
	answer: 'created',
	steps: saving({ isNew: true }),
	advice: mayBeDone('The item may have been created', 'the list in the service'),
};
