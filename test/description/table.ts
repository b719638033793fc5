import type { INodeParameters } from 'n8n-workflow';

/*
 * The node as a person sees it: what the editor shows, requires and sends. Written out by hand; names and values
 * here stand in people's workflows and never change.
 */

export type Place = 'query' | 'body';

/** One state of the editor: an operation, and the choices that decide which of its parameters there are. */
export interface Case {
	title: string;
	resource: string;
	operation: string;
	choices: INodeParameters;
	/** In the editor's order. */
	shown: string[];
	/** Flagged when they are empty. */
	required: string[];
	/** Where each one travels and under which name of the interface; the others do not travel. */
	sent: Record<string, [Place, string]>;
}

interface Listed {
	resource: string;
	operation: string;
	/** As the Operation parameter names it. */
	label: string;
	method: 'GET' | 'POST';
	endpoint: string;
}

const listed = (path: string, label: string, method: 'GET' | 'POST', endpoint: string): Listed => {
	const [resource, operation] = path.split('/') as [string, string];
	return { resource, operation, label, method, endpoint };
};

export const operations: Listed[] = [
	listed('tag/getManyByBot', 'Get Many by Bot', 'GET', 'getBotTags'),
	listed('tag/getManyByContact', 'Get Many by Contact', 'GET', 'getContactTags'),
	listed('tag/attach', 'Attach to Contact', 'POST', 'attachTagToContact'),
	listed('tag/detach', 'Detach From Contact', 'POST', 'detachTagFromContact'),
	listed('contactVariable/getAll', 'Get Many', 'GET', 'getContactVariables'),
	listed('contactVariable/upsert', 'Create or Update', 'POST', 'setContactVariable'),
	listed('contactVariable/delete', 'Delete', 'POST', 'deleteContactVariable'),
	listed('message/send', 'Send', 'POST', 'sendMessage'),
	listed('message/sendToWhatsApp', 'Send to WhatsApp Number', 'POST', 'sendMessageToWhatsApp'),
	listed('listSchema/getAll', 'Get Many', 'GET', 'getListSchemas'),
	listed('listSchema/get', 'Get', 'GET', 'getListSchema'),
	listed('listSchema/create', 'Create', 'POST', 'createListSchema'),
	listed('listSchema/addField', 'Add Field', 'POST', 'addListSchemaField'),
	listed('listSchema/deleteField', 'Delete Field', 'POST', 'deleteListSchemaField'),
	listed('listSchema/delete', 'Delete', 'POST', 'deleteListSchema'),
];

/** In the order of the alphabet; every table of the tests has a row for each. */
export const endpoints = operations.map(({ endpoint }) => endpoint).sort();

export const resources = ['contactVariable', 'listSchema', 'message', 'tag'];

const state = (
	path: string,
	choices: INodeParameters,
	shown: string[],
	required: string[],
	sent: Case['sent'],
): Case => {
	const [resource, operation] = path.split('/') as [string, string];
	const chosen = Object.entries(choices).map(([name, value]) => `${name} ${JSON.stringify(value)}`);
	return { title: [path, ...chosen].join(', '), resource, operation, choices, shown, required, sent };
};

/** Operations that list things take all of them or so many. */
const many = (path: string, of: string[], sent: Case['sent']): Case[] => [
	state(path, { returnAll: false }, [...of, 'returnAll', 'limit'], of, sent),
	state(path, { returnAll: true }, [...of, 'returnAll'], of, sent),
];

const contents = { text: 'text', image: 'imageUrl', file: 'fileUrl' } as const;
const subsets: Array<Array<keyof typeof contents>> = [
	[],
	['text'],
	['image'],
	['file'],
	['text', 'image'],
	['text', 'file'],
	['image', 'file'],
	['text', 'image', 'file'],
];

const toContact = {
	choice: 'contact',
	shown: ['contactId', 'contactMessenger'],
	required: ['contactId'],
	sent: { contactId: ['query', 'contact_id'] } as Case['sent'],
};
const toExternalId = {
	choice: 'externalId',
	shown: ['messenger', 'botId', 'externalId'],
	required: ['messenger', 'botId', 'externalId'],
	sent: {
		messenger: ['query', 'messenger'],
		botId: ['query', 'bot_id'],
		externalId: ['query', 'contact_external_id'],
	} as Case['sent'],
};

/** sendMessage: what each recipient and each choice of contents makes required. */
const sendMessage = [toContact, toExternalId].flatMap((recipient) =>
	subsets.map((content) => {
		const fields = content.map((each) => contents[each]);
		return state(
			'message/send',
			{ recipient: recipient.choice, content },
			['recipient', ...recipient.shown, 'content', ...fields, 'options'],
			// A message needs a content: without one, 'Content' itself is missing too.
			[...recipient.required, ...(content.length ? [] : ['content']), ...fields],
			{
				...recipient.sent,
				...Object.fromEntries(content.map((each) => [contents[each], ['query', each]])),
			},
		);
	}),
);

