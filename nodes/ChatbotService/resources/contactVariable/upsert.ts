import { contactId, offSwitch, outputOptions, requiredText, variableName } from '../fields';
import * as kinds from '../kinds';
import { harmless, type Field, type Operation } from '../operation';

export const variableValue: Field = {
	displayName: 'Value',
	name: 'variableValue',
	...requiredText,
	placeholder: 'e.g. Kazan',
	description: 'New value of the variable, as text',
	routing: { send: { property: 'value' } },
	kind: kinds.text,
	adviceIfEmpty: "To remove the variable, use the operation 'Delete'.",
};

export const deletable: Field = {
	displayName: 'Remove After a Request',
	name: 'deletable',
	...offSwitch,
	description:
		'Whether the service removes the variable after the contact has submitted a request in the bot, such as an order',
	routing: { send: { property: 'deletable' } },
	kind: (value, label) => {
		const checked = kinds.logical(value, label);
		return 'value' in checked ? { value: checked.value ? 1 : 0 } : checked;
	},
};

export const contactVariableUpsert: Operation = {
	option: {
		name: 'Create or Update',
		value: 'upsert',
		action: 'Create or update contact variable',
		description: 'Create a new record, or update the current one if it already exists (upsert)',
		routing: { request: { method: 'POST', url: '/setContactVariable' } },
	},
	fields: [contactId, variableName, variableValue, deletable, outputOptions],
	inQuery: 'ifShort',
	answer: 'done',
	advice: harmless('The variable may have been set. Setting it again'),
};
