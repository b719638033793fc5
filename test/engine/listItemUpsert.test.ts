import type { INodeParameters } from 'n8n-workflow';

import { noneStored } from '../../nodes/ChatbotService/client/failure/failure';
import { emptyField } from '../../nodes/ChatbotService/run/values/problems';
import { addListItem, SEEDED } from '../../sandbox/emulator';
import { SERVICES } from '../../sandbox/emulator/services';
import { startEmulator } from '../../sandbox/emulator';
import { unknownOf, operationOf } from '../operations';
import { callInBothWays, credentialFor, hintsOf, retryNode, runNode, useEmulator } from './harness';
import { goodsOf, labelAt, mapped, schema, upsert } from './goods';

/* List Item, Create or Update: which item is saved, and how often. What is refused: listItemUpsertRefused.test.ts. */

const service = useEmulator();
const { goods } = SEEDED.schemas;

const { save, stored, changes, asked } = goodsOf(service);

const errorOutput = { node: { onError: 'continueErrorOutput' } } as const;

describe('an item', () => {
	test('that the list has is updated, and only its mapped fields change', async () => {
		const { json, error } = await save(upsert({ article: '00421', stock: 9 }));
		expect([error, json]).toMatchObject([
			undefined,
			[{ title: 'Орхидея в горшке', article: '00421', stock: 9 }],
		]);
		expect(asked()).toEqual(['getListItems', 'updateListItem']);
	});

	test('that the list does not have is created, once however often the workflow runs', async () => {
		const parameters = upsert(mapped('article', 'title', 'price'));
		const sheet = [
			{ article: 'Ф-1', title: 'Фрезии', price: '1 990,5' },
			{ article: 'Г-1', title: 'Гипсофила', price: '450' },
		];
		const first = await save(parameters, sheet);
		const before = JSON.stringify([...service.data.listItems.values()].map(({ values }) => values));
		const second = await save(parameters, sheet);
		expect([first.error, second.error]).toEqual([undefined, undefined]);
		expect(second.json.map((item) => item.id)).toEqual(first.json.map((item) => item.id));
		expect(JSON.stringify([...service.data.listItems.values()].map(({ values }) => values))).toBe(before);
		expect(changes()).toEqual(['addListItem', 'addListItem', 'updateListItem', 'updateListItem']);
		expect(second.outputs[0]!.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }]);
	});

	test.each<[slug: string, written: string, stored: unknown]>([
		['price', '1 990,5', 1990.5],
		['stock', '12,0', 12],
		['article', ' 00418 ', '00418'],
	])('is found by %s as it is stored, written as %p', async (slug, written, found) => {
		for (const known of [schema, []]) {
			service.reset();
			// A field whose type the workflow does not know travels as it is written.
			const { json } = await save(upsert({ [slug]: '={{ $json.key }}', title: 'Розы' }, slug, known), [
				{ key: written },
			]);
			expect(stored(slug, found)).toMatchObject([{ values: { title: 'Розы' } }]);
			expect(json).toHaveLength(1);
			expect(asked().filter((operation) => operation === 'getListSchema').length).toBeLessThan(2);
		}
	});

	test('gets values as the list stores them, also in a field that the workflow does not know', async () => {
		const known = schema.filter((field) => field.id === 'article');
		const { error } = await save(upsert({ article: '00421', price: '1 990,5' }, 'article', known));
		expect([error, stored('article', '00421')]).toMatchObject([undefined, [{ values: { price: 1990.5 } }]]);
	});

	test('is looked for by the contact that the service adds', async () => {
		await save(upsert({ contact_id: 5001, title: 'Розы' }, 'contact_id', []));
		const { body } = service.requests.find(({ operation }) => operation === 'getListItems')!;
		expect(body).toMatchObject({ filters: { contact_id: expect.anything() as unknown } });
	});

	test('may be new with 0 and no in required fields', async () => {
		const { fields } = service.data.listSchemas.get(goods)!;
		for (const slug of ['stock', 'active']) fields[slug]!.is_required = true;
		const { error } = await save(upsert({ article: 'Н-1', title: 'Розы', stock: 0, active: false }));
		expect(error).toBeUndefined();
		expect(stored('article', 'Н-1')).toMatchObject([{ values: { stock: 0, active: false } }]);
	});

	test('is found by yes and no as people write them', async () => {
		addListItem(service.data, goods, { title: 'Акция', active: true, article: 'А-1' });
		const { fields } = service.data.listSchemas.get(goods)!;
		fields.gift = { ...fields.active!, name: 'Подарок' };
		addListItem(service.data, goods, { title: 'Открытка', gift: true });
		const known = [...schema, { ...schema[1], id: 'gift', displayName: 'Подарок (gift)' }];
		for (const gift of ['да', true, 'ИСТИНА'])
			await save(upsert(mapped('gift', 'title'), 'gift', known), [{ gift, title: 'Открытка' }]);
		expect(stored('gift', true)).toHaveLength(1);
		const rows = ['ложь', false].map((gift) => ({ gift, title: 'Конверт' }));
		await save(upsert(mapped('gift', 'title'), 'gift', []), rows);
		expect(stored('gift', false)).toHaveLength(1);
	});

	test('with a key of two items of a run is one item, whatever the spelling, and the last one counts', async () => {
		const sheet = [
			{ article: 'н-7', title: 'Первый' },
			{ article: 'Другой', title: 'Второй' },
			{ article: 'н-7', title: 'Третий' },
			{ article: ' н-7', title: 'Четвёртый' },
		];
		const { json } = await save(upsert(mapped('article', 'title')), sheet);
		expect(json).toHaveLength(4);
		expect(stored('article', 'н-7').map(({ values }) => values.title)).toEqual(['Четвёртый']);
	});

	test.each<[slug: string, one: string, other: string | number]>([
		['stock', '1 024', '1024'],
		['stock', '1\u00a0024', 1024],
		['price', '10 000,50', '10000.5'],
		['stock', '12 345 678', 12345678],
		['article', 'Пион белый', 'Пион\u00a0белый'],
		['article', 'А-2', 'А-2\u200b'],
		['article', 'А\u00ad-6', 'А-6'],
		['article', 'Йод', 'Йод'.normalize('NFD')],
		['article', ' А  7', 'А 7 '],
	])('is one by its %s, written %j and %j, and is said to be', async (slug, one, other) => {
		for (const known of [schema, []]) {
			service.reset();
			const before = service.data.listItems.size;
			const rows = [one, other].map((key) => ({ title: 'Розы', [slug]: key }));
			const result = await save(upsert(mapped('title', slug), slug, known), rows);
			expect([result.error, service.data.listItems.size]).toEqual([undefined, before + 1]);
			expect(hintsOf(result)).toEqual([expect.stringMatching(/Match On.*\(1 of 2 items\)$/)]);
			expect((await save(upsert(mapped('title', slug), slug, known), rows)).error).toBeUndefined();
			expect(service.data.listItems.size).toBe(before + 1);
		}
	});

	test('that was stored under a key as it was written is found, and gets the key as people see it', async () => {
		addListItem(service.data, goods, { title: 'Старый', article: 'Пион\u00a0белый' });
		const { error } = await save(upsert(mapped('title', 'article')), [
			{ title: 'Новый', article: 'Пион\u00a0белый' },
		]);
		expect([error, stored('article', 'Пион белый')]).toMatchObject([
			undefined,
			[{ values: { title: 'Новый' } }],
		]);
		expect(asked()).toEqual(['getListItems', 'getListSchema', 'getListItems', 'updateListItem']);
	});

	test('with other digits or letters is another one', async () => {
		const sheet = ['00999', '999', 'А-2', 'а-3'].map((article) => ({ article, title: 'Розы' }));
		const before = service.data.listItems.size;
		expect(hintsOf(await save(upsert(mapped('article', 'title')), sheet))).toEqual([]);
		expect(service.data.listItems.size).toBe(before + 4);
	});

	test('is mapped automatically from the fields of the input item', async () => {
		const parameters = {
			...upsert({}),
			columns: { mappingMode: 'autoMapInputData', value: null, schema } as unknown as INodeParameters,
		};
		await save(parameters, [{ id: 'из таблицы', article: '00421', stock: '5' }]);
		expect(stored('article', '00421')).toMatchObject([{ values: { stock: 5, title: 'Орхидея в горшке' } }]);
		const { error } = await save(parameters, [{ article: '', stock: '5' }]);
		expect(error?.message).toBe(`${emptyField(labelAt('article')).message} [Item 0]`);
	});

	test('waits for no item with another key', async () => {
		service.faults.add({ kind: 'delay', ms: 300 });
		const sheet = ['00417', '00418', '00419', '00421'].map((article) => ({ article, stock: 1 }));
		await save(upsert(mapped('article', 'stock')), sheet);
		expect(asked().slice(0, 4)).toEqual(sheet.map(() => 'getListItems'));
	});
});

