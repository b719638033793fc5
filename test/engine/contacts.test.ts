import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { emptyField } from '../../nodes/ChatbotService/run/values/problems';
import { addContact, addContacts, SEEDED } from '../../sandbox/emulator';
import { labelOf } from '../operations/words';
import { vipAndNew } from '../pasted/names';
import { startAnswering } from './answering';
import { getMany, readerOf } from './contacts';
import { callInBothWays, credentialFor, hintsOf, useEmulator } from './harness';

/* Contact, Get Many: which contacts come out, what they look like, and what is said about those that do not. */

const service = useEmulator();
const { bots, contacts } = SEEDED;

const read = readerOf(service);

const namesFor = async (filters: INodeParameters, items?: IDataObject[]) => {
	const result = await read({ filters }, items && { items });
	const isSaid = !result.json.length || !Object.keys(filters).length;
	expect([result.error, hintsOf(result)]).toEqual([undefined, isSaid ? [expect.any(String)] : []]);
	return result.json.map(({ name }) => name);
};

const labelAt = (name: string) => labelOf('contact/getAll', `filters.${name}`);
const asked = () => service.requests.map(({ query }) => query);

const person = (name: string, more: Partial<Parameters<typeof addContact>[1]>) =>
	addContact(service.data, {
		...{ botId: bots.school, messenger: 'telegram', name, externalId: name, phone: undefined },
		...more,
	});

