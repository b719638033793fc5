import type { IDataObject } from 'n8n-workflow';

import { isObject } from '../../shared/values';
import { contactId, limit, returnAll } from '../fields';
import type { Operation } from '../operation';

/** The name of a variable. Some services return it only within the variable's own `variable`. */
export const nameOfVariable = ({ name, variable }: IDataObject): IDataObject[string] =>
	name ?? (isObject(variable) ? (variable.name as string | undefined) : undefined);

export const contactVariableGetAll: Operation = {
	option: {
		name: 'Get Many',
		value: 'getAll',
		action: 'Get many contact variables',
		description: 'Retrieve many variables of a contact',
		builderHint: { propertyHint: 'Output: one item per variable, with id, name and value.' },
		routing: { request: { method: 'GET', url: '/getContactVariables' } },
	},
	fields: [contactId, returnAll, limit],
	answer: 'many',
	// OneBot and LEADTEX return the name only in `variable`.
	shape: (row) => ({ ...row, name: nameOfVariable(row) }),
};
