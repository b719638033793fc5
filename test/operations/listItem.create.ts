import type { Data } from '../../sandbox/emulator';
import { goods, goodsColumns } from './fields';
import type { OperationFixture } from './operation';

const peonies = { title: 'Пионы белые, 9 шт.', active: true, article: '00500', price: 4150.5, stock: 4 };

const isThere = ({ listItems }: Data) =>
	[...listItems.values()].some(({ values }) => values.title === peonies.title);

export const fixture: OperationFixture = {
	method: 'POST',
	endpoint: 'addListItem',
	place: 'body',
	answer: 'created',
	idempotent: false,
	variants: [
		{
			fields: [
				goods,
				{
					name: 'columns',
					value: goodsColumns({ ...peonies, photo: null }),
					sent: peonies,
					wire: 'data',
					required: true,
					// n8n flags the fields in it.
					flagged: false,
				},
			],
			items: [
				{
					id: expect.stringMatching(/^[0-9a-f]{24}$/) as string,
					...peonies,
					photo: null,
					created_at: expect.any(String) as string,
					updated_at: expect.any(String) as string,
				},
			],
			isDone: isThere,
			soak: [{ values: { schemaId: (item) => item.schemaId } }],
		},
	],
};
