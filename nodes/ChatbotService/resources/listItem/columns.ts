import type { IDataObject, ResourceMapperField, ResourceMapperValue } from 'n8n-workflow';

import type { Selection } from '../../client/request';
import { isObject } from '../../client/values';
import type { Kind } from '../kind';
import * as kinds from '../kinds';
import type { Field, FieldReader } from '../operation';
import { whereSlugs } from './fields';
import { fieldsNotLoaded, unknownFields } from './problems';

/*
 * The values of a list item, as n8n's resource mapper stores them. n8n itself reads such a parameter in a third of a millisecond for
 * each item, rejects "1,5" as a number, and sends an object as it is. So this file reads each value like any other parameter.
 */

/** n8n's own name for this parameter. */
const name = 'columns';

const label = 'Fields';
const wireName = 'data';

/** What the workflow stores: how n8n maps, its values, and the fields of the list when the user last loaded them. */
function mappingOf(values: FieldReader) {
	const { mappingMode, value, schema } = (values.rawAt(name) ?? {}) as Partial<ResourceMapperValue>;
	return {
		isAutomatic: mappingMode === 'autoMapInputData',
		// Not for an expression, which n8n's editor does not offer here.
		value: isObject(value) ? value : {},
		known: new Map((schema ?? []).map((field) => [field.id, field])),
	};
}

const mapper = (mode: 'add' | 'map', description: string): Field => ({
	displayName: label,
	name,
	description,
	type: 'resourceMapper',
	builderHint: {
		propertyHint: `Set 'mappingMode' to 'defineBelow', and 'value' to an object with slugs as keys: ${whereSlugs}. Leave 'schema' out. 'autoMapInputData' fails until a person has chosen the list in the editor.`,
	},
	noDataExpression: true,
	required: true,
	default: { mappingMode: 'defineBelow', value: null },
	typeOptions: {
		loadOptionsDependsOn: ['schemaId.value'],
		resourceMapper: {
			resourceMapperMethod: 'getListFields',
			// With 'update', the editor would ask by which field to find the item.
			mode,
			valuesLabel: label,
			fieldWords: { singular: 'field', plural: 'fields' },
			addAllFields: mode === 'add',
			multiKeyMatch: false,
			supportAutoMap: true,
			noFieldsError: 'Choose a list that has fields.',
		},
	},
	routing: { send: { property: wireName } },
	whenEmpty: 'Map at least one field of the list.',
	compose: (values) => dataOf(values, mode === 'add'),
});

export const columnsOfNew = mapper('add', 'Values of the new item. Empty ones are not sent.');

export const columnsToChange = mapper('map', 'New values of the item. Empty ones are not sent.');

/** A text. Pictures and files are objects with a URL. */
const textOrFile: Kind = (value, label, origin) => {
	const { url } = value as { url?: unknown };
	return typeof url === 'string' ? { value: value as IDataObject } : kinds.text(value, label, origin);
};

/** By n8n's name of a type. The node does not know all types of the service. */
const kindsByType: Record<string, Kind> = {
	boolean: kinds.logical,
	number: kinds.decimal,
	string: textOrFile,
};

const fieldOf = (slug: string, known?: ResourceMapperField): Field => {
	const kind = kindsByType[known?.type ?? ''];
	return {
		displayName: known?.displayName ?? slug,
		name: slug,
		type: 'string',
		default: '',
		kind: kind ?? kinds.anyValue,
		takesLists: !kind,
	};
};

/** The values of an item by slug; undefined if all are empty. */
function dataOf(values: FieldReader, isNew: boolean): IDataObject | undefined {
	const { isAutomatic, value, known } = mappingOf(values);
	if (isAutomatic) refuseUnknown(values, known);
	const slugs = isAutomatic ? known.keys() : new Set([...known.keys(), ...Object.keys(value)]);
	const data = [...slugs].map((slug) => {
		const field = fieldOf(slug, known.get(slug));
		const isNeeded = isNew && known.get(slug)?.required === true;
		if (isAutomatic) return [slug, values.check(field, values.input[slug], isNeeded)] as const;
		// A slug can contain a dot.
		const path = `${name}.value[${JSON.stringify(slug)}]`;
		return [slug, isNeeded ? values.readNeeded(field, path) : values.read(field, path)] as const;
	});
	const filled = data.filter(([, found]) => found !== undefined);
	return filled.length ? Object.fromEntries(filled) : undefined;
}

/** Fields of an input item that are not meant for the list: those of 'Get Many', and one that n8n adds to the input of a tool. */
const notMeant = ['id', 'created_at', 'updated_at', 'toolCallId'];

/** Values for fields that the list does not have would be lost. */
function refuseUnknown({ input, problems }: FieldReader, known: ReadonlyMap<string, unknown>) {
	const unknown = Object.keys(input).filter((slug) => !known.has(slug) && !notMeant.includes(slug));
	if (!known.size) problems.push(fieldsNotLoaded(label));
	else if (unknown.length) problems.push(unknownFields(unknown));
}

/** Notices values that the service has not stored, because the list no longer has the field. @param sent values by wire name */
export function storedColumns(sent: ReadonlyMap<string, unknown>, values: FieldReader): Selection {
	const slugs = Object.keys(sent.get(wireName) ?? {});
	let lost: string[] = [];
	return {
		refuses([row]) {
			// Other answers do not contain the item.
			if (row?.id) lost = slugs.filter((slug) => !(slug in row));
			return undefined;
		},
		notice() {
			if (!lost.length) return undefined;
			const { known } = mappingOf(values);
			const labels = lost.map((slug) => `'${known.get(slug)?.displayName ?? slug}'`);
			return `The service did not return ${labels.join(', ')}. If the list no longer has this field, the value is lost: choose 'Refresh Field List' in the menu beside '${label}'.`;
		},
	};
}
