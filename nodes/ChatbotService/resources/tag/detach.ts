import { contactId, outputOptions, tagName } from '../fields';
import { harmless, type Operation } from '../operation';

export const tagDetach: Operation = {
	option: {
		name: 'Detach From Contact',
		value: 'detach',
		action: 'Detach tag from contact',
		description: 'Detach a tag from a contact',
		routing: { request: { method: 'POST', url: '/detachTagFromContact' } },
	},
	fields: [contactId, tagName, outputOptions],
	answer: 'done',
	advice: harmless('The tag may have been detached. Detaching it again'),
};
