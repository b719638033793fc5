import fc from 'fast-check';

import type { Problem } from '../../nodes/ChatbotService/client/failure';
import { isEmpty } from '../../nodes/ChatbotService/client/values';
import { resources } from '../../nodes/ChatbotService/resources';
import { limit, type Kind } from '../../nodes/ChatbotService/resources/kinds';
import type { Field } from '../../nodes/ChatbotService/resources/operation';
import { travelling, variants } from '../operations';

/** All fields of all operations, including those inside collections. */
const allFields = resources
	.flatMap(({ operations }) => operations.flatMap(({ fields }) => fields))
	.flatMap((field) => [field, ...(field.type === 'collection' ? (field.options as Field[]) : [])]);

const wireNameOf = ({ routing }: Field) => routing?.send?.property;

/** Kinds of the fields by their API names. */
const kinds = new Map<string, Kind>();
for (const field of allFields) {
	const wire = wireNameOf(field);
	if (wire && field.kind && !kinds.has(wire)) kinds.set(wire, field.kind);
}

/** All parameters of the API. */
const wires = [...new Set(variants.flatMap(travelling).map(({ wire }) => wire))].sort();

const read = (wire: string, value: unknown) => kinds.get(wire)!(value, 'Поле');

function problemsOf(wire: string, value: unknown): Problem[] {
	const checked = read(wire, value);
	if ('value' in checked) throw new Error(`${wire} took ${JSON.stringify(checked.value)}`);
	return checked.problems;
}

/** Parameters that hold a text. */
const allTexts = [
	...['contact_external_id', 'field.name', 'field.slug', 'name', 'phone'],
	...['schema_id', 'slug', 'text', 'value'],
];

/* The behavior of each kind. The values that it accepts and refuses are in test/pasted/values.ts. */

describe('the kind of a field', () => {
	test('is known for all parameters of the API', () => {
		expect([...kinds.keys()].sort()).toEqual(wires);
	});

	test('belongs to the values that are sent, and to other values that the node reads', () => {
		const labels = (fields: Field[]) => fields.map(({ displayName }) => displayName);
		expect(labels(allFields.filter((field) => wireNameOf(field) && !field.kind))).toEqual([]);
		const others = allFields.filter((field) => field.kind && !wireNameOf(field));
		expect([...new Set(labels(others))].sort()).toEqual([
			"Contact's Messenger",
			'Include Input Fields',
			'Limit',
			'Response Form Button Label',
			'Response Form Description',
			'Response Form Title',
			'Response Type',
			'Return All',
			'Send Once Per',
		]);
	});

	test('is the same for the same name in all operations', () => {
		const travelling = allFields.filter(wireNameOf);
		const others = travelling.filter(({ kind, ...field }) => kind && kinds.get(wireNameOf(field)!) !== kind);
		expect(others.map(({ displayName }) => displayName)).toEqual([]);
	});
});

const number = "'Поле' must be a whole number";
const shortened = 'A spreadsheet has shortened the number: format its column as text there.';
const noPhone = "'Поле' is not a valid phone number";
const withCode = "Enter 'Поле' with the country code, such as +79161234567.";
const spoiled = `Здравствуйте, ${String({ имя: 'Анна' })}!`;

test.each<[string, unknown, string, string]>([
	['bot_id', 'вася', number, 'Enter the numeric ID, for example 2048, not the name of the bot.'],
	['contact_id', 'вася', number, 'Enter the numeric ID, for example 1048576, not a name or phone number.'],
	['id', 'вася', number, 'Enter the numeric ID, for example 301, not the name of the variable.'],
	['phone', '7,91612E+10', noPhone, `${withCode} ${shortened}`],
	['phone', '7.91612e10.', noPhone, `${withCode} ${shortened}`],
	['phone', '1e10x', noPhone, withCode],
	...allTexts.map((wire): [string, unknown, string, string] => [
		wire,
		spoiled,
		"'Поле' contains an object instead of text",
		"An expression in 'Поле' returns an object. Choose one field of the object, as in {{ $json.address.city }}.",
	]),
])('%s is refused as %j with what to do, and what was received', (wire, value, message, advice) => {
	expect(problemsOf(wire, value)).toEqual([{ message, advice: `${advice} Received: "${String(value)}".` }]);
});

test('a limit is refused with its own error text', () => {
	expect(limit(0, 'Limit')).toEqual({
		problems: [
			{
				message: "'Limit' must be a whole number",
				advice: `Enter 1 or more, or switch 'Return All' on. Received: "0".`,
			},
		],
	});
});

describe('a text', () => {
	test.each(['contact_external_id', 'schema_id', 'slug', 'field.name', 'field.slug'])(
		'%s loses surrounding spaces',
		(wire) => {
			expect(read(wire, ' 79161234567\n')).toEqual({ value: '79161234567' });
			expect(read(wire, 79161234567)).toEqual({ value: '79161234567' });
			expect(problemsOf(wire, {})).toEqual([
				{ message: "'Поле' must be text", advice: expect.stringMatching(/\.$/) },
			]);
		},
	);

	test.each(['name', 'value', 'text'])('%s keeps every character (generated)', (wire) => {
		fc.assert(
			fc.property(fc.string({ unit: 'binary' }), (value) => expect(read(wire, value)).toEqual({ value })),
		);
	});
});

test.each(allTexts.filter((wire) => wire !== 'phone'))(
	'half an emoji is replaced in %s, because no URL can contain half of one',
	(wire) => {
		expect(read(wire, 'Привет 😀'.slice(0, -1))).toEqual({ value: 'Привет \ufffd' });
	},
);

