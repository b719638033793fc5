import { Reader, valueAt, type Source } from '../../nodes/ChatbotService/run/values/reading';
import { FakeN8n } from './fakeN8n';

/* What the reader asks n8n to evaluate, and what it reads itself. Tests in test/engine compare both on n8n's own engines. */

function readerOf(
	raw: Record<string, unknown>,
	items: unknown[],
	locators: string[] = [],
	paths = Object.keys(raw),
) {
	const n8n = new FakeN8n(raw, items);
	const reader = new Reader(n8n, paths, new Set(locators));
	/** The values of the parameter for each item. */
	const valuesAt = (path: string) => [...items.keys()].map((item) => reader.valuesOf(item)(path));
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
		const values = [1, 0, 2].map((item) => reader.valuesOf(item)('field'));
		expect(values).toEqual([0, 1, 2].map((item) => n8n.valueOf('field', item)));
		expect(n8n.asked).toEqual(['field@1']);
	});

	test('is read once if the workflow does not contain it, so that n8n returns the default', () => {
		const source: Source = { raw: {}, evaluated: jest.fn(() => 50) };
		const reader = new Reader(source, ['limit'], new Set());
		expect([0, 1].map((item) => reader.valuesOf(item)('limit'))).toEqual([50, 50]);
		expect(source.evaluated).toHaveBeenCalledTimes(1);
	});

	test('is read once inside a collection too', () => {
		const raw = { options: { hidden: true, required: '={{ $json.r }}' } };
		const paths = ['options.hidden', 'options.required', 'options.encrypted'];
		const { n8n, valuesAt } = readerOf(raw, [{ r: 1 }, { r: 2 }], [], paths);
		expect(paths.map(valuesAt)).toEqual([
			[true, true],
			[1, 2],
			[undefined, undefined],
		]);
		expect(n8n.asked).toEqual(['options.hidden@0', 'options.encrypted@0']);
	});

	test('is read again as long as n8n throws', () => {
		let failures = 2;
		const evaluated = () => {
			if (failures-- > 0) throw new Error('lost');
			return 'да';
		};
		const reader = new Reader({ raw: { field: 'да' }, evaluated }, ['field'], new Set());
		for (const item of [0, 1]) expect(() => reader.valuesOf(item)('field')).toThrow('lost');
		expect(reader.valuesOf(2)('field')).toBe('да');
	});

	test('that the reader does not know is read for every item', () => {
		const { n8n, valuesAt } = readerOf({ field: 'Привет' }, [{}, {}], [], []);
		expect(valuesAt('field')).toEqual(['Привет', 'Привет']);
		expect(n8n.asked).toEqual(['field@0', 'field@1']);
	});
});

