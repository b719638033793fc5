import { schemaId } from './fields';
import type { OperationFixture } from './operation';

/** Lists that no other sample uses. */
const [spare, another] = ['5dee4800c2cc5a38ec797237', '5dee4800c2cc5a38ec797238'] as const;

export const fixture: OperationFixture = {
	method: 'POST',
	endpoint: 'deleteListSchema',
	place: 'body',
	answer: 'deleted',
	idempotent: false,
	variants: [
		{
			fields: [{ ...schemaId, value: spare, given: ` ${spare} ` }],
			items: [{ deleted: true }],
			isDone: ({ listSchemas }) => !listSchemas.has(spare),
			soak: [{ weight: 4, values: { schemaId: (item) => item.schemaId } }],
		},
	],
	secondItem: { schemaId: another },
};
