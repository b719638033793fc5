import fc from 'fast-check';

import type { Problem } from '../../nodes/ChatbotService/client/failure';
import { quote } from '../../nodes/ChatbotService/client/quote';
import { isEmpty } from '../../nodes/ChatbotService/client/values';
import { resources } from '../../nodes/ChatbotService/resources';
import { messengers } from '../../nodes/ChatbotService/resources/choices';
import type { Kind } from '../../nodes/ChatbotService/resources/kind';
import * as kindsOfValues from '../../nodes/ChatbotService/resources/kinds';
import { fieldDefinitions } from '../../nodes/ChatbotService/resources/listSchema/definitions';
import { messageLimits } from '../../nodes/ChatbotService/resources/message/limits';
import type { Field } from '../../nodes/ChatbotService/resources/operation';
import { phoneNumberIn } from '../../nodes/ChatbotService/resources/phone';
import { Check, type CheckedValues } from '../../nodes/ChatbotService/run/values/check';
import { travelling, variants } from '../operations';
import { pasted, spellingsOfOnePerson, type PastedInto } from '../pasted/values';
import { address, codePoint } from './codePoints';
import { evaluate } from './expression';
import { given, inMoscow, sampleOf } from './samples';
import { faultsOf } from './sentences';

const allKinds = { ...kindsOfValues, fieldDefinitions };

/** All fields of all operations, including those inside collections. */
const allFields = resources
	.flatMap(({ operations }) => operations.flatMap(({ fields }) => fields))
	.flatMap((field) => [field, ...(field.type === 'collection' ? (field.options as Field[]) : [])])
	.flatMap((field) => (field.variantFor ? messengers.flatMap(({ value }) => asIn(value, field)) : [field]));

/** A field whose name in the API depends on the messenger. */
function asIn(messenger: string, { variantFor }: Field): Field[] {
	const field = variantFor!(new Map([['messenger', messenger]]));
	return field ? [field] : [];
}

const wireNameOf = ({ routing }: Field) => routing?.send?.property;

/** Kinds of the fields by their API names. */
const kinds = new Map<string, Kind>();
for (const field of allFields) {
	const wire = wireNameOf(field);
	if (wire && field.kind && !kinds.has(wire)) kinds.set(wire, field.kind);
}

/** All parameters of the API. */
const wires = [...new Set(variants.flatMap(travelling).map(({ wire }) => wire))]
	// Other values make them up.
	.filter((wire) => !['data', 'filters'].includes(wire))
	.sort();

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

	test('belongs to every value that is sent', () => {
		expect(allFields.filter((field) => wireNameOf(field) && !field.kind && !field.compose)).toEqual([]);
	});
});

const city = { name: 'Город', slug: 'city', type: 'string' };

const whole = "'Поле' must be a whole number";
const noPhone = "'Поле' is not a valid phone number";
const withCode = "Enter 'Поле' with the country code, such as +79161234567.";
const orId =
	'Enter the ID that the person has in the messenger, or the phone number with the country code, such as +79161234567.';
const shortened = 'A spreadsheet has shortened the number: format its column as text there.';
const attributes = 'name, slug, type, is_required, is_hidden, is_encryptable';
const choices = {
	messenger: 'max, telegram, viber, vk, whatsapp',
	contactMessenger: 'unknown, max, telegram, viber, vk, whatsapp',
	fieldType: 'bot, contact, boolean, number, string',
};

