import type { INodeParameters } from 'n8n-workflow';

import { tooManyForModel } from '../../nodes/ChatbotService/client/failure/failure';
import { addContacts, SEEDED } from '../../sandbox/emulator';
import { startAnswering } from './answering';
import { getMany, readerOf } from './contacts';
import { callInBothWays, credentialFor, hintsOf, runNode, stoppable, until, useEmulator } from './harness';

/* Contact, Get Many, at a service that returns contacts without their tags, or without their variables. */

const service = useEmulator();
const { bots, contacts } = SEEDED;

const read = readerOf(service);

const asked = (name: string) => service.requests.filter(({ operation }) => operation === name);
const askedContacts = () => asked('getContactTags').map(({ query }) => Number(query.contact_id));

const withTag = (count: number, tag: string) => {
	const added = addContacts(service.data, count);
	for (const contact of added) contact.tags.push(tag);
	return added.map(({ id }) => id);
};

describe('without tags', () => {
	beforeEach(() => (service.dialect.with = 'ignored'));

	test.each<[string, INodeParameters]>([
		['a tag that all must have', { filters: { hasAllTags: 'новый лид, Пробный урок' } }],
		['one of several tags', { filters: { hasAnyTag: 'Оплатил, Не отвечает' } }],
		['a tag to leave out', { filters: { hasNoTags: 'Оплатил' } }],
		['a tag and a messenger', { filters: { hasNoTags: 'Оплатил', messenger: 'telegram' } }],
		[
			'a tag and a variable',
			{
				filters: {
					hasAnyTag: 'Новый лид',
					variables: { conditions: [{ name: 'Город', condition: 'equals', value: 'Казань' }] },
				},
			},
		],
		['tags in the output', { include: ['tags', 'variables'] }],
		['tags in the output of one bot', { include: ['tags'], botId: String(bots.flowers) }],
		['a limit', { returnAll: false, limit: 2, filters: { hasNoTags: 'Оплатил' }, include: ['tags'] }],
		['a limit without a filter', { returnAll: false, limit: 3, include: ['tags'] }],
	])('the same contacts come out by %s', async (_, parameters) => {
		const withoutVariables = (rows: object[]) =>
			rows.map((row) => ({ ...row, variables: undefined, tags: 0 }));
		const tagsOf = (rows: Array<{ tags?: unknown }>) => rows.map(({ tags }) => tags);
		const found = await read(parameters);
		service.dialect.with = 'understood';
		const expected = await read(parameters);
		expect([found.error, expected.error]).toEqual([undefined, undefined]);
		expect(withoutVariables(found.json)).toEqual(withoutVariables(expected.json));
		// Who wants tags gets them. Others may see them too.
		if ('include' in parameters) expect(tagsOf(found.json)).toEqual(tagsOf(expected.json));
		expect(expected.json.length).toBeGreaterThan(0);
	});

	test('only contacts that pass the other filters are asked for, and one notice says so', async () => {
		addContacts(service.data, 600);
		const result = await read({ filters: { messenger: 'vk', hasNoTags: 'Оплатил' } });
		expect(result.json.map(({ id }) => id)).toEqual([contacts.vk]);
		expect(askedContacts()).toEqual([contacts.vk]);
		expect(asked('getContacts')).toHaveLength(2);
		expect(hintsOf(result)).toEqual([
			expect.stringMatching(/^This service returns contacts without tags.* of 1 contact one by one\. /),
		]);
	});

	test('nobody is asked for after the limit, but for the two that are under way', async () => {
		withTag(30, 'VIP');
		const { json } = await read({ returnAll: false, limit: 5, filters: { hasAnyTag: 'VIP' } });
		expect(json).toHaveLength(5);
		const before = service.data.contacts.size - 30;
		expect(askedContacts().length - before).toBeLessThanOrEqual(5 + 2);
		service.reset();
		service.dialect.with = 'ignored';
		addContacts(service.data, 30);
		await read({ returnAll: false, limit: 5, include: ['tags'] });
		await read({ returnAll: false, limit: 4, include: ['tags'], filters: { messenger: 'telegram' } });
		expect(askedContacts()).toHaveLength(5 + 4);
	});

	test('that nobody has a tag is said only of those who were asked for, and not if some were not', async () => {
		const filters = { hasNoTags: 'Нет такого' };
		expect(hintsOf(await read({ filters }))).toEqual([
			expect.stringContaining('that were asked for has the tag'),
		]);
		const inVk = await read({ filters: { ...filters, messenger: 'vk' } });
		expect(hintsOf(inVk)).toEqual([expect.stringContaining('None of the contacts that were asked for has')]);
		const few = await read({ filters, returnAll: false, limit: 1 });
		expect(hintsOf(few)).toEqual([expect.not.stringContaining('nobody was left out')]);
	});

	test('that nobody has a tag is not said if somebody has a variable of that name: one of the two is enough', async () => {
		const conditions = [{ name: 'не писать', condition: 'notExists' }];
		const parameters = { filters: { hasNoTags: 'Не писать', variables: { conditions } } };
		expect(hintsOf(await read(parameters))).toEqual([
			expect.stringContaining("has the variable 'не писать' or the tag 'Не писать'"),
		]);
		const [refuser] = addContacts(service.data, 1);
		refuser!.variables.push({ id: 1, name: 'Не писать', value: 'да', deletable: true });
		expect(hintsOf(await read(parameters))).toEqual([expect.not.stringContaining('nobody was left out')]);
	});

	test('the items of a run ask for each contact once', async () => {
		const ids = [...service.data.contacts.keys()];
		const items = ['Оплатил', 'Новый лид', 'Не отвечает'].map((tag) => ({ tag }));
		const { outputs } = await read({ filters: { hasAnyTag: '={{ $json.tag }}' } }, { items });
		expect(outputs[0]!.map(({ pairedItem }) => pairedItem)).toEqual(
			expect.arrayContaining([{ item: 0 }, { item: 1 }, { item: 2 }]),
		);
		expect(askedContacts().sort()).toEqual(ids);
		expect(asked('getContacts')).toHaveLength(1);
	});

	// The endpoint exists, because other contacts were answered before.
	test.each(['Контакт не найден', ''])(
		'a contact that was deleted meanwhile is left out: %j',
		async (message) => {
			service.faults.add({
				kind: 'answer',
				status: 404,
				body: { message },
				match: { path: 'getContactTags', recipient: [...service.data.contacts.keys()].at(-1)! },
			});
			const result = await read({ include: ['tags'] });
			expect(result.error).toBeUndefined();
			expect(result.json).toHaveLength(service.data.contacts.size - 1);
			expect(hintsOf(result)).toEqual([expect.stringContaining('1 contact had been deleted meanwhile')]);
		},
	);

	test.each<[string, number, object]>([
		['does not know the endpoint', 404, { message: '' }],
		['says so in words', 404, { message: 'The route api/v1/getContactTags could not be found.' }],
		['refuses the token', 403, { message: 'Forbidden' }],
		['refuses the contact', 422, { message: 'Нет доступа.' }],
	])('if the service %s, nobody comes out, and the run ends with its reason', async (_, status, body) => {
		const fault = { kind: 'answer', status, body, match: { path: 'getContactTags', times: 1 } } as const;
		service.faults.add(fault);
		const { json, error } = await read({ filters: { hasNoTags: 'Оплатил' } });
		expect(json).toEqual([]);
		expect(error?.message).toContain('[Item 0]');
		expect(askedContacts().length).toBeLessThanOrEqual(3);
		service.faults.add(fault);
		const continued = await read(
			{ filters: { hasNoTags: 'Оплатил' } },
			{ node: { onError: 'continueErrorOutput' } },
		);
		expect(continued.outputs.map((items) => items.length)).toEqual([0, 1]);
	});

	test('tags that cannot be read are unknown, not none: nobody comes out', async () => {
		const body = { data: [{ title: 'Оплатил' }] };
		service.faults.add({ kind: 'answer', status: 200, body, match: { path: 'getContactTags', nth: 2 } });
		const { json, error } = await read({ filters: { hasNoTags: 'Оплатил' } });
		expect([json, error?.message]).toEqual([[], expect.stringContaining('tags that cannot be read')]);
	});

	test('a limit of the service is waited for, and nobody is asked for twice', async () => {
		service.faults.add({ kind: 'too many', retryAfter: 1, match: { path: 'getContactTags', times: 2 } });
		const { json, error } = await read({ include: ['tags'] });
		expect([error, json.length]).toEqual([undefined, service.data.contacts.size]);
		const answered = asked('getContactTags').filter(({ status }) => status === 200);
		expect(new Set(answered.map(({ query }) => query.contact_id)).size).toBe(answered.length);
	});

	test('Stop ends it at once', async () => {
		addContacts(service.data, 300);
		const credential = credentialFor(service, { requestsPerSecond: 20 });
		const parameters = getMany({ include: ['tags'] });
		const { ended, stop } = stoppable(async (onStart) => await runNode({ parameters, credential, onStart }));
		await until(() => askedContacts().length > 5);
		stop();
		const { run } = await ended;
		expect(run.status).toBe('canceled');
		expect(askedContacts().length).toBeLessThan(20);
	});

	test('a model gets them for few contacts, and for many a failure before the first request', async () => {
		const parameters = getMany({ filters: { hasAnyTag: 'VIP' }, include: ['tags'] });
		const call = async () => {
			const answers = await callInBothWays({ parameters, credential: credentialFor(service) }, {});
			return answers.map((answer) => JSON.stringify(answer));
		};
		withTag(2, 'VIP');
		for (const answer of await call()) expect(answer.split('VIP')).toHaveLength(3);
		withTag(100, 'VIP');
		const few = { ...parameters, returnAll: false, limit: 3, filters: { messenger: 'telegram' } };
		for (const answer of await callInBothWays({ parameters: few, credential: credentialFor(service) }, {}))
			expect(answer).toHaveLength(3);
		const before = askedContacts().length;
		const { message } = tooManyForModel(['tags'], service.data.contacts.size, 60);
		for (const answer of await call()) expect(answer).toContain(message);
		expect(askedContacts()).toHaveLength(before);
	});
});