describe('an unknown outcome', () => {
	const unknown = unknownOf(operationOf('listItem/create'));

	test('of a new item is never sent again in the run, and a second run finds the item', async () => {
		service.faults.add({ kind: 'server error', when: 'after', match: { path: 'addListItem', times: 1 } });
		const parameters = upsert({ article: 'Н-1', title: 'Нарциссы' });
		const failed = await save(parameters);
		expect(failed.error?.description).toMatch(/^The item may have been created or updated\./);
		expect(failed.error?.description).not.toContain(unknown);
		const retried = await retryNode(failed);
		expect(retried.error).toBeUndefined();
		expect(changes()).toEqual(['addListItem', 'updateListItem']);
		expect(stored('article', 'Н-1')).toHaveLength(1);
	});

	test('of an update is repeated', async () => {
		service.faults.add({ kind: 'server error', when: 'after', match: { path: 'updateListItem', times: 1 } });
		expect((await save(upsert({ article: '00421', stock: 4 }))).error).toBeUndefined();
		expect(changes()).toEqual(['updateListItem', 'updateListItem']);
	});
});

test('a list whose new items would be empty gets only those that left before the first response', async () => {
	service.dialect.newItem = 'flat';
	const sheet = Array.from({ length: 20 }, (_, index) => ({ article: `П-${index}`, title: 'Пустой' }));
	const { outputs } = await save(upsert(mapped('article', 'title')), sheet, {
		...errorOutput,
		credential: credentialFor(service, { requestsPerSecond: 20 }),
	});
	expect(outputs[1]).toHaveLength(20);
	expect(String(outputs[1]![0]!.json.error)).toContain(noneStored('', [], { isNew: true }).message);
	// At most ten requests of an account are in progress.
	expect(changes().length).toBeLessThanOrEqual(10);
});