/* The wording of the kinds. Other tests take it from there. */
test.each<[Exclude<keyof typeof allKinds, 'oneOf' | 'someOf'>, unknown, message: string, advice: string]>([
	['contactId', 'вася', whole, 'Enter the numeric ID, for example 1048576, not a name or phone number.'],
	['botId', 'вася', whole, 'Enter the numeric ID, for example 2048, not the name of the bot.'],
	['variableId', 'вася', whole, 'Enter the numeric ID, for example 301, not the name of the variable.'],
	['limit', 0, whole, "Enter 1 or more, or switch 'Return All' on."],
	[
		'text',
		{ имя: 'Анна' },
		"'Поле' must be text",
		"Enter plain text for 'Поле'. If the field contains an expression, choose one field of the data, as in {{ $json.address.city }}.",
	],
	[
		'text',
		`Здравствуйте, ${String({ имя: 'Анна' })}!`,
		"'Поле' contains an object instead of text",
		"An expression in 'Поле' returns an object. Choose one field of the object, as in {{ $json.address.city }}.",
	],
	[
		'trimmedText',
		'Здравствуйте, {{ $json.name }}!',
		"'Поле' holds an expression that n8n has not evaluated: switch the field from Fixed to Expression",
		'If the field is an expression already, the text comes from its data: n8n does not evaluate expressions in data.',
	],
	[
		'name',
		'Запись на Invalid DateTime',
		"'Поле' contains a date that cannot be read",
		"An expression in 'Поле' reads a date in an unexpected format. Name the format, as in {{ DateTime.fromFormat($json.date, 'dd.MM.yyyy') }}.",
	],
	[
		'trimmedName',
		'function trim() { [native code] }',
		"'Поле' contains the source text of a function",
		"An expression in 'Поле' names a function without calling it. Add parentheses, as in {{ $json.name.trim() }}.",
	],
	[
		'contactId',
		2 ** 60,
		"'Поле' holds a number that n8n has rounded",
		'JSON numbers of more than 15 digits lose digits, so this one may mean something else. Let the previous node give it as text.',
	],
	[
		'messenger',
		['telegram', 'vk'],
		"'Поле' contains a list instead of one value",
		'Make one item of each value: put the node Split Out in front of this node.',
	],
	[
		'address',
		'http://192.168.1.5/a.png',
		"'Поле' is a URL that only your own network can open",
		'The service downloads it over the internet. Enter a URL that anyone can open, such as https://example.com/image.png.',
	],
	...Object.entries(choices).map(([kind, values]): [keyof typeof choices, unknown, string, string] => [
		kind as keyof typeof choices,
		'икс',
		`'Поле' must be one of ${values}`,
		"Choose one of them for 'Поле', or let its expression return one.",
	]),
	[
		'address',
		'http://a http://b',
		"'Поле' must be one URL, without line breaks or tabs",
		"Enter only one URL for 'Поле'.",
	],
	[
		'address',
		'кот',
		"'Поле' must be a complete URL",
		"Enter a URL for 'Поле' that starts with https:// or http:// and that anyone can open, such as https://example.com/image.png.",
	],
	['phone', '1e10x', noPhone, withCode],
	['phone', '7,91612E+10', noPhone, `${withCode} ${shortened}`],
	['phone', '7.91612e10.', noPhone, `${withCode} ${shortened}`],
	['phoneOrId', '1.2', noPhone, orId],
	[
		'unixTime',
		'01.04.2026',
		"'Поле' must be a date and time",
		"Choose a date and time, or let its expression return one, as in {{ $now.minus(7, 'days') }}. If your data has a Unix time, use {{ DateTime.fromSeconds($json.time) }}.",
	],
	['logical', 7, "'Поле' must be true or false", "Enter true or false for 'Поле'."],
	['fieldDefinitions', '[а', "'Поле' must be valid JSON", "Check the quotes, commas and brackets of 'Поле'."],
	[
		'fieldDefinitions',
		5,
		"'Поле' must be a list of field definitions",
		"Enter an array of objects with name, slug and type for 'Поле', an object of them keyed by slug, or the 'fields' of a list schema.",
	],
])('%s refuses %j: what is wrong, what to do, and what was received', (kind, value, message, advice) => {
	const received = typeof value === 'object' ? JSON.stringify(value) : String(value);
	expect(allKinds[kind](value, 'Поле')).toEqual({
		problems: [{ message, advice: `${advice} Received: "${received}".` }],
	});
});

