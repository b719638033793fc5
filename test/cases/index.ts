import { contactCases } from './contactCases';
import { listCases } from './listCases';
import { messageCases } from './messageCases';
import { requestCases } from './requestCases';

/* Values that the node refuses before anything leaves: tables, which engine/refused runs in each mode, and as a tool. */

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

export const refusedCases: Refused[] = [...contactCases, ...listCases, ...messageCases, ...requestCases];
