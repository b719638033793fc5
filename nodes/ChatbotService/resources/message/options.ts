import { includeInputFields, optionsWith } from '../fields';
import * as kinds from '../kinds';
import type { Broadcast, Field } from '../operation';
import { hoursOf, sendingHours, timeZone } from './sendingHours';
import { testRunFor } from './testRunOption';

/*
 * 'Options' of 'Send' and 'Send to WhatsApp Number'. Who counts as the same recipient: run/values/target.ts. Who is skipped:
 * run/ledger/store.ts.
 */

/** Not sent. The node records under its value who received a message. */
export const sendOncePer: Field = {
	displayName: 'Send Once Per',
	name: 'sendOncePer',
	type: 'string',
	default: '',
	placeholder: 'e.g. autumn-sale',
	description:
		'Name of the broadcast, or an order ID. Each recipient gets at most one message under the same name, however often you run this.',
	builderHint: {
		propertyHint:
			"Set this for every broadcast and every workflow that may run again with the same recipients, for example 'autumn-sale', or an expression such as the order ID. For one broadcast, use a fixed name, not the time of the run; for a message that repeats, add the period, such as the month. A skipped item is in the main output, with alreadySent: true.",
	},
	kind: kinds.trimmedText,
};

/** Not sent. The parts of a list that a model writes would allow whom the model wants, so an expression with `$fromAI` is refused. */
const allowedRecipients: Field = {
	displayName: 'Allowed Recipients',
	name: 'allowedRecipients',
	type: 'string',
	default: '',
	placeholder: 'e.g. 1048576, +79161234567',
	description:
		'Who may get messages: contact IDs, phone numbers or messenger IDs, separated by commas, or a list. The node refuses everyone else before it sends anything.',
	builderHint: {
		propertyHint:
			'Set this if an AI agent chooses the recipient: to fixed values, or to an expression that reads an earlier node. Never let the model fill it in with $fromAI.',
	},
	kind: kinds.names,
};

const mostRecipients: Field = {
	displayName: 'Maximum Recipients',
	name: 'mostRecipients',
	type: 'number',
	typeOptions: { minValue: 1 },
	default: 100,
	description:
		'How many different people an execution may write to. If there are more, the node sends nothing. In a loop, the batches count together.',
	kind: kinds.wholeNumber('Enter 1 or more, or remove the option for no limit.'),
};

/** Without its options, which depend on the operation. */
export const messageOptions = optionsWith();

/**
 * The options of an operation that sends messages to many people.
 *
 * @param recipients the fields that can name the recipient; the first one also names the person who tries a run
 * @param others the fields that a message to that person has too
 */
export function optionsFor(
	recipients: [Field, ...Field[]],
	others: Field[],
): { options: Field; broadcast: Broadcast } {
	const { testRun, ...ofTest } = testRunFor(recipients, others);
	return {
		options: optionsWith(
			allowedRecipients,
			includeInputFields,
			mostRecipients,
			sendOncePer,
			sendingHours,
			testRun.field,
		),
		broadcast: {
			sendOncePer,
			allowedRecipients,
			timeZone,
			ofRun: {
				hours: {
					field: sendingHours,
					read: hoursOf,
					instead:
						"If the people live in several time zones, let an expression give the zone of each item in 'Time Zone'.",
				},
				testRun,
				mostRecipients: {
					field: mostRecipients,
					read: (values) => values.read(mostRecipients, 'needed') as number | undefined,
				},
			},
			...ofTest,
		},
	};
}
