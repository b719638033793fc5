import type { INodeProperties } from 'n8n-workflow';

import { schemaId } from '../../shared/fields';
import type { Operation } from '../../shared/operation';

const fieldSlug: INodeProperties = {
	displayName: 'Field',
	name: 'fieldSlug',
	type: 'resourceLocator',
	required: true,
	default: { mode: 'list', value: '' },
	description: 'The field to delete, by its slug',
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			typeOptions: { searchListMethod: 'searchSchemaFields', searchable: true },
		},
		{ displayName: 'By Slug', name: 'slug', type: 'string', placeholder: 'e.g. delivery_address' },
	],
	routing: { send: { type: 'query', property: 'slug' } },
};

/** POST deleteListSchemaField (interface, section 4.4). */
export const listSchemaDeleteField: Operation = {
	option: {
		name: 'Delete Field',
		value: 'deleteField',
		action: 'Delete field of list schema',
		description: 'Delete a field of a list schema, and its values, permanently',
		routing: { request: { method: 'POST', url: '/deleteListSchemaField' } },
	},
	fields: [schemaId, fieldSlug],
	place: 'body',
	answer: 'deleted',
	repeatable: false,
};
