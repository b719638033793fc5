/**
 * The data of the emulator: bots, contacts, tags, variables, list schemas and the delivered messages, all in memory.
 * The seed is the same on every start, so that tests and examples can name its records.
 */

/** The values of `messenger` of sendMessage. */
export const MESSENGERS = ['whatsapp', 'telegram', 'viber', 'vk', 'max'] as const;
export type Messenger = (typeof MESSENGERS)[number];

/** Field types of requests; answers have `bool` instead of `boolean`. */
export const INPUT_FIELD_TYPES = ['string', 'number', 'boolean', 'contact', 'bot'] as const;

export interface Bot {
	id: number;
	name: string;
	/** Tag names, in the order in which the web interface shows them. */
	tags: string[];
}

export interface Variable {
	id: number;
	name: string;
	value: string;
	deletable: boolean;
}

export interface Contact {
	id: number;
	botId: number;
	name: string;
	messenger: Messenger;
	/** ID in the messenger; for whatsapp this is the phone number. */
	externalId: string;
	/** Digits only, with the country code; undefined when no number is bound to the contact. */
	phone: string | undefined;
	tags: string[];
	variables: Variable[];
}

/** Field definition as in answers. */
export interface FieldDefinition {
	name: string;
	type: 'string' | 'number' | 'bool' | 'contact' | 'bot';
	is_required: boolean;
	is_hidden: boolean;
	is_encryptable: boolean;
}

/** List schema as in answers. */
export interface ListSchema {
	id: string;
	name: string;
	is_menu: boolean;
	fields: Record<string, FieldDefinition>;
	created_at: string;
	updated_at: string;
}

/** A message that reached a recipient. */
export interface Delivery {
	/** The recipient as given in the request: contact ID, external ID or phone number. */
	recipient: string;
	contactId: number;
	messenger: Messenger;
	text: string | undefined;
	image: string | undefined;
	file: string | undefined;
}

export interface Account {
	token: string;
	apiAccess: boolean;
}

/** The whole store. Tests may read and change it freely; `reset()` of the service restores the seed. */
export interface Data {
	accounts: Account[];
	bots: Map<number, Bot>;
	contacts: Map<number, Contact>;
	listSchemas: Map<string, ListSchema>;
	deliveries: Delivery[];
	/** The next ID for a contact, a variable or a list schema. */
	next: { contact: number; variable: number; schema: number };
}

/** Token of the seeded account whose plan has no API access: every request is answered with 403. */
export const TOKEN_WITHOUT_API = 'plan-without-api-4b1f0a9d';

/** Token of the seeded account with API access. */
export const DEFAULT_TOKEN = 'sandbox-token-7f3c2e91';

/** IDs of seeded records for tests and examples. */
export const SEEDED = {
	bots: { school: 101, flowers: 102, dentist: 103 },
	contacts: {
		/** Анна Соколова: school, telegram, external ID 284119035, phone 79161234567 bound, three tags, three variables */
		telegram: 5001,
		/** Иван Петров: school, whatsapp, 79035550101 */
		whatsapp: 5002,
		/** Мария Кузнецова: flowers, viber, phone 79264440303 bound */
		viber: 5003,
		/** Дмитрий Орлов: school, vk, no phone number bound */
		vk: 5004,
		/** Елена Волкова: dentist, max, phone 79857770505 bound */
		max: 5005,
		/** Сергей Морозов: flowers, whatsapp, 79168880606, without tags and variables */
		bare: 5006,
	},
	schemas: {
		/** Заявки: all five field types, an encrypted and a hidden field */
		orders: '5dee4800c2cc5a38ec797235',
		/** Отзывы: two fields */
		reviews: '5dee4800c2cc5a38ec797236',
	},
	/** Three pages: 50, 50 and 24. */
	schemaCount: 124,
} as const;

/** Creates the seed. @param token the token of the account with API access */
export function createData(token: string): Data {
	const data: Data = {
		accounts: [
			{ token, apiAccess: true },
			{ token: TOKEN_WITHOUT_API, apiAccess: false },
		],
		bots: new Map(),
		contacts: new Map(),
		listSchemas: new Map(),
		deliveries: [],
		next: { contact: 5001, variable: 9001, schema: 0x797235 },
	};
	seedBots(data);
	seedContacts(data);
	seedListSchemas(data);
	return data;
}

