import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import type { ServiceAnswer } from '../../nodes/ChatbotService/client/http/answer';
import { SharedLists } from '../../nodes/ChatbotService/run/sharedLists';
import { useVirtualTime } from '../virtualTime';
import { answer, closed, forbidden, later, refused } from './answers';
import { endpointOf, newCredential, range, runFor, type AnswerTo } from './runs';

/* Items that make several requests, or read together, under the pace of the account, and contacts whose tags are asked for one by one. */

useVirtualTime();

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const contacts = { resource: 'contact', operation: 'getAll', returnAll: true };
const goods = {
	...{ resource: 'listItem', operation: 'getAll', returnAll: true },
	schemaId: { __rl: true, mode: 'id', value: '5dee4800c2cc5a38ec797235' },
};
const filteredBy = (slug: string, value: string) => ({
	...goods,
	fieldFilters: { filter: [{ slug, value }] },
});

test('an item that has begun goes on before others begin', async () => {
	const sent: string[] = [];
	const answerTo: AnswerTo = (_contact, _to, { url, body }) => {
		const { filters } = (body ?? {}) as { filters?: { price: unknown } };
		sent.push([endpointOf({ url }), ...(filters ? [filters.price] : [])].join(' '));
		if (!filters) return answer(200, { data: { id: 'a', fields: { price: { type: 'number' } } } });
		const found = typeof filters.price === 'number' ? [{ id: 'b', price: filters.price }] : [];
		return answer(200, { data: found });
	};
	const items = range(0, 20).map((item) => ({ price: `1 0${item + 10},5` }));
	const parameters = filteredBy('price', '={{ $json.price }}');
	const run = await runFor(20, { answerTo, credential: newCredential(1) }, parameters, items);
	expect(run.items.map(({ json, pairedItem }) => [json.price, pairedItem])).toEqual(
		range(0, 20).map((item) => [1010.5 + item, { item }]),
	);
	// So they know what it has learned.
	expect(sent.slice(0, 3)).toEqual(['getListItems 1 010,5', 'getListSchema', 'getListItems 1010.5']);
	// The second item has begun to wait before the first one had learned the types.
	expect(sent[3]).toBe('getListItems 1 011,5');
	expect(sent.slice(4)).toEqual(range(1, 20).map((item) => `getListItems ${1010.5 + item}`));
});

const ofVariables = { resource: 'contactVariable', operation: 'upsertMany', contactId: '1' };

test.each<[object, number]>([
	[{ ...contacts, include: ['tags', 'variables'] }, 5],
	[{ ...ofVariables, variablesInput: 'json', variablesJson: '{ "город": "Тверь", "уровень": "B1" }' }, 2],
])('options for requests apply to all of an item: %j', async (parameters, count) => {
	const sent: unknown[] = [];
	const answerTo: AnswerTo = (_contact, _to, { url, timeout }) => {
		sent.push(timeout);
		return answer(200, { data: url.endsWith('/getContacts') ? [{ id: 1 }, { id: 2 }] : [] });
	};
	await runFor(1, { answerTo }, { ...parameters, requestOptions: { timeout: 5000 } });
	expect(sent).toEqual(Array(count).fill(5000));
});

test.each([
	['share its answer', 5000, 1],
	['and other options for requests have their own', '={{ $json.timeout }}', 2],
])('items with the same search of a list %s', async (_, timeout, requests) => {
	const answerTo = () => answer(200, { data: [{ id: 'a', article: 'A-1' }] });
	const items = range(0, 50).map((item) => ({ timeout: item < 25 ? 5000 : 6000 }));
	const parameters = { ...filteredBy('article', 'A-1'), requestOptions: { timeout } };
	const run = await runFor(50, { answerTo }, parameters, items);
	expect(run.items.map(({ json, pairedItem }) => [json.id, pairedItem])).toEqual(
		range(0, 50).map((item) => ['a', { item }]),
	);
	expect(run.to).toHaveLength(requests);
});

test('a list is kept while a later item can ask for it', async () => {
	const list = { url: '/getContacts', parameters: [], sending: {} } as never;
	const item = { parameters: [{ name: 'bot_id', value: 1 }], sending: {} } as never;
	const pages = async function* () {
		yield await Promise.resolve({ rows: [{ id: 1 }] });
	};
	const lists = new SharedLists({ pages } as never, {} as never, true);
	lists.add(item);
	for await (const _ of lists.read(list, {}, item));
	// The values of the others are still read.
	lists.ended(item);
	expect(lists.known(list)).toBeDefined();
});

