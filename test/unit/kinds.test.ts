import fc from 'fast-check';

import type { Problem } from '../../nodes/ChatbotService/client/failure';
import { isEmpty } from '../../nodes/ChatbotService/client/values';
import { resources } from '../../nodes/ChatbotService/resources';
import { limit, type Kind } from '../../nodes/ChatbotService/resources/kinds';
import type { Field } from '../../nodes/ChatbotService/resources/operation';
import { evaluate } from './expression';
import { faultsOf } from './sentences';

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
const wires = [
	...['bot_id', 'contact_external_id', 'contact_id', 'deletable', 'field.is_encryptable', 'field.is_hidden'],
	...[
		'field.is_required',
		'field.name',
		'field.slug',
		'field.type',
		'fields',
		'file',
		'id',
		'image',
		'is_menu',
	],
	...['messenger', 'name', 'phone', 'schema_id', 'slug', 'text', 'value'],
];

const read = (wire: string, value: unknown) => kinds.get(wire)!(value, 'Поле');

function problemsOf(wire: string, value: unknown): Problem[] {
	const checked = read(wire, value);
	if ('value' in checked) throw new Error(`${wire} took ${JSON.stringify(checked.value)}`);
	return checked.problems;
}

const loop: { self?: unknown } = {};
loop.self = loop;

