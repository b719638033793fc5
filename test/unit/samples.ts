import { findOperation } from '../../nodes/ChatbotService/resources';
import type { Operation } from '../../nodes/ChatbotService/resources/operation';
import type { Values } from '../../nodes/ChatbotService/run/values/reading';
import { byTitle as titled, sentOf, travelling, variants } from '../operations';
import type { OperationFixture, Place } from '../operations/operation';

/* The samples of test/operations in the form of items, each with the operation of the node. */

export interface SampleField {
	/** Path of the parameter of the node. */
	path: string;
	/** API name. */
	wire: string;
	label: string;
	given: unknown;
	sent: unknown;
	required: boolean;
	whatItIs: string | undefined;
}

export interface Sample {
	title: string;
	endpoint: string;
	operation: Operation;
	place: Place;
	answer: OperationFixture['answer'];
	/** The values that are sent. */
	fields: SampleField[];
	/** Values of all parameters by their paths. */
	values: Record<string, unknown>;
}

export const samples: Sample[] = variants.map((variant) => {
	const { resource, operation, endpoint, place, answer } = variant.of;
	const values = variant.fields
		.filter(({ value }) => value !== undefined)
		.map(({ name, value, given = value }): [string, unknown] => [name, given]);
	return {
		title: variant.title,
		endpoint,
		operation: findOperation(resource, operation)!,
		place,
		answer,
		fields: travelling(variant).map((field) => ({
			path: field.name,
			wire: field.wire,
			label: field.label,
			given: field.given ?? field.value,
			sent: sentOf(field),
			required: field.required ?? false,
			whatItIs: field.whatItIs,
		})),
		values: Object.fromEntries(values),
	};
});

export const byTitle = titled(samples);

/** Values of a sample in the form for a check, with some of them changed. */
export function given(sample: Sample, changes: Record<string, unknown> = {}): Values {
	const values = { ...sample.values, ...changes };
	return (path) => values[path];
}
