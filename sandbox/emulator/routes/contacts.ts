/** Contacts with their tags and variables, and messages to them. docs/openapi.yaml says how sure each part of that is. */

import { found } from '../answers';
import { addContact, addContacts, findByExternalId, phoneDigits } from '../data';
import type { Bot, Contact, Data, Messenger } from '../data';
import type { Dialect } from '../services';
import type { Call, Operation } from '../exchange';
import { pageOf } from '../pages';
import { check, existsIn, isMissing, phone, need, refuse, url, type Input } from '../validation';

export const contacts: Record<string, Operation> = {
	getContacts(call) {
		const { data, dialect, input } = call;
		const botId = isMissing(input.bot_id) ? undefined : botOf(call).id;
		if (dialect.pages === 'shifting' && Number(input.page) > 1) addInFront(data, botId);
		const from = Number(input.date_from ?? 0);
		const to = Number(input.date_to ?? Infinity);
		const listed = [...data.contacts.values()].filter((contact) => {
			const created = Date.parse(contact.createdAt) / 1000;
			return (botId ?? contact.botId) === contact.botId && created >= from && created <= to;
		});
		const rows = listed.map((each) => ({ ...asListed(each), ...addition(each, input.with, dialect) }));
		return pageOf(rows, call, Number(input.count ?? 50), dialect.pages);
	},

	createOrUpdateContact({ data, dialect, input }) {
		check(input, { bot_id: existsIn(data.bots), phone });
		const contact = knownOrNew(data, input);
		const { name, email, address, telegram_username: telegramUsername } = input;
		const digits = isMissing(input.phone) ? undefined : phoneDigits(String(input.phone));
		const given = Object.entries({ name, email, address, telegramUsername, phone: digits });
		const present = given.filter(([, value]) => !isMissing(value));
		Object.assign(contact, Object.fromEntries(present));
		for (const names of [data.bots.get(contact.botId)!.tags, contact.tags]) {
			names.push(...((input.tags ?? []) as string[]).filter((tag) => !names.includes(tag)));
		}
		const answers = { whole: { data: asSaved(contact) }, withoutId: { success: true }, nothing: undefined };
		return answers[dialect.savedContact];
	},

	getReferrals(call) {
		const { id } = contactOf(call);
		const invited = [...call.data.contacts.values()].filter(({ invitedBy }) => invitedBy === id);
		return pageOf(invited.map(asListed), call);
	},

	getBotTags: (call) => ({ data: botOf(call).tags }),

	getContactTags: (call) => ({ data: contactOf(call).tags }),

	// Attaching an attached tag and detaching a missing one change nothing and are not errors.
	attachTagToContact(call) {
		const { tags } = call.data.bots.get(contactOf(call).botId)!;
		const wanted = String(call.input.name);
		if (call.dialect.newTag === 'created' && !tags.includes(wanted)) tags.push(wanted);
		const { contact, name } = contactAndTag(call);
		if (!contact.tags.includes(name)) contact.tags.push(name);
		return [];
	},

	detachTagFromContact(call) {
		const { contact, name } = contactAndTag(call);
		contact.tags = contact.tags.filter((tag) => tag !== name);
		return [];
	},

	getContactVariables(call) {
		const contact = contactOf(call);
		if (call.dialect.variables === 'nested') return pageOf(nestedVariables(contact), call, 100);
		// `variable` is deprecated, but still exists.
		const named = contact.variables.map((each) => ({ ...each, variable: { id: each.id, name: each.name } }));
		return { data: named };
	},

	setContactVariable(call) {
		const { data, dialect, input } = call;
		if (dialect.newVariable === 'deletable') need(input, 'deletable');
		const contact = contactOf(call);
		const { variables } = contact;
		const name = String(input.name);
		const given = { value: String(input.value), deletable: Number(input.deletable ?? 0) === 1 };
		const known = variables.find((variable) => variable.name === name);
		if (known) Object.assign(known, given);
		else variables.push({ id: data.next.variable++, name, ...given });
		const isSet = ({ variable }: { variable: { name: string } }) => variable.name === name;
		return dialect.changes === 'unsaid' ? {} : { data: nestedVariables(contact).find(isSet) };
	},

	deleteContactVariable(call) {
		const contact = contactOf(call);
		const { id, name } = call.input;
		const isMeant = (each: { id: number; name: string }) =>
			id ? each.id === Number(id) : each.name === name;
		const deleted = found(contact.variables.find(isMeant), 'Переменная не найдена');
		contact.variables = contact.variables.filter((each) => each !== deleted);
		return undefined;
	},

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

function knownOrNew(data: Data, input: Input): Contact {
	const botId = Number(input.bot_id);
	const messenger = input.messenger as Messenger;
	const externalId =
		messenger === 'whatsapp' ? phoneDigits(String(input.phone)) : String(input[`${messenger}_id`]);
	const known = [...data.contacts.values()]
		.filter((each) => each.botId === botId && each.messenger === messenger)
		.find((each) => each.externalId === externalId);
	return known ?? addContact(data, { botId, messenger, name: '', externalId, phone: undefined });
}

function addInFront(data: Data, botId: number | undefined) {
	const { contacts: others } = data;
	data.contacts = new Map();
	addContacts(data, 1, { botId });
	for (const [id, contact] of others) data.contacts.set(id, contact);
}

/** What the parameter `with` adds to a contact. */
function addition(contact: Contact, wanted: unknown, dialect: Dialect) {
	const names = dialect.with === 'ignored' ? ['variables'] : String(wanted ?? '').split(',');
	const named = contact.variables.map(({ name, value }) => ({ name, value }));
	const variables = dialect.variables === 'nested' ? nestedVariables(contact) : named;
	return {
		...(names.includes('tags') && { tags: contact.tags }),
		...(names.includes('variables') && { variables }),
	};
}

function asListed({ id, botId: bot_id, name, messenger, externalId, ...contact }: Contact) {
	const { phone = null, email = null, address = null, utm = null } = contact;
	const { telegramUsername: telegram_username = null, createdAt: created_at } = contact;
	return {
		...{ id, bot_id, name, messenger, phone, email, address },
		...(messenger === 'telegram' && { telegram_id: externalId, telegram_username }),
		...(messenger === 'viber' && { viber_id: externalId }),
		...(messenger === 'vk' && { vk_user_id: Number(externalId) }),
		utm,
		created_at,
	};
}

function asSaved(contact: Contact) {
	const { id, bot_id, name, messenger, phone, email, created_at } = asListed(contact);
	const telegram_id = messenger === 'telegram' ? contact.externalId : null;
	const telegram_username = contact.telegramUsername ?? null;
	return { id, bot_id, name, messenger, phone, email, telegram_id, telegram_username, created_at };
}

function contactAndTag(call: Call) {
	const contact = contactOf(call);
	const { tags } = call.data.bots.get(contact.botId)!;
	const isNamed = (tag: string) => tag === call.input.name;
	return { contact, name: found(tags.find(isNamed), 'Тег не найден') };
}

/** The emulator does not keep when a value changed. */
function nestedVariables({ variables, createdAt: at }: Contact) {
	const times = { created_at: at, updated_at: at };
	return variables.map(({ id, name, value }) => ({ id, value, ...times, variable: { id, name } }));
}

const botOf = ({ data, input }: Call): Bot => found(data.bots.get(Number(input.bot_id)), 'Бот не найден');

const contactOf = ({ data, input }: Call): Contact =>
	found(data.contacts.get(Number(input.contact_id)), 'Контакт не найден');

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
