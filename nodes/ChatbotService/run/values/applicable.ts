import { NodeHelpers, type INodeParameters } from 'n8n-workflow';

import type { Labels } from '../../client/answer';
import type { Field, Operation } from '../../resources/operation';
import { labelsOf } from '../../resources/request';
import { namesTarget } from './recipient';

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

/** The fields that apply to an item. */
export interface Applicable {
	wireFields: WireField[];
	/** Those of them that name the target of the request. */
	ofTarget: WireField[];
	/** Those of them that say what the request changes: the target, or everything that a deletion names. */
	identifying: WireField[];
	labels: Labels;
}

/** All fields of an operation that are sent, those that decide which fields apply, and what applies to an item by their values. */
export function applicabilityOf(operation: Operation) {
	const allWireFields = wireFieldsIn(operation.fields);
	const shown = [...operation.fields, ...allWireFields.map(({ field }) => field)];
	const deciders = new Set(shown.flatMap(({ displayOptions }) => Object.keys(displayOptions?.show ?? {})));

	function select(decisions: Record<string, unknown>): Applicable {
		const wireFields = allWireFields.filter(({ field }) =>
			NodeHelpers.displayParameter(decisions as INodeParameters, field, null, null),
		);
		const ofTarget = wireFields.filter(({ field }) => namesTarget(field));
		const identifying = operation.answer === 'deleted' ? wireFields : ofTarget;
		const fields = wireFields.map(({ field }) => field);
		return { wireFields, ofTarget, identifying, labels: labelsOf(operation, fields) };
	}

	const deciding = operation.fields.filter(({ name }) => deciders.has(name));
	return { wireFields: allWireFields, deciding, select };
}

/** @param inside beginning of the path of fields in a collection */
function wireFieldsIn(fields: Field[], inside = ''): WireField[] {
	return fields.flatMap((field) => {
		const path = `${inside}${field.name}`;
		if (field.type === 'collection') return wireFieldsIn((field.options ?? []) as Field[], `${path}.`);
		return field.routing ? [{ field, name: field.routing.send.property, path }] : [];
	});
}
