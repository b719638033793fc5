import type { Resource } from '../operation';
import { listSchemaAddField } from './addField';
import { listSchemaCreate } from './create';
import { listSchemaDelete } from './delete';
import { listSchemaDeleteField } from './deleteField';
import { listSchemaGet } from './get';
import { listSchemaGetAll } from './getAll';

export const listSchema: Resource = {
	option: { name: 'List Schema', value: 'listSchema' },
	operations: [
		listSchemaAddField,
		listSchemaCreate,
		listSchemaDelete,
		listSchemaDeleteField,
		listSchemaGet,
		listSchemaGetAll,
	],
	defaultOperation: listSchemaGetAll,
};
