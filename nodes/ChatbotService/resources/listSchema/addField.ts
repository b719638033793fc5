import { optionsWith, schemaId } from '../fields';
import { mayBeDone, type Field, type Operation } from '../operation';
import { attributes } from './attributes';

const fieldName: Field = {
	...attributes.name,
	displayName: 'Field Name',
	name: 'fieldName',
	description: 'Name of the new field as users see it',
	routing: { send: { property: 'field.name' } },
};

const newFieldSlug: Field = {
	...attributes.slug,
	displayName: 'Field Slug',
	// Not 'fieldSlug', which selects an existing field: the editor keeps values by name.
	name: 'newFieldSlug',
	description: 'Short name of the new field, unique within the list',
	routing: { send: { property: 'field.slug' } },
};

const fieldType: Field = {
	...attributes.type,
	displayName: 'Field Type',
	name: 'fieldType',
	required: true,
	description: 'What the new field holds',
	routing: { send: { property: 'field.type' } },
};

const option = (attribute: Field, name: string): Field => ({
	...attribute,
	name,
	routing: { send: { property: `field.${attribute.name}` } },
});

const fieldOptions: Field = {
	...optionsWith(
		option(attributes.encrypted, 'encrypted'),
		option(attributes.hidden, 'hidden'),
		option(attributes.required, 'required'),
	),
	name: 'fieldOptions',
};

export const listSchemaAddField: Operation = {
	option: {
		name: 'Add Field',
		value: 'addField',
		action: 'Add field to list',
		description: 'Add a field to a list; it is empty in existing items',
		routing: { request: { method: 'POST', url: '/addListSchemaField' } },
	},
	fields: [schemaId, fieldName, newFieldSlug, fieldType, fieldOptions],
	answer: 'done',
	advice: mayBeDone('The field may have been added', 'the fields of the list'),
};
