import { contactId, limit, returnAll } from '../../shared/fields';
import type { Operation } from '../../shared/operation';

/** GET getContactVariables (interface, section 4.2). */
export const contactVariableGetAll: Operation = {
	option: {
		name: 'Get Many',
		value: 'getAll',
		action: 'Get many contact variables',
		description: 'Retrieve many variables of a contact',
		routing: { request: { method: 'GET', url: '/getContactVariables' } },
	},
	fields: [contactId, returnAll, limit],
	place: 'query',
	answer: 'many',
	repeatable: true,
};
