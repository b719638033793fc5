import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { emptyAnswer, endlessPages } from '../../nodes/ChatbotService/client/failure/failure';
import { addContacts, addListItem, SEEDED } from '../../sandbox/emulator';
import { startAnswering } from './answering';
import { asRows, post, requesterOf } from './apiRequest';
import { credentialFor, hintsOf, useEmulator } from './harness';

/* API, Send Request: what comes out of an answer, and of how many pages. */

const service = useEmulator();
const send = requesterOf(service);
const { telegram } = SEEDED.contacts;
const both = ['GET', 'POST'];

/** The items that come out of an answer. */
async function itemsOf(body: unknown, parameters: INodeParameters) {
	const { error, outputs } = await requesterOf(await startAnswering(() => body))(parameters);
	expect(error).toBeUndefined();
	for (const { pairedItem } of outputs[0] ?? []) expect(pairedItem).toEqual({ item: 0 });
	return (outputs[0] ?? []).map(({ json }) => json);
}

describe('each answer comes out whole:', () => {
	const links = { first: 'https://example.com/?api_token=чужой', next: null };
	const rows = [{ id: 1, имя: 'Анна', tags: ['VIP'], bot: { id: 5 } }, { id: 2 }];

	test.each<[string, unknown, IDataObject[]]>([
		['the rows of a list', { data: rows }, rows],
		['those of a page, without its links', { data: rows, links, meta: { total: 2 } }, rows],
		['those of a list without a wrapper', rows, rows],
		['those of a list beside an ID', { id: 7, data: rows }, rows],
		['rows without their own links', { data: [{ id: 1, links }] }, [{ id: 1 }]],
		['no rows of an empty list', { data: [], links, meta: { total: 0 } }, []],
		['texts as names', { data: ['VIP', 'Новый лид'] }, [{ name: 'VIP' }, { name: 'Новый лид' }]],
		['texts without a wrapper as names', ['VIP'], [{ name: 'VIP' }]],
		['an object', { id: 5, error: 'Нет', status: 'error' }, [{ id: 5, error: 'Нет', status: 'error' }]],
		['an object without an ID', { balance: 12.5, currency: 'RUB' }, [{ balance: 12.5, currency: 'RUB' }]],
		['an object in a wrapper', { data: { balance: 0, on: false } }, [{ balance: 0, on: false }]],
		['an object without its links', { id: 5, links }, [{ id: 5 }]],
		['a wrapped object without its links', { data: { id: 5, links }, links }, [{ id: 5 }]],
		['a number', { data: 1500 }, [{ data: 1500 }]],
		['no', { data: false, success: true }, [{ data: false, success: true }]],
		['a text', { data: 'https://example.com/invite' }, [{ data: 'https://example.com/invite' }]],
		['nothing beside others', { data: null, total: 0 }, [{ data: null, total: 0 }]],
		['lists in a list', { data: [[1, 2], [3]], links }, [{ data: [[1, 2], [3]] }]],
		['lists in a list without a wrapper', [[1, 2], [3]], [{ data: [[1, 2], [3]] }]],
		['a list with gaps', { data: [1, null, { id: 5 }] }, [{ data: [1, null, { id: 5 }] }]],
		['a list with gaps, without a wrapper', [null, 1], [{ data: [null, 1] }]],
		[
			'long numbers with all their digits',
			'{"data":[{"id":12345678901234567890,"small":1234567890123456,"ids":[-98765432109876543210]}]}',
			[{ id: '12345678901234567890', small: 1234567890123456, ids: ['-98765432109876543210'] }],
		],
		[
			'an answer behind what PHP says',
			`Warning: Undefined $plan in /a.php on line 4\n{"data":[{"id":1}]}`,
			[{ id: 1 }],
		],
	])('%s', async (_, body, items) => {
		for (const method of both) expect(await itemsOf(body, { method })).toEqual(items);
	});

	test.each(['', '[]', 'null', 'true', '1', 'ok', '{}'])(
		'a POST is done after the answer %j',
		async (body) => {
			const done = await itemsOf(body, post('doSomething', '{ "a": 1 }'));
			expect(done).toEqual([{ success: true }]);
		},
	);

	test('a GET that reads an empty list has no items', async () => {
		for (const body of ['[]', '{"data":[]}']) expect(await itemsOf(body, {})).toEqual([]);
	});

	test.each([
		['5', 5],
		['150.50', 150.5],
		['"https://example.com/invite"', 'https://example.com/invite'],
		['false', false],
	])('a GET with only a value has it in its item: %s', async (body, data) => {
		expect(await itemsOf(body, {})).toEqual([{ data }]);
	});

	test('a GET with an empty answer is a failure, because there is nothing to read', async () => {
		const { error, json } = await requesterOf(await startAnswering(() => ''))({});
		expect([error?.message, json]).toEqual([`${emptyAnswer(200).message} [Item 0]`, []]);
	});

	test.each<[string, unknown]>([
		['an error', { error: 'Нет такого бота' }],
		['errors', { errors: ['Нет такого бота'], data: [] }],
		['no success', { success: false, message: 'Нет такого бота' }],
	])('%s is a failure with the words of the service', async (_, body) => {
		for (const method of both) {
			const { error } = await requesterOf(await startAnswering(() => body))({ method });
			expect(error?.description).toContain('Нет такого бота');
		}
	});

	test('the token of the account is nowhere, although the service repeats it', async () => {
		const result = await send({ ...asRows(['contact_id', String(telegram)]), returnAll: true });
		expect(result.json).toMatchObject([{ name: 'Иван Петров' }]);
		expect(JSON.stringify(result.run)).not.toContain(service.token);
	});
});

