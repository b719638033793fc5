import { SEEDED } from '../../sandbox/emulator';
import { goods, goodsColumns, itemId } from './fields';
import type { OperationFixture } from './operation';

/** An item that no other sample needs. */
const orchid = '64b7f0c2a1d3e4f5a600000c';

export const fixture: OperationFixture = {
	method: 'POST',
	endpoint: 'updateListItem',
	place: 'body',
	answer: 'created',
	idempotent: true,
	variants: [
		{
			fields: [
				goods,
				itemId(orchid),
				{
					name: 'columns',
					value: goodsColumns({ stock: '2', active: false }),
					sent: { active: false, stock: 2 },
					wire: 'data',
					required: true,
					// n8n flags the fields in it.
					flagged: false,
				},
			],
			items: [
				{
					id: orchid,
					title: 'Орхидея в горшке',
					active: false,
					article: '00421',
					price: 1590,
					stock: 2,
					photo: null,
					created_at: '2024-05-05T10:00:00+03:00',
					updated_at: expect.any(String) as string,
				},
			],
			isDone: ({ listItems }) => listItems.get(orchid)!.values.stock === 2,
			soak: [{ values: { schemaId: (item) => item.schemaId, itemId: (item) => item.listItemId } }],
		},
	],
	secondItem: { itemId: SEEDED.listItems.good },
};
