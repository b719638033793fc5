import type { Field } from '../../nodes/ChatbotService/resources/operation';
import { Reader, type Source } from '../../nodes/ChatbotService/run/values/reading';
import { namedBy } from '../../nodes/ChatbotService/run/values/target';
import { FakeN8n } from './fakeN8n';

/*
 * When a value is read, and what is read without n8n. That every value is the one that n8n would return is proved on n8n's own
 * engines: test/engine/reading.test.ts.
 */

function readerOf(raw: Record<string, unknown>, items: unknown[], locators: string[] = []) {
	const n8n = new FakeN8n(raw, items);
	const reader = new Reader(n8n, new Set(locators));
	/** The values of the parameter for each item. */
	const valuesAt = (path: string) => [...items.keys()].map((item) => reader.valuesOf(item).at(path));
	return { n8n, reader, valuesAt };
}

/** The fields of an item, which no parameter reads. */
const input = () => ({});

describe('a parameter without code', () => {
	test.each<[string, unknown]>([
		['a text', 'Привет'],
		['a list', ['text', 'image']],
		['braces in a text that is no expression', 'Привет, {{ $json.name }}'],
		['an expression without code', '=Привет }}'],
	])('is read once for all items: %s', (_, field) => {
		const { n8n, valuesAt } = readerOf({ field }, [{ name: 'Анна' }, {}, {}]);
		expect(valuesAt('field')).toEqual([0, 1, 2].map((item) => n8n.valueOf('field', item)));
		expect(n8n.asked).toEqual(['field@0']);
	});

	test('is read once if the workflow does not contain it, so that n8n returns the default', () => {
		const evaluated = jest.fn(() => 50);
		const reader = new Reader({ raw: {}, evaluated, input });
		expect([0, 1].map((item) => reader.valuesOf(item).at('limit'))).toEqual([50, 50]);
		expect(evaluated).toHaveBeenCalledTimes(1);
	});
});

describe('a value at a path into the item', () => {
	const json = { 'Имя клиента': 'Анна С.', zero: 0, no: false, deep: { list: [{ x: 'дно' }] } };

	test.each([
		'={{$json["Имя клиента"]}}',
		'={{\n\t$json.deep?.list[0].x\n}}',
		'={{ $json.no }}',
		'=Осталось: {{ $json.zero }}{{ $json.no }}',
	])('is taken from each item without n8n: %j', (field) => {
		const { n8n, valuesAt } = readerOf({ field }, [json, { ...json, no: true }]);
		expect(valuesAt('field')).toEqual([0, 1].map((item) => n8n.valueOf('field', item)));
		expect(n8n.asked).toEqual([]);
	});
});

describe('the parts of a text', () => {
	const json = { a: 'Анна', b: 7, empty: '' };

	/** With n8n's evaluation of any text. */
	function partsOf(template: string, evaluatedText?: (marked: string) => unknown) {
		const n8n = new FakeN8n({ field: template }, [json]);
		const { raw, evaluated } = n8n;
		const ofN8n = (marked: string) => new FakeN8n({ marked: `=${marked}` }, [json]).valueOf('marked', 0);
		const source: Source = { raw, evaluated, input, json: () => json, evaluatedText: evaluatedText ?? ofN8n };
		const values = new Reader(source).valuesOf(0);
		expect(values.at('field')).toEqual(n8n.valueOf('field', 0));
		return Object.fromEntries(values.partsAt('field').map(({ code, value }) => [code, value]));
	}

	const fails = () => {
		throw new Error('Нет узла');
	};

	test.each<[string, string, ((marked: string) => unknown) | undefined]>([
		['n8n throws', '=Привет, {{ $json.a + "" }}', fails],
		['n8n does not return a text', '=Привет, {{ $json.a + "" }}', () => ({})],
		['the data contain the marks', '=Привет, {{ $json.a + "" }}', (marked) => `${marked}\u001f`],
		['a backslash stands before a brace', '=\\\\{{ $json.a + "" }}', undefined],
	])('are not known if %s, and the value is still the right one', (_, template, evaluatedText) => {
		expect(partsOf(template, evaluatedText)).toEqual({});
	});
});

