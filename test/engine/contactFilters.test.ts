import { addContacts } from '../../sandbox/emulator';
import { answeringRows } from './answering';
import { allContacts, byVariables, person, type Condition } from './crowd';
import { hintsOf } from './harness';
import { scene, type Given } from './scene';

/* Contact, Get Many: which contacts its filters find. How services may write variables: contacts.test; refused values: cases/contactCases. */

const { service, run } = scene(allContacts);

const read = async (filters: object, given: Given = {}) => await run({ with: { filters }, ...given });
const namesFor = async (...given: Parameters<typeof read>) => {
	const result = await read(...given);
	expect(result.error).toBeUndefined();
	return result.json.map(({ name }) => name);
};
const noticesOf = async (filters: object, more: object = {}) =>
	hintsOf(await run({ with: { filters, ...more } }));

/** Limits that are reached before all contacts are read. */
const few = { returnAll: false, limit: 5 };
const nobody = (what: string) => `No contact has ${what}: nobody was left out because of it.`;

const anna = ['Анна Соколова'];
const dmitri = ['Дмитрий Орлов'];

test.each<[string, object, string[]]>([
	['all tags, without case and blanks', { hasAllTags: ' новый лид ,ПРОБНЫЙ УРОК' }, anna],
	['all tags, of which one is not enough', { hasAllTags: 'Новый лид, Оплатил' }, []],
	['any tag', { hasAnyTag: 'Оплатил\nНе отвечает' }, ['Иван Петров', ...dmitri]],
	['phone number with 8', { phone: '8 (916) 123-45-67' }, anna],
	['email without case', { email: ' Anna.Sokolova@Example.com' }, anna],
	['beginning of a username', { messengerId: '@anna_sokolova' }, []],
	['part of the name', { name: 'орлов' }, dmitri],
	['messenger and tag', { messenger: 'vk', hasAllTags: 'Не отвечает' }, dmitri],
	['email and another number', { email: 'anna.sokolova@example.com', phone: '79990005007' }, []],
])('contacts are found by %s: %j', async (_, filters, names) => {
	expect(await namesFor(filters)).toEqual(names);
});

const phone = '+79161234567';
const times = ['01T09:59:59.999+00:00', '01T10:00:00Z', '02T10:00:00.999+00:00', '02T10:00:01+0000'];
const period = { createdAfter: '2026-04-01T10:00:00Z', createdBefore: '2026-04-02T10:00:00Z' };

test.each<[key: string, values: unknown[], filters: object, found: number[]]>([
	// As a number or as text. What could be a username, too.
	...['telegram_id', 'viber_id', 'vk_user_id', 'vk_id', 'max_id', 'max_user_id'].flatMap(
		(key): Array<[string, unknown[], object, number[]]> => [
			[key, [7, '7', 8, null], { messengerId: '7' }, [0, 1]],
			[key, [7, 'Ab12Cd34'], { messengerId: 'Ab12Cd34' }, [1]],
		],
	),
	...['MAX', 'Telegram', 'Viber', 'VK', 'WhatsApp'].map((name): [string, unknown[], object, number[]] => {
		return ['messenger', [name, name.toLowerCase(), 'ICQ', null], { messenger: name.toLowerCase() }, [0, 1]];
	}),
	['phone', ['89161234567.0', '007 916 1234567', null, '+375 29 123-45-67'], { phone }, [0, 1]],
	['phone', ['79161234567:12@s.whatsapp.net', 79161234567, '8 (916) 123-45-67'], { phone }, [0, 1, 2]],
	['name', ['Борис', 'АННА '], { name: 'анна' }, [1]],
	['email', [null, 'Anna@Example.COM'], { email: 'anna@example.com' }, [1]],
	['telegram_username', [null, 'Anna_K'], { messengerId: '@anna_k' }, [1]],
	['tags', [[], ['VIP']], { hasAllTags: 'vip' }, [1]],
	['created_at', times.map((time) => `2026-04-${time}`), period, [1, 2]],
])('by their %s %j, contacts are found by %j', async (key, values, filters, found) => {
	const credential = await answeringRows(values.map((value, id) => ({ id, [key]: value })));
	expect((await read(filters, { credential })).json.map(({ id }) => id)).toEqual(found);
});

