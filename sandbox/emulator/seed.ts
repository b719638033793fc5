/** The records of the emulator at the start: the same every time, so that tests and examples can name them. */

import {
	SEEDED,
	TOKEN_WITHOUT_API,
	addContact,
	addContacts,
	type Data,
	type Messenger,
	type NewContact,
} from './data';
import { seedLists } from './seedLists';

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
		listItems: new Map(),
		deliveries: [],
		next: { contact: 5001, variable: 9001, schema: 0x797235, item: 1 },
	};
	seedBots(data);
	seedContacts(data);
	seedLists(data);
	return data;
}

function seedBots(data: Data) {
	const add = (id: number, name: string, tags: string[]) => data.bots.set(id, { id, name, tags });
	const { school, flowers, dentist } = SEEDED.bots;
	const tags = ['Новый лид', 'Пробный урок', 'Оплатил', 'Не отвечает', 'Группа A2', 'Группа B1', 'VIP'];
	// The last tag marks people who want no broadcasts.
	add(school, 'Школа английского «Лингва»', [...tags, 'Оператор', 'Не писать']);
	add(flowers, 'Доставка цветов «Пион»', ['Новый лид', 'Постоянный клиент', 'Ждёт доставку', '8 Марта']);
	add(dentist, 'Стоматология «Улыбка»', ['Записан на приём', 'Повторный визит']);
}

function seedContacts(data: Data) {
	const { school, flowers, dentist } = SEEDED.bots;
	const variable = (name: string, value: string, deletable = false) => ({ name, value, deletable });
	const add = (
		name: string,
		botId: number,
		messenger: Messenger,
		[externalId, phone]: [externalId: string, phone?: string],
		more: Partial<NewContact>,
	) => addContact(data, { name, botId, messenger, externalId, phone, ...more });

	add('Анна Соколова', school, 'telegram', ['284119035', '79161234567'], {
		createdAt: '2023-03-14T08:21:05+00:00',
		email: 'anna.sokolova@example.com',
		address: 'Казань, ул. Баумана, 44, кв. 12',
		telegramUsername: 'anna_sokolova_kazan',
		utm: {
			utm_source: 'yandex',
			utm_medium: 'cpc',
			utm_campaign: 'probny_urok',
			utm_term: 'английский для взрослых',
			utm_content: null,
		},
		tags: ['Новый лид', 'Пробный урок', 'Группа B1'],
		variables: [
			variable('Город', 'Казань'),
			variable('Уровень', 'B1'),
			variable('Комментарий к заявке', 'Удобно после 18:00', true),
		],
	});
	add('Иван Петров', school, 'whatsapp', ['79035550101', '79035550101'], {
		createdAt: '2023-11-02T16:40:12+00:00',
		email: 'petrov.ivan@example.com',
		tags: ['Оплатил'],
		variables: [variable('Город', 'Москва')],
	});
	add('Мария Кузнецова', flowers, 'viber', ['u7Qm1dXkPq0Zs3R8fT2yLw==', '79264440303'], {
		createdAt: '2024-05-21T11:05:47+00:00',
		email: 'm.kuznetsova@example.com',
		address: 'Москва, Ленинский проспект, 30, кв. 8',
		tags: ['Постоянный клиент'],
		variables: [variable('Любимые цветы', 'Пионы')],
	});
	add('Дмитрий Орлов', school, 'vk', ['17450283'], {
		createdAt: '2025-01-09T06:12:30+00:00',
		utm: {
			utm_source: 'vk',
			utm_medium: 'social',
			utm_campaign: 'zimniy_nabor',
			utm_term: null,
			utm_content: 'stories',
		},
		tags: ['Не отвечает'],
	});
	add('Елена Волкова', dentist, 'max', ['90011223', '79857770505'], {
		createdAt: '2025-10-17T13:55:00+00:00',
		email: 'volkova.elena@example.com',
		tags: ['Записан на приём'],
		variables: [variable('Врач', 'Ковалёва О. П.')],
	});
	add('Сергей Морозов', flowers, 'whatsapp', ['79168880606', '79168880606'], {
		createdAt: '2026-04-03T19:30:59+00:00',
	});
	addContacts(data, 20, { botId: school, messenger: 'telegram' });
	addContacts(data, 6, { botId: flowers, messenger: 'viber' });
	addContacts(data, 6, { botId: dentist, messenger: 'max' });
	addContacts(data, 6, { botId: flowers, messenger: 'whatsapp' });
}
