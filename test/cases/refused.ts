/** The value of the item's field `value`. */
export const VALUE = '={{ $json.value }}';

/**
 * An operation (its usual sample), what is changed in its parameters, the values, and a part of the message. With an object, the values
 * are those of the item's field `value`, undefined for an item without it. With a function, each value is written into the parameters.
 */
export type Refused = [
	operation: string,
	changes: object | ((value: string) => object),
	values: unknown[],
	says: string,
];

export const refusedBy = (
	operation: string,
	changes: Refused[1],
	values: unknown[],
	says: string,
): Refused => [operation, changes, values, says];
