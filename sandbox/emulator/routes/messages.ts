/** Messages: sendMessage with its rules about recipient and contents, sendMessageToWhatsApp, and their limits. */

import { done } from '../answers';
import { MESSENGERS, addContact, findByExternalId, phoneDigits, type Contact, type Messenger } from '../data';
import type { Call, Operation } from '../exchange';
import { notFound } from '../refusal';
import {
	exists,
	integer,
	invalid,
	isMissing,
	oneOf,
	phone,
	required,
	requiredWithout,
	string,
	url,
	validate,
} from '../validation';
import { contactOf } from './lookup';

export const messages: Record<string, Operation> = {
	sendMessage(call) {
		const { data, input } = call;
		validate(input, {
			contact_id: [requiredWithout('messenger', 'bot_id', 'contact_external_id'), integer],
			messenger: [requiredWithout('contact_id'), string, oneOf(...MESSENGERS)],
			bot_id: [requiredWithout('contact_id'), integer, exists(data.bots)],
			contact_external_id: [requiredWithout('contact_id'), string],
			text: [requiredWithout('image', 'file'), string],
			image: [requiredWithout('text', 'file'), string, url],
			file: [requiredWithout('text', 'image'), string, url],
		});
		const contact = isMissing(input.contact_id)
			? contactByExternalId(call)
			: contactOf(data, input.contact_id);
		call.limit(contact.messenger);
		deliver(call, contact, String(input.contact_id ?? input.contact_external_id));
		return done('success');
	},

	sendMessageToWhatsApp(call) {
		const { data, input } = call;
		validate(input, {
			bot_id: [required, integer, exists(data.bots)],
			phone: [required, string, phone],
			text: [required, string],
			name: [string],
		});
		const digits = phoneDigits(String(input.phone));
		const botId = Number(input.bot_id);
		const known = findByExternalId(data, botId, 'whatsapp', digits);
		if (!known && isMissing(input.name)) {
			throw invalid({ name: ['Поле name обязательно для заполнения при первом сообщении контакту.'] });
		}
		call.limit('whatsAppNumber');
		const contact =
			known ??
			addContact(data, {
				botId,
				name: String(input.name),
				messenger: 'whatsapp',
				externalId: digits,
				phone: digits,
			});
		deliver(call, contact, String(input.phone));
		return done('{}');
	},
};

function contactByExternalId({ data, input }: Call): Contact {
	const messenger = input.messenger as Messenger;
	const contact = findByExternalId(data, Number(input.bot_id), messenger, String(input.contact_external_id));
	if (!contact) throw notFound('Контакт не найден');
	return contact;
}

function deliver({ data, input }: Call, contact: Contact, recipient: string) {
	const text = (value: unknown) => (isMissing(value) ? undefined : String(value));
	data.deliveries.push({
		recipient,
		contactId: contact.id,
		messenger: contact.messenger,
		text: text(input.text),
		image: text(input.image),
		file: text(input.file),
	});
}
