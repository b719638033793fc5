import { findOperation } from '../../nodes/ChatbotService/resources';
import type { Operation } from '../../nodes/ChatbotService/resources/operation';
import { timeOf } from '../../nodes/ChatbotService/run/context';
import type { Values } from '../../nodes/ChatbotService/run/values/reading';
import { byTitle as titled, parametersOf, travelling, valueAt, variants } from '../operations';
import type { OperationFixture } from '../operations/operation';

/* The samples of test/operations in the form of items, each with the operation of the node. */

/** A value that is sent. */
const sampleFieldOf = (field: ReturnType<typeof travelling>[number]) => ({
	...field,
	/** Path of the parameter of the node. */
	path: field.name,
	required: field.required ?? false,
});

export interface Sample {
	title: string;
	endpoint: string;
	operation: Operation;
	answer: OperationFixture['answer'];
	fields: Array<ReturnType<typeof sampleFieldOf>>;
	/** Labels of all parameters. */
	labels: string[];
	/** Values of all parameters by their paths. */
	values: Record<string, unknown>;
	/** The parameters as the workflow stores them, with some values instead of the sample's. */
	storedWith(changes: Record<string, unknown>): Record<string, unknown>;
}

export const samples: Sample[] = variants.map((variant) => {
	const { resource, operation, endpoint, answer } = variant.of;
	const values = variant.fields
		.filter(({ value }) => value !== undefined)
		.map(({ name, value }): [string, unknown] => [name, value]);
	return {
		title: variant.title,
		endpoint,
		operation: findOperation(resource, operation)!,
		answer,
		fields: travelling(variant).map(sampleFieldOf),
		labels: variant.fields.map(({ label }) => label),
		values: Object.fromEntries(values),
		storedWith: (changes) => parametersOf(variant, changes),
	};
});

export const byTitle = titled(samples);

export const sampleOf = (title: string): Sample => samples.find((each) => each.title === title)!;

/** The setting of a run in a workflow whose time zone is Moscow's. */
export const inMoscow = { forModel: false, timeOf: (date: string) => timeOf(date, 'Europe/Moscow') };

/** Stands for the value of an expression that n8n cannot evaluate. */
export const unreadable = Symbol('unreadable');

export const unreadableError = new Error("Referenced node doesn't exist");

/** Values of a sample in the form for a check, with some of them changed. */
export function given(sample: Sample, changes: Record<string, unknown> = {}): Values {
	const values = { ...sample.values, ...changes };
	const stored = sample.storedWith(changes);
	return {
		at(path) {
			const value = path in values ? values[path] : valueAt(stored, path);
			if (value === unreadable) throw unreadableError;
			return value;
		},
		partsAt: () => [],
		lookAlikeAt: () => undefined,
		isPickedAt: () => false,
		input: {},
	};
}