const tag: Case['sent'] = { contactId: ['body', 'contact_id'], tagName: ['body', 'name'] };
const list: Case['sent'] = {
	listName: ['body', 'name'],
	showInMenu: ['body', 'is_menu'],
	botId: ['body', 'bot_id'],
};

export const cases: Case[] = [
	...many('tag/getManyByBot', ['botId'], { botId: ['query', 'bot_id'] }),
	...many('tag/getManyByContact', ['contactId'], { contactId: ['query', 'contact_id'] }),
	// The bot serves the list of tags only and does not travel.
	state('tag/attach', {}, ['contactId', 'botId', 'tagName'], ['contactId', 'tagName'], tag),
	state('tag/detach', {}, ['contactId', 'tagName'], ['contactId', 'tagName'], tag),
	...many('contactVariable/getAll', ['contactId'], { contactId: ['query', 'contact_id'] }),
	state(
		'contactVariable/upsert',
		{},
		['contactId', 'variableName', 'variableValue', 'deletable'],
		['contactId', 'variableName', 'variableValue'],
		{
			contactId: ['query', 'contact_id'],
			variableName: ['query', 'name'],
			variableValue: ['query', 'value'],
			deletable: ['query', 'deletable'],
		},
	),
	state(
		'contactVariable/delete',
		{ deleteBy: 'name' },
		['contactId', 'deleteBy', 'variableName'],
		['contactId', 'variableName'],
		{ contactId: ['query', 'contact_id'], variableName: ['query', 'name'] },
	),
	state(
		'contactVariable/delete',
		{ deleteBy: 'id' },
		['contactId', 'deleteBy', 'variableId'],
		['contactId', 'variableId'],
		{ contactId: ['query', 'contact_id'], variableId: ['query', 'id'] },
	),
	...sendMessage,
	state(
		'message/sendToWhatsApp',
		{},
		['botId', 'phone', 'text', 'contactName', 'options'],
		['botId', 'phone', 'text'],
		{
			botId: ['body', 'bot_id'],
			phone: ['body', 'phone'],
			text: ['body', 'text'],
			contactName: ['body', 'name'],
		},
	),
	...many('listSchema/getAll', [], {}),
	state('listSchema/get', {}, ['schemaId'], ['schemaId'], { schemaId: ['query', 'schema_id'] }),
	state(
		'listSchema/create',
		{ fieldsInput: 'define' },
		['listName', 'showInMenu', 'botId', 'fieldsInput', 'fields'],
		['listName'],
		{ ...list, fields: ['body', 'fields'] },
	),
	state(
		'listSchema/create',
		{ fieldsInput: 'json' },
		['listName', 'showInMenu', 'botId', 'fieldsInput', 'fieldsJson'],
		// Empty JSON is refused by the node: n8n flags no parameter of the type `json`, required or not.
		['listName'],
		{ ...list, fieldsJson: ['body', 'fields'] },
	),
	state(
		'listSchema/addField',
		{},
		['schemaId', 'fieldName', 'newFieldSlug', 'fieldType', 'fieldOptions'],
		['schemaId', 'fieldName', 'newFieldSlug', 'fieldType'],
		{
			schemaId: ['body', 'schema_id'],
			fieldName: ['body', 'field.name'],
			newFieldSlug: ['body', 'field.slug'],
			fieldType: ['body', 'field.type'],
			'fieldOptions.encrypted': ['body', 'field.is_encryptable'],
			'fieldOptions.hidden': ['body', 'field.is_hidden'],
			'fieldOptions.required': ['body', 'field.is_required'],
		},
	),
	state('listSchema/deleteField', {}, ['schemaId', 'fieldSlug'], ['schemaId', 'fieldSlug'], {
		schemaId: ['body', 'schema_id'],
		fieldSlug: ['body', 'slug'],
	}),
	state('listSchema/delete', {}, ['schemaId'], ['schemaId'], { schemaId: ['body', 'schema_id'] }),
];

/** Notices by where they are on display. */
export const notices: Record<string, string[]> = {
	'contactVariable/getAll': ['deprecatedVariable'],
	'message/send/externalId': ['boundPhone'],
	'message/sendToWhatsApp': ['firstMessage'],
};

/** The attributes in each row of 'Fields', as the interface names them; without some of them a row is no field. */
export const rowAttributes = ['is_encryptable', 'is_hidden', 'is_required', 'name', 'slug', 'type'];
export const neededRowAttributes = ['name', 'slug'];

/** Parameters of which one value among others is chosen, with these values. */
export const choices: Record<string, string[]> = {
	recipient: ['contact', 'externalId'],
	contactMessenger: ['unknown', 'max', 'telegram', 'viber', 'vk', 'whatsapp'],
	messenger: ['max', 'telegram', 'viber', 'vk', 'whatsapp'],
	content: ['text', 'image', 'file'],
	deleteBy: ['name', 'id'],
	fieldsInput: ['define', 'json'],
	fieldType: ['boolean', 'bot', 'contact', 'number', 'string'],
};

export const byTitle = cases.map((each): [string, Case] => [each.title, each]);