/** Adds generated contacts, for broadcasts larger than the seed. @returns the new contacts, in ID order */
export function addContacts(
	data: Data,
	count: number,
	options: { botId?: number; messenger?: Messenger } = {},
) {
	const botId = options.botId ?? SEEDED.bots.school;
	const messenger = options.messenger ?? 'telegram';
	return Array.from({ length: count }, () => {
		const id = data.next.contact;
		const phone = `7999${String(id).padStart(7, '0')}`;
		const externalId = messenger === 'whatsapp' ? phone : String(300_000_000 + id);
		return addContact(data, { botId, messenger, name: personName(id), externalId, phone });
	});
}

export function addContact(
	data: Data,
	contact: Omit<Contact, 'id' | 'tags' | 'variables'> & {
		tags?: string[];
		variables?: Array<Omit<Variable, 'id'>>;
	},
): Contact {
	const { tags = [], variables = [] } = contact;
	const added: Contact = {
		...contact,
		id: data.next.contact++,
		tags,
		variables: variables.map((variable) => ({ id: data.next.variable++, ...variable })),
	};
	data.contacts.set(added.id, added);
	return added;
}

/** Adds a list schema with the next free ID (24 hexadecimal characters). */
export function addListSchema(
	data: Data,
	schema: Pick<ListSchema, 'name' | 'is_menu' | 'fields'>,
	at = isoWithOffset(new Date()),
): ListSchema {
	const id = `5dee4800c2cc5a38ec${(data.next.schema++).toString(16).padStart(6, '0')}`;
	const added: ListSchema = { id, ...schema, created_at: at, updated_at: at };
	data.listSchemas.set(id, added);
	return added;
}

/** Moscow time as the service writes it, for example 2024-03-01T10:15:00+03:00. */
export function isoWithOffset(date: Date): string {
	return `${new Date(date.getTime() + 3 * 3_600_000).toISOString().slice(0, 19)}+03:00`;
}

/** Digits of a phone number; the domestic prefix 8 of Russian numbers becomes the country code 7. */
export function phoneDigits(phone: string): string {
	const digits = phone.replace(/\D/g, '');
	return digits.length === 11 && digits.startsWith('8') ? `7${digits.slice(1)}` : digits;
}

/**
 * The contact that contact_external_id of sendMessage stands for: by the ID in the messenger, or by a phone number that is bound
 * to the contact.
 */
export function findByExternalId(data: Data, botId: number, messenger: Messenger, externalId: string) {
	const digits = phoneDigits(externalId);
	for (const contact of data.contacts.values()) {
		if (contact.botId !== botId || contact.messenger !== messenger) continue;
		if (contact.externalId === externalId) return contact;
		if (digits.length >= 10 && contact.phone === digits) return contact;
	}
	return undefined;
}

function seedBots(data: Data) {
	const add = (id: number, name: string, tags: string[]) => data.bots.set(id, { id, name, tags });
	const { school, flowers, dentist } = SEEDED.bots;
	const tags = ['Новый лид', 'Пробный урок', 'Оплатил', 'Не отвечает', 'Группа A2', 'Группа B1', 'VIP'];
	add(school, 'Школа английского «Лингва»', [...tags, 'Оператор']);
	add(flowers, 'Доставка цветов «Пион»', ['Новый лид', 'Постоянный клиент', 'Ждёт доставку', '8 Марта']);
	add(dentist, 'Стоматология «Улыбка»', ['Записан на приём', 'Повторный визит']);
}

