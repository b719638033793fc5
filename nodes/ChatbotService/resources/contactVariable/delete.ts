import { contactId, outputOptions, pickedFrom, variableName } from '../fields';
import * as kinds from '../kinds';
import { mayBeDone, type Field, type Operation } from '../operation';

const deleteBy: Field = {
	displayName: 'Delete By',
	name: 'deleteBy',
	type: 'options',
	noDataExpression: true,
	options: [
		{ name: 'ID', value: 'id' },
		{ name: 'Name', value: 'name' },
	],
	default: 'name',
	description: 'How to identify the variable',
};

const variableByName: Field = {
	...variableName,
	displayOptions: { show: { deleteBy: ['name'] } },
	whatItIs: 'variable with this name',
};

const variableId: Field = {
	displayName: 'Variable',
	name: 'variableId',
	description: 'The variable, by its ID',
	displayOptions: { show: { deleteBy: ['id'] } },
	...pickedFrom('searchVariableIds', { displayName: 'By ID', name: 'id', placeholder: 'e.g. 301' }),
	routing: { send: { property: 'id' } },
	kind: kinds.wholeNumber('Enter the numeric ID, for example 301, not the name of the variable.'),
	whole: 'all',
	whatItIs: 'variable with this ID',
};

export const contactVariableDelete: Operation = {
	option: {
		name: 'Delete',
		value: 'delete',
		action: 'Delete contact variable',
		description: 'Delete a variable of a contact permanently',
		routing: { request: { method: 'POST', url: '/deleteContactVariable' } },
	},
	fields: [contactId, deleteBy, variableByName, variableId, outputOptions],
	inQuery: 'always',
	answer: 'deleted',
	advice: mayBeDone('The variable may have been deleted', 'the variables of the contact'),
};
