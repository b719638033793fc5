import { harmless, type Operation } from '../operation';
import { columnsToChange, savedAsChange } from './columns';
import { itemId, listOfTheItem } from './itemFields';

export const listItemUpdate: Operation = {
	option: {
		name: 'Update',
		value: 'update',
		action: 'Update list item',
		description: 'Update an item of a list',
		routing: { request: { method: 'POST', url: '/updateListItem' } },
	},
	// WatBot requires the list, LEADTEX does not.
	fields: [listOfTheItem, itemId, columnsToChange],
	answer: 'created',
	steps: savedAsChange,
	advice: harmless('The item may have been updated. Updating it again'),
};
