import { parsed, repeatedName } from '../shared/json';
import { isObject, spelling } from '../shared/values';
import { problem, takingLists, type Kind } from './kind';
import type { Field, FieldReader } from './operation';

/* Names with values, as rows in the editor or as an object in JSON. They are read as pairs, because an object would change their order. */

/** No interface, because n8n's type of objects accepts none. */
export type Pair = { name: string; value: NonNullable<unknown> };

interface Pairs {
	/** Name of the parameter with the rows, such as `variables`. The others are `variablesInput` and `variablesJson`. */
	parameter: string;
	label: string;
	/** What a row is, such as 'variable'. */
	row: string;
	description: string;
	/** An object in JSON. */
	placeholder: string;
	/** The fields of a row. A value that must be whole has lost no part. */
	name: Pick<Field, 'placeholder' | 'description' | 'kind'>;
	value: Pick<Field, 'placeholder' | 'description' | 'kind' | 'adviceIfEmpty'> & { mustBeWhole?: true };
	/** Names in an object that nobody means, unless the parameter mentions them. */
	leavesOut?: string[];
	/** Whether there must be a row. */
	isNeeded: boolean;
	whatItIs?: Field['whatItIs'];
}

/** The choice between rows and JSON. @param row what a row is @param json what the JSON is */
export const inputOf = (parameter: string, label: string, row: string, json: string): Field => ({
	displayName: `${label} Input`,
	name: `${parameter}Input`,
	type: 'options',
	noDataExpression: true,
	options: [
		{ name: 'Define Below', value: 'define', description: `Fill in each ${row} here` },
		{ name: 'JSON', value: 'json', description: json },
	],
	default: 'define',
	description: `How to enter the ${row}s`,
});

/** Three parameters of a node, of which an item uses one. Its value is a list of pairs, and travels nowhere by itself. */
export function pairFields(pairs: Pairs): [input: Field, rows: Field, json: Field] {
	const { parameter, label, row, description, placeholder, leavesOut, isNeeded } = pairs;
	const { mustBeWhole, ...ofValue } = pairs.value;
	const inRow = { type: 'string', default: '' } satisfies Partial<Field>;
	const name: Field = { displayName: 'Name', name: 'name', ...inRow, whole: 'all', ...pairs.name };
	const value: Field = { displayName: 'Value', name: 'value', ...inRow, ...ofValue };
	const demand = mustBeWhole ? 'whole' : 'needed';
	const noun = `${row[0]!.toUpperCase()}${row.slice(1)}`;
	const input = inputOf(parameter, label, row, 'An object, such as one of the input item');
	const shared = {
		description,
		required: isNeeded,
		routing: { send: { property: parameter } },
		...(pairs.whatItIs && { whatItIs: pairs.whatItIs }),
	};
	const rows: Field = {
		...shared,
		displayName: label,
		name: parameter,
		type: 'fixedCollection',
		typeOptions: { multipleValues: true },
		placeholder: `Add ${noun}`,
		default: {},
		displayOptions: { show: { [input.name]: ['define'] } },
		options: [{ displayName: noun, name: row, values: [name, value] }],
		...(isNeeded && {
			adviceIfEmpty: `Add at least one ${row}. For an expression that returns all of them, choose 'JSON' as '${input.displayName}'.`,
		}),
		compose(values) {
			const found = values.rowsOf(rows).map((each) => [each.read(name, 'needed'), each.read(value, demand)]);
			return pairsOf(values, label, found);
		},
	};
	const object: Field = {
		...shared,
		displayName: `${label} (JSON)`,
		name: `${parameter}Json`,
		type: 'json',
		required: true,
		default: '',
		placeholder: `e.g. ${placeholder}`,
		displayOptions: { show: { [input.name]: ['json'] } },
		kind: objectKind(`e.g. ${placeholder}`),
		...(!mustBeWhole && { whole: 'keys' }),
		compose(values) {
			const given = values.read(object, demand);
			if (given === undefined) return undefined;
			const isMeant = (key: string) =>
				!leavesOut?.includes(key) || new RegExp(`\\b${key}\\b`).test(String(values.rawOf(object)));
			const found = Object.entries(given as object)
				.filter(([key]) => isMeant(key))
				.map(([key, each]) => [
					values.check({ ...name, displayName: `${label}: ${name.displayName}` }, key, 'needed'),
					values.check({ ...value, displayName: `${label}: ${key.slice(0, 100)}` }, each, 'needed'),
				]);
			return pairsOf(values, label, found) ?? (isNeeded ? undefined : []);
		},
	};
	return [input, rows, object];
}

/** @param label of the field that has the names */
export const nameTwice = (label: string, name: unknown) =>
	problem(`'${label}' contains a name twice`, 'Remove one of the two.', name);

/** An object, or its text in JSON. What it contains is checked one by one. */
const objectKind = (example: string): Kind =>
	takingLists((given, label) => {
		const found = parsed(given);
		const repeated = isObject(found) && typeof given === 'string' ? repeatedName(given) : undefined;
		if (repeated !== undefined) return nameTwice(label, repeated);
		return isObject(found)
			? { value: found as object as { [name: string]: string } }
			: problem(
					`'${label}' must be an object in JSON`,
					`Enter names and values in braces, ${example}.`,
					given,
				);
	});

/** The pairs that have a value; undefined without any. The service would take the last value of a name. */
function pairsOf(values: FieldReader, label: string, found: unknown[][]): Pair[] | undefined {
	const pairs: Pair[] = [];
	const names = new Set<string>();
	for (const [name, value] of found) {
		if (name === undefined || value === undefined) continue;
		if (names.has(spelling(name))) values.problems.push(...nameTwice(label, name).problems);
		names.add(spelling(name));
		pairs.push({ name: String(name), value: value as NonNullable<unknown> });
	}
	return pairs.length ? pairs : undefined;
}
