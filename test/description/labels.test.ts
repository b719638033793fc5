import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { resources as names } from '../operations';
import { everyParameter, notices, operationsOf, properties } from './editor';

/*
 * The labels of the editor, which the documents and people's questions name. No other test states them. After a change: this table,
 * and `npm run docs`.
 */

const ofOperations: Record<string, string> = {
	'contact/getAll': 'Get Many',
	'contact/upsert': 'Create or Update',
	'contactVariable/delete': 'Delete',
	'contactVariable/getAll': 'Get Many',
	'contactVariable/upsert': 'Create or Update',
	'listItem/create': 'Create',
	'listItem/delete': 'Delete',
	'listItem/getAll': 'Get Many',
	'listItem/update': 'Update',
	'listSchema/addField': 'Add Field',
	'listSchema/create': 'Create',
	'listSchema/delete': 'Delete',
	'listSchema/deleteField': 'Delete Field',
	'listSchema/get': 'Get',
	'listSchema/getAll': 'Get Many',
	'message/send': 'Send',
	'message/sendAndWait': 'Send and Wait for Response',
	'message/sendToWhatsApp': 'Send to WhatsApp Number',
	'tag/attach': 'Attach to Contact',
	'tag/detach': 'Detach From Contact',
	'tag/getManyByBot': 'Get Many by Bot',
	'tag/getManyByContact': 'Get Many by Contact',
};

const ofFields: Record<string, string> = {
	resource: 'Resource',
	operation: 'Operation',
	include: 'Include',
	filters: 'Filters',
	'filters.createdAfter': 'Created After',
	'filters.createdBefore': 'Created Before',
	'filters.email': 'Email',
	'filters.hasAllTags': 'Has All Tags',
	'filters.hasAnyTag': 'Has Any Tag',
	'filters.hasNoTags': 'Has No Tags',
	'filters.messenger': 'Messenger',
	'filters.messengerId': 'Messenger ID',
	'filters.name': 'Name',
	'filters.phone': 'Phone',
	additionalFields: 'Additional Fields',
	'additionalFields.address': 'Address',
	'additionalFields.email': 'Email',
	'additionalFields.phone': 'Phone',
	'additionalFields.tags': 'Tags',
	'additionalFields.telegramUsername': 'Telegram Username',
	contactId: 'Contact ID',
	variableName: 'Variable',
	variableValue: 'Value',
	deletable: 'Remove After Request',
	deleteBy: 'Delete By',
	variableId: 'Variable',
	returnAll: 'Return All',
	limit: 'Limit',
	schemaId: 'List',
	fieldName: 'Field Name',
	newFieldSlug: 'Field Slug',
	fieldType: 'Field Type',
	fieldOptions: 'Options',
	'fieldOptions.encrypted': 'Encrypted',
	'fieldOptions.hidden': 'Hidden',
	'fieldOptions.required': 'Required',
	listName: 'List Name',
	showInMenu: 'Show in Menu',
	botId: 'Bot ID',
	fieldFilters: 'Filters',
	'fieldFilters.slug': 'Field Slug',
	'fieldFilters.value': 'Value',
	itemOptions: 'Options',
	'itemOptions.orderBy': 'Order By',
	'itemOptions.orderByDirection': 'Order By Direction',
	itemId: 'Item',
	columns: 'Fields',
	fieldsInput: 'Fields Input',
	fields: 'Fields',
	'fields.name': 'Name',
	'fields.slug': 'Slug',
	'fields.type': 'Type',
	'fields.is_required': 'Required',
	'fields.is_hidden': 'Hidden',
	'fields.is_encryptable': 'Encrypted',
	fieldsJson: 'Fields (JSON)',
	fieldSlug: 'Field',
	recipient: 'Send To',
	contactMessenger: "Contact's Messenger",
	messenger: 'Messenger',
	externalId: 'Phone Number or Messenger ID',
	content: 'Content',
	text: 'Text',
	imageUrl: 'Image URL',
	fileUrl: 'File URL',
	options: 'Options',
	'options.includeInputFields': 'Include Input Fields',
	'options.sendOncePer': 'Send Once Per',
	'options.sendingHours': 'Sending Hours',
	'options.sendingHours.from': 'From',
	'options.sendingHours.until': 'Until',
	message: 'Message',
	responseType: 'Response Type',
	approvalOptions: 'Approval Options',
	'approvalOptions.approvalType': 'Type of Approval',
	'approvalOptions.approveLabel': 'Approve Button Label',
	'approvalOptions.disapproveLabel': 'Disapprove Button Label',
	'options.limitWaitTime': 'Limit Wait Time',
	'options.limitWaitTime.limitType': 'Limit Type',
	'options.limitWaitTime.resumeAmount': 'Amount',
	'options.limitWaitTime.resumeUnit': 'Unit',
	'options.limitWaitTime.maxDateAndTime': 'Max Date and Time',
	'options.responseFormButtonLabel': 'Response Form Button Label',
	'options.responseFormDescription': 'Response Form Description',
	'options.responseFormTitle': 'Response Form Title',
	phone: 'Phone Number',
	contactName: 'Contact Name',
	tagName: 'Tag',
};

test('operations and fields have their labels', () => {
	const resources = properties.find(({ name }) => name === 'resource')!.options as INodePropertyOptions[];
	const operations = resources.flatMap(({ value: resource }) =>
		operationsOf(String(resource)).map(({ value, name }) => [`${resource}/${value}`, name]),
	);
	expect(Object.fromEntries(operations)).toEqual(ofOperations);
	const fields = everyParameter().map(({ path, property }) => [path, property.displayName]);
	expect(Object.fromEntries(fields)).toEqual(ofFields);
});

const parameters = everyParameter().map(({ path, property }): [string, INodeProperties] => [path, property]);

const options = names.flatMap((resource) => operationsOf(resource));

test.each(notices.map(({ name, displayName }) => [name, displayName]))(
	'the notice %s names labels of the editor',
	(_, text) => {
		const labels = [
			...parameters.map(([, { displayName }]) => displayName),
			...options.map(({ name }) => name),
		];
		for (const [, quoted] of text.matchAll(/'([A-Z][^']*)'/g)) expect(labels).toContain(quoted);
	},
);

test('every operation has an action of its own, by which people and AI agents find it', () => {
	expect(new Set(options.map(({ action }) => action)).size).toBe(options.length);
	for (const { action } of options) expect(action).toBeTruthy();
});

test.each(parameters.filter(([, { type }]) => type === 'options' || type === 'multiOptions'))(
	'%s offers different values, and its default is one of them',
	(_, { options: offered, default: standard }) => {
		const values = (offered as INodePropertyOptions[]).map(({ value }) => value);
		expect(new Set(values).size).toBe(values.length);
		expect(values).toEqual(expect.arrayContaining([standard].flat()));
	},
);
