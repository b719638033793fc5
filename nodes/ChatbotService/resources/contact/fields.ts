import type { Kind } from '../kind';
import * as kinds from '../kinds';
import type { Field } from '../operation';

/* Fields of the same form, as filters of contacts and as data of a contact. */

/** A text that may be left out. */
export const optional = (
	displayName: string,
	name: string,
	kind: Kind,
	more: Partial<Field> = {},
): Field => ({
	displayName,
	name,
	type: 'string',
	default: '',
	kind,
	...more,
});

/** @param purpose completes 'Tag names, separated by commas' */
export const tagNames = (displayName: string, name: string, purpose: string, more: Partial<Field> = {}) =>
	optional(displayName, name, kinds.names, {
		placeholder: 'e.g. VIP, Paid',
		description: `Tag names, separated by commas${purpose}`,
		...more,
	});
