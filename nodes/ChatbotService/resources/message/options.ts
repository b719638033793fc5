import * as kinds from '../kinds';
import type { Field } from '../operation';

/** Not sent. Under its value the node remembers who received a message. */
export const sendOncePer: Field = {
	displayName: 'Send Once Per',
	name: 'sendOncePer',
	type: 'string',
	default: '',
	placeholder: 'e.g. autumn-sale',
	description:
		'A name for the broadcast, or an expression such as the number of an order. Each recipient gets at most one message under one name: if you start an interrupted run again, the node skips recipients who already received the message. Empty means no protection.',
	hint: 'For example autumn-sale or an order number: under one name nobody gets a second message, however often this runs',
	kind: kinds.trimmedText,
};

export const messageOptions: Field = {
	displayName: 'Options',
	name: 'options',
	type: 'collection',
	placeholder: 'Add option',
	default: {},
	options: [sendOncePer],
};

/** Where n8n keeps the value of 'Send Once Per'. */
export const sendOncePerOption = {
	path: `${messageOptions.name}.${sendOncePer.name}`,
	field: sendOncePer,
};
