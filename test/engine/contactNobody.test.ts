import { addContacts, SEEDED } from '../../sandbox/emulator';
import { allContacts } from './crowd';
import { hintsOf } from './harness';
import { placesOf, scene, type Given } from './scene';

/* Contact, Get Many: what is said if nobody matches. A tag without people is told from a tag that does not exist. */

const { service, run, answers } = scene(allContacts);
const { bots } = SEEDED;
const inSchool = { botId: String(bots.school) };

const asked = () => service.requests.filter(({ operation }) => operation === 'getBotTags').length;

const saidOf = async (filters: object, more: object = {}, given: Given = {}) => {
	const result = await run({ with: { ...more, filters }, ...given });
	expect([result.error, result.json]).toEqual([undefined, []]);
	return hintsOf(result).join();
};

const count = (botId?: number) =>
	[...service.data.contacts.values()].filter((contact) => [undefined, contact.botId].includes(botId)).length;
const readInSchool = () => `Read ${count(bots.school)} contacts, none`;

const tagsOfSchool = () => service.data.bots.get(bots.school)!.tags;

describe.each([
	['with tags', 'understood', /^/],
	['without tags', 'ignored', /^This service returns contacts without tags, .* needs no extra request\. /],
] as const)('at a service that returns contacts %s', (_, dialect, before) => {
	beforeEach(() => void (service.dialect.with = dialect));

	/** Only these words are said, after those about a service without tags. */
	const expectOnly = (said: string, words: string) => {
		expect(said).toMatch(before);
		expect(said.replace(before, '')).toBe(words);
	};

	test.each(['hasAllTags', 'hasAnyTag'])('a tag that the bot does not have: %s', async (filter) => {
		const tags = tagsOfSchool().join(', ');
		const said = await saidOf({ [filter]: 'Новый лит' }, inSchool);
		expectOnly(said, `${readInSchool()} has the tag 'Новый лит'. Tags of this bot: ${tags}.`);
		expect(asked()).toBe(1);
	});

	test('a tag that only the bot has, in any spelling', async () => {
		tagsOfSchool().push('Архив');
		const said = await saidOf({ hasAllTags: ' архив' }, inSchool);
		expectOnly(said, `${readInSchool()} has the tag 'архив', which the bot has.`);
		// The other one is misspelt.
		expect(await saidOf({ hasAnyTag: 'Архив, Новый лит' }, inSchool)).toContain('Tags of this bot: ');
	});

	test('a tag that no contact of all bots has', async () => {
		for (const [index, contact] of [...service.data.contacts.values()].entries())
			contact.tags = index ? ['VIP'] : ['Новый', 'vip'];
		const words = `Read ${count()} contacts, none has the tag 'Новый лит' or 'Архив'.`;
		const said = await saidOf({ hasAnyTag: 'Новый лит, Архив' });
		expectOnly(said, `${words} Tags of these contacts: Новый, VIP.`);
		expect(asked()).toBe(0);
	});

	test('nothing is asked if the contacts have the tags', async () => {
		const some = await run({ with: { ...inSchool, filters: { hasAnyTag: 'Новый лит, Новый лид' } } });
		expect(some.json).toHaveLength(1);
		expectOnly(await saidOf({ hasAllTags: 'Новый лид, Оплатил' }, inSchool), `${readInSchool()} matches.`);
		expect(asked()).toBe(0);
	});
});

test('of the tags of a bot, at most 20 are named', async () => {
	tagsOfSchool().splice(0, Infinity, ...Array.from({ length: 45 }, (_, number) => `Тег ${number}`));
	const many = /Tags of this bot: Тег 0, .*, Тег 19, 25 more\.$/;
	expect(await saidOf({ hasAllTags: 'Нет' }, inSchool)).toMatch(many);
	tagsOfSchool().splice(0);
	expect(await saidOf({ hasAllTags: 'Нет' }, inSchool)).toMatch(/Tags of this bot: none\.$/);
});

test('only those whose tags were read count', async () => {
	service.dialect.with = 'ignored';
	addContacts(service.data, 30);
	const filters = { hasAllTags: 'Новый лит', messenger: 'vk' };
	expect(await saidOf(filters, inSchool)).toContain(
		`${readInSchool()} of those whose tags were read has the tag 'Новый лит'. Tags`,
	);
	// Nobody was asked for.
	expect(await saidOf({ ...filters, name: 'Нет такого' }, inSchool)).toBe(`${readInSchool()} matches.`);
});

test('the items of a run read the tags of their bot once', async () => {
	const items = ['Новый лит', 'Оплотил', 'Пробник'].map((tag) => ({ tag }));
	const said = await saidOf({ hasAllTags: '={{ $json.tag }}' }, inSchool, { items });
	expect([said.match(/Tags of this bot/g), asked()]).toEqual([Array(3).fill('Tags of this bot'), 1]);
});

test.each([
	[404, { message: '' }],
	[403, { message: 'Forbidden' }],
	[200, { data: [{ title: 'Оплатил' }] }],
])('tags that cannot be read are left out: %s', async (status, body) => {
	service.faults.add({ kind: 'answer', status, body, match: { path: 'getBotTags' } });
	// More than look at the same time: the run goes on.
	const items = Array.from({ length: 12 }, () => ({ tag: 'Новый лит' }));
	const said = await saidOf({ hasAllTags: '={{ $json.tag }}' }, inSchool, { items });
	expect(said).toBe(`${readInSchool()} has the tag 'Новый лит'. (12 of 12 items)`);
});

test('a model waits for no tags', async () => {
	const call = async (tag: string) =>
		await answers({ tag }, { with: { ...inSchool, filters: { hasAllTags: "={{ $fromAI('tag') }}" } } });
	expect(await call('Новый лит')).toEqual(['[]', '[]']);
	for (const answer of await call('Новый лид')) expect(JSON.parse(answer)).toHaveLength(1);
	expect(asked()).toBe(0);
});

test.each<[string, object, string]>([
	['a bot', inSchool, 'This bot has no contacts.'],
	['an account', {}, 'The account has no contacts.'],
	['an account, with tags', { include: ['tags', 'variables'] }, 'The account has no contacts.'],
	['an account, by a tag', { filters: { hasAllTags: 'VIP' } }, 'The account has no contacts.'],
	['an account, without a tag', { filters: { hasNoTags: 'VIP' } }, 'The account has no contacts.'],
	['a period', { filters: { createdAfter: '2031-01-01', hasAllTags: 'VIP' } }, 'No contact was created in'],
])('without contacts, one notice says so: %s', async (_, parameters, said) => {
	service.data.contacts.clear();
	const result = await run({ with: parameters });
	expect([result.error, result.json]).toEqual([undefined, []]);
	expect(hintsOf(result)).toEqual([expect.stringContaining(said)]);
});

test('items read contacts once, and one notice counts', async () => {
	const people = addContacts(service.data, 1156).filter((_, index) => index % 24 === 0);
	const phones = ['+79990000000', ...people.map(({ phone }) => phone), '+79990000001'];
	const items = phones.map((phone) => ({ phone }));
	const result = await run({ with: { filters: { phone: '={{ $json.phone }}' } }, items });
	expect(result.json.map(({ id }) => id)).toEqual(people.map(({ id }) => id));
	expect(placesOf(result)).toEqual(people.map((_, item) => item + 1));
	const counted = `Read 1,200 contacts, none matches. (2 of ${items.length} items)`;
	expect([service.requests.length, hintsOf(result)]).toEqual([3, [counted]]);
});
