import fc from 'fast-check';

import { isEmpty } from '../../nodes/ChatbotService/shared/values';
import * as kinds from '../../nodes/ChatbotService/resources/kinds';
import { phoneNumberIn } from '../../nodes/ChatbotService/resources/phone';
import { codePoint } from './codePoints';
import { problemOf } from '../engine/messages';
import { evaluate } from './expression';
import { inMoscow } from './samples';

/* Spellings of one value: generated ones, and those that no table in test/pasted/values.ts has. */

const inN8n = (code: string) => evaluate(`={{ ${code} }}`);

test.each<[string, unknown, string]>([
	['without an hour, in the zone of the workflow', ' 2026-06-02 ', '2026-06-01T21:00:00Z'],
	['with a zone and milliseconds', '2026-06-02T15:30:00.999+05:00', '2026-06-02T10:30:00Z'],
	['of JavaScript', new Date('2026-06-02T15:30:00Z'), '2026-06-02T15:30:00Z'],
	['of an expression', inN8n("DateTime.fromISO('2026-06-02T15:30:00Z')"), '2026-06-02T15:30:00Z'],
])('a date and time %s is sent in whole seconds', (_, value, expected) => {
	expect(kinds.unixTime(value, 'Поле', inMoscow)).toEqual({ value: Date.parse(expected) / 1000 });
});

test.each([
	...[1775001600, '1775001600000', '2026', 45000, true, {}, '02.06.2026', '2026-13-01'],
	...[new Date('x'), inN8n("DateTime.fromISO('x')")],
])('%p is no date and time, because it may mean another one', (value) => {
	expect(kinds.unixTime(value, 'Поле', inMoscow)).toHaveProperty('problems');
});

const some = kinds.someOf([
	{ name: 'Tags', value: 'tags', aliases: ['теги'] },
	{ name: 'Variables', value: 'variables' },
]);

test.each<[unknown, Array<keyof typeof kinds>, unknown]>([
	[' VIP , Новый лид,\nОплатил,', ['names'], ['VIP', 'Новый лид', 'Оплатил']],
	[['VIP', 'Скидка 1,5 %', 5, ' '], ['names'], ['VIP', 'Скидка 1,5 %', '5']],
	[[null, ''], ['names'], undefined],
	[' 79161234567\n', ['trimmedText', 'trimmedName', 'identifier'], '79161234567'],
	['284119035.0', ['identifier'], '284119035'],
	["'17450283", ['identifier'], '17450283'],
])('%j is for %j: %j', (value, names, expected) => {
	for (const name of names) expect(kinds[name as 'names'](value, 'Поле')).toEqual({ value: expected });
});

test.each([{ name: 'VIP' }, [{ name: 'VIP' }], [['VIP', 'Лид']], '{{ $json.tags }}', '[object Object]'])(
	'%j are no names',
	(value) => expect(kinds.names(value, 'Поле')).toHaveProperty('problems'),
);

test('some of the choices travel as one text, each once, by their names or others', () => {
	expect(some(['tags', 'variables'], 'Поле')).toEqual({ value: 'tags,variables' });
	expect(some('Теги, tags', 'Поле')).toEqual({ value: 'tags' });
	expect(some([], 'Поле')).toEqual({ value: undefined });
	expect(some('tags, все', 'Поле')).toHaveProperty('problems');
});

describe('a picture in IPv6', () => {
	const own = [
		'[::1]',
		'[fd00::1]',
		'[FC12:3456::1]:8080',
		'[fe80::1]',
		'[febf::1]',
		'[::]',
		'[0:0:0:0:0:0:0:1]',
	];
	const ownInV4 = ['[::ffff:10.0.0.1]', '[::ffff:7f00:1]', '[::FFFF:192.168.1.5]'];
	const at = (host: string) => `http://${host}/a.png`;
	const { message } = problemOf(kinds.address(at('localhost'), 'Поле'));

	test.each([...own, ...ownInV4])('of your own network is refused: %s', (host) => {
		expect(problemOf(kinds.address(at(host), 'Поле')).message).toBe(message);
	});

	test.each(['[2001:db8::1]', '[2a00:1450:4010:c05::71]', '[fb00::1]', 'fd00.example.com'])(
		'or of a public name is sent: %s',
		(host) => expect(kinds.address(at(host), 'Поле')).toEqual({ value: at(host) }),
	);
});

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
	let taken = 0;
	const property = (value: string) => {
		fc.pre(!isEmpty(value));
		const checked = kinds.address(value, 'Поле');
		if ('problems' in checked) return;
		taken++;
		const url = checked.value as string;
		expect(url).toMatch(/^https?:\/\/[!-~]+$/i);
		expect(url.match(loneSign)).toBeNull();
		expect(kinds.address(url, 'Поле')).toEqual({ value: url });
		const whole = value.trim().replace(loneSign, '%25');
		if (/^[!-~]+$/.test(value.trim()) && whole === value.trim()) expect(url).toBe(whole);
		// A program that reads both like a browser has the same result.
		expect(new URL(url).href).toBe(new URL(whole).href);
	};
	fc.assert(fc.property(written, property), { numRuns: 1000 });
	expect(taken).toBeGreaterThan(100);
});

describe('spellings of a phone number (generated)', () => {
	const gap = fc.constantFrom('', ' ', '-', ' - ', '\u00a0', '\u2011', '\u2013', '\u2009');
	const begin = fc.constantFrom('', "'", '’', 'tel:', '\u202a', '\ufeff', ' ', '="');
	const end = fc.constantFrom('', ' ', '\n', '\u202c', '.', '"');

	test('result in one form, which is read as itself', () => {
		const code = fc.constantFrom('+7', '+7 (', '7', '8', '8 ', '8 (', '8-', '007');
		const area = fc.constantFrom('916', '495', '701', '812');
		const digits = (count: number) => fc.stringMatching(new RegExp(`^\\d{${count}}$`));
		const behindArea = fc.oneof(gap, fc.constant(') '));
		const parts = fc.tuple(begin, code, gap, area, behindArea, digits(3), gap, digits(4), end);
		const property = (written: string[]) => {
			const number = `+7${written[3]}${written[5]}${written[7]}`;
			expect(phoneNumberIn(written.join(''))).toBe(number);
			expect(phoneNumberIn(number)).toBe(number);
		};
		fc.assert(fc.property(parts, property), { numRuns: 1000 });
	});

	test('keep all their digits', () => {
		const sign = fc.constantFrom(...'+-().,/ 0123456789', '\u00a0', '\u2011', "'", 'tel:', '(0)');
		const bare = (text: string) => text.replace(/\D/g, '').replace(/^(?:00)?[78]?/, '');
		const property = (written: string) => {
			const number = phoneNumberIn(written);
			if (number === undefined) return;
			expect(phoneNumberIn(number)).toBe(number);
			expect(number.replace(/\D/g, '').length).toBeGreaterThanOrEqual(7);
			// Without the trunk prefix and the zeros after a decimal point.
			const original = written.replace(/[.,]0+(?=\D*$)/, '').replace(/(\+\d{1,3}\s*)\(0\)/, '$1');
			expect(bare(number)).toBe(bare(original));
		};
		const text = fc.array(sign, { maxLength: 20 }).map((signs) => signs.join(''));
		fc.assert(fc.property(text, property), { numRuns: 2000 });
	});
});
