import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { fieldsNotLoaded, unknownFields } from '../../nodes/ChatbotService/resources/listItem/problems';
import { emptyField } from '../../nodes/ChatbotService/run/values/problems';
import { SEEDED } from '../../sandbox/emulator';
import { goodsColumns } from '../operations/fields';
import { labelOf } from '../operations/words';
import { create, labelAt, schema, update } from './goods';
import {
	callInBothWays,
	credentialFor,
	hintsOf,
	loadFields,
	runNode,
	useEmulator,
	type RunOptions,
} from './harness';

/* List Item, Create and Update: what of the mapped fields is sent, and what is refused. More values: storedValues.test.ts. */

const service = useEmulator();
const { goods } = SEEDED.schemas;

const run = async (parameters: INodeParameters, options: Partial<RunOptions> = {}) =>
	await runNode({ parameters, credential: credentialFor(service), ...options });

/** The data of the requests. */
const sent = () => service.requests.map(({ body }) => (body as IDataObject).data);

const automatic = { mappingMode: 'autoMapInputData', value: null, matchingColumns: [], schema };
const notLoaded = { ...automatic, schema: [] };
const columnsLabel = labelOf('listItem/create', 'columns');

/** Every field from the item's field of the same name. */
const mapped = goodsColumns(Object.fromEntries(schema.map(({ id: slug }) => [slug, `={{ $json.${slug} }}`])));

const file = { url: 'https://a.example/1.jpg' };

describe('values', () => {
	test.each<[string, IDataObject, IDataObject]>([
		['numbers as people write them', { price: '1 990,5', stock: [' 12 '] }, { price: 1990.5, stock: 12 }],
		['millions', { price: '1 234 567,5' }, { price: 1234567.5 }],
		['negative numbers', { price: '−1 990,5', stock: -1 }, { price: -1990.5, stock: -1 }],
		['zero and no', { price: '0,0', stock: 0, active: 'нет' }, { price: 0, stock: 0, active: false }],
		...['12345678901234567890', '-12345678901234567890'].map((stock): [string, IDataObject, IDataObject] => [
			...(['long numbers', { stock }, { stock }] as const),
		]),
		['a picture, and a file in a text', { photo: file, article: file }, { photo: file, article: file }],
		['no empty ones', { article: '', price: null, stock: ' ', photo: undefined }, {}],
	])('are sent as the service needs them, and nothing is said of them: %s', async (_, values, data) => {
		const result = await run(create(mapped), { items: [{ title: 'Розы', ...values }] });
		expect(sent()).toEqual([{ title: 'Розы', ...data }]);
		expect(hintsOf(result)).toEqual([]);
	});

	test.each<[string, IDataObject, string]>([
		['a word for a number', { price: 'дорого' }, `'${labelAt('price')}' must be a number`],
		['a number that may have thousands', { price: '1,990' }, `'${labelAt('price')}' must be a number`],
		['a rounded number', { stock: 2 ** 60 }, `'${labelAt('stock')}' holds a number that n8n has`],
		['a date that is none', { article: 'Invalid DateTime' }, `'${labelAt('article')}' contains a date`],
		['a word for yes or no', { active: 'может быть' }, `'${labelAt('active')}' must be true or false`],
		['a required field without a value', { title: '' }, emptyField(labelAt('title')).message],
	])('are refused by field and item before anything is sent: %s', async (_, values, message) => {
		const { error } = await run(create(mapped), {
			items: [{ title: 'Розы' }, { title: 'Пионы', ...values }],
		});
		expect(error?.message).toContain(message);
		expect(error?.message).toContain('[Item 1]');
		expect(service.requests).toEqual([]);
	});

	test('of an update are only those that have one, and none of them is required', async () => {
		const result = await run(update(mapped), { items: [{ stock: '0', title: '' }] });
		expect(sent()).toEqual([{ stock: 0 }]);
		expect(result.json[0]).toMatchObject({ title: 'Букет «Нежность»', stock: 0 });
		expect(hintsOf(result)).toEqual([]);
	});

	test('are missing if no field is mapped', async () => {
		const ofProgram = { mappingMode: 'defineBelow', value: '={{ $json }}' };
		for (const columns of [goodsColumns({}), ofProgram, {}]) {
			const { error } = await run(update(columns));
			expect(error?.message).toContain(emptyField(columnsLabel).message);
		}
		expect(service.requests).toEqual([]);
	});

	test('of fields whose types are not stored are sent as they are, also if a slug is a number', async () => {
		const { schema: _, ...columns } = goodsColumns({ title: 'Розы', stock: 5, price: '7', 2026: 'План' });
		await run(create(columns));
		expect(sent()).toEqual([{ title: 'Розы', stock: 5, price: '7', 2026: 'План' }]);
	});

	test.each(['order.id', 'цена[руб]', '"Дом"', 'a\\b'])('are sent for a slug such as %s', async (slug) => {
		// A path into the item, and code that only n8n evaluates.
		for (const code of ['={{ $json.code }}', '={{ $json.code ?? 0 }}']) {
			const { schema: _, ...columns } = goodsColumns({ title: 'Розы', [slug]: code });
			await run(create(columns), { items: [{ code: 7 }] });
		}
		const stored = { title: 'Розы', [slug]: 7 };
		expect(sent()).toEqual([stored, stored]);
	});
});

