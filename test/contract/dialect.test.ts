/** How services differ: each way of the emulator keeps to the contract. */

import { SEEDED, startEmulator } from '../../sandbox/emulator';
import type { Page } from '../../sandbox/emulator/pages';
import { clientOf, useEmulator, type Invalid, type Question } from './client';
import { idsOf, listerOf, type Row } from './contacts';
import { itemListerOf } from './listItems';

const { bots, contacts, schemas } = SEEDED;

const service = useEmulator();
const ask = clientOf(service);
const { list, listed } = listerOf(service);

afterEach(() => service.assertContract());

const variables = async (query: Question['query'] = {}) =>
	(await ask<Page<Row>>('getContactVariables', { query: { contact_id: contacts.telegram, ...query } })).json;

/** To Анна Соколова, who has three. */
function addVariables(count: number) {
	const { variables } = service.data.contacts.get(contacts.telegram)!;
	for (let id = 1; id <= count; id++)
		variables.push({ id, name: `Поле ${id}`, value: 'да', deletable: false });
}

const at = '2023-03-14T08:21:05+00:00';
const city = {
	id: 9001,
	value: 'Казань',
	created_at: at,
	updated_at: at,
	variable: { id: 9001, name: 'Город' },
};

test.each([undefined, 'tags', 'tags,variables'])(
	'A service that ignores `with` sends variables and no tags, whether asked for %s or not',
	async (wanted) => {
		service.dialect.with = 'ignored';
		const row = await listed(contacts.whatsapp, wanted === undefined ? {} : { with: wanted });
		expect(row).toMatchObject({ variables: [{ name: 'Город', value: 'Москва' }] });
		expect(row).not.toHaveProperty('tags');
	},
);

test('Named variables come in one answer, whatever the page', async () => {
	addVariables(120);
	const answer = await variables({ page: 2 });
	expect(Object.keys(answer)).toEqual(['data']);
	expect(answer.data).toHaveLength(123);
	const variable = { id: 9001, name: 'Город' };
	expect(answer.data[0]).toEqual({ ...variable, value: 'Казань', deletable: false, variable });
});

test('Nested variables come in pages of 100, and in contacts too', async () => {
	service.dialect.variables = 'nested';
	addVariables(120);
	const [first, second, third] = [
		await variables(),
		await variables({ page: 2 }),
		await variables({ page: 3 }),
	];
	expect([first, second, third].map(({ data }) => data.length)).toEqual([100, 23, 0]);
	expect(first.data[0]).toEqual(city);
	expect(first.meta).toMatchObject({ per_page: 100, last_page: 2, total: 123 });
	const row = (await listed(contacts.telegram, { with: 'variables' }))!;
	expect((row.variables as object[])[0]).toEqual(city);
});

test('Unnumbered pages are pages without links and meta', async () => {
	service.dialect.pages = 'unnumbered';
	const all = [...service.data.contacts.keys()];
	const answers = [
		await list({ count: 30 }),
		await list({ count: 30, page: 2 }),
		await list({ count: 30, page: 3 }),
	];
	expect(answers.map(idsOf)).toEqual([all.slice(0, 30), all.slice(30), []]);
	for (const { json } of answers) expect(Object.keys(json)).toEqual(['data']);
});

test('A service without `page` sends its first page again and again', async () => {
	service.dialect.pages = 'repeated';
	const first = await list({ count: 30 });
	expect(Object.keys(first.json)).toEqual(['data']);
	expect(idsOf(first)).toHaveLength(30);
	expect((await list({ count: 30, page: 2 })).text).toBe(first.text);
});

test.each<[Record<string, number>]>([[{}], [{ bot_id: bots.school }]])(
	'If contacts are added between the pages of %j, the last row of a page comes again',
	async (query) => {
		service.dialect.pages = 'shifting';
		const pages = [];
		for (const page of [1, 2, 3]) pages.push(idsOf(await list({ ...query, count: 8, page })));
		expect(pages[1]![0]).toBe(pages[0]!.at(-1));
		expect(pages[2]![0]).toBe(pages[1]!.at(-1));
		const newest = Math.max(...service.data.contacts.keys());
		expect(pages.flat()).not.toContain(newest);
		expect(idsOf(await list(query))[0]).toBe(newest);
	},
);

const listItems = itemListerOf(service);
const goods = async (more: object) => (await listItems(schemas.goods, more)).json;

test('Pages of list items can be unnumbered or repeated, too', async () => {
	service.dialect.pages = 'unnumbered';
	const [first, third] = [await goods({ limit: 2 }), await goods({ limit: 2, page: 3 })];
	expect([first, third].map(({ data }) => data.length)).toEqual([2, 1]);
	expect(Object.keys(third)).toEqual(['data']);
	service.dialect.pages = 'repeated';
	expect(await goods({ limit: 2, page: 3 })).toEqual(first);
});

test('A service that ignores filters sends all items', async () => {
	const filters = { active: false };
	expect((await goods({ filters })).data).toHaveLength(1);
	service.dialect.filters = 'ignored';
	expect((await goods({ filters })).data).toHaveLength(5);
});

const form = { errors: [], message: '', success: true };
const tag = { contact_id: contacts.telegram, name: 'VIP' };

