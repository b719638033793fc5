import { botIdOfContacts, limit, returnAll } from '../fields';
import type { Operation } from '../operation';
import { filters, include } from './contactFilters';
import { stepsOf } from './selection';
import { shapeOf } from './shape';

/** What both operations that read contacts have in common. */
export const readingContacts = {
	answer: 'many',
	pageSize: { name: 'count', most: 500 },
	shape: shapeOf,
} satisfies Partial<Operation>;

export const contactGetAll: Operation = {
	option: {
		name: 'Get Many',
		value: 'getAll',
		action: 'Get many contacts',
		description: 'Retrieve many contacts, for example those with a tag, or the one with a phone number',
		builderHint: {
			propertyHint:
				"Output: one item per contact, with id, name, messenger, phone, email. For a broadcast, set 'returnAll'; as a tool of an AI agent, set 'limit' instead, because all contacts are too long for a model. Prefer filters by variables: where the service returns contacts without tags, as WatBot does, filters by tag take a request for each contact that passes the other filters.",
		},
		routing: { request: { method: 'GET', url: '/getContacts' } },
	},
	fields: [botIdOfContacts, returnAll, limit, include, filters],
	...readingContacts,
	steps: stepsOf,
};
