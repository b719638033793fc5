import { botId, contactId, notSent, outputOptions, tagName } from '../fields';
import { harmless, type Field, type Operation } from '../operation';

/** Not sent. Determines which bot's tags the list offers. */
const botIdForTags: Field = {
	...notSent(botId),
	description: "ID of the bot whose tags are offered under 'Tag'; it is not sent",
	hint: `Only for the list under 'Tag'. ${botId.hint}`,
};

export const tagAttach: Operation = {
	option: {
		name: 'Attach to Contact',
		value: 'attach',
		action: 'Attach tag to contact',
		description:
			'Attach a tag to a contact. If the bot does not have the tag, a service may create it: check the spelling.',
		routing: { request: { method: 'POST', url: '/attachTagToContact' } },
	},
	fields: [contactId, botIdForTags, tagName, outputOptions],
	answer: 'done',
	advice: harmless('The tag may have been attached. Attaching it again'),
};
