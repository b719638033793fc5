import type { IHttpRequestOptions } from 'n8n-workflow';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import type { ServiceAnswer } from '../../nodes/ChatbotService/client/http/answer';
import { Readings } from '../../nodes/ChatbotService/run/readings';
import { run } from '../../nodes/ChatbotService/run/run';
import { inTime, useVirtualTime } from '../virtualTime';
import { answer, forbidden, refused } from './answers';
import { contextFor, newCredential, range } from './runs';

/* Items that make several requests, under the pace of the account. */

useVirtualTime();

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

test('an item that has begun goes on before others begin, so that they know what it has learned', async () => {
	const sent: string[] = [];
	const send = async ({ url, body }: IHttpRequestOptions): Promise<ServiceAnswer> => {
		const endpoint = url.slice(url.lastIndexOf('/') + 1);
		const { filters } = (body ?? {}) as { filters?: { price: unknown } };
		sent.push(filters ? `${endpoint} ${String(filters.price)}` : endpoint);
		await new Promise((resolve) => setTimeout(resolve, 10));
		if (!filters) return answer(200, { data: { id: 'a', fields: { price: { type: 'number' } } } });
		return answer(200, {
			data: typeof filters.price === 'number' ? [{ id: 'b', price: filters.price }] : [],
		});
	};
	const context = contextFor(
		20,
		{ send, credential: newCredential(1) },
		{
			...{ resource: 'listItem', operation: 'getAll', returnAll: true },
			schemaId: { __rl: true, mode: 'id', value: '5dee4800c2cc5a38ec797235' },
			fieldFilters: { filter: [{ slug: 'price', value: '={{ $json.price }}' }] },
		},
		range(0, 20).map((item) => ({ price: `1 0${item + 10},5` })),
	);
	const items = await inTime(run(context), 120_000);
	expect(items.map(({ json, pairedItem }) => [json.price, pairedItem])).toEqual(
		range(0, 20).map((item) => [1010.5 + item, { item }]),
	);
	expect(sent.slice(0, 3)).toEqual(['getListItems 1 010,5', 'getListSchema', 'getListItems 1010.5']);
	expect(sent.slice(3)).toEqual(range(1, 20).map((item) => `getListItems ${1010.5 + item}`));
});

const ofContacts = {
	resource: 'contact',
	operation: 'getAll',
	returnAll: true,
	include: ['tags', 'variables'],
};
const ofVariables = {
	resource: 'contactVariable',
	operation: 'upsertMany',
	contactId: '1',
	variablesInput: 'json',
};

test.each<[Record<string, unknown>, number]>([
	[ofContacts, 5],
	[{ ...ofVariables, variablesJson: '{ "город": "Тверь", "уровень": "B1" }' }, 2],
])('the options for requests apply to all of an item: %j', async (parameters, count) => {
	const sent: unknown[] = [];
	const send = async ({ url, timeout }: IHttpRequestOptions): Promise<ServiceAnswer> => {
		sent.push(timeout);
		return answer(200, { data: url.endsWith('/getContacts') ? [{ id: 1 }, { id: 2 }] : [] });
	};
	const context = contextFor(1, { send }, { ...parameters, requestOptions: { timeout: 5000 } });
	await inTime(run(context), 60_000);
	expect(sent).toEqual(Array(count).fill(5000));
});

test.each([
	['share its answer', 5000, 1],
	['and other options for requests have their own', '={{ $json.timeout }}', 2],
])('items with the same search of a list %s, and each of them ends', async (_, timeout, requests) => {
	const sent: string[] = [];
	const send = async ({ url }: IHttpRequestOptions): Promise<ServiceAnswer> => {
		sent.push(url);
		return answer(200, { data: [{ id: 'a', article: 'A-1' }] });
	};
	const context = contextFor(
		50,
		{ send },
		{
			...{ resource: 'listItem', operation: 'getAll', returnAll: true },
			schemaId: { __rl: true, mode: 'id', value: '5dee4800c2cc5a38ec797235' },
			fieldFilters: { filter: [{ slug: 'article', value: 'A-1' }] },
			requestOptions: { timeout },
		},
		range(0, 50).map((item) => ({ timeout: item < 25 ? 5000 : 6000 })),
	);
	const items = await inTime(run(context), 60_000);
	expect(items.map(({ json, pairedItem }) => [json.id, pairedItem])).toEqual(
		range(0, 50).map((item) => ['a', { item }]),
	);
	expect(sent).toHaveLength(requests);
});

