import {
	NodeHelpers,
	type IDataObject,
	type INodeParameters,
	type INodeProperties,
	type INodePropertyOptions,
} from 'n8n-workflow';

import type { Operation } from '../shared/operation';
import { quote, type Problem } from './failure';
import type { Limits } from '../shared/limits';
import { isEmpty, isObject } from '../shared/values';
import { kinds, limitKind } from './kinds';

/** Where a parameter travels, and its value by its wire name; `field.slug` stands for the slug within `field`. */
export interface WireParameter {
	name: string;
	place: 'query' | 'body';
	value: IDataObject[string];
}

/** What the engine made of an item's parameters before our turn. */
export interface GivenValues {
	/** By wire name, nested where the name has a dot. */
	values: Record<string, unknown>;
	/** The item's value of a parameter that does not travel itself but decides what does, such as 'Send To'. */
	control: (parameter: string) => unknown;
}

/** An item's values as they may be sent. */
export interface CheckedValues {
	parameters: WireParameter[];
	/** How many items the user wants at most; undefined for all of them. */
	limit: number | undefined;
	/** How the editor names the parameters, for what the service says of them. */
	labels: ReadonlyMap<string, string>;
	/** The limits of the service that the request counts towards, beside the account's. */
	paceLimits: Limits;
	/** Requests with the same target change the same thing, and so keep the order of their items. */
	target: string | undefined;
}

interface WireField {
	name: string;
	label: string;
	required: boolean;
	applies: (control: GivenValues['control']) => boolean;
}

/**
 * Whether a field applies, by n8n's own reading of its display options.
 *
 * @param names of the parameters that the operation has; the others are absent, and hide nothing
 */
function appliesTo(field: INodeProperties, names: ReadonlySet<string>): WireField['applies'] {
	const ofOperation = (conditions: object = {}) =>
		Object.fromEntries(Object.entries(conditions).filter(([parameter]) => names.has(parameter)));
	const { show, hide } = field.displayOptions ?? {};
	const displayOptions = { show: ofOperation(show), hide: ofOperation(hide) };
	const askedFor = Object.keys({ ...displayOptions.show, ...displayOptions.hide });
	const fieldOfOperation = { ...field, displayOptions };
	return (control) => {
		const values = Object.fromEntries(askedFor.map((name) => [name, control(name)])) as INodeParameters;
		return NodeHelpers.displayParameter(values, fieldOfOperation, null, null);
	};
}

/** What is the same for all items of an operation is put together for the first of them. */
function perOperation<T>(collect: (operation: Operation, names: ReadonlySet<string>) => T) {
	const collected = new WeakMap<Operation, T>();
	return (operation: Operation): T => {
		const known = collected.get(operation);
		if (known) return known;
		const found = collect(operation, new Set(operation.fields.map(({ name }) => name)));
		collected.set(operation, found);
		return found;
	};
}

/** Fields of an operation that travel, those inside collections included. */
const wireFieldsOf = perOperation((operation, names) => {
	const collect = (fields: INodeProperties[]): WireField[] =>
		fields.flatMap((field) => {
			const send = field.routing?.send;
			if (send?.property) {
				return {
					name: send.property,
					label: field.displayName,
					required: field.required === true,
					applies: appliesTo(field, names),
				};
			}
			return field.type === 'collection' ? collect((field.options ?? []) as INodeProperties[]) : [];
		});
	return collect(operation.fields);
});

const choiceTypes = ['options', 'multiOptions'];

/** Parameters that do not travel but decide what does. */
const choicesOf = perOperation((operation, names) =>
	operation.fields
		.filter(({ type, routing }) => choiceTypes.includes(type) && !routing?.send?.property)
		.map((field) => ({
			field,
			values: (field.options as INodePropertyOptions[]).map(({ value }) => value as unknown),
			applies: appliesTo(field, names),
		})),
);

/**
 * An item's values against the interface: what applies, has its type and is complete. The display options show the same rules
 * before running; here they are applied to what the expressions really yielded.
 */
export function check(operation: Operation, given: GivenValues): CheckedValues | { problems: Problem[] } {
	const problems: Problem[] = [];
	const parameters: WireParameter[] = [];
	const alternatives = operation.atLeastOneOf ?? [];

	const applicable = wireFieldsOf(operation).filter(({ applies }) => applies(given.control));
	for (const field of applicable) {
		const value = valueAt(given.values, field.name);
		if (isEmpty(value)) {
			if (field.required && !alternatives.includes(field.name)) problems.push(emptyField(field.label));
			continue;
		}
		const checked = kinds[field.name]!(value, field.label);
		if ('problems' in checked) problems.push(...checked.problems);
		else parameters.push({ name: field.name, place: operation.place, value: checked.value });
	}

	const misses = (names: string[]) =>
		names.length > 0 && !parameters.some((parameter) => names.includes(parameter.name));
	if (!problems.length && misses(alternatives)) problems.push(nothingToSend(operation, alternatives));

	problems.push(...wrongChoices(operation, given.control));
	const limit = checkLimit(operation, given.control, problems);
	if (problems.length) return { problems };
	const values = new Map(parameters.map(({ name, value }) => [name, value]));
	return {
		parameters,
		limit,
		labels: new Map(applicable.map(({ name, label }) => [name, label])),
		paceLimits: operation.limits?.(values, given.control) ?? {},
		target: operation.option.routing?.request?.method === 'GET' ? undefined : targetIn(values),
	};
}

/** Without what people put into phone numbers to read them. */
const spelling = (id: unknown) => String(id).replace(/[^\p{L}\p{N}]/gu, '');

/** Whom or what a request changes: a contact, by whatever names it, or a list. */
function targetIn(values: ReadonlyMap<string, unknown>): string | undefined {
	const names = ['contact_id', 'contact_external_id', 'phone', 'schema_id'];
	const name = names.find((each) => values.has(each));
	return name && `${name} ${String(values.get('messenger'))} ${spelling(values.get(name))}`;
}

function valueAt(values: Record<string, unknown>, path: string): unknown {
	return path.split('.').reduce<unknown>((value, key) => (isObject(value) ? value[key] : undefined), values);
}

const emptyField = (label: string): Problem => ({
	message: `'${label}' is empty`,
	advice: `Give '${label}' a value. Where an expression fills it in, check what it yields for this item.`,
});

function nothingToSend(operation: Operation, names: string[]): Problem {
	const labels = names.map((name) => wireFieldsOf(operation).find((field) => field.name === name)!.label);
	return {
		message: `There is nothing to send: ${labels.map((label) => `'${label}'`).join(', ')} are all empty`,
		advice: 'Give at least one of them a value for this item.',
	};
}

/** What decides must hold one of its options, or several where it takes them. */
const wrongChoices = (operation: Operation, control: GivenValues['control']): Problem[] =>
	choicesOf(operation)
		.filter(({ applies }) => applies(control))
		.flatMap(({ field, values }) => {
			const found = control(field.name);
			// Where expressions are welcome, an empty one leaves the choice to the default.
			if (isEmpty(found) && !field.noDataExpression) return [];
			const chosen = field.type === 'multiOptions' ? [found].flat() : [found];
			if (!chosen.length) return [emptyField(field.displayName)];
			if (chosen.every((each) => values.includes(each))) return [];
			return {
				message: `'${field.displayName}' must be one of ${values.join(', ')}`,
				advice: `Choose one of them for '${field.displayName}'. It is ${quote(found)} for this item.`,
			};
		});

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
