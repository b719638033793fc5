import type { INodeProperties } from 'n8n-workflow';

import { fieldTypes, schemaId } from '../../shared/fields';
import type { Operation } from '../../shared/operation';

const fieldName: INodeProperties = {
	displayName: 'Field Name',
	name: 'fieldName',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. Delivery Address',
	description: 'Name of the new field as people see it',
	routing: { send: { type: 'query', property: 'field.name' } },
};

const newFieldSlug: INodeProperties = {
	displayName: 'Field Slug',
	// Not 'fieldSlug': that one picks an existing field from a list, and the editor keeps values by name.
	name: 'newFieldSlug',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. delivery_address',
	description: 'Short name of the new field, used once within the list',
	routing: { send: { type: 'query', property: 'field.slug' } },
};

const fieldType: INodeProperties = {
	displayName: 'Field Type',
	name: 'fieldType',
	type: 'options',
	required: true,
	options: fieldTypes,
	default: 'string',
	description: 'What the new field holds',
	routing: { send: { type: 'query', property: 'field.type' } },
};

const fieldOptions: INodeProperties = {
	displayName: 'Options',
	name: 'fieldOptions',
	type: 'collection',
	placeholder: 'Add Option',
	default: {},
	options: [
		{
			displayName: 'Encrypted',
			name: 'encrypted',
			type: 'boolean',
			default: false,
			description: 'Whether the field is stored encrypted',
			hint: 'An encrypted field can be neither filtered nor sorted by',
			routing: { send: { type: 'query', property: 'field.is_encryptable' } },
		},
		{
			displayName: 'Hidden',
			name: 'hidden',
			type: 'boolean',
			default: false,
			description: 'Whether the field is hidden in the web interface',
			routing: { send: { type: 'query', property: 'field.is_hidden' } },
		},
		{
			displayName: 'Required',
			name: 'required',
			type: 'boolean',
			default: false,
			description: 'Whether the field must be filled',
			routing: { send: { type: 'query', property: 'field.is_required' } },
		},
	],
};

/** POST addListSchemaField (interface, section 4.4). */
export const listSchemaAddField: Operation = {
	option: {
		name: 'Add Field',
		value: 'addField',
		action: 'Add field to list schema',
		description: 'Add a field to a list schema; elements that exist already get it empty',
		routing: { request: { method: 'POST', url: '/addListSchemaField' } },
	},
	fields: [schemaId, fieldName, newFieldSlug, fieldType, fieldOptions],
	place: 'body',
	answer: 'done',
	repeatable: false,
};