describe('of a list with several pages', () => {
	const ofAnna = asRows(['contact_id', String(telegram)]);
	const all = { ...ofAnna, returnAll: true };
	const pages = () => service.requests.map(({ input }) => Number(input.page ?? 1));

	/** Anna invites people. The emulator has 50 of them on a page. */
	const invite = (count: number) => {
		for (const contact of addContacts(service.data, count)) contact.invitedBy = telegram;
	};

	test('only the first one is requested', async () => {
		invite(120);
		expect([(await send(ofAnna)).json.length, pages()]).toEqual([50, [1]]);
	});

	test('all are requested with Return All, each person once', async () => {
		invite(120);
		const { json } = await send(all);
		expect([new Set(json.map(({ id }) => id)).size, json.length, pages()]).toEqual([121, 121, [1, 2, 3]]);
		// The other parameters are those of the user on each page.
		expect(service.requests.map(({ input }) => input.contact_id)).toEqual(Array(3).fill(String(telegram)));
	});

	test('only the first one is requested with Return All, too, if the service does not number them', async () => {
		const rows = Array.from({ length: 50 }, (_, index) => ({ id: index + 1 }));
		const unnumbered = await startAnswering(() => ({ data: rows }));
		const { json } = await requesterOf(unnumbered)({ returnAll: true });
		expect([json, unnumbered.targets.length]).toEqual([rows, 1]);
	});

	test('that are read by POST, all are requested too', async () => {
		const { goods } = SEEDED.schemas;
		for (let number = 0; number < 245; number++)
			addListItem(service.data, goods, { title: `Товар ${number}` });
		const list = post('getListItems', `{ "schema_id": "${goods}", "limit": 100 }`);
		expect((await send(list)).json).toHaveLength(100);
		expect((await send({ ...list, returnAll: true })).json).toHaveLength(250);
		const bodies = service.requests.map(({ body }) => body);
		expect(bodies).toEqual(
			[undefined, undefined, 2, 3].map((page) => ({ schema_id: goods, limit: 100, ...(page && { page }) })),
		);
	});

	test('one at a time can be requested by its number', async () => {
		invite(120);
		const { json } = await send(asRows(['contact_id', String(telegram)], ['page', '3']));
		expect([json.length, pages()]).toEqual([21, [3]]);
	});

	test.each<[string, unknown, number]>([
		['always the same rows', { data: [{ id: 1 }], meta: { current_page: 1, last_page: 5 } }, 1],
		['pages without new rows', undefined, 2],
	])('%s end the run with a failure', async (_, body) => {
		let page = 0;
		const numbered = () => ({ data: [{ id: 1 }], meta: { current_page: ++page, last_page: 1000 } });
		const endless = await startAnswering(() => body ?? numbered());
		const { error, json } = await requesterOf(endless)({ returnAll: true });
		expect(error?.message).toBe(`${endlessPages('').message} [Item 0]`);
		expect([json, endless.targets.length]).toEqual([[], 2]);
	});

	test.each([{ data: 1500 }, { data: { id: 5 } }, { id: 5 }])(
		'nothing is missing with Return All, although the answer is no list: %j',
		async (body) => {
			for (const method of both)
				expect(await itemsOf(body, { method, returnAll: true })).toEqual([
					typeof body.data === 'object' ? body.data : body,
				]);
		},
	);

	test('a failure of a later page gives no rows, and other items go on', async () => {
		invite(120);
		service.faults.add({
			kind: 'answer',
			status: 422,
			body: { message: 'Нет' },
			match: { where: ({ input }) => input.page === '2' },
		});
		const items = [{ id: telegram }, { id: SEEDED.contacts.whatsapp }];
		const result = await send(
			{ ...asRows(['contact_id', '={{ $json.id }}']), returnAll: true },
			{ items, node: { onError: 'continueErrorOutput' }, credential: credentialFor(service) },
		);
		expect(result.outputs.map((output) => output.length)).toEqual([0, 1]);
		expect(hintsOf(result)).toEqual(['1 done, 1 failed.']);
	});
});
