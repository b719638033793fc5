import { botIdForTags, contactId, tagName } from '../fields';
import { harmless, type Operation } from '../operation';

export const tagAttach: Operation = {
	option: {
		name: 'Attach to Contact',
		value: 'attach',
		action: 'Attach tag to contact',
		description: 'Attach a tag to a contact. LEADTEX creates the tag if the bot does not have it.',
		routing: { request: { method: 'POST', url: '/attachTagToContact' } },
	},
	fields: [contactId, botIdForTags, tagName],
	answer: 'done',
	advice: harmless('The tag may have been attached. Attaching it again'),
};