test.each<[string, unknown, message: string, advice: string]>([
	[
		'no definition',
		['город'],
		"'Поле, field 1' must be a field definition",
		`Enter an object with ${attributes}. Received: "город".`,
	],
	[
		'a slug twice',
		[city, city],
		"'Поле, field 2' repeats a slug",
		'Give each field a different slug. The slug "city" is used twice.',
	],
	[
		'a slug that contradicts its key',
		{ town: city },
		"'Поле, field 1' has a slug that differs from its key",
		'Make them the same. The key is "town", the slug "city".',
	],
	[
		'an unknown attribute',
		[{ ...city, color: 'red' }],
		"'Поле, field 1' has an attribute that the service does not know",
		`The attributes are ${attributes}. Received: "color".`,
	],
	[
		'no name',
		[{ ...city, name: ' ' }],
		"'Поле, field 1: name' is empty",
		'Give every field a name, a slug and a type.',
	],
])('definitions of fields are refused with %s', (_, value, message, advice) => {
	expect(problemsOf('fields', value)).toEqual([{ message, advice }]);
});

test.each(allTexts)('%s refuses a text with an object in it', (wire) => {
	expect(read(wire, 'Для [object Object]')).toEqual(allKinds.text('Для [object Object]', 'Поле'));
});

describe('a text', () => {
	test.each(['contact_external_id', 'schema_id', 'slug', 'field.name', 'field.slug'])(
		'%s loses surrounding spaces',
		(wire) => {
			expect(read(wire, ' 79161234567\n')).toEqual({ value: '79161234567' });
			expect(read(wire, 79161234567)).toEqual({ value: '79161234567' });
		},
	);

	test.each(['value', 'text'])('%s keeps every character (generated)', (wire) => {
		fc.assert(
			fc.property(fc.string({ unit: codePoint }), (value) => expect(read(wire, value)).toEqual({ value })),
		);
	});
});

describe('a date and time', () => {
	const seconds = (value: unknown) => kindsOfValues.unixTime(value, 'Поле', inMoscow);
	const inN8n = (code: string) => evaluate(`={{ ${code} }}`);

	test.each<[string, unknown, string]>([
		['of the editor, in the zone of the workflow', '2026-06-02T15:30:00', '2026-06-02T12:30:00Z'],
		['without an hour, with blanks', ' 2026-06-02 ', '2026-06-01T21:00:00Z'],
		['of a database', '2026-06-02 15:30:00', '2026-06-02T12:30:00Z'],
		['with a zone', '2026-06-02T15:30:00+05:00', '2026-06-02T10:30:00Z'],
		['with milliseconds', '2026-06-02T15:30:00.999Z', '2026-06-02T15:30:00Z'],
		['of JavaScript', new Date('2026-06-02T15:30:00Z'), '2026-06-02T15:30:00Z'],
		['of an expression', inN8n("DateTime.fromISO('2026-06-02T15:30:00Z')"), '2026-06-02T15:30:00Z'],
		['before 1970', '1969-12-31T23:59:59Z', '1969-12-31T23:59:59Z'],
	])('%s is sent in whole seconds', (_, value, expected) => {
		expect(seconds(value)).toEqual({ value: Date.parse(expected) / 1000 });
	});

	test.each([
		...[
			1775001600,
			-1775001600,
			1.5,
			'1775001600',
			'-5',
			'1775001600000',
			'2026',
			45000,
			0,
			true,
			{},
			['2026-06-02'],
		],
		...[
			'02.06.2026',
			'2/6/2026',
			'вчера',
			'2026-13-01',
			'25:00',
			new Date('x'),
			inN8n("DateTime.fromISO('x')"),
		],
	])('%p is none', (value) => {
		expect(seconds(value)).toHaveProperty('problems');
	});
});

describe('several names', () => {
	test.each<[unknown, string[]]>([
		['VIP', ['VIP']],
		[' VIP , Новый лид,\nОплатил,', ['VIP', 'Новый лид', 'Оплатил']],
		[
			['VIP', 'Скидка 1,5 %', 5, ' '],
			['VIP', 'Скидка 1,5 %', '5'],
		],
		[7, ['7']],
	])('%j are %j', (value, expected) => {
		expect(kindsOfValues.names(value, 'Поле')).toEqual({ value: expected });
	});

	test.each([' , ,\n', [], [null, '']])('%j are none', (value) => {
		expect(kindsOfValues.names(value, 'Поле')).toEqual({ value: undefined });
	});

	test.each([{ name: 'VIP' }, [{ name: 'VIP' }], [['VIP', 'Лид']], '{{ $json.tags }}', '[object Object]'])(
		'%j are refused',
		(value) => {
			expect(kindsOfValues.names(value, 'Поле')).toHaveProperty('problems');
		},
	);
});

