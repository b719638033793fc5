import type { INodeProperties } from 'n8n-workflow';

/*
 * Parameters that several operations share: the same object in each, so that switching the operation keeps the value. One for
 * each name as far as can be, because n8n evaluates the value of a name once for every property of that name, shown or not.
 *
 * `routing.send` gives a parameter its name in the interface; the engine collects them all as if for the query, and the
 * operation says where they really travel. Conditions that hold for one operation only are written as `hide`: the parameter
 * that they ask for counts with its default in the others, and hides nothing there.
 */

export const contactId: INodeProperties = {
	displayName: 'Contact ID',
	name: 'contactId',
	// A string, because n8n never flags an empty number as missing; the integer is made from it before sending.
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. 1048576',
	description: 'ID of the contact in the service, a whole number',
	displayOptions: { hide: { recipient: ['externalId'] } },
	routing: { send: { type: 'query', property: 'contact_id' } },
};

const bot: INodeProperties = {
	displayName: 'Bot ID',
	name: 'botId',
	type: 'string',
	default: '',
	placeholder: 'e.g. 2048',
	description: 'ID of the bot in the service, a whole number',
};

export const botId: INodeProperties = {
	...bot,
	required: true,
	routing: { send: { type: 'query', property: 'bot_id' } },
};

/** Not sent: it only tells the list of tags which bot's tags to offer. */
export const botIdForTags: INodeProperties = {
	...bot,
	description: "ID of the bot whose tags are offered under 'Tag'",
	hint: "Only for the list under 'Tag'; it is not sent",
};

/** Not sent when empty: the list then belongs to no bot. */
export const botIdOfList: INodeProperties = {
	...bot,
	description: 'ID of the bot to bind the list to. Leave empty for a list that belongs to no bot.',
	routing: { send: { type: 'query', property: 'bot_id' } },
};

export const text: INodeProperties = {
	displayName: 'Text',
	name: 'text',
	type: 'string',
	typeOptions: { rows: 4 },
	required: true,
	default: '',
	placeholder: 'e.g. Hello! Your order is on its way.',
	description: 'Text of the message',
	// Not where 'Content' holds images and files alone: each of its values comes before 'text' in the alphabet then. (n8n has
	// regular expressions too, but starts a sandbox for each.) Where nothing was chosen, a text is asked for (section 7, rule 3).
	displayOptions: { hide: { content: [{ _cnd: { lt: 'text' } }] } },
	routing: { send: { type: 'query', property: 'text' } },
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
	displayOptions: { hide: { deleteBy: ['id'] } },
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

export const tagName: INodeProperties = {
	displayName: 'Tag',
	name: 'tagName',
	type: 'resourceLocator',
	required: true,
	default: { mode: 'list', value: '' },
	description: 'The tag, by its name',
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			typeOptions: { searchListMethod: 'searchTags', searchable: true },
		},
		{ displayName: 'By Name', name: 'name', type: 'string', placeholder: 'e.g. VIP' },
	],
	routing: { send: { type: 'query', property: 'name' } },
};

export const schemaId: INodeProperties = {
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
	routing: { send: { type: 'query', property: 'schema_id' } },
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
