import type { IDataObject } from 'n8n-workflow';

import { addContact, addContacts, SEEDED } from '../../sandbox/emulator';
import { vipAndNew } from '../pasted/names';
import { startAnswering } from './answering';
import { credentialFor, hintsOf, type RunOptions } from './harness';
import { scene, usual } from './scene';

/* Contact, Get Many: which contacts its filters find. Those by variables: contactVariablesFilter; values that are refused: cases/contactCases. */

const { service, run } = scene(
	usual('contact/getAll', { botId: '', returnAll: true, include: [], filters: {} }),
);

const namesFor = async (filters: object, given: Partial<RunOptions> = {}) => {
	const result = await run({ with: { filters }, ...given });
	expect(result.error).toBeUndefined();
	return result.json.map(({ name }) => name);
};

/** A service of its own, with rows that the emulator does not have. */
const from = async (data: object[]) => ({
	credential: credentialFor(await startAnswering(() => ({ data }))),
});

const person = (name: string, tags: string[]) =>
	addContact(service.data, {
		...{ botId: SEEDED.bots.school, messenger: 'telegram', name, externalId: name, phone: undefined, tags },
	});

const anna = ['Анна Соколова'];
const dmitri = ['Дмитрий Орлов'];

test.each<[string, object, string[]]>([
	['all tags, without case and blanks', { hasAllTags: ' новый лид ,ПРОБНЫЙ УРОК' }, anna],
	['all tags, of which one is not enough', { hasAllTags: 'Новый лид, Оплатил' }, []],
	['any tag', { hasAnyTag: 'Оплатил\nНе отвечает' }, ['Иван Петров', ...dmitri]],
	['phone number with 8', { phone: '8 (916) 123-45-67' }, anna],
	['email without case', { email: ' Anna.Sokolova@Example.com' }, anna],
	['ID, which the service returns as a number', { messengerId: 17450283 }, dmitri],
	['ID in Viber', { messengerId: 'u7Qm1dXkPq0Zs3R8fT2yLw==' }, ['Мария Кузнецова']],
	['username', { messengerId: ' @Anna_Sokolova_Kazan' }, anna],
	['username with a letter nobody sees', { messengerId: '\u200b@ANNA_SOKOLOVA_KAZAN' }, anna],
	['link of a username', { messengerId: 'telegram.me/anna_sokolova_kazan' }, anna],
	...['@anna_sokolova', '@sokolova_kazan', '@undefined_kazan'].map(
		(messengerId): [string, object, string[]] => ['username of nobody', { messengerId }, []],
	),
	['part of the name', { name: 'орлов' }, dmitri],
	['messenger and tag', { messenger: 'vk', hasAllTags: 'Не отвечает' }, dmitri],
	['messenger and another tag', { messenger: 'vk', hasAllTags: 'Оплатил' }, []],
	['email and phone number', { email: 'anna.sokolova@example.com', phone: '+79161234567' }, anna],
	['email and another number', { email: 'anna.sokolova@example.com', phone: '79990005007' }, []],
])('contacts are found by %s: %j', async (_, filters, names) => {
	expect(await namesFor(filters)).toEqual(names);
});

test.each(['telegram_id', 'viber_id', 'vk_user_id', 'vk_id', 'max_id', 'max_user_id'])(
	'an ID is found that the service calls %s',
	async (key) => {
		// As a number or as text.
		const rows = [7, '7', 8, null, 'Ab12Cd34'].map((id, row) => ({ name: row, [key]: id }));
		const given = await from(rows);
		expect(await namesFor({ messengerId: '7' }, given)).toEqual([0, 1]);
		// It could be a username, too.
		expect(await namesFor({ messengerId: 'Ab12Cd34' }, given)).toEqual([4]);
	},
);

test.each<[object]>([
	[{ name: 'анна' }],
	[{ email: 'anna@example.com' }],
	[{ messengerId: '@anna_k' }],
	[{ phone: '+79161234567' }],
	[{ hasAllTags: 'vip' }],
])('%j finds what the service writes in its way', async (filters) => {
	const boris = { name: 'Борис', email: null, telegram_username: null, phone: null, tags: [] };
	const found = { name: 'АННА ', email: 'Anna@Example.COM', telegram_username: 'Anna_K', tags: ['VIP'] };
	const given = await from([boris, { ...found, phone: '8 (916) 123-45-67' }]);
	expect(await namesFor(filters, given)).toEqual(['АННА ']);
});

test.each(['89161234567.0', '007 916 1234567', '79161234567:12@s.whatsapp.net', 79161234567])(
	'a number stored as %p is found',
	async (phone) => {
		const rows = [phone, null, '+375 29 123-45-67'].map((each, row) => ({ name: row, phone: each }));
		expect(await namesFor({ phone: '+79161234567' }, await from(rows))).toEqual([0]);
	},
);

test.each(['MAX', 'Telegram', 'Viber', 'VK', 'WhatsApp'])('a messenger written %s is found', async (name) => {
	const rows = [name, name.toLowerCase(), 'ICQ', null].map((messenger, row) => ({ name: row, messenger }));
	expect(await namesFor({ messenger: name.toLowerCase() }, await from(rows))).toEqual([0, 1]);
});

