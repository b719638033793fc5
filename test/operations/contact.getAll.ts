import { SEEDED } from '../../sandbox/emulator';
import { botId, upTo } from './fields';
import type { Field, OperationFixture } from './operation';

const { flowers } = SEEDED.bots;

const unused = (name: string): Field => ({
	name: `filters.${name}`,
	value: undefined,
	...(name === 'messenger' && { offers: ['max', 'telegram', 'viber', 'vk', 'whatsapp'] }),
});

/** Мария Кузнецова, as the node returns her. */
const found = {
	id: SEEDED.contacts.viber,
	bot_id: flowers,
	name: 'Мария Кузнецова',
	messenger: 'viber',
	phone: '79264440303',
	email: 'm.kuznetsova@example.com',
	address: 'Москва, Ленинский проспект, 30, кв. 8',
	viber_id: 'u7Qm1dXkPq0Zs3R8fT2yLw==',
	utm: null,
	created_at: '2024-05-21T11:05:47+00:00',
	tags: ['Постоянный клиент'],
	variables: { 'Любимые цветы': 'Пионы' },
};

export const fixture: OperationFixture = {
	method: 'GET',
	endpoint: 'getContacts',
	place: 'query',
	answer: 'many',
	idempotent: true,
	variants: [
		{
			fields: [
				{ ...botId, value: String(flowers), given: ` ${flowers} `, sent: flowers, required: undefined },
				...upTo(50),
				{
					name: 'include',
					value: ['tags', 'variables'],
					given: 'variables, Tags',
					sent: 'tags,variables',
					wire: 'with',
					offers: ['tags', 'variables'],
				},
				{
					name: 'filters.createdAfter',
					value: '2024-05-01T00:00:00+03:00',
					sent: 1714510800,
					wire: 'date_from',
				},
				{
					name: 'filters.createdBefore',
					value: '2024-06-01T00:00:00+03:00',
					sent: 1717189200,
					wire: 'date_to',
				},
				...['email', 'hasAllTags', 'hasAnyTag', 'hasNoTags', 'messenger', 'messengerId', 'name', 'phone'].map(
					unused,
				),
			],
			// A period does not say how many contacts there are in it.
			adds: { count: 500 },
			items: [found],
			soak: [{ values: {} }],
		},
	],
};
