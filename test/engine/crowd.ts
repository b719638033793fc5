import { addContact, SEEDED, type Emulator } from '../../sandbox/emulator';
import { usual } from './scene';

/* The contacts of an account, as Contact, Get Many reads them. */

export const allContacts = usual('contact/getAll', { botId: '', returnAll: true, include: [], filters: {} });

/** Adds a contact of the school without a phone number. */
export const person = (
	{ data }: Emulator,
	name: string,
	{ tags, ...variables }: { tags?: string[]; [variable: string]: unknown },
) =>
	addContact(data, {
		...{ botId: SEEDED.bots.school, messenger: 'telegram', name, externalId: name, phone: undefined },
		...(tags && { tags }),
		variables: Object.entries(variables).map(([each, value]) => {
			return { name: each, value: String(value), deletable: false };
		}),
	});

export type Condition = [name: unknown, condition?: string, value?: unknown];

/** The filter by variables. */
export const byVariables = (...conditions: Condition[]) => ({
	variables: { conditions: conditions.map(([name, condition, value]) => ({ name, condition, value })) },
});
