import type { WireParameter } from '../client/http/placement';
import { messengers, optionsOf, type Choice } from './choices';
import * as kinds from './kinds';
import type { Kind } from './kind';
import type { Field, FieldReader } from './operation';
import { noFilter } from './problems';

/*
 * Fields that several operations share. An operation that says something else of one of them has its own field with the same name, so
 * that the value stays when the user switches the operation.
 *
 * `routing.send.property` is the parameter's name in the API. The operation says whether it travels in the query or in the body.
 */

/** A required value that the user types. IDs too, because n8n never marks an empty number as missing: the node converts them. */
export const requiredText = { type: 'string', required: true, default: '' } satisfies Partial<Field>;

/** A text that may be left out. */
export const optional = (
	displayName: string,
	name: string,
	kind: Kind,
	more: Partial<Field> = {},
): Field => ({
	displayName,
	name,
	type: 'string',
	default: '',
	kind,
	...more,
});

/** A switch that is off at first. */
export const offSwitch = { type: 'boolean', default: false, kind: kinds.logical } satisfies Partial<Field>;

/** One of several values. */
export const choiceOf = (choices: Choice[]) =>
	({ type: 'options', options: optionsOf(choices), kind: kinds.oneOf(choices) }) satisfies Partial<Field>;

export const contactId: Field = {
	displayName: 'Contact ID',
	name: 'contactId',
	...requiredText,
	placeholder: 'e.g. 1048576',
	description: "ID of the contact, a whole number: you find it in the service's list of contacts",
	routing: { send: { property: 'contact_id' } },
	kind: kinds.contactId,
	target: 'id',
	whatItIs: 'contact with this ID',
};

/** What a person sees of a field, for one that is not sent itself. */
export function notSent(field: Field): Field {
	const {
		routing: _routing,
		target: _target,
		whole: _whole,
		required: _required,
		whatItIs: _whatItIs,
		...seen
	} = field;
	return seen;
}

const bot: Field = {
	displayName: 'Bot ID',
	name: 'botId',
	type: 'string',
	default: '',
	placeholder: 'e.g. 2048',
	description: 'ID of the bot, a whole number',
	hint: "In the URL of the bot's editor: …/bots/2048/schema",
	routing: { send: { property: 'bot_id' } },
	kind: kinds.wholeNumber('Enter the numeric ID, for example 2048, not the name of the bot.'),
	whole: 'all',
	whatItIs: 'bot with this ID',
};

export const botId: Field = { ...bot, required: true };

/** Not sent if empty. @param what a request without it concerns */
const optionalBot = (what: string, description: string): Field => ({
	...bot,
	narrows: true,
	adviceIfEmpty: `For ${what}, leave the field empty, without an expression.`,
	description: `ID of the bot ${description}. Leave empty for ${what}.`,
});

export const botIdOfList: Field = {
	...optionalBot('a list that belongs to no bot', 'to link the list to'),
	hint: `${bot.hint}. WatBot may require it`,
};

export const botIdOfContacts = optionalBot('the contacts of all bots', 'whose contacts to return');

export const messenger: Field = {
	displayName: 'Messenger',
	name: 'messenger',
	...choiceOf(messengers),
	required: true,
	default: 'telegram',
	routing: { send: { property: 'messenger' } },
	target: 'part',
};

/** A person in a messenger. Its name in the API depends on the operation. */
export const externalId: Field = {
	displayName: 'Phone Number or Messenger ID',
	name: 'externalId',
	...requiredText,
	placeholder: 'e.g. +79161234567',
	kind: kinds.phoneOrId,
	target: 'person',
};

export const contactName: Field = {
	displayName: 'Contact Name',
	name: 'contactName',
	type: 'string',
	default: '',
	placeholder: 'e.g. Anna Smirnova',
	routing: { send: { property: 'name' } },
	kind: kinds.name,
};