describe('a value at a path into the item', () => {
	const json = {
		name: 'Анна',
		имя: 'Анна',
		'Имя клиента': 'Анна С.',
		"it's": 1,
		'say "hi"': 2,
		'a.b': 3,
		'[0]': 4,
		_id: 5,
		a1: 6,
		ключ2: 7,
		'': 8,
		empty: '',
		zero: 0,
		minus: -1.5,
		yes: true,
		no: false,
		emoji: '👨‍👩‍👧 😀',
		deep: { er: { still: 'дно' }, list: [{ x: 1 }, [10, 20]] },
		list: ['а', 'б'],
		long: Array.from({ length: 12 }, (_, index) => index),
	};

	/** Expects the value that n8n would return, and that n8n is not asked. */
	function expectNotAsked(expression: string) {
		const { n8n, valuesAt } = readerOf({ field: expression }, [json]);
		expect(valuesAt('field')).toEqual([n8n.valueOf('field', 0)]);
		expect(n8n.asked).toEqual([]);
	}

	test.each([
		...['$json.name', '$json.имя', '$json["имя"]', '$json["Имя клиента"]', "$json['Имя клиента']"],
		...['$json["it\'s"]', '$json[\'say "hi"\']', '$json["a.b"]', '$json["[0]"]', '$json[""]'],
		...['$json._id', '$json.a1', '$json.ключ2', '$json.empty', '$json.zero', '$json.minus', '$json.yes'],
		...['$json.no', '$json.emoji', '$json.deep.er.still', '$json["deep"].er["still"]'],
		...['$json?.deep?.er?.still', '$json.deep?.["er"].still', '$json?.["deep"]?.er.still'],
		...['$json.list[1]', '$json.list["1"]', '$json.list?.[0]', '$json.list.length', '$json.long[10]'],
		...['$json.deep.list[0].x', '$json.deep.list[1][1]'],
	])('is taken from there without n8n: %s', (path) => {
		expectNotAsked(`={{ ${path} }}`);
		expectNotAsked(`={{${path}}}`);
		expectNotAsked(`={{\n\t${path}\n}}`);
	});

	test.each([
		...['=Здравствуйте, {{ $json.name }}!', '={{ $json.name }} ', '= {{ $json.name }}', '=={{ $json.name }}'],
		...['={{ $json.list[0] }}{{ $json.list[1] }}', '={{ $json.zero }}{{ $json.minus }}'],
		...['={{ $json.yes }}, {{ $json.no }}', '=«{{ $json.empty }}»', '=№ {{ $json.a1 }}\nот {{ $json.имя }}'],
		'={ {{ $json.name }} }',
	])('is put into the text around it without n8n: %j', expectNotAsked);

	test('is read anew for each item', () => {
		const { n8n, reader } = readerOf({ field: '={{ $json.a }}' }, [{ a: 1 }, { a: 2 }, { a: 3 }]);
		expect([2, 0, 1].map((item) => reader.valuesOf(item)('field'))).toEqual([3, 1, 2]);
		expect(n8n.asked).toEqual([]);
	});

	test('is read by n8n if the data of the item is not known', () => {
		const n8n = new FakeN8n({ field: '={{ $json.a }}' }, [{ a: 1 }, { a: 2 }]);
		const { raw, evaluated } = n8n;
		const reader = new Reader({ raw, evaluated }, ['field'], new Set());
		expect([0, 1].map((item) => reader.valuesOf(item)('field'))).toEqual([1, 2]);
		expect(n8n.asked).toEqual(['field@0', 'field@1']);
	});
});

