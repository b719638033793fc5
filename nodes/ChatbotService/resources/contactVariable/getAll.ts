import { contactId, limit, returnAll } from '../fields';
import type { Field, Operation } from '../operation';
import { nameOfVariable } from '../rows';

const deprecatedVariable: Field = {
	displayName:
		"The object 'variable' in each item is deprecated: the service keeps it for old clients only. The item itself contains the ID and the name.",
	name: 'deprecatedVariable',
	type: 'notice',
	default: '',
};

/** GET getContactVariables. */
export const contactVariableGetAll: Operation = {
	option: {
		name: 'Get Many',
		value: 'getAll',
		action: 'Get many contact variables',
		description: 'Retrieve many variables of a contact',
		builderHint: { propertyHint: 'Output: one item per variable, with id, name and value.' },
		routing: { request: { method: 'GET', url: '/getContactVariables' } },
	},
	fields: [contactId, returnAll, limit, deprecatedVariable],
	place: 'query',
	answer: 'many',
	idempotent: true,
	// OneBot and LEADTEX return the name only in `variable`.
	shape: (row) => ({ ...row, name: nameOfVariable(row) }),
};
