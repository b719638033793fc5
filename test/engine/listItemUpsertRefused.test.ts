import type { INodeParameters } from 'n8n-workflow';

import {
	filterIgnored,
	keyEncrypted,
	keyNotUnique,
	newItemIncomplete,
	serviceFailed,
} from '../../nodes/ChatbotService/client/failure/failure';
import { ownColumn } from '../../nodes/ChatbotService/resources/listItem/problems';
import { emptyField, lostPart } from '../../nodes/ChatbotService/run/values/problems';
import { addListItem, SEEDED } from '../../sandbox/emulator';
import { labelOf } from '../operations/words';
import { callAsTool, credentialFor, hintsOf, useEmulator } from './harness';
import { goodsOf, labelAt, mapped, schema, upsert } from './goods';

/* List Item, Create or Update: what is refused, so that no one's item is changed by mistake. */

const service = useEmulator();
const { goods } = SEEDED.schemas;

const { save, stored, changes } = goodsOf(service);

const errorOutput = { node: { onError: 'continueErrorOutput' } } as const;

const matchOn = labelOf('listItem/upsert', 'matchOn');

describe('nothing is changed', () => {
	test('if several items have the key, and the others are saved', async () => {
		addListItem(service.data, goods, { title: 'Двойник', article: '00417' });
		const result = await save(
			upsert(mapped('article', 'stock')),
			[
				{ article: '00417', stock: 1 },
				{ article: '00421', stock: 2 },
			],
			errorOutput,
		);
		const { message, description } = keyNotUnique(matchOn, '00417');
		expect(result.outputs[1]!.map(({ json }) => [json.error, json.message])).toEqual([
			[`${message} [Item 0]`, description],
		]);
		expect(changes()).toEqual(['updateListItem']);
		expect(stored('article', '00417').map(({ values }) => values.stock)).not.toContain(1);
	});

	test('if the service ignores the filter', async () => {
		service.dialect.filters = 'ignored';
		const { error } = await save(upsert({ article: '00419', stock: 1 }));
		expect(error?.message).toBe(`${filterIgnored('article', '00417').message} [Item 0]`);
		expect(changes()).toEqual([]);
	});

	test('if the field is encrypted, because each run would create the item again', async () => {
		service.data.listSchemas.get(goods)!.fields.article!.is_encryptable = true;
		for (const item of [...service.data.listItems.values()])
			if (item.schemaId === goods) service.data.listItems.delete(item.id);
		const { error } = await save(upsert({ article: 'Новый', title: 'Лилии' }));
		expect(error?.message).toBe(`${keyEncrypted(matchOn, 'article').message} [Item 0]`);
		expect(changes()).toEqual([]);
	});

	test('if it is not known whether the field is encrypted', async () => {
		service.faults.add({ kind: 'server error', match: { path: 'getListSchema' } });
		const { error } = await save(upsert({ article: 'Новый', title: 'Лилии' }));
		expect(error?.message).toBe(`${serviceFailed(500).message} [Item 0]`);
		expect(error?.description).toMatch(/^Nothing was changed\./);
		expect(changes()).toEqual([]);
	});

	test('if a new item lacks what the list requires, whether the workflow knows the fields or not', async () => {
		for (const known of [schema, []]) {
			const { error } = await save(upsert({ article: 'Новый', stock: 1 }, 'article', known));
			expect(error?.message).toBe(`${newItemIncomplete([labelAt('title')]).message} [Item 0]`);
		}
		expect(changes()).toEqual([]);
	});

	test.each<[string, INodeParameters, string]>([
		['is empty', upsert(mapped('article', 'title')), emptyField(labelAt('article')).message],
		['is not mapped', upsert(mapped('title')), emptyField(labelAt('article')).message],
		[
			'has lost a part',
			upsert({ article: '=А-{{ $json.article }}', title: 'Лилии' }),
			lostPart(labelAt('article'), []).message,
		],
		[
			'is a picture',
			upsert({ photo: '={{ { url: "https://example.com/a.png" } }}', title: 'Лилии' }, 'photo'),
			`'${labelAt('photo')}' must be text`,
		],
		[
			'is no number',
			upsert({ price: '={{ "дорого" }}', title: 'Лилии' }, 'price'),
			`'${labelAt('price')}' must be a number`,
		],
		...['#N/A', '#ССЫЛКА!', '-', '—', 'нет', 'null', '???', 'Отсутствует', 'пусто', 'н/д', 'none'].map(
			(key): [string, INodeParameters, string] => [
				`is ${key}`,
				upsert({ article: key, title: 'Лилии' }),
				`'${labelAt('article')}' holds no value`,
			],
		),
		...['id', 'created_at', 'updated_at'].map((slug): [string, INodeParameters, string] => [
			`is ${slug}, which the service fills in`,
			upsert({ title: 'Лилии', [slug]: '64b7f0c2a1d3e4f5a6999999' }, slug, []),
			ownColumn(matchOn, slug).message,
		]),
		[
			'is named by nothing',
			upsert({ article: 'А-1', title: 'Лилии' }, '={{ $json.missing }}'),
			emptyField(matchOn).message,
		],
	])('if the key %s, and nothing is sent', async (_, parameters, message) => {
		const { error } = await save(parameters, [{ title: 'Лилии' }]);
		expect(error?.message).toContain(message);
		expect(String(error?.message).split(';')).toHaveLength(1);
		expect(service.requests).toEqual([]);
	});

	test('if the key of an item is a word for nothing, in the fields of the input item too', async () => {
		const columns = { mappingMode: 'autoMapInputData', value: null, schema } as unknown as INodeParameters;
		const { error } = await save({ ...upsert({}), columns }, [{ title: 'Лилии', article: '#N/A' }]);
		expect(error?.message).toContain(`'${labelAt('article')}' holds no value`);
		expect(service.requests).toEqual([]);
	});

	test('for a model that leaves the key empty', async () => {
		const parameters = upsert({ article: "={{ $fromAI('article') }}", title: 'Лилии' });
		const said = await callAsTool({ parameters, credential: credentialFor(service) }, [
			{ arguments: { article: '' } },
		]);
		expect(JSON.stringify(said)).toContain(emptyField(labelAt('article')).message);
		expect(service.requests).toEqual([]);
	});

	test('if the service cannot be asked, and the error does not say that something may have been done', async () => {
		service.faults.add({ kind: 'server error', match: { path: 'getListItems' } });
		const { outputs, ...result } = await save(
			upsert(mapped('article', 'stock')),
			[
				{ article: '00417', stock: 1 },
				{ article: '00418', stock: 1 },
			],
			errorOutput,
		);
		expect(outputs[1]!.map(({ json }) => json.error)).toEqual(
			[0, 1].map((item) => `${serviceFailed(500).message} [Item ${item}]`),
		);
		expect(String(outputs[1]![0]!.json.message)).toMatch(/^Nothing was changed\./);
		expect(hintsOf(result as never).join()).not.toContain('unknown');
		expect(changes()).toEqual([]);
	});
});
