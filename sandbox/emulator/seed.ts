/** The records of the emulator at the start: the same every time, so that tests and examples can name them. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { parse } from 'yaml';

import { SEEDED, TOKEN_WITHOUT_API, addContact, addContacts, addListItem, addListSchema } from './data';
import type { Bot, Data, FieldDefinition, ListSchema, NewContact } from './data';

type Fields = Record<string, Partial<FieldDefinition>>;

interface Seed {
	bots: Bot[];
	contacts: NewContact[];
	lists: Record<string, Omit<ListSchema, 'fields'> & { fields: Fields }>;
	/** Fields of this list, which is a generated one otherwise. */
	goods: Fields;
	/** By list and time. */
	items: Record<keyof typeof SEEDED.schemas, Record<string, object>>;
}

const SEED = parse(readFileSync(join(__dirname, 'seed.yaml'), 'utf8')) as Seed;

/** Creates the seed. @param token the token of the account with API access */
export function createData(token: string): Data {
	const { bots, contacts, lists, goods, items } = structuredClone(SEED);
	const data: Data = {
		accounts: [
			{ token, apiAccess: true },
			{ token: TOKEN_WITHOUT_API, apiAccess: false },
		],
		bots: new Map(bots.map((bot) => [bot.id, bot])),
		contacts: new Map(),
		listSchemas: new Map(),
		listItems: new Map(),
		deliveries: [],
		next: { contact: 5001, variable: 9001, schema: 0x797235, item: 1 },
	};
	for (const contact of contacts) addContact(data, contact);
	addContacts(data, 20, { botId: SEEDED.bots.school, messenger: 'telegram' });
	addContacts(data, 6, { botId: SEEDED.bots.flowers, messenger: 'viber' });
	addContacts(data, 6, { botId: SEEDED.bots.dentist, messenger: 'max' });
	addContacts(data, 6, { botId: SEEDED.bots.flowers, messenger: 'whatsapp' });

	for (const { fields, created_at, ...list } of Object.values(lists))
		addListSchema(data, { ...list, fields: complete(fields) }, created_at);
	addLists(data);
	Object.assign(data.listSchemas.get(SEEDED.schemas.goods)!.fields, complete(goods));
	for (const [list, all] of Object.entries(items)) {
		const schemaId = SEEDED.schemas[list as keyof typeof SEEDED.schemas];
		for (const [at, values] of Object.entries(all)) addListItem(data, schemaId, { ...values }, at);
	}
	return data;
}

/** More lists than fit on two pages. */
function addLists(data: Data) {
	const themes = ['Расписание', 'Прайс-лист', 'Филиалы', 'Акции', 'Сотрудники', 'Товары'];
	const cities = `Москва Казань Самара Пермь Омск Уфа Тула Сочи Тверь Томск Курск Рязань Иркутск Барнаул
		Ижевск Саратов Воронеж Краснодар Ярославль Челябинск Новосибирск`.split(/\s+/);
	const fields: Fields = {
		title: { name: 'Название', type: 'string', is_required: true },
		active: { name: 'Активно', type: 'bool' },
	};
	for (let index = 0; data.listSchemas.size < SEEDED.schemaCount; index++) {
		const name = `${themes[index % themes.length]}: ${cities[Math.floor(index / themes.length)]}`;
		const list = { name, is_menu: index % 5 === 0, fields: complete(fields) };
		addListSchema(data, list, '2023-11-01T10:00:00+03:00');
	}
}

const complete = (fields: Fields) =>
	Object.fromEntries(
		Object.entries(fields).map(([slug, { name, type, ...flags }]) => [
			slug,
			{ name, type, is_required: false, is_hidden: false, is_encryptable: false, ...flags },
		]),
	) as ListSchema['fields'];
