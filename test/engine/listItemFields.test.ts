import type { INodeParameters } from 'n8n-workflow';

import { filterIgnored, notFound } from '../../nodes/ChatbotService/client/failure/failure';
import { schemaId } from '../../nodes/ChatbotService/resources/fields';
import { expectedBy } from '../../nodes/ChatbotService/resources/operation';
import { noSuchField, unknownFields } from '../../nodes/ChatbotService/resources/listItem/problems';
import { SEEDED } from '../../sandbox/emulator';
import { labelOf } from '../operations/words';
import { startAnswering } from './answering';
import { automatic, getMany, goodsOf, id, orderedBy, upsert, where } from './goods';
import { credentialFor, hintsOf } from './harness';
import { errorsOf, goingOn, scene } from './scene';

/* The fields of a list that filters, 'Order By' and 'Match On' name: picked from the list, typed, or by an expression. */

const { service, run, asked, answers } = scene(getMany);
const { goods } = SEEDED.schemas;
const { fields } = goodsOf(service);

const labelIn = (path: string) => labelOf('listItem/getAll', path);
const filterLabel = (number: number) =>
	`${labelIn('fieldFilters')}, filter ${number}: ${labelIn('fieldFilters.slug')}`;
const orderLabel = labelIn('itemOptions.orderBy');
const matchLabel = labelOf('listItem/upsert', 'matchOn');

/** As the editor stores a slug that is typed. */
const typed = (value: string) => ({ __rl: true, mode: 'slug', value });

const names: Array<[string, string]> = [
	['title', 'Название'],
	['active', 'Активно'],
	['article', 'Артикул'],
	['price', 'Цена, ₽'],
	['stock', 'Остаток'],
	['photo', 'Фото'],
];

/** What is said of a slug, and what nothing comes out with. */
const refused = (label: string, slug: string) => {
	const { message, advice } = noSuchField(label, slug, names);
	return [`${message} [Item 0]`, advice, []];
};

async function saidOf(given: INodeParameters | object, more = {}) {
	const { json, error } = await run({ with: given, ...more });
	return [error?.message, error?.description, json];
}

test.each<[string, (slug: string) => unknown]>([
	['as a text, as earlier versions stored it', (slug) => slug],
	['picked from the list', (slug) => ({ __rl: true, mode: 'list', value: slug, cachedResultName: 'Поле' })],
	['by a program, without a mode', (slug) => ({ __rl: true, mode: '', value: slug })],
	['by a path', (slug) => typed(`={{ $json.${slug} }}`)],
	['by a path, as a text', (slug) => `={{ $json.${slug} }}`],
	['by code', (slug) => typed(`={{ '${slug}'.trim() }}`)],
	['by code that returns what the editor stores', (slug) => `={{ { mode: 'slug', value: '${slug}' } }}`],
])('a field finds and sorts items, also for an agent: %s', async (_, written) => {
	const filters = where([written('active'), 'да'], [written('article'), '00418']);
	const given = { with: { ...filters, ...orderedBy(written('price')) } };
	const item = { active: 'active', article: 'article', price: 'price' };
	expect((await run({ ...given, items: [item] })).json).toMatchObject([{ article: '00418' }]);
	// A tool has no items.
	if (!JSON.stringify(given).includes('$json'))
		for (const answer of await answers({}, given)) expect(answer).toContain('"00418"');
	for (const { body } of service.requests.filter(({ operation }) => operation === 'getListItems'))
		expect(body).toMatchObject({ order_by: 'price,asc', filters: { article: '00418' } });
});

test('a field that a model fills in is read from where the editor stores it', async () => {
	const given = { with: where([typed("={{ $fromAI('field') }}"), '00418']) };
	for (const answer of await answers({ field: 'article' }, given)) expect(answer).toContain('"00418"');
	for (const answer of await answers({ field: 'Артикул' }, given))
		expect(answer).toContain('article (Артикул)');
});