test.each<[string, Question, unknown]>([
	['getBotTags', { query: { bot_id: bots.dentist } }, ['Записан на приём', 'Повторный визит']],
	['getListSchema', { query: { schema_id: schemas.reviews } }, { id: schemas.reviews }],
	[
		'addListItem',
		{ body: { schema_id: schemas.reviews, data: { rating: 3 } } },
		{ rating: 3, comment: null },
	],
	['deleteListItem', { body: { item_id: SEEDED.listItems.order } }, []],
	// These answer `[]`, `{}`, an empty page and success otherwise.
	['attachTagToContact', { body: tag }, null],
	['setContactVariable', { body: { ...tag, value: 'да' } }, null],
	['deleteListSchema', { body: { schema_id: schemas.reviews } }, null],
	['sendMessage', { body: { contact_id: contacts.telegram, text: 'Привет' } }, null],
])('Where all answers have one form, %s with %j answers in it', async (operation, question, data) => {
	service.dialect.answers = 'wrapped';
	const { json } = await ask<object>(operation, question);
	expect(json).toMatchObject({ data, ...form });
	expect(Object.keys(json).sort()).toEqual(['data', ...Object.keys(form)]);
});

test('Where all answers have one form, pages keep their numbers, and refusals are as usual', async () => {
	service.dialect.answers = 'wrapped';
	const { meta, links, ...page } = (await list({ count: 2 })).json;
	expect(page).toEqual({ data: [expect.anything(), expect.anything()], ...form });
	expect([meta.per_page, links.prev]).toEqual([2, null]);
	const refused = await ask('getBotTags', { query: { bot_id: 1 } });
	expect(refused).toMatchObject({ status: 404, text: '{"message":"Бот не найден"}' });
});

test.each<['ofBot' | 'inMenu', string, object]>([
	['ofBot', 'bot_id', { bot_id: bots.school }],
	['inMenu', 'is_menu', { is_menu: false }],
])('A service with new lists %s requires %s', async (way, name, needed) => {
	service.dialect.newList = way;
	const refused = await ask<Invalid>('createListSchema', { body: { name: 'Отзывы' } });
	expect([refused.status, Object.keys(refused.json.errors)]).toEqual([422, [name]]);
	expect(await ask('createListSchema', { body: { name: 'Отзывы', ...needed } })).toMatchObject({
		status: 200,
	});
});

test('A service that creates unknown tags attaches them to the contact, and has them from then on', async () => {
	service.dialect.unknownTag = 'created';
	const body = { contact_id: contacts.telegram, name: 'Вебинар' };
	expect(await ask('detachTagFromContact', { body })).toMatchObject({ status: 404 });
	expect(await ask('attachTagToContact', { body })).toMatchObject({ status: 200 });
	expect(service.data.contacts.get(contacts.telegram)!.tags).toContain('Вебинар');
	expect(service.data.bots.get(bots.school)!.tags).toContain('Вебинар');
});

test('A service that ignores headers fails if the token is in one', async () => {
	service.dialect.header = 'ignored';
	const headers = { authorization: `Bearer ${service.token}` };
	const answer = await ask('getListSchemas', { token: null, headers });
	expect(answer).toMatchObject({ status: 500, text: '{"message":"Server Error"}' });
	expect(await ask('getListSchemas')).toMatchObject({ status: 200 });

	const own = await startEmulator({
		tokenIn: { placement: 'header', name: 'X-Api-Key' },
		dialect: { header: 'ignored' },
	});
	const other = { token: null, headers: { 'x-api-key': own.token } };
	expect(await clientOf(own)('getListSchemas', other)).toMatchObject({ status: 500 });
	await own.stop();
});

test('Another process can set a dialect, and a reset restores the one of the start', async () => {
	const post = async (path: string, body: object) =>
		await fetch(`${service.url}/sandbox/${path}`, { method: 'POST', body: JSON.stringify(body) });
	const usual = {
		with: 'understood',
		variables: 'named',
		pages: 'numbered',
		filters: 'understood',
		answers: 'usual',
		newList: 'free',
		unknownTag: 'refused',
		header: 'accepted',
	};
	expect(service.dialect).toEqual(usual);
	const answer = await post('dialect', { with: 'ignored' });
	expect(await answer.json()).toEqual({ dialect: { ...usual, with: 'ignored' } });
	await post('dialect', { variables: 'nested' });
	expect(service.dialect).toEqual({ ...usual, variables: 'nested' });
	expect((await variables()).data[0]).toEqual(city);
	await post('reset', {});
	expect(service.dialect).toEqual(usual);
	for (const unknown of [{ pages: 'random' }, { tags: 'ignored' }]) {
		const { message } = (await (await post('dialect', unknown)).json()) as { message: string };
		expect(message).toBe(`Server Error: no such dialect: ${JSON.stringify(unknown)}`);
	}
	expect(service.dialect).toEqual(usual);

	const own = await startEmulator({ dialect: { pages: 'unnumbered' } });
	own.dialect.with = 'ignored';
	own.reset();
	expect(own.dialect).toEqual({ ...usual, pages: 'unnumbered' });
	await own.stop();
});
