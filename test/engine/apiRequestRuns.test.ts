import {
	accessRefused,
	endlessPages,
	notFound,
	unknownEndpoint,
	valuesRefused,
	webPage,
} from '../../nodes/ChatbotService/client/failure/failure';
import { expectedBy } from '../../nodes/ChatbotService/resources/operation';
import { addContacts, addListItem, SEEDED, type Fault } from '../../sandbox/emulator';
import { operationOf } from '../operations';
import { wordsOf } from '../operations/words';
import { startAnswering } from './answering';
import { asRows, post, requests } from './apiRequest';
import { credentialFor, hintsOf, runNode } from './harness';
import { attach } from './messages';
import { apart, goingOn, scene } from './scene';

/* API, Send Request: when requests leave, which pages are read, and what is said of a failure. */

const { service, run } = scene({ ...requests, ...asRows(['contact_id', '={{ $json.id }}']) });
const { telegram, whatsapp, viber, vk } = SEEDED.contacts;
const { goods } = SEEDED.schemas;

const people = [telegram, whatsapp, viber].map((id, item) => ({ id, name: `Имя ${item}` }));
const items = people.slice(0, 1);
const contact = `bot_id: ${SEEDED.bots.school}, messenger: "vk", vk_id: String($json.id), name: $json.name`;
const save = post('createOrUpdateContact', `={{ { ${contact} } }}`);

describe('requests leave', () => {
	test('by POST to one endpoint in the order of their items', async () => {
		service.faults.add({ kind: 'delay', ms: [10, 60] });
		await run({ with: save, items: people });
		expect(service.requests.map(({ input }) => Number(input.vk_id))).toEqual(people.map(({ id }) => id));
		for (const [index, { arrivedAt }] of service.requests.slice(1).entries())
			expect(arrivedAt).toBeGreaterThan(service.requests[index]!.answeredAt!);
	});

	test.each<[string, object, object[], number]>([
		['by GET', {}, people, 3],
		[
			'by POST to different endpoints',
			post('={{ $json.to }}', `{ "schema_id": "${goods}" }`),
			['getListItems', 'getListItems', 'deleteListSchema'].map((to) => ({ to })),
			2,
		],
	])('%s at the same time', async (_, parameters, all, peak) => {
		service.faults.add({ kind: 'delay', ms: 300 });
		await run({ with: parameters, items: all as never });
		expect(service.inFlight.peak).toBe(peak);
	});

	test('at the pace of the account, together with other operations', async () => {
		const credential = credentialFor(service, { requestsPerSecond: 4 });
		await Promise.all([
			runNode({ parameters: attach, items: people, credential }),
			run({ items: people, credential }),
			run({ with: save, items: people, credential }),
		]);
		const arrived = service.requests.map(({ arrivedAt }) => arrivedAt);
		expect(arrived).toHaveLength(9);
		for (const [index, time] of arrived.slice(4).entries())
			expect(time - arrived[index]!).toBeGreaterThan(950);
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
		['one is requested by its number', asRows(['contact_id', '={{ $json.id }}'], ['page', '3']), 21, [3]],
	])('%s', async (_, parameters, rows, requested) => {
		invite();
		const { json } = await run({ with: parameters, items });
		expect([new Set(json.map(({ id }) => id)).size, json.length, pages()]).toEqual([rows, rows, requested]);
		for (const { input } of service.requests) expect(input.contact_id).toBe(String(telegram));
	});

	test('all are requested by POST too', async () => {
		for (let number = 0; number < 245; number++)
			addListItem(service.data, goods, { title: `Товар ${number}` });
		const list = post('getListItems', `{ "schema_id": "${goods}", "limit": 100 }`);
		expect((await run({ with: { ...list, ...all } })).json).toHaveLength(250);
		expect(service.requests.map(({ body }) => body)).toEqual(
			[{}, { page: 2 }, { page: 3 }].map((page) => ({ schema_id: goods, limit: 100, ...page })),
		);
	});

	const rows = Array.from({ length: 50 }, (_, index) => ({ id: index + 1 }));
	const meta = (current_page: number, last_page: number) => ({
		data: rows,
		meta: { current_page, last_page },
	});

	test.each<[string, (page: number) => unknown, requested: number, isFailure: boolean]>([
		['only the first is requested if none is numbered', () => ({ data: rows }), 1, false],
		['the same rows again are a failure', () => meta(1, 5), 2, true],
		['a page without new rows is a failure', (page) => meta(page, 1000), 2, true],
	])('%s', async (_, body, requested, isFailure) => {
		let page = 0;
		const answering = await startAnswering(() => body(++page));
		const { error, json } = await run({ with: all, items, credential: credentialFor(answering) });
		expect(error?.message).toBe(isFailure ? `${endlessPages('').message} [Item 0]` : undefined);
		expect([json, answering.targets.length]).toEqual([isFailure ? [] : rows, requested]);
	});

	test('a failure of a later one gives no rows, and other items go on', async () => {
		invite();
		const match = { where: ({ input }: { input: { page?: string } }) => input.page === '2' };
		service.faults.add({ kind: 'answer', status: 422, body: { message: 'Нет' }, match: match as never });
		const result = await run({ with: all, items: people.slice(0, 2), node: apart });
		expect(result.outputs.map((output) => output.length)).toEqual([0, 1]);
		expect(hintsOf(result)).toEqual(['1 done, 1 failed.']);
	});

	test('none is requested after trouble has ended the run', async () => {
		invite();
		const where = ({ input }: { input: object }) =>
			!('contact_id' in input && input.contact_id === String(telegram));
		service.faults.add({ kind: 'delay', ms: 300 });
		service.faults.add({ kind: 'delay', ms: 1000, match: { recipient: telegram } });
		service.faults.add({ kind: 'forbidden', match: { where } as never });
		const { json } = await run({ with: all, items: [...people, { id: vk }], node: goingOn });
		const { message } = accessRefused(403, { expected: [], isForeign: false });
		expect(json[0]!.error).toBe(`Nothing was sent. ${message} [Item 0]`);
		expect(json[0]!.message).not.toMatch(/part of this item/i);
		expect(service.requests.filter(({ input }) => input.contact_id === String(telegram))).toHaveLength(1);
	});
});

