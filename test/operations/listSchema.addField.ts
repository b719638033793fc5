import { SEEDED } from '../../sandbox/emulator';
import { schemaId } from './fields';
import type { OperationFixture } from './operation';

export const fixture: OperationFixture = {
	label: 'Add Field',
	method: 'POST',
	endpoint: 'addListSchemaField',
	place: 'body',
	answer: 'done',
	idempotent: false,
	unknown:
		'The field may have been added, so the node did not add it again. Look at the fields of the list first.',
	variants: [
		{
			fields: [
				schemaId,
				{
					name: 'fieldName',
					label: 'Field Name',
					value: 'Обработан',
					given: ' Обработан ',
					wire: 'field.name',
					required: true,
				},
				{
					name: 'newFieldSlug',
					label: 'Field Slug',
					value: 'handled',
					given: ' handled ',
					wire: 'field.slug',
					required: true,
				},
				{
					name: 'fieldType',
					label: 'Field Type',
					value: 'boolean',
					given: 'bool',
					wire: 'field.type',
					required: true,
					offers: ['boolean', 'bot', 'contact', 'number', 'string'],
				},
				{
					name: 'fieldOptions.encrypted',
					label: 'Encrypted',
					value: false,
					given: 0,
					wire: 'field.is_encryptable',
				},
				{
					name: 'fieldOptions.hidden',
					label: 'Hidden',
					value: false,
					given: 'false',
					wire: 'field.is_hidden',
				},
				{ name: 'fieldOptions.required', label: 'Required', value: true, wire: 'field.is_required' },
			],
			items: [{ success: true }],
			isDone: ({ listSchemas }) => {
				const field = listSchemas.get(SEEDED.schemas.reviews)!.fields.handled;
				return field?.name === 'Обработан' && field.type === 'bool' && field.is_required;
			},
			soak: [{ weight: 4, values: { schemaId: (item) => item.schemaId } }],
		},
	],
	secondItem: { newFieldSlug: 'handled_again' },
};