describe('a filter', () => {
	const late = `'${labelAt('createdAfter')}' is later than '${labelAt('createdBefore')}'`;

	test.each<[string, INodeParameters, string[]]>([
		['all tags, without case and blanks', { hasAllTags: ' новый лид ,ПРОБНЫЙ УРОК' }, ['Анна Соколова']],
		['all tags, of which one is not enough', { hasAllTags: 'Новый лид, Оплатил' }, []],
		['any tag', { hasAnyTag: 'Оплатил\nНе отвечает' }, ['Иван Петров', 'Дмитрий Орлов']],
		['phone number with 8', { phone: '8 (916) 123-45-67' }, ['Анна Соколова']],
		['email without case', { email: ' Anna.Sokolova@Example.com' }, ['Анна Соколова']],
		['ID, which the service returns as a number', { messengerId: 17450283 }, ['Дмитрий Орлов']],
		['ID in Viber', { messengerId: 'u7Qm1dXkPq0Zs3R8fT2yLw==' }, ['Мария Кузнецова']],
		['part of the name', { name: 'орлов' }, ['Дмитрий Орлов']],
		['messenger and tag', { messenger: 'vk', hasAllTags: 'Не отвечает' }, ['Дмитрий Орлов']],
		['messenger and another tag', { messenger: 'vk', hasAllTags: 'Оплатил' }, []],
		[
			'email and phone number',
			{ email: 'anna.sokolova@example.com', phone: '+79161234567' },
			['Анна Соколова'],
		],
		[
			'email and the phone number of somebody else',
			{ email: 'anna.sokolova@example.com', phone: '79990005007' },
			[],
		],
	])('finds contacts by %s', async (_, filters, names) => {
		expect(await namesFor(filters)).toEqual(names);
	});

	test('leaves out the contacts that have one of the tags', async () => {
		const everybody = await namesFor({});
		const others = await namesFor({ hasNoTags: 'оплатил, не отвечает' });
		expect(others).toEqual(everybody.filter((name) => name !== 'Иван Петров' && name !== 'Дмитрий Орлов'));
	});

	test.each(['telegram_id', 'viber_id', 'vk_user_id', 'vk_id', 'max_id', 'max_user_id'])(
		'finds a contact by an ID that the service calls %s, as a number or as text',
		async (key) => {
			const data = [7, '7', 8, null, 'Ab12Cd34'].map((id, row) => ({ id: row + 1, [key]: id }));
			const credential = credentialFor(await startAnswering(() => ({ data })));
			const found = async (messengerId: string) =>
				(await read({ filters: { messengerId } }, { credential })).json.map(({ id }) => id);
			// The other one could be a username, too.
			expect([await found('7'), await found('Ab12Cd34')]).toEqual([[1, 2], [5]]);
		},
	);

	test.each<[INodeParameters]>([
		[{ name: 'анна' }],
		[{ email: 'anna@example.com' }],
		[{ messengerId: '@anna_k' }],
		[{ phone: '+79161234567' }],
		[{ hasAllTags: 'vip' }],
	])('finds a contact by %j, in whatever spelling the service writes it', async (filters) => {
		const anna = { name: 'АННА ', email: 'Anna@Example.COM', telegram_username: 'Anna_K', tags: ['VIP'] };
		const boris = { name: 'Борис', email: null, telegram_username: null, phone: null, tags: [] };
		const answering = await startAnswering(() => ({
			data: [boris, { ...anna, phone: '8 (916) 123-45-67' }],
		}));
		const { json } = await read({ filters }, { credential: credentialFor(answering) });
		expect(json.map(({ name }) => name)).toEqual(['АННА ']);
	});

	test.each([
		'8 (916) 123-45-67',
		'89161234567.0',
		'007 916 1234567',
		'79161234567:12@s.whatsapp.net',
		79161234567,
	])('finds a number that the service stores as %p', async (phone) => {
		const data = [phone, null, '+375 29 123-45-67'].map((each, row) => ({ id: row + 1, phone: each }));
		const credential = credentialFor(await startAnswering(() => ({ data })));
		const { json } = await read({ filters: { phone: '+79161234567' } }, { credential });
		expect(json.map(({ id }) => id)).toEqual([1]);
	});

	test.each(['MAX', 'Telegram', 'Viber', 'VK', 'WhatsApp'])(
		'finds contacts by messenger if the service writes %s',
		async (messenger) => {
			const names = [messenger, messenger.toLowerCase(), 'ICQ', null];
			const data = names.map((each, row) => ({ id: row + 1, messenger: each }));
			const credential = credentialFor(await startAnswering(() => ({ data })));
			const { json } = await read({ filters: { messenger: messenger.toLowerCase() } }, { credential });
			expect(json.map(({ id }) => id)).toEqual([1, 2]);
		},
	);

	test('of a period holds even if the service ignores it', async () => {
		const times = ['01T09:59:59.999+00:00', '01T10:00:00Z', '02T10:00:00.999+00:00', '02T10:00:01+0000'];
		const data = [...times, '03 10:30:00'].map((time, id) => ({ id, created_at: `2026-04-${time}` }));
		const answering = await startAnswering(() => ({ data }));
		const filters = { createdAfter: '2026-04-01T10:00:00Z', createdBefore: '2026-04-02T10:00:00Z' };
		const credential = credentialFor(answering);
		const result = await read({ filters }, { credential });
		// The last one has no time zone, so the service decides, and only a filter of the period needs to know.
		expect(result.json.map(({ id }) => id)).toEqual([1, 2, 4]);
		expect(hintsOf(result)).toEqual([expect.stringMatching(/^1 of these contacts have no time/)]);
		expect(hintsOf(await read({}, { credential })).join()).not.toContain('no time');
	});

	test('takes a list of tags, whose names may contain commas, and keeps ё as it is written', async () => {
		person('Ёжик', { tags: ['Скидка 1,5 %', 'Счёт'] });
		person('Ежик', { tags: ['Счет'] });
		const items = [{ tags: ['скидка 1,5 %', 'СЧЁТ'] }];
		expect(await namesFor({ hasAllTags: '={{ $json.tags }}' }, items)).toEqual(['Ёжик']);
	});

	test.each(vipAndNew.map((tags) => [tags]))('takes %j for two tags', async (tags) => {
		person('Оба', { tags: ['Новый', 'vip'] });
		person('Один', { tags: ['VIP'] });
		const filterBy = async (name: string) =>
			await namesFor({ [name]: '={{ $json.tags }}' }, [{ tags } as never]);
		expect(await filterBy('hasAllTags')).toEqual(['Оба']);
		expect(await filterBy('hasAnyTag')).toEqual(['Оба', 'Один']);
	});

	test.each<[string, INodeParameters, string]>([
		['tags that are only commas', { hasAnyTag: ' , ,' }, emptyField(labelAt('hasAnyTag')).message],
		['a Unix time', { createdAfter: 1775001600 }, `'${labelAt('createdAfter')}' must be a date and time`],
		[
			'a period that ends before it begins',
			{ createdAfter: '2026-05-01', createdBefore: '2026-04-30' },
			late,
		],
		['a phone number that is none', { phone: 'нет' }, `'${labelAt('phone')}' is not a valid phone number`],
	])('is refused before anything leaves: %s', async (_, filters, message) => {
		const { error } = await read({ filters });
		expect(error?.message).toBe(`${message} [Item 0]`);
		expect(service.requests).toEqual([]);
	});
});

