import type { INodePropertyCollection } from 'n8n-workflow';

import type { Field } from './operation';

/** Where a field stands in its operation. */
export interface FieldPlace {
	/** Of its value in n8n's parameters, such as `options.sendingHours.values.from` or `filters.variables.conditions.#.name`. */
	path: string;
	/** How errors name it, such as 'Sending Hours: From' or 'Variables, condition #: Name'. */
	label: string;
	/** Whether it is in a group, of which n8n stores no value that equals the default. */
	isInGroup: boolean;
}

/** Stands for the number of a row. */
export const anyRow = '#';

const nowhere: FieldPlace = { path: '', label: '', isInGroup: false };

/** The fields, and those inside them. */
export const placesIn = (fields: Field[], outer = nowhere): Array<[Field, FieldPlace]> =>
	fields.flatMap((field) => {
		const { name, displayName } = field;
		const place = { ...outer, path: `${outer.path}${name}`, label: `${outer.label}${displayName}` };
		return [[field, place], ...insideOf(field, place.path)];
	});

function insideOf(
	{ type, typeOptions, displayName, options }: Field,
	path: string,
): Array<[Field, FieldPlace]> {
	if (type === 'collection') return placesIn(options as Field[], { ...nowhere, path: `${path}.` });
	if (type !== 'fixedCollection') return [];
	const [group] = options as [INodePropertyCollection];
	const of = typeOptions?.multipleValues
		? { path: `.${anyRow}.`, label: `, ${group.displayName.toLowerCase()} ${anyRow}: ` }
		: { path: '.', label: ': ' };
	const place = {
		path: `${path}.${group.name}${of.path}`,
		label: `${displayName}${of.label}`,
		isInGroup: true,
	};
	return placesIn(group.values as Field[], place);
}
