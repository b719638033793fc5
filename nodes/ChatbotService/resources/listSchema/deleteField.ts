import { pickedFrom, schemaId } from '../fields';
import * as kinds from '../kinds';
import { mayBeDone, type Field, type Operation } from '../operation';

const fieldSlug: Field = {
	displayName: 'Field',
	name: 'fieldSlug',
	description: 'The field to delete, by its slug',
	...pickedFrom('searchSchemaFields', {
		displayName: 'By Slug',
		name: 'slug',
		placeholder: 'e.g. delivery_address',
	}),
	routing: { send: { property: 'slug' } },
	kind: kinds.trimmedName,
	whole: 'all',
	whatItIs: 'field with this slug',
};

export const listSchemaDeleteField: Operation = {
	option: {
		name: 'Delete Field',
		value: 'deleteField',
		action: 'Delete field of list',
		description: 'Delete a field of a list, and its values, permanently',
		routing: { request: { method: 'POST', url: '/deleteListSchemaField' } },
	},
	fields: [schemaId, fieldSlug],
	answer: 'deleted',
	advice: mayBeDone('The field may have been deleted', 'the fields of the list'),
};
