import { SEEDED } from '../../sandbox/emulator';
import { schemaId } from './fields';
import type { OperationFixture } from './operation';

const { orders } = SEEDED.schemas;

export const fixture: OperationFixture = {
	label: 'Delete Field',
	method: 'POST',
	endpoint: 'deleteListSchemaField',
	place: 'body',
	answer: 'deleted',
	idempotent: false,
	unknown:
		'The field may have been deleted, so the node did not try again. Look at the fields of the list first.',
	variants: [
		{
			fields: [
				{ ...schemaId, value: orders, given: ` ${orders} ` },
				{
					name: 'fieldSlug',
					label: 'Field',
					mode: 'slug',
					value: 'phone',
					given: ' phone ',
					wire: 'slug',
					required: true,
					whatItIs: 'field with this slug',
				},
			],
			items: [{ deleted: true }],
			isDone: ({ listSchemas }) => !('phone' in listSchemas.get(orders)!.fields),
			soak: [{ weight: 4, values: { schemaId: (item) => item.schemaId } }],
		},
	],
	secondItem: { fieldSlug: 'amount' },
};
