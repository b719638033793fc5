import type { IDataObject } from 'n8n-workflow';

import { isEmpty, isObject } from '../../shared/values';
import { nameOfVariable } from '../rows';

/**
 * A contact as the node returns it: with its tags as texts and its variables by name, in whichever way the service writes them. Tags
 * that cannot be read stay as they are.
 */
export function shapeOf(contact: IDataObject): IDataObject {
	const { tags, variables } = contact;
	return {
		...contact,
		...(tags !== undefined && { tags: tagsIn(tags) ?? tags }),
		...(variables !== undefined && { variables: byName(variables) }),
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

function byName(variables: unknown): IDataObject {
	const elements = elementsOf(variables);
	// Already by name.
	if (isObject(variables) && !elements.every(isObject)) return variables as IDataObject;
	const named = elements.filter(isObject).map((each) => [nameOfVariable(each as IDataObject), each.value]);
	return Object.fromEntries(named.filter(([name]) => !isEmpty(name))) as IDataObject;
}
