import { fieldTypes } from '../choices';
import { choiceOf, offSwitch, requiredText } from '../fields';
import * as kinds from '../kinds';
import type { Field } from '../operation';

/* Attributes of a list field, with the API's names, so that 'Create' sends them as they are. */

/** In the editor's order. */
export const attributes = {
	name: {
		displayName: 'Name',
		name: 'name',
		...requiredText,
		placeholder: 'e.g. Delivery Address',
		description: 'Name of the field as users see it',
		kind: kinds.trimmedName,
		whole: 'all',
	},
	slug: {
		displayName: 'Slug',
		name: 'slug',
		...requiredText,
		placeholder: 'e.g. delivery_address',
		description: 'Short name of the field, unique within the list',
		kind: kinds.trimmedName,
		whole: 'all',
	},
	type: {
		displayName: 'Type',
		name: 'type',
		...choiceOf(fieldTypes),
		default: 'string',
		description: 'What the field holds',
	},
	required: {
		displayName: 'Required',
		name: 'is_required',
		...offSwitch,
		description: 'Whether the field must have a value',
	},
	hidden: {
		displayName: 'Hidden',
		name: 'is_hidden',
		...offSwitch,
		description: 'Whether the field is hidden in the web interface',
	},
	encrypted: {
		displayName: 'Encrypted',
		name: 'is_encryptable',
		...offSwitch,
		description: 'Whether the field is stored encrypted',
		hint: 'You cannot filter or sort by an encrypted field',
	},
} satisfies Record<string, Field>;
