import { apiRequest } from './api/request';
import { contactGet } from './contact/get';
import { contactGetAll } from './contact/getAll';
import { contactUpsert } from './contact/upsert';
import { contactVariableDelete } from './contactVariable/delete';
import { contactVariableGetAll } from './contactVariable/getAll';
import { contactVariableUpsert } from './contactVariable/upsert';
import { contactVariableUpsertMany } from './contactVariable/upsertMany';
import { listItemCreate } from './listItem/create';
import { listItemDelete } from './listItem/delete';
import { listItemGetAll } from './listItem/getAll';
import { listItemUpsert } from './listItem/upsert';
import { listItemUpdate } from './listItem/update';
import { listSchemaAddField } from './listSchema/addField';
import { listSchemaCreate } from './listSchema/create';
import { listSchemaDelete } from './listSchema/delete';
import { listSchemaDeleteField } from './listSchema/deleteField';
import { listSchemaGet } from './listSchema/get';
import { listSchemaGetAll } from './listSchema/getAll';
import { messageSend } from './message/send';
import { messageSendAndWait } from './message/sendAndWait';
import { messageSendToWhatsApp } from './message/sendToWhatsApp';
import type { Operation, Resource } from './operation';
import { tagAttach } from './tag/attach';
import { tagDetach } from './tag/detach';
import { tagGetManyByBot } from './tag/getManyByBot';
import { tagGetManyByContact } from './tag/getManyByContact';

/** All operations of the node, in the order of the Resource and Operation parameters. */
export const resources: Resource[] = [
	{
		option: { name: 'API', value: 'api', description: 'Endpoints for which this node has no operation' },
		operations: [apiRequest],
		defaultOperation: apiRequest,
	},
	{
		option: { name: 'Contact', value: 'contact', description: 'A person who talks to a bot' },
		operations: [contactUpsert, contactGet, contactGetAll],
		defaultOperation: contactGetAll,
	},
	{
		option: {
			name: 'Contact Variable',
			value: 'contactVariable',
			description: 'A value that the service keeps for a contact, such as the city',
		},
		operations: [
			contactVariableUpsert,
			contactVariableUpsertMany,
			contactVariableDelete,
			contactVariableGetAll,
		],
		defaultOperation: contactVariableUpsert,
	},
	{
		option: { name: 'List', value: 'listSchema', description: 'A list and its fields' },
		operations: [
			listSchemaAddField,
			listSchemaCreate,
			listSchemaDelete,
			listSchemaDeleteField,
			listSchemaGet,
			listSchemaGetAll,
		],
		defaultOperation: listSchemaGetAll,
	},
	{
		option: { name: 'List Item', value: 'listItem', description: 'An entry of a list, such as an order' },
		operations: [listItemCreate, listItemUpsert, listItemDelete, listItemGetAll, listItemUpdate],
		defaultOperation: listItemGetAll,
	},
	{
		option: { name: 'Message', value: 'message', description: 'A message of a bot to one person' },
		operations: [messageSend, messageSendAndWait, messageSendToWhatsApp],
		defaultOperation: messageSend,
	},
	{
		option: { name: 'Tag', value: 'tag', description: 'A label of contacts, such as VIP' },
		operations: [tagAttach, tagDetach, tagGetManyByBot, tagGetManyByContact],
		defaultOperation: tagAttach,
	},
];

/** The operation that the values of Resource and Operation name; undefined if they name none. */
export const findOperation = (resource: unknown, operation: unknown): Operation | undefined =>
	resources
		.find(({ option }) => option.value === resource)
		?.operations.find(({ option }) => option.value === operation);
