import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { fieldsNotLoaded, unknownFields } from '../../nodes/ChatbotService/resources/listItem/problems';
import { emptyField } from '../../nodes/ChatbotService/run/values/problems';
import { SEEDED } from '../../sandbox/emulator';
import { goodsColumns } from '../operations/fields';
import { labelOf } from '../operations/words';
import { callInBothWays, credentialFor, hintsOf, runNode, useEmulator, type RunOptions } from './harness';

/* List Item, Create and Update: what of the mapped fields is sent, and what is refused before anything is sent. */

const service = useEmulator();
const { goods } = SEEDED.schemas;

const id = (value: unknown) => ({ __rl: true, mode: 'id', value }) as INodeParameters;

const create = (columns: object): INodeParameters => ({
	...{ resource: 'listItem', operation: 'create', schemaId: id(goods) },
	columns: columns as INodeParameters,
});

const update = (columns: object): INodeParameters => ({
	...create(columns),
	...{ operation: 'update', itemId: id(SEEDED.listItems.good) },
});

const run = async (parameters: INodeParameters, options: Partial<RunOptions> = {}) =>
	await runNode({ parameters, credential: credentialFor(service), ...options });

/** The data of the requests. */
const sent = () => service.requests.map(({ body }) => (body as IDataObject).data);

const { schema } = goodsColumns({});
const automatic = { mappingMode: 'autoMapInputData', value: null, matchingColumns: [], schema };
const notLoaded = { ...automatic, schema: [] };
const labelAt = (slug: string) => schema.find((field) => field.id === slug)!.displayName;
const columnsLabel = labelOf('listItem/create', 'columns');

/** Every field from the item's field of the same name. */
const mapped = goodsColumns(Object.fromEntries(schema.map(({ id: slug }) => [slug, `={{ $json.${slug} }}`])));

const file = { url: 'https://a.example/1.jpg' };

describe('values', () => {
	test.each<[string, IDataObject, IDataObject]>([
		['numbers as people write them', { price: '1 990,5', stock: [' 12 '] }, { price: 1990.5, stock: 12 }],
		['negative numbers and zero', { price: -1, stock: 0 }, { price: -1, stock: 0 }],
		['long numbers', { stock: '12345678901234567890' }, { stock: '12345678901234567890' }],
		['yes', { active: 'да' }, { active: true }],
		['numbers in a text', { article: 417 }, { article: '417' }],
		['a picture, and a file in a text', { photo: file, article: file }, { photo: file, article: file }],
		['no empty ones', { article: '', price: null, stock: ' ', photo: undefined }, {}],
	])('are sent as the service needs them: %s', async (_, values, data) => {
		await run(create(mapped), { items: [{ title: 'Розы', ...values }] });
		expect(sent()).toEqual([{ title: 'Розы', ...data }]);
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
		const { json } = await run(update(mapped), { items: [{ stock: '3', title: '' }] });
		expect(sent()).toEqual([{ stock: 3 }]);
		expect(json[0]).toMatchObject({ title: 'Букет «Нежность»', stock: 3 });
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

describe('Map Automatically', () => {
	test('sends the fields of the list, without those that the service sets', async () => {
		const set = { id: 'старый', created_at: '2024-05-01', updated_at: '2024-05-02', toolCallId: 'call_1' };
		const items = [{ ...set, title: 'Розы', price: '1990,5', photo: file, stock: null }];
		expect((await run(create(automatic), { items })).error).toBeUndefined();
		expect(sent()).toEqual([{ title: 'Розы', price: 1990.5, photo: file }]);
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
		const [hint] = hintsOf(result);
		expect(hint).toContain(`The service did not return '${labelAt('stock')}'`);
		expect(hint).toContain('(2 of 3 items)');
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