describe('a field that the list does not have', () => {
	const second = where(['title', 'Розы'], ['Цена, ₽', '1']);
	const beside = where(['title', 'Нет'], ['artikul', '1']);

	test.each<[string, object, label: string, slug: string, items: number]>([
		['label in the second filter', second, filterLabel(2), 'Цена, ₽', 0],
		['label to sort by', orderedBy('Остаток'), orderLabel, 'Остаток', 0],
		['slug in a filter', where(['artikul', '1']), filterLabel(1), 'artikul', 1],
		['slug beside one that finds nothing', beside, filterLabel(2), 'artikul', 1],
		['slug to sort by', orderedBy('prise'), orderLabel, 'prise', 1],
	])(
		'is refused with those of the list, and no item comes out: a %s',
		async (_, given, label, slug, items) => {
			for (const filters of ['understood', 'inQuery', 'ignored'] as const) {
				service.reset();
				service.dialect.filters = filters;
				expect(await saidOf(given)).toEqual(refused(label, slug));
				expect(asked()).toEqual([...Array<string>(items).fill('getListItems'), 'getListSchema']);
			}
		},
	);

	test('is refused with the slug that is meant, and with at most 20 fields', () => {
		expect(noSuchField('Order By', 'Артикул', names).advice).toBe(
			'The list has no field "Артикул". Enter "article". Its fields: title (Название), active (Активно), article (Артикул), price (Цена, ₽), stock (Остаток), photo (Фото).',
		);
		const many = Array.from({ length: 100 }, (_, n): [string, string] => [`f${n}`, `Поле ${n}`]);
		const { advice } = noSuchField('Order By', 'поле 99', many);
		expect(advice).toMatch(/^The list has no field "поле 99"\. Enter "f99"\. .* f19 \(Поле 19\), 80 more\.$/);
	});

	test('is looked for once in a run, and other items come out', async () => {
		const items = ['artikul', 'Артикул', 'article', 'artikul'].map((slug) => ({ slug }));
		const given = { ...where(['={{ $json.slug }}', '00418']), returnAll: false, limit: 1 };
		const result = await run({ with: given, items, node: goingOn });
		const no = expect.stringContaining('names no field') as string;
		expect(errorsOf(result)).toEqual([no, no, undefined, no]);
		expect(result.json[2]).toMatchObject({ article: '00418' });
		expect(asked().filter((operation) => operation === 'getListSchema')).toHaveLength(1);
	});

	const twoOfOneName = { a: { name: 'Город' }, city: { name: 'city' }, phone: null };

	test.each<[string, unknown, string]>([
		['none at all', null, 'none'],
		['two of one name', { ...twoOfOneName, b: { name: 'Город' } }, 'a (Город), city, phone, b (Город)'],
		['an array', [{ slug: 'city', name: 'Город' }, { name: 'Вес' }], 'city (Город), 1 (Вес)'],
	])('is refused if the list has %s', async (_, listed, inWords) => {
		const answering = await startAnswering(({ url }) => ({
			data: url.includes('getListSchema') ? { id: goods, name: 'Отзывы', fields: listed } : [],
		}));
		const [, description] = await saidOf(where(['Улица', '1']), { credential: credentialFor(answering) });
		expect(description).toBe(`The list has no field "Улица". Its fields: ${inWords}.`);
	});
});

