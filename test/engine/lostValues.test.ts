import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { noneStored, notAttempted } from '../../nodes/ChatbotService/client/failure/failure';
import { SEEDED } from '../../sandbox/emulator';
import { goodsColumns } from '../operations/fields';
import { startAnswering } from './answering';
import { create, id, labelAt, schema, update } from './goods';
import { credentialFor, hintsOf, loadFields, runNode, useEmulator, type RunOptions } from './harness';

/* List Item, Create and Update: what is said if the service has answered with the item, but without its values. */

const service = useEmulator();
const { goods } = SEEDED.schemas;

const run = async (parameters: INodeParameters, options: Partial<RunOptions> = {}) =>
	await runNode({ parameters, credential: credentialFor(service), ...options });

/** The emulator's items without any value. */
const emptyItems = () =>
	[...service.data.listItems.values()].filter(({ values }) =>
		Object.values(values).every((each) => each === null),
	);

describe('a service that stores new items without their values', () => {
	const roses = create(goodsColumns({ title: '={{ $json.title }}', price: 1990 }));
	const items = Array.from({ length: 40 }, (_, number) => ({ title: `Розы ${number}` }));
	const failureOf = (itemId: string) => noneStored(itemId, ['title', 'price'].map(labelAt), { isNew: true });

	beforeEach(() => (service.dialect.newItem = 'flat'));

	test('is an error that names the empty item and its fields, and nothing more is created', async () => {
		const { json, error } = await run(roses, { items });
		const made = emptyItems();
		const { message, description } = failureOf(made[0]!.id);
		expect([json, error?.message]).toEqual([[], `${message} [Item 0]`]);
		expect(error?.description).toContain(description);
		expect(description).toContain(`'${labelAt('title')}', '${labelAt('price')}'`);
		// Those that had left before the first answer.
		expect(service.requests.length).toBeLessThan(12);
	});

	test('ends a run that continues after errors too, and the others say why they were not created', async () => {
		const result = await run(roses, { items, node: { onError: 'continueRegularOutput' } });
		const made = emptyItems();
		expect(made.length).toBeLessThan(12);
		expect(result.json).toHaveLength(40);
		for (const [number, { id: itemId }] of made.entries()) {
			const { message, description } = failureOf(itemId);
			expect(result.json[number]).toEqual({ error: `${message} [Item ${number}]`, message: description });
		}
		const { message, description } = notAttempted(failureOf(made[0]!.id));
		expect(result.json[39]).toEqual({ error: `${message} [Item 39]`, message: description });
		expect(hintsOf(result).join()).toContain(`${40 - made.length} not attempted`);
	});

	test('gets no item twice with Retry On Fail', async () => {
		const node = { retryOnFail: true, maxTries: 3, waitBetweenTries: 10 };
		expect((await run(roses, { items: items.slice(0, 1), node })).error).toBeDefined();
		expect(service.requests).toHaveLength(1);
	});
});

test('an update that stores none of the values fails, and the others go on', async () => {
	const { fields } = service.data.listSchemas.get(goods)!;
	delete fields.stock;
	const parameters = update(goodsColumns({ price: '={{ $json.price }}', stock: '={{ $json.stock }}' }));
	const items = [...Array<IDataObject>(5).fill({ stock: 1 }), { stock: 1, price: 5 }];
	const result = await run(parameters, { items, node: { onError: 'continueRegularOutput' } });
	const { message, description } = noneStored(SEEDED.listItems.good, [labelAt('stock')], { isNew: false });
	expect(result.json.slice(0, 5)).toEqual(
		[0, 1, 2, 3, 4].map((number) => ({ error: `${message} [Item ${number}]`, message: description })),
	);
	expect(result.json[5]).toMatchObject({ price: 5 });
	expect(description).not.toContain('delete');
});

