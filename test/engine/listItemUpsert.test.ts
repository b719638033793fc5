import * as failures from '../../nodes/ChatbotService/client/failure/failure';
import { addListItem, SEEDED } from '../../sandbox/emulator';
import { labelOf } from '../operations/words';
import { automatic, goodsOf, labelAt, mapped, schema, upsert } from './goods';
import { credentialFor, hintsOf, retryNode } from './harness';
import { apart, errorsOf, placesOf, scene } from './scene';

/* List Item, Create or Update: which item is saved, how often, and when nothing is, so that nobody's item is changed by mistake. */

const { service, run, asked } = scene(upsert({}));
const { goods } = SEEDED.schemas;
const { stored, changes, fields } = goodsOf(service);

const matchOn = labelOf('listItem/upsert', 'matchOn');
const lilies = upsert({ article: 'Новый', title: 'Лилии' });

test.each(['understood', 'inQuery'] as const)('two runs save each item once: %s', async (filters) => {
	service.dialect.filters = filters;
	const items = [
		{ article: '00417', title: 'Нежность', price: '3 500,00' },
		{ article: 'Н-2', title: 'Новый', price: '10' },
	];
	const given = { with: upsert(mapped('article', 'title', 'price')), items };
	const [first, second] = [await run(given), await run(given)];
	expect(second.json.map(({ id }) => id)).toEqual(first.json.map(({ id }) => id));
	expect(placesOf(second)).toEqual([0, 1]);
	expect(changes().sort()).toEqual(['addListItem', 'updateListItem', 'updateListItem', 'updateListItem']);
	expect(stored('price', 3500)).toMatchObject([{ values: { title: 'Нежность', article: '00417' } }]);
	expect(stored('price', 10)).toMatchObject([{ values: { title: 'Новый', article: 'Н-2' } }]);
});

describe('an item', () => {
	const withGift = [...schema, { ...schema[1]!, id: 'gift' }];
	const addGift = () => {
		service.reset();
		fields().gift = { ...fields().active!, name: 'Подарок' };
	};

	test.each<[slug: string, written: unknown, stored: unknown]>([
		['price', '1 990,5', 1990.5],
		['article', ' 00418 ', '00418'],
		['gift', 'да', true],
	])('is found by %s as it is stored, written as %p', async (slug, written, found) => {
		for (const known of [withGift, []]) {
			addGift();
			addListItem(service.data, goods, { title: 'Открытка', gift: true });
			const size = service.data.listItems.size;
			// A field whose type the workflow does not know travels as it is written.
			const parameters = upsert({ [slug]: '={{ $json.key }}', title: 'Розы' }, slug, known);
			const { json } = await run({ with: parameters, items: [{ key: written }] as never });
			expect(stored(slug, found)).toMatchObject([{ values: { title: 'Розы' } }]);
			expect([json.length, service.data.listItems.size]).toEqual([1, size]);
			expect(asked().filter((operation) => operation === 'getListSchema').length).toBeLessThan(2);
		}
	});

	const texts = ['Пион белый', 'Пион\u00a0белый', 'А-2', 'А-2\u200b', 'А\u00ad-6', 'А-6', '  А  7', 'А 7 '];

	test.each<[slug: string, keys: Array<string | number | boolean>]>([
		['gift', ['ложь', false]],
		['stock', ['1 024', 1024, '1\u00a0025', '1025']],
		['article', [...texts, 'Йод', 'Йод'.normalize('NFD')]],
	])('is one by two spellings of its %s: %j', async (slug, keys) => {
		for (const known of [withGift, []]) {
			addGift();
			const before = service.data.listItems.size;
			const items = keys.map((key, place) => ({ title: `Розы ${place % 2}`, [slug]: key }));
			const result = await run({ with: upsert(mapped('title', slug), slug, known), items });
			expect(errorsOf(result)).toEqual(items.map(() => undefined));
			expect(service.data.listItems.size).toBe(before + keys.length / 2);
			expect(stored('title', 'Розы 1')).toHaveLength(keys.length / 2);
			const said = new RegExp(`Match On.*\\(${keys.length / 2} of ${keys.length} items\\)$`);
			expect(hintsOf(result)).toEqual([expect.stringMatching(said)]);
		}
	});

	test('stored under a key as written is found', async () => {
		addListItem(service.data, goods, { title: 'Старый', article: 'Пион\u00a0белый' });
		await run({ with: upsert({ title: 'Новый', article: 'Пион\u00a0белый' }) });
		expect(stored('article', 'Пион белый')).toMatchObject([{ values: { title: 'Новый' } }]);
		expect(asked()).toEqual(['getListItems', 'getListSchema', 'getListItems', 'updateListItem']);
	});

	test('with other digits or letters is another one', async () => {
		service.faults.add({ kind: 'delay', ms: 3000 });
		const items = ['00999', '999', 'А-2', 'а-3'].map((article) => ({ article, title: 'Розы' }));
		const before = service.data.listItems.size;
		expect(hintsOf(await run({ with: upsert(mapped('article', 'title')), items }))).toEqual([]);
		expect(service.data.listItems.size).toBe(before + 4);
		// Only one that looks like the same number waits.
		expect(asked().slice(0, 3)).toEqual(['getListItems', 'getListItems', 'getListItems']);
	});

	test('is looked for by the contact of the service', async () => {
		await run({ with: upsert({ contact_id: 5001, title: 'Розы' }, 'contact_id', []) });
		expect(service.requests[1]!.body).toHaveProperty('filters.contact_id');
	});

	// Of the input item, as the columns are mapped automatically.
	test('is created with a required 0 or no', async () => {
		for (const slug of ['stock', 'active']) fields()[slug]!.is_required = true;
		const items = [{ id: 'из таблицы', article: 'Н-0', title: 'Нарциссы', stock: '0', active: false }];
		await run({ with: { columns: automatic }, items });
		expect(stored('article', 'Н-0')).toMatchObject([{ values: { stock: 0, active: false } }]);
	});
});

