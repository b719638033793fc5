import { readdirSync } from 'node:fs';

import type { INodeParameters } from 'n8n-workflow';

import { ofReading } from '../../nodes/ChatbotService/client/advice';
import { hasLink, sampleLink } from './link';
import type { Field as FieldFixture, OperationFixture, VariantFixture } from './operation';
import { wordsOf } from './words';

/* The operations of this folder, and what follows from their fields: parameters of the node, and the resulting request. */

export interface Operation extends Omit<OperationFixture, 'variants'> {
	/** For example 'tag/attach'. */
	title: string;
	resource: string;
	operation: string;
	label: string;
	/** The start of the error when its outcome is unknown; undefined for an operation that only reads. */
	unknown: string | undefined;
	variants: Variant[];
}

export interface Variant extends Omit<VariantFixture, 'title' | 'fields'> {
	/** For example 'contactVariable/delete by ID'. */
	title: string;
	fields: Field[];
	of: Operation;
}

export interface Field extends FieldFixture {
	label: string;
	/** What is missing when the service finds nothing for it, for example 'contact with this ID'. */
	whatItIs: string | undefined;
}

/** Every operation, in alphabetical order. */
export const operations: Operation[] = readdirSync(__dirname)
	.filter((file) => /^\w+\.\w+\.ts$/.test(file))
	.map((file) => {
		const [resource, operation] = file.split('.') as [string, string];
		const { fixture } = jest.requireActual<{ fixture: OperationFixture }>(`./${file}`);
		const title = `${resource}/${operation}`;
		const { label, unknown, fieldAt } = wordsOf(title);
		const named: Operation = { ...fixture, title, resource, operation, label, unknown, variants: [] };
		named.variants = fixture.variants.map((variant) => ({
			...variant,
			title: variant.title ? `${title} ${variant.title}` : title,
			fields: variant.fields.map((field) => {
				const { displayName, whatItIs } = fieldAt(field.name);
				return { ...field, label: displayName, whatItIs: field.isSought && whatItIs };
			}),
			of: named,
		}));
		return named;
	});

export const variants: Variant[] = operations.flatMap((operation) => operation.variants);

export const resources = [...new Set(operations.map(({ resource }) => resource))];

/** @param title for example 'tag/attach' */
export const operationOf = (title: string): Operation => operations.find((each) => each.title === title)!;

export const byTitle = <Titled extends { title: string }>(all: Titled[]): Array<[string, Titled]> =>
	all.map((each) => [each.title, each]);

export const isReading = ({ answer }: Operation): boolean => answer === 'many' || answer === 'one';

/** Whether a request of the emulator is one of the operation: two operations have the same endpoint, and one adds a link. */
export const isRequestOf =
	({ endpoint, asks }: Operation) =>
	({ operation, input }: { operation: string | undefined; input: Record<string, unknown> }): boolean =>
		operation === endpoint && (asks ?? false) === hasLink(input.text);

/** The start of the error when the outcome of a request is unknown. */
export const unknownOf = ({ unknown }: Operation): string => unknown ?? ofReading;

/** The fields that are sent, by their API names. */
export const travelling = ({ fields }: Pick<Variant, 'fields'>): Array<Field & { wire: string }> =>
	fields.filter((field): field is Field & { wire: string } => field.wire !== undefined);

/** The value under an API name, or in an object under such a name. */
export const valueAt = (input: object, wire: string): unknown =>
	wire
		.split('.')
		.reduce<unknown>((within, key) => (within as Record<string, unknown> | undefined)?.[key], input);

/** The node's parameters for a sample, as the editor stores them, with some values instead of the sample's. */
export function parametersOf(
	{ of: { resource, operation }, fields }: Variant,
	changes: Record<string, unknown> = {},
): INodeParameters {
	const values = fields.map(({ name, value, mode }): [string, unknown] => {
		const chosen = name in changes ? changes[name] : value;
		return [name, mode && chosen !== undefined ? { __rl: true, mode, value: chosen } : chosen];
	});
	return { resource, operation, ...nested(values) } as INodeParameters;
}

/** The request of a sample. */
export function requestOf(variant: Variant): {
	method: 'GET' | 'POST';
	query?: Record<string, string>;
	body?: Record<string, unknown>;
} {
	const { method, place, asks } = variant.of;
	const sent = travelling(variant)
		.map((field): [string, unknown] => {
			const value = sentOf(field);
			return [field.wire, asks && field.wire === 'text' ? `${String(value)}\n\n${sampleLink}` : value];
		})
		.concat(Object.entries(variant.adds ?? {}));
	if (place === 'body') return { method, body: nested(sent) };
	return { method, query: Object.fromEntries(sent.map(([name, value]) => [name, String(value)])) };
}

export const sentOf = ({ value, sent = value }: Field): unknown => sent;

/** An object of values by their paths, without missing values. */
function nested(values: Array<[path: string, value: unknown]>): Record<string, unknown> {
	const all: Record<string, unknown> = {};
	for (const [path, value] of values) {
		if (value === undefined) continue;
		const [first, ...rest] = path.split('.') as [string, ...string[]];
		const [last] = rest;
		if (last) all[first] = { ...(all[first] as object), [last]: value };
		else all[first] = value;
	}
	return all;
}