/* A GET with each kind of failure: engine/matrix.test.ts. */
test.each<[string, Fault]>([
	['a 500', { kind: 'server error' }],
	['a reset', { kind: 'reset' }],
	['half an answer', { kind: 'malformed', when: 'before' }],
])('a POST may have been processed after %s: it is not repeated', async (_, fault) => {
	service.faults.add({ ...fault, match: { times: 1 } });
	const { error } = await run({ with: save, items });
	expect(error?.description).toMatch(new RegExp(`^${operationOf('api/request').unknown!}`));
	expect(service.requests).toHaveLength(1);
});

describe('what is said of', () => {
	const { fieldAt } = wordsOf('api/request');
	const expected = ['endpoint', 'parameters'].flatMap((path) => expectedBy(fieldAt(path)));
	const labels = expected.map(({ label }) => label);
	const noRoute = "^Check 'Method' and 'Endpoint'";
	const answer = (status: number, message: string, more = {}): Fault => {
		return { kind: 'answer', status, body: { message, ...more } };
	};
	const depth = { errors: { depth: ['Не больше 10.'] } };

	test.each<[string, Fault, { message: string }, string]>([
		[
			'an endpoint that the service does not have',
			answer(404, 'The route api/v1/getReferrals could not be found.'),
			unknownEndpoint(404, expected),
			`${noRoute}.* check '${labels.join("', '")}'`,
		],
		[
			'a method that the endpoint does not have',
			answer(405, 'The GET method is not supported for this route. Supported methods: POST.'),
			unknownEndpoint(405, expected),
			`${noRoute}.*Supported methods: POST`,
		],
		[
			'a record that it does not have',
			answer(404, 'Контакт не найден'),
			notFound(404, expected),
			`^Check '${labels.join("', '")}'.*Контакт не найден`,
		],
		['a wrong value', answer(422, 'Invalid.', depth), valuesRefused(422, ['depth'], ''), 'Не больше 10'],
		[
			'a missing right',
			answer(403, 'Forbidden'),
			accessRefused(403, { expected, isForeign: false }),
			'plan of the account',
		],
		['a web page', { kind: 'html' }, webPage(200, undefined), 'Base URL'],
	])('%s', async (_, fault, { message }, says) => {
		service.faults.add(fault);
		const { error } = await run({ items });
		expect(error?.message).toBe(`${message} [Item 0]`);
		expect(error?.description).toMatch(new RegExp(says));
		expect(error?.description).not.toMatch(/may have been/);
		expect(service.requests).toHaveLength(1);
	});

	test('an endpoint that does not exist, for all items', async () => {
		const all = Array.from({ length: 15 }, () => people[0]!);
		const { json } = await run({ with: { endpoint: 'getNobody' }, items: all, node: goingOn });
		const { message } = unknownEndpoint(404, expected);
		const titles = json.map(({ error }) => String(error).replace(/ \[Item \d+\]$|^Nothing was sent\. /g, ''));
		expect(titles).toEqual(all.map(() => message));
		expect(service.requests.length).toBeLessThan(15);
		// The document does not have it either.
		service.reset();
	});
});
