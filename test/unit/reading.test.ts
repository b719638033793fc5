import fc from 'fast-check';

import type { Field } from '../../nodes/ChatbotService/resources/operation';
import { Reader, valueAt, type Source } from '../../nodes/ChatbotService/run/values/reading';
import { phoneNumberIn } from '../../nodes/ChatbotService/resources/phone';
import { namedBy } from '../../nodes/ChatbotService/run/values/recipient';
import { FakeN8n } from './fakeN8n';

/** The fields of an item, which no parameter reads. */
const input = () => ({});

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

/** The value, or what is thrown instead. */
function outcomeOf(read: () => unknown): { value: unknown } | { thrown: unknown } {
	try {
		return { value: read() };
	} catch (thrown) {
		return { thrown };
	}
}

describe('a parameter without code', () => {
	test.each<[string, unknown]>([
		['a text', 'Привет'],
		['an empty text', ''],
		['a number', 5],
		['a switch', true],
		['nothing', null],
		['an object', { field: [{ name: 'Город' }] }],
		['a list', ['text', 'image']],
		['braces in a text that is none', 'Привет, {{ $json.name }}'],
		['an expression without code', '=Привет'],
		['an expression of nothing', '='],
		['an expression with closing braces only', '=Привет }}'],
	])('is read once for all items: %s', (_, raw) => {
		const { n8n, reader } = readerOf({ field: raw }, [{ name: 'Анна' }, {}, {}]);
		const values = [1, 0, 2].map((item) => reader.valuesOf(item).at('field'));
		expect(values).toEqual([0, 1, 2].map((item) => n8n.valueOf('field', item)));
		expect(n8n.asked).toEqual(['field@1']);
	});

	test('is read once if the workflow does not contain it, so that n8n returns the default', () => {
		const source: Source = { raw: {}, evaluated: jest.fn(() => 50), input };
		const reader = new Reader(source);
		expect([0, 1].map((item) => reader.valuesOf(item).at('limit'))).toEqual([50, 50]);
		expect(source.evaluated).toHaveBeenCalledTimes(1);
	});

	test('is read again as long as n8n throws', () => {
		let failures = 2;
		const evaluated = () => {
			if (failures-- > 0) throw new Error('lost');
			return 'да';
		};
		const reader = new Reader({ raw: { field: 'да' }, evaluated, input });
		for (const item of [0, 1]) expect(() => reader.valuesOf(item).at('field')).toThrow('lost');
		expect(reader.valuesOf(2).at('field')).toBe('да');
	});
});

describe('a value at a path into the item', () => {
	const json = { name: 'Анна', 'Имя клиента': 'Анна С.', zero: 0, no: false, deep: { list: [{ x: 'дно' }] } };

	test.each([
		...[
			'={{ $json.name }}',
			'={{$json["Имя клиента"]}}',
			'={{\n\t$json.deep?.list[0].x\n}}',
			'={{ $json.no }}',
		],
		...['=Здравствуйте, {{ $json.name }}!', '={{ $json.zero }}{{ $json.no }}'],
	])('is taken from there without n8n: %j', (expression) => {
		const { n8n, valuesAt } = readerOf({ field: expression }, [json]);
		expect(valuesAt('field')).toEqual([n8n.valueOf('field', 0)]);
		expect(n8n.asked).toEqual([]);
	});

	test('is read anew for each item', () => {
		const { n8n, reader } = readerOf({ field: '={{ $json.a }}' }, [{ a: 1 }, { a: 2 }, { a: 3 }]);
		expect([2, 0, 1].map((item) => reader.valuesOf(item).at('field'))).toEqual([3, 1, 2]);
		expect(n8n.asked).toEqual([]);
	});

	test('is read by n8n if the data of the item is not known', () => {
		const n8n = new FakeN8n({ field: '={{ $json.a }}' }, [{ a: 1 }, { a: 2 }]);
		const { raw, evaluated } = n8n;
		const reader = new Reader({ raw, evaluated, input });
		expect([0, 1].map((item) => reader.valuesOf(item).at('field'))).toEqual([1, 2]);
		expect(n8n.asked).toEqual(['field@0', 'field@1']);
	});
});