describe('items that read contacts together', () => {
	const found = answer(200, { data: [{ id: 1 }] });

	const read = async (
		bots: number[],
		answerOf: (bot: number, nth: number) => typeof found,
		{ continues = true, ...parameters }: Record<string, unknown> & { continues?: boolean } = {},
	) => {
		const counts: unknown[] = [];
		const answerTo: AnswerTo = (_contact, { length }, { qs }) => {
			counts.push(qs!.count);
			return answerOf(qs!.bot_id as number, length);
		};
		const items = bots.map((bot, n) => ({ bot, n }));
		const changes = { answerTo, credential: newCredential(5), continues };
		const of = { ...contacts, botId: '={{ $json.bot }}', ...parameters };
		const run = await runFor(items.length, changes, of, items);
		return { ...run, failed: run.errors.filter(Boolean).length, counts };
	};

	test('send nothing after one has failed in stop mode', async () => {
		const { error, counts } = await read(range(1, 51), () => refused, { continues: false });
		expect(error).toBeDefined();
		// As many as the account may send at once.
		expect(counts.length).toBeLessThanOrEqual(10);
	});

	test('go on after one refusal that many have waited for', async () => {
		const { failed, counts } = await read(Array(30).fill(1), (_, nth) => (nth === 1 ? forbidden : found));
		expect([failed, counts.length]).toEqual([2, 2]);
	});

	test('request as many contacts as each of them needs', async () => {
		const limited = { returnAll: false, limit: '={{ $json.n === 0 ? 3 : 400 }}' };
		expect((await read([1, 1], () => found, limited)).counts).toEqual([3, 400]);
	});

	test('keep no contacts that none can ask for again', async () => {
		const bots = range(1, 41);
		const pageSize = 400_000;
		const used = new Map<number, number>();
		const answerOf = (bot: number) => {
			if (bot === bots[0] || bot === bots.at(-1)) collect();
			used.set(bot, process.memoryUsage().heapUsed);
			const leftOut = { id: 2, name: 'Борис', about: String(bot).padEnd(pageSize, 'x') };
			return answer(200, { data: [{ id: 1, name: 'Анна' }, leftOut] });
		};
		const { failed } = await read(bots, answerOf, { filters: { name: 'Анна' } });
		expect([failed, used.size]).toEqual([0, bots.length]);
		// Ten of them read at the same time.
		expect((used.get(bots.at(-1)!)! - used.get(bots[0]!)!) / pageSize).toBeLessThan(20);
	});
});

const minutes = (count: number) => count * 60_000;

/* At a service that returns contacts without tags, each is asked for. Every tenth has the tag. */
test('600 contacts take five minutes, as the user reads', async () => {
	const [people, page] = [600, 500];
	const [pages, asked]: [number[], number[]] = [[], []];
	const answerTo: AnswerTo = async (contact, _to, request) => {
		if (endpointOf(request) === 'getContacts') {
			const current = Number(request.qs!.page ?? 1);
			pages.push(current);
			const ids = range((current - 1) * page + 1, Math.min(current * page, people) + 1);
			const data = ids.map((id) => ({ id, name: `Контакт ${id}` }));
			return answer(200, { data, meta: { current_page: current, last_page: 2 } });
		}
		asked.push(contact);
		// One after the other, such answers take twelve minutes.
		return await later(1200, answer(200, { data: contact % 10 ? [] : ['VIP'] }));
	};
	const filtered = { ...contacts, filters: { hasAnyTag: 'vip' } };
	const { items, ...run } = await runFor(1, { answerTo, credential: newCredential(2) }, filtered);
	expect([items.length, pages, asked]).toEqual([60, [1, 2], range(1, 601)]);
	expect(run.tookMs).toBeLessThan(minutes(6));
	expect(run.notice).toMatch(/tags of 600 contacts one by one \([56] minutes\)/);
	expect(run.logged[0]).toMatch(/without tags\. .* 600 contacts one by one; about 5 minutes left$/);
	// Every half a minute, with fewer left each time.
	expect(run.logged.length).toBeGreaterThan(8);
	expect(run.logged[4]).toMatch(/^Рассылка: .* are read; about [1-4] minutes left$/);
});

test.each<[string, () => ServiceAnswer, number]>([
	['refuses every request', () => forbidden, 10],
	['stays closed', () => closed(), 5 * 60],
])('items end with the reason of a service that %s', async (_, answerTo, most) => {
	const phones = range(0, 200).map((index) => ({ phone: `+7916${String(index).padStart(7, '0')}` }));
	const changes = { answerTo, credential: newCredential(2), continues: true };
	const parameters = { ...contacts, filters: { phone: '={{ $json.phone }}' } };
	const { items, errors, to, tookMs, notice } = await runFor(200, changes, parameters, phones);
	expect(items.map(({ pairedItem }) => pairedItem)).toEqual(range(0, 200).map((item) => ({ item })));
	expect(errors.filter(Boolean)).toHaveLength(200);
	expect([to.length <= most, tookMs < minutes(6)]).toEqual([true, true]);
	expect(notice).toContain('not attempted');
});