test('a period holds even if the service ignores it', async () => {
	const times = ['01T09:59:59.999+00:00', '01T10:00:00Z', '02T10:00:00.999+00:00', '02T10:00:01+0000'];
	const rows = times.map((time, id) => ({ name: id, created_at: `2026-04-${time}` }));
	const filters = { createdAfter: '2026-04-01T10:00:00Z', createdBefore: '2026-04-02T10:00:00Z' };
	expect(await namesFor(filters, await from(rows))).toEqual([1, 2]);
});

test('who has no time of creation comes out, as said', async () => {
	const unread = [null, undefined, 'вчера', '2026-04-01 10:30:00', ''];
	const times = [...unread, '2026-04-02T10:00:00Z', '2025-01-01T00:00:00Z'];
	const given = await from(times.map((created_at, id) => ({ id: id + 1, created_at, name: 'Анна' })));
	const read = async (filters: object) => {
		const result = await run({ with: { filters }, ...given });
		return [result.json.map(({ id }) => id), hintsOf(result)];
	};
	const said = [expect.stringMatching(/^5 of these contacts have no time of creation/)];
	expect(await read({ createdAfter: '2026-04-01' })).toEqual([[1, 2, 3, 4, 5, 6], said]);
	expect(await read({ createdBefore: '2026-04-01' })).toEqual([[1, 2, 3, 4, 5, 7], said]);
	// Only a filter of the period needs to know.
	expect(await read({ name: 'анна' })).toEqual([[1, 2, 3, 4, 5, 6, 7], []]);
});

const byTags = async (name: string, tags: unknown) =>
	await namesFor({ [name]: '={{ $json.tags }}' }, { items: [{ tags } as IDataObject] });

test('names of tags may have commas, and ё is not е', async () => {
	person('Ёжик', ['Скидка 1,5 %', 'Счёт']);
	person('Ежик', ['Счет']);
	expect(await byTags('hasAllTags', ['скидка 1,5 %', 'СЧЁТ'])).toEqual(['Ёжик']);
});

test('two tags may be written in many ways', async () => {
	person('Оба', ['Новый', 'vip']);
	person('Один', ['VIP']);
	const items = vipAndNew.map((tags) => ({ tags }) as IDataObject);
	for (const [name, found] of Object.entries({ hasAllTags: ['Оба'], hasAnyTag: ['Оба', 'Один'] }))
		expect(await namesFor({ [name]: '={{ $json.tags }}' }, { items })).toEqual(items.flatMap(() => found));
});

/*
 * Has No Tags, by which people who want no messages are left out. It is the only filter that a misspelled tag, or tags in an unknown
 * form, would make wider: these people would get the message.
 */
describe('Has No Tags', () => {
	const without = async (...tags: unknown[]) =>
		await run({
			with: { filters: { hasNoTags: '={{ $json.tags }}' } },
			items: tags.map((each) => ({ tags: each }) as IDataObject),
		});
	const noticeOf = (tags: string) => `No contact has the tag ${tags}: nobody was left out because of it.`;

	test.each(['Не писать', 'Не  писать'])('leaves out who has %j, however it is written', async (tag) => {
		person('Отказник', [tag]);
		const spellings = ['Не писать', 'НЕ ПИСАТЬ', 'Не  писать', 'Не\tписать', 'Не\u00a0писать '];
		const others = [['Не писать'], '["Не писать"]', '"Не писать"', "'Не писать'", 'оплатил, не писать'];
		const result = await without(...spellings, ...others);
		expect(result.json.map(({ name }) => name)).not.toContain('Отказник');
		const paid = service.data.contacts.size - 1;
		expect([result.json.length, hintsOf(result)]).toEqual([paid * 10 - 1, []]);
	});

	test.each<[unknown, string]>([
		...['Не писать.', 'Неписать', 'не-писать', '#Не писать', '«Не писать»', 'Не писать|Отписан'].map(
			(tag): [string, string] => [tag, `'${tag}'`],
		),
		// With a Latin letter.
		['Нe писать', "'Нe писать'"],
		['Не писать; Отписан', "'Отписан'"],
		['"Не писать","Отписан"', "'Отписан'"],
		['["Отписан","Не писать","Бывший"]', "'Отписан' or the tag 'Бывший'"],
	])('names a tag that no contact has: %j', async (tags, named) => {
		person('Отказник', ['Не писать']);
		expect(hintsOf(await without(tags))).toEqual([noticeOf(named)]);
		expect(hintsOf(await without('Не писать', tags))).toEqual([`${noticeOf(named)} (1 of 2 items)`]);
	});

	test('names it only after all contacts were read', async () => {
		addContacts(service.data, 1100);
		const filters = { hasNoTags: 'Отписан' };
		expect(hintsOf(await run({ with: { returnAll: false, limit: 5, filters } }))).toEqual([]);
		expect(hintsOf(await run({ with: { filters } }))).toEqual([noticeOf("'Отписан'")]);
		person('Отказник', ['Отписан']);
		expect(hintsOf(await run({ with: { filters } }))).toEqual([]);
	});

	test('names no tag for which a variable leaves out', async () => {
		const refuser = person('Отказник', ['VIP']);
		refuser.variables.push({ id: 1, name: 'отписан', value: '1', deletable: false });
		const variables = { conditions: [{ name: 'Отписан', condition: 'notExists' }] };
		expect(hintsOf(await run({ with: { filters: { hasNoTags: 'Отписан', variables } } }))).toEqual([]);
	});
});
