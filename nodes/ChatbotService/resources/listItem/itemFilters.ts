import type { IDataObject } from 'n8n-workflow';

import { filterIgnored, invalidValues, type Failure } from '../../client/failure/failure';
import { isDone, type Done, type Failed, type Left, type Result } from '../../client/failure/result';
import { isEmpty, numberIn, spelling } from '../../shared/values';
import type { WireParameter } from '../../client/http/placement';
import type { Choice } from '../choices';
import { choiceOf, optionsWith, pickedFrom, readFilters, schemaId } from '../fields';
import * as kinds from '../kinds';
import { listSchemaGet } from '../listSchema/get';
import type { Field, FieldReader, Requests, WireValues, Steps } from '../operation';
import { requestFor } from '../operationRequest';
import { fieldsIn } from '../listFields';
import { kindOfType, ownColumns } from './columns';
import { fieldOfList } from './itemFields';
import { noSuchField, repeatedSlug, severalOrders } from './itemProblems';

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
		const filters = filtersIn(values);
		for (const [index, { label, slug }] of filters.entries())
			if (filters.findIndex((each) => each.slug === slug) < index)
				values.problems.push(repeatedSlug(label, slug));
		const wanted = readFilters(
			values,
			filters.map(({ slug, row }) => [slug, row.read(value, 'condition')]),
			fieldFilters.displayName,
		);
		return wanted.size ? Object.fromEntries(wanted) : undefined;
	},
};

/** A field that a parameter names. */
interface Named {
	/** Of the parameter. */
	label: string;
	slug: string;
}

/** The filters that name a field. */
const filtersIn = (values: FieldReader): Array<Named & { row: FieldReader }> =>
	values.rowsOf(fieldFilters).flatMap((row) => {
		const found = row.read(slug, 'needed');
		return found === undefined ? [] : { label: row.labelOf(slug), slug: String(found), row };
	});

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
		const isAdded = (field: Field) => values.rawOf(field) !== undefined;
		if (!isAdded(orderBy) && !isAdded(orderByDirection)) return undefined;
		// In another order, the first item would be another one.
		const by = values.read(orderBy, 'condition');
		const chosen = isAdded(orderByDirection) ? values.read(orderByDirection, 'condition') : undefined;
		if (by === undefined) return undefined;
		// The documents of the API write the direction after the field.
		const [, field = '', written] = /^(.*?)(?:[\s,;:]+(asc|desc)(?:ending)?)?$/is.exec(String(by))!;
		if (!field || /^-|[,;:]/.test(field)) values.problems.push(severalOrders(orderBy.displayName, by));
		return `${field},${written?.toLowerCase() ?? String(chosen ?? orderByDirection.default)}`;
	},
};

export const itemOptions: Field = { ...optionsWith(orderBy, orderByDirection), name: 'itemOptions' };

/**
 * Reads values as 'Create' reads them, by the types of the fields: so an item is found by the value from which it was stored.
 *
 * @param values by slug
 * @param row a list schema
 * @returns whether this has changed them
 */
export function readByType(values: IDataObject, row: IDataObject): boolean {
	const definitions = new Map(fieldsIn(row));
	const before = JSON.stringify(values);
	for (const [slug, value] of Object.entries(values)) {
		const read = kindOfType(definitions.get(slug)?.type)?.(value, slug);
		if (read && 'value' in read) values[slug] = read.value;
	}
	return JSON.stringify(values) !== before;
}

/** Requests the items that match the filters. */
export function stepsOf(sent: WireValues, values: FieldReader): Steps {
	const filters = (sent.of(fieldFilters) ?? {}) as IDataObject;
	const named: Named[] = filtersIn(values);
	const [order] = String(sent.of(orderBy) ?? '').split(',');
	if (order) named.push({ label: orderBy.displayName, slug: order });
	return async (requests) =>
		await itemsBy(requests, {
			filters,
			named,
			list: sent.of(schemaId),
			most: requests.most,
			pages: () => requests.read(requests.own, requests.most),
		});
}

