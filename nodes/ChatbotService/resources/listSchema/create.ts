import type { INodeProperties } from 'n8n-workflow';

import { botIdOfList, fieldTypes } from '../../shared/fields';
import type { Operation } from '../../shared/operation';

const listName: INodeProperties = {
	displayName: 'List Name',
	name: 'listName',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. Orders',
	description: 'Name that the list gets in the service',
	routing: { send: { type: 'query', property: 'name' } },
};

const showInMenu: INodeProperties = {
	displayName: 'Show in Menu',
	name: 'showInMenu',
	type: 'boolean',
	default: false,
	description: "Whether the menu of the service's web interface shows a link to the list",
	routing: { send: { type: 'query', property: 'is_menu' } },
};

const fieldsInput: INodeProperties = {
	displayName: 'Fields Input',
	name: 'fieldsInput',
	type: 'options',
	noDataExpression: true,
	options: [
		{ name: 'Define Below', value: 'define', description: 'Fill in each field of the list here' },
		{ name: 'JSON', value: 'json', description: 'Take the fields from JSON, also those of another list' },
	],
	default: 'define',
	description: 'How the fields of the list are given',
};

/* Attributes of a field, named as in the service's creation input, so that they travel as they are. */

const attributeName: INodeProperties = {
	displayName: 'Name',
	name: 'name',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. Delivery Address',
	description: 'Name of the field as people see it',
};

const attributeSlug: INodeProperties = {
	displayName: 'Slug',
	name: 'slug',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. delivery_address',
	description: 'Short name of the field, used once within the list',
};

const attributeType: INodeProperties = {
	displayName: 'Type',
	name: 'type',
	type: 'options',
	options: fieldTypes,
	default: 'string',
	description: 'What the field holds',
};

const attributeRequired: INodeProperties = {
	displayName: 'Required',
	name: 'is_required',
	type: 'boolean',
	default: false,
	description: 'Whether the field must be filled',
};

const attributeHidden: INodeProperties = {
	displayName: 'Hidden',
	name: 'is_hidden',
	type: 'boolean',
	default: false,
	description: 'Whether the field is hidden in the web interface',
};

const attributeEncrypted: INodeProperties = {
	displayName: 'Encrypted',
	name: 'is_encryptable',
	type: 'boolean',
	default: false,
	description: 'Whether the field is stored encrypted',
	hint: 'An encrypted field can be neither filtered nor sorted by',
};

const fields: INodeProperties = {
	displayName: 'Fields',
	name: 'fields',
	type: 'fixedCollection',
	typeOptions: { multipleValues: true, sortable: true },
	placeholder: 'Add Field',
	default: {},
	description: 'The fields that each element of the list has',
	displayOptions: { show: { fieldsInput: ['define'] } },
	options: [
		{
			displayName: 'Field',
			name: 'field',
			values: [
				attributeName,
				attributeSlug,
				attributeType,
				attributeRequired,
				attributeHidden,
				attributeEncrypted,
			],
		},
	],
	routing: { send: { type: 'query', property: 'fields' } },
};

const fieldsJson: INodeProperties = {
	displayName: 'Fields (JSON)',
	name: 'fieldsJson',
	type: 'json',
	required: true,
	default: '',
	placeholder: 'e.g. [{ "name": "City", "slug": "city", "type": "string" }]',
	description:
		"Field definitions: an array of them, an object keyed by slug, or the 'fields' of a list schema that 'Get' returned",
	displayOptions: { show: { fieldsInput: ['json'] } },
	routing: { send: { type: 'query', property: 'fields' } },
};

/** POST createListSchema (interface, section 4.4). */
export const listSchemaCreate: Operation = {
	option: {
		name: 'Create',
		value: 'create',
		action: 'Create list schema',
		description: 'Create a new list schema',
		routing: { request: { method: 'POST', url: '/createListSchema' } },
	},
	fields: [listName, showInMenu, botIdOfList, fieldsInput, fields, fieldsJson],
	place: 'body',
	answer: 'created',
	repeatable: false,
};
