import type { IDataObject } from 'n8n-workflow';

import { isEmpty, spelling } from '../../shared/values';
import { contactId } from '../fields';
import type { Field } from '../operation';
import { digitsOf, phoneNumberIn } from '../phone';
import { isUsername, usernameIn } from '../people';
import { byEmail, byMessengerId, byPhone } from './contactFilters';

/* By what a contact is recognized. */

/** The contacts of a page that have a value. The page is sorted once, however many items look for somebody in it. */
type Find = (page: IDataObject[], wanted: unknown) => IDataObject[];

/** @param spelled how values are compared: a value can have several spellings @param valuesOf what a contact has, in the same spelling */
function finder(
	spelled: (wanted: unknown) => string | string[],
	valuesOf: (contact: IDataObject) => string[],
): Find {
	const pages = new WeakMap<IDataObject[], Map<string, IDataObject[]>>();
	return (page, wanted) => {
		const sorted = pages.get(page) ?? new Map<string, IDataObject[]>();
		if (!pages.has(page)) {
			for (const contact of page)
				for (const value of new Set(valuesOf(contact)))
					sorted.set(value, [...(sorted.get(value) ?? []), contact]);
			pages.set(page, sorted);
		}
		return [...new Set([spelled(wanted)].flat().flatMap((value) => sorted.get(value) ?? []))];
	};
}

const messengerIds = ['telegram_id', 'viber_id', 'vk_user_id', 'vk_id', 'max_id', 'max_user_id'];

const asUsername = (name: unknown) => `@${spelling(usernameIn(name))}`;

export const finders = new Map<Field, Find>([
	[contactId, finder(String, ({ id }) => [String(id)])],
	[byEmail, finder(spelling, (contact) => [spelling(contact.email)])],
	[
		byMessengerId,
		finder(
			(wanted) => (isUsername(usernameIn(wanted)) ? [asUsername(wanted), String(wanted)] : String(wanted)),
			(contact) => [
				...messengerIds
					.map((name) => contact[name])
					.filter((id) => !isEmpty(id))
					.map(String),
				asUsername(contact.telegram_username),
			],
		),
	],
	[
		byPhone,
		finder(
			(wanted) => digitsOf(String(wanted)),
			(contact) => [digitsOf(phoneNumberIn(String(contact.phone)) ?? '')],
		),
	],
]);
