import fc from 'fast-check';

import { namedBy, namesTarget } from '../../nodes/ChatbotService/run/values/recipient';
import type { Field } from '../../nodes/ChatbotService/resources/operation';
import { Check } from '../../nodes/ChatbotService/run/values/check';
import { given, samples } from './samples';

/* Which values are one recipient: for the order of requests, and under one value of 'Send Once Per'. */

interface Named {
	title: string;
	values: Record<string, unknown>;
}

/** What tells an item's recipient apart from others: in the order of requests, and for 'Send Once Per'. */
function recipientOf({ title, values }: Named): { target: unknown; dedupKey: unknown } {
	const sample = samples.find((each) => each.title === title)!;
	const check = new Check(sample.operation, { options: { sendOncePer: 'осень' } });
	const checked = check.of(given(sample, { ...values, 'options.sendOncePer': 'осень' }));
	if ('problems' in checked) throw new Error(JSON.stringify(checked.problems));
	const { target, dedupKey } = checked;
	expect([target, dedupKey]).toEqual([expect.any(String), expect.any(String)]);
	return { target, dedupKey };
}

const title = 'message/send to an external ID';
const messengers = ['telegram', 'viber', 'whatsapp', 'vk', 'max'];

/** Every place where a phone number names somebody. */
const places: Array<[string, (phone: unknown) => Named]> = [
	...messengers.map((messenger): [string, (phone: unknown) => Named] => [
		`a person in ${messenger}`,
		(externalId) => ({ title, values: { messenger, externalId } }),
	]),
	['a WhatsApp number', (phone) => ({ title: 'message/sendToWhatsApp', values: { phone } })],
];

function expectApart(one: Named, other: Named) {
	const [first, second] = [recipientOf(one), recipientOf(other)];
	expect(first.target).not.toBe(second.target);
	expect(first.dedupKey).not.toBe(second.dedupKey);
}

describe.each(places)('%s', (_name, at) => {
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
		expect(recipientOf(at(one))).toEqual(recipientOf(at(other)));
	});

	test.each<[string, unknown, unknown]>([
		['a plus says that 8 begins the code of a country', '+89161234567', '+79161234567'],
		['the same number with a plus is of another country', '+8 916 123-45-67', '8 916 123-45-67'],
		['ten digits have no country code', '9161234567', '+79161234567'],
		['ten digits that begin with 8 have none either', '8161234567', '7161234567'],
		['twelve digits are too many', '891612345678', '791612345678'],
		['the last eleven of twelve digits are no number', '385812345678', '785812345678'],
		['another country has another code', '+380441234567', '80441234567'],
		['another country has the same digits behind its code', '+49161234567', '89161234567'],
		['7 is not the trunk prefix where another number follows', '88161234567', '+78161234568'],
		['7 is not taken for 8 in the middle', '79168234567', '79167234567'],
	])('is another one where %s: %p and %p', (_why, one, other) => {
		expectApart(at(one), at(other));
	});
});

test.each<[string, string]>([
	...['+8 доб. 5', '8916123456x', 'u89161234567', '89161234567_'].map((id): [string, string] => [
		id,
		id.replace('8', '7'),
	]),
	['ivan_petrov', 'ivanpetrov'],
	['ivan.petrov', 'ivanpetrov'],
	['-100123', '100123'],
	['анна (1)', 'анна1'],
	['Ivan', 'ivan'],
	['+5a', '5a'],
	['u7Qm1dXk==', 'u7Qm1dXk='],
	['12345', '123456'],
])('an ID in a messenger that is no phone number is left as it is: %s is not %s', (id, other) => {
	const at = (externalId: string) => ({ title, values: { messenger: 'telegram', externalId } });
	expectApart(at(id), at(other));
});

test('IDs of contacts are never phone numbers', () => {
	const contact = (contactId: unknown) => ({ title: 'message/send to a contact', values: { contactId } });
	for (const [one, other] of [
		[81234567890, 71234567890],
		['81234567890', '71234567890'],
	])
		expectApart(contact(one), contact(other));
	expect(recipientOf(contact(81234567890))).toEqual(recipientOf(contact(' 81234567890 ')));
});

describe('the values of fields', () => {
	const field = (names: Field['names']): Field =>
		({ displayName: 'Поле', name: 'поле', type: 'string', default: '', names }) as Field;
	const person = [{ field: field('person'), name: 'phone' }];

	test.each<[Field['names'], boolean]>([
		['target', true],
		['person', true],
		['partOfTarget', true],
		['existing', false],
		['new', false],
		[undefined, false],
	])('name a target or a part of it where the field says so: %s', (names, namesOne) => {
		expect(namesTarget(field(names))).toBe(namesOne);
	});

	test('become one text, which stays the same in all versions, because it identifies recipients in the store', () => {
		const fields = [
			{ field: field('person'), name: 'external_id' },
			{ field: field('partOfTarget'), name: 'messenger' },
		];
		const values = new Map([
			['external_id', '8 916 123-45-67'],
			['messenger', 'viber'],
		]);
		expect(namedBy(fields, values)).toBe('external_id 79161234567 messenger viber');
	});

	test('name nobody where there is none', () => {
		expect(namedBy(person, new Map())).toBeUndefined();
		expect(namedBy([], new Map([['phone', '89161234567']]))).toBeUndefined();
	});

	test('are taken for phone numbers only where they name a person', () => {
		const named = (names: Field['names'], value: string) =>
			namedBy([{ field: field(names), name: 'id' }], new Map([['id', value]]));
		expect(named('person', '8 916 123-45-67')).toBe('id 79161234567');
		for (const names of ['target', 'partOfTarget'] as const)
			expect(named(names, '8 916 123-45-67')).toBe('id 8 916 123-45-67');
	});

	test('name one person by any spelling of a number, and two by two numbers (generated)', () => {
		const number = fc.stringMatching(/^\d{10}$/);
		const prefix = fc.constantFrom('8', '+7', '7', '8 ', '+7 (');
		const gap = fc.constantFrom('', ' ', '-', ') ', '.');
		const spelled = (digits: string, [start, ...gaps]: string[]) =>
			`${start}${digits.slice(0, 3)}${gaps[0]}${digits.slice(3, 6)}${gaps[1]}${digits.slice(6)}`;
		const spelling = fc.tuple(prefix, gap, gap);
		const named = (value: string) => namedBy(person, new Map([['phone', value]]));
		fc.assert(
			fc.property(number, number, spelling, spelling, (one, other, first, second) => {
				expect(named(spelled(one, first))).toBe(named(spelled(one, second)));
				expect(named(spelled(one, first)) === named(spelled(other, second))).toBe(one === other);
			}),
		);
	});
});
