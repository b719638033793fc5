import type { WireParameter } from '../../client/placement';
import { isEmpty } from '../../client/values';
import { notEvaluatedIn } from '../../resources/kind';
import type { PlacedField } from '../../resources/operation';
import type { ItemValues } from './itemValues';
import { lostPart, lostWord, unprotected } from './problems';
import { isExpression } from './template';

/*
 * The value of 'Send Once Per'. A value that lacks the part in which items differ is worse than none: the first message of a person
 * is sent, and all later ones are skipped as if they had been sent.
 */

/** An item's value; undefined without protection. An empty text means no protection. An expression without a value is a mistake. */
export function readSendOncePer(item: ItemValues, { field, path }: PlacedField): WireParameter['value'] {
	const label = field.displayName;
	const value = item.read(field, path, (found) => (typeof found === 'string' ? [] : [unprotected(label)]));
	const text = String(value ?? '');
	const template = item.rawAt(path);
	const parts = item.values.partsAt(path);
	const empty = parts.filter((part) => isEmpty(part.value)).map(({ code }) => code);
	if (empty.length) {
		item.problems.push(item.withLookAlike(lostPart(label, empty), path));
	} else if (isExpression(template) && lost.test(text)) {
		const part = parts.find((each) => lost.test(String(each.value)));
		item.problems.push(lostWord(label, part?.code ?? template.slice(1), text));
	} else if (text.includes('{{')) {
		// Whatever stands in the braces, it was to be replaced.
		item.problems.push(...notEvaluatedIn(label, value).problems);
	}
	return value;
}

/** What JavaScript writes in a text for nothing. */
const lost = /(?<![\w\u00c0-\u1fff])(?:undefined|null|NaN)(?![\w\u00c0-\u1fff])/;