describe('an answer', () => {
	const times = { created_at: '2026-11-27T10:00:00+00:00', updated_at: '2026-11-27T10:00:00+00:00' };
	const saved = { id: '64b7f0c2a1d3e4f5a6000001', ...times };

	const answering = async (sent: IDataObject, answered: unknown, columns: object = goodsColumns(sent)) => {
		const credential = credentialFor(await startAnswering(() => ({ data: answered })));
		return await run(create(columns), { credential });
	};

	test.each<[string, IDataObject, unknown]>([
		[
			'in another spelling',
			{ title: 'Розы', price: 1990.5 },
			{ ...saved, title: 'розы ', price: '1 990,50' },
		],
		[
			'of nothing for no and 0',
			{ title: 'Розы', active: false, stock: 0 },
			{ ...saved, title: 'Розы', active: null, stock: '' },
		],
		['of nothing for no alone', { title: '0', active: false }, { ...saved, title: null, active: '' }],
		['with 0 and no', { title: 'Розы', stock: '0' }, { ...saved, title: 'Розы', stock: 0 }],
		[
			'with a file',
			{ title: 'Розы', photo: 'https://a.example/1.jpg' },
			{ ...saved, title: 'Розы', photo: { url: 'https://b.example' } },
		],
		['of nothing but an ID', { title: 'Розы' }, { id: saved.id }],
		['without an ID', { title: 'Розы' }, { ...times, title: null }],
		['without the item', { title: 'Розы' }, []],
	])('%s is a success, of which nothing is said', async (_, sent, answered) => {
		const result = await answering(sent, answered);
		expect([result.error, hintsOf(result), result.json.length]).toEqual([undefined, [], 1]);
	});

	test.each<[string, IDataObject]>([
		['null', { stock: null }],
		['an empty text', { stock: '' }],
		['nothing', {}],
	])('with %s for a value is a success, and a notice names the field', async (_, stock) => {
		const result = await answering({ title: 'Розы', stock: 5 }, { ...saved, title: 'Розы', ...stock });
		expect([result.error, result.json.length]).toEqual([undefined, 1]);
		expect(hintsOf(result)).toEqual([
			expect.stringContaining(`The service returned no value for '${labelAt('stock')}'`),
		]);
	});

	test('with none of the values is an error, whether they are null or missing', async () => {
		for (const answered of [{ ...saved, title: null, stock: '' }, saved, { id: saved.id, title: null }]) {
			const { error } = await answering({ title: 'Розы', stock: 5 }, answered);
			expect(error?.message).toBe(`${noneStored('', [], { isNew: true }).message} [Item 0]`);
		}
	});

	test.each(['is_encryptable', 'is_hidden'] as const)(
		'may leave out the value of a field that %s, also if it is the only one',
		async (flag) => {
			const list = service.data.listSchemas.get(goods)!;
			list.fields.title![flag] = true;
			const { fields } = await loadFields({ parameters: create({}), credential: credentialFor(service) });
			for (const [sent, answered] of [
				[{ title: 'Розы' }, { ...saved, title: null }],
				[
					{ title: 'Розы', stock: 5 },
					{ ...saved, stock: 5 },
				],
			] as const) {
				const columns = { ...goodsColumns(sent), schema: fields };
				const result = await answering(sent, answered, columns);
				expect([result.error, hintsOf(result), result.json.length]).toEqual([undefined, [], 1]);
			}
		},
	);
});

describe('contact_id, which services add to the items of a list with a contact', () => {
	const automatic = { mappingMode: 'autoMapInputData', value: null, matchingColumns: [], schema };
	const listed = { id: 'а', contact_id: 5001, created_at: '2024-05-01', title: 'Розы', stock: 3 };
	const own = { ...schema[4]!, id: 'contact_id', displayName: 'Номер (contact_id)' };
	const sent = () => service.requests.map(({ body }) => (body as IDataObject).data);

	test.each([create, update])(
		'is not sent, unless the list has a field with this slug',
		async (operation) => {
			expect((await run(operation(automatic), { items: [listed] })).error).toBeUndefined();
			const { fields } = service.data.listSchemas.get(goods)!;
			fields.contact_id = { ...fields.stock!, name: 'Номер' };
			const result = await run(operation({ ...automatic, schema: [...schema, own] }), { items: [listed] });
			const data = { title: 'Розы', stock: 3 };
			expect(sent()).toEqual([data, { ...data, contact_id: 5001 }]);
			expect([result.json[0], hintsOf(result)]).toMatchObject([{ contact_id: 5001 }, []]);
		},
	);

	test('stays in the output', async () => {
		const order = { mappingMode: 'defineBelow', value: { client: 5001, amount: 7 } };
		const parameters = { ...create(order), schemaId: id(SEEDED.schemas.orders) };
		expect((await run(parameters)).json).toMatchObject([{ client: 5001, contact_id: 5001, amount: 7 }]);
	});
});
