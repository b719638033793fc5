import { contactId, limit, returnAll } from '../fields';
import type { Operation } from '../operation';
import { nameOfVariable } from '../rows';

export const contactVariableGetAll: Operation = {
	option: {
		name: 'Get Many',
		value: 'getAll',
		action: 'Get many contact variables',
		description: 'Retrieve many variables of a contact',
		builderHint: { propertyHint: 'Output: one item per variable, with id, name and value.' },
		routing: { request: { method: 'GET', url: '/getContactVariables' } },
	},
	fields: [contactId, returnAll, limit],
	answer: 'many',
	// OneBot and LEADTEX return the name only in `variable`.
	shape: (row) => ({ ...row, name: nameOfVariable(row) }),
};
