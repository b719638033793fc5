import type { INodeParameters } from 'n8n-workflow';

import { fillInFirst } from '../../nodes/ChatbotService/listSearch/load';
import { addListItem, SEEDED } from '../../sandbox/emulator';
import { goodsColumns } from '../operations/fields';
import { labelOf } from '../operations/words';
import { credentialFor, loadFields, loadList, useEmulator } from './harness';

/* What the editor offers for a list item: the fields of the list to map, and the items to choose from. */

const service = useEmulator();
const { schemas, listItems } = SEEDED;

const inList = (schemaId: string, operation = 'create') => ({
	parameters: {
		...{ resource: 'listItem', operation },
		schemaId: { __rl: true, mode: 'list', value: schemaId },
	} as INodeParameters,
	credential: credentialFor(service),
});

describe('the fields to map', () => {
	test('have the types of the list, and labels with the slug', async () => {
		const { fields } = await loadFields('getListFields', inList(schemas.goods));
		expect(JSON.parse(JSON.stringify(fields))).toEqual(goodsColumns({}).schema);
	});

	test('of another list are its own: IDs are numbers', async () => {
		const { fields } = await loadFields('getListFields', inList(schemas.orders));
		expect(fields.map(({ id, type, required }) => [id, type, required])).toEqual([
			['client', 'number', true],
			['phone', 'string', false],
			['amount', 'number', false],
			['paid', 'boolean', false],
			['source_bot', 'number', false],
		]);
	});

	test('are not required for an update, so that the editor begins with none', async () => {
		const { fields } = await loadFields('getListFields', inList(schemas.goods, 'update'));
		expect(fields.filter(({ required }) => required)).toEqual([]);
	});

	test('have labels from which n8n can make different names for an AI agent', async () => {
		const { fields } = await loadFields('getListFields', inList(schemas.goods));
		const names = fields.map(({ displayName }) => displayName.replace(/[^a-zA-Z0-9_-]+/g, '_'));
		expect(new Set(names).size).toBe(fields.length);
	});

	test('are none before a list is chosen', async () => {
		expect(await loadFields('getListFields', inList(''))).toEqual({ fields: [] });
		expect(service.requests).toEqual([]);
	});
});

describe('the items of a list', () => {
	const inGoods = () => inList(schemas.goods, 'update');

	test('are offered by their first text', async () => {
		const { results } = await loadList('searchListItems', inGoods());
		expect(results[0]).toEqual({ name: 'Букет «Нежность»', value: listItems.good });
		expect(results).toHaveLength(5);
	});

	test('without a text are offered by their ID, and those with the same text can be distinguished', async () => {
		const items = [{ rating: 3 }, { comment: 'Хорошо' }, { comment: 'Хорошо' }].map(
			(values) => addListItem(service.data, schemas.reviews, values).id,
		);
		const { results } = await loadList('searchListItems', inList(schemas.reviews, 'delete'));
		expect(results.slice(-3).map(({ name }) => name)).toEqual([
			items[0],
			`Хорошо (${items[1]})`,
			`Хорошо (${items[2]})`,
		]);
	});

	test('are searched on all pages', async () => {
		for (let number = 0; number < 230; number++)
			addListItem(service.data, schemas.goods, { title: `Товар ${number}` });
		const { results } = await loadList('searchListItems', inGoods(), { filter: 'товар 229' });
		expect(results.map(({ name }) => name)).toEqual(['Товар 229']);
	});

	test('need a list', async () => {
		await expect(loadList('searchListItems', inList('', 'delete'))).rejects.toMatchObject(
			fillInFirst(labelOf('listItem/delete', 'schemaId')),
		);
	});
});
