import type { IDataObject } from 'n8n-workflow';

import { noneStored, notAttempted } from '../../nodes/ChatbotService/client/failure/failure';
import { unknownFields } from '../../nodes/ChatbotService/resources/listItem/itemProblems';
import { emptyField } from '../../nodes/ChatbotService/run/values/valueProblems';
import { SEEDED } from '../../sandbox/emulator';
import { goodsColumns } from '../operations/fields';
import { labelOf } from '../operations/words';
import { answeringRows } from './answering';
import { automatic, create, goodsOf, id, labelAt, mapped, schema, update } from './goods';
import { hintsOf, loadFields } from './harness';
import { goingOn, scene } from './scene';

/*
 * List Item, Create and Update: what of the mapped fields is sent, and what is said if the service has answered with the item, but without
 * its values. How values are read: listItems.test.ts.
 */

const { service, run, asked, optionsOf } = scene({});
const { sent, fields } = goodsOf(service);

const columnsLabel = labelOf('listItem/create', 'columns');
const slugs = schema.map((field) => field.id);
const file = { url: 'https://a.example/1.jpg' };

/** Every field from the item's field of the same name. */
const all = goodsColumns(mapped(...slugs));

/** Older editors store false for each yes/no field that the user has not added, and mark the field as removed. */
const without = (columns: typeof all | typeof automatic, ...removed: string[]) => ({
	...columns,
	schema: schema.map((field) => ({ ...field, removed: removed.includes(field.id) })),
});

const five = (values: object) => goodsColumns({ title: 'Розы', price: 5, ...values });
const roses = { title: 'Розы', price: 5 };
const pictured = { ...roses, photo: file };

/** What programs add to their items. */
const ofService = { id: 'старый', contact_id: 5001, created_at: '2024-05-01', updated_at: '2024-05-02' };
const ofN8n = { row_number: 2, toolCallId: 'call_1', formMode: 'production', createdAt: '2026-11-25' };
const own = { id: 'a1', contact_id: 5001, row_number: 2, toolCallId: 'call_1', createdAt: '2026-11-25' };
const withOwn = [
	...schema,
	...Object.keys(own).map((slug) => ({ ...schema[4]!, id: slug, type: undefined })),
];

/** The workflow does not know the fields. */
const { schema: _known, ...unmapped } = goodsColumns({});
const unknown = (value: object) => ({ ...unmapped, value });
const odd = (value: unknown) =>
	Object.fromEntries(['order.id', 'цена[руб]', '"Дом"', 'a\\b', '7'].map((slug) => [slug, value]));

const ofOthers = { ...ofService, ...ofN8n, Примечание: '', '': ' ', stock: null };

test.each<[string, columns: object, item: object, data?: object]>([
	['pictures, and files in texts', all, { title: 'Розы', photo: file, article: file }],
	['no empty values', all, { ...roses, article: '', stock: ' ', active: null }, roses],
	['a path into the item, by odd slugs', unknown(odd('={{ $json.code }}')), { code: 7 }, odd(7)],
	['values as they are, of unknown types', unknown({ price: '7', stock: 5 }), {}, { price: '7', stock: 5 }],
	['no removed field that is off', without(five({ active: false }), 'active'), {}, roses],
	['no removed field of 0', without(five({ stock: 0 }), 'stock'), {}, roses],
	['a field that is off', without(five({ active: false }), 'stock'), {}, { ...roses, active: false }],
	// The editor marks all of them then.
	['automatically the removed ones', without(automatic, ...slugs), { ...roses, active: false }],
	['automatically what the list has', automatic, { ...pictured, ...ofOthers }, pictured],
	['automatically what only this list has', { ...automatic, schema: withOwn }, { ...roses, ...own }],
])('Create and Update send %s', async (_, columns, item, data = item) => {
	for (const operation of [create, update])
		await run({ parameters: operation(columns), items: [item as IDataObject] });
	expect(sent()).toEqual([data, data]);
});

test('an update changes only what has a value', async () => {
	const result = await run({ parameters: update(all), items: [{ stock: '0', title: '' }] });
	expect([sent(), hintsOf(result)]).toEqual([[{ stock: 0 }], []]);
	expect(result.json).toMatchObject([{ title: 'Букет «Нежность»', stock: 0 }]);
});

test('a required field is needed, wherever it was loaded', async () => {
	const loaded = await loadFields(optionsOf({ parameters: update({}) }));
	// A person has added the price.
	const schema = loaded.fields.map((field) => ({ ...field, removed: false }));
	const columns = { ...goodsColumns({ price: 5 }), schema };
	expect((await run({ parameters: update(columns) })).error).toBeUndefined();
	const removed = without(five({}), 'title', 'price');
	for (const [parameters, label] of [
		[create(columns), labelAt('title')],
		[create(removed), labelAt('title')],
		[update(removed), columnsLabel],
	] as const)
		expect((await run({ parameters })).error?.message).toBe(`${emptyField(label).message} [Item 0]`);
	expect(asked()).toEqual(['getListSchema', 'updateListItem']);
});

