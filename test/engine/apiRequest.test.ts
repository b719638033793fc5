import * as failures from '../../nodes/ChatbotService/client/failure/failure';
import { addContacts, addListItem, SEEDED } from '../../sandbox/emulator';
import { asJson, asRows, post } from '../cases/requestCases';
import { startAnswering } from './answering';
import { credentialFor, hintsOf, type RunOptions } from './harness';
import { refusal } from './messages';
import { apart, scene, usual } from './scene';

/*
 * API, Send Request: what leaves and when, what comes out of an answer, which pages are read, and what is said of a failure. What does not
 * leave: cases/requestCases.ts.
 */

const id = ['contact_id', '={{ $json.id }}'] as const;
const { service, run } = scene(usual('api/request', { ...asRows(id), returnAll: false }));

/** A run with a service that answers anything. */
async function runAt(body: (url: string) => unknown, parameters: object, options: Partial<RunOptions> = {}) {
	const { url, targets } = await startAnswering((request) => body(request.url));
	const credential = credentialFor({ url, token: 'key' }, { tokenPlacement: 'bearer' });
	return { ...(await run({ with: { parameters: {}, ...parameters }, credential, ...options })), targets };
}

describe('a GET carries its parameters in the address', () => {
	const item = { ids: [5, 6], name: 'Анна & Ко', isNew: true };

	test.each<[parameters: object, search: string]>([
		[asJson('={{ $json }}'), '?ids[0]=5&ids[1]=6&name=Анна & Ко&isNew=1'],
		[asJson('{ "inn": { "is": 12345678901234567890 } }'), '?inn[is]=12345678901234567890'],
		[asJson('{ "filters": { "price": { "from": 5 } } }'), '?filters[price][from]=5'],
		// PHP reads the text false as yes.
		[asJson('{ "is_new": true, "is_old": false }'), '?is_new=1&is_old=0'],
		[asJson('{ "on": [true, { "old": false }] }'), '?on[0]=1&on[1][old]=0'],
		[asRows(['name', '={{ $json.name }}']), '?name=Анна & Ко'],
		[asRows(['is_new', 'true'], ['id', '12345678901234567890']), '?is_new=true&id=12345678901234567890'],
	])('%j as %s', async (parameters, search) => {
		const { error, targets } = await runAt(() => ({ data: [] }), parameters, { items: [item] });
		expect([error, targets.map(decodeURIComponent)]).toEqual([undefined, [`/api/v1/getReferrals${search}`]]);
	});
});

describe('a POST carries its parameters as JSON', () => {
	test('with its types', async () => {
		const photo = { url: 'https://example.com/a.png' };
		const data = { title: 'Роза «Эквадор»', active: false, stock: 5, photo };
		const good = { schema_id: SEEDED.schemas.goods, data };
		const { json } = await run({ with: post({ endpoint: 'addListItem', ...asJson(JSON.stringify(good)) }) });
		expect(json).toMatchObject([{ title: 'Роза «Эквадор»', active: false, stock: 5 }]);
		expect(service.requests).toMatchObject([{ method: 'POST', body: good }]);
	});

	test('each value of rows as it is', async () => {
		const item = { bot_id: SEEDED.bots.school, tags: ['VIP', 'Новый лид'] };
		const typed = { name: 'Лия', messenger: 'telegram', telegram_id: '7' };
		const codes = { bot_id: '={{ $json.bot_id }}', tags: '={{ $json.tags }}', address: '={{ new Date(0) }}' };
		const rows = asRows(...Object.entries({ ...codes, ...typed }));
		await run({ with: post({ endpoint: 'createOrUpdateContact', ...rows }), items: [item] });
		expect(service.requests[0]!.body).toEqual({ ...item, ...typed, address: '1970-01-01T00:00:00.000Z' });
	});
});

type Answers = Array<[body: unknown, items: unknown[]]>;