describe('the kind of a field', () => {
	test('is known for all parameters of the API', () => {
		expect([...kinds.keys()].sort()).toEqual(wires);
	});

	test('belongs to the values that are sent, and to other values that a request depends on', () => {
		const labels = (fields: Field[]) => fields.map(({ displayName }) => displayName);
		expect(labels(allFields.filter((field) => wireNameOf(field) && !field.kind))).toEqual([]);
		const others = allFields.filter((field) => field.kind && !wireNameOf(field));
		expect([...new Set(labels(others))].sort()).toEqual([
			"Contact's Messenger",
			'Limit',
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

describe('a whole number', () => {
	test.each([
		['bot_id', 'Enter the numeric ID, for example 2048, not the name of the bot.'],
		['contact_id', 'Enter the numeric ID, for example 1048576, not a name or phone number.'],
		['id', 'Enter the numeric ID, for example 301, not the name of the variable.'],
	])('%s must be one, and the error for another value says what was received', (wire, advice) => {
		expect(read(wire, '1048576')).toEqual({ value: 1048576 });
		expect(problemsOf(wire, 'вася')).toEqual([
			{ message: "'Поле' must be a whole number", advice: `${advice} Received: "вася".` },
		]);
	});

	test.each([1, Number.MAX_SAFE_INTEGER])('%p is accepted, as a number and as its digits', (number) => {
		expect(read('contact_id', number)).toEqual({ value: number });
		expect(read('contact_id', ` ${number}\n`)).toEqual({ value: number });
	});

	const notOne = [
		...[0, '0', -5, '-5', '+5', 1.5, '1.5', '1,5', '1 048 576', '1e3', '0x10', '١٢', 1e21, NaN, Infinity],
		...[Number.MAX_SAFE_INTEGER + 1, '9007199254740993', true, 'вася', [5], { id: 5 }, () => 5, Symbol('5')],
	];

	test.each(notOne.map((value) => [value]))('%p is refused', (value) => {
		expect(problemsOf('contact_id', value)).toEqual([
			{ message: "'Поле' must be a whole number", advice: expect.stringMatching(/\.$/) },
		]);
	});

	test('is not created from a big integer, and the error quotes all its digits', () => {
		expect(problemsOf('contact_id', 2n ** 70n)[0]!.advice).toContain('1180591620717411303424');
	});

	test('is read from any positive integer and from its digits, with surrounding spaces (generated)', () => {
		fc.assert(
			fc.property(fc.maxSafeNat(), fc.constantFrom('', ' ', '\t', '\n'), (number, blank) => {
				fc.pre(number > 0);
				expect(read('id', number)).toEqual({ value: number });
				expect(read('id', `${blank}${number}${blank}`)).toEqual({ value: number });
			}),
		);
	});
});

test('a limit must be a whole number, with its own error text', () => {
	expect(limit('7', 'Limit')).toEqual({ value: 7 });
	const checked = limit(0, 'Limit') as { problems: Problem[] };
	expect(checked.problems[0]!.message).toBe("'Limit' must be a whole number");
	expect(checked.problems[0]!.advice).toBe(`Enter 1 or more, or switch 'Return All' on. Received: "0".`);
});

describe('a text', () => {
	const moment = '2026-11-05T09:30:00.000Z';

	test.each<[string, unknown, string]>([
		['Russian words', 'Привет, Анна!', 'Привет, Анна!'],
		['blanks and line breaks inside and around', ' Привет\n\nАнна ', ' Привет\n\nАнна '],
		['an emoji', '👨‍👩‍👧', '👨‍👩‍👧'],
		['a number', 42, '42'],
		['zero', 0, '0'],
		['a fraction', -1.5, '-1.5'],
		['true', true, 'true'],
		['false', false, 'false'],
		['a big integer', 2n ** 70n, '1180591620717411303424'],
		['a date of JavaScript', new Date(moment), moment],
		[
			'a date as {{ $now }} yields it',
			evaluate(`={{ DateTime.fromISO('${moment}', { zone: 'utc' }) }}`),
			moment,
		],
	])('accepts %s', (_, value, written) => {
		expect(read('text', value)).toEqual({ value: written });
		expect(read('value', value)).toEqual({ value: written });
	});

	test.each<[string, unknown]>([
		['an object', { text: 'Привет' }],
		['an empty object', {}],
		['an array', ['Привет']],
		['NaN', NaN],
		['infinity', -Infinity],
		['an invalid date', new Date('вчера')],
		['an invalid date of Luxon', evaluate("={{ DateTime.fromISO('вчера') }}")],
		['a function', () => 'Привет'],
		['a symbol', Symbol('Привет')],
		['an object that holds itself', loop],
		['an object whose toJSON is data', { toJSON: 'Привет' }],
		['an object with a big integer in it', { id: 5n }],
	])('refuses %s', (_, value) => {
		expect(problemsOf('text', value)).toEqual([
			{ message: "'Поле' must be text", advice: expect.stringMatching(/\.$/) },
		]);
	});

	test('that is NaN is quoted as NaN, not as null', () => {
		expect(problemsOf('text', NaN)[0]!.advice).toContain('NaN');
	});

	test('that ends in half an emoji is sent with a replacement, because no URL can contain half an emoji', () => {
		for (const wire of ['text', 'value', 'name', 'contact_external_id', 'slug', 'field.name']) {
			const { value } = read(wire, 'Привет 😀'.slice(0, -1)) as { value: string };
			expect(value).toBe('Привет \ufffd');
			expect(() => encodeURIComponent(value)).not.toThrow();
		}
	});

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

describe('an object within a text', () => {
	/** Fields that hold a text, including short texts without surrounding spaces. */
	const texts = [
		...['contact_external_id', 'field.name', 'field.slug', 'name', 'phone'],
		...['schema_id', 'slug', 'text', 'value'],
	];
	const anna = { имя: 'Анна' };

	test.each(texts)('is refused in %s, because nobody wants to send its JavaScript string', (wire) => {
		for (const value of [`Здравствуйте, ${String(anna)}!`, String(anna), ` ${String(anna)} `]) {
			expect(problemsOf(wire, value)).toEqual([
				{
					message: "'Поле' contains an object instead of text",
					advice: `An expression in 'Поле' returns an object. Choose one field of the object, as in {{ $json.address.city }}. Received: "${value.trim()}".`,
				},
			]);
		}
	});

	test('is refused in the name of a field of a list', () => {
		const definition = { name: `Город ${String(anna)}`, slug: 'city', type: 'string' };
		expect(problemsOf('fields', [definition])).toEqual([
			{ message: "'Поле, field 1: name' contains an object instead of text", advice: expect.any(String) },
		]);
	});

	test.each<[string, string]>([
		['the JSON of objects', JSON.stringify([anna, { список: [anna] }])],
		['a list in brackets', '[объект Заказ]'],
		['the word alone', 'object Object'],
		['what stands for another class', '[object Array]'],
	])('is not confused with other texts: %s', (_, value) => {
		expect(read('text', value)).toEqual({ value });
		expect(read('value', value)).toEqual({ value });
	});

	test('is the result of an object expression between other words', () => {
		expect(problemsOf('text', evaluate('=Привет, {{ ({ a: 1 }) }}!'))).toHaveLength(1);
		expect(read('text', evaluate('=Привет, {{ JSON.stringify({ a: 1 }) }}!'))).toEqual({
			value: 'Привет, {"a":1}!',
		});
	});
});

describe('a messenger', () => {
	test.each(['whatsapp', 'telegram', 'viber', 'vk', 'max'])(
		'%s is accepted, in any case and with surrounding spaces',
		(value) => {
			expect(read('messenger', value)).toEqual({ value });
			expect(read('messenger', ` ${value.toUpperCase()} `)).toEqual({ value });
		},
	);

	test.each<[unknown]>([['icq'], ['одноклассники'], [5], [['telegram']], [{ value: 'telegram' }], [true]])(
		'%p is refused, and the error names all messengers',
		(value) => {
			const [problem] = problemsOf('messenger', value);
			for (const known of ['whatsapp', 'telegram', 'viber', 'vk', 'max'])
				expect(problem!.message).toContain(known);
		},
	);
});

describe('an address', () => {
	const cat = '%D0%BA%D0%BE%D1%82';

	const site = 'https://example.com';
	const resizer = 'https://img.example.com';

	test.each<[string, string, sent?: string]>([
		['one of signs that addresses have', 'http://example.com'],
		['one with a query and a fragment', `${site}/a.png?size=1&v=2#top`],
		[
			'one in capital letters, with blanks around it',
			' HTTPS://EXAMPLE.COM/A.PNG\n',
			'HTTPS://EXAMPLE.COM/A.PNG',
		],
		['one with another address in its query', `${site}/resize?url=https://example.org/a.png`],
		['one with signs that are seldom encoded', `${site}/{a}|b^c.png`],
		['one that is encoded already', `${site}/${cat}%20a%2Fb.png`],
		['an encoded percent sign', `${site}/50%25.png`],
		['blanks in the path', `${site}/my  cat.png`, `${site}/my%20%20cat.png`],
		['a blank in the query', `${site}/a?name=my cat`, `${site}/a?name=my%20cat`],
		['a blank that does not break', `${site}/a\u00a0b.png`, `${site}/a%C2%A0b.png`],
		['Cyrillic letters in the path', `${site}/кот.png`, `${site}/${cat}.png`],
		['Cyrillic letters in the query', `${site}/?q=кот&v=2`, `${site}/?q=${cat}&v=2`],
		['Cyrillic letters in the fragment', `${site}/#кот`, `${site}/#${cat}`],
		['a Cyrillic domain', 'https://пример.рф/price.pdf', 'https://xn--e1afmkfd.xn--p1ai/price.pdf'],
		['blanks and what is encoded already', `${site}/${cat} a%20b.png`, `${site}/${cat}%20a%20b.png`],
		['Cyrillic letters and what is encoded already', `${site}/кот${cat}.png`, `${site}/${cat}${cat}.png`],
		['a lone percent sign', `${site}/50%.png`, `${site}/50%25.png`],
		['a percent sign at the end', `${site}/50%`, `${site}/50%25`],
		['a percent sign before one digit', `${site}/50%5`, `${site}/50%255`],
		['a percent sign before Cyrillic letters', `${site}/50%кот`, `${site}/50%25${cat}`],
		['an emoji', `${site}/😀.png`, `${site}/%F0%9F%98%80.png`],
		['half of an emoji', `${site}/\ud83d.png`, `${site}/%EF%BF%BD.png`],
		['a comma and a blank', `${site}/a, b.png`, `${site}/a,%20b.png`],
		['one that holds another behind a comma, as resizers want it', `${resizer}/w=100,${site}/a.png`],
		[
			'one that holds another behind a semicolon',
			`${resizer}/w=100;http://example.com/кот.png`,
			`${resizer}/w=100;http://example.com/${cat}.png`,
		],
		[
			'one that holds another behind a slash',
			`https://web.example.com/2026/${site}/my cat.png`,
			`https://web.example.com/2026/${site}/my%20cat.png`,
		],
		['two slashes in the path', `${site}//a b.png`, `${site}//a%20b.png`],
		['line breaks around it', `\r\n${site}/a.png\t\n`, `${site}/a.png`],
	])('accepts %s', (_, value, sent = value) => {
		expect(read('image', value)).toEqual({ value: sent });
		expect(read('file', value)).toEqual({ value: sent });
		// An accepted address is accepted again unchanged: nothing is encoded twice.
		expect(read('image', sent)).toEqual({ value: sent });
	});

	const notOne = {
		message: "'Поле' must be a complete URL",
		advice:
			"Enter a URL for 'Поле' that starts with https:// or http:// and that anyone can open, such as https://example.com/image.png.",
	};
	const several = {
		message: "'Поле' must be one URL, without line breaks or tabs",
		advice: "Enter only one URL for 'Поле'.",
	};
	const a = 'https://example.com/a.png';
	const b = 'http://example.com/b.png';

	test.each<[string, unknown, typeof notOne]>([
		['one without a scheme', 'example.com/a.png', notOne],
		['a path', '/a.png', notOne],
		['one of FTP', 'ftp://example.com/a.png', notOne],
		['one of FTP with Cyrillic letters', 'ftp://example.com/кот.png', notOne],
		['a file of the server', 'file:///etc/passwd', notOne],
		['the data itself', 'data:image/png;base64,AAAA', notOne],
		['a script', 'javascript:alert(1)', notOne],
		['one with too few slashes', 'https:/example.com/a.png', notOne],
		['one of another scheme before it', 'view-source:https://example.com/a.png', notOne],
		['a scheme alone', 'https://', notOne],
		['one without a domain', 'https:///', notOne],
		['a blank for a domain', 'https:// /a.png', notOne],
		['a port alone', 'https://:443/кот.png', notOne],
		['a blank within the domain', 'https://exa mple.com', notOne],
		['a percent sign within the domain', 'https://exa%mple.com/a.png', notOne],
		['a domain that is none', 'https://[нет]/', notOne],
		['a line break within', 'https://example.com/a\nb.png', several],
		['a line break of Windows within', 'https://example.com/кот\r\n.png', several],
		['a tab within', 'https://example.com/a\tb.png', several],
		['a line break behind the scheme', 'https://\nexample.com/a.png', several],
		['words in two lines', 'кот\nпёс', several],
		['a number', 5, notOne],
		['true', true, notOne],
		['a list', [a], notOne],
		['an object', { url: a }, notOne],
		['two in two lines', `${a}\n${b}`, several],
		['two with a blank between', `${a} ${b}`, several],
		['two with a blank between, the second in capital letters', `${a} ${b.toUpperCase()}`, several],
		['two with a comma and a blank between', `${a}, ${b}`, several],
		['two with a semicolon and a blank between', `${a}; ${b}`, several],
		['two with a blank that does not break between', `${a}\u00a0${b}`, several],
		['two, the second without a scheme', `${a} //example.com/b.png`, several],
		['two with a tab between, the second in capital letters', `${a}\t${b.toUpperCase()}`, several],
		['one behind another word', `Фото: ${a}`, several],
	])('refuses %s', (_, value, { message, advice }) => {
		const quoted = typeof value === 'object' ? JSON.stringify(value) : String(value).replace(/\s+/g, ' ');
		const problem = { message, advice: `${advice} Received: "${quoted}".` };
		expect(problemsOf('image', value)).toEqual([problem]);
		expect(problemsOf('file', value)).toEqual([problem]);
	});

	test('that is accepted can be read by every program, and is changed only where necessary (generated)', () => {
		const sign = fc.oneof(
			fc.string({ unit: 'binary', minLength: 1, maxLength: 3 }),
			fc.constantFrom(...' %/?#"\\@:\n\t\ud83d', '%20', '%D0', 'кот', '😀', '..'),
		);
		const written = fc
			.tuple(
				fc.constantFrom('https://', 'http://', 'HTTPS://', ' https://', 'ftp://', ''),
				fc.constantFrom('example.com', 'пример.рф', 'EXAMPLE.com:8080', 'кот@example.com', ''),
				fc.array(sign, { maxLength: 8 }).map((signs) => signs.join('')),
			)
			.map(([scheme, domain, rest]) => `${scheme}${domain}${rest}`);
		let taken = 0;
		fc.assert(
			fc.property(
				fc.oneof(written, fc.webUrl({ withFragments: true, withQueryParameters: true })),
				(value) => {
					fc.pre(!isEmpty(value));
					const checked = read('image', value);
					if ('problems' in checked) return;
					taken++;
					const url = checked.value as string;
					expect(URL.canParse(url)).toBe(true);
					expect(url).toMatch(/^https?:\/\/[!-~]+$/i);
					expect(url).not.toMatch(/%(?![0-9a-f]{2})/i);
					expect(read('image', url)).toEqual({ value: url });
					const trimmed = value.trim();
					if (/^[!-~]+$/.test(trimmed) && !/%(?![0-9a-f]{2})/i.test(trimmed)) expect(url).toBe(trimmed);
					// A program that reads both like a browser has the same result.
					const whole = trimmed.replace(/%(?![0-9a-f]{2})/gi, '%25');
					expect(new URL(url).href).toBe(new URL(whole).href);
				},
			),
			{ numRuns: 1000 },
		);
		expect(taken).toBeGreaterThan(300);
	});
});

describe('a phone number', () => {
	test.each<[unknown, string]>([
		['+79161234567', '+79161234567'],
		['79161234567', '+79161234567'],
		[79161234567, '+79161234567'],
		[' +7 (916) 123-45-67 ', '+79161234567'],
		['+7.916.123.45.67', '+79161234567'],
		['916 123-45-67', '916 123-45-67'],
		['1234567', '1234567'],
		['+123456789012345', '+123456789012345'],
	])('%p is accepted', (value, phone) => {
		expect(read('phone', value)).toEqual({ value: phone });
	});

	test.each([
		...['123456', '1234567890123456', '8-800-ЦВЕТЫ', '+7 916 123-45-67 доб. 5', '++79161234567'],
		...['7916+1234567', '+7 916 123-45-67, +7 916 765-43-21', '()-.', true],
	])('%p is refused', (value) => {
		expect(problemsOf('phone', value)[0]!.message).toBe("'Поле' must be a phone number");
	});

	test.each([[['+79161234567']], [{ phone: '+79161234567' }]])('%j is refused: it is not a text', (value) => {
		expect(problemsOf('phone', value)[0]!.message).toBe("'Поле' must be text");
	});
});

describe('true or false', () => {
	const yes = [true, 1, '1', 'true', 'TRUE', ' True ', 'yes', 'Y', 'on', 'Да', 'ИСТИНА'];
	const no = [false, 0, '0', 'false', 'FALSE', ' False ', 'no', 'N', 'off', 'Нет', 'ЛОЖЬ'];
	const logical = ['is_menu', 'field.is_required', 'field.is_hidden', 'field.is_encryptable'];

	test.each(logical)('%s is sent as true or false', (wire) => {
		for (const value of yes) expect(read(wire, value)).toEqual({ value: true });
		for (const value of no) expect(read(wire, value)).toEqual({ value: false });
	});

	test('deletable is sent as 1 or 0', () => {
		for (const value of yes) expect(read('deletable', value)).toEqual({ value: 1 });
		for (const value of no) expect(read('deletable', value)).toEqual({ value: 0 });
	});

	test.each<[unknown]>([[2], [-1], ['может быть'], ['да нет'], ['+'], [[]], [[true]], [{}], [NaN]])(
		'%p is refused',
		(value) => {
			for (const wire of ['deletable', ...logical]) {
				expect(problemsOf(wire, value)[0]!.message).toBe("'Поле' must be true or false");
			}
		},
	);
});

describe('the type of a field', () => {
	test.each<[unknown, string]>([
		['string', 'string'],
		['number', 'number'],
		['boolean', 'boolean'],
		['contact', 'contact'],
		['bot', 'bot'],
		[' Number ', 'number'],
		['bool', 'boolean'],
	])('%p is accepted', (value, type) => {
		expect(read('field.type', value)).toEqual({ value: type });
	});

	test.each<[unknown]>([['text'], ['date'], ['строка'], [1], [['string']], [{}]])(
		'%p is refused',
		(value) => {
			expect(problemsOf('field.type', value)[0]!.message).toMatch(/^'Поле' must be one of /);
		},
	);
});

describe('the definitions of fields', () => {
	const city = { name: 'Город', slug: 'city', type: 'string' };
	const paid = { name: 'Оплачено', slug: 'paid', type: 'boolean', is_required: true };
	const keyed = { city, paid };
	const withoutSlug = ({ slug: _slug, ...rest }: typeof city) => rest;
	/** As in answers of getListSchema: every attribute but the slug, and the logical type with the name `bool`. */
	const answered = {
		city: { name: 'Город', type: 'string', is_required: false, is_hidden: false, is_encryptable: false },
		paid: { name: 'Оплачено', type: 'bool', is_required: true, is_hidden: false, is_encryptable: true },
	};
	const copied = {
		city: { ...answered.city, slug: 'city' },
		paid: { ...answered.paid, slug: 'paid', type: 'boolean' },
	};

	/** Fields whose names equal other forms of definitions. */
	const namedAsForms = Object.fromEntries(
		['field', 'fields', 'name'].map((slug) => [slug, { ...city, slug }]),
	);

	test.each<[string, unknown, unknown]>([
		['an object keyed by slug', keyed, keyed],
		['one whose entries leave out the slug', { city: withoutSlug(city), paid: withoutSlug(paid) }, keyed],
		['an array', [city, paid], keyed],
		['the rows of the editor', { field: [city, paid] }, keyed],
		['no rows at all', {}, {}],
		['an empty array', [], {}],
		["the 'fields' of an answer", answered, copied],
		[
			'a whole schema',
			{ id: '5dee', name: 'Заказы', is_menu: true, fields: answered, created_at: '' },
			copied,
		],
		['a schema without fields, as PHP writes it', { id: '5dee', name: 'Заказы', fields: [] }, {}],
		[
			'a schema whose slugs are numbers, as PHP writes it',
			{ id: '5dee', name: 'Заказы', fields: [withoutSlug(city), withoutSlug(paid)] },
			{ 0: { ...city, slug: '0' }, 1: { ...paid, slug: '1' } },
		],
		['a schema with an array of definitions', { name: 'Заказы', fields: [city, paid] }, keyed],
		['an array as JSON with a mark of the byte order', `\ufeff${JSON.stringify([city, paid])}`, keyed],
		['a keyed object as JSON', JSON.stringify(keyed), keyed],
		['an array as indented JSON', JSON.stringify([city, paid], null, '\t'), keyed],
		['a whole schema as JSON', JSON.stringify({ name: 'Заказы', fields: answered }), copied],
		['fields called field, fields and name', namedAsForms, namedAsForms],
		[
			'attributes with blanks and other types',
			[{ name: ' Город ', slug: ' city ', type: ' String ', is_hidden: '0' }],
			{ city: { ...city, is_hidden: false } },
		],
		['a number as slug', [{ ...city, slug: 2026 }], { 2026: { ...city, slug: '2026' } }],
		[
			'a number as slug, the same as the key',
			{ 2026: { ...city, slug: 2026 } },
			{ 2026: { ...city, slug: '2026' } },
		],
		['empty attributes that are not needed', [{ ...city, is_hidden: null, is_required: '' }], { city }],
	])('are accepted as %s', (_, value, expected) => {
		expect(read('fields', value)).toEqual({ value: expected });
	});

	test('keep their order, which determines the columns in the service', () => {
		const slugs = ['я', 'b', 'а', 'a'];
		const value = slugs.map((slug) => ({ ...city, slug }));
		expect(Object.keys((read('fields', value) as { value: object }).value)).toEqual(slugs);
	});

	test('keep the slug __proto__', () => {
		const checked = read('fields', [{ ...city, slug: '__proto__' }]) as { value: object };
		expect(Object.entries(checked.value)).toEqual([['__proto__', { ...city, slug: '__proto__' }]]);
	});

	const noJson = "'Поле' must be valid JSON";
	const noList = "'Поле' must be a list of field definitions";
	const inField = (index: number, words: string) => `'Поле, field ${index}${words}`;

	test.each<[string, unknown, string[]]>([
		['text that is no JSON', '[{ name: "Город" }]', [noJson]],
		['JSON that is a number', '5', [noList]],
		['JSON that is null', 'null', [noList]],
		['a number', 5, [noList]],
		['true', true, [noList]],
		['an array of texts', ['city'], [inField(1, "' must be a field definition")]],
		['a null among definitions', [city, null], [inField(2, "' must be a field definition")]],
		['a list in a list', [[city]], [inField(1, "' must be a field definition")]],
		[
			'a definition of nothing',
			[{}],
			['name', 'slug', 'type'].map((each) => inField(1, `: ${each}' is empty`)),
		],
		['a row without a slug', { field: [city, { ...paid, slug: ' ' }] }, [inField(2, ": slug' is empty")]],
		['a slug twice', [city, { ...paid, slug: 'city ' }], [inField(2, "' repeats a slug")]],
		['a slug unlike its key', { town: city }, [inField(1, "' has a slug that differs from its key")]],
		[
			'an unknown type',
			[{ ...city, type: 'date' }],
			[inField(1, ": type' must be one of bot, contact, boolean, number, string")],
		],
		...['color', 'constructor'].map((attribute): [string, unknown, string[]] => [
			`an attribute that is unknown: ${attribute}`,
			[{ ...city, [attribute]: 'x' }],
			[inField(1, "' has an attribute that the service does not know")],
		]),
		['a name that is an object', [{ ...city, name: { ru: 'Город' } }], [inField(1, ": name' must be text")]],
		[
			'a switch that is a word',
			[{ ...city, is_hidden: 'скорее нет' }],
			[inField(1, ": is_hidden' must be true or false")],
		],
		[
			'two faults in two fields',
			[
				{ ...city, name: '' },
				{ ...paid, is_required: 7 },
			],
			[inField(1, ": name' is empty"), inField(2, ": is_required' must be true or false")],
		],
	])('are refused as %s', (_, value, messages) => {
		expect(problemsOf('fields', value).map(({ message }) => message)).toEqual(messages);
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

describe('every kind', () => {
	const bad: Array<[string, unknown]> = [
		['contact_id', 'вася'],
		['text', {}],
		['schema_id', []],
		['messenger', 'icq'],
		['image', 'кот.png'],
		['phone', 'дом'],
		['is_menu', 'скорее нет'],
		['deletable', 'скорее нет'],
		['field.type', 'date'],
		['fields', '{'],
		['fields', 5],
		['fields', [5]],
		['fields', [{}]],
		['fields', { a: { name: 'А', slug: 'b', type: 'string' } }],
		['fields', [{ name: 'А', slug: 'a', type: 'string', color: 1 }]],
		['fields', [1, 2].map(() => ({ name: 'А', slug: 'a', type: 'string' }))],
	];

	test.each(bad)(
		'%s refuses %p with a text that n8n does not replace and its guidelines allow',
		(wire, value) => {
			for (const { message, advice } of problemsOf(wire, value)) {
				expect(faultsOf({ message, description: advice })).toEqual([]);
			}
		},
	);

	test('quotes the value in the advice and not in the message, which n8n might replace (generated)', () => {
		const found = fc.constantFrom<unknown>(
			'ENOENT',
			['EPERM'],
			{ EACCES: 'EACCES' },
			'econnreset ',
			'{ENOTDIR',
		);
		fc.assert(
			fc.property(fc.constantFrom(...wires), found, (wire, value) => {
				const checked = read(wire, value);
				if ('value' in checked) return;
				for (const { message } of checked.problems) {
					expect(message).not.toMatch(/ENO|EPERM|EACCES|ECONN/i);
				}
			}),
		);
	});

	test('accepts or refuses every possible value of an expression, and never throws (generated)', () => {
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
});

describe('isEmpty', () => {
	test.each<[unknown]>([[undefined], [null], [''], ['  '], ['\n\t'], ['\u00a0']])('%p is empty', (value) => {
		expect(isEmpty(value)).toBe(true);
	});

	test.each<[unknown]>([[0], [false], [NaN], [[]], [{}], ['0'], [' а ']])('%p is not empty', (value) => {
		expect(isEmpty(value)).toBe(false);
	});
});
