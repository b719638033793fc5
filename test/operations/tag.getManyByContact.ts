import { SEEDED } from '../../sandbox/emulator';
import { contactId, upTo } from './fields';
import type { OperationFixture } from './operation';

export const fixture: OperationFixture = {
	method: 'GET',
	endpoint: 'getContactTags',
	place: 'query',
	answer: 'many',
	idempotent: true,
	variants: [
		{
			// The contact has a third tag.
			fields: [contactId, ...upTo(2)],
			items: [{ name: 'Новый лид' }, { name: 'Пробный урок' }],
			soak: [{ values: { contactId: ({ id }) => id } }],
		},
	],
	secondItem: { contactId: String(SEEDED.contacts.vk) },
};
