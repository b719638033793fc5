/** How services differ in contacts and their variables: each way of the emulator keeps to the contract. */

import { SEEDED, startEmulator } from '../../sandbox/emulator';
import type { Page } from '../../sandbox/emulator/pages';
import { clientOf, useEmulator, type Question } from './client';
import { idsOf, listerOf, type Row } from './contacts';

const { bots, contacts } = SEEDED;

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

test('Another process can set a dialect, and a reset restores the one of the start', async () => {
	const post = async (path: string, body: object) =>
		await fetch(`${service.url}/sandbox/${path}`, { method: 'POST', body: JSON.stringify(body) });
	const usual = { with: 'understood', variables: 'named', pages: 'numbered' };
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