describe('an answer', () => {
	const links = { first: 'https://example.com/?api_token=чужой', next: null };
	const rows = [{ id: 1, имя: 'Анна', tags: ['VIP'], bot: { id: 5 } }, { id: 2 }];
	const failed = { id: 5, error: 'Нет', status: 'error' };
	const long = '12345678901234567890';

	const whole: Answers = [
		// Rows, without what belongs to their page.
		[{ data: rows }, rows],
		[{ data: rows, links, meta: { total: 2 } }, rows],
		[rows, rows],
		[{ id: 7, data: rows }, rows],
		[{ data: [], links, meta: { total: 0 } }, []],
		[{ data: ['VIP', 'Новый лид'] }, [{ name: 'VIP' }, { name: 'Новый лид' }]],
		// Objects.
		[failed, [failed]],
		[{ balance: 12.5, currency: 'RUB' }, [{ balance: 12.5, currency: 'RUB' }]],
		[{ data: { balance: 0, on: false } }, [{ balance: 0, on: false }]],
		[{ id: 5, links }, [{ id: 5 }]],
		// Others, with their names.
		[{ data: 1500 }, [{ data: 1500 }]],
		[{ data: null, total: 0 }, [{ data: null, total: 0 }]],
		[{ data: [[1, 2], [3]], links }, [{ data: [[1, 2], [3]] }]],
		[{ data: [1, null, { id: 5 }] }, [{ data: [1, null, { id: 5 }] }]],
		[`{"data":[{"id":${long},"small":1234567890123456}]}`, [{ id: long, small: 1234567890123456 }]],
		['Warning: Undefined $plan in /a.php on line 4\n{"data":[{"id":1}]}', [{ id: 1 }]],
	];
	const done = ['', '[]', 'null', 'true', '1', 'ok', '{}'];
	const read: Answers = [
		['[]', []],
		['5', [{ data: 5 }]],
		['false', [{ data: false }]],
	];

	test.each<[string, Answers]>([
		['GET', [...whole, ...read]],
		['POST', [...whole, ...done.map((body): Answers[0] => [body, [{ success: true }]])]],
	])('to a %s comes out whole, or says that it is done', async (method, answers) => {
		const bodyAt = (url: string) => answers[Number(/\d+$/.exec(url))]![0];
		const items = answers.map((_, place) => ({ place }));
		const { outputs, error } = await runAt(bodyAt, { method, endpoint: '=get_{{ $json.place }}' }, { items });
		expect(error).toBeUndefined();
		for (const [place, [body, expected]] of answers.entries()) {
			const came = outputs[0]!.filter(({ pairedItem }) => (pairedItem as { item: number }).item === place);
			expect([body, came.map(({ json }) => json)]).toEqual([body, expected]);
		}
	});

	/* Other failures are those of any operation: unit/answer.test.ts. */
	test.each<[string, unknown, string]>([
		['a GET', '', failures.emptyAnswer().message],
		['a POST', { error: 'Нет бота' }, failures.valuesRefused([], '').message],
	])('to %s may be a failure', async (asked, body, message) => {
		const { error, json } = await runAt(() => body, { method: asked.slice(2) });
		expect([json, error?.message]).toEqual([[], `${message} [Item 0]`]);
	});

	test('of 30,000 objects in each other ends its item', async () => {
		const nested = `${'{"a":'.repeat(30_000)}1${'}'.repeat(30_000)}`;
		for (const body of [nested, `{"success":false,"error":${nested}}`]) {
			const { error, outputs } = await runAt(() => body, {}, { node: apart });
			expect([error, outputs.flat().length]).toEqual([undefined, 1]);
		}
	});

	test.each<[object, object]>([
		[{ data: 1500 }, { data: 1500 }],
		[{ id: 5 }, { id: 5 }],
	])('loses nothing with Return All if it is no list: %j', async (body, row) => {
		for (const method of ['GET', 'POST'])
			expect((await runAt(() => body, { method, returnAll: true })).json).toEqual([row]);
	});
});

const { telegram, whatsapp, viber } = SEEDED.contacts;
const { goods } = SEEDED.schemas;

