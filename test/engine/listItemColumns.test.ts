import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { unknownFields } from '../../nodes/ChatbotService/resources/listItem/problems';
import { emptyField } from '../../nodes/ChatbotService/run/values/problems';
import { goodsColumns } from '../operations/fields';
import { labelOf } from '../operations/words';
import { automatic, create, goodsOf, labelAt, mapped, schema, update } from './goods';
import { hintsOf, loadFields } from './harness';
import { scene } from './scene';

/* List Item, Create and Update: what of the mapped fields is sent. How their values are read: storedValues.test.ts. */

const { service, run, asked, optionsOf } = scene({});
const { sent, fields } = goodsOf(service);

const columnsLabel = labelOf('listItem/create', 'columns');

const slugs = schema.map(({ id }) => id);

/** Every field from the item's field of the same name. */
const all = goodsColumns(mapped(...slugs));

const file = { url: 'https://a.example/1.jpg' };

const save = async (parameters: INodeParameters, item: object = {}) =>
	await run({ parameters, items: [item as IDataObject] });

describe('values', () => {
	test.each<[string, IDataObject, IDataObject]>([
		['pictures, and files in texts', { photo: file, article: file }, { photo: file, article: file }],
		['no empty ones', { article: '', price: null, stock: ' ', photo: undefined }, {}],
	])('are sent as the service needs them: %s', async (_, values, data) => {
		const result = await save(create(all), { title: 'Розы', ...values });
		expect([sent(), hintsOf(result)]).toEqual([[{ title: 'Розы', ...data }], []]);
	});

	test('of an update are only those that have one, and none is required', async () => {
		const result = await save(update(all), { stock: '0', title: '' });
		expect([sent(), hintsOf(result)]).toEqual([[{ stock: 0 }], []]);
		expect(result.json).toMatchObject([{ title: 'Букет «Нежность»', stock: 0 }]);
	});

	test('are sent as they are without the types of their fields, whatever the slugs', async () => {
		const odd = Object.fromEntries(
			['order.id', 'цена[руб]', '"Дом"', 'a\\b', '2026'].map((slug) => [slug, 7]),
		);
		// A path into the item, and code that only n8n evaluates.
		for (const code of ['={{ $json.code }}', '={{ $json.code ?? 0 }}']) {
			const value = Object.fromEntries(Object.keys(odd).map((slug) => [slug, code]));
			const { schema: _, ...columns } = goodsColumns({ title: 'Розы', price: '7', ...value });
			await save(create(columns), { code: 7 });
		}
		const data = { title: 'Розы', price: '7', ...odd };
		expect(sent()).toEqual([data, data]);
	});
});

/* Older editors store false for each yes/no field that the user has not added, and mark the field as removed. */
describe('fields that the user has removed', () => {
	const without = (columns: { schema: typeof schema }, ...removed: string[]) => ({
		...columns,
		schema: columns.schema.map((field) => ({ ...field, removed: removed.includes(field.id) })),
	});

	test.each<[string, unknown]>([
		['active', false],
		['active', true],
		['stock', 0],
		['article', '={{ $json.article }}'],
		['photo', file],
	])('are not sent, whatever the workflow stores for %s: %j', async (slug, value) => {
		const stored = without(goodsColumns({ title: 'Розы', price: 5, [slug]: value }), slug);
		for (const operation of [create, update]) await save(operation(stored), { article: '00500' });
		expect(sent()).toEqual([1, 2].map(() => ({ title: 'Розы', price: 5 })));
	});

	test('are empty, if one is required or all are removed', async () => {
		const stored = goodsColumns({ title: 'Розы', active: false });
		const untitled = await save(create(without(stored, 'title', 'active')));
		expect(untitled.error?.message).toBe(`${emptyField(labelAt('title')).message} [Item 0]`);
		const none = await save(update(without(stored, 'title', 'active')));
		expect(none.error?.message).toBe(`${emptyField(columnsLabel).message} [Item 0]`);
		expect(asked()).toEqual([]);
	});

	test('are sent if they are mapped automatically, for which the editor marks all', async () => {
		await save(update(without(automatic, ...slugs)), { active: false, price: 5 });
		expect(sent()).toEqual([{ active: false, price: 5 }]);
	});

	test('are others than a yes/no field that is off, which is sent as false', async () => {
		await save(update(without(goodsColumns({ active: false, stock: 1 }), 'stock')));
		expect(sent()).toEqual([{ active: false }]);
	});
});