/* Older editors store false for each yes/no field that the user has not added, and mark the field as removed. */
describe('fields that the user has removed', () => {
	const without = (columns: { schema: typeof schema }, ...slugs: string[]) => ({
		...columns,
		schema: columns.schema.map((field) => ({ ...field, removed: slugs.includes(field.id) })),
	});

	test.each<[string, unknown]>([
		['active', false],
		['active', true],
		['stock', 0],
		['article', '={{ $json.article }}'],
		['photo', file],
	])('are not sent by Update, whatever the workflow stores for %s: %j', async (slug, value) => {
		const items = [{ article: '00500' }];
		await run(update(without(goodsColumns({ price: 5, [slug]: value }), slug)), { items });
		expect(sent()).toEqual([{ price: 5 }]);
	});

	test('are not sent by Create, and one that is required is empty', async () => {
		const stored = goodsColumns({ title: 'Розы', active: false });
		await run(create(without(stored, 'active')));
		expect(sent()).toEqual([{ title: 'Розы' }]);
		const { error } = await run(create(without(stored, 'title', 'active')));
		expect(error?.message).toBe(`${emptyField(labelAt('title')).message} [Item 0]`);
	});

	test('leave nothing to send if all are removed', async () => {
		const { error } = await run(update(without(goodsColumns({ active: false }), 'active')));
		expect(error?.message).toBe(`${emptyField(columnsLabel).message} [Item 0]`);
		expect(service.requests).toEqual([]);
	});

	test('are sent if they are mapped automatically, for which the editor marks all', async () => {
		const marked = without(automatic, ...schema.map(({ id: slug }) => slug));
		await run(update(marked), { items: [{ active: false, price: 5 }] });
		expect(sent()).toEqual([{ active: false, price: 5 }]);
	});

	test('a yes/no field that is off and not removed is sent as false', async () => {
		await run(update(without(goodsColumns({ active: false, stock: 1 }), 'stock')));
		expect(sent()).toEqual([{ active: false }]);
	});
});

test('a field that the list requires is required too if its fields were loaded for Update', async () => {
	const { fields } = await loadFields({ parameters: update({}), credential: credentialFor(service) });
	const loaded = { ...goodsColumns({ price: 5 }), schema: fields };
	expect((await run(update(loaded))).error).toBeUndefined();
	const { error } = await run(create(loaded));
	expect(error?.message).toBe(`${emptyField(labelAt('title')).message} [Item 0]`);
	expect(service.requests.map(({ operation }) => operation)).toEqual(['getListSchema', 'updateListItem']);
});