describe('nothing is changed', () => {
	const of = (article: string, known?: unknown[]) => upsert({ article, stock: 1 }, 'article', known);
	const failing = (path: string) => () => service.faults.add({ kind: 'server error', match: { path } });
	const ignore = () => (service.dialect.filters = 'ignored');
	const encrypt = () => {
		fields().article!.is_encryptable = true;
		service.data.listItems.clear();
	};
	const { message: incomplete } = failures.newItemIncomplete([labelAt('title')]);
	const { message: failed } = failures.serviceFailed(500);
	const { message: isIgnored } = failures.filterIgnored('', '');
	const unchanged = /^Nothing was changed\./;

	test.each<[string, () => unknown, object, message: string, description: RegExp]>([
		['the service ignores the filter', ignore, of('00419'), isIgnored, /00417/],
		['the field is encrypted', encrypt, lilies, failures.keyEncrypted(matchOn, '').message, /article/],
		['the list schema cannot be read', failing('getListSchema'), lilies, failed, unchanged],
		['the items cannot be read', failing('getListItems'), lilies, failed, unchanged],
		['a new item lacks what the list requires', () => {}, of('Новый'), incomplete, unchanged],
		['the same, and the workflow knows no fields', () => {}, of('Новый', []), incomplete, unchanged],
	])('if %s', async (_, prepare, parameters, message, description) => {
		prepare();
		const result = await run({ with: parameters });
		expect([result.error?.message, changes()]).toEqual([`${message} [Item 0]`, []]);
		expect(result.error?.description).toMatch(description);
		expect(hintsOf(result).join()).not.toContain('unknown');
	});

	test('for a key that several have, but for others', async () => {
		addListItem(service.data, goods, { title: 'Двойник', article: '00417' });
		const items = ['00417', '00421'].map((article) => ({ article, stock: 1 }));
		const result = await run({ with: upsert(mapped('article', 'stock')), items, node: apart });
		const { message, description } = failures.keyNotUnique(matchOn, '00417');
		expect(errorsOf(result)[0]).toBe(`${message} [Item 0]`);
		expect(result.outputs[1]![0]!.json.message).toBe(description);
		expect([placesOf(result), changes()]).toEqual([[1], ['updateListItem']]);
	});
});

test('an unknown outcome waits for a second run', async () => {
	service.faults.add({ kind: 'server error', when: 'after', match: { path: 'addListItem', times: 1 } });
	const failed = await run({ with: lilies });
	expect(failed.error?.description).toMatch(/^The item may have been created or updated\./);
	expect((await retryNode(failed)).error).toBeUndefined();
	expect(changes()).toEqual(['addListItem', 'updateListItem']);
	expect(stored('article', 'Новый')).toHaveLength(1);
});

test('a list that stores empty items gets no more', async () => {
	service.dialect.newItem = 'flat';
	const items = Array.from({ length: 20 }, (_, index) => ({ article: `П-${index}`, title: 'Пустой' }));
	const credential = credentialFor(service, { requestsPerSecond: 20 });
	const { outputs } = await run({ with: upsert(mapped('article', 'title')), items, credential, node: apart });
	expect(outputs[1]).toHaveLength(20);
	expect(outputs[1]![0]!.json.error).toContain(failures.noneStored('', [], { isNew: true }).message);
	// At most ten requests of an account are in progress, and one more leaves when the first answer frees its place.
	expect(changes().length).toBeLessThanOrEqual(10 + 1);
});
