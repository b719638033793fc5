import { botIdOfList, offSwitch, requiredText } from '../fields';
import * as kinds from '../kinds';
import { mayBeDone, type Field, type Operation } from '../operation';
import { inputOf } from '../pairs';
import { attributes } from './attributes';
import { fieldDefinitions } from './definitions';

const listName: Field = {
	displayName: 'List Name',
	name: 'listName',
	...requiredText,
	placeholder: 'e.g. Orders',
	description: 'Name of the list in the service',
	routing: { send: { property: 'name' } },
	kind: kinds.name,
	whole: 'all',
};

const showInMenu: Field = {
	displayName: 'Show in Menu',
	name: 'showInMenu',
	...offSwitch,
	description: "Whether the menu of the service's web interface shows a link to the list",
	routing: { send: { property: 'is_menu' } },
};

const fieldsInput = inputOf('fields', 'Fields', 'field', 'Fields, for example those of another list');

const definitions = {
	routing: { send: { property: 'fields' } },
	kind: fieldDefinitions,
	whole: 'all',
} satisfies Partial<Field>;

const fields: Field = {
	displayName: 'Fields',
	name: 'fields',
	type: 'fixedCollection',
	typeOptions: { multipleValues: true, sortable: true },
	placeholder: 'Add Field',
	default: {},
	description: 'The fields that each item of the list has',
	displayOptions: { show: { fieldsInput: ['define'] } },
	options: [{ displayName: 'Field', name: 'field', values: Object.values(attributes) }],
	...definitions,
};

const fieldsJson: Field = {
	displayName: 'Fields (JSON)',
	name: 'fieldsJson',
	type: 'json',
	required: true,
	default: '',
	placeholder: 'e.g. [{ "name": "City", "slug": "city", "type": "string" }]',
	description:
		"Field definitions: an array of them, an object keyed by slug, or the 'fields' of a list that 'Get' returned",
	displayOptions: { show: { fieldsInput: ['json'] } },
	...definitions,
};

export const listSchemaCreate: Operation = {
	option: {
		name: 'Create',
		value: 'create',
		action: 'Create list',
		description: 'Create a new list',
		builderHint: {
			propertyHint:
				"The service's response is not documented. To go on with the new list, find its 'id' by its name with Get Many.",
		},
		routing: { request: { method: 'POST', url: '/createListSchema' } },
	},
	fields: [listName, showInMenu, botIdOfList, fieldsInput, fields, fieldsJson],
	answer: 'created',
	advice: mayBeDone('The list may have been created', 'the lists in the service'),
};
