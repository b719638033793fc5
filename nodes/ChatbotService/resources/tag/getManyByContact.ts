import { contactId, limit, returnAll } from '../fields';
import type { Operation } from '../operation';

export const tagGetManyByContact: Operation = {
	option: {
		name: 'Get Many by Contact',
		value: 'getManyByContact',
		action: 'Get many tags by contact',
		description: 'Retrieve many tags that a contact has',
		builderHint: { propertyHint: 'Output: one item per tag, with its name.' },
		routing: { request: { method: 'GET', url: '/getContactTags' } },
	},
	fields: [contactId, returnAll, limit],
	answer: 'many',
};
