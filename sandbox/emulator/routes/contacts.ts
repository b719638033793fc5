/** Contacts: pages of them, and one that is created or updated. docs/openapi.yaml says how sure each part of that is. */

import { json } from '../answers';
import { CONTACT_IDS, addContact, addContacts, phoneDigits, type Contact, type Data } from '../data';
import type { Dialect } from '../dialect';
import type { Operation } from '../exchange';
import { pageOf, paginateAs } from '../pages';
import {
	array,
	exists,
	integer,
	isMissing,
	max,
	min,
	oneOf,
	phone,
	required,
	requiredIf,
	string,
	validate,
	type Input,
} from '../validation';
import { nestedVariables } from './contactVariables';
import { botOf } from './lookup';

export const contacts: Record<string, Operation> = {
	getContacts({ data, dialect, input, query, url }) {
		validate(input, {
			bot_id: [integer],
			date_from: [integer],
			date_to: [integer],
			count: [integer, min(1), max(500)],
			page: [integer],
			with: [string],
		});
		const botId = isMissing(input.bot_id) ? undefined : botOf(data, input.bot_id).id;
		const page = pageOf(input.page);
		if (dialect.pages === 'shifting' && page > 1) addInFront(data, botId);
		const from = Number(input.date_from ?? 0);
		const to = Number(input.date_to ?? Infinity);
		const found = [...data.contacts.values()].filter((contact) => {
			const created = Date.parse(contact.createdAt) / 1000;
			return (botId ?? contact.botId) === contact.botId && created >= from && created <= to;
		});
		const rows = found.map((contact) => ({
			...asListed(contact),
			...addition(contact, input.with, dialect),
		}));
		const perPage = Number(input.count ?? 50);
		return json(paginateAs(dialect.pages, rows, { page, perPage, path: url, query }));
	},

	createOrUpdateContact({ data, input }) {
		const tags = inPlace('tags', input.tags);
		validate(
			{ ...input, ...tags },
			{
				bot_id: [required, integer, exists(data.bots)],
				messenger: [required, string, oneOf(...Object.keys(CONTACT_IDS))],
				name: [required, string],
				phone: [requiredIf('messenger', 'whatsapp'), string, phone],
				telegram_id: [requiredIf('messenger', 'telegram'), string],
				viber_id: [requiredIf('messenger', 'viber'), string],
				vk_id: [requiredIf('messenger', 'vk'), string],
				telegram_username: [string],
				email: [string],
				address: [string],
				tags: [array],
				...Object.fromEntries(Object.keys(tags).map((name) => [name, [required, string]])),
			},
		);
		const contact = knownOrNew(data, input);
		const given = {
			name: input.name,
			phone: isMissing(input.phone) ? undefined : phoneDigits(String(input.phone)),
			email: input.email,
			address: input.address,
			telegramUsername: input.telegram_username,
		};
		Object.assign(
			contact,
			Object.fromEntries(Object.entries(given).filter(([, value]) => !isMissing(value))),
		);
		for (const tag of Object.values(tags).map(String)) {
			for (const names of [botOf(data, contact.botId).tags, contact.tags])
				if (!names.includes(tag)) names.push(tag);
		}
		return json({ data: asSaved(contact) });
	},
};

/** The elements of an array under the names that the framework gives them, for example `tags.0`. */
function inPlace(name: string, value: unknown): Input {
	const elements: unknown[] = Array.isArray(value) ? value : [];
	return Object.fromEntries(elements.map((element, index) => [`${name}.${index}`, element]));
}

function knownOrNew(data: Data, input: Input): Contact {
	const botId = Number(input.bot_id);
	const messenger = input.messenger as keyof typeof CONTACT_IDS;
	const id = String(input[CONTACT_IDS[messenger]]);
	const externalId = messenger === 'whatsapp' ? phoneDigits(id) : id;
	const known = [...data.contacts.values()].find(
		(each) => each.botId === botId && each.messenger === messenger && each.externalId === externalId,
	);
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
	const variables = () =>
		dialect.variables === 'nested'
			? nestedVariables(contact)
			: contact.variables.map(({ name, value }) => ({ name, value }));
	return {
		...(names.includes('tags') && { tags: contact.tags }),
		...(names.includes('variables') && { variables: variables() }),
	};
}

function asListed(contact: Contact) {
	const { id, botId, name, messenger, externalId, phone = null, email = null } = contact;
	const { address = null, telegramUsername = null, utm = null } = contact;
	return {
		id,
		bot_id: botId,
		name,
		messenger,
		phone,
		email,
		address,
		...(messenger === 'telegram' && { telegram_id: externalId, telegram_username: telegramUsername }),
		...(messenger === 'viber' && { viber_id: externalId }),
		...(messenger === 'vk' && { vk_user_id: Number(externalId) }),
		utm,
		created_at: contact.createdAt,
	};
}

function asSaved(contact: Contact) {
	const { id, bot_id, name, messenger, phone, email, created_at } = asListed(contact);
	const telegram_id = messenger === 'telegram' ? contact.externalId : null;
	const telegram_username = contact.telegramUsername ?? null;
	return { id, bot_id, name, messenger, phone, email, telegram_id, telegram_username, created_at };
}
