import { SEEDED } from '../../sandbox/emulator';
import { schemaId } from './fields';
import type { OperationFixture } from './operation';

const { orders } = SEEDED.schemas;

export const fixture: OperationFixture = {
	method: 'POST',
	endpoint: 'deleteListSchemaField',
	place: 'body',
	answer: 'deleted',
	idempotent: false,
	variants: [
		{
			fields: [
				{ ...schemaId, value: orders, given: ` ${orders} ` },
				{
					name: 'fieldSlug',
					mode: 'slug',
					value: 'phone',
					given: ' phone ',
					wire: 'slug',
					required: true,
					isSought: true,
				},
			],
			items: [{ deleted: true }],
			isDone: ({ listSchemas }) => !('phone' in listSchemas.get(orders)!.fields),
			soak: [{ weight: 4, values: { schemaId: (item) => item.schemaId } }],
		},
	],
	secondItem: { fieldSlug: 'amount' },
};
