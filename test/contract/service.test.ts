/** The emulator answers as the API documents, and otherwise as the framework does, or as services do that differ. */

import { addListItem, DEFAULT_TOKEN, loadContract, SEEDED, startEmulator } from '../../sandbox/emulator';
import { dialectOf, type Dialect } from '../../sandbox/emulator/services';
import { clientOf, useEmulator, type Request } from './client';

const { bots, contacts, listItems, schemas } = SEEDED;
const contact_id = contacts.telegram;
const schema_id = schemas.reviews;
const item_id = listItems.review;

const service = useEmulator();
const ask = clientOf(service);

const missing = (name: string) => `Поле ${name} обязательно для заполнения.`;
const person = { bot_id: bots.school, messenger: 'whatsapp', name: 'Ольга', phone: '+7 999 111-22-33' };
const order = { body: { schema_id: schemas.orders, data: { client: contact_id, amount: 4500 } } };

test.each<[string, Request, Record<string, string>]>([
	[
		'createOrUpdateContact',
		{ body: { ...person, messenger: 'telegram', tags: ['VIP', 7] } },
		{ telegram_id: missing('telegram id'), 'tags.1': 'Поле tags.1 должно быть строкой.' },
	],
	[
		'addListItem',
		{ body: { schema_id: schemas.orders, data: { client: '', amount: 'много' } } },
		{ 'data.client': missing('data.client'), 'data.amount': 'Поле data.amount должно быть числом.' },
	],
])('%s refuses %j as the framework does', async (operation, request, errors) => {
	const { data } = service;
	const before = JSON.stringify([...data.contacts, ...data.listItems]);
	const { status, json } = await ask<{ errors: Record<string, string[]> }>(operation, request);
	const expected = Object.entries(errors).map(([name, text]) => [name, [text]]);
	expect([status, json.errors]).toEqual([422, Object.fromEntries(expected)]);
	expect(JSON.stringify([...data.contacts, ...data.listItems])).toBe(before);
});

type Json = { data: Array<Record<string, unknown>>; links?: object };

const [active, inactive] = [{ filters: { active: true } }, { filters: { active: false } }];
const page = (page: number) => ({ query: { count: 2, page } });
const saved = { body: person };
const count = ({ data }: Json) => data.length;
const first = ({ data }: Json) => data[0]!.id;
const values = ({ data }: { data: object }) => Object.values(data).filter((value) => value === 4500);

test.each<[Partial<Dialect>, string, Request, seen: (json: Json) => unknown, expected: unknown]>([
	[{}, 'getContacts', page(2), first, 5003],
	[{ pages: 'unnumbered' }, 'getContacts', page(2), ({ links }) => links, undefined],
	[{ pages: 'repeated', answers: 'wrapped' }, 'getContacts', page(2), first, 5001],
	// A new contact has come in front of all others.
	[{ pages: 'shifting' }, 'getContacts', page(2), first, 5002],
	[{}, 'getListItems', { body: active }, count, 2],
	[{}, 'getListItems', { body: {}, query: { 'filters[active]': '1' } }, count, 2],
	[{}, 'getListItems', { body: active, query: { 'filters[title]': 'Нет' } }, count, 2],
	[{ filters: 'inQuery' }, 'getListItems', { body: active }, count, 3],
	[{ filters: 'inQuery' }, 'getListItems', { body: inactive, query: { 'filters[active]': '1' } }, count, 2],
	[{ filters: 'ignored' }, 'getListItems', { body: active, query: { 'filters[active]': '1' } }, count, 3],
	[{}, 'addListItem', order, values, [4500]],
	[{ newItem: 'flat' }, 'addListItem', order, values, []],
	[{ savedContact: 'withoutId' }, 'createOrUpdateContact', saved, (json) => json, { success: true }],
	[{ savedContact: 'nothing' }, 'createOrUpdateContact', saved, (json) => json, undefined],
])('a service with %j answers %s with %j', async (ways, operation, { query, body }, seen, expected) => {
	const { data } = service;
	const newest = [...data.listSchemas.keys()].at(-1)!;
	for (const active of [true, true, false]) addListItem(data, newest, { title: 'Розы', active });
	Object.assign(service.dialect, ways);
	const ofList = operation === 'getListItems' && { schema_id: newest };
	const { status, json } = await ask<Json>(operation, { query, body: body && { ...ofList, ...body } });
	expect([status, seen(json)]).toEqual([200, expected]);
	service.assertContract();
	if (body === person) expect([...data.contacts.values()].at(-1)).toMatchObject({ name: person.name });
});

type Way = keyof Dialect;

const inVk = { bot_id: bots.school, messenger: 'vk', name: 'Ольга', vk_id: '17450284' };
const message = { bot_id: bots.school, phone: '79035550101', text: 'Привет' };
const variable = { contact_id, name: 'Город', value: 'Уфа', deletable: 0 };
const bearer = { token: null, headers: { authorization: `Bearer ${DEFAULT_TOKEN}` } };
const list = { name: 'Курсы', bot_id: bots.school, is_menu: true };

