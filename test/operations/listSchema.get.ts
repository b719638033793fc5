import { SEEDED } from '../../sandbox/emulator';
import { schemaId } from './fields';
import type { OperationFixture } from './operation';

export const fixture: OperationFixture = {
	label: 'Get',
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
						rating: {
							name: 'Оценка',
							type: 'number',
							is_required: true,
							is_hidden: false,
							is_encryptable: false,
						},
						comment: {
							name: 'Комментарий',
							type: 'string',
							is_required: false,
							is_hidden: false,
							is_encryptable: false,
						},
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
