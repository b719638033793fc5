import type { Problem } from '../../nodes/ChatbotService/client/failure/failure';
import * as kinds from '../../nodes/ChatbotService/resources/kinds';
import { messageLimits } from '../../nodes/ChatbotService/resources/message/messageLimits';
import { Check, type CheckedValues } from '../../nodes/ChatbotService/run/values/check';
import { quote } from '../../nodes/ChatbotService/shared/quote';
import { isEmpty } from '../../nodes/ChatbotService/shared/values';
import { everyProblem, words } from '../../tools/failures';
import type { PastedInto } from '../pasted/table';
import { pasted } from '../pasted/values';
import { given, inMoscow, sampleOf } from './samples';
import { faultsOf } from './sentences';

/* Which values fields accept, and what they say about others. The values: test/pasted. */

/** The part of a request that a field determines. */
function saidBy({ field, variant }: PastedInto, { parameters, limit, limits }: CheckedValues): unknown {
	const wire = sampleOf(variant).fields.find(({ path }) => path === field)?.wire;
	if (wire) return parameters.find(({ name }) => name === wire)?.value;
	return field === 'contactMessenger' ? limits : limit;
}

const byLabel = pasted.map((into) => [into.label, into.variant, into] as const);

function check({ field, variant }: PastedInto, value: unknown) {
	const sample = sampleOf(variant);
	return new Check(sample.operation, {}, inMoscow).valuesOf(given(sample, { limit: 7, [field]: value }));
}

test.each(['phone', 'phoneOrId'] as const)('%s knows a number that a sheet has shortened', (kind) => {
	const adviceFor = (number: string) => JSON.stringify(kinds[kind](number, 'Поле'));
	expect(adviceFor('7,91612E+10')).toContain('A spreadsheet has shortened the number');
	expect(adviceFor('1.2')).not.toContain('spreadsheet');
});

test.each(byLabel)('%s of %s reads what people paste', (_, __, into) => {
	for (const [value, travels] of into.taken) {
		const checked = check(into, value);
		const sent = 'problems' in checked ? checked.problems : saidBy(into, checked);
		const isPace = into.field === 'contactMessenger';
		expect([value, sent]).toEqual([value, isPace ? messageLimits(travels as string) : travels]);
	}
});

test.each(byLabel)('%s of %s refuses the rest by its label', (label, _, into) => {
	for (const [value, withoutLabel] of into.refused) {
		const checked = check(into, value);
		if (!('problems' in checked)) throw new Error(`took ${quote(value)} as ${quote(saidBy(into, checked))}`);
		const [{ message, advice }, ...others] = checked.problems as [Problem];
		expect([value, message, others]).toEqual([value, `'${label}${withoutLabel}`, []]);
		expect(faultsOf({ message, description: advice.replace(/"[^]*"/, '"…"') })).toEqual([]);
		// For a list, the error shows the wrong part.
		if (!isEmpty([value].flat()[0]) && !['fieldsJson', 'include'].includes(into.field))
			expect(advice).toContain(`Received: ${quote(value)}.`);
	}
});

/* The problems that do not depend on the kind of a field. docs/tables.yaml names each of them. */

test.each(Object.entries(everyProblem))('%s is told in words that n8n allows', (_, made) => {
	for (const { message, advice } of made) expect(faultsOf({ message, description: advice })).toEqual([]);
	const [{ message, advice }, withWords] = made as [Problem, Problem?];
	if (withWords) expect(withWords).toEqual({ message, advice: `${advice} n8n says: "${words}".` });
});
