import { SEEDED } from '../../sandbox/emulator';
import { botId, upTo } from './fields';
import type { Field, OperationFixture } from './operation';

const { school } = SEEDED.bots;

const unused = (name: string): Field => ({
	name: `filters.${name}`,
	value: undefined,
	...(name === 'messenger' && { offers: ['max', 'telegram', 'viber', 'vk', 'whatsapp'] }),
});

/** Анна Соколова, as the node returns her. */
const found = {
	id: SEEDED.contacts.telegram,
	bot_id: school,
	name: 'Анна Соколова',
	messenger: 'telegram',
	phone: '79161234567',
	email: 'anna.sokolova@example.com',
	address: 'Казань, ул. Баумана, 44, кв. 12',
	telegram_id: '284119035',
	telegram_username: 'anna_sokolova_kazan',
	utm: {
		utm_source: 'yandex',
		utm_medium: 'cpc',
		utm_campaign: 'probny_urok',
		utm_term: 'английский для взрослых',
		utm_content: null,
	},
	created_at: '2023-03-14T08:21:05+00:00',
	tags: ['Новый лид', 'Пробный урок', 'Группа B1'],
	variables: { Город: 'Казань', Уровень: 'B1', 'Комментарий к заявке': 'Удобно после 18:00' },
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
				{ ...botId, required: undefined },
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
					value: '2023-03-01T00:00:00+03:00',
					sent: 1677618000,
					wire: 'date_from',
				},
				{
					name: 'filters.createdBefore',
					value: '2023-04-01T00:00:00+03:00',
					sent: 1680296400,
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
