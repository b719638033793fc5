import fc from 'fast-check';

import { namedBy } from '../../nodes/ChatbotService/run/values/recipient';
import type { Field } from '../../nodes/ChatbotService/resources/operation';

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
		['80000000000', '+70000000000'],
	])('is the same under %p and %p', (one, other) => {
		expect(named(one)).toBe(named(other));
	});

	test.each<[string, unknown, unknown]>([
		['a plus says that 8 begins the code of a country', '+89161234567', '+79161234567'],
		['the same number with a plus is of another country', '+8 916 123-45-67', '8 916 123-45-67'],
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
		const number = fc.stringMatching(/^\d{10}$/);
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

describe('the values of fields', () => {
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