test('some of the choices travel as one text, each once, by their names or others', () => {
	const some = kindsOfValues.someOf([
		{ name: 'Tags', value: 'tags', aliases: ['теги'] },
		{ name: 'Variables', value: 'variables' },
	]);
	expect(some(['tags', 'variables'], 'Поле')).toEqual({ value: 'tags,variables' });
	expect(some('Теги, tags', 'Поле')).toEqual({ value: 'tags' });
	expect(some([], 'Поле')).toEqual({ value: undefined });
	expect(some('tags, все', 'Поле')).toHaveProperty('problems');
});

test.each<[unknown, string]>([
	[284119035, '284119035'],
	['284119035.0', '284119035'],
	["'17450283", '17450283'],
	[' u7Qm1dXkPq0Zs3R8fT2yLw== ', 'u7Qm1dXkPq0Zs3R8fT2yLw=='],
])('the identifier %p is %p, as spreadsheets write it too', (value, expected) => {
	expect(kindsOfValues.identifier(value, 'Поле')).toEqual({ value: expected });
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
		fc.string({ unit: codePoint, minLength: 1, maxLength: 3 }),
		fc.constantFrom(...' %/?#"\\@:\n\t\ud83d', '%20', '%D0', 'кот', '😀', '..'),
	);
	const written = fc
		.tuple(
			fc.constantFrom('https://', 'http://', 'HTTPS://', ' https://', 'ftp://', ''),
			fc.constantFrom('example.com', 'пример.рф', 'EXAMPLE.com:8080', 'кот@example.com', ''),
			fc.array(part, { maxLength: 8 }).map((parts) => parts.join('')),
		)
		.map((parts) => parts.join(''));
	const any = fc.oneof(written, address);
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
	fc.assert(fc.property(any, property), { numRuns: 500 });
	expect(taken).toBeGreaterThan(150);
});

