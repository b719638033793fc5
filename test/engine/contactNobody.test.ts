import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { addContacts, SEEDED, startEmulator } from '../../sandbox/emulator';
import { getMany, readerOf } from './contacts';
import { callInBothWays, credentialFor, hintsOf, runNode, useEmulator } from './harness';

/* Contact, Get Many: what is said if nobody matches. A tag without people is told from a tag that does not exist. */

const service = useEmulator();
const { bots } = SEEDED;

const read = readerOf(service);

const inSchool = { botId: String(bots.school) };

const asked = (name: string) => service.requests.filter(({ operation }) => operation === name).length;

const saidOf = async (filters: INodeParameters, more: INodeParameters = {}, items?: IDataObject[]) => {
	const result = await read({ ...more, filters }, items && { items });
	expect([result.error, result.json]).toEqual([undefined, []]);
	return hintsOf(result).join();
};

const count = (botId?: number) =>
	[...service.data.contacts.values()].filter((contact) => [undefined, contact.botId].includes(botId)).length;

const tagsOfSchool = () => service.data.bots.get(bots.school)!.tags;

describe.each([
	['with tags', 'understood', ''],
	[
		'without tags',
		'ignored',
		'This service returns contacts without tags.* A variable in place of a tag needs no extra request. ',
	],
] as const)('at a service that returns contacts %s', (_, dialect, before) => {
	beforeEach(() => void (service.dialect.with = dialect));

	const only = (said: string) =>
		expect.stringMatching(
			new RegExp(`^${before}${said.replaceAll('.', '\\.')}$`.replace('.*', '.*')),
		) as string;

	test.each(['hasAllTags', 'hasAnyTag'])('a tag that the bot does not have: %s', async (filter) => {
		const said = await saidOf({ [filter]: 'Новый лит' }, inSchool);
		expect(said).toEqual(
			only(
				`Read ${count(bots.school)} contacts, none has the tag 'Новый лит'. Tags of this bot: ${tagsOfSchool().join(', ')}.`,
			),
		);
		expect(asked('getBotTags')).toBe(1);
	});

	test('a tag that only the bot has, in any spelling', async () => {
		tagsOfSchool().push('Архив');
		const said = await saidOf({ hasAllTags: ' архив' }, inSchool);
		expect(said).toEqual(
			only(`Read ${count(bots.school)} contacts, none has the tag 'архив', which the bot has.`),
		);
		// The other one is misspelt.
		expect(await saidOf({ hasAnyTag: 'Архив, Новый лит' }, inSchool)).toContain('Tags of this bot: ');
	});

	test('a tag that none of the contacts has, of all bots', async () => {
		for (const [index, contact] of [...service.data.contacts.values()].entries())
			contact.tags = index ? ['VIP'] : ['Новый', 'vip'];
		const said = await saidOf({ hasAnyTag: 'Новый лит, Архив' });
		expect(said).toEqual(
			only(
				`Read ${count()} contacts, none has the tag 'Новый лит' or 'Архив'. Tags of these contacts: Новый, VIP.`,
			),
		);
		expect(asked('getBotTags')).toBe(0);
	});

	test('nothing is asked if somebody is found, or if the contacts have the tags', async () => {
		expect((await read({ ...inSchool, filters: { hasAnyTag: 'Новый лит, Новый лид' } })).json).toHaveLength(
			1,
		);
		const said = await saidOf({ hasAllTags: 'Новый лид, Оплатил' }, inSchool);
		expect(said).toEqual(only(`Read ${count(bots.school)} contacts, none matches.`));
		expect(asked('getBotTags')).toBe(0);
	});
});

test('of the tags of a bot, at most 20 are named', async () => {
	tagsOfSchool().splice(0, Infinity, ...Array.from({ length: 45 }, (_, number) => `Тег ${number}`));
	expect(await saidOf({ hasAllTags: 'Нет' }, inSchool)).toMatch(
		/Tags of this bot: Тег 0, .*, Тег 19, 25 more\.$/,
	);
	tagsOfSchool().splice(0);
	expect(await saidOf({ hasAllTags: 'Нет' }, inSchool)).toMatch(/Tags of this bot: none\.$/);
});

test('only those whose tags were read count', async () => {
	service.dialect.with = 'ignored';
	addContacts(service.data, 30);
	const filters = { hasAllTags: 'Новый лит', messenger: 'vk' };
	expect(await saidOf(filters, inSchool)).toContain(
		`Read ${count(bots.school)} contacts, none of those whose tags were read has the tag 'Новый лит'. Tags`,
	);
	// Nobody was asked for.
	const nobody = await saidOf({ ...filters, name: 'Нет такого' }, inSchool);
	expect(nobody).toBe(`Read ${count(bots.school)} contacts, none matches.`);
});

test('the items of a run read the tags of their bot once', async () => {
	const items = ['Новый лит', 'Оплотил', 'Пробник'].map((tag) => ({ tag }));
	const said = await saidOf({ hasAllTags: '={{ $json.tag }}' }, inSchool, items);
	expect(said.match(/Tags of this bot/g)).toHaveLength(3);
	expect(asked('getBotTags')).toBe(1);
});

test.each([
	[404, { message: '' }],
	[403, { message: 'Forbidden' }],
	[200, { data: [{ title: 'Оплатил' }] }],
])('tags that cannot be read are left out of the notice: %s', async (status, body) => {
	service.faults.add({ kind: 'answer', status, body, match: { path: 'getBotTags' } });
	// More than look at the same time: the run goes on.
	const items = Array.from({ length: 12 }, () => ({ tag: 'Новый лит' }));
	const said = await saidOf({ hasAllTags: '={{ $json.tag }}' }, inSchool, items);
	expect(said).toBe(`Read ${count(bots.school)} contacts, none has the tag 'Новый лит'. (12 of 12 items)`);
});

test('a model waits for no tags', async () => {
	const parameters = getMany({ ...inSchool, filters: { hasAllTags: "={{ $fromAI('tag') }}" } });
	const call = async (tag: string) =>
		await callInBothWays({ parameters, credential: credentialFor(service) }, { tag });
	for (const answer of await call('Новый лит')) expect(answer).toEqual([]);
	for (const answer of await call('Новый лид')) expect(answer).toHaveLength(1);
	expect(asked('getBotTags')).toBe(0);
});

test.each<[string, INodeParameters, string]>([
	['a bot', inSchool, 'This bot has no contacts.'],
	['an account', {}, 'The account has no contacts.'],
	[
		'a period',
		{ filters: { createdAfter: '2031-01-01', hasAllTags: 'VIP' } },
		'No contact was created in this period.',
	],
])('%s without contacts is no error, and one notice says so', async (_, parameters, said) => {
	service.data.contacts.clear();
	const result = await read(parameters);
	expect([result.error, result.json, hintsOf(result)]).toEqual([undefined, [], [said]]);
});

test.each(['watbot', 'leadtex'])('so it is at %s', async (name) => {
	const emulator = await startEmulator({ service: name });
	try {
		const parameters = getMany({ ...inSchool, filters: { hasAllTags: 'Новый лит' } });
		const result = await runNode({ parameters, credential: credentialFor(emulator) });
		expect(hintsOf(result).join()).toMatch(/none has the tag 'Новый лит'\. Tags of this bot: .*Новый лид/);
		emulator.assertContract();
	} finally {
		await emulator.stop();
	}
});