test.each<[string, object, string | undefined]>([
	['={{ $json["Contact ID"] }}', { 'contact id\u200b ': 1 }, 'contact id\u200b '],
	['=№ {{ $json.a }}-{{ $json.order.id }}', { a: 1, order: { Id: 2 } }, 'Id'],
	['={{ $json.id }}', { id: null, ID: 1 }, undefined],
	['={{ $json.id }}', { id2: 1 }, undefined],
	['={{ $json.id + 1 }}', { ID: 1 }, undefined],
])('a field of the item that looks like the one in %s is found', (field, json, expected) => {
	expect(readerOf({ field }, [json]).reader.valuesOf(0).lookAlikeAt('field')).toBe(expected);
});

describe('a value that is picked from a list or typed', () => {
	const stored = (value: unknown, mode = 'name') => ({ __rl: true, mode, value, cachedResultName: 'VIP' });
	const items = [
		{ tag: 'VIP', picked: stored('VIP') },
		{ tag: 'Клиент', picked: stored('Клиент') },
	];

	test.each<[string, unknown, unknown[], asked: number]>([
		['is read once from what is stored', stored('VIP'), ['VIP', 'VIP'], 1],
		['may be null', stored(null), [null, null], 1],
		['is taken from the item by a path', stored('=Тег {{ $json.tag }}'), ['Тег VIP', 'Тег Клиент'], 0],
		['is evaluated by n8n if it is other code', stored('={{ $json.tag + 1 }}'), ['VIP1', 'Клиент1'], 2],
		['may be stored as a text, as a program writes it', 'VIP', ['VIP', 'VIP'], 1],
		['may be an object in the item', '={{ $json.picked }}', ['VIP', 'Клиент'], 2],
	])('%s', (_, tagName, values, asked) => {
		const { n8n, valuesAt } = readerOf({ tagName }, items, ['tagName']);
		expect(valuesAt('tagName')).toEqual(values);
		expect(n8n.asked).toHaveLength(asked);
	});

	test('stands in a row of another parameter too', () => {
		const rows = [stored('=Тег {{ $json.tag }}'), stored('VIP', 'list'), 'VIP'].map((tag) => ({ tag }));
		const { n8n, reader } = readerOf({ filters: { filter: rows } }, items, ['filters.filter.tag']);
		const values = reader.valuesOf(1);
		const paths = rows.map((_, row) => `filters.filter.${row}.tag`);
		expect(paths.map((path) => values.at(path))).toEqual(['Тег Клиент', 'VIP', 'VIP']);
		expect(paths.map((path) => values.isPickedAt(path))).toEqual([false, true, false]);
		expect(n8n.asked).toHaveLength(2);
	});

	test('is not any object that happens to have a mode and a value', () => {
		const { valuesAt } = readerOf({ fields: { mode: 'a', value: 'b' } }, [{}], ['tagName']);
		expect(valuesAt('fields')).toEqual([{ mode: 'a', value: 'b' }]);
	});
});

/* Which values are one recipient: for the order of requests, and under one value of 'Send Once Per'. */
describe('a recipient', () => {
	const fieldOf = (target: Field['target']) => ({ target }) as Field;
	const named = (value: unknown, target: Field['target'] = 'person') =>
		namedBy([{ field: fieldOf(target), name: 'id' }], new Map([['id', value]]));

	test.each<[string, string]>([
		['ivan_petrov', 'ivan.petrov'],
		['-100123', '100123'],
		['Ivan', 'ivan'],
		['u89161234567', 'u79161234567'],
		['89161234567_', '79161234567_'],
		['+8 доб. 5', '+7 доб. 5'],
		['+8 916 123-45-67', '+7 916 123-45-67'],
	])('is another one under another ID: %s and %s', (one, other) => {
		expect(named(one)).not.toBe(named(other));
	});

	test('has one text, which stays the same in all versions, because it identifies recipients in the store', () => {
		const fields = [
			{ field: fieldOf('person'), name: 'external_id' },
			{ field: fieldOf('part'), name: 'messenger' },
		];
		const values = { external_id: '8 916 123-45-67', messenger: 'viber' };
		expect(namedBy(fields, new Map(Object.entries(values)))).toBe('external_id 79161234567 messenger viber');
		expect(namedBy(fields, new Map())).toBeUndefined();
		expect(named('8 916 123-45-67', 'id')).toBe('id 8 916 123-45-67');
	});
});
