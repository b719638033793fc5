import { NodeHelpers, type INodeParameters } from 'n8n-workflow';

import type { Labels } from '../../client/answer';
import { limit, returnAll } from '../../resources/fields';
import type { Field, Operation } from '../../resources/operation';
import { labelsOf } from '../../resources/request';

/*
 * Which fields of an operation apply to an item. The display options say so: the editor applies them to what the user chooses, and
 * this file to the values that the item has.
 */

/** A field that travels. */
export interface WireField {
	field: Field;
	/** The collection that the field is in; undefined at the top level. */
	collection: Field | undefined;
	/** Its name in the interface. */
	name: string;
	/** Where n8n keeps its value, such as `options.name`. */
	path: string;
}

/** The fields that apply to an item. */
export interface Applicable {
	wireFields: WireField[];
	/** Fields that do not travel although the request depends on their values. */
	controls: Field[];
	labels: Labels;
}

/** Values of the deciding fields, by name. */
export type Decisions = Record<string, unknown>;

/** Which fields of one operation apply to an item. */
export class Applicability {
	/** All fields that travel. */
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

	/** The fields that apply to an item with these decisions. Most items decide alike, so the latest answer is kept. */
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
