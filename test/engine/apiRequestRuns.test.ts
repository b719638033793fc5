import { accessRefused, notFound, unknownEndpoint } from '../../nodes/ChatbotService/client/failure/failure';
import { expectedBy } from '../../nodes/ChatbotService/resources/operation';
import { addContacts, addListItem, SEEDED, type Fault, type RecordedRequest } from '../../sandbox/emulator';
import { asJson, asRows, post } from '../cases/requestCases';
import { operationOf } from '../operations';
import { wordsOf } from '../operations/words';
import { startAnswering } from './answering';
import { hintsOf } from './harness';
import { refusal } from './messages';
import { apart, goingOn, scene, usual } from './scene';

/* API, Send Request: when requests leave, which pages are read, and what is said of a failure. */

const id = ['contact_id', '={{ $json.id }}'] as const;
const { service, run } = scene(usual('api/request', { ...asRows(id), returnAll: false }));
const { telegram, whatsapp, viber, vk } = SEEDED.contacts;
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
		for (let number = 0; number < 245; number++)
			addListItem(service.data, goods, { title: `Товар ${number}` });
		const list = post({ endpoint: 'getListItems', ...asJson(`{ "schema_id": "${goods}", "limit": 100 }`) });
		expect((await run({ with: { ...list, ...all } })).json).toHaveLength(250);
		expect(service.requests.map(({ body }) => body)).toEqual(
			[{}, { page: 2 }, { page: 3 }].map((page) => ({ schema_id: goods, limit: 100, ...page })),
		);
	});

	/* Pages that never end: unit/pages.test.ts. */
	test('only the first is requested if none is numbered', async () => {
		const rows = Array.from({ length: 50 }, (_, index) => ({ id: index + 1 }));
		const { credential, targets } = await startAnswering(() => ({ data: rows }));
		const { json } = await run({ with: all, items, credential });
		expect([json, targets.length]).toEqual([rows, 1]);
	});

	test('a failure of a later one gives no rows', async () => {
		invite();
		service.faults.add({ ...refusal, match: { where: ({ input }) => input.page === '2' } });
		const result = await run({ with: all, items: people.slice(0, 2), node: apart });
		expect(result.outputs.map((output) => output.length)).toEqual([0, 1]);
		expect(hintsOf(result)).toEqual(['1 done, 1 failed.']);
	});

	test('none is requested after trouble has ended the run', async () => {
		invite();
		const isOfAnna = ({ input }: RecordedRequest) => input.contact_id === String(telegram);
		service.faults.add({ kind: 'delay', ms: 300 });
		service.faults.add({ kind: 'delay', ms: 1000, match: { recipient: telegram } });
		service.faults.add({ kind: 'forbidden', match: { where: (request) => !isOfAnna(request) } });
		const { json } = await run({ with: all, items: [...people, { id: vk }], node: goingOn });
		const { message } = accessRefused(403, { expected: [], isForeign: false });
		expect(json[0]!.error).toBe(`Nothing was sent. ${message} [Item 0]`);
		expect(json[0]!.message).not.toMatch(/part of this item/i);
		expect(service.requests.filter(isOfAnna)).toHaveLength(1);
	});
});

/* A GET with each kind of failure: engine/matrix.test.ts. */
test.each<Fault>([{ kind: 'server error' }, { kind: 'reset' }, { kind: 'malformed', when: 'before' }])(
	'a POST may have been processed after %j, so it is not repeated',
	async (fault) => {
		service.faults.add({ ...fault, match: { times: 1 } });
		const { error } = await run({ with: save, items });
		expect(error?.description?.startsWith(operationOf('api/request').unknown!)).toBe(true);
		expect(service.requests).toHaveLength(1);
	},
);

const { fieldAt } = wordsOf('api/request');
const expected = ['endpoint', 'parameters'].flatMap((path) => expectedBy(fieldAt(path)));
const labels = expected.map(({ label }) => label).join("', '");
const noMethod = 'The GET method is not supported for this route. Supported methods: POST.';

test.each<[status: number, message: string, failure: typeof notFound, says: string]>([
	[404, 'The route api/v1/x could not be found.', unknownEndpoint, `^Check 'Method' and .* '${labels}'`],
	[405, noMethod, unknownEndpoint, "^Check 'Method' and 'Endpoint'.*Supported methods: POST"],
	[404, 'Контакт не найден', notFound, `^Check '${labels}'.*Контакт не найден`],
])('a %i with %j says what to check', async (status, message, failure, says) => {
	service.faults.add({ kind: 'answer', status, body: { message } });
	const { error } = await run({ items });
	expect(error?.message).toBe(`${failure(status, expected).message} [Item 0]`);
	expect(error?.description).toMatch(new RegExp(says));
	expect(service.requests).toHaveLength(1);
});

test('all items are told of a missing endpoint', async () => {
	const all = Array.from({ length: 15 }, () => people[0]!);
	const { json } = await run({ with: { endpoint: 'getNobody' }, items: all, node: goingOn });
	const titles = json.map(({ error }) => String(error).replace(/ \[Item \d+\]$|^Nothing was sent\. /g, ''));
	expect(titles).toEqual(all.map(() => unknownEndpoint(404, expected).message));
	expect(service.requests.length).toBeLessThan(15);
	// The document does not have it either.
	service.reset();
});
