import { SEEDED } from '../../sandbox/emulator';
import { plain, schemaId } from './fields';
import type { OperationFixture } from './operation';

export const fixture: OperationFixture = {
	method: 'GET',
	endpoint: 'getListSchema',
	place: 'query',
	answer: 'one',
	idempotent: true,
	variants: [
		{
			fields: [schemaId],
			items: [
				{
					id: SEEDED.schemas.reviews,
					name: 'Отзывы',
					is_menu: false,
					fields: {
						rating: { ...plain, name: 'Оценка', type: 'number', is_required: true },
						comment: { ...plain, name: 'Комментарий', type: 'string' },
					},
					created_at: '2023-10-05T14:05:00+03:00',
					updated_at: '2023-10-05T14:05:00+03:00',
				},
			],
			soak: [{ values: { schemaId: (item) => item.schemaId } }],
		},
	],
	secondItem: { schemaId: SEEDED.schemas.orders },
};
