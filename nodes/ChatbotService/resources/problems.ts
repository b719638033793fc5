import type { Problem } from '../client/failure/failure';
import { quote } from '../shared/quote';

/* Texts about values that several operations have. */

/** A model has added filters and fills in none. @param label of the parameter that contains them */
export const noFilter = (label: string): Problem => ({
	message: `All values of '${label}' are empty`,
	advice:
		'Enter a value for at least one of them. Without any, the response would be records that no one has asked for.',
});

/** Hours that begin when they end. @param label of their parameter */
export const sameTimes = (label: string, found: unknown): Problem => ({
	message: `'${label}' begin and end at the same time`,
	advice: `Enter two different times, or remove '${label}' to send at any time. Received: ${quote(found)}.`,
});

const testToCustomer =
	'The test message would go to a customer. Enter yourself without an expression, or leave the field empty to send nothing.';

/** The person who tries a run would be a customer. @param label of the parameter that names this person */
export const testerIsRecipient = (label: string): Problem => ({
	message: `The expression in '${label}' names a recipient of the run`,
	advice: testToCustomer,
});

/** Each item has another person. @param label as above */
export const testerReadsItem = (label: string): Problem => ({
	message: `The expression in '${label}' reads the item`,
	advice: testToCustomer,
});
