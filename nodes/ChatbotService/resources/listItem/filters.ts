import type { IDataObject } from 'n8n-workflow';

import { filterIgnored } from '../../client/failure/failure';
import { isEmpty, numberIn } from '../../shared/values';
import type { Choice } from '../choices';
import { readFilters } from '../filters';
import * as kinds from '../kinds';
import { choiceOf, pickedFrom } from '../fields';
import { isDone, type Left, type Result } from '../../client/failure/result';
import { listSchemaGet } from '../listSchema/get';
import type { Field, PlacedField, Requests, Sent, Steps } from '../operation';
import { requestFor } from '../request';
import { fieldsBySlug, spelling } from '../rows';
import { kindOfType } from './columns';
import { fieldOfList } from './fields';
import { repeatedSlug, severalOrders } from './problems';

/* Which items 'Get Many' returns. The service filters, and the node compares each item again. */

const slug: Field = {
	displayName: 'Field',
	name: 'slug',
	...fieldOfList,
	description: 'The field that must have the value',
	hint: 'You cannot filter by an encrypted field',
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
	...choiceOf(directions),
	default: 'asc',
	description: 'Whether the lowest or the highest value comes first',
};

const orderBy: Field = {
	displayName: 'Order By',
	name: 'orderBy',
	...fieldOfList,
	...pickedFrom('searchOrderFields', {
		displayName: 'By Slug',
		name: 'slug',
		placeholder: 'e.g. created_at',
	}),
	// Otherwise n8n would require it also where nobody has added it.
	required: false,
	description: 'The field to sort by, or the time of creation or of the last change',
	hint: 'You cannot sort by an encrypted field',
	routing: { send: { property: 'order_by' } },
	compose(values) {
		const pathOf = (field: Field) => `${itemOptions.name}.${field.name}`;
		const isAdded = (field: Field) => values.rawAt(pathOf(field)) !== undefined;
		if (!isAdded(orderBy) && !isAdded(orderByDirection)) return undefined;
		// In another order, the first item would be another one.
		const by = values.readCondition(orderBy, pathOf(orderBy));
		const chosen = isAdded(orderByDirection)
			? values.readCondition(orderByDirection, pathOf(orderByDirection))
			: undefined;
		if (by === undefined) return undefined;
		// The documents of the API write the direction after the field.
		const [, field = '', written] = /^(.*?)(?:[\s,;:]+(asc|desc)(?:ending)?)?$/is.exec(String(by))!;
		if (!field || /^-|[,;:]/.test(field)) values.problems.push(severalOrders(orderBy.displayName, by));
		return `${field},${written?.toLowerCase() ?? String(chosen ?? orderByDirection.default)}`;
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

/** The filters as they are sent, by slug. */
const filtersIn = (sent: Sent) => (sent.get(fieldFilters.routing!.send.property) ?? {}) as IDataObject;

/** Whether a value is another one as a number, a boolean or a text. */
const dependsOnType = (wanted: unknown) =>
	typeof wanted !== 'string' || [kinds.decimal, kinds.logical].some((kind) => 'value' in kind(wanted, ''));

/**
 * Reads values as 'Create' reads them, by the types of the fields: so an item is found by the value from which it was stored.
 *
 * @param values by slug
 * @param row a list schema
 * @returns whether this has changed them
 */
export function readByType(values: IDataObject, { fields }: IDataObject): boolean {
	const definitions = new Map(fieldsBySlug((fields ?? {}) as object));
	const before = JSON.stringify(values);
	for (const [slug, value] of Object.entries(values)) {
		const definition = definitions.get(slug) as IDataObject | null | undefined;
		const read = kindOfType(definition?.type)?.(value, slug);
		if (read && 'value' in read) values[slug] = read.value;
	}
	return JSON.stringify(values) !== before;
}

/**
 * Requests the items that match the filters. If there are none, the types of the fields may tell why: they are read once for a run.
 * Without them, the values stay as they are, because the service may lack this endpoint.
 */
export const stepsOf =
	(sent: Sent): Steps =>
	async (requests) =>
		await itemsBy(requests, {
			filters: filtersIn(sent),
			list: sent.get('schema_id'),
			most: requests.most,
			pages: () => requests.read(requests.own, requests.most),
		});

interface Lookup {
	/** Changes if the types of the fields require it. */
	filters: IDataObject;
	/** ID of the list. */
	list: unknown;
	/** Number of items that are enough. */
	most: number | undefined;
	/** Requests the items by the filters as they are now. */
	pages(): AsyncIterable<Result | Left> | Array<Promise<Result | Left>>;
}

/** The items of a list that match filters. */
export async function itemsBy(requests: Requests, lookup: Lookup): Promise<Result | Left> {
	const { filters, list } = lookup;
	const known = requests.known(schemaRequest(list));
	if (known?.[0]) readByType(filters, known[0]);
	const found = await matching(lookup);
	if (known || !isDone(found) || found.rows.length || !Object.values(filters).some(dependsOnType))
		return found;
	const schema = await schemaOf(requests, list);
	return isDone(schema) && readByType(filters, schema.rows[0]!) ? await matching(lookup) : found;
}

const schemaRequest = (list: unknown) => requestFor(listSchemaGet, { schema_id: list as string });

/** A list schema, as the only row. The items of a run read it once. @param list its ID */
export async function schemaOf(requests: Requests, list: unknown): Promise<Result | Left> {
	for await (const page of requests.read(schemaRequest(list))) return page;
	return 'notSent';
}

/**
 * Leaves out rows that do not match the filters, and refuses an answer in which none does. A service that does not know a field ignores
 * its filter, and the next node would change an item that nobody has meant.
 */
async function matching({ filters, most = Infinity, pages }: Lookup): Promise<Result | Left> {
	const slugs = Object.keys(filters);
	const isWanted = (row: IDataObject) => slugs.every((slug) => isSame(row[slug], filters[slug]));
	const found: IDataObject[] = [];
	for await (const page of pages()) {
		if (!isDone(page)) return page;
		const { rows } = page;
		for (const row of rows) if (isWanted(row)) found.push(row);
		if (!found.length && rows.length) {
			const slug = slugs.find((each) => rows.some((row) => !isSame(row[each], filters[each])))!;
			return { failure: filterIgnored(slug, rows.find((row) => !isSame(row[slug], filters[slug]))![slug]) };
		}
		if (found.length >= most) break;
	}
	const notice = slugs.length
		? 'No item of the list matches the filters. You cannot filter by an encrypted field.'
		: 'The list has no items.';
	return { rows: found.slice(0, most), notice: found.length ? undefined : notice };
}

/** Whether a value of an item is the one in a filter, in any spelling that a service may take for the same. */
function isSame(found: unknown, wanted: unknown): boolean {
	if (Array.isArray(found)) return found.some((each) => !Array.isArray(each) && isSame(each, wanted));
	if (isEmpty(found)) return false;
	if (spelling(found) === spelling(wanted)) return true;
	if (typeof found === 'boolean' || /^[01]$/.test(String(found))) {
		const [yes, other] = [kinds.logical(found, ''), kinds.logical(wanted, '')];
		return 'value' in yes && 'value' in other && yes.value === other.value;
	}
	// A day, of a field that holds a time.
	if (isDay.test(String(wanted)) && /^[T ]/.test(String(found).slice(10)))
		return String(found).startsWith(String(wanted));
	const number = numberIn(wanted);
	return number !== undefined && number === numberIn(found);
}

const isDay = /^\d{4}-\d\d-\d\d$/;
