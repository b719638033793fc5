/** Contacts of the emulator: pages, filters and additions of getContacts, and what createOrUpdateContact finds and changes. */

import { addContacts, SEEDED } from '../../sandbox/emulator';
import { clientOf, useEmulator, type Invalid, type Question } from './client';
import { idsOf, listerOf, type Row } from './contacts';

const { bots, contacts } = SEEDED;

const service = useEmulator();
const ask = clientOf(service);
const { list, listed } = listerOf(service);

describe('getContacts', () => {
	afterEach(() => service.assertContract());

	test('Every contact of a bot is on exactly one page, and the page after the last is empty', async () => {
		addContacts(service.data, 1200);
		const expected = [...service.data.contacts.values()].filter(({ botId }) => botId === bots.school);
		const ids: number[] = [];
		for (const page of [1, 2, 3, 4]) {
			const answer = await list({ bot_id: bots.school, count: 500, page });
			expect(answer.json.data).toHaveLength([500, 500, expected.length - 1000, 0][page - 1]!);
			expect(answer.json.meta).toMatchObject({ current_page: page, last_page: 3, per_page: 500 });
			ids.push(...idsOf(answer));
		}
		expect(ids).toEqual(expected.map(({ id }) => id));
	});

	test('Without a bot, the contacts of all bots are listed, 50 on a page', async () => {
		addContacts(service.data, 10, { botId: bots.dentist });
		const all = [...service.data.contacts.keys()];
		const [first, second] = [await list(), await list({ page: 2 })];
		expect([...idsOf(first), ...idsOf(second)]).toEqual(all);
		expect(first.json.meta).toMatchObject({ per_page: 50, total: all.length });
		expect(first.json.links.next).toContain('page=2');
	});

	test.each<[string, number, object]>([
		[
			'telegram',
			contacts.telegram,
			{ telegram_id: '284119035', telegram_username: 'anna_sokolova_kazan', utm: { utm_source: 'yandex' } },
		],
		['whatsapp', contacts.whatsapp, { phone: '79035550101', email: 'petrov.ivan@example.com', utm: null }],
		['viber', contacts.viber, { viber_id: 'u7Qm1dXkPq0Zs3R8fT2yLw==' }],
		['vk', contacts.vk, { vk_user_id: 17450283, phone: null, email: null, address: null }],
		['max', contacts.max, { phone: '79857770505' }],
	])('A contact in %s has the fields of its messenger', async (messenger, id, fields) => {
		const row = (await listed(id))!;
		expect(row).toMatchObject({ messenger, ...fields });
		const own = ['telegram_id', 'telegram_username', 'viber_id', 'vk_user_id'];
		expect(own.filter((name) => name in row)).toEqual(own.filter((name) => name in fields));
		expect(Object.keys(row)).not.toContain('tags');
		expect(Object.keys(row)).not.toContain('variables');
	});

	const tags = ['Новый лид', 'Пробный урок', 'Группа B1'];
	const variables = [
		{ name: 'Город', value: 'Казань' },
		{ name: 'Уровень', value: 'B1' },
		{ name: 'Комментарий к заявке', value: 'Удобно после 18:00' },
	];

	test.each([
		['tags', { tags }],
		['variables', { variables }],
		['tags,variables', { tags, variables }],
		['variables,tags', { tags, variables }],
	])('With %s, contacts contain these in addition', async (wanted, added) => {
		const { tags, variables } = (await listed(contacts.telegram, { with: wanted }))!;
		expect({ tags, variables }).toEqual({ tags: undefined, variables: undefined, ...added });
	});

	const seconds = (at: string) => Date.parse(at) / 1000;
	const created = seconds('2023-11-02T16:40:12Z');

	test.each<[string, Record<string, number>, number[]]>([
		['from a moment', { date_from: seconds('2025-01-01T00:00:00Z') }, [5004, 5005, 5006]],
		['to a moment', { date_to: seconds('2024-01-01T00:00:00Z') }, [5001, 5002]],
		['within a second', { date_from: created, date_to: created }, [5002]],
		['after that second', { date_from: created + 1 }, [5003, 5004, 5005, 5006]],
		['before that second', { date_to: created - 1 }, [5001]],
		['of one bot', { bot_id: bots.school, date_from: created }, [5002, 5004]],
	])('Contacts can be selected by their creation: %s', async (_title, query, ids) => {
		const named = idsOf(await list(query)).filter((id) => id <= contacts.bare);
		expect(named).toEqual(ids);
	});
});

