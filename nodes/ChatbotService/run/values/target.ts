import { wireNameOf, type Field, type WireValues } from '../../resources/operation';
import { decimal, logical } from '../../resources/kinds';
import { digitsOf } from '../../resources/phone';
import { spelling } from '../../shared/values';

/*
 * The target of a request: the contact, list or item that it changes. Requests for the same target keep the order of their items, and
 * a recipient gets one message under one value of 'Send Once Per'. Therefore all spellings of a phone number are the same target.
 */

export const namesTarget = ({ target }: Field): boolean => target !== undefined;

/** Whether a field names a person or a record by itself. */
export const isName = ({ target }: Field): boolean => target === 'id' || target === 'person';

/** What fields name by their values, as one text; undefined if none has a value. */
export function namedBy(fields: Field[], values: WireValues): string | undefined {
	const parts = fields
		.filter((field) => values.of(field) !== undefined)
		.map((field) => `${wireNameOf(field)} ${textOf(field, values.of(field))}`);
	return parts.length ? parts.join(' ') : undefined;
}

const textOf = (field: Field, value: unknown): string =>
	field.target === 'key' ? keyIn(value as object) : asTarget(field, String(value));

/** Values that may be the same for the service, whatever the type of the field. @param filters by slug */
const keyIn = (filters: object): string =>
	JSON.stringify(
		Object.entries(filters).map(([slug, value]) => {
			const read = [decimal, logical].map((kind) => kind(value, slug)).find((each) => 'value' in each);
			return [slug, read ? Number(read.value) : spelling(value)];
		}),
	);

/** The value of a field that names a target, as one text for all its spellings. */
export const asTarget = ({ target }: Field, value: string): string =>
	target === 'person' && isNumber(value) ? digitsOf(value) : value;

/** Digits, with the separators that people write between them. */
const isNumber = (value: string): boolean => /^\+?[\s().]*\d[\d\s().-]*$/.test(value);
