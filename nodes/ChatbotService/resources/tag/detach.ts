import { contactId, tagName } from '../../shared/fields';
import type { Operation } from '../../shared/operation';

/** POST detachTagFromContact (interface, section 4.1). */
export const tagDetach: Operation = {
	option: {
		name: 'Detach From Contact',
		value: 'detach',
		action: 'Detach tag from contact',
		description: 'Take a tag off a contact',
		routing: { request: { method: 'POST', url: '/detachTagFromContact' } },
	},
	fields: [contactId, tagName],
	place: 'body',
	answer: 'done',
	repeatable: true,
};
