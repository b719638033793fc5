import { NodeHelpers, type INodeParameters } from 'n8n-workflow';

import type { Field, Operation } from '../../resources/operation';

/*
 * Decides which fields of an operation apply to an item, by their display options. The editor applies the display options to the
 * values that the user selects. This file applies them to the values that the item has.
 */

/** A field that is sent. */
export interface WireField {
	field: Field;
	/** Name of the parameter in the API. */
	name: string;
	/** Path of the value in n8n's parameters, such as `options.name`. */
	path: string;
}

/** All fields of an operation that are sent, those that decide which fields apply, and what applies to an item by their values. */
export function applicabilityOf({ fields }: Operation) {
	const wireFields = wireFieldsIn(fields);
	const shown = [...fields, ...wireFields.map(({ field }) => field)];
	const deciders = new Set(shown.flatMap(({ displayOptions }) => Object.keys(displayOptions?.show ?? {})));
	const deciding = fields.filter(({ name }) => deciders.has(name));
	const select = (decisions: Record<string, unknown>): WireField[] =>
		wireFields.filter(({ field }) =>
			NodeHelpers.displayParameter(decisions as INodeParameters, field, null, null),
		);
	return { wireFields, deciding, select };
}

/** @param inside beginning of the path of fields in a collection */
function wireFieldsIn(fields: Field[], inside = ''): WireField[] {
	return fields.flatMap((field) => {
		const path = `${inside}${field.name}`;
		if (field.type === 'collection') return wireFieldsIn((field.options ?? []) as Field[], `${path}.`);
		return field.routing ? [{ field, name: field.routing.send.property, path }] : [];
	});
}
