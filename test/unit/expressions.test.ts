import { WireValues, type Field } from '../../nodes/ChatbotService/resources/operation';
import { Expressions } from '../../nodes/ChatbotService/run/values/expressions';
import { isNewInEachRun } from '../../nodes/ChatbotService/run/values/sendOncePer';
import { namedBy } from '../../nodes/ChatbotService/run/values/target';
import { FakeN8n } from './fakeN8n';
import { rows } from './tableRows';

/*
 * When n8n is asked for a value, and which one stands in a locator. That the value of a text is the one that n8n would return is proved
 * on n8n's own engines: test/engine/reading.test.ts.
 */

function readerOf(raw: Record<string, unknown>, items: unknown[], locators: string[] = []) {
	const n8n = new FakeN8n(raw, items);
	const reader = new Expressions(n8n, new Set(locators));
	/** The values of the parameter for each item. */
	const valuesAt = (path: string) => [...items.keys()].map((item) => reader.valuesOf(item).at(path));
	return { n8n, reader, valuesAt };
}

const json = { 'Имя клиента': 'Анна С.', zero: 0, no: false };

test.each<[unknown, asked: number]>([
	...rows(['Привет', ['text', 'image'], 'Привет, {{ $json.no }}'], 1),
	...rows(['={{ $json.zero }}', '={{$json["Имя клиента"]}}', '=Осталось: {{ $json.zero }}'], 0),
	...rows(['={{ $json.zero + 1 }}', '={{ $json.zero }}{{ $json.no }}', ['={{ $json.no }}']], 2),
])('%j is read for two items by asking n8n: %i', (field, asked) => {
	const { n8n, valuesAt } = readerOf({ field }, [json, { ...json, no: true }]);
	expect(valuesAt('field')).toEqual([0, 1].map((item) => n8n.valueOf('field', item)));
	expect(n8n.asked).toHaveLength(asked);
});

const fails = () => {
	throw new Error('Нет узла');
};

describe('a value that is picked from a list or typed', () => {
	const stored = (value: unknown, mode = 'name') => ({ __rl: true, mode, value, cachedResultName: 'VIP' });
	const items = ['VIP', 'Клиент'].map((tag) => ({ tag, picked: stored(tag) }));

	test.each<[stored: unknown, values: unknown[], asked: number]>([
		[stored('VIP'), ['VIP', 'VIP'], 1],
		[stored('=Тег {{ $json.tag }}'), ['Тег VIP', 'Тег Клиент'], 0],
		[stored('={{ $json.tag + 1 }}'), ['VIP1', 'Клиент1'], 2],
		// As a program writes it, and an object in the item.
		['VIP', ['VIP', 'VIP'], 1],
		['={{ $json.picked }}', ['VIP', 'Клиент'], 2],
	])('is %j', (tagName, values, asked) => {
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
		expect(n8n.asked).toHaveLength(1);
	});
});

/* Which values are one recipient: for the order of requests, and under one value of 'Send Once Per'. */
describe('a recipient', () => {
	const fieldOf = (target: Field['target'], property: string) =>
		({ target, routing: { send: { property } } }) as Field;
	const named = (id: string, target: Field['target'] = 'person') =>
		namedBy([fieldOf(target, 'id')], new WireValues([['id', id]]));

	test.each<[string, string]>([
		['ivan_petrov', 'ivan.petrov'],
		['-100123', '100123'],
		['Ivan', 'ivan'],
		['u89161234567', 'u79161234567'],
		['+8 916 123-45-67', '+7 916 123-45-67'],
	])('is another one: %s and %s', (one, other) => expect(named(one)).not.toBe(named(other)));

	test('has one text in all versions, which is stored', () => {
		const fields = [fieldOf('person', 'external_id'), fieldOf('part', 'messenger')];
		const values = { external_id: '8 916 123-45-67', messenger: 'viber' };
		expect(namedBy(fields, new WireValues(Object.entries(values)))).toBe(
			'external_id 79161234567 messenger viber',
		);
		expect(namedBy(fields, new WireValues())).toBeUndefined();
		expect(named('8 916 123-45-67', 'id')).toBe('id 8 916 123-45-67');
	});
});

/* A value of 'Send Once Per' that is new in each run protects nobody. */

/** As n8n evaluates `{{ $now.hour }}` at a time. */
const hourAt = (time: string) => (template: string) => {
	const seconds = /\.plus\(\{ seconds: (-?\d+) \}\)/.exec(template)![1];
	return new Date(Date.parse(time) + 1000 * Number(seconds)).getUTCHours();
};

// Nobody can start a broadcast only at some times of the hour.
test.each(['10:00:01', '10:30:00', '10:59:59', '23:59:59'])('the hour is no news at %s', (time) => {
	expect(isNewInEachRun('{{ $now.hour }}', hourAt(`2026-11-25T${time}Z`))).toBe(false);
});

test('a random ID is news, a chat with a tool is none', () => {
	const evaluate = (template: string) => template;
	expect(isNewInEachRun('{{ $execution.id }}', evaluate, true)).toBe(false);
	let value = 0;
	for (const code of ['$execution.id', '$execution.resumeUrl', 'randomUUID()', 'DateTime.local()'])
		expect([code, isNewInEachRun(`{{ ${code} }}`, () => ++value)]).toEqual([code, true]);
	expect(isNewInEachRun('{{ $now.minute }}', fails)).toBe(false);
});