describe('n8n decides', () => {
	/** An item in which this name is data. */
	const named = (name: string) => Object.defineProperty({}, name, { value: 'данные', enumerable: true });

	test.each<[string, string, unknown]>([
		['a missing value', '$json.a', {}],
		['an object', '$json.a', { a: { b: 1 } }],
		['a date', '$json.a', { a: new Date(0) }],
		['NaN', '$json.a', { a: NaN }],
		['half an emoji', '$json.a', { a: 'Привет \ud83d' }],
		['an inherited value', '$json.a', Object.create({ a: 5 })],
		['an item that is none', '$json.a', undefined],
		['a path that leads nowhere', '$json.a.b', { a: null }],
		['a path into a text', '$json.a.length', { a: 'текст' }],
		...['toString', 'constructor', '__proto__', 'prototype', 'mainModule', 'toJSON'].map(
			(name): [string, string, unknown] => [`the name ${name}`, `$json.${name}`, named(name)],
		),
		...['$json.a + 1', '$json.a // число', '$json[a]', '$json.list[01]', '$json["a" ]', 'throw', ''].map(
			(code): [string, string, unknown] => ['code that is no path', code, { a: 5, list: ['а'] }],
		),
	])('the value of %s: %s', (_, code, json) => {
		for (const field of [`={{ ${code} }}`, `=Это {{ ${code} }}.`]) {
			const { n8n, reader } = readerOf({ field }, [json]);
			const found = outcomeOf(() => reader.valuesOf(0).at('field'));
			expect(found).toEqual(outcomeOf(() => n8n.valueOf('field', 0)));
			expect(n8n.asked).toEqual(['field@0']);
		}
	});

	test('the value of a getter, and calls it only once', () => {
		let calls = 0;
		const json = {
			get a() {
				calls++;
				return 5;
			},
		};
		expect(readerOf({ field: '={{ $json.a }}' }, [json]).valuesAt('field')).toEqual([5]);
		expect(calls).toBe(1);
	});

	test('the value of objects that contain expressions', () => {
		const raw = { fields: { field: [{ name: '={{ $json.a }}' }] }, content: ['text', '={{ $json.b }}'] };
		const { valuesAt } = readerOf(raw, [{ a: 'Город', b: 'image' }]);
		expect(valuesAt('fields')).toEqual([{ field: [{ name: 'Город' }] }]);
		expect(valuesAt('content')).toEqual([['text', 'image']]);
	});
});

describe('a value', () => {
	test('is read when it is first asked for, and not again for the same item', () => {
		const { n8n, reader } = readerOf({ a: '={{ [$json.a] }}', b: '={{ $json.b }}', c: 'да' }, [
			{ a: 1, b: 2 },
		]);
		const values = reader.valuesOf(0);
		expect(n8n.asked).toEqual([]);
		expect(values.at('a')).toBe(values.at('a'));
		expect([values.at('b'), values.at('b'), values.at('c'), values.at('c')]).toEqual([2, 2, 'да', 'да']);
		expect(n8n.asked).toEqual(['a@0', 'c@0']);
	});

	test.each([[new Error("Referenced node doesn't exist")], [undefined], [null], ['lost']])(
		'that cannot be evaluated throws what n8n says, as often as it is asked for: %p',
		(said) => {
			const source: Source = {
				raw: { field: '={{ $("Лист").item.json.a }}', other: 'да' },
				input,
				evaluated: (path) => {
					if (path === 'other') return 'да';
					throw said;
				},
				json: () => ({}),
			};
			const values = new Reader(source).valuesOf(0);
			for (let time = 0; time < 2; time++)
				expect(outcomeOf(() => values.at('field'))).toEqual({ thrown: said });
			expect(values.at('other')).toBe('да');
		},
	);
});

