import type { IDataObject, INodeProperties } from 'n8n-workflow';

import type { Operation } from '../shared/operation';
import type { Problem } from './failure';
import { isEmpty, isObject, kinds, limitKind } from './kinds';

/** Where a parameter travels, and its value by its wire name; `field.slug` stands for the slug within `field`. */
export interface WireParameter {
	name: string;
	place: 'query' | 'body';
	value: IDataObject[string];
}

/** What the engine made of an item's parameters before our turn. */
export interface GivenValues {
	query: Record<string, unknown>;
	body: Record<string, unknown>;
	/** The item's value of a parameter that does not travel itself but decides what does, such as 'Send To'. */
	control: (parameter: string) => unknown;
}

/** An item's values as they may be sent. */
export interface CheckedValues {
	parameters: WireParameter[];
	/** How many items the user wants at most; undefined for all of them. */
	limit: number | undefined;
}

interface WireField {
	name: string;
	place: 'query' | 'body';
	label: string;
	required: boolean;
	/** Values of other parameters under which this one applies, as in the display options. */
	appliesWhen: Record<string, unknown[]>;
}

const wireFields = new WeakMap<Operation, WireField[]>();

/** Fields of an operation that travel, those inside collections included. */
export function wireFieldsOf(operation: Operation): WireField[] {
	const known = wireFields.get(operation);
	if (known) return known;
	const collect = (fields: INodeProperties[]): WireField[] =>
		fields.flatMap((field) => {
			const send = field.routing?.send;
			if (send?.property) {
				return {
					name: send.property,
					place: send.type === 'body' ? 'body' : 'query',
					label: field.displayName,
					required: field.required === true,
					appliesWhen: (field.displayOptions?.show ?? {}) as Record<string, unknown[]>,
				};
			}
			return field.type === 'collection' ? collect((field.options ?? []) as INodeProperties[]) : [];
		});
	const found = collect(operation.fields);
	wireFields.set(operation, found);
	return found;
}

/**
 * An item's values against the interface: what applies, has its type and is complete. The display options show the same rules
 * before running; here they are applied to what the expressions really yielded.
 */
export function check(operation: Operation, given: GivenValues): CheckedValues | { problems: Problem[] } {
	const problems: Problem[] = [];
	const parameters: WireParameter[] = [];
	const alternatives = operation.atLeastOneOf ?? [];

	for (const field of wireFieldsOf(operation)) {
		if (!applies(field, given.control)) continue;
		const value = valueAt(given[field.place], field.name);
		if (isEmpty(value)) {
			if (field.required && !alternatives.includes(field.name)) problems.push(emptyField(field.label));
			continue;
		}
		const checked = kinds[field.name]!(value, field.label);
		if ('problems' in checked) problems.push(...checked.problems);
		else parameters.push({ name: field.name, place: field.place, value: checked.value });
	}

	const misses = (names: string[]) =>
		names.length > 0 && !parameters.some((parameter) => names.includes(parameter.name));
	if (!problems.length && misses(alternatives)) problems.push(nothingToSend(operation, alternatives));

	const limit = checkLimit(operation, given.control, problems);
	return problems.length ? { problems } : { parameters, limit };
}

function applies({ appliesWhen }: WireField, control: GivenValues['control']): boolean {
	return Object.entries(appliesWhen).every(([parameter, wanted]) =>
		[control(parameter)].flat().some((value) => wanted.includes(value)),
	);
}

function valueAt(values: Record<string, unknown>, path: string): unknown {
	return path
		.split('.')
		.reduce<unknown>((value, key) => (isObject(value) ? value[key] : undefined), values);
}

const emptyField = (label: string): Problem => ({
	message: `'${label}' is empty`,
	advice: `Fill in '${label}', or check that its expression yields a value for this item.`,
});

function nothingToSend(operation: Operation, names: string[]): Problem {
	const labels = names.map((name) => wireFieldsOf(operation).find((field) => field.name === name)!.label);
	return {
		message: `There is nothing to send: ${labels.map((label) => `'${label}'`).join(', ')} are all empty`,
		advice: 'Give at least one of them a value for this item.',
	};
}

/** 'Return All' and 'Limit' do not travel: they say when to stop asking for pages. */
function checkLimit(
	operation: Operation,
	control: GivenValues['control'],
	problems: Problem[],
): number | undefined {
	const field = operation.fields.find(({ name }) => name === 'limit');
	if (!field || control('returnAll') === true || control('returnAll') === 'true') return undefined;
	const checked = limitKind(control('limit'), field.displayName);
	if ('value' in checked) return checked.value as number;
	problems.push(...checked.problems);
	return undefined;
}
