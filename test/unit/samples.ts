import { findOperation } from '../../nodes/ChatbotService/resources';
import { timeOf } from '../../nodes/ChatbotService/run/context';
import { valueAt, type Values } from '../../nodes/ChatbotService/run/values/reading';
import { byTitle as titled, parametersOf, travelling, variants, type Variant } from '../operations';

/* The samples of test/operations in the form of items, each with the operation of the node. */

/** A variant as a check sees it. */
const sampleFor = (variant: Variant) => ({
	title: variant.title,
	endpoint: variant.of.endpoint,
	requests: variant.requests,
	operation: findOperation(variant.of.resource, variant.of.operation)!,
	/** The values that are sent. */
	fields: travelling(variant).map((field) => ({ ...field, path: field.name })),
	/** Labels of all parameters. */
	labels: variant.fields.map(({ label }) => label),
	/** Values of all parameters by their paths. */
	values: Object.fromEntries(
		variant.fields.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value as unknown]])),
	),
	/** The parameters as the workflow stores them, with some values instead of the sample's. */
	storedWith: (changes: Record<string, unknown>) => parametersOf(variant, changes),
});

export type Sample = ReturnType<typeof sampleFor>;

export const samples: Sample[] = variants.map(sampleFor);

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
export function given(sample: Sample, changes: Record<string, unknown>): Values {
	const values = { ...sample.values, ...changes };
	const stored = sample.storedWith(changes);
	return {
		at(path) {
			const value = path in values ? values[path] : valueAt(stored, path);
			if (value === unreadable) throw unreadableError;
			return value;
		},
		partsAt: () => [],
		dataOf: () => [],
		lookAlikeAt: () => undefined,
		isPickedAt: () => false,
		input: {},
	};
}
