import { NodeHelpers, type INodeParameters } from 'n8n-workflow';

import type { Labels } from '../../client/answer';
import { limit, returnAll } from '../../resources/fields';
import type { Field, Operation } from '../../resources/operation';
import { labelsOf } from '../../resources/request';

/*
 * Decides which fields of an operation apply to an item, by their display options. The editor applies the display options to the
 * values that the user selects. This file applies them to the values that the item has.
 */

/** A field that is sent. */
export interface WireField {
	field: Field;
	/** The collection that contains the field; undefined at the top level. */
	collection: Field | undefined;
	/** Name of the parameter in the API. */
	name: string;
	/** Path of the value in n8n's parameters, such as `options.name`. */
	path: string;
}

/** The fields that apply to an item. */
export interface Applicable {
	wireFields: WireField[];
	/** Fields that are not sent, although the request depends on their values. */
	controls: Field[];
	labels: Labels;
}

export type Decisions = Record<string, unknown>;

export class Applicability {
	/** All fields that are sent. */
	readonly wireFields: WireField[];

	/** The fields whose values decide which fields apply. */
	readonly deciding: Field[];

	private readonly controls: Field[];

	private latest: { decisions: Decisions; applicable: Applicable } | undefined;

	constructor(private readonly operation: Operation) {
		const { fields } = operation;
		this.wireFields = wireFieldsIn(fields);
		const shown = [...fields, ...this.wireFields.map(({ field }) => field)];
		const deciders = new Set(shown.flatMap(({ displayOptions }) => Object.keys(displayOptions?.show ?? {})));
		this.deciding = fields.filter(({ name }) => deciders.has(name));
		this.controls = fields.filter(
			(field) => field.kind && !field.routing && field !== limit && field !== returnAll,
		);
	}

	/** The fields that apply with these values of the deciding fields. Cached, because most items are alike. */
	to(decisions: Decisions): Applicable {
		const isSame = this.deciding.every(({ name }) =>
			Object.is(this.latest?.decisions[name], decisions[name]),
		);
		if (!this.latest || !isSame) this.latest = { decisions, applicable: this.select(decisions) };
		return this.latest.applicable;
	}

	private select(decisions: Decisions): Applicable {
		const applies = (field: Field) =>
			NodeHelpers.displayParameter(decisions as INodeParameters, field, null, null);
		const wireFields = this.wireFields.filter(
			({ field, collection }) => applies(field) && (!collection || applies(collection)),
		);
		const fields = wireFields.map(({ field }) => field);
		return {
			wireFields,
			controls: this.controls.filter(applies),
			labels: labelsOf(this.operation, fields),
		};
	}
}

function wireFieldsIn(fields: Field[], collection?: Field): WireField[] {
	return fields.flatMap((field) => {
		if (field.type === 'collection') return wireFieldsIn((field.options ?? []) as Field[], field);
		if (!field.routing) return [];
		const path = collection ? `${collection.name}.${field.name}` : field.name;
		return { field, collection, name: field.routing.send.property, path };
	});
}
