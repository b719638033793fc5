import fc from 'fast-check';

import { partUnreadable } from '../../nodes/ChatbotService/client/failure/failure';
import { addContacts, SEEDED } from '../../sandbox/emulator';
import { answeringRows } from './answering';
import { allContacts, byVariables, person } from './crowd';
import { hintsOf } from './harness';
import { scene, type Given } from './scene';

/*
 * Contact, Get Many: what contacts look like, how services may write their tags and variables, which pages are requested, and what is said
 * if nobody matches. A tag without people is told from a tag that does not exist.
 */

const { service, run } = scene(allContacts);
const { bots, contacts } = SEEDED;

const queries = () => service.requests.map(({ query }) => query);

/** A service of its own, with rows that the emulator does not have. */
const readFrom = async (data: object[], parameters: object) =>
	await run({ with: parameters, credential: await answeringRows(data) });

test.each(['named', 'nested'] as const)('tags and variables come if asked for: %s', async (variables) => {
	service.dialect.variables = variables;
	const filters = { name: 'Соколова' };
	const [plain] = (await run({ with: { filters } })).json;
	expect(plain).not.toHaveProperty('tags');
	const { json } = await run({ with: { include: '={{ "variables, tags" }}', filters } });
	expect(json).toMatchObject([
		{
			...{ id: contacts.telegram, messenger: 'telegram', bot_id: bots.school },
			tags: ['Новый лид', 'Пробный урок', 'Группа B1'],
			variables: { Город: 'Казань', Уровень: 'B1', 'Комментарий к заявке': 'Удобно после 18:00' },
		},
	]);
	// A filter by tag needs the tags, beside what is asked for.
	const tagged = await run({ with: { include: ['variables'], filters: { hasAnyTag: 'Группа B1' } } });
	expect([tagged.json, hintsOf(tagged)]).toEqual([json, []]);
	expect(queries().map((query) => query.with)).toEqual([undefined, ...Array(2).fill('tags,variables')]);
});

/** How a service may write that somebody wants no messages. */
const shapes = {
	tags: {
		filters: { hasNoTags: 'Не писать' },
		read: [
			...[
				['Не писать'],
				[{ id: 7, name: 'не писать' }],
				{ 1: 'Не писать' },
				{ data: [{ name: 'Не писать' }] },
			],
		],
		none: [[], null, '', {}, { data: [] }],
		unknown: [
			...[[{ title: 'Не писать' }], { 'Не писать': true }, '["Не писать"]', [7], false, ['VIP', null]],
			...[[{ name: '' }], [['Не писать']], { data: { data: ['Не писать'] } }, { name: 'Не писать' }],
		],
	},
	variables: {
		filters: byVariables(['Отписан', 'notExists']),
		read: [
			...[{ отписан: 'да' }, { отписан: '', ОТПИСАН: 'да' }, { 2: { name: 'Отписан', value: 'да' } }],
			{ data: [{ value: 'да', variable: { name: 'отписан' } }] },
		],
		none: [[], null, {}],
		unknown: [
			...['Отписан: да', ['Отписан'], [{ title: 'Отписан', value: 'да' }], { Отписан: { value: 'да' } }],
		],
	},
} as const;

