import type { WireParameter } from '../../client/placement';
import { notEvaluatedIn } from '../../resources/kind';
import type { PlacedField } from '../../resources/operation';
import type { ItemValues } from './itemValues';
import { unprotected } from './problems';

/*
 * The value of 'Send Once Per'. A value that lacks the part in which items differ is worse than none: the first message of a person
 * is sent, and all later ones are skipped as if they had been sent.
 */

/** An item's value; undefined without protection. An empty text means no protection. An expression without a value is a mistake. */
export function readSendOncePer(item: ItemValues, { field, path }: PlacedField): WireParameter['value'] {
	const label = field.displayName;
	const value = item.read(field, path, (found) => (typeof found === 'string' ? [] : [unprotected(label)]));
	// Whatever stands in the braces, it was to be replaced.
	if (!item.refuseLost(field, path, { value }) && String(value ?? '').includes('{{'))
		item.problems.push(...notEvaluatedIn(label, value).problems);
	return value;
}
