import type { IDataObject } from 'n8n-workflow';

import { filterIgnored } from '../../client/failure';
import type { Selection } from '../../client/request';
import { isEmpty, numberIn } from '../../client/values';
import { optionsOf, type Choice } from '../choices';
import { readFilters } from '../filters';
import * as kinds from '../kinds';
import type { Field, PlacedField } from '../operation';
import { spelling } from '../rows';
import { whereSlugs } from './fields';
import { repeatedSlug } from './problems';

/* Which items 'Get Many' returns. The service filters, and the node compares each item again. */

const slug: Field = {
	displayName: 'Field Slug',
	name: 'slug',
	type: 'string',
	default: '',
	placeholder: 'e.g. article',
	description: 'Short name of the field: the name that its value has in the output',
	hint: 'You cannot filter by an encrypted field',
	builderHint: { propertyHint: `Not the label of a field: ${whereSlugs}.` },
	kind: kinds.trimmedName,
};

const value: Field = {
	displayName: 'Value',
	name: 'value',
	type: 'string',
	default: '',
	placeholder: 'e.g. A-1024',
	description: 'The value that the field must have',
	kind: kinds.plainValue,
};

/** Not `filters`, which other operations store in another form. */
export const fieldFilters: Field = {
	displayName: 'Filters',
	name: 'fieldFilters',
	type: 'fixedCollection',
	typeOptions: { multipleValues: true },
	placeholder: 'Add Filter',
	default: {},
	description: 'Only items that match all of these',
	options: [{ displayName: 'Filter', name: 'filter', values: [slug, value] }],
	routing: { send: { property: 'filters' } },
	compose(values) {
		const path = `${fieldFilters.name}.filter`;
		const rows = [values.rawAt(path) ?? []].flat();
		const slugs = new Set<string>();
		const placed: PlacedField[] = [];
		for (const index of rows.keys()) {
			const labelOf = (field: Field) =>
				`${fieldFilters.displayName}, filter ${index + 1}: ${field.displayName}`;
			const label = labelOf(slug);
			const name = values.readNeeded({ ...slug, displayName: label }, `${path}.${index}.${slug.name}`);
			if (name === undefined) continue;
			if (slugs.has(String(name))) values.problems.push(repeatedSlug(label, name));
			slugs.add(String(name));
			const field = { ...value, name: String(name), displayName: labelOf(value) };
			placed.push({ field, path: `${path}.${index}.${value.name}` });
		}
		const wanted = readFilters(values, placed, fieldFilters.displayName);
		return wanted.size
			? Object.fromEntries([...wanted].map(([field, found]) => [field.name, found]))
			: undefined;
	},
};

const directions: Choice[] = [
	{ name: 'Ascending', value: 'asc' },
	{ name: 'Descending', value: 'desc' },
];

const orderByDirection: Field = {
	displayName: 'Order By Direction',
	name: 'orderByDirection',
	type: 'options',
	options: optionsOf(directions),
	default: 'asc',
	description: 'Whether the lowest or the highest value comes first',
	kind: kinds.oneOf(directions),
};

const orderBy: Field = {
	displayName: 'Order By',
	name: 'orderBy',
	type: 'string',
	default: '',
	placeholder: 'e.g. created_at',
	description: 'Slug of the field to sort by, or created_at or updated_at',
	hint: 'You cannot sort by an encrypted field',
	routing: { send: { property: 'order_by' } },
	kind: kinds.trimmedName,
	compose(values) {
		const pathOf = (field: Field) => `${itemOptions.name}.${field.name}`;
		const isAdded = [orderBy, orderByDirection].some((field) => values.rawAt(pathOf(field)) !== undefined);
		if (!isAdded) return undefined;
		const path = pathOf(orderBy);
		// In another order, the first item would be another one.
		const by = values.forModel ? values.read(orderBy, path) : values.readNeeded(orderBy, path);
		const direction = values.read(orderByDirection, pathOf(orderByDirection)) ?? orderByDirection.default;
		return by === undefined ? undefined : `${String(by)},${String(direction)}`;
	},
};

export const itemOptions: Field = {
	displayName: 'Options',
	name: 'itemOptions',
	type: 'collection',
	placeholder: 'Add option',
	default: {},
	options: [orderBy, orderByDirection],
};

/**
 * Refuses rows that do not match the filters. A service that does not know a field ignores its filter, and the next node would
 * change an item that nobody has meant.
 *
 * @param sent values by wire name
 */
export function selectionOf(sent: ReadonlyMap<string, unknown>): Selection {
	const filters = Object.entries((sent.get(fieldFilters.routing!.send.property) ?? {}) as IDataObject);
	return {
		refuses(rows) {
			for (const [name, wanted] of filters) {
				const other = rows.find((row) => !isSame(row[name], wanted));
				if (other) return filterIgnored(name, other[name]);
			}
			return undefined;
		},
		notice(_, found) {
			if (found) return undefined;
			return filters.length
				? 'No item of the list matches the filters. You cannot filter by an encrypted field.'
				: 'The list has no items.';
		},
	};
}

/** Whether a value of an item is the one in a filter, in any spelling that a service may take for the same. */
function isSame(found: unknown, wanted: unknown): boolean {
	if (Array.isArray(found)) return found.some((each) => !Array.isArray(each) && isSame(each, wanted));
	if (isEmpty(found)) return false;
	if (typeof found === 'boolean') {
		const read = kinds.logical(wanted, '');
		return 'value' in read && read.value === found;
	}
	if (spelling(found) === spelling(wanted)) return true;
	const number = numberIn(wanted);
	return number !== undefined && number === numberIn(found);
}
