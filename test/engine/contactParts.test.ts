import { tooManyForModel } from '../../nodes/ChatbotService/client/failure/failure';
import { addContacts, SEEDED } from '../../sandbox/emulator';
import { answeringRows, startAnswering } from './answering';
import { allContacts, byVariables as variables } from './crowd';
import { hintsOf, type RunResult } from './harness';
import { apart, scene } from './scene';

/* Contact, Get Many, at a service that returns contacts without their tags, or without their variables. */

const { service, run, answers } = scene(allContacts);
const { contacts } = SEEDED;

const asked = (name: string) => service.requests.filter(({ operation }) => operation === name);
const askedContacts = () => asked('getContactTags').map(({ query }) => Number(query.contact_id));

const withTag = (count: number, tag: string) => {
	const added = addContacts(service.data, count);
	for (const contact of added) contact.tags.push(tag);
};

const idsIn = ({ json }: RunResult) => json.map(({ id }) => id);

describe('without tags', () => {
	beforeEach(() => (service.dialect.with = 'ignored'));

	const city = variables(['Город', 'equals', 'Казань']);

	test.each<[string, { include?: string[]; [parameter: string]: unknown }]>([
		['a tag that all must have', { filters: { hasAllTags: 'новый лид, Пробный урок' } }],
		['a tag to leave out', { filters: { hasNoTags: 'Оплатил' } }],
		['a tag and a variable', { filters: { hasAnyTag: 'Новый лид', ...city } }],
		['tags in the output', { include: ['tags', 'variables'] }],
		['a limit', { returnAll: false, limit: 2, filters: { hasNoTags: 'Оплатил' }, include: ['tags'] }],
	])('the same contacts come out by %s', async (_, parameters) => {
		// Who wants tags gets them. Others may see them too.
		const shownIn = ({ json }: RunResult) =>
			json.map(({ tags, variables: _unasked, ...row }) => ({ ...row, tags: parameters.include && tags }));
		const found = await run({ with: parameters });
		service.dialect.with = 'understood';
		const expected = await run({ with: parameters });
		expect([found.error, expected.error]).toEqual([undefined, undefined]);
		expect(shownIn(found)).toEqual(shownIn(expected));
		expect(expected.json.length).toBeGreaterThan(0);
	});

	test('only who passes other filters is asked for', async () => {
		addContacts(service.data, 600);
		const result = await run({ with: { filters: { messenger: 'vk', hasNoTags: 'Оплатил' } } });
		expect(idsIn(result)).toEqual([contacts.vk]);
		expect(askedContacts()).toEqual([contacts.vk]);
		expect(asked('getContacts')).toHaveLength(2);
		expect(hintsOf(result)).toEqual([
			expect.stringMatching(/ This service returns contacts without tags.* of 1 contact one by one\. /),
		]);
	});

	test('nobody is asked for after the limit, but two', async () => {
		withTag(30, 'VIP');
		const { json } = await run({ with: { returnAll: false, limit: 5, filters: { hasAnyTag: 'VIP' } } });
		expect(json).toHaveLength(5);
		// Two are under way.
		expect(askedContacts().length - (service.data.contacts.size - 30)).toBeLessThanOrEqual(5 + 2);
		service.requests.length = 0;
		const limited = { returnAll: false, include: ['tags'] };
		await run({ with: { ...limited, limit: 5 } });
		await run({ with: { ...limited, limit: 4, filters: { messenger: 'telegram' } } });
		expect(askedContacts()).toHaveLength(5 + 4);
	});

	test('that nobody has a tag is said of those asked for', async () => {
		const filters = { hasNoTags: 'Нет такого' };
		const saidFor = async (parameters: object) => hintsOf(await run({ with: parameters }));
		expect(await saidFor({ filters })).toEqual([expect.stringContaining('whose tags were read has the tag')]);
		const inVk = await saidFor({ filters: { ...filters, messenger: 'vk' } });
		expect(inVk).toEqual([expect.stringContaining('None of the contacts whose tags were read has')]);
		const few = await saidFor({ filters, returnAll: false, limit: 1 });
		expect(few).toEqual([expect.not.stringContaining('nobody was left out')]);
	});

	// The endpoint exists, because other contacts were answered before.
	test.each(['Контакт не найден', ''])('who is deleted meanwhile is left out: %j', async (message) => {
		const recipient = [...service.data.contacts.keys()].at(-1)!;
		const match = { path: 'getContactTags', recipient };
		service.faults.add({ kind: 'answer', status: 404, body: { message }, match });
		const result = await run({ with: { include: ['tags'] } });
		expect([result.error, result.json.length]).toEqual([undefined, service.data.contacts.size - 1]);
		expect(hintsOf(result)).toEqual([expect.stringContaining('1 contact had been deleted meanwhile')]);
	});

	test.each<[string, number, object]>([
		['does not know the endpoint', 404, { message: '' }],
		['refuses the token', 403, { message: 'Forbidden' }],
		['writes tags in an unknown form', 200, { data: [{ title: 'Оплатил' }] }],
	])('if the service %s, nobody comes out', async (_, status, body) => {
		const match = { path: 'getContactTags', times: 1 };
		const parameters = { filters: { hasNoTags: 'Оплатил' } };
		service.faults.add({ kind: 'answer', status, body, match });
		const { json, error } = await run({ with: parameters });
		expect([json, error?.message]).toEqual([[], expect.stringContaining('[Item 0]')]);
		if (status === 200) expect(error?.message).toContain('tags that cannot be read');
		expect(askedContacts().length).toBeLessThanOrEqual(3);
		service.faults.add({ kind: 'answer', status, body, match });
		const continued = await run({ with: parameters, node: apart });
		expect(continued.outputs.map((items) => items.length)).toEqual([0, 1]);
	});

	test('a model gets them for few, for many a failure', async () => {
		const given = { with: { filters: { hasAnyTag: 'VIP' }, include: ['tags'] } };
		withTag(2, 'VIP');
		for (const answer of await answers({}, given)) expect(answer.split('VIP')).toHaveLength(3);
		withTag(100, 'VIP');
		const few = { include: ['tags'], returnAll: false, limit: 3, filters: { messenger: 'telegram' } };
		for (const answer of await answers({}, { with: few })) expect(JSON.parse(answer)).toHaveLength(3);
		const before = askedContacts().length;
		const { message } = tooManyForModel(['tags'], service.data.contacts.size, 60);
		for (const answer of await answers({}, given)) expect(answer).toContain(message);
		expect(askedContacts()).toHaveLength(before);
	});
});

