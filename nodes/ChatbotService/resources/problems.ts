import type { Problem } from '../client/failure/failure';
import { quote } from '../shared/quote';
import { problem } from './kind';

/* Texts about values of several operations, of contacts, and of messages. */

/** A model has added filters and fills in none. @param label of the parameter that contains them */
export const noFilter = (label: string): Problem => ({
	message: `All values of '${label}' are empty`,
	advice:
		'Enter a value for at least one of them. Without any, the service would return records that no one has asked for.',
});

/** A period of creation that begins after its end. @param from label of its beginning @param until label of its end */
export const wrongPeriod = (from: string, until: string): Problem => ({
	message: `'${from}' is later than '${until}'`,
	advice: 'No contact can match both. Exchange them, or correct their expressions.',
});

export const notInMax = (label: string, found: unknown) =>
	problem(
		`'${label}' cannot be MAX here: the service creates no contacts in MAX`,
		'A person in MAX becomes a contact when they write to the bot. Choose another messenger, or leave this person out.',
		found,
	);

/** The run would do without the option, which the editor still shows. */
export const withoutValues = (label: string): Problem => ({
	message: `'${label}' has no values`,
	advice: `To run without the option, hover over '${label}' in the node and select the trash icon. Otherwise, enter its values again.`,
});

/** Hours that begin when they end. @param label of their parameter */
export const sameTimes = (label: string, found: unknown): Problem => ({
	message: `'${label}' begin and end at the same time`,
	advice: `Enter two different times, or remove '${label}' to send at any time. Received: ${quote(found)}.`,
});

const testToCustomer =
	'The test message would go to a customer. Enter your own without an expression, or leave the field empty to send nothing.';

/** The person who tries a run would be a customer. @param label of the parameter that names this person */
export const testerIsRecipient = (label: string): Problem => ({
	message: `'${label}' is a recipient of the run`,
	advice: testToCustomer,
});

/** Each item has another person. @param label as above */
export const testerReadsItem = (label: string): Problem => ({
	message: `'${label}' comes from the item`,
	advice: testToCustomer,
});
