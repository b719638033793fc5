import fc from 'fast-check';

import type { Problem } from '../../nodes/ChatbotService/client/failure';
import { quote } from '../../nodes/ChatbotService/client/quote';
import { isEmpty } from '../../nodes/ChatbotService/client/values';
import { messageLimits } from '../../nodes/ChatbotService/resources/message/limits';
import { phoneNumberIn } from '../../nodes/ChatbotService/resources/phone';
import { Check, type CheckedValues } from '../../nodes/ChatbotService/run/values/check';
import { pasted, spellingsOfOnePerson, type PastedInto } from '../pasted/values';
import { given, sampleOf } from './samples';
import { faultsOf } from './sentences';

/* How fields read real-world values, and generated spellings of the same values. */

function checkedWith({ variant, field }: PastedInto, value: unknown) {
	const sample = sampleOf(variant);
	return new Check(sample.operation, {}).of(given(sample, { limit: 7, [field]: value }));
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
			if (!isEmpty(value) && field !== 'fieldsJson') expect(advice).toContain(`Received: ${quote(value)}.`);
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
		const first = fc.constantFrom('+7', '+7 (', '7', '8 ', '8 (', '8-', '007');
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
