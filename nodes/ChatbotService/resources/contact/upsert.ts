import { botId, messenger, requiredText } from '../fields';
import type { Kind } from '../kind';
import * as kinds from '../kinds';
import type { Field, Operation } from '../operation';
import { noMessengerId, notInMax } from './problems';

/** A field of its own, because a shared one has one position among all parameters. It says nothing about the contact. */
const { names: _existing, ...botOfContact } = botId;

const messengerOfContact: Field = {
	...messenger,
	description: 'Messenger of the contact. The service creates no contacts in MAX.',
	kind: (value, label) => {
		const checked = kinds.messenger(value, label);
		return 'value' in checked && checked.value === 'max' ? notInMax(label, value) : checked;
	},
};

const person: Field = {
	displayName: 'Phone Number or Messenger ID',
	name: 'externalId',
	...requiredText,
	placeholder: 'e.g. +79161234567',
	description:
		'For WhatsApp the phone number with the country code, otherwise the ID that the person has in the messenger',
	kind: kinds.phoneOrId,
	names: 'person',
};

const numericId: Kind = (value, label) => {
	const checked = kinds.identifier(value, label);
	return 'problems' in checked || /^\d+$/.test(checked.value as string)
		? checked
		: noMessengerId(label, value);
};

const personAs = (property: string, kind: Kind): Field => ({
	...person,
	routing: { send: { property } },
	kind,
});

/** The same field in each messenger, with its name in the API. */
const persons: Record<string, Field> = {
	telegram: personAs('telegram_id', numericId),
	viber: personAs('viber_id', kinds.identifier),
	vk: personAs('vk_id', numericId),
	whatsapp: personAs('phone', kinds.phone),
};

const nameByMessenger = Object.fromEntries(
	Object.entries(persons).map(([key, { routing }]) => [key, routing!.send.property]),
);

const externalId: Field = {
	...personAs(`={{ (${JSON.stringify(nameByMessenger)})[$parameter["messenger"]] }}`, kinds.phoneOrId),
	variantFor: (values) => persons[String(values.get('messenger'))],
};

const contactName: Field = {
	displayName: 'Contact Name',
	name: 'contactName',
	...requiredText,
	placeholder: 'e.g. Anna Smirnova',
	description: 'Name of the contact. If the contact exists, this name replaces its name.',
	routing: { send: { property: 'name' } },
	kind: kinds.name,
};

const additional = (displayName: string, name: string, property: string, more: Partial<Field>): Field => ({
	displayName,
	name,
	type: 'string',
	default: '',
	routing: { send: { property } },
	kind: kinds.trimmedText,
	...more,
});

const additionalFields: Field = {
	displayName: 'Additional Fields',
	name: 'additionalFields',
	type: 'collection',
	placeholder: 'Add Field',
	default: {},
	options: [
		additional('Address', 'address', 'address', { placeholder: 'e.g. Kazan, Bauman St. 1' }),
		additional('Email', 'email', 'email', { placeholder: 'name@email.com' }),
		additional('Phone', 'phone', 'phone', {
			placeholder: 'e.g. +79161234567',
			description: 'Phone number with the country code, for a contact in another messenger than WhatsApp',
			kind: kinds.phone,
		}),
		additional('Tags', 'tags', 'tags', {
			placeholder: 'e.g. VIP, Paid',
			description:
				'Names of tags to attach. Separate several by commas; an expression can also return a list of names.',
			kind: kinds.names,
			takesLists: true,
		}),
		additional('Telegram Username', 'telegramUsername', 'telegram_username', {
			placeholder: 'e.g. anna_smirnova',
		}),
	],
};

const existingContact: Field = {
	displayName:
		'If the contact exists, the service replaces its name. By what the service recognizes a contact is not documented: try it with one of your own contacts first.',
	name: 'existingContact',
	type: 'notice',
	default: '',
};

/** POST createOrUpdateContact. */
export const contactUpsert: Operation = {
	option: {
		name: 'Create or Update',
		value: 'upsert',
		action: 'Create or update contact',
		description: 'Create a new record, or update the current one if it already exists (upsert)',
		routing: { request: { method: 'POST', url: '/createOrUpdateContact' } },
	},
	fields: [botOfContact, messengerOfContact, externalId, contactName, existingContact, additionalFields],
	place: 'body',
	answer: 'created',
	advice: {
		unknown:
			'The contact may have been created, so the node did not try again. Look at the contacts in the service first.',
	},
};
