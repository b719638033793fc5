import type { Field } from '../../resources/operation';

/*
 * Whom or what a request is for: a contact, by whatever names it, or a list. Requests for the same one keep the order of their items,
 * and under one value of 'Send Once Per' the same recipient gets one message. So all spellings of a phone number are one recipient.
 */

/** Whether a field names whom or what a request is for. */
export const namesTarget = ({ names }: Field): boolean =>
	names === 'target' || names === 'person' || names === 'partOfTarget';

/** What fields name by their values, as one text; undefined where none has a value. @param values by wire name */
export function namedBy(
	fields: Array<{ field: Field; name: string }>,
	values: ReadonlyMap<string, unknown>,
): string | undefined {
	const parts = fields
		.filter(({ name }) => values.has(name))
		.map(({ field, name }) => `${name} ${spelling(field, String(values.get(name)))}`);
	return parts.length ? parts.join(' ') : undefined;
}

const spelling = ({ names }: Field, value: string): string =>
	names === 'person' && isNumber(value) ? digitsOf(value) : value;

/** A number as people write it, with what helps to read it. */
const isNumber = (value: string): boolean => /^\+?[\s().]*\d[\d\s().-]*$/.test(value);

/** In Russia and Kazakhstan people write 8 for the country code 7. With a plus, 8 begins another country's code. */
function digitsOf(number: string): string {
	const digits = number.replace(/\D/g, '');
	return /^8\d{10}$/.test(digits) && !number.startsWith('+') ? `7${digits.slice(1)}` : digits;
}
