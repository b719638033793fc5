import * as kinds from '../kinds';
import type { Field } from '../operation';

/** Does not travel. Under its value the node remembers who received a message. */
export const sendOncePer: Field = {
	displayName: 'Send Once Per',
	name: 'sendOncePer',
	type: 'string',
	default: '',
	placeholder: 'e.g. autumn-sale',
	description:
		'A name for what is sent, or an expression such as the number of an order. Under one name each recipient gets at most one message, whatever runs again: whoever has got it is skipped, so that a run that was cut off can simply be started again. Empty means no protection.',
	hint: 'With autumn-sale, or the number of an order, nobody gets a second message under that name, however often this runs',
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
