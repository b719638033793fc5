import type { INodeProperties } from 'n8n-workflow';

import { contactId, variableName } from '../../shared/fields';
import type { Operation } from '../../shared/operation';

const variableValue: INodeProperties = {
	displayName: 'Value',
	name: 'variableValue',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. Kazan',
	description: 'The value the variable gets, as text',
	routing: { send: { type: 'query', property: 'value' } },
};

const deletable: INodeProperties = {
	displayName: 'Remove After Request',
	name: 'deletable',
	type: 'boolean',
	default: false,
	description: 'Whether the service removes the variable once a request of the contact is done',
	routing: { send: { type: 'query', property: 'deletable' } },
};

/** POST setContactVariable (interface, section 4.2). */
export const contactVariableUpsert: Operation = {
	option: {
		name: 'Create or Update',
		value: 'upsert',
		action: 'Create or update contact variable',
		description: 'Create a new record, or update the current one if it already exists (upsert)',
		routing: { request: { method: 'POST', url: '/setContactVariable' } },
	},
	fields: [contactId, variableName, variableValue, deletable],
	place: 'query',
	answer: 'done',
	repeatable: true,
	longInBody: true,
};
