import type { Resource } from '../operation';
import { contactVariableDelete } from './delete';
import { contactVariableGetAll } from './getAll';
import { contactVariableUpsert } from './upsert';

export const contactVariable: Resource = {
	option: { name: 'Contact Variable', value: 'contactVariable' },
	operations: [contactVariableUpsert, contactVariableDelete, contactVariableGetAll],
	defaultOperation: contactVariableUpsert,
};
