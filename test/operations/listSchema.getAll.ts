import { SEEDED } from '../../sandbox/emulator';
import { plain, upTo } from './fields';
import type { OperationFixture } from './operation';

export const fixture: OperationFixture = {
	method: 'GET',
	endpoint: 'getListSchemas',
	place: 'query',
	answer: 'many',
	idempotent: true,
	variants: [
		{
			fields: upTo(1),
			items: [
				{
					id: SEEDED.schemas.orders,
					name: 'Заявки',
					is_menu: true,
					fields: {
						client: { ...plain, name: 'Клиент', type: 'contact', is_required: true },
						phone: { ...plain, name: 'Телефон', type: 'string', is_encryptable: true },
						amount: { ...plain, name: 'Сумма, ₽', type: 'number' },
						paid: { ...plain, name: 'Оплачено', type: 'bool' },
						source_bot: { ...plain, name: 'Бот', type: 'bot', is_hidden: true },
					},
					created_at: '2023-10-02T09:30:00+03:00',
					updated_at: '2023-10-02T09:30:00+03:00',
				},
			],
			soak: [{ weight: 2, values: { limit: 60 } }],
		},
	],
};
