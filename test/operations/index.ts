import type { INodeParameters } from 'n8n-workflow';

import { ofReading } from '../../nodes/ChatbotService/client/failure/advice';
import { api } from './api';
import { contact } from './contact';
import { contactVariable } from './contactVariable';
import { documentedAt } from './documented';
import { hasLink, sampleLink } from './link';
import { listItem } from './listItem';
import { listSchema } from './listSchema';
import { message } from './message';
import type { FieldFixture, OperationFixture, OperationPart, Place, VariantFixture } from './operation';
import { tag } from './tag';
import { wordsOf } from './words';

/* The operations of this folder, and what follows from their fields: parameters of the node, and the resulting request. */

export interface Operation extends Omit<OperationPart, 'idempotent'> {
	/** For example 'tag/attach'. */
	title: string;
	resource: string;
	operation: string;
	label: string;
	method: 'GET' | 'POST';
	place: Place;
	idempotent: boolean;
	/** The start of the error when its outcome is unknown; undefined for an operation that only reads. */
	unknown: string | undefined;
	variants: Variant[];
}

export interface Variant extends VariantFixture {
	/** For example 'contactVariable/delete by ID'. */
	title: string;
	fields: Field[];
	items: object[];
	of: Operation;
}

export interface Field extends FieldFixture {
	label: string;
	required: boolean;
	/** What is missing when the service finds nothing for it, for example 'contact with this ID'. */
	whatItIs: string | undefined;
}

const fixtures: Record<string, Record<string, OperationFixture>> = {
	...{ api, contact, contactVariable, listItem, listSchema, message, tag },
};

export const resources = Object.keys(fixtures).sort();

export const isReading = ({ answer }: Pick<OperationPart, 'answer'>): boolean =>
	answer === 'many' || answer === 'one';

/** Whether a failure of its first request leaves nothing changed. */
export const beginsByReading = ({ answer, first }: Pick<OperationPart, 'answer' | 'first'>): boolean =>
	isReading({ answer: first ?? answer });

/** Every operation, in alphabetical order. */
export const operations: Operation[] = resources.flatMap((resource) =>
	Object.entries(fixtures[resource]!).map(([operation, fixture]) => {
		const title = `${resource}/${operation}`;
		const { endpoint, answer, question, idempotent = isReading(fixture) } = fixture;
		const { label, unknown } = wordsOf(title);
		const { method, place } = documentedAt(endpoint);
		const of: Operation = {
			...{ title, resource, operation, endpoint, answer, question, idempotent },
			...(fixture.first && { first: fixture.first }),
			...{ label, unknown, method, place },
			variants: [],
		};
		const each = 'variants' in fixture ? fixture.variants : [fixture];
		of.variants = each.map((variant) => variantOf(variant, of));
		return of;
	}),
);

function variantOf(fixture: VariantFixture, of: Operation): Variant {
	const { fieldAt } = wordsOf(of.title);
	const { parameterAt } = documentedAt(of.endpoint);
	return {
		...fixture,
		title: fixture.title ? `${of.title} ${fixture.title}` : of.title,
		items: fixture.items ?? [of.answer === 'deleted' ? { deleted: true } : { success: true }],
		fields: fixture.fields.map((field) => {
			const { displayName, whatItIs } = fieldAt(field.name);
			const { required = false, isNumber } = field.wire ? parameterAt(field.wire) : {};
			return {
				required,
				sent: isNumber ? Number(field.value) : field.value,
				...field,
				label: displayName,
				whatItIs: field.isSought && whatItIs,
			};
		}),
		of,
	};
}

export const variants: Variant[] = operations.flatMap((operation) => operation.variants);

/** @param title for example 'tag/attach' */
export const operationOf = (title: string): Operation => operations.find((each) => each.title === title)!;

export const byTitle = <Titled extends { title: string }>(all: Titled[]): Array<[string, Titled]> =>
	all.map((each) => [each.title, each]);

/** Whether a request of the emulator is one of the operation: two operations have the same endpoint, and one adds a link. */
export const isRequestOf =
	({ endpoint, question }: Operation) =>
	({ operation, input }: { operation: string | undefined; input: Record<string, unknown> }): boolean =>
		operation === endpoint && (question ?? false) === hasLink(input.text);

/** The start of the error when the outcome of its first request is unknown. */
export const unknownOf = (operation: Operation): string =>
	beginsByReading(operation) ? ofReading : operation.unknown!;

/** The fields that are sent, by their API names. */
export const travelling = ({ fields }: Pick<Variant, 'fields'>): Array<Field & { wire: string }> =>
	fields.filter((field): field is Field & { wire: string } => field.wire !== undefined);

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

/** A request as it is expected. */
interface Request {
	endpoint: string;
	method: 'GET' | 'POST';
	query?: Record<string, string> | undefined;
	body?: object | undefined;
}

/** The requests of a sample, in their order. */
export const requestsOf = (variant: Variant): Request[] =>
	variant.requests?.map((each) => ({ ...each, method: documentedAt(each.endpoint).method })) ?? [
		requestOf(variant),
	];

function requestOf(variant: Variant): Request {
	const { endpoint, method, place, question } = variant.of;
	const sent = travelling(variant)
		.map((field): [string, unknown] => [
			field.wire,
			question && field.wire === 'text' ? `${String(field.sent)}\n\n${sampleLink}` : field.sent,
		])
		.concat(Object.entries(variant.adds ?? {}));
	if (place === 'body') return { endpoint, method, query: variant.repeats, body: nested(sent) };
	return { endpoint, method, query: Object.fromEntries(sent.map(([name, value]) => [name, String(value)])) };
}

/** An object of values by their paths, without missing values. */
function nested(values: Array<[path: string, value: unknown]>): Record<string, unknown> {
	const all: Record<string, unknown> = {};
	for (const [path, value] of values) {
		if (value === undefined) continue;
		const [first, last] = path.split('.') as [string, string?];
		all[first] = last ? { ...(all[first] as object), [last]: value } : value;
	}
	return all;
}