test('an address that is accepted can be read by every program, and is changed only where necessary (generated)', () => {
	const loneSign = /%(?![0-9a-f]{2})/gi;
	const part = fc.oneof(
		fc.string({ unit: 'binary', minLength: 1, maxLength: 3 }),
		fc.constantFrom(...' %/?#"\\@:\n\t\ud83d', '%20', '%D0', 'кот', '😀', '..'),
	);
	const written = fc
		.tuple(
			fc.constantFrom('https://', 'http://', 'HTTPS://', ' https://', 'ftp://', ''),
			fc.constantFrom('example.com', 'пример.рф', 'EXAMPLE.com:8080', 'кот@example.com', ''),
			fc.array(part, { maxLength: 8 }).map((parts) => parts.join('')),
		)
		.map((parts) => parts.join(''));
	const any = fc.oneof(written, fc.webUrl({ withFragments: true, withQueryParameters: true }));
	let taken = 0;
	const property = (value: string) => {
		fc.pre(!isEmpty(value));
		const checked = read('image', value);
		if ('problems' in checked) return;
		taken++;
		const url = checked.value as string;
		expect(URL.canParse(url)).toBe(true);
		expect(url).toMatch(/^https?:\/\/[!-~]+$/i);
		expect(url.match(loneSign)).toBeNull();
		expect(read('image', url)).toEqual({ value: url });
		const whole = value.trim().replace(loneSign, '%25');
		if (/^[!-~]+$/.test(value.trim()) && whole === value.trim()) expect(url).toBe(whole);
		// A program that reads both like a browser has the same result.
		expect(new URL(url).href).toBe(new URL(whole).href);
	};
	fc.assert(fc.property(any, property), { numRuns: 1000 });
	expect(taken).toBeGreaterThan(300);
});

describe('the definitions of fields', () => {
	const city = { name: 'Город', slug: 'city', type: 'string' };

	test('keep the slug __proto__', () => {
		const checked = read('fields', [{ ...city, slug: '__proto__' }]) as { value: object };
		expect(Object.entries(checked.value)).toEqual([['__proto__', { ...city, slug: '__proto__' }]]);
	});

	test('are refused with every fault of every field', () => {
		const list = [{}, { ...city, name: '', is_required: 7 }];
		expect(problemsOf('fields', list).map(({ message }) => message)).toEqual([
			...["name' is empty", "slug' is empty", "type' is empty"].map((words) => `'Поле, field 1: ${words}`),
			"'Поле, field 2: is_required' must be true or false",
			"'Поле, field 2: name' is empty",
		]);
	});

	test.each([null, 5])('are refused if the fields of a schema are %j', (fields) => {
		expect(problemsOf('fields', { name: 'Заказы', fields })).toHaveLength(2);
	});

	test('are refused with a list of the possible attributes', () => {
		for (const value of [['city'], [{ ...city, color: 'red' }]]) {
			expect(problemsOf('fields', value)[0]!.advice).toContain(
				' name, slug, type, is_required, is_hidden, is_encryptable.',
			);
		}
	});

	test('have the same result in every accepted form (generated)', () => {
		const logical = fc.option(fc.boolean(), { nil: undefined });
		const definition = fc.record({
			name: fc.string({ minLength: 1 }).filter((name) => name.trim() !== ''),
			slug: fc.stringMatching(/^[a-zа-я_]{1,8}$/),
			type: fc.constantFrom('string', 'number', 'boolean', 'contact', 'bot'),
			is_required: logical,
			is_hidden: logical,
			is_encryptable: logical,
		});
		const definitions = fc.uniqueArray(definition, { selector: ({ slug }) => slug, maxLength: 5 });
		fc.assert(
			fc.property(definitions, (list) => {
				const map = Object.fromEntries(list.map((each) => [each.slug, each]));
				const bare = Object.fromEntries(list.map(({ slug, ...rest }) => [slug, rest]));
				const expected = read('fields', list);
				expect(expected).toHaveProperty('value');
				expect(Object.keys((expected as { value: object }).value)).toEqual(list.map(({ slug }) => slug));
				for (const form of [
					{ field: list },
					map,
					bare,
					{ name: 'Заказы', fields: bare },
					JSON.stringify(list),
				]) {
					expect(read('fields', form)).toEqual(expected);
				}
			}),
		);
	});
});

test('every kind accepts or refuses any value of an expression, and never throws (generated)', () => {
	const anything = fc.anything({
		withBigInt: true,
		withDate: true,
		withMap: true,
		withNullPrototype: true,
		withObjectString: true,
		withSparseArray: true,
		withTypedArray: true,
		key: fc.oneof(fc.string(), fc.constantFrom('toJSON', '__proto__', 'fields', 'field', 'name', 'slug')),
	});
	fc.assert(
		fc.property(fc.constantFrom(...wires), anything, (wire, value) => {
			fc.pre(!isEmpty(value));
			const checked = read(wire, value);
			if ('problems' in checked) {
				expect(checked.problems.length).toBeGreaterThan(0);
				for (const { message } of checked.problems) expect(message).toMatch(/^'Поле/);
			}
		}),
		{ numRuns: 500 },
	);
});

test('isEmpty recognizes the values that are empty for the service', () => {
	for (const value of [undefined, null, '', '  ', '\n\t', '\u00a0'])
		expect([value, isEmpty(value)]).toEqual([value, true]);
	for (const value of [0, false, NaN, [], {}, '0', ' а '])
		expect([value, isEmpty(value)]).toEqual([value, false]);
});
