import { SEEDED } from '../../sandbox/emulator';
import { itemId } from './fields';
import type { OperationFixture } from './operation';

/** An item that no other sample needs. */
const spare = '64b7f0c2a1d3e4f5a6000007';

export const fixture: OperationFixture = {
	method: 'POST',
	endpoint: 'deleteListItem',
	place: 'body',
	answer: 'deleted',
	idempotent: false,
	variants: [
		{
			fields: [{ name: 'schemaId', mode: 'id', value: SEEDED.schemas.reviews, other: null }, itemId(spare)],
			items: [{ deleted: true }],
			isDone: ({ listItems }) => !listItems.has(spare),
			soak: [{ values: { itemId: (item) => item.listItemId } }],
		},
	],
	secondItem: { itemId: '64b7f0c2a1d3e4f5a6000006' },
};
