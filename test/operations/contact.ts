import { SEEDED, type Messenger } from '../../sandbox/emulator';
import { botId, unset, upTo } from './fields';
import type { FieldFixture, OperationFixture, VariantFixture } from './operation';

const { school } = SEEDED.bots;

/** Анна Соколова, as the node returns her. */
const found = {
	...{ id: SEEDED.contacts.telegram, bot_id: school, name: 'Анна Соколова', messenger: 'telegram' },
	...{ phone: '79161234567', email: 'anna.sokolova@example.com' },
	address: 'Казань, ул. Баумана, 44, кв. 12',
	...{ telegram_id: '284119035', telegram_username: 'anna_sokolova_kazan' },
	utm: {
		...{ utm_source: 'yandex', utm_medium: 'cpc', utm_campaign: 'probny_urok' },
		...{ utm_term: 'английский для взрослых', utm_content: null },
	},
	created_at: '2023-03-14T08:21:05+00:00',
	tags: ['Новый лид', 'Пробный урок', 'Группа B1'],
	variables: { Город: 'Казань', Уровень: 'B1', 'Комментарий к заявке': 'Удобно после 18:00' },
};

const reads = {
	...{ endpoint: 'getContacts', answer: 'many' as const },
	// A period does not say how many contacts there are in it.
	...{ adds: { count: 500 }, items: [found] },
};
const include = { name: 'include', value: ['tags', 'variables'], sent: 'tags,variables', wire: 'with' };

const getAll: OperationFixture = {
	...reads,
	fields: [
		botId,
		...upTo(50),
		include,
		{ name: 'filters.createdAfter', value: '2023-03-01T00:00:00+03:00', sent: 1677618000, wire: 'date_from' },
		{ name: 'filters.createdBefore', value: '2023-04-01T00:00:00+03:00', sent: 1680296400, wire: 'date_to' },
		...unset('filters', 'email', 'hasAllTags', 'hasAnyTag', 'hasNoTags'),
		...unset('filters', 'messengerId', 'name', 'phone', 'messenger', 'variables'),
	],
};

const get: OperationFixture = {
	...reads,
	fields: [
		botId,
		{ name: 'findBy', value: 'id', decides: true },
		{ name: 'findValue', value: String(SEEDED.contacts.telegram), required: true },
		include,
	],
};

const name = 'Полина Зайцева';

/** A person, by their ID in the messenger. @param known what the answer knows of the person */
const lead = (
	messenger: Messenger,
	id: Omit<FieldFixture, 'name'> & { value: string },
	known: object = {},
	more = unset('additionalFields', 'address', 'email', 'phone', 'tags', 'telegramUsername'),
): VariantFixture => ({
	title: `in ${messenger}`,
	fields: [
		botId,
		{ name: 'messenger', value: messenger, wire: 'messenger' },
		{ name: 'externalId', required: true, ...id },
		{ name: 'contactName', value: name, wire: 'name' },
		...more,
	],
	items: [
		{
			...{ id: expect.any(Number) as number, bot_id: school, name, messenger },
			...{ phone: null, email: null, telegram_id: null, telegram_username: null },
			created_at: expect.any(String) as string,
			...known,
		},
	],
	isDone: ({ contacts }) =>
		[...contacts.values()]
			.filter((each) => each.messenger === messenger && each.name === name)
			.some(({ externalId }) => externalId === id.value.replace(/^\+/, '')),
	notice: 'existingContact',
});

const [telegram_id, telegram_username] = ['5000000001', 'polina_zaytseva'];
const [phone, email] = ['79167770001', 'polina@example.com'];

const toldOfTelegram: FieldFixture[] = [
	{ name: 'additionalFields.address', value: 'Казань, ул. Пушкина, 5', wire: 'address' },
	{ name: 'additionalFields.email', value: email, wire: 'email' },
	{ name: 'additionalFields.phone', value: '8 (916) 777-00-01', sent: `+${phone}`, wire: 'phone' },
	{ name: 'additionalFields.tags', value: 'VIP, Новый лид', sent: ['VIP', 'Новый лид'], wire: 'tags' },
	{ name: 'additionalFields.telegramUsername', value: telegram_username, wire: 'telegram_username' },
];
const inTelegram = { value: telegram_id, wire: 'telegram_id' };
const knownInTelegram = { phone, email, telegram_id, telegram_username };

const upsert: OperationFixture = {
	endpoint: 'createOrUpdateContact',
	answer: 'created',
	variants: [
		lead('telegram', inTelegram, knownInTelegram, toldOfTelegram),
		lead('whatsapp', { value: '+79167770002', wire: 'phone' }, { phone: '79167770002' }),
		lead('viber', { value: 'k3TzQmY8+1w=', wire: 'viber_id' }),
		lead('vk', { value: '17459999', wire: 'vk_id' }),
	],
};

export const contact = { get, getAll, upsert };