describe('n8n is asked', () => {
	/** Expects that n8n is asked for every item, and that its result is used, whatever it is. */
	function expectAsked(expression: string, json: unknown) {
		const { n8n, reader } = readerOf({ field: expression }, [json, json]);
		for (const item of [0, 1]) {
			const found = outcomeOf(() => reader.valuesOf(item)('field'));
			expect(found).toEqual(outcomeOf(() => n8n.valueOf('field', item)));
		}
		expect(n8n.asked).toEqual(['field@0', 'field@1']);
	}

	test.each<[string, unknown]>([
		['missing', {}],
		['undefined', { a: undefined }],
		['null', { a: null }],
		['an object', { a: { b: 1 } }],
		['a list', { a: [1, 2] }],
		['a date', { a: new Date(0) }],
		['NaN', { a: NaN }],
		['infinity', { a: Infinity }],
		['a big integer', { a: 5n }],
		['a function', { a: () => 5 }],
		['a symbol', { a: Symbol.iterator }],
		['a text with half an emoji', { a: 'Привет \ud83d' }],
		['a text with the other half', { a: '\ude00 привет' }],
		['a text with a zero in it', { a: 'Привет\0мир' }],
		['inherited', Object.create({ a: 5 })],
		['in an item that is none', undefined],
		['in an item that is null', null],
		['in an item that is a text', 'а'],
	])('for a value that is %s', (_, json) => {
		expectAsked('={{ $json.a }}', json);
	});

	test.each<[string, unknown]>([
		['$json.a.b', {}],
		['$json.a.b', { a: null }],
		['$json.a.b', { a: 5 }],
		['$json.a.length', { a: 'текст' }],
		['$json.a[0]', { a: 'текст' }],
		['$json.a[5]', { a: [1] }],
		['$json?.a?.b', { a: undefined }],
	])('for a path that does not lead to an own property: %s', (code, json) => {
		expectAsked(`={{ ${code} }}`, json);
		expectAsked(`=Это {{ ${code} }}.`, json);
	});

	test('for a value behind a getter, which only n8n may call', () => {
		let calls = 0;
		const json = {
			get a() {
				calls++;
				return 5;
			},
		};
		const { n8n, valuesAt } = readerOf({ field: '={{ $json.a }}' }, [json]);
		expect(valuesAt('field')).toEqual([5]);
		expect([n8n.asked, calls]).toEqual([['field@0'], 1]);
	});

	test('for a value on whose path there is a getter', () => {
		const json = Object.defineProperty({}, 'a', { get: () => ({ b: 5 }), enumerable: true });
		expectAsked('={{ $json.a.b }}', json);
	});

	/** An item in which all these names are data. */
	const named = (...names: string[]) => {
		const json = {};
		for (const name of names) Object.defineProperty(json, name, { value: 'данные', enumerable: true });
		return json;
	};

	test.each(['toString', 'valueOf', 'hasOwnProperty', 'isPrototypeOf', 'toLocaleString'])(
		'for a name that every object has: %s',
		(name) => {
			expectAsked(`={{ $json.${name} }}`, named(name));
			expectAsked(`={{ $json["${name}"] }}`, named(name));
			expectAsked(`={{ $json.a.${name} }}`, { a: named(name) });
		},
	);

	test.each([
		...['__proto__', '__a', 'a__b', 'constructor', 'Constructor', 'myconstructors', 'prototype'],
		...['mainModule', 'binding', 'bindings', '_load', 'prepareStackTrace', 'toJSON', 'tojson'],
	])('for a name that n8n refuses or that has a special meaning in n8n: %s', (name) => {
		expectAsked(`={{ $json.${name} }}`, named(name));
		expectAsked(`={{ $json['${name}'] }}`, named(name));
		expectAsked(`={{ $json.${name}.b }}`, { [name]: { b: 1 } });
		expectAsked(`=Это {{ $json.${name} }}`, named(name));
	});

	test.each([
		...[
			'$json',
			'$json.a + 1',
			'$json.a.toFixed(1)',
			'$json.a // число',
			'$json.a;',
			'($json.a)',
			'-$json.a',
		],
		...['$json.a ?? 5', '$json . a', '$json..a', '$json.', '$json[a]', '$json[`a`]', '$json["a" ]'],
		...['$json["a"]["b]', '$json.list[01]', '$json.list[-1]', '$json.list[1e0]', '$json.list[1.0]'],
		...['$json.list[1234567890]', '$json.1', '$json.a$', '$json.$a', '$json.a-b', '$jsons.a', 'json.a'],
		...['this.$json.a', '"Анна"', '5', '[1, 2]', 'new Date(0)', 'throw'],
	])('for code that is no path: %s', (code) => {
		expectAsked(`={{ ${code} }}`, { a: 5, $a: 6, a$: 7, list: ['а', 'б'], b: 1 });
	});

	test.each([
		...['={{ }}', '={{}}', '=Привет {{ \n }}', '={{ $json.a', '={{ $json.a }', '={{ $json.a }} и {{ $json.b'],
		...['={{ {{ $json.a }} }}', '={{ { a: { b: 5 }} }}', '={{ "}}" }}', '={{ $json.a }} }}'],
		...['={{ $json["\\u0061"] }}', '=C:\\{{ $json.a }}', '=\\{{ $json.a }}', '=\ufffd{{ $json.a }}'],
	])('for a template that n8n reads in a special way: %s', (expression) => {
		expectAsked(expression, { a: 5, b: 6 });
	});

	test('for objects that contain expressions', () => {
		const raw = { fields: { field: [{ name: '={{ $json.a }}' }] }, content: ['text', '={{ $json.b }}'] };
		const { n8n, valuesAt } = readerOf(raw, [
			{ a: 'Город', b: 'image' },
			{ a: 'Улица', b: 'file' },
		]);
		expect(valuesAt('fields')).toEqual([{ field: [{ name: 'Город' }] }, { field: [{ name: 'Улица' }] }]);
		expect(valuesAt('content')).toEqual([
			['text', 'image'],
			['text', 'file'],
		]);
		expect(n8n.asked).toEqual(['fields@0', 'fields@1', 'content@0', 'content@1']);
	});
});