const people = [telegram, whatsapp, viber].map((id, item) => ({ id, name: `Имя ${item}` }));
const items = people.slice(0, 1);
const contact = `bot_id: ${SEEDED.bots.school}, messenger: "vk", vk_id: String($json.id), name: $json.name`;
const save = post({ endpoint: 'createOrUpdateContact', ...asJson(`={{ { ${contact} } }}`) });

const toLists = post({ endpoint: '={{ $json.to }}', ...asJson(`{ "schema_id": "${goods}" }`) });
const lists = ['getListItems', 'getListItems', 'deleteListSchema'].map((to) => ({ to }));

describe('requests leave', () => {
	test('by POST to one endpoint in their order', async () => {
		service.faults.add({ kind: 'delay', ms: [10, 60] });
		await run({ with: save, items: people });
		expect(service.requests.map(({ input }) => Number(input.vk_id))).toEqual(people.map(({ id }) => id));
		for (const [index, { arrivedAt }] of service.requests.slice(1).entries())
			expect(arrivedAt).toBeGreaterThan(service.requests[index]!.answeredAt!);
	});

	test.each<[string, object, object[], number]>([
		['by GET', {}, people, 3],
		['by POST to different endpoints', toLists, lists, 2],
	])('%s at the same time', async (_, parameters, all, peak) => {
		service.faults.add({ kind: 'delay', ms: 300 });
		await run({ with: parameters, items: all as never });
		expect(service.inFlight.peak).toBe(peak);
	});
});

describe('of a list with several pages', () => {
	const all = { returnAll: true };
	const pages = () => service.requests.map(({ input }) => Number(input.page ?? 1));

	/** Anna invites people. The emulator has 50 of them on a page. */
	const invite = () => {
		for (const each of addContacts(service.data, 120)) each.invitedBy = telegram;
	};

	test.each<[string, object, rows: number, pages: number[]]>([
		['only the first is requested', {}, 50, [1]],
		['all are requested with Return All', all, 121, [1, 2, 3]],
		['one is requested by its number', asRows(id, ['page', '3']), 21, [3]],
	])('%s', async (_, parameters, rows, requested) => {
		invite();
		const { json } = await run({ with: parameters, items });
		expect([new Set(json.map(({ id }) => id)).size, json.length, pages()]).toEqual([rows, rows, requested]);
		for (const { input } of service.requests) expect(input.contact_id).toBe(String(telegram));
	});

	test('all are requested by POST too', async () => {
		for (let number = 0; number < 245; number++) addListItem(service.data, goods, { title: 'Товар' });
		const list = post({ endpoint: 'getListItems', ...asJson(`{ "schema_id": "${goods}", "limit": 100 }`) });
		expect((await run({ with: { ...list, ...all } })).json).toHaveLength(250);
		expect(service.requests.map(({ body }) => body)).toEqual(
			[{}, { page: 2 }, { page: 3 }].map((page) => ({ schema_id: goods, limit: 100, ...page })),
		);
	});

	test('a failure of a later one gives no rows', async () => {
		invite();
		service.faults.add({ ...refusal, match: { where: ({ input }) => input.page === '2' } });
		const result = await run({ with: all, items: people.slice(0, 2), node: apart });
		expect(result.outputs.map((output) => output.length)).toEqual([0, 1]);
		expect(hintsOf(result)).toEqual(['1 done, 1 failed: 1 × The service rejected the request.']);
	});
});

const noMethod = 'The GET method is not supported for this route. Supported methods: POST.';

/* Other failures: engine/matrix.test.ts, which repeats a GET; engine/retry.test.ts, which repeats no POST. */
test('an endpoint with another method says what to check', async () => {
	service.faults.add({ kind: 'answer', status: 405, body: { message: noMethod } });
	const { error } = await run({ items });
	expect(error?.description).toMatch(/^Check 'Method' and 'Endpoint'.*Supported methods: POST/);
	expect(service.requests).toHaveLength(1);
});