describe('the definitions of fields', () => {
	test('keep the slug __proto__', () => {
		const checked = read('fields', [{ ...city, slug: '__proto__' }]) as { value: object };
		expect(Object.entries(checked.value)).toEqual([['__proto__', { ...city, slug: '__proto__' }]]);
	});

	test('are refused with every fault of every field', () => {
		const list = [{}, { ...city, name: '', is_required: 7 }];
		expect(
			problemsOf('fields', list).map(({ message }) => /^'Поле, (field \d+: \w+)'/.exec(message)?.[1]),
		).toEqual([
			...['field 1: name', 'field 1: slug', 'field 1: type'],
			...['field 2: is_required', 'field 2: name'],
		]);
	});

	test.each([null, 5])('are refused if the fields of a schema are %j', (fields) => {
		expect(problemsOf('fields', { name: 'Заказы', fields })).toHaveLength(2);
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
	for (const value of [undefined, null, '', '  ', '\n\t', '\u00a0', '\ufeff', '\u200b \u00ad'])
		expect([value, isEmpty(value)]).toEqual([value, true]);
	for (const value of [0, false, NaN, [], {}, '0', ' а '])
		expect([value, isEmpty(value)]).toEqual([value, false]);
});

/* How fields read real-world values, and generated spellings of the same values. */

function checkedWith({ variant, field }: PastedInto, value: unknown) {
	const sample = sampleOf(variant);
	return new Check(sample.operation, {}, inMoscow).of(given(sample, { limit: 7, [field]: value }));
}

/** The part of a request that a field determines. */
function saidBy({ field, variant }: PastedInto, { parameters, limit, limits }: CheckedValues): unknown {
	const wire = sampleOf(variant).fields.find(({ path }) => path === field)?.wire;
	if (wire) return parameters.find(({ name }) => name === wire)?.value;
	return field === 'contactMessenger' ? limits : limit;
}

const isText = (value: unknown): value is string => typeof value === 'string';
const title = (value: unknown) => (isText(value) ? JSON.stringify(value) : String(value));

describe.each(pasted.map((into) => [into.label, into.variant, into] as const))('%s of %s', (_, __, into) => {
	const { field, label, taken, refused } = into;

	test.each(taken.map(([value, travels]) => [title(value), value, travels]))(
		'%s is read',
		(_title, value, travels) => {
			const checked = checkedWith(into, value);
			if ('problems' in checked) throw new Error(checked.problems.map(({ advice }) => advice).join(' '));
			const expected =
				field === 'contactMessenger'
					? messageLimits(travels === 'unknown' ? undefined : (travels as string))
					: travels;
			expect(saidBy(into, checked)).toEqual(expected);
		},
	);

	test.each(refused.map(([value, withoutLabel]) => [title(value), value, withoutLabel]))(
		'%s is refused, and the error names the field and the received value',
		(_title, value, withoutLabel) => {
			const checked = checkedWith(into, value);
			if (!('problems' in checked)) throw new Error(`it took ${JSON.stringify(saidBy(into, checked))}`);
			const [{ message, advice }, ...others] = checked.problems as [Problem];
			expect(others).toEqual([]);
			expect(message).toBe(`'${label}${withoutLabel}`);
			expect(faultsOf({ message, description: advice.replace(/"[^]*"/, '"…"') })).toEqual([]);
			// For a list, the error shows the wrong part.
			if (!isEmpty([value].flat()[0]) && field !== 'fieldsJson')
				expect(advice).toContain(`Received: ${quote(value)}.`);
		},
	);
});

describe('spellings of a phone number (generated)', () => {
	const gap = fc.constantFrom('', ' ', '-', ' - ', '\u00a0', '\u2011', '\u2013', '\u2009', ')');
	const begin = fc.constantFrom('', "'", '’', 'tel:', '\u202a', '\ufeff', ' ', '="');
	const end = fc.constantFrom('', ' ', '\n', '\u202c', '.', '"');
	const area = fc.constantFrom('916', '495', '701', '812', '343');
	const rest = fc.stringMatching(/^\d{7}$/);
	const spelled = (first: string, [a, b]: string[], digits: string) =>
		`${first}${a}${digits.slice(0, 3)}${b}${digits.slice(3, 6)}${a === ')' ? '' : a}${digits.slice(6)}`;

	test('result in one form, which is read as itself', () => {
		const first = fc.constantFrom('+7', '+7 (', '7', '8', '8 ', '8 (', '8-', '007');
		const property = (code: string, gaps: string[], digits: string, before: string, after: string) => {
			expect(phoneNumberIn(`${before}${spelled(code, gaps, digits)}${after}`)).toBe(`+7${digits}`);
		};
		const digits = fc.tuple(area, rest).map((parts) => parts.join(''));
		fc.assert(fc.property(first, fc.tuple(gap, gap), digits, begin, end, property), { numRuns: 1000 });
		for (const spelling of spellingsOfOnePerson) {
			const once = phoneNumberIn(String(spelling))!;
			expect(phoneNumberIn(once)).toBe(once);
		}
	});

	test('keep all their digits', () => {
		const sign = fc.constantFrom(...'+-().,/ 0123456789', '\u00a0', '\u2011', "'", 'tel:', '(0)');
		fc.assert(
			fc.property(fc.array(sign, { maxLength: 20 }), (signs) => {
				const written = signs.join('');
				const number = phoneNumberIn(written);
				if (number === undefined) return;
				expect(phoneNumberIn(number)).toBe(number);
				const digits = number.replace(/\D/g, '');
				expect(digits.length).toBeGreaterThanOrEqual(7);
				// Without the trunk prefixes, the international prefix and the zeros after a decimal point.
				const original = written
					.replace(/[.,]0+(?=\D*$)/, '')
					.replace(/(\+\d{1,3}\s*)\(0\)/, '$1')
					.replace(/\D/g, '');
				const bare = (text: string) => text.replace(/^(?:00|8|7)/, '');
				expect([original, bare(original)].some((each) => each === digits || each === bare(digits))).toBe(
					true,
				);
			}),
			{ numRuns: 2000 },
		);
	});
});