export const text: Field = {
	displayName: 'Text',
	name: 'text',
	...requiredText,
	typeOptions: { rows: 4 },
	placeholder: 'e.g. Hello! Your order is on its way.',
	description: 'Text of the message',
	routing: { send: { property: 'text' } },
	kind: kinds.text,
};

export const returnAll: Field = {
	displayName: 'Return All',
	name: 'returnAll',
	...offSwitch,
	description: 'Whether to return all results or only up to a given limit',
};

export const limit: Field = {
	displayName: 'Limit',
	name: 'limit',
	type: 'number',
	typeOptions: { minValue: 1 },
	default: 50,
	description: 'Max number of results to return',
	displayOptions: { show: { returnAll: [false] } },
	kind: kinds.wholeNumber("Enter 1 or more, or switch 'Return All' on."),
};

/** Not sent. Takes no expressions, because it applies to all output items. */
export const includeInputFields: Field = {
	displayName: 'Include Input Fields',
	name: 'includeInputFields',
	...offSwitch,
	noDataExpression: true,
	description:
		"Whether the output also contains the fields of the input item, such as the contact's ID, so that the next node can use them",
};

/** The parameter with the options of an operation. */
export const optionsWith = (...options: Field[]): Field => ({
	displayName: 'Options',
	name: 'options',
	type: 'collection',
	placeholder: 'Add Option',
	default: {},
	options,
});

/** The options of a change that returns no record. */
export const outputOptions = optionsWith(includeInputFields);

/**
 * A required value that the user picks from a list of the service or types.
 *
 * @param searchListMethod the function in listSearch/
 * @param typed what the editor shows for typing it
 */
export const pickedFrom = (
	searchListMethod: string,
	typed: { displayName: string; name: string; placeholder: string },
) =>
	({
		type: 'resourceLocator',
		required: true,
		default: { mode: 'list', value: '' },
		modes: [
			{
				displayName: 'From List',
				name: 'list',
				type: 'list',
				typeOptions: { searchListMethod, searchable: true },
			},
			{ ...typed, type: 'string' },
		],
	}) satisfies Partial<Field>;

export const variableName: Field = {
	displayName: 'Variable',
	name: 'variableName',
	description: 'The variable, by its name',
	...pickedFrom('searchVariableNames', { displayName: 'By Name', name: 'name', placeholder: 'e.g. city' }),
	routing: { send: { property: 'name' } },
	kind: kinds.name,
	whole: 'all',
};

export const tagName: Field = {
	displayName: 'Tag',
	name: 'tagName',
	description: 'The tag, by its name',
	...pickedFrom('searchTags', { displayName: 'By Name', name: 'name', placeholder: 'e.g. VIP' }),
	routing: { send: { property: 'name' } },
	kind: kinds.name,
	whole: 'all',
	whatItIs: 'tag with this name',
};

export const schemaId: Field = {
	displayName: 'List',
	name: 'schemaId',
	description: 'The list',
	...pickedFrom('searchListSchemas', {
		displayName: 'By ID',
		name: 'id',
		placeholder: 'e.g. 64b7f0c2a1d3e4f5a6b7c8d9',
	}),
	routing: { send: { property: 'schema_id' } },
	kind: kinds.trimmedName,
	target: 'id',
	whatItIs: 'list with this ID',
};

/** Fields that n8n adds to its items: of Google Sheets, Data Tables and forms, and to the input of a tool. */
export const columnsOfN8n = [
	'row_number',
	'createdAt',
	'updatedAt',
	'submittedAt',
	'formMode',
	'formQueryParameters',
	'toolCallId',
];

/**
 * The filters of an item that have a value. A model may leave those empty that it fills in itself, but not all filters.
 *
 * @param filters by what, and the value that was read @param label of the parameter that contains them
 */
export function readFilters<By>(
	{ problems }: FieldReader,
	filters: Array<[By, WireParameter['value']]>,
	label: string,
): Map<By, WireParameter['value']> {
	const wanted = new Map(filters.filter(([, value]) => value !== undefined));
	if (filters.length && !wanted.size && !problems.length) problems.push(noFilter(label));
	return wanted;
}