test('a service with tags is asked for nothing more', async () => {
	withTag(600, 'VIP');
	const result = await read({ filters: { hasAnyTag: 'VIP' }, include: ['tags', 'variables'] });
	expect([result.json.length, hintsOf(result)]).toEqual([600, []]);
	expect(service.requests.map(({ operation }) => operation)).toEqual(['getContacts', 'getContacts']);
});

describe('a service of its own', () => {
	const people = [1, 2, 3, 4].map((id) => ({ id, name: `Контакт ${id}` }));
	const idIn = (url: string) => Number(new URL(url, 'http://x').searchParams.get('contact_id'));

	test('that returns tags only on some pages gives all of them', async () => {
		const answering = await startAnswering(({ url }) => {
			if (url.includes('getContactTags')) return { data: idIn(url) === 3 ? ['VIP'] : [] };
			const page = url.includes('page=2') ? 2 : 1;
			const data =
				page === 1 ? people.slice(0, 2).map((each) => ({ ...each, tags: ['VIP'] })) : people.slice(2);
			return { data, meta: { current_page: page, last_page: 2 } };
		});
		const { json } = await read({ filters: { hasAllTags: 'vip' } }, { credential: credentialFor(answering) });
		expect(json.map(({ id }) => id)).toEqual([1, 2, 3]);
		expect(answering.targets).toHaveLength(2 + 2);
	});

	test('that returns no variables is asked for those of each contact', async () => {
		const answering = await startAnswering(({ url }) =>
			url.includes('getContactVariables')
				? { data: [{ id: 7, name: 'Город', value: idIn(url) === 2 ? 'Казань' : 'Тверь' }] }
				: { data: people },
		);
		const variables = { conditions: [{ name: 'город', condition: 'notEquals', value: 'тверь' }] };
		const result = await read({ filters: { variables } }, { credential: credentialFor(answering) });
		expect(result.json.map(({ id }) => id)).toEqual([2]);
		expect(hintsOf(result)).toEqual([
			expect.stringMatching(/without variables.* of 4 contacts(?!.*in place)/),
		]);
	});

	test('whose contacts have no IDs gives nobody whose tags it does not tell', async () => {
		const answering = await startAnswering(() => ({ data: [{ name: 'Анна' }] }));
		const credential = credentialFor(answering);
		expect((await read({ filters: { hasNoTags: 'Не писать' } }, { credential })).json).toEqual([]);
		expect((await read({ include: ['tags'] }, { credential })).json).toEqual([{ name: 'Анна' }]);
	});
});

test('items that look for people read the contacts together, and each finds its own', async () => {
	const added = addContacts(service.data, 1200);
	const items = added.filter((_, index) => index % 24 === 0).map(({ phone }) => ({ phone }));
	const { outputs, error } = await read({ filters: { phone: '={{ $json.phone }}' } }, { items });
	expect([error, outputs[0]!.length]).toEqual([undefined, 50]);
	for (const [index, { json, pairedItem }] of outputs[0]!.entries())
		expect([json.phone, pairedItem]).toEqual([items[index]!.phone, { item: index }]);
	expect(service.requests).toHaveLength(3);
});
