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
				"Output: one item per contact, with id, name, messenger, phone, email. For a broadcast, set 'returnAll'; as a tool of an AI agent, set 'limit' instead, because all contacts are too long for a model. Only LEADTEX is known to return tags here: with other services, filters by tag end with an error, so use Get Many by Contact of Tag. If several items arrive, each of them reads the contacts again: set the node to Execute Once, and use Merge after it.",
		},
		routing: { request: { method: 'GET', url: '/getContacts' } },
	},
	fields: [botIdOfContacts, returnAll, limit, include, filters],
	answer: 'many',
	pageSize: { name: 'count', most: 500 },
	shape: shapeOf,
	selects: selectionOf,
};