describe('the output', () => {
	test.each(['named', 'nested'] as const)(
		'has tags and variables only if they are asked for, and the service may write variables %s',
		async (variables) => {
			service.dialect.variables = variables;
			const filters = { name: 'Соколова' };
			const [plain] = (await read({ filters })).json;
			expect(plain).not.toHaveProperty('tags');
			const { json } = await read({ include: '={{ "variables, tags" }}', filters });
			expect(json).toMatchObject([
				{
					...{ id: contacts.telegram, messenger: 'telegram', bot_id: bots.school },
					tags: ['Новый лид', 'Пробный урок', 'Группа B1'],
					variables: { Город: 'Казань', Уровень: 'B1', 'Комментарий к заявке': 'Удобно после 18:00' },
				},
			]);
			// A filter by tag needs the tags, beside what is asked for.
			const tagged = await read({ include: ['variables'], filters: { hasAnyTag: 'Группа B1' } });
			expect([tagged.json, hintsOf(tagged)]).toEqual([json, []]);
			expect(asked().map((query) => query.with)).toEqual([undefined, ...Array(2).fill('tags,variables')]);
		},
	);
});

describe('pages', () => {
	test.each<[string, INodeParameters, Array<[count: string, page?: string]>]>([
		['all contacts in full pages', {}, [['500'], ['500', '2'], ['500', '3']]],
		['no more contacts than the limit', { returnAll: false, limit: 50 }, [['50']]],
		[
			'up to the page that fills the limit',
			{ returnAll: false, limit: 3, filters: { hasAnyTag: 'Записан на приём, Редкий' } },
			[['500'], ['500', '2'], ['500', '3']],
		],
	])('are requested for %s', async (_, parameters, expected) => {
		addContacts(service.data, 1200);
		person('Редкий', { tags: ['Редкий'] });
		await read(parameters);
		expect(asked().map(({ count, page }) => (page ? [count, page] : [count]))).toEqual(expected);
	});

	test('are requested for each item with as many rows as it needs', async () => {
		addContacts(service.data, 60);
		const items = [{ limit: 1 }, { limit: 50 }];
		await read({ returnAll: false, limit: '={{ $json.limit }}' }, { items });
		expect(
			asked()
				.map(({ count }) => count)
				.sort(),
		).toEqual(['1', '50']);
	});

	test('of contacts without IDs, with tags as objects, gaps and nothing, come out as they are', async () => {
		const nameless = { 2: { value: 'Тверь' }, 3: { name: '', value: 0 }, 4: { name: 'долг', value: 0 } };
		const holes = { 1: { value: '5', variable: { name: 'балл' } }, ...nameless };
		const rows = [
			{ name: 'Без номера', tags: null, variables: null },
			{ name: 'С дырами', tags: { 0: 'VIP', 2: { id: 7, name: 'Лид' } }, variables: holes },
			{ name: 'По именам', tags: [], variables: { город: 'Тверь' } },
		];
		const answering = await startAnswering(() => ({ data: rows }));
		const { json } = await read({ include: ['tags', 'variables'] }, { credential: credentialFor(answering) });
		expect(json).toEqual([
			{ name: 'Без номера', tags: [], variables: {} },
			{ name: 'С дырами', tags: ['VIP', 'Лид'], variables: { балл: '5', долг: 0 } },
			{ name: 'По именам', tags: [], variables: { город: 'Тверь' } },
		]);
	});
});