test('who has no time of creation comes out, as said', async () => {
	const unread = [null, undefined, 'вчера', '2026-04-01 10:30:00', ''];
	const created = [...unread, '2026-04-02T10:00:00Z', '2025-01-01T00:00:00Z'];
	const rows = created.map((created_at, id) => ({ id: id + 1, created_at, name: 'Анна' }));
	const credential = await answeringRows(rows);
	const said = [expect.stringMatching(/^5 of these contacts have no time of creation/)];
	for (const [filters, ids, notices] of [
		[{ createdAfter: '2026-04-01' }, [1, 2, 3, 4, 5, 6], said],
		[{ createdBefore: '2026-04-01' }, [1, 2, 3, 4, 5, 7], said],
		// Only a filter of the period needs to know.
		[{ name: 'анна' }, [1, 2, 3, 4, 5, 6, 7], []],
	] as const) {
		const result = await read(filters, { credential });
		expect([result.json.map(({ id }) => id), hintsOf(result)]).toEqual([ids, notices]);
	}
});

test('names of tags may have commas, and ё is not е', async () => {
	person(service, 'Ёжик', { tags: ['Скидка 1,5 %', 'Счёт'] });
	person(service, 'Ежик', { tags: ['Счет'] });
	expect(await namesFor({ hasAllTags: "={{ ['скидка 1,5 %', 'СЧЁТ'] }}" })).toEqual(['Ёжик']);
});

/*
 * Has No Tags, by which people who want no messages are left out. It is the only filter that a misspelled tag, or tags in an unknown
 * form, would make wider: these people would get the message.
 */
describe('Has No Tags', () => {
	const without = async (...tags: string[]) =>
		await read({ hasNoTags: '={{ $json.tags }}' }, { items: tags.map((each) => ({ tags: each })) });

	test.each(['Не писать', 'Не  писать'])('leaves out who has %j, however it is written', async (tag) => {
		person(service, 'Отказник', { tags: [tag] });
		const spellings = ['Не писать', 'НЕ ПИСАТЬ', 'Не  писать', 'Не\tписать', 'Не\u00a0писать '];
		const others = ['["Не писать"]', '"Не писать"', "'Не писать'", 'оплатил, не писать'];
		const result = await without(...spellings, ...others);
		expect(result.json.map(({ name }) => name)).not.toContain('Отказник');
		const all = service.data.contacts.size - 1;
		expect([result.json.length, hintsOf(result)]).toEqual([all * 9 - 1, []]);
	});

	test.each<[string, string]>([
		['Не писать.', "'Не писать.'"],
		// With a Latin letter.
		['Нe писать', "'Нe писать'"],
		['["Отписан","Не писать","Бывший"]', "'Отписан' or the tag 'Бывший'"],
	])('names a tag that no contact has: %j', async (tags, named) => {
		person(service, 'Отказник', { tags: ['Не писать'] });
		const notice = nobody(`the tag ${named}`);
		expect(hintsOf(await without('Не писать', tags))).toEqual([`${notice} (1 of 2 items)`]);
	});

	test('names it only after all contacts were read', async () => {
		addContacts(service.data, 1100);
		const filters = { hasNoTags: 'Отписан' };
		expect(await noticesOf(filters, few)).toEqual([]);
		expect(await noticesOf(filters)).toEqual([nobody("the tag 'Отписан'")]);
		person(service, 'Отказник', { tags: ['Отписан'] });
		expect(await noticesOf(filters)).toEqual([]);
	});

	test('names no tag for which a variable leaves out', async () => {
		person(service, 'Отказник', { tags: ['VIP'], отписан: '1' });
		expect(await noticesOf({ hasNoTags: 'Отписан', ...byVariables(['Отписан', 'notExists']) })).toEqual([]);
	});
});

