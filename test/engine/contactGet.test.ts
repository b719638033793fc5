import type { IDataObject } from 'n8n-workflow';

import { nobodyFound } from '../../nodes/ChatbotService/client/failure/failure';
import { addContacts, SEEDED } from '../../sandbox/emulator';
import { answeringRows } from './answering';
import { hintsOf, type RunResult } from './harness';
import { apart, placesOf, scene, usual, type Given } from './scene';

/* Contact, Get: who comes out for each item, and how few requests it takes. Values that nobody means: cases/contactCases. */

const { service, run, asked } = scene(
	usual('contact/get', { botId: '', include: [], findValue: '={{ $json.wanted }}' }),
);
const { bots, contacts } = SEEDED;

const get = async (findBy: string, values: unknown[], more: object = {}, given: Given = {}) =>
	await run({
		with: { findBy, ...more },
		items: values.map((wanted) => ({ wanted }) as IDataObject),
		...given,
	});

/** The IDs that come out, with the items that they belong to. */
const foundIn = (result: RunResult) => result.json.map(({ id }, index) => [id, placesOf(result)[index]]);

/** Contacts besides the seeded ones, with phone numbers of their own. */
const crowd = (count = 1200) => addContacts(service.data, count);

/** An answer of getContacts, from each page. */
const pages = (count: number) => Array<string>(count).fill('getContacts');

test.each<[string, unknown[]]>([
	['id', [contacts.telegram, ` ${contacts.telegram}.0 `]],
	['phone', ['8 (916) 123-45-67', 79161234567]],
	['email', ['Anna.Sokolova@example.com ', 'Анна Соколова <anna.sokolova@example.com>']],
	['messengerId', [284119035, '284 119 035', '@Anna_Sokolova_Kazan', 'anna_sokolova_kazan']],
	['messengerId', ['https://t.me/anna_sokolova_kazan']],
])('a contact is found by its %s, written as %j', async (way, values) => {
	const result = await get(way, values);
	expect([result.error, hintsOf(result)]).toEqual([undefined, []]);
	expect(result.json).toMatchObject(values.map(() => ({ id: contacts.telegram, name: 'Анна Соколова' })));
});

test('every match comes out, each item has its own', async () => {
	const [twin] = addContacts(service.data, 1, { botId: bots.flowers });
	// On a later page, and as the service writes it.
	crowd(600);
	const [last] = addContacts(service.data, 1);
	twin!.phone = '79161234567';
	last!.phone = '8 (916) 123-45-67';
	const numbers = ['+7 916 123 45 67', '+79035550101', '8 916 123-45-67'];
	const result = await get('phone', numbers);
	const all = [contacts.telegram, twin!.id, last!.id];
	expect(foundIn(result)).toEqual([
		...all.map((id) => [id, 0]),
		[contacts.whatsapp, 1],
		...all.map((id) => [id, 2]),
	]);
	// A later node can change one of them.
	result.json[0]!.name = 'Другая';
	expect(result.json[4]!.name).toBe('Анна Соколова');
	const ofFlowers = await get('phone', numbers.slice(0, 1), { botId: String(bots.flowers) });
	expect(foundIn(ofFlowers)).toEqual([[twin!.id, 0]]);
});

test('nobody is a failure of the item, with its fields', async () => {
	crowd(600);
	const result = await get('phone', ['+79161234567', '+79990000000', '+79035550101'], {}, { node: apart });
	const { message, description } = nobodyFound('Phone', '+79990000000', service.data.contacts.size);
	expect(placesOf(result)).toEqual([0, 2]);
	const json = { wanted: '+79990000000', error: `${message} [Item 1]`, message: description };
	expect(result.outputs[1]).toEqual([{ json, pairedItem: { item: 1 } }]);
	const { error } = await get('phone', ['+79161234567', '+79990000000']);
	expect(error?.message).toBe(`${message} [Item 1]`);
});

test('other filters that the node has kept do not count', async () => {
	const filters = { messenger: 'viber', hasAllTags: 'Никто', email: '' };
	const result = await get('id', [contacts.telegram], { filters, returnAll: false, limit: 1 });
	expect(foundIn(result)).toEqual([[contacts.telegram, 0]]);
	expect(service.requests[0]!.query).not.toHaveProperty('with');
});

describe('the contacts are read once for all items', () => {
	test.each(['numbered', 'shifting'] as const)('and each finds its own, pages %s', async (kind) => {
		service.dialect.pages = kind;
		const people = crowd().filter((_, index) => index % 4 === 0);
		const result = await get(
			'phone',
			people.map(({ phone }) => phone),
		);
		expect(foundIn(result)).toEqual(people.map(({ id }, item) => [id, item]));
		if (kind === 'numbered') expect(asked()).toEqual(pages(3));
	});

	test('those of each bot by themselves', async () => {
		const items = [bots.school, bots.flowers, bots.school].map((bot) => ({ bot, wanted: '+79161234567' }));
		const result = await run({ with: { findBy: 'phone', botId: '={{ $json.bot }}' }, items, node: apart });
		expect(placesOf(result)).toEqual([0, 2]);
		expect(service.requests.map(({ input }) => input.bot_id)).toEqual(['101', '102']);
	});
});

const include = { include: ['tags', 'variables'] };

test('tags are asked for where they do not come', async () => {
	const numbers = ['+79161234567', '+79035550101', '+79161234567'];
	const came = await get('phone', numbers, include);
	const tagsOf = (id: number) => service.data.contacts.get(id)!.tags;
	const { telegram, whatsapp } = contacts;
	expect(came.json.map(({ tags }) => tags)).toEqual([telegram, whatsapp, telegram].map(tagsOf));
	service.dialect.with = 'ignored';
	const asks = await get('phone', numbers, include);
	expect(asks.json).toEqual(came.json);
	// Only those of contacts that were found, and once for each.
	expect(asked()).toEqual([...pages(2), 'getContactTags', 'getContactTags']);
	expect(hintsOf(asks).join()).toContain('returns contacts without tags');
});

test('values that a contact lacks are no words', async () => {
	const credential = await answeringRows([
		{ id: 1, phone: null, email: null, telegram_id: null, telegram_username: null },
		{ id: null, phone: '79161234567', email: 'null', telegram_id: '5' },
	]);
	for (const [way, value] of Object.entries({ email: 'null@example.com', messengerId: '@null', id: '5' })) {
		const { error } = await get(way, [value], { findValue: value }, { credential });
		expect(error?.message).toContain('No contact');
	}
	const { json } = await get('phone', ['+79161234567'], {}, { credential });
	expect(json).toMatchObject([{ phone: '79161234567' }]);
});