describe('the parts of a text', () => {
	/** With n8n's evaluation of any text. */
	const partsOf = (template: string, json: unknown, evaluatedText?: (marked: string) => unknown) => {
		const n8n = new FakeN8n({ field: template }, [json]);
		const { raw, evaluated } = n8n;
		const ofN8n = (marked: string) => new FakeN8n({ marked: `=${marked}` }, [json]).valueOf('marked', 0);
		const source: Source = { raw, evaluated, input, json: () => json, evaluatedText: evaluatedText ?? ofN8n };
		const values = new Reader(source).valuesOf(0);
		expect(values.at('field')).toEqual(n8n.valueOf('field', 0));
		return values.partsAt('field').map(({ code, value }) => [code, value]);
	};

	const json = { a: 'Анна', b: 7, empty: '' };

	test.each<[string, unknown[]]>([
		['=Привет, {{ $json.a }}!', [['{{ $json.a }}', 'Анна']]],
		[
			'={{ $json.a }}{{ $json.b }}',
			[
				['{{ $json.a }}', 'Анна'],
				['{{ $json.b }}', 7],
			],
		],
		[
			'={{ $json.empty }} и {{ $json.a + 1 }}',
			[
				['{{ $json.empty }}', ''],
				['{{ $json.a + 1 }}', 'Анна1'],
			],
		],
		[
			'=Это {{ $json.missing }}, {{ $json.missing + "" }}',
			[
				['{{ $json.missing }}', ''],
				['{{ $json.missing + "" }}', 'undefined'],
			],
		],
		['=\\D {{ $json.a.replace(/\\W/g, "") }}', [['{{ $json.a.replace(/\\W/g, "") }}', '']]],
		['={{ $json.a }}', []],
		['Привет, {{ $json.a }}', []],
	])('are what n8n evaluates between the braces: %s', (template, parts) => {
		expect(partsOf(template, json)).toEqual(parts);
	});

	test.each<[string, (marked: string) => unknown]>([
		[
			'throws',
			() => {
				throw new Error('Нет узла');
			},
		],
		['does not return a text', () => ({})],
		['returns the marks in the data too', (marked) => `${marked}\u001f`],
	])('are not known if n8n %s, and the value is still the right one', (_, evaluatedText) => {
		expect(partsOf('=Привет, {{ $json.a + "" }}', json, evaluatedText)).toEqual([]);
	});

	test('are not known if a backslash stands before a brace', () => {
		expect(partsOf('=\\\\{{ $json.a + "" }}', json)).toEqual([]);
	});
});

describe('a field of the item that looks like the one in the expression', () => {
	test.each<[string, object, string | undefined]>([
		['={{ $json["Contact ID"] }}', { 'contact id': 1 }, 'contact id'],
		['={{ $json.id }}', { 'ID\u200b ': 1 }, 'ID\u200b '],
		['=№ {{ $json.a }}-{{ $json.order.id }}', { a: 1, order: { Id: 2 } }, 'Id'],
		['={{ $json.order.id }}', { Order: { id: 2 } }, 'Order'],
		['={{ $json.id }}', { id: null, ID: 1 }, undefined],
		['={{ $json.id }}', { id2: 1 }, undefined],
		['={{ $json.order.id }}', { order: null }, undefined],
		['={{ $json.id + 1 }}', { ID: 1 }, undefined],
		['id', { ID: 1 }, undefined],
	])('is found: %s', (field, json, expected) => {
		const { reader } = readerOf({ field }, [json]);
		expect(reader.valuesOf(0).lookAlikeAt('field')).toBe(expected);
	});
});

test.each<[unknown, boolean]>([
	[{ __rl: true, mode: 'list', value: 'VIP' }, true],
	[{ __rl: true, mode: 'list', value: '={{ $json.tag }}' }, false],
	[{ __rl: true, mode: 'name', value: 'VIP' }, false],
	['VIP', false],
])('a value that the user picked from the list is known as such: %j', (tagName, expected) => {
	const { reader } = readerOf({ tagName }, [{}], ['tagName']);
	expect(reader.valuesOf(0).isPickedAt('tagName')).toBe(expected);
});