describe.each(['tags', 'variables'] as const)('%s', (part) => {
	const { filters, read, none, unknown } = shapes[part];
	const people = (given: unknown) => [
		{ id: 1, name: 'Отказник', [part]: given },
		{ id: 2, name: 'Борис', [part]: [] },
	];
	const namesIn = async (given: unknown) =>
		(await readFrom(people(given), { filters })).json.map(({ name }) => name);

	test.each(read.map((given) => [given]))('%j are read, and leave out', async (given) => {
		expect(await namesIn(given)).toEqual(['Борис']);
	});

	test.each(none.map((given) => [given]))('%j are none', async (given) => {
		expect(await namesIn(given)).toEqual(['Отказник', 'Борис']);
		const included = (await readFrom(people(given), { include: [part] })).json[0]![part];
		expect(included).toEqual(part === 'tags' ? [] : {});
	});

	test.each(unknown.map((given) => [given]))('%j are unknown, so nobody comes out', async (given) => {
		const { json, error } = await readFrom(people(given), { filters });
		const { message, description } = partUnreadable(part, given);
		expect([json, error?.message, error?.description]).toEqual([[], `${message} [Item 0]`, description]);
		// Without the filter, they come out as they are.
		const included = await readFrom(people(given), { include: [part] });
		expect(included.json[0]![part]).toEqual(given);
		expect(JSON.stringify(included.json)).not.toMatch(/"undefined"|\[object/);
	});
});

test('gaps, and contacts without IDs, stay as they are', async () => {
	const nameless = { 2: { value: 'Тверь' }, 3: { name: '', value: 0 }, 4: { name: 'долг', value: 0 } };
	const variables = { 1: { value: '5', variable: { name: 'балл' } }, ...nameless };
	const rows = [
		{ tags: null, variables: null },
		{ tags: { 0: 'VIP', 2: { id: 7, name: 'Лид' } }, variables },
		{ tags: [], variables: { город: 'Тверь' } },
	];
	expect((await readFrom(rows, { include: ['tags', 'variables'] })).json).toEqual([
		{ tags: [], variables: {} },
		{ tags: ['VIP', 'Лид'], variables: { балл: '5', долг: 0 } },
		{ tags: [], variables: { город: 'Тверь' } },
	]);
});

const three = [['500'], ['500', '2'], ['500', '3']];

test.each<[string, object, string[][]]>([
	['all contacts', {}, three],
	['no more contacts than the limit', { returnAll: false, limit: 50 }, [['50']]],
	['a limit and a filter', { returnAll: false, limit: 3, filters: { hasAnyTag: 'Редкий, Оператор' } }, three],
])('pages are requested for %s', async (_, parameters, expected) => {
	addContacts(service.data, 1200);
	person(service, 'Редкий', { tags: ['Редкий'] });
	await run({ with: parameters });
	expect(queries().map(({ count, page }) => (page ? [count, page] : [count]))).toEqual(expected);
});

/* n8n drops a filter whose name it does not know, and a broadcast would go to everybody. */
test.each<[string, object, isSaid: boolean]>([
	['no filters', {}, true],
	['no filter of this name', { filters: { tags: 'VIP' } }, true],
	['a bot', { botId: String(bots.school) }, true],
	['a filter that all match', { filters: { createdAfter: '2000-01-01' } }, false],
	['a limit', { returnAll: false, limit: 5000 }, false],
])('with %s, it is said if these are all contacts', async (_, parameters, isSaid) => {
	const result = await run({ with: parameters });
	const all = `No filter is set, so the output has all ${result.json.length} contacts.`;
	expect([hintsOf(result), result.json.length > 1]).toEqual([isSaid ? [all] : [], true]);
});

const inSchool = { botId: String(bots.school) };

const askedTags = () => service.requests.filter(({ operation }) => operation === 'getBotTags').length;

const saidOf = async (filters: object, more: object = {}, given: Given = {}) => {
	const result = await run({ with: { ...more, filters }, ...given });
	expect([result.error, result.json]).toEqual([undefined, []]);
	return hintsOf(result).join();
};

const count = (botId?: number) =>
	[...service.data.contacts.values()].filter((contact) => [undefined, contact.botId].includes(botId)).length;
const readInSchool = () => `Read ${count(bots.school)} contacts: none`;

const tagsOfSchool = () => service.data.bots.get(bots.school)!.tags;

describe.each([
	['with tags', 'understood', 0, /$/],
	['without tags', 'ignored', 1, / This service returns contacts without tags, .* needs no extra request\.$/],
] as const)('at a service that returns contacts %s', (_, dialect, asked, after) => {
	beforeEach(() => void (service.dialect.with = dialect));

	/** Only these words are said, before those about a service without tags. */
	const expectOnly = (said: string, words: string) => {
		expect(said).toMatch(after);
		expect(said.replace(after, '')).toBe(words);
	};

	test.each(['hasAllTags', 'hasAnyTag'])('a tag that the bot does not have: %s', async (filter) => {
		const tags = tagsOfSchool().join(', ');
		const said = await saidOf({ [filter]: 'Новый лит' }, inSchool);
		expect(said).toBe(`The bot has no tag 'Новый лит'. Its tags: ${tags}.,${readInSchool()} matches.`);
		// No tags of single contacts.
		expect(service.requests.map(({ operation }) => operation)).toEqual(['getContacts', 'getBotTags']);
	});

	test('a tag that only the bot has, in any spelling', async () => {
		tagsOfSchool().push('Архив');
		const said = await saidOf({ hasAllTags: ' архив' }, inSchool);
		expectOnly(said, `${readInSchool()} has the tag 'архив', which the bot has.`);
		// The other one is misspelt.
		expect(await saidOf({ hasAnyTag: 'Архив, Новый лит' }, inSchool)).toContain('Its tags: ');
	});

	test('a tag that no contact of all bots has', async () => {
		for (const [index, contact] of [...service.data.contacts.values()].entries())
			contact.tags = index ? ['VIP'] : ['Новый', 'vip'];
		const words = `Read ${count()} contacts: none has the tag 'Новый лит' or 'Архив'.`;
		const said = await saidOf({ hasAnyTag: 'Новый лит, Архив' });
		expectOnly(said, `${words} Tags of these contacts: Новый, VIP.`);
		expect(askedTags()).toBe(0);
	});

	test('nothing is asked if the contacts have the tags', async () => {
		const some = await run({ with: { ...inSchool, filters: { hasAnyTag: 'Новый лит, Новый лид' } } });
		expect(some.json).toHaveLength(1);
		expectOnly(await saidOf({ hasAllTags: 'Новый лид, Оплатил' }, inSchool), `${readInSchool()} matches.`);
		expect(askedTags()).toBe(2 * asked);
		await run({ with: { ...inSchool, include: ['tags'] } });
		expect(askedTags()).toBe(2 * asked);
	});
});

/* A bot with some tags, contacts with some of these, and filters that may name others. */
test.each(['understood', 'ignored'] as const)(
	'tags that the bot does not have are named: %s',
	async (dialect) => {
		service.dialect.with = dialect;
		const people = [...service.data.contacts.values()]
			.filter(({ botId }) => botId === bots.school)
			.slice(0, 3);
		for (const { id } of [...service.data.contacts.values()].filter((each) => !people.includes(each)))
			service.data.contacts.delete(id);
		const some = (names: string[]) => fc.subarray(names);
		const mix = fc.record({
			had: fc.tuple(some(['А', 'Б']), some(['А', 'Б']), some(['А', 'Б'])),
			wanted: some(['а', 'В']),
			filter: fc.constantFrom('hasAllTags', 'hasAnyTag'),
			optOut: some(['б ', 'Г']),
		});
		await fc.assert(
			fc.asyncProperty(mix, async ({ had, wanted, filter, optOut }) => {
				tagsOfSchool().splice(0, Infinity, 'А', 'Б');
				for (const [index, tags] of had.entries()) people[index]!.tags = tags;
				service.requests.length = 0;
				const filters = {
					...(wanted.length && { [filter]: wanted.join() }),
					...(optOut.length && { hasNoTags: optOut.join() }),
				};
				const result = await run({ with: { ...inSchool, filters } });
				const has = (tags: string[], name: string) => tags.includes(name.trim().toUpperCase());
				const passes = (tags: string[]) =>
					(!wanted.length || wanted[filter === 'hasAllTags' ? 'every' : 'some']((name) => has(tags, name))) &&
					!optOut.some((name) => has(tags, name));
				expect(result.json.map(({ id }) => id)).toEqual(
					people.filter(({ tags }) => passes(tags)).map(({ id }) => id),
				);
				const isNever = wanted.includes('В') && (filter === 'hasAllTags' || wanted.length === 1);
				const ofContacts = service.requests.filter(({ operation }) => operation === 'getContactTags').length;
				const isOneByOne = dialect === 'ignored' && wanted.length + optOut.length > 0;
				expect(ofContacts).toBe(isOneByOne && !isNever ? people.length : 0);
				// With their tags, only a tag without people is a reason for a request, if nobody matches.
				const isTold =
					isOneByOne || (!result.json.length && wanted.some((name) => !had.some((tags) => has(tags, name))));
				const misspelt = ['В', 'Г'].filter((name) => isTold && [...wanted, ...optOut].includes(name));
				const words = misspelt.map((name) => `'${name}'`).join(' or ');
				const warning = words && `The bot has no tag ${words}. Its tags: А, Б.`;
				expect(hintsOf(result, 'warning').join()).toBe(warning);
				expect(hintsOf(result)[0] ?? '').toMatch(warning ? /^The bot has no tag/ : /^(?!The bot)/);
				const isNoted = !isTold && result.json.length > 0 && optOut.includes('Г');
				expect(/the tag 'Г'.*: nobody was left out/.test(hintsOf(result).join())).toBe(isNoted);
			}),
			{ numRuns: 40 },
		);
	},
);

test('of a bot without tags, it is said', async () => {
	tagsOfSchool().splice(0);
	expect(await saidOf({ hasAllTags: 'Нет' }, inSchool)).toContain(
		"The bot has no tag 'Нет'. Its tags: none.",
	);
});

test('only those whose tags were read count', async () => {
	service.dialect.with = 'ignored';
	addContacts(service.data, 30);
	tagsOfSchool().push('Архив');
	const filters = { hasAllTags: 'Архив', messenger: 'vk' };
	expect(await saidOf(filters, inSchool)).toContain(
		`${readInSchool()} of those whose tags were read has the tag 'Архив', which the bot has.`,
	);
	// Nobody was asked for.
	expect(await saidOf({ ...filters, name: 'Нет такого' }, inSchool)).toBe(`${readInSchool()} matches.`);
});

test.each([
	[403, { message: 'Forbidden' }],
	[200, { data: [{ title: 'Оплатил' }] }],
])('tags that cannot be read are left out: %s', async (status, body) => {
	service.faults.add({ kind: 'answer', status, body, match: { path: 'getBotTags' } });
	// More than look at the same time: the run goes on.
	const items = Array.from({ length: 12 }, () => ({ tag: 'Новый лит' }));
	const said = await saidOf({ hasAllTags: '={{ $json.tag }}' }, inSchool, { items });
	expect(said).toBe(`${readInSchool()} has the tag 'Новый лит'. (12 of 12 items)`);
});

test.each([
	[403, { message: 'Forbidden' }],
	[500, { message: 'Server Error' }],
	[200, { data: [] }],
])('tags of the bot that do not come leave out nobody: %s %j', async (status, body) => {
	service.dialect.with = 'ignored';
	service.faults.add({ kind: 'answer', status, body, match: { path: 'getBotTags' } });
	const filters = { hasAllTags: 'новый лид', hasNoTags: 'Оплатил' };
	const { error, json } = await run({ with: { ...inSchool, filters } });
	expect(error).toBeUndefined();
	expect(json.map(({ id }) => id)).toEqual([contacts.telegram]);
});

test.each<[string, object, string]>([
	['a bot', { ...inSchool, filters: { hasAllTags: 'VIP' } }, 'This bot has no contacts.'],
	['an account', {}, 'The account has no contacts.'],
	['an account, without a tag', { filters: { hasNoTags: 'VIP' } }, 'The account has no contacts.'],
	['a period', { filters: { createdAfter: '2031-01-01', hasAllTags: 'VIP' } }, 'No contact was created in'],
])('without contacts, one notice says so: %s', async (_, parameters, said) => {
	service.data.contacts.clear();
	const result = await run({ with: parameters });
	expect([result.error, result.json]).toEqual([undefined, []]);
	expect([hintsOf(result), askedTags()]).toEqual([[expect.stringContaining(said)], 0]);
});
