import type { IDataObject } from 'n8n-workflow';

import { isEmpty, isObject } from '../../shared/values';
import { nameOfVariable } from '../contactVariable/getAll';

/**
 * A contact as the node returns it: with its tags as texts and its variables by name, in whichever way the service writes them. What
 * cannot be read stays as it is.
 */
export function shapeOf(contact: IDataObject): IDataObject {
	const { tags, variables } = contact;
	return {
		...contact,
		...(tags !== undefined && { tags: tagsIn(tags) ?? tags }),
		...(variables !== undefined && { variables: variablesIn(variables) ?? (variables as IDataObject) }),
	};
}

/** The names of a contact's tags; undefined if they cannot be read, which does not mean that there are none. */
export function tagsIn(tags: unknown): string[] | undefined {
	if (isEmpty(tags)) return [];
	if (isObject(tags) && Array.isArray(tags.data)) return tagsIn(tags.data);
	const isList =
		Array.isArray(tags) || (isObject(tags) && Object.keys(tags).every((key) => /^\d+$/.test(key)));
	const names = isList ? elementsOf(tags).map((tag) => (isObject(tag) ? tag.name : tag)) : [undefined];
	return names.every((name): name is string => typeof name === 'string' && !isEmpty(name))
		? names
		: undefined;
}

/** PHP encodes an array with gaps as an object with numeric keys. */
const elementsOf = (list: unknown): unknown[] =>
	typeof list === 'object' && list !== null ? Object.values(list) : [];

/** A contact's variables by name; undefined if they cannot be read, which does not mean that there are none. */
export function variablesIn(variables: unknown): IDataObject | undefined {
	if (isEmpty(variables)) return {};
	if (isObject(variables) && Array.isArray(variables.data)) return variablesIn(variables.data);
	if (typeof variables !== 'object') return undefined;
	const elements = elementsOf(variables);
	// Already by name.
	if (isObject(variables) && !elements.every(isObject)) return variables as IDataObject;
	const named = elements.filter(isObject).map((each) => [nameOfVariable(each as IDataObject), each.value]);
	const readable = named.filter(([name]) => !isEmpty(name));
	return elements.length && !readable.length ? undefined : (Object.fromEntries(readable) as IDataObject);
}