test('a field loaded for Update is required too if the list requires it', async () => {
	const loaded = {
		...goodsColumns({ price: 5 }),
		...(await loadFields(optionsOf({ parameters: update({}) }))),
	};
	const stored = { ...loaded, schema: loaded.fields };
	expect((await save(update(stored))).error).toBeUndefined();
	const { error } = await save(create(stored));
	expect(error?.message).toBe(`${emptyField(labelAt('title')).message} [Item 0]`);
	expect(asked()).toEqual(['getListSchema', 'updateListItem']);
});

describe('Map Automatically', () => {
	const ofService = { id: 'старый', contact_id: 5001, created_at: '2024-05-01', updated_at: '2024-05-02' };
	const times = { createdAt: '2026-11-25', updatedAt: '2026-11-25', submittedAt: '2026-11-25' };
	const ofN8n = { row_number: 2, toolCallId: 'call_1', formMode: 'production', ...times };

	test('sends the fields of the list, without those of other programs', async () => {
		const set = { ...ofService, ...ofN8n, Примечание: '', note: null, '': ' ' };
		await save(create(automatic), { ...set, title: 'Розы', price: '1990,5', photo: file, stock: null });
		expect(sent()).toEqual([{ title: 'Розы', price: 1990.5, photo: file }]);
	});

	test('sends fields of other programs that the list has', async () => {
		const own = Object.keys({ ...ofService, ...ofN8n }).filter((slug) => !/_at$/.test(slug));
		const more = own.map((slug) => ({ ...schema[2]!, id: slug, displayName: slug }));
		const item = { title: 'Розы', ...Object.fromEntries(own.map((slug) => [slug, '7'])) };
		await save(create({ ...automatic, schema: [...schema, ...more] }), item);
		expect(sent()).toEqual([item]);
	});

	test.each<[string, string | undefined]>([
		...['Цена, ₽', 'Price', 'цена,  ₽', 'PRICE ', 'Цена, ₽ (price)', '\u200bprice', '_price'].map(
			(name): [string, string] => [name, 'price'],
		),
		['Артикул', 'article'],
		// The item has the title already.
		['Название', undefined],
		['цвет', undefined],
		['Цена', undefined],
		['prices', undefined],
	])('refuses the unknown field %j, and says which is meant: %s', async (...row) => {
		const { error } = await save(create(automatic), { title: 'Розы', [row[0]]: '7' });
		const { message, advice } = unknownFields([row]);
		expect([error?.message, error?.description]).toEqual([`${message} [Item 0]`, advice]);
		expect(asked()).toEqual([]);
	});
});

describe('a list that has changed since its fields were loaded', () => {
	test('a field that is gone is named after the run', async () => {
		delete fields().stock;
		const items = [{ title: 'Розы', stock: 1 }, { title: 'Пионы', stock: 2 }, { title: 'Астры' }];
		const result = await run({ parameters: create(all), items });
		expect([result.error, result.json.length]).toEqual([undefined, 3]);
		expect(hintsOf(result)).toEqual([expect.stringMatching(/\(2 of 3 items\)$/)]);
		expect(hintsOf(result).join()).toContain(`The service returned no value for '${labelAt('stock')}'`);
	});

	test('a field that is required now is named by the service', async () => {
		fields().article!.is_required = true;
		const { error } = await save(create(goodsColumns({ title: 'Розы' })));
		expect(error?.message).toBe(`The service rejected the value of '${columnsLabel}: article' [Item 0]`);
	});
});
