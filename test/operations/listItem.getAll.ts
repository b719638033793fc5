import { SEEDED } from '../../sandbox/emulator';
import { goods, upTo } from './fields';
import type { OperationFixture } from './operation';

export const fixture: OperationFixture = {
	method: 'POST',
	endpoint: 'getListItems',
	place: 'body',
	answer: 'many',
	idempotent: true,
	variants: [
		{
			fields: [
				goods,
				...upTo(50),
				{
					name: 'fieldFilters',
					value: {
						filter: [
							{ slug: 'article', value: '00417' },
							{ slug: 'price', value: '3490' },
						],
					},
					sent: { article: '00417', price: '3490' },
					wire: 'filters',
					other: null,
				},
				{ name: 'itemOptions.orderBy', value: 'price', sent: 'price,desc', wire: 'order_by', other: 'stock' },
				{ name: 'itemOptions.orderByDirection', value: 'desc', offers: ['asc', 'desc'] },
			],
			adds: { limit: 50 },
			items: [
				{
					id: SEEDED.listItems.good,
					title: 'Букет «Нежность»',
					active: true,
					article: '00417',
					price: 3490,
					stock: 7,
					photo: { url: 'https://cdn.example.com/buket-nezhnost.jpg' },
					created_at: '2024-05-01T10:00:00+03:00',
					updated_at: '2024-05-01T10:00:00+03:00',
				},
			],
			soak: [{ values: { schemaId: (item) => item.schemaId, fieldFilters: undefined } }],
		},
	],
};