/** Requests, each with the way that its answer shows. */
const requests: Array<[operation: string, request: Request, way?: Way]> = [
	['getContacts', { query: { count: 2, with: 'tags' } }, 'with'],
	['createOrUpdateContact', { body: inVk }, 'savedContact'],
	['getReferrals', { query: { contact_id } }],
	['getBotTags', { query: { bot_id: bots.school } }],
	['getContactTags', { query: { contact_id } }],
	['attachTagToContact', { body: { contact_id, name: 'VIP' } }],
	['attachTagToContact', { body: { contact_id, name: 'Вебинар' } }, 'newTag'],
	['detachTagFromContact', { body: { contact_id, name: 'Новый лид' } }],
	['getContactVariables', { query: { contact_id } }, 'variables'],
	['setContactVariable', { query: variable }, 'changes'],
	['setContactVariable', { query: { contact_id: 1, name: 'Город', value: 'Уфа' } }, 'newVariable'],
	['deleteContactVariable', { query: { contact_id, name: 'Город' } }],
	['sendMessage', { query: { contact_id, text: 'Привет' } }],
	['sendMessageToWhatsApp', { body: message }, 'changes'],
	['getListSchemas', { query: { page: 2 } }],
	['getListSchemas', bearer, 'header'],
	['getListSchema', { query: { schema_id } }],
	['createListSchema', { body: list }],
	['createListSchema', { body: { name: 'Курсы' } }, 'newList'],
	['addListSchemaField', { body: { schema_id, field: { slug: 'city' } } }, 'changes'],
	['deleteListSchemaField', { body: { schema_id, slug: 'comment' } }],
	['deleteListSchema', { body: { schema_id } }],
	['getListItems', { body: { schema_id, limit: 2, page: 2 } }, 'pages'],
	['getListItems', { body: { schema_id } }, 'itemPages'],
	['getListItems', { body: { schema_id, limit: 9, filters: { rating: 5 } } }, 'filters'],
	['addListItem', { body: { schema_id, data: { rating: 5 } } }, 'newItem'],
	['updateListItem', { body: { item_id, schema_id, data: { rating: 4 } } }],
	['updateListItem', { body: { item_id, data: { rating: 4 } } }, 'updatedItem'],
	['deleteListItem', { body: { item_id } }],
];

test('there is a request for each operation and each way', () => {
	const operations = loadContract().operations.map(({ operationId }) => operationId);
	expect([...new Set(requests.map(([operation]) => operation))].sort()).toEqual(operations.sort());
	const ways = new Set([...requests.map(([, , way]) => way), 'answers', undefined]);
	expect([...ways].sort()).toEqual([...Object.keys(dialectOf()), undefined].sort());
});

test.each<[string, Way[]]>([
	['watbot', ['with', 'newList', 'updatedItem', 'itemPages']],
	['cleverapp', []],
	['onebot', ['variables']],
	['jetbot', ['newVariable']],
	['leadtex', ['variables', 'filters', 'answers', 'newList', 'newTag', 'changes', 'header']],
])('as %s, it differs only in %j', async (name, known) => {
	const other = await startEmulator({ service: name });
	stops.push(async () => await other.stop());
	// A reset ends what another process has changed.
	const atStart = { ...other.dialect };
	const changes = { savedContact: 'nothing', filters: 'understood' };
	await fetch(`${other.url}/sandbox/dialect`, { method: 'POST', body: JSON.stringify(changes) });
	expect(other.dialect).toEqual({ ...atStart, ...changes });
	for (const [operation, request, way] of requests) {
		const asked = [other, service].map(async (each) => {
			each.reset();
			const { status, text } = await clientOf(each)(operation, request);
			const timeless = text.replaceAll(each.url, '').replace(/\d{4}-\d\d-\d\dT[\d:]+[+]\d\d:\d\d/g, '');
			return { status, text: timeless };
		});
		const [answer, expected] = (await Promise.all(asked)) as [Answer, Answer];
		const differs = meantBy(answer) !== meantBy(expected);
		expect({ operation, request, differs }).toMatchObject({ differs: known.includes(way!) });
		if (operation === 'deleteListSchema')
			expect(answer.text !== expected.text).toBe(known.includes('answers'));
	}
	expect(other.dialect).toEqual(atStart);
});

const stops: Array<() => Promise<void>> = [];
afterAll(async () => await Promise.all(stops.map(async (stop) => await stop())));

type Answer = { status: number; text: string };

/** What an answer says besides that it was done, for which services have several forms. */
function meantBy({ status, text }: Answer): string {
	const answer: unknown = text === '' ? [] : JSON.parse(text);
	const done = ['errors', 'message', 'success'];
	const said = Object.entries(answer as object).filter(
		([name, value]) => status !== 200 || !(done.includes(name) || value === null || String(value) === ''),
	);
	return JSON.stringify([status, said]);
}