describe('a service of its own', () => {
	const people = [1, 2, 3, 4].map((id) => ({ id, name: `Контакт ${id}` }));
	const idIn = (url: string) => Number(new URL(url, 'http://x').searchParams.get('contact_id'));

	test('that returns tags on some pages gives all', async () => {
		const tagged = people.slice(0, 2).map((each) => ({ ...each, tags: ['VIP'] }));
		const answering = await startAnswering(({ url }) => {
			if (url.includes('getContactTags')) return { data: idIn(url) === 3 ? ['VIP'] : [] };
			const page = url.includes('page=2') ? 2 : 1;
			return { data: page === 1 ? tagged : people.slice(2), meta: { current_page: page, last_page: 2 } };
		});
		const filters = { hasAllTags: 'vip' };
		expect(idsIn(await run({ with: { filters }, credential: answering.credential }))).toEqual([1, 2, 3]);
		expect(answering.targets).toHaveLength(2 + 2);
	});

	test('that returns no variables is asked for them', async () => {
		const answering = await startAnswering(({ url }) =>
			url.includes('getContactVariables')
				? { data: [{ id: 7, name: 'Город', value: idIn(url) === 2 ? 'Казань' : 'Тверь' }] }
				: { data: people },
		);
		const filters = variables(['город', 'notEquals', 'тверь']);
		const result = await run({ with: { filters }, credential: answering.credential });
		expect(idsIn(result)).toEqual([2]);
		const said = /without variables.* of 4 contacts(?!.*in place)/;
		expect(hintsOf(result)).toEqual([expect.stringMatching(said)]);
	});

	test('without IDs gives nobody by a tag it does not tell', async () => {
		const credential = await answeringRows([{ name: 'Анна' }]);
		expect((await run({ with: { filters: { hasNoTags: 'Не писать' } }, credential })).json).toEqual([]);
		expect((await run({ with: { include: ['tags'] }, credential })).json).toEqual([{ name: 'Анна' }]);
	});
});