describe('nothing is refused', () => {
	const own: [string, string] = ['id', SEEDED.listItems.good];

	test.each<[string, object, found: number, schemas: number]>([
		['if the list has the fields', { ...where(['article', '00418']), ...orderedBy('price') }, 1, 0],
		['for what the service adds to each item', orderedBy('updated_at'), 5, 0],
		['if an item is found by its ID', where(own), 1, 0],
		['if no item is found by its ID', where(['id', 'нет']), 0, 0],
		['if another filter beside it finds nothing', where(own, ['article', 'нет']), 0, 1],
	])('%s', async (_, given, found, schemas) => {
		const { json, error } = await run({ with: given });
		expect([error, json.length]).toEqual([undefined, found]);
		expect(asked()).toEqual(['getListItems', ...Array<string>(schemas).fill('getListSchema')]);
	});

	test('if the list schema does not say which fields there are', async () => {
		const answering = await startAnswering(({ url }) => ({
			data: url.includes('getListSchema') ? { id: goods, name: 'Отзывы' } : [],
		}));
		const { error } = await run({ with: where(['Улица', '1']), credential: credentialFor(answering) });
		expect([error, answering.targets.length]).toEqual([undefined, 2]);
	});

	test('if the list is empty and there is no filter', async () => {
		service.data.listItems.clear();
		const result = await run({ with: orderedBy('prise') });
		expect([hintsOf(result), asked()]).toEqual([['The list has no items.'], ['getListItems']]);
	});

	test('of unusual slugs that the list has', async () => {
		const slugs = ['Цвет лепестков', 'order.id', 'ORDER-ID', '_x', '7'];
		const { values } = service.data.listItems.get(SEEDED.listItems.good)!;
		for (const slug of slugs) fields()[slug] = { ...fields().article!, name: 'Поле' };
		for (const slug of slugs) values[slug] = 'белый';
		const white = where(...slugs.map((slug): [string, string] => [slug, 'белый']));
		for (const slug of slugs) {
			const { json } = await run({ with: { ...white, ...orderedBy(slug) } });
			expect(json.map((row) => row.id)).toEqual([SEEDED.listItems.good]);
		}
	});
});

describe('if the list schema cannot be read,', () => {
	const without = { kind: 'answer', status: 404, body: { message: '' } } as const;
	beforeEach(() => void service.faults.add({ ...without, match: { path: 'getListSchema' } }));

	test('filters are refused by what comes, and an order by nothing', async () => {
		service.dialect.filters = 'ignored';
		const [message] = await saidOf(where(['Артикул', '1']));
		expect(message).toBe(`${filterIgnored('', '').message} [Item 0]`);
		expect((await run({ with: orderedBy('Цена') })).json).toHaveLength(5);
	});

	test('a list that does not exist is named', async () => {
		const [message] = await saidOf({ schemaId: id('нет'), ...where(['Артикул', '1']) });
		expect(message).toBe(`${notFound(404, expectedBy(schemaId)).message} [Item 0]`);
	});
});

describe('Match On', () => {
	const mapping = (slug: string) => ({ ...upsert({}, slug), columns: automatic });

	const known = (slug: string) => upsert({ title: 'Лилии' }, slug);
	const unknown = (slug: string) => upsert({ [slug]: 'Л-1', title: 'Лилии' }, slug, []);

	test.each<[string, slug: string, (slug: string) => object, schemas: number]>([
		['label', 'Артикул', known, 0],
		['slug, mapped automatically', 'artikul', mapping, 0],
		['label, if the workflow knows no fields', 'Артикул', unknown, 1],
		['slug, if the workflow knows no fields', 'artikul', unknown, 1],
	])('is refused by a wrong %s, before anything is changed', async (_, slug, given, schemas) => {
		expect(await saidOf(given(slug), { items: [{ title: 'Лилии' }] })).toEqual(refused(matchLabel, slug));
		expect(asked()).toEqual(Array(schemas).fill('getListSchema'));
	});

	test('by the label of a column that is mapped automatically says what to rename', async () => {
		const [message, advice] = await saidOf(mapping('Артикул'), {
			items: [{ title: 'Лилии', Артикул: 'Л-1' }],
		});
		expect(message).toContain(noSuchField(matchLabel, '', []).message);
		expect(advice).toContain(unknownFields([['Артикул', 'article']]).advice);
	});

	test('names a field that is gone since the workflow has learned the fields', async () => {
		delete fields().article;
		const [message] = await saidOf(upsert({ article: 'Л-1', title: 'Лилии' }));
		expect(message).toBe(refused(matchLabel, '')[0]);
		expect(asked()).toEqual(['getListItems', 'getListSchema']);
	});
});
