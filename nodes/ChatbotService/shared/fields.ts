import type { INodeProperties } from 'n8n-workflow';

/* Parameters that several operations share: the same object in each, so that switching the operation keeps the value. */

const contact: INodeProperties = {
	displayName: 'Contact ID',
	name: 'contactId',
	// A string, because n8n never flags an empty number as missing; the integer is made from it before sending.
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. 1048576',
	description:
		"ID of the contact, a whole number: the last part of the address of the contact's page in the service",
};

export const contactIdInQuery: INodeProperties = {
	...contact,
	routing: { send: { type: 'query', property: 'contact_id' } },
};

export const contactIdInBody: INodeProperties = {
	...contact,
	routing: { send: { type: 'body', property: 'contact_id' } },
};

const bot: INodeProperties = {
	displayName: 'Bot ID',
	name: 'botId',
	type: 'string',
	default: '',
	placeholder: 'e.g. 2048',
	description: "ID of the bot, a whole number: the last part of the address of the bot's page in the service",
};

export const botIdInQuery: INodeProperties = {
	...bot,
	required: true,
	routing: { send: { type: 'query', property: 'bot_id' } },
};

export const botIdInBody: INodeProperties = {
	...bot,
	required: true,
	description: 'ID of the bot that the contact talks to',
	routing: { send: { type: 'body', property: 'bot_id' } },
};

/** Not sent: it only tells the list of tags which bot's tags to offer. */
export const botIdForTags: INodeProperties = {
	...bot,
	description: "ID of the bot whose tags are offered under 'Tag'. It is not sent to the service.",
};

/** Not sent when empty: the list then belongs to no bot. */
export const botIdOfList: INodeProperties = {
	...bot,
	description: 'ID of the bot to bind the list to. Leave empty for a list that belongs to no bot.',
	routing: { send: { type: 'body', property: 'bot_id' } },
};

export const returnAll: INodeProperties = {
	displayName: 'Return All',
	name: 'returnAll',
	type: 'boolean',
	default: false,
	description: 'Whether to return all results or only up to a given limit',
};

export const limit: INodeProperties = {
	displayName: 'Limit',
	name: 'limit',
	type: 'number',
	typeOptions: { minValue: 1 },
	default: 50,
	description: 'Max number of results to return',
	displayOptions: { show: { returnAll: [false] } },
};

export const variableName: INodeProperties = {
	displayName: 'Variable',
	name: 'variableName',
	type: 'resourceLocator',
	required: true,
	default: { mode: 'list', value: '' },
	description: 'The variable, by its name',
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			typeOptions: { searchListMethod: 'searchVariableNames', searchable: true },
		},
		{ displayName: 'By Name', name: 'name', type: 'string', placeholder: 'e.g. city' },
	],
	routing: { send: { type: 'query', property: 'name' } },
};

const tag: INodeProperties = {
	displayName: 'Tag',
	name: 'tagName',
	type: 'resourceLocator',
	required: true,
	default: { mode: 'list', value: '' },
	description: 'The tag, by its name',
	routing: { send: { type: 'body', property: 'name' } },
};

export const tagOfBot: INodeProperties = {
	...tag,
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			typeOptions: { searchListMethod: 'searchBotTags', searchable: true },
		},
		{ displayName: 'By Name', name: 'name', type: 'string', placeholder: 'e.g. VIP' },
	],
};

export const tagOfContact: INodeProperties = {
	...tag,
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			typeOptions: { searchListMethod: 'searchContactTags', searchable: true },
		},
		{ displayName: 'By Name', name: 'name', type: 'string', placeholder: 'e.g. VIP' },
	],
};

const schema: INodeProperties = {
	displayName: 'List',
	name: 'schemaId',
	type: 'resourceLocator',
	required: true,
	default: { mode: 'list', value: '' },
	description: 'The list schema to work with',
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			typeOptions: { searchListMethod: 'searchListSchemas', searchable: true },
		},
		{ displayName: 'By ID', name: 'id', type: 'string', placeholder: 'e.g. 64b7f0c2a1d3e4f5a6b7c8d9' },
	],
};

export const schemaIdInQuery: INodeProperties = {
	...schema,
	routing: { send: { type: 'query', property: 'schema_id' } },
};

export const schemaIdInBody: INodeProperties = {
	...schema,
	routing: { send: { type: 'body', property: 'schema_id' } },
};

/** Types of a list's field, as the creation input names them (interface, section 2.3). */
export const fieldTypes: Array<{ name: string; value: string; description: string }> = [
	{ name: 'Bot', value: 'bot', description: 'ID of a bot' },
	{ name: 'Contact', value: 'contact', description: 'ID of a contact' },
	{ name: 'Logical', value: 'boolean', description: 'True or false' },
	{ name: 'Number', value: 'number', description: 'A number' },
	{ name: 'Text', value: 'string', description: 'A line of text or more' },
];

/** Messengers by the ID that the service gives them (interface, section 4.3). */
export const messengers: Array<{ name: string; value: string }> = [
	{ name: 'MAX', value: 'max' },
	{ name: 'Telegram', value: 'telegram' },
	{ name: 'Viber', value: 'viber' },
	{ name: 'VK', value: 'vk' },
	{ name: 'WhatsApp', value: 'whatsapp' },
];
