/**
 * The data of the emulator: bots, contacts, tags, variables, lists with their items and the delivered messages, all in memory.
 * seed.ts has the records that are there at the start.
 */

export type Messenger = 'whatsapp' | 'telegram' | 'viber' | 'vk' | 'max';

export interface Bot {
	id: number;
	name: string;
	tags: string[];
}

interface Variable {
	id: number;
	name: string;
	/** null if it has none. */
	value: string | null;
	deletable: boolean;
}

export interface Contact {
	id: number;
	botId: number;
	name: string;
	messenger: Messenger;
	/** In the messenger; for whatsapp this is the phone number. */
	externalId: string;
	/** Digits only, with the country code; undefined when no number is bound to the contact. */
	phone: string | undefined;
	email?: string;
	address?: string;
	telegramUsername?: string;
	utm?: Record<string, string | null>;
	/** ID of the contact by whose link they came. */
	invitedBy?: number;
	/** As answered, for example 2023-03-14T08:21:05+00:00. */
	createdAt: string;
	tags: string[];
	variables: Variable[];
}

/** Created now unless `createdAt` says otherwise. */
export type NewContact = Omit<Contact, 'id' | 'tags' | 'variables' | 'createdAt'> & {
	createdAt?: string;
	tags?: string[];
	variables?: Array<Omit<Variable, 'id'>>;
};

export interface FieldDefinition {
	name: string;
	/** `image` is a type that only the web interface can give to a field. */
	type: 'string' | 'number' | 'bool' | 'contact' | 'bot' | 'image';
	is_required: boolean;
	is_hidden: boolean;
	is_encryptable: boolean;
}

export interface ListSchema {
	id: string;
	name: string;
	is_menu: boolean;
	fields: Record<string, FieldDefinition>;
	created_at: string;
	updated_at: string;
}

/** An item of a list. Values by slug; a field without a value is null in answers. */
export interface ListItem {
	id: string;
	schemaId: string;
	values: Record<string, unknown>;
	/** As answered, for example 2024-03-01T07:15:00+00:00. */
	createdAt: string;
	updatedAt: string;
}

/** A message that reached a recipient. */
interface Delivery {
	/** The recipient as given in the request: contact ID, external ID or phone number. */
	recipient: string;
	contactId: number;
	messenger: Messenger;
	text?: string;
	image?: string;
	file?: string;
}

/** The whole store. Tests may read and change it freely; `reset()` of the service restores the seed. */
export interface Data {
	accounts: Array<{ token: string; apiAccess: boolean }>;
	bots: Map<number, Bot>;
	contacts: Map<number, Contact>;
	listSchemas: Map<string, ListSchema>;
	listItems: Map<string, ListItem>;
	deliveries: Delivery[];
	/** The next IDs. */
	next: { contact: number; variable: number; schema: number; item: number };
}

/** Of the account whose plan has no API access: every request is answered with 403. */
export const TOKEN_WITHOUT_API = 'plan-without-api-4b1f0a9d';

/** Of the account with API access. */
export const DEFAULT_TOKEN = 'sandbox-token-7f3c2e91';

/** IDs of seeded records for tests and examples. */
export const SEEDED = {
	bots: { school: 101, flowers: 102, dentist: 103 },
	/** One in each messenger, by its name, and one without tags and variables. */
	contacts: { telegram: 5001, whatsapp: 5002, viber: 5003, vk: 5004, max: 5005, bare: 5006 },
	schemas: {
		/** Заявки: all field types of requests, an encrypted and a hidden field */
		orders: '5dee4800c2cc5a38ec797235',
		/** Отзывы: two fields */
		reviews: '5dee4800c2cc5a38ec797236',
		/** Товары: Москва: a flower shop, with a field for pictures */
		goods: '5dee4800c2cc5a38ec79723c',
	},
	/** The first item of each of these lists. */
	listItems: {
		review: '64b7f0c2a1d3e4f5a6000005',
		good: '64b7f0c2a1d3e4f5a6000008',
	},
	/** Three pages: 50, 50 and 24. */
	schemaCount: 124,
} as const;

