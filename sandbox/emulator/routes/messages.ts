/** Messages and their limits. */

import { found } from '../answers';
import { addContact, findByExternalId, phoneDigits, type Contact, type Messenger } from '../data';
import type { Call, Operation } from '../exchange';
import { check, existsIn, isMissing, phone, refuse, url } from '../validation';
import { asListed, contactOf } from './contacts';

export const messages: Record<string, Operation> = {
	sendMessage(call) {
		const { data, input } = call;
		check(input, { bot_id: existsIn(data.bots), image: url, file: url });
		const contact = isMissing(input.contact_id) ? contactByExternalId(call) : contactOf(call);
		call.limit(contact.messenger);
		deliver(call, contact, String(input.contact_id ?? input.contact_external_id));
		return { success: true };
	},

	sendMessageToWhatsApp(call) {
		const { data, dialect, input } = call;
		check(input, { bot_id: existsIn(data.bots), phone });
		const digits = phoneDigits(String(input.phone));
		const botId = Number(input.bot_id);
		const known = findByExternalId(data, botId, 'whatsapp', digits);
		if (!known && isMissing(input.name)) {
			refuse([['name', 'Поле :attribute обязательно для заполнения при первом сообщении контакту.']]);
		}
		call.limit('whatsAppNumber');
		const person = { name: String(input.name), externalId: digits, phone: digits };
		const contact = known ?? addContact(data, { botId, messenger: 'whatsapp', ...person });
		deliver(call, contact, String(input.phone));
		if (dialect.changes === 'unsaid') return {};
		const { id, name, phone: bound, messenger, created_at } = asListed(contact);
		return { data: { id, name, phone: bound, messenger, created_at } };
	},
};

function contactByExternalId({ data, input }: Call): Contact {
	const { bot_id, messenger, contact_external_id: id } = input;
	const contact = findByExternalId(data, Number(bot_id), messenger as Messenger, String(id));
	return found(contact, 'Контакт не найден');
}

function deliver({ data, input }: Call, { id: contactId, messenger }: Contact, recipient: string) {
	const textOf = (value: unknown) => (isMissing(value) ? undefined : String(value));
	const [text, image, file] = [input.text, input.image, input.file].map(textOf);
	data.deliveries.push({ recipient, contactId, messenger, text, image, file });
}
