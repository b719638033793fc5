import { limit, returnAll } from '../fields';
import { wireNameOf, type Operation } from '../operation';
import { listOfItems } from './itemFields';
import { fieldFilters, itemOptions, stepsOf } from './itemFilters';

/** Which only reads. */
export const listItemGetAll: Operation = {
	option: {
		name: 'Get Many',
		value: 'getAll',
		action: 'Get many list items',
		description: 'Retrieve many items of a list, for example the one with a certain key',
		builderHint: {
			propertyHint:
				"Use a list as a database: find an item by a field with 'fieldFilters', then change it with Update, or create it. Output: one item per list item, with 'id' and the fields by slug. To continue when nothing is found, switch 'Always Output Data' on, look up one item at a time (Loop Over Items), and leave On Error at its default: an empty item would also follow an error.",
		},
		routing: { request: { method: 'POST', url: '/getListItems' } },
	},
	fields: [listOfItems, returnAll, limit, fieldFilters, itemOptions],
	answer: 'many',
	pageSize: { name: 'limit', most: 100 },
	// WatBot reads filters in the body, LEADTEX in the query.
	alsoInQuery: wireNameOf(fieldFilters),
	steps: stepsOf,
};
