import { SEEDED, type Data, type Messenger } from '../../sandbox/emulator';
import { botId } from './fields';
import type { Field, OperationFixture, VariantFixture } from './operation';

/** The ID in a messenger, and what else the sample sends. */
const lead = (
	messenger: Messenger,
	otherMessenger: Messenger | null,
	id: Partial<Field>,
	more: Record<string, Partial<Field>> = {},
): VariantFixture => {
	const additional = (name: string): Field => ({
		name: `additionalFields.${name}`,
		value: undefined,
		...(messenger !== 'telegram' && { other: null }),
		...more[name],
	});
	return {
		title: `in ${messenger}`,
		fields: [
			botId,
			{
				name: 'messenger',
				value: messenger,
				wire: 'messenger',
				required: true,
				other: otherMessenger,
				offers: ['max', 'telegram', 'viber', 'vk', 'whatsapp'],
			},
			{ name: 'externalId', value: undefined, required: true, ...id },
			{ name: 'contactName', value: 'Полина Зайцева', wire: 'name', required: true },
			...['address', 'email', 'phone', 'tags', 'telegramUsername'].map(additional),
		],
		items: [],
		notice: 'existingContact',
	};
};

const inTelegram = lead(
	'telegram',
	'vk',
	{ value: '5000000001', given: 5000000001, other: '5000000009', wire: 'telegram_id' },
	{
		address: { value: 'Казань, ул. Пушкина, 5', wire: 'address' },
		email: { value: 'polina@example.com', wire: 'email' },
		phone: { value: '8 (916) 777-00-01', sent: '+79167770001', other: '+79990000001', wire: 'phone' },
		tags: { value: 'VIP, Новый лид', sent: ['VIP', 'Новый лид'], wire: 'tags' },
		telegramUsername: { value: 'polina_zaytseva', wire: 'telegram_username' },
	},
);

const created = (messenger: Messenger, more: object = {}) => ({
	id: expect.any(Number) as number,
	bot_id: SEEDED.bots.school,
	name: 'Полина Зайцева',
	messenger,
	phone: null,
	email: null,
	telegram_id: null,
	telegram_username: null,
	created_at: expect.any(String) as string,
	...more,
});

const isSaved =
	(messenger: Messenger, id: string, ...tags: string[]) =>
	({ contacts }: Data) =>
		[...contacts.values()].some(
			(each) =>
				each.messenger === messenger &&
				each.externalId === id &&
				each.name === 'Полина Зайцева' &&
				tags.every((tag) => each.tags.includes(tag)),
		);

export const fixture: OperationFixture = {
	method: 'POST',
	endpoint: 'createOrUpdateContact',
	place: 'body',
	answer: 'created',
	idempotent: false,
	variants: [
		{
			...inTelegram,
			items: [
				created('telegram', {
					phone: '79167770001',
					email: 'polina@example.com',
					telegram_id: '5000000001',
					telegram_username: 'polina_zaytseva',
				}),
			],
			isDone: isSaved('telegram', '5000000001', 'VIP', 'Новый лид'),
			soak: [{ values: { externalId: ({ id }) => `${id}`, contactName: ({ marked }) => marked('Полина') } }],
		},
		{
			...lead('whatsapp', 'viber', { value: '+79167770002', given: '8 (916) 777-00-02', wire: 'phone' }),
			items: [created('whatsapp', { phone: '79167770002' })],
			isDone: isSaved('whatsapp', '79167770002'),
		},
		{
			...lead('viber', null, { value: 'k3TzQmY8+1w=', given: ' k3TzQmY8+1w= ', wire: 'viber_id' }),
			items: [created('viber')],
			isDone: isSaved('viber', 'k3TzQmY8+1w='),
		},
		{
			...lead('vk', 'telegram', { value: '17459999', given: 17459999, other: '17450000', wire: 'vk_id' }),
			items: [created('vk')],
			isDone: isSaved('vk', '17459999'),
		},
	],
	secondItem: { externalId: '5000000002' },
};