test('both ways in which n8n calls the node save the item', async () => {
	const parameters = upsert({ article: '00421', stock: "={{ $fromAI('stock', '', 'number') }}" });
	const options = { parameters, credential: credentialFor(service) };
	for (const rows of await callInBothWays(options, { stock: 3 }))
		expect(rows).toMatchObject([{ article: '00421', stock: 3 }]);
});

test.each(Object.keys(SERVICES))('at %s, two runs save each item once', async (name) => {
	const emulator = await startEmulator({ service: name });
	try {
		const sheet = [
			{ article: '00417', title: 'Нежность', price: '3 500,00' },
			{ article: 'Н-2', title: 'Новый', price: '10' },
		];
		for (let run = 0; run < 2; run++) {
			const result = await runNode({
				parameters: upsert(mapped('article', 'title', 'price')),
				items: sheet,
				credential: credentialFor(emulator),
			});
			expect([result.error, result.json.length]).toEqual([undefined, 2]);
		}
		const saved = [...emulator.data.listItems.values()].filter(({ values }) =>
			sheet.some(({ article }) => article === values.article),
		);
		expect(saved.map(({ values }) => [values.article, values.title, values.price])).toEqual([
			['00417', 'Нежность', 3500],
			['Н-2', 'Новый', 10],
		]);
		emulator.assertContract();
	} finally {
		await emulator.stop();
	}
});
