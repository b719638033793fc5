import type { Problem } from '../../nodes/ChatbotService/client/failure/failure';
import { quote } from '../../nodes/ChatbotService/shared/quote';
import { isEmpty } from '../../nodes/ChatbotService/shared/values';
import { checkAs } from '../../nodes/ChatbotService/resources/kind';
import * as kinds from '../../nodes/ChatbotService/resources/kinds';
import { fieldDefinitions } from '../../nodes/ChatbotService/resources/listSchema/definitions';
import { messageLimits } from '../../nodes/ChatbotService/resources/message/limits';
import { Check, type CheckedValues } from '../../nodes/ChatbotService/run/values/check';
import type { PastedInto } from '../pasted/table';
import { pasted } from '../pasted/values';
import { given, inMoscow, sampleOf } from './samples';
import { faultsOf } from './sentences';

/*
 * Which values fields accept, and what they say about others. Generated spellings of one value are in spellings.test.ts.
 */

test.each(['phone', 'phoneOrId'] as const)('%s says so if a spreadsheet has shortened the number', (kind) => {
	const adviceFor = (number: string) => JSON.stringify(kinds[kind](number, 'Поле'));
	expect(adviceFor('7,91612E+10')).toContain('A spreadsheet has shortened the number');
	expect(adviceFor('1.2')).not.toContain('spreadsheet');
});

test.each(['text', 'decimal', 'anyValue', 'names'] as const)(
	'%s is no number that n8n has rounded, whether or not it takes lists',
	(kind) => expect(checkAs(kinds[kind], 2 ** 53, 'Поле')).toEqual(checkAs(kinds.text, 2 ** 53, 'Поле')),
);

test('definitions of fields are refused with every fault of every field, and keep the slug __proto__', () => {
	const odd = { name: 'Город', slug: '__proto__', type: 'string' };
	const checked = fieldDefinitions([{}, { ...odd, name: '', is_required: 7 }], 'Поле');
	const problems = 'problems' in checked ? checked.problems : [];
	expect(problems.map(({ message }) => /field \d+: \w+/.exec(message)?.[0])).toEqual([
		...['field 1: name', 'field 1: slug', 'field 1: type'],
		...['field 2: is_required', 'field 2: name'],
	]);
	expect(fieldDefinitions([odd], 'Поле')).toEqual({ value: Object.fromEntries([['__proto__', odd]]) });
});

test('empty are the values that people see as empty', () => {
	for (const value of [undefined, null, '', '\n\t', '\u00a0', '\ufeff', '\u200b \u00ad'])
		expect([value, isEmpty(value)]).toEqual([value, true]);
	for (const value of [0, false, NaN, [], {}, '0', ' а '])
		expect([value, isEmpty(value)]).toEqual([value, false]);
});

/* How fields read real-world values. */
describe.each(pasted.map((into) => [into.label, into.variant, into] as const))('%s of %s', (_, __, into) => {
	const { field, label, taken, refused, variant } = into;
	const sample = sampleOf(variant);
	const checkedWith = (value: unknown) =>
		new Check(sample.operation, {}, inMoscow).valuesOf(given(sample, { limit: 7, [field]: value }));
	const title = (value: unknown) => (typeof value === 'string' ? JSON.stringify(value) : String(value));

	test.each(taken.map(([value, travels]) => [title(value), value, travels]))('%s is read', (...row) => {
		const [, value, travels] = row;
		const checked = checkedWith(value);
		if ('problems' in checked) throw new Error(checked.problems.map(({ advice }) => advice).join(' '));
		expect(saidBy(into, checked)).toEqual(
			field === 'contactMessenger' ? messageLimits(travels as string) : travels,
		);
	});

	test.each(refused.map(([value, withoutLabel]) => [title(value), value, withoutLabel]))(
		'%s is refused, and the error names the field and the received value',
		(_title, value, withoutLabel) => {
			const checked = checkedWith(value);
			if (!('problems' in checked)) throw new Error(`it took ${JSON.stringify(saidBy(into, checked))}`);
			const [{ message, advice }, ...others] = checked.problems as [Problem];
			expect([message, others]).toEqual([`'${label}${withoutLabel}`, []]);
			expect(faultsOf({ message, description: advice.replace(/"[^]*"/, '"…"') })).toEqual([]);
			// For a list, the error shows the wrong part.
			if (!isEmpty([value].flat()[0]) && field !== 'fieldsJson')
				expect(advice).toContain(`Received: ${quote(value)}.`);
		},
	);
});

/** The part of a request that a field determines. */
function saidBy({ field, variant }: PastedInto, { parameters, limit, limits }: CheckedValues): unknown {
	const wire = sampleOf(variant).fields.find(({ path }) => path === field)?.wire;
	if (wire) return parameters.find(({ name }) => name === wire)?.value;
	return field === 'contactMessenger' ? limits : limit;
}
