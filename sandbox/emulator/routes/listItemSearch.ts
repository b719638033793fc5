/** Which items of a list getListItems returns, and in which order. */

import type { ListItem, ListSchema } from '../data';
import { isMissing, isNumeric, isTrue, type Input } from '../validation';

/** A filter by anything that the list does not have is ignored, and so is one without a value. */
export function filtered(items: ListItem[], schema: ListSchema, filters: Input): ListItem[] {
	const conditions = Object.entries(filters).filter(
		([name, wanted]) =>
			!isMissing(wanted) && (Object.hasOwn(schema.fields, name) || Object.hasOwn(OWN, name)),
	);
	return items.filter((item) =>
		conditions.every(([name, wanted]) => matches(searchable(schema, item, name), wanted)),
	);
}

/** By `field` or `field,direction`; by anything that the list does not have, in the order of their creation. */
export function ordered(items: ListItem[], schema: ListSchema, orderBy: unknown): ListItem[] {
	const [name = '', direction] = String(orderBy ?? '')
		.split(',')
		.map((part) => part.trim());
	const sign = direction === 'desc' ? -1 : 1;
	return items.toSorted((a, b) => sign * compare(searchable(schema, a, name), searchable(schema, b, name)));
}

/** What an item has besides the fields of its list. */
const OWN: Record<string, (item: ListItem) => string> = {
	id: ({ id }) => id,
	created_at: ({ createdAt }) => createdAt,
	updated_at: ({ updatedAt }) => updatedAt,
};

/** A value as far as the database can read it, which excludes what is encrypted. */
function searchable({ fields }: ListSchema, item: ListItem, name: string): unknown {
	if (Object.hasOwn(OWN, name)) return OWN[name]!(item);
	return fields[name]?.is_encryptable ? undefined : item.values[name];
}

/** Stored values have the type of their field, so this determines how they compare. */
function matches(value: unknown, wanted: unknown): boolean {
	if (typeof value === 'number') return isNumeric(wanted) && value === Number(wanted);
	if (typeof value === 'boolean') {
		const known = [true, false, 1, 0, '1', '0', 'true', 'false'].includes(wanted as never);
		return known && value === (isTrue(wanted) || wanted === 'true');
	}
	return value === String(wanted);
}

/** Missing values come first, as in a database; what has no order, such as a picture, stays where it is. */
function compare(a: unknown, b: unknown): number {
	const [first, second] = [isMissing(a), isMissing(b)];
	if (first || second) return Number(second) - Number(first);
	if (typeof a === 'object' || a === b) return 0;
	return (a as number) < (b as number) ? -1 : 1;
}
