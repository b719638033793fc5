import { filterIgnored, notFound } from '../../nodes/ChatbotService/client/failure/failure';
import { schemaId } from '../../nodes/ChatbotService/resources/fields';
import { expectedBy } from '../../nodes/ChatbotService/resources/operationRequest';
import { noSuchField } from '../../nodes/ChatbotService/resources/listItem/itemProblems';
import { SEEDED } from '../../sandbox/emulator';
import { labelOf } from '../operations/words';
import { startAnswering } from './answering';
import { automatic, getMany, goodsOf, id, orderedBy, upsert, where } from './goods';
import { hintsOf } from './harness';
import { errorsOf, goingOn, scene } from './scene';

/* The fields of a list that filters, 'Order By' and 'Match On' name: picked from the list, typed, or by an expression. */

const { service, run, asked, answers } = scene(getMany);
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

const [ofItems, ofSchema, both] = [['getListItems'], ['getListSchema'], ['getListItems', 'getListSchema']];

const noList = notFound(expectedBy(schemaId)).message;

test.each<[string, (slug: string) => unknown]>([
	['as a text, as earlier versions stored it', (slug) => slug],
	['picked from the list', (slug) => ({ __rl: true, mode: 'list', value: slug, cachedResultName: 'Поле' })],
	['by a path', (slug) => typed(`={{ $json.${slug} }}`)],
	['by code that returns what the editor stores', (slug) => `={{ { mode: 'slug', value: '${slug}' } }}`],
])('a field finds and sorts items: %s', async (_, written) => {
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

test('a field can be filled in by a model', async () => {
	const given = { with: where([typed("={{ $fromAI('field') }}"), '00418']) };
	for (const answer of await answers({ field: 'article' }, given)) expect(answer).toContain('"00418"');
	for (const answer of await answers({ field: 'Артикул' }, given))
		expect(answer).toContain('article (Артикул)');
});

describe('a field that the list does not have', () => {
	const [one, two] = [filterLabel(1), filterLabel(2)];
	const ofSheet = (slug: string) => ({ ...upsert({}, slug), columns: automatic });
	const known = (slug: string) => upsert({ title: 'Лилии' }, slug);
	const unknown = (slug: string) => upsert({ [slug]: 'Л-1', title: 'Лилии' }, slug, []);

	test.each<[string, object, label: string, slug: string, asked: string[]]>([
		['label in a filter', where(['title', 'Розы'], ['Цена, ₽', '1']), two, 'Цена, ₽', ofSchema],
		['label to sort by', orderedBy('Остаток'), orderLabel, 'Остаток', ofSchema],
		['slug in a filter', where(['artikul', '1']), one, 'artikul', both],
		['slug to sort by', orderedBy('prise'), orderLabel, 'prise', both],
		['label to match on', known('Артикул'), matchLabel, 'Артикул', []],
		['slug to match on automatically', ofSheet('artikul'), matchLabel, 'artikul', []],
		['slug among unknown fields', unknown('artikul'), matchLabel, 'artikul', ofSchema],
	])('is refused with those of the list: a %s', async (_, given, label, slug, endpoints) => {
		const { message, advice } = noSuchField(label, slug, names);
		for (const filters of ['understood', 'ignored'] as const) {
			service.reset();
			service.dialect.filters = filters;
			const { json, error } = await run({ with: given, items: [{ title: 'Лилии' }] });
			expect([error?.message, error?.description, json]).toEqual([`${message} [Item 0]`, advice, []]);
			expect(asked()).toEqual(endpoints);
		}
	});

	test('is refused with what is meant, of 20 fields', () => {
		const many = Array.from({ length: 100 }, (_, n): [string, string] => [`f${n}`, `Поле ${n}`]);
		const { advice } = noSuchField('Order By', 'поле 99', many);
		const said =
			/^The list has no field "поле 99"\. Enter "f99"\. Its fields: f0 .* f19 \(Поле 19\), 80 more\.$/;
		expect(advice).toMatch(said);
	});

	test('is looked for once, and other items come out', async () => {
		const items = ['artikul', 'Артикул', 'article', 'artikul'].map((slug) => ({ slug }));
		const given = { ...where(['={{ $json.slug }}', '00418']), returnAll: false, limit: 1 };
		const result = await run({ with: given, items, node: goingOn });
		const no = expect.stringContaining('names no field') as string;
		expect(errorsOf(result)).toEqual([no, no, undefined, no]);
		expect(result.json[2]).toMatchObject({ article: '00418' });
		expect(asked().filter((endpoint) => endpoint === 'getListSchema')).toHaveLength(1);
	});

	test('passes if the service does not say which it has', async () => {
		const { credential } = await startAnswering(({ url }) => ({
			data: url.includes('getListSchema') ? { id: 'a' } : [],
		}));
		expect((await run({ with: where(['Улица', '1']), credential })).error).toBeUndefined();
	});

	test('any more is refused before anything is changed', async () => {
		delete fields().article;
		const { error } = await run({ with: upsert({ article: 'Л-1', title: 'Лилии' }) });
		expect(error?.message).toBe(`${noSuchField(matchLabel, '', []).message} [Item 0]`);
		expect(asked()).toEqual(both);
	});
});

describe('nothing is refused', () => {
	const own: [string, string] = ['id', SEEDED.listItems.good];

	test.each<[string, object, found: number, asked: string[]]>([
		['if the list has the fields', { ...where(['article', '00418']), ...orderedBy('price') }, 1, ofItems],
		['for what the service adds to each item', orderedBy('updated_at'), 5, ofItems],
		['if no item is found by its ID', where(['id', 'нет']), 0, ofItems],
		['if another filter beside it finds nothing', where(own, ['article', 'нет']), 0, both],
		['if the list is empty and there is no filter', orderedBy('prise'), 0, ofItems],
	])('%s', async (title, given, found, endpoints) => {
		if (title.includes('empty')) service.data.listItems.clear();
		const result = await run({ with: given });
		expect([result.error, result.json.length, asked()]).toEqual([undefined, found, endpoints]);
		if (title.includes('empty')) expect(hintsOf(result)).toEqual(['The list has no items.']);
	});
});

test.each<[string, object, message: string | undefined]>([
	['filters are refused by what comes', where(['Артикул', '1']), filterIgnored('', '').message],
	['an order is refused by nothing', orderedBy('Цена'), undefined],
	['a list that does not exist is named', { ...where(['Артикул', '1']), schemaId: id('нет') }, noList],
])('if the list schema cannot be read, %s', async (_, given, message) => {
	service.dialect.filters = 'ignored';
	const match = { path: 'getListSchema' };
	service.faults.add({ kind: 'answer', status: 404, body: { message: '' }, match });
	const { error } = await run({ with: given });
	expect(error?.message).toBe(message && `${message} [Item 0]`);
});
