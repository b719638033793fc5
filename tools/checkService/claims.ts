/* Claims: quotations of docs/openapi.yaml about what services do. lines.ts finds their lines. The report says which of them hold. */

export interface Claim {
	/** Where it stands: an operation, or a component such as `schemas.ListItem`; by default, the description of the whole API. */
	in?: string;
	/** A quotation, in which a line break is a blank. */
	says: string;
	/** The services that it names; by default, it is about all. */
	of?: readonly string[];
	/** Whether it says only that something may be so. */
	isPossibility?: true;
}

const of = (...names: string[]) => ({ of: names });
const { watbot, onebot, jetbot, leadtex } = {
	watbot: of('WatBot'),
	onebot: of('OneBot', 'LEADTEX'),
	jetbot: of('JetBot'),
	leadtex: of('LEADTEX'),
};
const butWatbot = of('CleverApp', 'OneBot', 'JetBot', 'LEADTEX');
const may = { isPossibility: true } as const;

export type ClaimName = keyof typeof claimsByName;

const claimsByName = {
	// Every request
	headerFails: { says: 'LEADTEX answered 500 to it, and to another header (seen once).', ...leadtex },
	trimmed: { says: 'The service removes spaces around a text.' },
	wrapped: {
		says: 'LEADTEX adds `errors`, which is empty, `message` and `success` to successful answers (inferred).',
		...leadtex,
	},
	wrappedData: { says: 'Where no answer is documented, it also has `data` (inferred).', ...leadtex },

	// Limits
	limitOfAccount: {
		says: '| all operations of an account together | 2 requests per second, 120 per minute |',
	},
	limitStatus: { says: 'If a limit is exceeded, the answer is 429.' },
	retryAfter: {
		says: '`Retry-After`, in whole seconds and rounded down, so that 0 means within a second',
		...may,
	},
	limitReset: { says: '`X-RateLimit-Reset`, the time at which the window ends', ...may },
	limitHeaders: { says: '`X-RateLimit-Limit` and `X-RateLimit-Remaining`', ...may },

	// Contacts
	contactPages: { in: 'getContacts', says: '`meta` has the number of pages (seen)' },
	contactLinks: {
		in: 'getContacts',
		says: 'The links repeat the query of the request, the token included (inferred).',
	},
	contactsBeyond: { in: 'getContacts', says: 'A page beyond the last one is empty (inferred).' },
	contactsUsually: { in: 'getContacts', says: 'Without it, 50 (inferred).' },
	withAdds: { in: 'getContacts', says: '`with` adds tags and variables at LEADTEX (seen).', ...leadtex },
	unasked: {
		in: 'getContacts',
		says: 'At WatBot, variables come unasked (seen), and tags do not come (seen).',
		...watbot,
	},
	referrals: { in: 'getReferrals', says: 'Called by GET at WatBot (seen)', ...watbot },

	// Tags
	tagAttached: { in: 'attachTagToContact', says: 'No answer is documented: any 2xx means that it was done.' },
	tagCreated: {
		in: 'attachTagToContact',
		says: 'LEADTEX creates a tag that the bot does not have (inferred).',
		...leadtex,
	},
	tagDetached: {
		in: 'detachTagFromContact',
		says: 'No answer is documented: any 2xx means that it was done.',
	},
	tagKept: { in: 'detachTagFromContact', says: 'the bot keeps the tag' },

	// Variables
	variablesNamed: {
		in: 'getContactVariables',
		says: 'WatBot sends all of them in one answer, with `name` and `deletable` (documented).',
		...watbot,
	},
	variablesNested: {
		in: 'getContactVariables',
		says: 'OneBot (documented) and LEADTEX (inferred) send pages of 100; there the name is in `variable`, and `deletable` is missing.',
		...onebot,
	},
	variableSet: { in: 'setContactVariable', says: 'No answer is documented: any 2xx means that it was done.' },
	variableCreated: {
		in: 'setContactVariable',
		says: 'If the bot has no variable with that name, the service creates it and binds it to the contact.',
	},
	variableInBody: {
		in: 'setContactVariable',
		says: 'The parameters go into the query or, for a long value, into a JSON body',
	},
	variableUpdated: { in: 'setContactVariable', says: 'Sets the value of a variable of a contact.' },
	variableDeletable: { in: 'setContactVariable', says: 'JetBot documents it as required.', ...jetbot },
	variableDeleted: {
		in: 'deleteContactVariable',
		says: 'No answer is documented: any 2xx means that it was done.',
	},

	// Messages
	sent: { in: 'sendMessage', says: 'If the service accepts the message, the answer is `{"success":true}`.' },

	// Lists
	listCreated: { in: 'createListSchema', says: 'any other 2xx means that the list was created' },
	listFields: {
		in: 'createListSchema',
		says: 'The keys of `fields` are the slugs of the fields, and each field repeats its slug in `slug`.',
	},
	listOfBot: { in: 'createListSchema', says: 'WatBot requires `bot_id`', ...watbot },
	listInMenu: { in: 'createListSchema', says: 'LEADTEX `is_menu` (inferred).', ...leadtex },
	listAnswer: {
		in: 'responses.Created',
		says: 'The body is the new schema, inside `data` or alone, or says nothing about it.',
	},
	listId: { in: 'schemas.SchemaId', says: 'The services use 24 hexadecimal characters.' },
	listDeleted: { in: 'deleteListSchema', says: 'No answer is documented: any 2xx means that it was done.' },
	bool: { in: 'schemas.FieldDefinition', says: 'In requests, `bool` is called `boolean`.' },
	fieldAdded: { in: 'addListSchemaField', says: 'No answer is documented: any 2xx means that it was done.' },
	fieldNull: {
		in: 'addListSchemaField',
		says: 'In the items that the list already has, the new field is null.',
	},
	fieldDeleted: {
		in: 'deleteListSchemaField',
		says: 'No answer is documented: any 2xx means that it was done.',
	},

	// List items
	itemPages: { in: 'getListItems', says: '`meta` has the number of pages (seen)' },
	itemLinks: {
		in: 'getListItems',
		says: 'The links repeat the query of the request, the token included (inferred).',
	},
	itemsBeyond: { in: 'getListItems', says: 'A page beyond the last one is empty (inferred).' },
	filterInBody: { in: 'getListItems', says: 'WatBot reads them in the body (seen)', ...watbot },
	filterInQuery: {
		in: 'getListItems',
		says: 'LEADTEX only in the query, as `filters[slug]=value` (seen)',
		...leadtex,
	},
	filterInBoth: { in: 'getListItems', says: 'where the body is read, the query does not matter (inferred)' },
	filtersAll: { in: 'getListItems', says: 'an item is listed if it has all the values of `filters` (seen)' },
	filterNumber: { in: 'getListItems', says: 'A number may also be a text (inferred).' },
	filterUnknown: {
		in: 'getListItems',
		says: 'A filter by a field that the list does not have is ignored (inferred)',
	},
	filterEncrypted: {
		in: 'getListItems',
		says: 'nothing is found by a field that is stored encrypted (inferred)',
	},
	itemsOfBot: { in: 'getListItems', says: 'LEADTEX then found no items (seen once).', ...leadtex, ...may },
	unordered: {
		in: 'getListItems',
		says: 'Without `order_by`, and if the field is unknown or encrypted, items come in the order of their creation (inferred).',
	},
	ordered: {
		in: 'schemas.GetListItems',
		says: '`field,direction` with asc or desc, such as `created_at,desc` (inferred).',
	},
	itemsOfWatbot: { in: 'schemas.GetListItems', says: 'Without it, 10 at WatBot (seen)', ...watbot },
	itemsUsually: { in: 'schemas.GetListItems', says: 'elsewhere 50 (inferred)', ...butWatbot },
	mostItems: { in: 'schemas.GetListItems', says: 'At most 100 (inferred)', ...butWatbot },
	mostOfWatbot: { in: 'schemas.GetListItems', says: 'at WatBot at least 500 (seen)', ...watbot },
	limitReduced: {
		in: 'schemas.GetListItems',
		says: 'The service reduces a larger number without a word, and `per_page` in `meta` is the one that applies (inferred).',
	},
	itemFlat: {
		in: 'addListItem',
		says: 'WatBot may read them beside `schema_id` instead of in `data`, and then store an item without values (inferred from the notes of one client).',
		...watbot,
		...may,
	},
	itemAdded: { in: 'addListItem', says: 'Adds an item to a list (documented).' },
	itemAnswer: { in: 'addListItem', says: 'LEADTEX answers with the item (seen)', ...leadtex },
	itemRequired: { in: 'addListItem', says: 'Required fields need a value' },
	itemTypes: { in: 'addListItem', says: 'a value must fit the type of its field (inferred)' },
	itemOtherSlugs: { in: 'addListItem', says: 'Values of other slugs are ignored (inferred)' },
	itemNull: { in: 'addListItem', says: 'fields without a value are null (seen)' },
	itemId: { in: 'schemas.ItemId', says: 'The services use 24 hexadecimal characters (inferred).' },
	valueText: {
		in: 'schemas.ListItem',
		says: 'A text, or a number typed as text; null without a value (seen).',
	},
	valueNumber: {
		in: 'schemas.ListItem',
		says: 'A number, or the ID of a contact or of a bot (inferred).',
	},
	valueBool: { in: 'schemas.ListItem', says: 'True or false (inferred).' },
	updateNeedsList: {
		in: 'updateListItem',
		says: 'WatBot needs the ID of the list too (inferred)',
		...watbot,
	},
	updateAnswer: { in: 'updateListItem', says: 'LEADTEX answers with the item (inferred)', ...leadtex },
	updateDone: { in: 'updateListItem', says: 'Changes values of an item (documented).' },
	updateKeeps: { in: 'updateListItem', says: 'Fields that are not sent keep their values' },
	updateEmpties: { in: 'updateListItem', says: 'an empty text removes a value' },
	updateRequired: { in: 'updateListItem', says: 'a required field cannot be emptied (inferred)' },
	updateOtherSlugs: {
		in: 'updateListItem',
		says: 'values of other slugs are ignored (inferred)',
	},
	itemDeleted: { in: 'deleteListItem', says: 'any 2xx means that it was done (inferred)' },
	deleteAnswer: {
		in: 'deleteListItem',
		says: 'LEADTEX answers with `data`, `errors`, `message` and `success` (inferred)',
		...leadtex,
	},

	// Refusals
	unknownToken: {
		in: 'responses.Unauthenticated',
		says: 'The token is missing or unknown; nothing was done.',
	},
	unknownRecord: {
		in: 'responses.NotFound',
		says: 'Unknown contact, bot, tag, variable, list, item or path; nothing was done.',
	},
	invalid: { in: 'responses.Invalid', says: 'Validation failed; nothing was done.' },
} satisfies Record<string, Claim>;

export const claims: Readonly<Record<ClaimName, Claim>> = claimsByName;
