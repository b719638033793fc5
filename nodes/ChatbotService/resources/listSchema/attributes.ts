import type { Field } from '../operation';

/* Attributes of a list field, with the API's names. */

export const encryptedAttribute: Field = {
	displayName: 'Encrypted',
	name: 'is_encryptable',
	type: 'boolean',
	default: false,
	description: 'Whether the field is stored encrypted',
	hint: 'You cannot filter or sort by an encrypted field',
};

export const hiddenAttribute: Field = {
	displayName: 'Hidden',
	name: 'is_hidden',
	type: 'boolean',
	default: false,
	description: 'Whether the field is hidden in the web interface',
};

export const requiredAttribute: Field = {
	displayName: 'Required',
	name: 'is_required',
	type: 'boolean',
	default: false,
	description: 'Whether the field must have a value',
};