describe('a value that is picked from a list or typed', () => {
	const stored = (value: unknown) => ({ __rl: true, mode: 'name', value, cachedResultName: 'VIP' });
	const items = [
		{ tag: 'VIP', picked: stored('VIP') },
		{ tag: 'Клиент', picked: stored('Клиент') },
	];
	test.each<[string, unknown, unknown[], string[]]>([
		['is read once from what is stored', stored('VIP'), ['VIP', 'VIP'], ['tagName.value@0']],
		['is read once if an empty text is stored', stored(''), ['', ''], ['tagName.value@0']],
		['is read once if null is stored', stored(null), [null, null], ['tagName.value@0']],
		['is taken from the item by a stored path', stored('={{ $json.tag }}'), ['VIP', 'Клиент'], []],
		[
			'is taken from the item by a stored text',
			stored('=Тег {{ $json.tag }}'),
			['Тег VIP', 'Тег Клиент'],
			[],
		],
		[
			'is evaluated by n8n if other code is stored',
			stored('={{ $json.tag.toUpperCase() }}'),
			['VIP', 'КЛИЕНТ'],
			['tagName.value@0', 'tagName.value@1'],
		],
		['may be stored as a text, as a program writes it', 'VIP', ['VIP', 'VIP'], ['tagName@0']],
		['may be stored as a path, as a program writes it', '={{ $json.tag }}', ['VIP', 'Клиент'], []],
		['may be stored as null', null, [null, null], ['tagName@0']],
		[
			'may be stored as an object in the item',
			'={{ $json.picked }}',
			['VIP', 'Клиент'],
			['tagName@0', 'tagName@1'],
		],
	])('%s', (_, raw, values, asked) => {
		const { n8n, valuesAt } = readerOf({ tagName: raw }, items, ['tagName']);
		expect(valuesAt('tagName')).toEqual(values);
		expect(n8n.asked).toEqual(asked);
	});

	test('is the default if nothing is stored', () => {
		const source: Source = { raw: {}, evaluated: () => ({ mode: 'list', value: '' }), input };
		expect(new Reader(source, new Set(['tagName'])).valuesOf(0).at('tagName')).toBe('');
	});

	test('is not an object that happens to have a mode or a value', () => {
		const raw = { fields: { mode: 'a', value: 'b' }, tagName: { mode: 'a' } };
		const { reader } = readerOf(raw, [{}], ['tagName']);
		const values = reader.valuesOf(0);
		expect(values.at('fields')).toEqual({ mode: 'a', value: 'b' });
		expect(values.at('tagName')).toEqual({ mode: 'a' });
	});
});

test.each([[{}], [{ options: null }], [{ options: 'текст' }]])(
	'there is no value at a path into %j',
	(values) => {
		expect(valueAt(values, 'options.name')).toBeUndefined();
	},
);

/* Which values are one recipient: for the order of requests, and under one value of 'Send Once Per'. */

const fieldOf = (names: Field['names']): Field =>
	({ displayName: 'Поле', name: 'поле', type: 'string', default: '', names }) as Field;

/** The text that stands for what a value names in a field. */
const named = (value: unknown, names: Field['names'] = 'person') =>
	namedBy([{ field: fieldOf(names), name: 'id' }], new Map([['id', value]]));

