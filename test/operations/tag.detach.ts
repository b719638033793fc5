import { SEEDED } from '../../sandbox/emulator';
import { contactId, tagName } from './fields';
import type { OperationFixture } from './operation';

export const fixture: OperationFixture = {
	method: 'POST',
	endpoint: 'detachTagFromContact',
	place: 'body',
	answer: 'done',
	idempotent: true,
	variants: [
		{
			fields: [contactId, { ...tagName, value: 'Новый лид' }],
			items: [{ success: true }],
			isDone: (data) => !data.contacts.get(SEEDED.contacts.telegram)!.tags.includes('Новый лид'),
			soak: [{ values: { contactId: ({ id }) => id } }],
		},
	],
	secondItem: { tagName: 'Пробный урок' },
};
