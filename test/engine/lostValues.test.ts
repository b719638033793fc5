import type { IDataObject } from 'n8n-workflow';

import { noneStored, notAttempted } from '../../nodes/ChatbotService/client/failure/failure';
import { SEEDED } from '../../sandbox/emulator';
import { goodsColumns } from '../operations/fields';
import { answeringRows } from './answering';
import { create, goodsOf, id, labelAt, update } from './goods';
import { hintsOf, loadFields } from './harness';
import { goingOn, scene } from './scene';

/* List Item, Create and Update: what is said if the service has answered with the item, but without its values. */

const { service, run, optionsOf } = scene({});
const { fields: fieldsOf } = goodsOf(service);

test.each([{}, goingOn])('new items without their values end the run, with %j too', async (node) => {
	service.dialect.newItem = 'flat';
	const parameters = create(goodsColumns({ title: '={{ $json.title }}', price: 1990 }));
	const items = Array.from({ length: 40 }, (_, number) => ({ title: `Розы ${number}` }));
	const result = await run({ parameters, items, node });
	const isEmpty = ({ values }: { values: object }) => Object.values(values).every((each) => each === null);
	const made = [...service.data.listItems.values()].filter(isEmpty);
	// Those that had left before the first answer.
	expect(service.requests.length).toBeLessThan(12);
	expect(made).toHaveLength(service.requests.length);
	const [label, other] = ['title', 'price'].map(labelAt) as [string, string];
	const failures = made.map((each) => noneStored(each.id, [label, other], { isNew: true }));
	expect(failures[0]!.description).toContain(`'${label}', '${other}'`);
	const shown = ({ message, description }: (typeof failures)[0], number: number) => {
		return { error: `${message} [Item ${number}]`, message: description };
	};
	if (node !== goingOn) {
		expect([result.json, result.error?.message]).toEqual([[], `${failures[0]!.message} [Item 0]`]);
		return expect(result.error?.description).toContain(failures[0]!.description);
	}
	expect(result.json).toHaveLength(40);
	expect(result.json.slice(0, made.length)).toEqual(failures.map(shown));
	expect(result.json[39]).toEqual(shown(notAttempted(failures[0]!), 39));
	expect(hintsOf(result).join()).toContain(`${40 - made.length} not attempted`);
});

test('an update fails that stores no value', async () => {
	delete fieldsOf().stock;
	const parameters = update(goodsColumns({ price: '={{ $json.price }}', stock: '={{ $json.stock }}' }));
	const { json } = await run({ parameters, items: [{ stock: 1 }, { stock: 1, price: 5 }], node: goingOn });
	const { message, description } = noneStored(SEEDED.listItems.good, [labelAt('stock')], { isNew: false });
	expect(json).toMatchObject([{ error: `${message} [Item 0]`, message: description }, { price: 5 }]);
	expect(description).not.toContain('delete');
});

describe('an answer', () => {
	const times = { created_at: '2026-11-27T10:00:00+00:00', updated_at: '2026-11-27T10:00:00+00:00' };
	const saved = { id: '64b7f0c2a1d3e4f5a6000001', ...times };
	const roses = { title: 'Розы' };
	const stocked = { ...roses, stock: 5 };
	const off = { ...roses, active: false, stock: 0 };
	const kept = { ...saved, ...roses };
	const photo = { ...roses, photo: 'https://a.example/1.jpg' };

	/** What is said of an answer. */
	async function saidOf(answered: unknown, columns: object) {
		const result = await run({ parameters: create(columns), credential: await answeringRows(answered) });
		const { error, json } = result;
		return error?.message ?? [...hintsOf(result), ...(json.length === 1 ? [] : ['no item'])].join();
	}

	const lost = `The service returned no value for '${labelAt('stock')}'`;
	const none = `${noneStored('', [], { isNew: true }).message} [Item 0]`;

	test.each<[string, sent: IDataObject, answered: unknown, says: string]>([
		['another spelling', { ...roses, price: 1990.5 }, { ...saved, title: 'розы ', price: '1 990,50' }, ''],
		['nothing for no', off, { ...kept, active: null, stock: '' }, ''],
		['nothing for no alone', { title: '0', active: false }, { ...saved, title: null, active: '' }, ''],
		['0 for a text of 0', { ...roses, stock: '0' }, { ...kept, stock: 0 }, ''],
		['a file', photo, { ...kept, photo: { url: 'https://b.example' } }, ''],
		['nothing but an ID', roses, { id: saved.id }, ''],
		['no ID', roses, { ...times, title: null }, ''],
		['no item', roses, [], ''],
		['null for a value', stocked, { ...kept, stock: null }, lost],
		['an empty text for a value', stocked, { ...kept, stock: '' }, lost],
		['one value of two', stocked, kept, lost],
		['no value', stocked, saved, none],
		['an ID and a null', stocked, { id: saved.id, title: null }, none],
	])('with %s: %j, %j', async (_, sent, answered, says) => {
		const said = await saidOf(answered, goodsColumns(sent));
		expect(says ? said : [said]).toEqual(says ? expect.stringContaining(says) : ['']);
	});

	test.each(['is_encryptable', 'is_hidden'] as const)('may lack a value that %s', async (flag) => {
		fieldsOf().title![flag] = true;
		const { fields } = await loadFields(optionsOf({ parameters: create({}) }));
		const columns = (sent: IDataObject) => ({ ...goodsColumns(sent), schema: fields });
		expect(await saidOf({ ...saved, title: null }, columns(roses))).toBe('');
		expect(await saidOf({ ...saved, stock: 5 }, columns(stocked))).toBe('');
	});
});

/* What is sent of it: listItemColumns.test.ts. */
test('contact_id, which services add, stays', async () => {
	const columns = { mappingMode: 'defineBelow', value: { client: 5001, amount: 7 } };
	const result = await run({ parameters: { ...create(columns), schemaId: id(SEEDED.schemas.orders) } });
	expect([result.json, hintsOf(result)]).toMatchObject([[{ client: 5001, contact_id: 5001, amount: 7 }], []]);
});