/** Adds generated contacts, for broadcasts larger than the seed. @returns the new contacts, in ID order */
export function addContacts(data: Data, count: number, of: Partial<NewContact> = {}) {
	const { botId = SEEDED.bots.school, messenger = 'telegram' } = of;
	return Array.from({ length: count }, () => {
		const id = data.next.contact;
		const phone = `7999${String(id).padStart(7, '0')}`;
		const name = `${FIRST_NAMES[id % FIRST_NAMES.length]} ${LAST_NAMES[id % LAST_NAMES.length]}`;
		const externalId = messenger === 'whatsapp' ? phone : String(300_000_000 + id);
		// Ten minutes apart, so that IDs and dates have the same order as in the service.
		const createdAt = isoInUtc(new Date(Date.UTC(2026, 3, 4) + (id - SEEDED.contacts.bare) * 600_000));
		return addContact(data, { botId, messenger, name, externalId, phone, createdAt });
	});
}

const FIRST_NAMES = 'Алексей Ольга Никита Татьяна Павел Юлия Михаил Наталья Артём Ксения'.split(' ');
// Surnames in -ко do not change with the gender of the first name, so any pair is correct.
const LAST_NAMES = 'Коваленко Шевченко Ткаченко Бондаренко Макаренко Лысенко Яковенко'.split(' ');

export function addContact(data: Data, contact: NewContact): Contact {
	const { tags = [] } = contact;
	const variables = (contact.variables ?? []).map((each) => ({ id: data.next.variable++, ...each }));
	const id = data.next.contact++;
	const added: Contact = { createdAt: nowInUtc(), ...contact, id, tags, variables };
	data.contacts.set(id, added);
	return added;
}

type NewListSchema = Pick<ListSchema, 'name' | 'is_menu' | 'fields'>;

export function addListSchema(data: Data, schema: NewListSchema, at = nowInMoscow()): ListSchema {
	const id = `5dee4800c2cc5a38ec${hexadecimal(data.next.schema++)}`;
	const added: ListSchema = { id, ...schema, created_at: at, updated_at: at };
	data.listSchemas.set(id, added);
	return added;
}

export function addListItem(data: Data, schemaId: string, values: ListItem['values'], at = nowInUtc()) {
	const id = `64b7f0c2a1d3e4f5a6${hexadecimal(data.next.item++)}`;
	const added: ListItem = { id, schemaId, values, createdAt: at, updatedAt: at };
	data.listItems.set(id, added);
	return added;
}

const hexadecimal = (id: number) => id.toString(16).padStart(6, '0');

const isoInUtc = (date: Date) => `${date.toISOString().slice(0, 19)}+00:00`;

/** As the service writes the times of contacts and list items, for example 2024-03-01T07:15:00+00:00. */
export const nowInUtc = () => isoInUtc(new Date());

/** As the service writes the times of lists, for example 2024-03-01T10:15:00+03:00. */
export const nowInMoscow = () => `${new Date(Date.now() + 3 * 3_600_000).toISOString().slice(0, 19)}+03:00`;

/** Digits of a phone number; the domestic prefix 8 of Russian numbers becomes the country code 7. */
export function phoneDigits(phone: string): string {
	const digits = phone.replace(/\D/g, '');
	return digits.length === 11 && digits.startsWith('8') ? `7${digits.slice(1)}` : digits;
}

/** The contact with this ID in a messenger, or with this phone number bound to it. */
export function findByExternalId(data: Data, botId: number, messenger: Messenger, externalId: string) {
	const digits = phoneDigits(externalId);
	return [...data.contacts.values()]
		.filter((each) => each.botId === botId && each.messenger === messenger)
		.find((each) => each.externalId === externalId || (digits.length >= 10 && each.phone === digits));
}
