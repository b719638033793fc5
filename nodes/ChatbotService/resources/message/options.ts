import { offSwitch } from '../fields';
import * as kinds from '../kinds';
import type { Broadcast, Field, PlacedField } from '../operation';
import { hoursOf, sendingHours } from './hours';

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
		'A name for the broadcast, or an expression such as the order number. Each recipient gets at most one message under the same name, also in other capital letters. If you start an interrupted run again, the node skips recipients who already received the message. Leave empty for no protection.',
	hint: 'For example autumn-sale or an order ID: each recipient gets one message per value, however often you run this',
	builderHint: {
		propertyHint:
			"Set this for every broadcast and every workflow that may run again with the same recipients, for example 'autumn-sale', or an expression such as the order ID. For one broadcast, use a fixed name, not the time of the run; for a message that repeats, add the period, such as the month. A skipped item is in the main output, with alreadySent: true.",
	},
	kind: kinds.trimmedText,
};

/** Not sent. Takes no expressions, because it applies to all output items. */
const includeInputFields: Field = {
	displayName: 'Include Input Fields',
	name: 'includeInputFields',
	...offSwitch,
	noDataExpression: true,
	description:
		"Whether the output also contains the fields of the input item, so that the next node can record who received the message. If the service's answer has a field with the same name, the output contains the answer's value. The output never contains the fields error, success and alreadySent of the input item.",
};

export const messageOptions: Field = {
	displayName: 'Options',
	name: 'options',
	type: 'collection',
	placeholder: 'Add option',
	default: {},
	options: [includeInputFields, sendOncePer, sendingHours],
};

const inOptions = (field: Field): PlacedField => ({ path: `${messageOptions.name}.${field.name}`, field });

export const broadcast: Broadcast = {
	sendOncePer: inOptions(sendOncePer),
	includeInputFields: inOptions(includeInputFields),
	hours: (values) => hoursOf(values, inOptions(sendingHours).path),
};
