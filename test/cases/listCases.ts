import {
	fieldsNotLoaded,
	ownColumn,
	repeatedSlug,
	severalOrders,
} from '../../nodes/ChatbotService/resources/listItem/itemProblems';
import { limitWaitTime, maxDateAndTime } from '../../nodes/ChatbotService/resources/message/waitLimit';
import { emptyField, lostPart } from '../../nodes/ChatbotService/run/values/valueProblems';
import { automatic as mappedByName, labelAt, orderedBy, schema, where } from '../engine/goods';
import { goodsColumns } from '../operations/fields';
import { labelOf } from '../operations/words';
import { texts } from '../pasted/table';
import { conditionCases } from './conditionCases';
import { VALUE, type Refused } from './refused';

/* Lists, their items, and conditions. */

const rose = (values: object) => ({ columns: goodsColumns({ title: 'Розы', ...values }) });

const matchOn = labelOf('listItem/upsert', 'matchOn');

/** Saves lilies. @param slug of the field by which they are recognized */
const lilies = (slug: string, values: object, known: unknown[] = schema) => ({
	matchOn: { __rl: true, mode: 'slug', value: slug },
	columns: { ...goodsColumns({ title: 'Лилии', ...values }), schema: known },
});

/** The item holds only `value`. */
const automatic = (known: unknown[]) => ({ columns: { ...mappedByName, schema: known } });

const ofValue = { id: 'value', displayName: 'Значение', type: 'string', required: true };

const columnsLabel = labelOf('listItem/create', 'columns');
const orderLabel = labelOf('listItem/getAll', 'itemOptions.orderBy');
const noKey = emptyField(labelAt('article')).message;
const lostKey = lostPart(labelAt('article'), []).message;
const ownKey = ownColumn(matchOn, '').message;
const noFields = emptyField(columnsLabel).message;
const noText = `'${labelAt('photo')}' must be`;
const noValue = `'${labelAt('article')}' is a word for a missing value`;

const inFilter = (number: number, name: string) => {
	const [filters, field] = ['', `.${name}`].map((path) => labelOf('listItem/getAll', `fieldFilters${path}`));
	return `${filters}, filter ${number}: ${field}`;
};

const waitUntil = (time: string) => ({
	options: { limitWaitTime: { values: { limitType: 'atSpecifiedTime', maxDateAndTime: time } } },
});

const [create, upsert, getAll] = ['listItem/create', 'listItem/upsert', 'listItem/getAll'] as const;

/** Nothing is mapped, or a program has written the columns. */
const noColumns = [goodsColumns({}), { mappingMode: 'defineBelow', value: '={{ $json }}' }, {}];

const columns: Refused[] = [
	[create, rose({ price: VALUE }), ['дорого', '1,990'], `'${labelAt('price')}' must be a number`],
	[create, rose({ active: VALUE }), ['может быть'], `'${labelAt('active')}' must be true or false`],
	[create, rose({ title: VALUE }), ['', undefined], emptyField(labelAt('title')).message],
	[create, automatic([]), ['Розы'], fieldsNotLoaded(columnsLabel).message],
	[create, automatic([ofValue]), [''], emptyField('Значение').message],
	...noColumns.map((none): Refused => ['listItem/update', { columns: none }, ['Розы'], noFields]),
];

const keys: Refused[] = [
	[upsert, lilies('article', { article: VALUE }), ['', undefined], noKey],
	[upsert, lilies('article', {}, []), [undefined], emptyField('article').message],
	[
		upsert,
		{ ...lilies('value', {}), ...automatic([ofValue]) },
		['', undefined],
		emptyField('Значение').message,
	],
	[upsert, lilies('article', { article: '=А-{{ $json.value }}' }), [undefined], lostKey],
	[upsert, lilies('photo', { photo: VALUE }), [{ url: 'https://a.example' }], noText],
	[
		upsert,
		lilies('article', { article: VALUE }),
		['#N/A', '#ССЫЛКА!', '—', 'нет', '???', 'н/д', 'none'],
		noValue,
	],
	[upsert, (article) => lilies('article', { article }), ['null'], noValue],
	[upsert, (slug) => lilies(slug, { [slug]: 'А-1' }, []), ['id', 'created_at', 'updated_at'], ownKey],
	[upsert, lilies(VALUE, { article: 'А-1' }), [undefined], emptyField(matchOn).message],
];

const severalFields = texts(
	'price,stock | price asc, stock desc | price,desc,stock | price, | ,desc | -price',
);

const many: Refused[] = [
	[getAll, where([VALUE, '00417']), ['', undefined], emptyField(inFilter(1, 'slug')).message],
	[getAll, where(['article', VALUE]), [{ a: 1 }], `'${inFilter(1, 'value')}' must be text`],
	[getAll, where(['stock', '0'], [' stock', '7']), [1], repeatedSlug(inFilter(2, 'slug'), 'stock').message],
	[getAll, orderedBy(VALUE), severalFields, severalOrders(orderLabel, '').message],
	[getAll, { itemOptions: { orderByDirection: 'desc' } }, [1], emptyField(orderLabel).message],
];

const noTime = `'${limitWaitTime.displayName}: ${maxDateAndTime.displayName}' must be a date and time`;

const times: Refused[] = [['message/sendAndWait', waitUntil, ['05.11.2099', '2099-02-30', 'завтра'], noTime]];

export const listCases: Refused[] = [...columns, ...keys, ...many, ...times, ...conditionCases];
