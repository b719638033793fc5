import { SEEDED, type Data, type Messenger } from '../../sandbox/emulator';
import { botId } from './fields';
import type { Field, OperationFixture, VariantFixture } from './operation';

/** The ID in a messenger, and what else the sample sends. */
const lead = (messenger: Messenger, id: Partial<Field>, more: Record<string, Partial<Field>> = {}): VariantFixture => {
	const additional = (name: string): Field => ({
		name: `additionalFields.${name}`,
		value: undefined,
		...more[name],
	});
	return {
		title: `in ${messenger}`,
		fields: [
			botId,
			{ name: 'messenger', value: messenger, wire: 'messenger', required: true },
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
	{ value: '5000000001', given: 5000000001, wire: 'telegram_id' },
	{
		address: { value: 'Казань, ул. Пушкина, 5', wire: 'address' },
		email: { value: 'polina@example.com', wire: 'email' },
		phone: { value: '8 (916) 777-00-01', sent: '+79167770001', wire: 'phone' },
		tags: { value: 'VIP, Новый лид', sent: ['VIP', 'Новый лид'], wire: 'tags' },
		telegramUsername: { value: 'polina_zaytseva', wire: 'telegram_username' },
	},
);

const created = (id: number, messenger: Messenger, more: object) => ({
	id,
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
