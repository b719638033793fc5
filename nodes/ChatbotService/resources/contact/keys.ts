import type { IDataObject } from 'n8n-workflow';

import { isEmpty } from '../../shared/values';
import type { Field } from '../operation';
import { digitsOf, phoneNumberIn } from '../phone';
import { spelling, usernameIn } from '../rows';
import { email, messengerId, phone } from './filters';

/* By what a contact is recognized. The contacts of a page are sorted by it once, however many items look for somebody. */

const messengerIds = ['telegram_id', 'viber_id', 'vk_user_id', 'vk_id', 'max_id', 'max_user_id'];

const asUsername = (name: unknown) => `@${spelling(usernameIn(name))}`;

/** How to compare a filter with contacts: the spelling of its value, and everything in the same spelling that a contact has. */
interface Key {
	of(wanted: unknown): string;
	in(contact: IDataObject): string[];
}

const keys = new Map<Field, Key>([
	[email, { of: spelling, in: (contact) => [spelling(contact.email)] }],
	[
		messengerId,
		{
			of: (wanted) =>
				/^@|\bt(?:elegram)?\.me\//i.test(String(wanted)) ? asUsername(wanted) : String(wanted),
			in: (contact) => [
				...messengerIds.filter((name) => !isEmpty(contact[name])).map((name) => String(contact[name])),
				...(isEmpty(contact.telegram_username) ? [] : [asUsername(contact.telegram_username)]),
			],
		},
	],
	[
		phone,
		{
			of: (wanted) => digitsOf(String(wanted)),
			in: (contact) => [digitsOf(phoneNumberIn(String(contact.phone)) ?? '')],
		},
	],
]);

/** The fields by which a contact is recognized. */
export const recognizing = [...keys.keys()];

const sorted = new WeakMap<IDataObject[], Map<Field, Map<string, IDataObject[]>>>();

/** The contacts of a page whose email, messenger ID or phone number is the one in a field. */
export function contactsWith(page: IDataObject[], field: Field, wanted: unknown): IDataObject[] {
	const known = sorted.get(page) ?? new Map<Field, Map<string, IDataObject[]>>();
	sorted.set(page, known);
	const key = keys.get(field)!;
	let contacts = known.get(field);
	if (!contacts) {
		known.set(field, (contacts = new Map()));
		for (const contact of page)
			for (const each of new Set(key.in(contact))) {
				const others = contacts.get(each);
				if (others) others.push(contact);
				else contacts.set(each, [contact]);
			}
	}
	return contacts.get(key.of(wanted)) ?? [];
}
