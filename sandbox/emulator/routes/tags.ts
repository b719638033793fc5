/** Tags. Attaching an attached tag and detaching a missing one change nothing and are not errors. */

import { done, json } from '../answers';
import type { Call, Operation } from '../exchange';
import { notFound } from '../refusal';
import { integer, required, string, validate } from '../validation';
import { botOf, contactOf } from './lookup';

export const tags: Record<string, Operation> = {
	getBotTags({ data, input }) {
		validate(input, { bot_id: [required, integer] });
		return json({ data: botOf(data, input.bot_id).tags });
	},

	getContactTags({ data, input }) {
		validate(input, { contact_id: [required, integer] });
		return json({ data: contactOf(data, input.contact_id).tags });
	},

	attachTagToContact(call) {
		const { contact, name } = contactAndTag(call, call.dialect.unknownTag === 'created');
		if (!contact.tags.includes(name)) contact.tags.push(name);
		return done('[]');
	},

	detachTagFromContact(call) {
		const { contact, name } = contactAndTag(call, false);
		contact.tags = contact.tags.filter((tag) => tag !== name);
		return done('[]');
	},
};

function contactAndTag({ data, input }: Call, createsTag: boolean) {
	validate(input, { contact_id: [required, integer], name: [required, string] });
	const contact = contactOf(data, input.contact_id);
	const name = String(input.name);
	const { tags: known } = botOf(data, contact.botId);
	if (!known.includes(name)) {
		if (!createsTag) throw notFound('Тег не найден');
		known.push(name);
	}
	return { contact, name };
}