test('unknown fields are refused, with what they mean', async () => {
	const prices = ['Цена, ₽', 'Price', 'цена,  ₽', 'PRICE ', 'Цена, ₽ (price)', '\u200bprice', '_price'];
	const rows: Array<[name: string, slug?: string]> = [
		...prices.map((name): [string, string] => [name, 'price']),
		['Артикул', 'article'],
		// The item has the title already.
		...['Название', 'цвет', 'Цена', 'prices'].map((name): [string] => [name]),
	];
	const items = rows.map(([name]) => ({ title: 'Розы', [name]: '7' }));
	const { json } = await run({ parameters: create(automatic), items, node: goingOn });
	const said = rows.map((row) => unknownFields([row]));
	expect(json).toEqual(
		said.map(({ message, advice }, item) => ({ error: `${message} [Item ${item}]`, message: advice })),
	);
	expect(asked()).toEqual([]);
});

test('a field required by now is named by the service', async () => {
	fields().article!.is_required = true;
	const { error } = await run({ parameters: create(goodsColumns({ title: 'Розы' })) });
	expect(error?.message).toBe(`The service requires '${columnsLabel}: article' [Item 0]`);
});

test('new items without their values end the run', async () => {
	service.dialect.newItem = 'flat';
	const parameters = create(goodsColumns({ title: '={{ $json.title }}', price: 1990 }));
	const items = Array.from({ length: 40 }, (_, number) => ({ title: `Розы ${number}` }));
	const { json } = await run({ parameters, items, node: goingOn });
	// Those that had left before the first answer.
	expect(service.requests.length).toBeLessThan(12);
	const [made] = [...service.data.listItems.values()].slice(-service.requests.length);
	const failure = noneStored(made!.id, ['title', 'price'].map(labelAt), { isNew: true });
	expect(json[0]).toEqual({ error: `${failure.message} [Item 0]`, message: failure.description });
	expect(json.at(-1)!.error).toBe(`${notAttempted(failure).message} [Item 39]`);
});

test('an update fails that stores no value', async () => {
	delete fields().stock;
	const parameters = update(goodsColumns({ price: '={{ $json.price }}', stock: '={{ $json.stock }}' }));
	const { json } = await run({ parameters, items: [{ stock: 1 }, { stock: 1, price: 5 }], node: goingOn });
	const { message, description } = noneStored(SEEDED.listItems.good, [labelAt('stock')], { isNew: false });
	expect(json).toMatchObject([{ error: `${message} [Item 0]`, message: description }, { price: 5 }]);
	expect(description).not.toContain('delete');
});

describe('an answer', () => {
	const times = { created_at: '2026-11-27T10:00:00+00:00', updated_at: '2026-11-27T10:00:00+00:00' };
	const saved = { id: '64b7f0c2a1d3e4f5a6000001', ...times };
	const rose = { title: 'Розы' };
	const stocked = { ...rose, stock: 5 };
	const off = { ...rose, active: false, stock: 0 };
	const kept = { ...saved, ...rose };
	const photo = { ...rose, photo: 'https://a.example/1.jpg' };

	/** What is said of an answer. */
	async function saidOf(answered: unknown, columns: object) {
		const result = await run({ parameters: create(columns), credential: await answeringRows(answered) });
		const { error, json } = result;
		return error?.message ?? [...hintsOf(result), ...(json.length === 1 ? [] : ['no item'])].join();
	}

	const lost = `The service returned no value for '${labelAt('stock')}'`;
	const none = `${noneStored('', [], { isNew: true }).message} [Item 0]`;

	test.each<[string, sent: IDataObject, answered: unknown, says: string]>([
		['another spelling', { ...rose, price: 1990.5 }, { ...saved, title: 'розы ', price: '1 990,50' }, ''],
		['nothing for no', off, { ...kept, active: null, stock: '' }, ''],
		['nothing for no alone', { title: '0', active: false }, { ...saved, title: null, active: '' }, ''],
		['0 for a text of 0', { ...rose, stock: '0' }, { ...kept, stock: 0 }, ''],
		['a file', photo, { ...kept, photo: { url: 'https://b.example' } }, ''],
		['nothing but an ID', rose, { id: saved.id }, ''],
		['no ID', rose, { ...times, title: null }, ''],
		['no item', rose, [], ''],
		['null for a value', stocked, { ...kept, stock: null }, lost],
		['no value', stocked, saved, none],
		['an ID and a null', stocked, { id: saved.id, title: null }, none],
	])('with %s: %j, %j', async (_, sent, answered, says) => {
		const said = await saidOf(answered, goodsColumns(sent));
		expect(says ? said : [said]).toEqual(says ? expect.stringContaining(says) : ['']);
	});

	test.each(['is_encryptable', 'is_hidden'] as const)('may lack a value that %s', async (flag) => {
		fields().title![flag] = true;
		const loaded = await loadFields(optionsOf({ parameters: create({}) }));
		const columns = (sent: IDataObject) => ({ ...goodsColumns(sent), schema: loaded.fields });
		expect(await saidOf({ ...saved, title: null }, columns(rose))).toBe('');
		expect(await saidOf({ ...saved, stock: 5 }, columns(stocked))).toBe('');
	});
});

test('contact_id, which services add, stays', async () => {
	const columns = { mappingMode: 'defineBelow', value: { client: 5001, amount: 7 } };
	const result = await run({ parameters: { ...create(columns), schemaId: id(SEEDED.schemas.orders) } });
	expect([result.json, hintsOf(result)]).toMatchObject([[{ client: 5001, contact_id: 5001, amount: 7 }], []]);
});
