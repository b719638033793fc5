import { notSent, pickedFrom, schemaId } from '../fields';
import * as kinds from '../kinds';
import type { Field } from '../operation';

/** Completes the hints for n8n's AI on fields that take slugs. The AI can call the methods that fill the editor's lists. */
export const whereSlugs = "the method 'searchSchemaFields' lists the slugs for 'schemaId'";

/** The list that contains the items. */
export const listOfItems: Field = { ...schemaId, description: 'The list that contains the items' };

/** Not sent. Determines which list's items the list offers. */
export const listForPicking: Field = {
	...notSent(schemaId),
	description: "The list whose items are offered under 'Item'",
	hint: 'Not sent',
};

/** A field of the list. */
export const fieldOfList = {
	...pickedFrom('searchSchemaFields', { displayName: 'By Slug', name: 'slug', placeholder: 'e.g. article' }),
	builderHint: { propertyHint: `Not the label of a field: ${whereSlugs}.` },
	kind: kinds.trimmedName,
	whole: 'all',
} satisfies Partial<Field>;

export const itemId: Field = {
	displayName: 'Item',
	name: 'itemId',
	description: "The list item, by its ID: the 'id' in the output of 'Get Many'",
	hint: 'A search reads 2,000 items. To search the next 2,000, add a space to the text',
	...pickedFrom('searchListItems', {
		displayName: 'By ID',
		name: 'id',
		placeholder: 'e.g. 64b7f0c2a1d3e4f5a6b7c8d9',
	}),
	routing: { send: { property: 'item_id' } },
	kind: kinds.trimmedName,
	target: 'id',
	whatItIs: 'item with this ID',
};
