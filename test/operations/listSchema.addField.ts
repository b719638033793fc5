import { SEEDED } from '../../sandbox/emulator';
import { schemaId } from './fields';
import type { OperationFixture } from './operation';

export const fixture: OperationFixture = {
	method: 'POST',
	endpoint: 'addListSchemaField',
	place: 'body',
	answer: 'done',
	idempotent: false,
	variants: [
		{
			fields: [
				schemaId,
				{
					name: 'fieldName',
					value: 'Обработан',
					given: ' Обработан ',
					wire: 'field.name',
					required: true,
				},
				{
					name: 'newFieldSlug',
					value: 'handled',
					given: ' handled ',
					wire: 'field.slug',
					required: true,
				},
				{
					name: 'fieldType',
					value: 'boolean',
					given: 'bool',
					wire: 'field.type',
					required: true,
					offers: ['boolean', 'bot', 'contact', 'number', 'string'],
				},
				{
					name: 'fieldOptions.encrypted',
					value: false,
					given: 0,
					wire: 'field.is_encryptable',
				},
				{
					name: 'fieldOptions.hidden',
					value: false,
					given: 'false',
					wire: 'field.is_hidden',
				},
				{ name: 'fieldOptions.required', value: true, wire: 'field.is_required' },
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
