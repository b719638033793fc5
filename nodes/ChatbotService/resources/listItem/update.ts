import { harmless, type Operation } from '../operation';
import { columnsOfItem, saving } from './columns';
import { itemId, listOfItems } from './itemFields';

export const listItemUpdate: Operation = {
	option: {
		name: 'Update',
		value: 'update',
		action: 'Update list item',
		description: 'Update an item of a list',
		routing: { request: { method: 'POST', url: '/updateListItem' } },
	},
	// WatBot requires the list, LEADTEX does not.
	fields: [listOfItems, itemId, columnsOfItem],
	answer: 'created',
	steps: saving({ isNew: false }),
	advice: harmless('The item may have been updated. Updating it again'),
};