interface Lookup {
	/** Changes if the types of the fields require it. */
	filters: IDataObject;
	/** The fields that the list must have. */
	named: Named[];
	/** ID of the list. */
	list: WireParameter['value'];
	/** Number of items that are enough. */
	most: number | undefined;
	/** Requests the items by the filters as they are now. */
	pages(): AsyncIterable<Result | Left> | Array<Promise<Result | Left>>;
}

/** How slugs usually look. A label may look otherwise. */
const usualSlug = /^[a-z0-9][\w.-]*$/i;

/**
 * The items of a list that match filters. The list schema tells which fields and which types the list has. It is read once for a run,
 * and only if something may be wrong. Without it, everything stays as it is, because the service may lack this endpoint.
 */
export async function itemsBy(requests: Requests, lookup: Lookup): Promise<Result | Left> {
	const { named, list } = lookup;
	const known = () => requests.known(schemaRequest(list));
	const read = async () => {
		if (!known()) await schemaOf(requests, list);
		return known();
	};
	const before = named.every(({ slug }) => usualSlug.test(slug)) ? known() : await read();
	const refused = learn(lookup, before);
	if (typeof refused === 'object') return refused;
	const found = await matching(lookup);
	if (before || !isDone(found) || showsAll(found.rows, lookup)) return resultOf(found);
	const learned = learn(lookup, await read());
	if (typeof learned === 'object') return learned;
	return resultOf(learned ? await matching(lookup) : found);
}

const schemaRequest = (list: WireParameter['value']) => requestFor(listSchemaGet, [schemaId, list]);

/** A list schema, as the only row. The items of a run read it once. @param list its ID */
export async function schemaOf(requests: Requests, list: WireParameter['value']): Promise<Result | Left> {
	for await (const page of requests.read(schemaRequest(list))) return page;
	return 'notSent';
}

/** Reads the filters by the types of the fields. @returns whether that has changed them, or which field the list does not have */
function learn({ filters, named }: Lookup, [schema]: IDataObject[] = []): boolean | Failed {
	if (schema?.fields === undefined) return false;
	const fields = fieldsIn(schema);
	const slugs = [...ownColumns, ...fields.map(([slug]) => slug)];
	const unknown = named.find(({ slug }) => !slugs.includes(slug));
	if (!unknown) return readByType(filters, schema);
	const names = fields.map(([slug, field]): [string, unknown] => [slug, field?.name]);
	return { failure: invalidValues([noSuchField(unknown.label, unknown.slug, names)]) };
}

/** Whether items show that the list has all fields. Without filters, an empty answer says nothing about the list. */
const showsAll = (rows: IDataObject[], { filters, named }: Lookup) =>
	(!rows.length && !Object.keys(filters).length) ||
	named.every(({ slug }) => ownColumns.includes(slug) || rows.some((row) => slug in row));

interface Found extends Done {
	/** Why the answer cannot be used. */
	ignored?: Failure;
}

/**
 * Leaves out rows that do not match the filters, and refuses an answer in which none does. A service that does not know a field ignores
 * its filter, and the next node would change an item that nobody has meant.
 */
async function matching({ filters, most = Infinity, pages }: Lookup): Promise<Found | Failed | Left> {
	const slugs = Object.keys(filters);
	const isWanted = (row: IDataObject) => slugs.every((slug) => isSame(row[slug], filters[slug]));
	const found: IDataObject[] = [];
	for await (const page of pages()) {
		if (!isDone(page)) return page;
		const { rows } = page;
		for (const row of rows) if (isWanted(row)) found.push(row);
		if (!found.length && rows.length) {
			const wrong = slugs.find((slug) => rows.some((row) => !isSame(row[slug], filters[slug])))!;
			const other = rows.find((row) => !isSame(row[wrong], filters[wrong]))!;
			return { rows: [], ignored: filterIgnored(wrong, other[wrong]) };
		}
		if (found.length >= most) break;
	}
	const notice = slugs.length ? 'No item of the list matches the filters.' : 'The list has no items.';
	return { rows: found.slice(0, most), notice: found.length ? undefined : notice };
}

const resultOf = (found: Found | Failed | Left): Result | Left =>
	isDone(found) && found.ignored ? { failure: found.ignored } : found;

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
