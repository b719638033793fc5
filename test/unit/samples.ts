import type { Problem } from '../../nodes/ChatbotService/client/failure/failure';
import { findOperation } from '../../nodes/ChatbotService/resources';
import { checkAs } from '../../nodes/ChatbotService/resources/kind';
import { timeOf } from '../../nodes/ChatbotService/run/context';
import { Check, type CheckedValues } from '../../nodes/ChatbotService/run/values/check';
import { emptyField, wrongChoice } from '../../nodes/ChatbotService/run/values/valueProblems';
import { valueAt, type Values } from '../../nodes/ChatbotService/run/values/expressions';
import { byTitle as titled, parametersOf, travelling, variants, type Variant } from '../operations';
import { wordsOf } from '../operations/words';

/* The samples of test/operations in the form of items, each with the operation of the node, and what a check says of them. */

const sampleFor = (variant: Variant) => ({
	title: variant.title,
	operation: findOperation(variant.of.resource, variant.of.operation)!,
	/** The values that are sent. */
	fields: travelling(variant).map((field) => ({ ...field, path: field.name })),
	values: Object.fromEntries(
		variant.fields.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value as unknown]])),
	),
	/** The parameters as the workflow stores them, with some values instead of the sample's. */
	storedWith: (changes: Changes) => parametersOf(variant, changes),
});

type Sample = ReturnType<typeof sampleFor>;

/** By their paths. */
export type Changes = Record<string, unknown>;

const samples: Sample[] = variants.map(sampleFor);

export const byTitle = titled(samples);

export const sampleOf = (title: string): Sample => samples.find((each) => each.title === title)!;

/** The setting of a run in a workflow whose time zone is Moscow's. */
export const inMoscow = {
	forModel: false,
	timeOf: (date: string) => timeOf(date, 'Europe/Moscow'),
	timezone: 'Europe/Moscow',
};

/** Stands for the value of an expression that n8n cannot evaluate. */
export const unreadable = Symbol('unreadable');

export const unreadableError = new Error("Referenced node doesn't exist");

/** Values of a sample in the form for a check, with some of them changed. */
export function given(sample: Sample, changes: Changes): Values {
	const values = { ...sample.values, ...changes };
	const stored = sample.storedWith(changes);
	return {
		at(path) {
			const value = path in values ? values[path] : valueAt(stored, path);
			if (value === unreadable) throw unreadableError;
			return value;
		},
		partsAt: () => [],
		evaluated: () => undefined,
		isPickedAt: () => false,
		input: {},
	};
}

/** A check of the operation of a sample. @param raw parameters as the workflow stores them */
export const checkOf = (title: string, raw = sampleOf(title).storedWith({})) =>
	new Check(sampleOf(title).operation, raw, inMoscow);

const check = (title: string, changes: Changes) =>
	checkOf(title, sampleOf(title).storedWith(changes)).valuesOf(given(sampleOf(title), changes));

export function takenOf(checked: ReturnType<Check['valuesOf']>): CheckedValues {
	if ('problems' in checked) throw new Error(checked.problems.map(({ message }) => message).join('; '));
	return checked;
}

/** The checked values of a sample; throws if any value is wrong. */
export const taken = (title: string, changes: Changes = {}) => takenOf(check(title, changes));

/** The problems of a sample; empty if no value is wrong. */
export function wrong(title: string, changes: Changes): Problem[] {
	const checked = check(title, changes);
	return 'problems' in checked ? checked.problems : [];
}

export const fieldAt = (title: string, path: string) => wordsOf(title.split(' ')[0]!).fieldAt(path);

export function emptyAt(title: string, path: string): Problem {
	const { displayName, adviceIfEmpty } = fieldAt(title, path);
	return emptyField(displayName, adviceIfEmpty);
}

export function refusedAt(title: string, path: string, value: unknown): Problem {
	const { kind, ...field } = fieldAt(title, path);
	if (!kind) return wrongChoice(field, value)[0]!;
	return (checkAs(kind, value, field.displayName) as { problems: Problem[] }).problems[0]!;
}
