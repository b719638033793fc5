import type { IDataObject } from 'n8n-workflow';

import { isEmpty, isObject } from '../../client/values';
import { nameOfVariable } from '../rows';

/** A contact as the node returns it: with its tags as texts and its variables by name, in whichever way the service writes them. */
export function shapeOf(contact: IDataObject): IDataObject {
	const { tags, variables } = contact;
	return {
		...contact,
		...(tags !== undefined && { tags: elementsOf(tags).map(nameOfTag) }),
		...(variables !== undefined && { variables: byName(variables) }),
	};
}

/** PHP encodes an array with gaps as an object with numeric keys. */
const elementsOf = (list: unknown): unknown[] =>
	typeof list === 'object' && list !== null ? Object.values(list) : [];

const nameOfTag = (tag: unknown) => String(isObject(tag) ? tag.name : tag);

function byName(variables: unknown): IDataObject {
	const elements = elementsOf(variables);
	// Already by name.
	if (isObject(variables) && !elements.every(isObject)) return variables as IDataObject;
	const named = elements.filter(isObject).map((each) => [nameOfVariable(each as IDataObject), each.value]);
	return Object.fromEntries(named.filter(([name]) => !isEmpty(name))) as IDataObject;
}