describe('a value', () => {
	test('is read when it is first asked for, and not again for the same item', () => {
		const { n8n, reader } = readerOf({ a: '={{ [$json.a] }}', b: '={{ $json.b }}', c: 'да' }, [
			{ a: 1, b: 2 },
		]);
		const values = reader.valuesOf(0);
		expect(n8n.asked).toEqual([]);
		expect(values('a')).toBe(values('a'));
		expect([values('b'), values('b'), values('c'), values('c')]).toEqual([2, 2, 'да', 'да']);
		expect(n8n.asked).toEqual(['a@0', 'c@0']);
	});

	test.each([[new Error("Referenced node doesn't exist")], [undefined], [null], ['lost']])(
		'that cannot be evaluated throws what n8n says, as often as it is asked for: %p',
		(said) => {
			const source: Source = {
				raw: { field: '={{ $("Лист").item.json.a }}', other: 'да' },
				evaluated: (path) => {
					if (path === 'other') return 'да';
					throw said;
				},
				json: () => ({}),
			};
			const values = new Reader(source, ['field', 'other'], new Set()).valuesOf(0);
			for (let time = 0; time < 2; time++) expect(outcomeOf(() => values('field'))).toEqual({ thrown: said });
			expect(values('other')).toBe('да');
		},
	);
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
		const source: Source = { raw: {}, evaluated: () => ({ mode: 'list', value: '' }) };
		expect(new Reader(source, ['tagName'], new Set(['tagName'])).valuesOf(0)('tagName')).toBe('');
	});

	test('is not an object that happens to have a mode or a value', () => {
		const raw = { fields: { mode: 'a', value: 'b' }, tagName: { mode: 'a' } };
		const { reader } = readerOf(raw, [{}], ['tagName']);
		const values = reader.valuesOf(0);
		expect(values('fields')).toEqual({ mode: 'a', value: 'b' });
		expect(values('tagName')).toEqual({ mode: 'a' });
	});
});

describe('several expressions', () => {
	const items = [0, 1, 2].map((x) => ({ x, y: `имя ${x}` }));

	test('with code are evaluated by n8n for each item, one by one', () => {
		const raw = { a: '={{ $json.x + 1 }}', b: '={{ $json.y.toUpperCase() }}', c: 'да' };
		const { n8n, reader } = readerOf(raw, items);
		for (const item of items.keys()) {
			const values = reader.valuesOf(item);
			for (const path of Object.keys(raw)) expect(values(path)).toBe(n8n.valueOf(path, item));
		}
		expect(n8n.asked).toEqual(['a@0', 'b@0', 'c@0', 'a@1', 'b@1', 'a@2', 'b@2']);
	});

	test('are not evaluated if their values are not needed', () => {
		const raw = { a: '={{ $json.x * 100 }}', d: '={{ $json.x }}' };
		const { n8n, valuesAt } = readerOf(raw, items);
		expect(valuesAt('d')).toEqual([0, 1, 2]);
		expect(n8n.asked).toEqual([]);
	});
});

test.each([[{}], [{ options: null }], [{ options: 'текст' }]])(
	'there is no value at a path into %j',
	(values) => {
		expect(valueAt(values, 'options.length')).toBeUndefined();
	},
);