describe('a list that items read together', () => {
	const rows = [{ id: 1 }];
	const list = { url: '/getContacts', parameters: [], sending: {} } as never;
	const itemOf = (bot: number) => ({ parameters: [{ name: 'bot_id', value: bot }], sending: {} }) as never;

	/** After the first item has read it and ended, while the values of the others are still read. */
	const readByOne = async () => {
		const client = {
			pages: async function* () {
				yield await Promise.resolve({ rows });
			},
		};
		const readings = new Readings(client as never, {} as never, true);
		readings.add(itemOf(1));
		for await (const _ of readings.read(list, {}, itemOf(1)));
		readings.ended(itemOf(1));
		return readings;
	};

	test('is kept until the last item that can ask for it has ended', async () => {
		const readings = await readByOne();
		readings.add(itemOf(1));
		readings.add(itemOf(2));
		readings.complete();
		const known = [2, 1].map((bot) => {
			readings.ended(itemOf(bot));
			return readings.known(list);
		});
		expect(known).toEqual([rows, undefined]);
	});

	test('goes as soon as it is known that no other item can', async () => {
		const readings = await readByOne();
		expect(readings.known(list)).toEqual(rows);
		readings.complete();
		expect(readings.known(list)).toBeUndefined();
	});
});

describe('items that read contacts together', () => {
	const getAll = { resource: 'contact', operation: 'getAll', returnAll: true, botId: '={{ $json.bot }}' };
	const found = answer(200, { data: [{ id: 1 }] });

	const read = async (
		bots: number[],
		answerTo: (bot: number, nth: number) => ServiceAnswer,
		{ continues = true, ...parameters }: Record<string, unknown> & { continues?: boolean } = {},
	) => {
		const counts: unknown[] = [];
		const send = async ({ qs }: IHttpRequestOptions): Promise<ServiceAnswer> => {
			const { bot_id: bot, count } = qs as { bot_id: number; count: number };
			const nth = counts.push(count);
			await new Promise((resolve) => setTimeout(resolve, 10));
			return answerTo(bot, nth);
		};
		const items = bots.map((bot, n) => ({ bot, n }));
		const context = contextFor(
			items.length,
			{ send, credential: newCredential(5), continues },
			{ ...getAll, ...parameters },
			items,
		);
		const ended = await inTime(run(context), 120_000).catch((error: Error) => error);
		const errors = ended instanceof Error ? [] : ended.filter(({ json }) => json.error !== undefined);
		return { ended, failed: errors.length, counts };
	};

	test('send nothing more after one has failed in stop mode', async () => {
		const { ended, counts } = await read(range(1, 51), () => refused, { continues: false });
		expect(ended).toBeInstanceOf(Error);
		// As many as the account may send at once.
		expect(counts.length).toBeLessThanOrEqual(10);
	});

	test('go on after one refusal, although many of them have waited for it', async () => {
		const { failed, counts } = await read(Array(30).fill(1), (_, nth) => (nth === 1 ? forbidden : found));
		expect(failed).toBe(10);
		expect(counts).toHaveLength(2);
	});

	test('keep no contacts that none of them can ask for again', async () => {
		const bots = range(1, 41);
		const pageSize = 400_000;
		const used = new Map<number, number>();
		const answerTo = (bot: number) => {
			if (bot === bots[0] || bot === bots.at(-1)) collect();
			used.set(bot, process.memoryUsage().heapUsed);
			const leftOut = { id: 2, name: 'Борис', about: String(bot).padEnd(pageSize, 'x') };
			return answer(200, { data: [{ id: 1, name: 'Анна' }, leftOut] });
		};
		const { failed } = await read(bots, answerTo, { filters: { name: 'Анна' } });
		expect([failed, used.size]).toEqual([0, bots.length]);
		// Ten of them read at the same time.
		expect((used.get(bots.at(-1)!)! - used.get(bots[0]!)!) / pageSize).toBeLessThan(20);
	});

	test('request as many contacts as each of them needs', async () => {
		const limited = { returnAll: false, limit: '={{ $json.n === 0 ? 3 : 400 }}' };
		const { counts } = await read([1, 1], () => found, limited);
		expect(counts).toEqual([3, 400]);
	});
});