describe('Map Automatically', () => {
	test('sends the fields of the list, without those of other programs', async () => {
		const ofService = { id: 'старый', contact_id: 5001, created_at: '2024-05-01', updated_at: '2024-05-02' };
		const times = { createdAt: '2026-11-25', updatedAt: '2026-11-25', submittedAt: '2026-11-25' };
		const ofN8n = { row_number: 2, toolCallId: 'call_1', formMode: 'production', ...times };
		const set = { ...ofService, ...ofN8n, Примечание: '', note: null, '': ' ' };
		const items = [{ ...set, title: 'Розы', price: '1990,5', photo: file, stock: null }];
		expect((await run(create(automatic), { items })).error).toBeUndefined();
		expect(sent()).toEqual([{ title: 'Розы', price: 1990.5, photo: file }]);
	});

	test.each(['row_number', 'contact_id', 'id', 'toolCallId', 'createdAt'])(
		'sends %s if the list has it',
		async (slug) => {
			const own = { ...schema[4]!, id: slug, displayName: slug };
			await run(create({ ...automatic, schema: [...schema, own] }), {
				items: [{ title: 'Розы', [slug]: 7 }],
			});
			expect(sent()).toEqual([{ title: 'Розы', [slug]: 7 }]);
		},
	);

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
	])('an unknown field %j is refused, and the advice names the slug that it means: %s', async (...row) => {
		const { error } = await run(create(automatic), { items: [{ title: 'Розы', [row[0]]: '7' }] });
		const { message, advice } = unknownFields([row]);
		expect([error?.message, error?.description]).toEqual([`${message} [Item 0]`, advice]);
		expect(service.requests).toEqual([]);
	});

	test.each<[string, object, IDataObject, string]>([
		['fields that the list lacks', automatic, { title: 'Розы', цвет: 'белый' }, unknownFields([]).message],
		['no loaded fields', notLoaded, { title: 'Розы' }, fieldsNotLoaded(columnsLabel).message],
		['no required field', automatic, { stock: 5 }, emptyField(labelAt('title')).message],
	])('refuses an item with %s before anything is sent', async (_, columns, item, message) => {
		const { error } = await run(create(columns), { items: [item] });
		expect(error?.message).toContain(message);
		if ('цвет' in item) expect(error?.description).toContain('"цвет"');
		expect(service.requests).toEqual([]);
	});
});

describe('a list that has changed since its fields were loaded', () => {
	test('a field that is gone is named after the run', async () => {
		delete service.data.listSchemas.get(goods)!.fields.stock;
		const items = [{ title: 'Розы', stock: 1 }, { title: 'Пионы', stock: 2 }, { title: 'Астры' }];
		const result = await run(create(mapped), { items });
		expect([result.error, result.json.length]).toEqual([undefined, 3]);
		const [hint, ...others] = hintsOf(result);
		expect(hint).toContain(`The service returned no value for '${labelAt('stock')}'`);
		expect([hint, others]).toEqual([expect.stringMatching(/\(2 of 3 items\)$/), []]);
	});

	test('a field that is required now is named by the service', async () => {
		service.data.listSchemas.get(goods)!.fields.article!.is_required = true;
		const { error } = await run(create(goodsColumns({ title: 'Розы' })));
		expect(error?.message).toBe(`The service rejected the value of '${columnsLabel}: article' [Item 0]`);
	});
});

test('an AI agent creates an item, or reads what is wrong, in both ways to call a tool', async () => {
	const columns = { title: "={{ $fromAI('title') }}", price: "={{ $fromAI('price', '', 'number') }}" };
	const options = { parameters: create(goodsColumns(columns)), credential: credentialFor(service) };
	const roses = { title: 'Розы', price: 1990 };
	const nameless = { title: '', price: 1990 };
	expect(await callInBothWays(options, roses)).toMatchObject([[{ title: 'Розы' }], [{ title: 'Розы' }]]);
	for (const answer of await callInBothWays(options, nameless))
		expect(JSON.stringify(answer)).toContain(emptyField(labelAt('title')).message);
	expect(sent()).toEqual([roses, roses]);
});
