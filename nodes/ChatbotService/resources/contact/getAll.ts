import { botIdOfContacts, limit, returnAll } from '../fields';
import type { Operation } from '../operation';
import { filters, include } from './filters';
import { selectionOf } from './selection';
import { shapeOf } from './shape';

/** GET getContacts. */
export const contactGetAll: Operation = {
	option: {
		name: 'Get Many',
		value: 'getAll',
		action: 'Get many contacts',
		description: 'Retrieve many contacts, for example those with a tag, or the one with a phone number',
		builderHint: {
			propertyHint:
				"Use this to find the people of a broadcast by tag, or a contact by phone number. As a tool of an AI agent, set 'limit' and never 'returnAll': 20,000 contacts are 13 million characters. If several items arrive, each of them reads the contacts again: set the node to Execute Once, and use Merge after it.",
		},
		routing: { request: { method: 'GET', url: '/getContacts' } },
	},
	fields: [botIdOfContacts, returnAll, limit, include, filters],
	place: 'query',
	answer: 'many',
	idempotent: true,
	pageSize: { name: 'count', most: 500 },
	shape: shapeOf,
	selects: selectionOf,
};