/* n8n drops a filter whose name it does not know, and a broadcast would go to everybody. */
test.each<[string, INodeParameters, isSaid: boolean]>([
	['no filters', {}, true],
	['no filter of this name', { filters: { tags: 'VIP' } }, true],
	['a bot', { botId: String(bots.school) }, true],
	['a filter that all match', { filters: { createdAfter: '2000-01-01' } }, false],
	['a limit', { returnAll: false, limit: 5000 }, false],
])('a run with %s says if these are all contacts', async (_, parameters, isSaid) => {
	const result = await read(parameters);
	const all = `No filter is set: all ${result.json.length} contacts.`;
	expect([hintsOf(result), result.json.length > 1]).toEqual([isSaid ? [all] : [], true]);
});

test.each<[string, INodeParameters]>([
	['no filter', {}],
	['tags and variables', { include: ['tags', 'variables'] }],
	['a tag', { filters: { hasAllTags: 'VIP' } }],
	['a tag to leave out', { filters: { hasNoTags: 'Не писать' } }],
])('an account without contacts is no error, and one notice says so: %s', async (_, parameters) => {
	service.data.contacts.clear();
	const result = await read(parameters);
	expect([result.error, result.json]).toEqual([undefined, []]);
	expect(hintsOf(result)).toEqual(['The account has no contacts.']);
});

test('if nothing is found, one notice says so for all items, with the number of contacts that were read', async () => {
	const items = [{ phone: '+79990000000' }, { phone: '+79161234567' }, { phone: '+79990000001' }];
	addContacts(service.data, 1156);
	const filters = { phone: '={{ $json.phone }}' };
	const result = await read({ filters }, { items });
	expect(result.outputs[0]).toMatchObject([{ json: { id: contacts.telegram }, pairedItem: { item: 1 } }]);
	expect(hintsOf(result)).toEqual(['Read 1,200 contacts, none matches. (2 of 3 items)']);
});

test('a filter that the model of an agent leaves empty does not count, but not all may be empty', async () => {
	const byModel = (name: string) => `={{ $fromAI('${name}', '', 'string') }}`;
	const filters = { phone: byModel('phone'), name: byModel('name'), hasAnyTag: byModel('tags') };
	const parameters = getMany({ include: byModel('include'), filters });
	const call = async (values: IDataObject) => {
		const all = { phone: '', name: '', tags: '', include: '', ...values };
		const answers = await callInBothWays({ parameters, credential: credentialFor(service) }, all);
		return answers.map((answer) => JSON.stringify(answer));
	};
	for (const answer of await call({})) expect(answer).toContain('are empty');
	expect(service.requests).toEqual([]);
	for (const answer of await call({ name: 'соколова', include: 'tags' }))
		expect(answer).toContain('Пробный урок');
	const unfiltered = getMany({ include: byModel('include') });
	const options = { parameters: unfiltered, credential: credentialFor(service) };
	for (const answer of await callInBothWays(options, { include: '' }))
		expect(answer).toHaveLength(service.data.contacts.size);
	for (const answer of await call({ phone: 'Анна' })) {
		expect(answer).toContain('is not a valid phone number');
		expect(answer).not.toContain('are empty');
	}
});