describe('a person', () => {
	test.each<[unknown, unknown]>([
		['89161234567', '+79161234567'],
		['89161234567', '79161234567'],
		[89161234567, 79161234567],
		['8 (916) 123-45-67', '+7 (916) 123-45-67'],
		['8-916-123-45-67', '7.916.123.45.67'],
		[' 8 916 123 45 67 ', '+7 916 123 45 67'],
		['(8916) 1234567', '(7916) 1234567'],
		['8 701 123 45 67', '+77011234567'],
		['84951234567', '+74951234567'],
		['85212345678', '+85212345678'],
	])('is the same under %p and %p', (one, other) => {
		expect(named(one)).toBe(named(other));
	});

	test.each<[string, unknown, unknown]>([
		['a plus says that 8 begins the code of a country', '+89161234567', '+79161234567'],
		['the same number with a plus is of another country', '+8 916 123-45-67', '8 916 123-45-67'],
		['the number is of Vietnam', '+84951234567', '84951234567'],
		['no area code begins with 0', '80291234567', '+70291234567'],
		['ten digits have no country code', '9161234567', '+79161234567'],
		['ten digits that begin with 8 have none either', '8161234567', '7161234567'],
		['twelve digits are too many', '891612345678', '791612345678'],
		['the last eleven of twelve digits are no number', '385812345678', '785812345678'],
		['another country has another code', '+380441234567', '80441234567'],
		['another country has the same digits after its code', '+49161234567', '89161234567'],
		['7 is not the trunk prefix if another number follows', '88161234567', '+78161234568'],
		['7 is not taken for 8 in the middle', '79168234567', '79167234567'],
		['an extension follows', '+8 доб. 5', '+7 доб. 5'],
		['a letter follows', '8916123456x', '7916123456x'],
		['a letter comes before it', 'u89161234567', 'u79161234567'],
		['an underscore follows', '89161234567_', '79161234567_'],
		['an ID has an underscore in it', 'ivan_petrov', 'ivanpetrov'],
		['an ID has a dot in it', 'ivan.petrov', 'ivanpetrov'],
		['an ID is that of a group', '-100123', '100123'],
		['an ID has brackets in it', 'анна (1)', 'анна1'],
		['an ID has a capital letter', 'Ivan', 'ivan'],
		['an ID begins with a plus', '+5a', '5a'],
		['an ID ends with one sign more', 'u7Qm1dXk==', 'u7Qm1dXk='],
		['an ID is the beginning of another', '12345', '123456'],
	])('is another one if %s: %p and %p', (_why, one, other) => {
		expect(named(one)).not.toBe(named(other));
	});

	test('is the same under all spellings of a number, and another one under another number (generated)', () => {
		const number = fc.stringMatching(/^[346-9]\d{9}$/);
		const prefix = fc.constantFrom('8', '+7', '7', '8 ', '+7 (');
		const gap = fc.constantFrom('', ' ', '-', ') ', '.');
		const spelled = (digits: string, [start, ...gaps]: string[]) =>
			`${start}${digits.slice(0, 3)}${gaps[0]}${digits.slice(3, 6)}${gaps[1]}${digits.slice(6)}`;
		const spelling = fc.tuple(prefix, gap, gap);
		fc.assert(
			fc.property(number, number, spelling, spelling, (one, other, first, second) => {
				expect(named(spelled(one, first))).toBe(named(spelled(one, second)));
				expect(named(spelled(one, first)) === named(spelled(other, second))).toBe(one === other);
			}),
		);
	});
});

test('two numbers are the same recipient if the node sends the same digits, and only then (generated)', () => {
	const written = fc.tuple(fc.constantFrom('8', '8 ', '7', '+7 ', '+8', '00'), fc.stringMatching(/^\d{10}$/));
	const similar = written.chain(([prefix, digits]) =>
		fc.tuple(
			fc.constant(`${prefix}${digits}`),
			fc.constantFrom('8', '8 ', '7', '+7 ', '+8').map((other) => `${other}${digits}`),
		),
	);
	const digitsOf = (number: string) => number.replace(/\D/g, '');
	fc.assert(
		fc.property(similar, (numbers) => {
			const [one, other] = numbers.map((number) => phoneNumberIn(number) ?? '');
			fc.pre(one !== '' && other !== '');
			expect(named(one) === named(other)).toBe(digitsOf(one!) === digitsOf(other!));
		}),
		{ numRuns: 1000 },
	);
});

describe('the values of fields that name a recipient', () => {
	test('become one text, which stays the same in all versions, because it identifies recipients in the store', () => {
		const fields = [
			{ field: fieldOf('person'), name: 'external_id' },
			{ field: fieldOf('partOfTarget'), name: 'messenger' },
		];
		const values = new Map([
			['external_id', '8 916 123-45-67'],
			['messenger', 'viber'],
		]);
		expect(namedBy(fields, values)).toBe('external_id 79161234567 messenger viber');
		expect(namedBy(fields, new Map())).toBeUndefined();
		expect(namedBy([], values)).toBeUndefined();
	});

	test('are read as phone numbers only if they name a person', () => {
		expect(named('8 916 123-45-67', 'person')).toBe('id 79161234567');
		for (const names of ['target', 'partOfTarget'] as const)
			expect(named('8 916 123-45-67', names)).toBe('id 8 916 123-45-67');
	});
});