test.each<[Question['query'], Record<string, string>]>([
	[{ count: 501 }, { count: 'Значение поля count не может быть больше 500.' }],
	[{ count: 0 }, { count: 'Значение поля count должно быть не меньше 1.' }],
	[{ count: 'все' }, { count: 'Поле count должно быть целым числом.' }],
	[{ bot_id: 'школа' }, { bot_id: 'Поле bot id должно быть целым числом.' }],
	[
		{ date_from: '01.03.2023', date_to: '2023-03-01' },
		{
			date_from: 'Поле date from должно быть целым числом.',
			date_to: 'Поле date to должно быть целым числом.',
		},
	],
])('getContacts refuses %j in the words of the framework', async (query, errors) => {
	const { status, json } = await ask<Invalid>('getContacts', { query });
	const expected = Object.entries(errors).map(([name, text]) => [name, [text]]);
	expect([status, Object.entries(json.errors)]).toEqual([422, expected]);
	expect(() => service.assertContract()).toThrow('getContacts');
});

test('getContacts finds no bot with an unknown ID', async () => {
	expect(await list({ bot_id: 1 })).toMatchObject({ status: 404, json: { message: 'Бот не найден' } });
});

type Saved = { data: Row };

const save = async (body: object) => await ask<Saved>('createOrUpdateContact', { body });
const inWhatsApp = {
	bot_id: bots.school,
	messenger: 'whatsapp',
	name: 'Ольга Белова',
	phone: '+7 999 111-22-33',
};

describe('createOrUpdateContact', () => {
	afterEach(() => service.assertContract());

	test('A new contact gets what is given, and the answer is its record without tags', async () => {
		const { json } = await save({ ...inWhatsApp, email: 'belova@example.com', tags: ['Новый лид'] });
		const id = Math.max(...service.data.contacts.keys());
		expect(json.data).toEqual({
			id,
			bot_id: bots.school,
			name: 'Ольга Белова',
			messenger: 'whatsapp',
			phone: '79991112233',
			email: 'belova@example.com',
			telegram_id: null,
			telegram_username: null,
			created_at: expect.any(String),
		});
		const age = Date.now() - Date.parse(json.data.created_at as string);
		expect(age).toBeLessThan(10_000);
		expect(await listed(id, { with: 'tags' })).toMatchObject({ address: null, tags: ['Новый лид'] });
	});

	test.each([
		['whatsapp', 'phone', '8 (999) 111-22-33', { phone: '79991112233' }],
		['telegram', 'telegram_id', '7301234567890', { telegram_id: '7301234567890' }],
		['viber', 'viber_id', 'aB3==', { viber_id: 'aB3==' }],
		['vk', 'vk_id', '5501', { vk_user_id: 5501 }],
	])('A second request in %s with the same %s updates the contact', async (messenger, name, id, shown) => {
		const contact = { bot_id: bots.dentist, messenger, [name]: id };
		const before = service.data.contacts.size;
		const first = await save({ ...contact, name: 'Олег' });
		const second = await save({ ...contact, name: 'Олег Ильин', address: 'Тула' });
		expect(second.json.data.id).toBe(first.json.data.id);
		expect(service.data.contacts.size).toBe(before + 1);
		expect(await listed(first.json.data.id)).toMatchObject({ ...shown, name: 'Олег Ильин', address: 'Тула' });
	});

	test('A contact with the same ID at another bot is another contact', async () => {
		const contact = { messenger: 'telegram', name: 'Анна', telegram_id: '284119035' };
		expect((await save({ ...contact, bot_id: bots.school })).json.data.id).toBe(contacts.telegram);
		expect((await save({ ...contact, bot_id: bots.flowers })).json.data.id).not.toBe(contacts.telegram);
	});

	test('An update replaces the name and what else is given, and leaves the rest', async () => {
		const before = (await listed(contacts.telegram, { with: 'variables' }))!;
		const { json } = await save({
			bot_id: bots.school,
			messenger: 'telegram',
			name: 'Анна Орлова',
			telegram_id: '284119035',
			phone: '8 916 765-43-21',
			telegram_username: 'anna_orlova_kazan',
		});
		const { id, created_at } = before;
		const changed = { name: 'Анна Орлова', phone: '79167654321', telegram_username: 'anna_orlova_kazan' };
		expect(json.data).toMatchObject({ id, created_at, telegram_id: '284119035', ...changed });
		expect(await listed(contacts.telegram, { with: 'variables' })).toEqual({ ...before, ...changed });
	});

	test('Tags are added to those of the contact, and the bot gets the ones that it lacks', async () => {
		const { bots: all, contacts: people } = service.data;
		const before = [...all.get(bots.school)!.tags];
		const ivan = { ...inWhatsApp, name: 'Иван Петров', phone: '79035550101' };
		await save({ ...ivan, tags: ['Оплатил', 'VIP', 'Вебинар'] });
		expect(people.get(contacts.whatsapp)!.tags).toEqual(['Оплатил', 'VIP', 'Вебинар']);
		expect(all.get(bots.school)!.tags).toEqual([...before, 'Вебинар']);
		await save({ ...ivan, tags: [] });
		await save(ivan);
		expect(people.get(contacts.whatsapp)!.tags).toHaveLength(3);
	});
});

