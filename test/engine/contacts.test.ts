import { partUnreadable } from '../../nodes/ChatbotService/client/failure/failure';
import { addContacts, SEEDED } from '../../sandbox/emulator';
import { answeringRows } from './answering';
import { allContacts, byVariables, person } from './crowd';
import { hintsOf } from './harness';
import { scene } from './scene';

/* Contact, Get Many: what contacts look like, how services may write their tags and variables, and which pages are requested. */

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
			...[['Не писать'], [{ id: 7, name: 'не писать' }], { 1: 'Не писать' }],
			...[{ data: [{ name: 'Не писать' }] }, { data: ['Не писать'], total: 1 }],
		],
		none: [[], null, '', {}, { data: [] }],
		unknown: [
			...[[{ title: 'Не писать' }], [{ tag: { name: 'Не писать' } }], { 'Не писать': true }],
			...['Не писать', 'Не писать,VIP', '["Не писать"]', [{ id: 7 }], [7], false, 0, ['VIP', null]],
			...[[{ name: '' }], [{ name: { ru: 'Не писать' } }], [['Не писать']]],
			...[{ data: { data: ['Не писать'] } }, { items: ['Не писать'] }, { name: 'Не писать' }],
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
			...['Отписан: да', ['Отписан'], [{ title: 'Отписан', value: 'да' }], 7, false],
			{ Отписан: { value: 'да' } },
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
		// Without the filter, they come out as they are, and a notice says so.
		const included = await readFrom(people(given), { include: [part] });
		expect(included.json[0]![part]).toEqual(given);
		expect(JSON.stringify(included.json)).not.toMatch(/"undefined"|\[object/);
		expect(hintsOf(included)).toEqual([expect.stringContaining(`cannot read the ${part}`)]);
	});
});

test('gaps, and contacts without IDs, come out as they are', async () => {
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

test('each item gets as many rows as it needs', async () => {
	addContacts(service.data, 60);
	const limited = { returnAll: false, limit: '={{ $json.limit }}' };
	await run({ with: limited, items: [{ limit: 1 }, { limit: 50 }] });
	expect(new Set(queries().map(({ count }) => count))).toEqual(new Set(['1', '50']));
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
	const all = `No filter is set: all ${result.json.length} contacts.`;
	expect([hintsOf(result), result.json.length > 1]).toEqual([isSaid ? [all] : [], true]);
});