/** Whether a person with these variables comes out. */
const isFound = async (variables: unknown, ...condition: Condition) => {
	const credential = await answeringRows([{ name: 'Анна', variables }]);
	return (await namesFor(byVariables(condition), { credential })).length === 1;
};

const [inCity, notTver]: Condition[] = [
	['Город', 'exists'],
	['Город', 'notEquals', 'Тверь'],
];
const [old, subscribed]: Condition[] = [
	['Возраст', 'equals', '41'],
	['Отписан', 'notEquals', 'Да'],
];

test('conditions find people', async () => {
	service.data.contacts.clear();
	person(service, 'Анна', { Город: 'Казань', Возраст: '28', Отписан: '' });
	person(service, 'Борис', { Город: 'Тверь', Возраст: '41', Отписан: 'да' });
	person(service, 'Вера', { Город: ' ', Возраст: '41' });
	const rows: Array<[Condition[], string[]]> = [
		[[[' город ', 'equals', 'КАЗАНЬ ']], ['Анна']],
		[[['Возраст', 'equals', '={{ 28 }}']], ['Анна']],
		[[['Город', 'notEquals', 'Казань']], ['Борис', 'Вера']],
		[[inCity!], ['Анна', 'Борис']],
		[[['Отписан', 'notExists']], ['Анна', 'Вера']],
		[[['Город рождения', 'exists']], []],
		[[old!, subscribed!], ['Вера']],
		[[inCity!, notTver!], ['Анна']],
	];
	for (const [conditions, names] of rows)
		expect([conditions, await namesFor(byVariables(...conditions))]).toEqual([conditions, names]);
	// One request for each.
	expect(service.requests.map(({ query }) => query.with)).toEqual(rows.map(() => 'variables'));
});

test.each<[found: unknown, wanted: unknown, isSame: boolean]>([
	['28.0', 28, true],
	['Нижний  Новгород', 'нижний\u00a0Новгород', true],
	[true, 'true', true],
	[0, '0', true],
	['007', '7', false],
	['12345678901234567890', '12345678901234567891', false],
	['Казань', 'Каз', false],
	[null, 'null', false],
])('a variable with %j equals %j: %s', async (found, wanted, isSame) => {
	expect(await isFound({ x: found }, 'x', 'equals', wanted)).toBe(isSame);
	expect(await isFound({ x: found }, 'x', 'notEquals', wanted)).toBe(!isSame);
});

test.each<[values: unknown[], isThere: boolean]>([
	[[undefined, null, '', ' \n', '\u200b'], false],
	[['нет', 0, false, '0'], true],
])('a variable with one of %j exists: %s', async (values, isThere) => {
	for (const name of ['x', '__proto__', 'constructor', 'toString']) {
		expect(await isFound([], name, 'exists')).toBe(false);
		for (const value of values) {
			expect([value, await isFound([{ name, value }], name, 'exists')]).toEqual([value, isThere]);
			expect([value, await isFound([{ name, value }], name, 'notExists')]).toEqual([value, !isThere]);
		}
	}
});

test('a notice names the variable that no contact has', async () => {
	service.data.contacts.clear();
	person(service, 'Отказник', { Город: 'Казань', Отписан: 'да' });
	person(service, 'Анна', { Город: 'Казань' });
	const expectNotices = async (conditions: Condition[], ...notices: string[]) =>
		expect([conditions, await noticesOf(byVariables(...conditions))]).toEqual([conditions, notices]);
	await expectNotices([['Отписался', 'notExists']], nobody("the variable 'Отписался'"));
	const value = 'the variable \'Отписан\' with the value "yes"';
	await expectNotices([['Отписан', 'notEquals', 'yes']], nobody(value));
	await expectNotices([['Отписан', 'notExists']]);
	// All of them, and no other one, nor one that all are to have.
	const three = ['Бот', 'Спам'].map((each): Condition => [each, 'notExists']);
	const both = nobody("the variable 'Бот' or the variable 'Спам'");
	await expectNotices([['Отписан', 'notEquals', 'да'], ...three], both);
	await expectNotices([inCity!, ['Город', 'equals', 'Казань']]);
});
