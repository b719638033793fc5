import { SEEDED } from '../../sandbox/emulator';
import { contactId, tagName } from './fields';
import type { OperationFixture } from './operation';

const { contacts, bots } = SEEDED;

export const fixture: OperationFixture = {
	method: 'POST',
	endpoint: 'attachTagToContact',
	place: 'body',
	answer: 'done',
	idempotent: true,
	variants: [
		{
			// The bot only provides the list of tags.
			fields: [contactId, { name: 'botId', value: String(bots.school) }, tagName],
			items: [{ success: true }],
			isDone: (data) => data.contacts.get(contacts.telegram)!.tags.includes('VIP'),
			soak: [{ values: { contactId: ({ id }) => id } }],
		},
	],
	secondItem: { tagName: 'Оператор' },
};