const missing = (name: string) => `Поле ${name} обязательно для заполнения.`;
const needed = (name: string, messenger: string) =>
	`Поле ${name} обязательно для заполнения, когда messenger равно ${messenger}.`;

test.each<[object, Record<string, string>]>([
	[{}, { bot_id: missing('bot id'), messenger: missing('messenger'), name: missing('name') }],
	[{ ...inWhatsApp, phone: ' ' }, { phone: needed('phone', 'whatsapp') }],
	[{ ...inWhatsApp, messenger: 'telegram' }, { telegram_id: needed('telegram id', 'telegram') }],
	[{ ...inWhatsApp, messenger: 'viber' }, { viber_id: needed('viber id', 'viber') }],
	[{ ...inWhatsApp, messenger: 'vk' }, { vk_id: needed('vk id', 'vk') }],
	[{ ...inWhatsApp, messenger: 'max' }, { messenger: 'Выбранное значение для messenger ошибочно.' }],
	[{ ...inWhatsApp, bot_id: 9 }, { bot_id: 'Выбранное значение для bot id некорректно.' }],
	[{ ...inWhatsApp, phone: '12-34' }, { phone: 'Поле phone имеет ошибочный формат.' }],
	[{ ...inWhatsApp, tags: 'VIP' }, { tags: 'Поле tags должно быть массивом.' }],
	[
		{ ...inWhatsApp, tags: ['VIP', 7, ''] },
		{ 'tags.1': 'Поле tags.1 должно быть строкой.', 'tags.2': missing('tags.2') },
	],
])('createOrUpdateContact refuses %j in the words of the framework', async (body, errors) => {
	const before = JSON.stringify([...service.data.contacts.values(), ...service.data.bots.values()]);
	const { status, json } = await ask<Invalid>('createOrUpdateContact', { body });
	const expected = Object.entries(errors).map(([name, text]) => [name, [text]]);
	expect([status, Object.entries(json.errors)]).toEqual([422, expected]);
	expect(JSON.stringify([...service.data.contacts.values(), ...service.data.bots.values()])).toBe(before);
});