function seedContacts(data: Data) {
	const { school, flowers, dentist } = SEEDED.bots;
	const variable = (name: string, value: string, deletable = false) => ({ name, value, deletable });
	type More = Pick<Parameters<typeof addContact>[1], 'tags' | 'variables'>;
	const add = (
		name: string,
		botId: number,
		messenger: Messenger,
		[externalId, phone]: [externalId: string, phone?: string],
		more: More = {},
	) => addContact(data, { name, botId, messenger, externalId, phone, ...more });

	add('Анна Соколова', school, 'telegram', ['284119035', '79161234567'], {
		tags: ['Новый лид', 'Пробный урок', 'Группа B1'],
		variables: [
			variable('Город', 'Казань'),
			variable('Уровень', 'B1'),
			variable('Комментарий к заявке', 'Удобно после 18:00', true),
		],
	});
	add('Иван Петров', school, 'whatsapp', ['79035550101', '79035550101'], {
		tags: ['Оплатил'],
		variables: [variable('Город', 'Москва')],
	});
	add('Мария Кузнецова', flowers, 'viber', ['u7Qm1dXkPq0Zs3R8fT2yLw==', '79264440303'], {
		tags: ['Постоянный клиент'],
		variables: [variable('Любимые цветы', 'Пионы')],
	});
	add('Дмитрий Орлов', school, 'vk', ['17450283'], { tags: ['Не отвечает'] });
	add('Елена Волкова', dentist, 'max', ['90011223', '79857770505'], {
		tags: ['Записан на приём'],
		variables: [variable('Врач', 'Ковалёва О. П.')],
	});
	add('Сергей Морозов', flowers, 'whatsapp', ['79168880606', '79168880606']);
	addContacts(data, 20, { botId: school, messenger: 'telegram' });
	addContacts(data, 6, { botId: flowers, messenger: 'viber' });
	addContacts(data, 6, { botId: dentist, messenger: 'max' });
	addContacts(data, 6, { botId: flowers, messenger: 'whatsapp' });
}

const FIRST_NAMES = 'Алексей Ольга Никита Татьяна Павел Юлия Михаил Наталья Артём Ксения'.split(' ');
const LAST_NAMES = 'Коваленко Шевченко Ткаченко Бондаренко Макаренко Лысенко Яковенко'.split(' ');

// Surnames in -ко do not change with the gender of the first name, so any pair is correct.
function personName(id: number) {
	return `${FIRST_NAMES[id % FIRST_NAMES.length]} ${LAST_NAMES[id % LAST_NAMES.length]}`;
}

function field(
	name: string,
	type: FieldDefinition['type'],
	flags: Partial<Pick<FieldDefinition, 'is_required' | 'is_hidden' | 'is_encryptable'>> = {},
): FieldDefinition {
	return { name, type, is_required: false, is_hidden: false, is_encryptable: false, ...flags };
}

function seedListSchemas(data: Data) {
	const orders = {
		client: field('Клиент', 'contact', { is_required: true }),
		phone: field('Телефон', 'string', { is_encryptable: true }),
		amount: field('Сумма, ₽', 'number'),
		paid: field('Оплачено', 'bool'),
		source_bot: field('Бот', 'bot', { is_hidden: true }),
	};
	addListSchema(data, { name: 'Заявки', is_menu: true, fields: orders }, '2023-10-02T09:30:00+03:00');
	const reviews = {
		rating: field('Оценка', 'number', { is_required: true }),
		comment: field('Комментарий', 'string'),
	};
	addListSchema(data, { name: 'Отзывы', is_menu: false, fields: reviews }, '2023-10-05T14:05:00+03:00');
	const themes = ['Расписание', 'Прайс-лист', 'Филиалы', 'Акции', 'Сотрудники', 'Товары'];
	const cities = `Москва Казань Самара Пермь Омск Уфа Тула Сочи Тверь Томск Курск Рязань Иркутск Барнаул
		Ижевск Саратов Воронеж Краснодар Ярославль Челябинск Новосибирск`.split(/\s+/);
	for (let index = 0; data.listSchemas.size < SEEDED.schemaCount; index++) {
		const name = `${themes[index % themes.length]}: ${cities[Math.floor(index / themes.length)]}`;
		const at = isoWithOffset(new Date(Date.UTC(2023, 10, 1, 7) + index * 26 * 3_600_000));
		const fields = {
			title: field('Название', 'string', { is_required: true }),
			active: field('Активно', 'bool'),
		};
		addListSchema(data, { name, is_menu: index % 5 === 0, fields }, at);
	}
}
