import { contactId, tagName } from '../fields';
import type { Operation } from '../operation';

/** POST detachTagFromContact. */
export const tagDetach: Operation = {
	option: {
		name: 'Detach From Contact',
		value: 'detach',
		action: 'Detach tag from contact',
		description: 'Detach a tag from a contact',
		routing: { request: { method: 'POST', url: '/detachTagFromContact' } },
	},
	fields: [contactId, tagName],
	place: 'body',
	answer: 'done',
	idempotent: true,
	advice: {
		unknown: 'The tag may have been detached. Detaching it again does no harm: run this item again later.',
	},
};
