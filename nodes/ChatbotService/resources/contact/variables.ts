import type { IDataObject } from 'n8n-workflow';

import { quote } from '../../shared/quote';
import { isEmpty, spelling, withoutZeroDecimals } from '../../shared/values';
import { optionsOf, type Choice } from '../choices';
import { optional } from '../fields';
import { problem } from '../kind';
import * as kinds from '../kinds';
import type { Field, FieldReader } from '../operation';

/* The filter of 'Get Many' by variables: its conditions, and whether a contact meets them. A variable without a value does not exist. */

const notExists = { name: 'Does Not Exist', value: 'notExists' } satisfies Choice;
const equals = { name: 'Equals', value: 'equals' } satisfies Choice;
const exists = { name: 'Exists', value: 'exists' } satisfies Choice;
const notEquals = { name: 'Not Equals', value: 'notEquals' } satisfies Choice;

const ways: Choice[] = [notExists, equals, exists, notEquals];

/** Those that compare a value. */
const comparing: string[] = [equals.value, notEquals.value];

/** Those that leave out the contacts that have the variable, or have it with the value. */
const leavingOut: unknown[] = [notExists.value, notEquals.value];

const name = optional('Name', 'name', kinds.trimmedName, {
	placeholder: 'e.g. city',
	description: 'Name of the variable',
});

const condition: Field = {
	displayName: 'Condition',
	name: 'condition',
	type: 'options',
	noDataExpression: true,
	options: optionsOf(ways),
	default: 'equals',
	description: 'How to compare the variable. A contact without the variable is not equal to any value.',
	kind: kinds.oneOf(ways),
};

const value = optional('Value', 'value', kinds.plainValue, {
	placeholder: 'e.g. Kazan',
	description: 'The value to compare with, without regard to case',
	displayOptions: { show: { condition: comparing } },
	adviceIfEmpty: `For contacts without the variable, choose '${notExists.name}' as '${condition.displayName}'. For those with it, choose '${exists.name}'.`,
});

export const byVariables: Field = {
	displayName: 'Variables',
	name: 'variables',
	type: 'fixedCollection',
	typeOptions: { multipleValues: true },
	placeholder: 'Add Condition',
	default: {},
	description: 'Contacts whose variables meet all of these conditions',
	options: [{ displayName: 'Condition', name: 'conditions', values: [name, condition, value] }],
	// Of a value that is no list of conditions.
	kind: (found, label) =>
		problem(
			`'${label}' has no conditions`,
			`Add a condition with its '${name.displayName}', or remove '${label}'. Only the fields of a condition can be expressions.`,
			found,
		),
	compose(values) {
		const rows = values.rowsOf(byVariables);
		if (!rows.length) return values.read(byVariables, 'condition');
		const conditions = rows.flatMap((row) => conditionIn(row) ?? []);
		return conditions.length ? conditions : undefined;
	},
};

/** What a contact must have, or must not have. No interface, because n8n's type of objects accepts none. */
type VariableCondition = {
	/** Name of the variable, as the user writes it. */
	name: string;
	/** Undefined if any value counts. */
	value: string | undefined;
	leavesOut: boolean;
};

/** @returns undefined if the condition is wrong, or if a model leaves it empty */
function conditionIn(row: FieldReader): VariableCondition | undefined {
	const of = row.read(name, 'condition');
	const way = String(row.read(condition, 'condition') ?? condition.default);
	const isComparing = comparing.includes(way);
	const compared = isComparing ? row.read(value, 'condition') : undefined;
	if (of === undefined || (isComparing && compared === undefined)) return undefined;
	return {
		name: String(of),
		value: isComparing ? String(compared) : undefined,
		leavesOut: leavingOut.includes(way),
	};
}

/** How values are compared: as texts, because the service stores texts. */
const written = (found: unknown) => withoutZeroDecimals(spelling(found));

/** What conditions require of a contact with its variables by name. Names that differ only by case are one variable. */
export const criteriaOfVariables = (conditions: VariableCondition[]) =>
	conditions.map(({ name: of, value: wanted, leavesOut }) => {
		const key = spelling(of);
		const isMeant = ([each, found]: [string, unknown]) =>
			!isEmpty(found) &&
			spelling(each) === key &&
			(wanted === undefined || written(found) === written(wanted));
		const words = `the variable '${of}'${wanted === undefined ? '' : ` with the value ${quote(wanted)}`}`;
		return {
			part: 'variables' as const,
			passes: ({ variables }: IDataObject) =>
				Object.entries(variables as IDataObject).some(isMeant) !== leavesOut,
			leavesOut: leavesOut ? { name: key, words } : undefined,
		};
	});
