import type { IDataObject, ResourceMapperField } from 'n8n-workflow';

import type { Selection } from '../../client/request';
import type { Kind } from '../kind';
import * as kinds from '../kinds';
import type { Field, FieldReader } from '../operation';
import { fieldsNotLoaded, unknownFields } from './problems';

/*
 * The values of a list item, as n8n's resource mapper stores them. n8n itself reads such a parameter in a third of a millisecond for
 * each item, rejects "1,5" as a number, and sends an object as it is. So this file reads each value like any other parameter.
 */

/** n8n's own name for this parameter. */
const name = 'columns';

const label = 'Fields';

/** As n8n stores it. The types are those of the list when the user last opened or refreshed the fields. */
interface Mapping {
	mappingMode?: 'defineBelow' | 'autoMapInputData';
	value?: IDataObject | null;
	schema?: ResourceMapperField[];
}

const mapper = (mode: 'add' | 'map', more: Partial<Field>): Field => ({
	displayName: label,
	name,
	type: 'resourceMapper',
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
			noFieldsError: 'This list has no fields.',
		},
	},
	routing: { send: { property: 'data' } },
	whenEmpty: 'Map at least one field of the list.',
	compose: (values) => dataOf(values, mode === 'add'),
	...more,
});

export const columnsOfNew = mapper('add', {
	description: 'Values of the new item. Empty ones are not sent.',
});

export const columnsToChange = mapper('map', {
	description: 'New values of the item. The others stay as they are, also those that are empty here.',
});

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

/** Fields of an input item that no list has: those of 'Get Many', and one that n8n adds to the input of a tool. */
const withoutField = ['id', 'created_at', 'updated_at', 'toolCallId'];

/** The values of an item by slug; undefined if all are empty. */
function dataOf(values: FieldReader, isNew: boolean): IDataObject | undefined {
	const { mappingMode, value, schema } = (values.rawAt(name) ?? {}) as Mapping;
	const known = new Map((schema ?? []).map((field) => [field.id, field]));
	const isAutomatic = mappingMode === 'autoMapInputData';
	const given = Object.keys(isAutomatic ? values.input : (value ?? {}));
	const slugs = [...new Set([...known.keys(), ...given])].filter((slug) => {
		return known.has(slug) || !isAutomatic;
	});
	if (isAutomatic) {
		const unknown = given.filter((slug) => !known.has(slug) && !withoutField.includes(slug));
		if (!known.size) values.problems.push(fieldsNotLoaded);
		else if (unknown.length) values.problems.push(unknownFields(unknown));
	}
	const data: IDataObject = {};
	for (const slug of slugs) {
		const field = fieldOf(slug, known.get(slug));
		const isNeeded = isNew && known.get(slug)?.required === true;
		const path = `${name}.value.${slug}`;
		const read = () => (isNeeded ? values.readNeeded(field, path) : values.read(field, path));
		const found = isAutomatic ? values.check(field, values.input[slug], isNeeded) : read();
		if (found !== undefined) data[slug] = found;
	}
	return Object.keys(data).length ? data : undefined;
}

/**
 * Notices values that the service has not stored, because the list no longer has the field. @param sent values by wire name
 */
export function storedColumns(sent: ReadonlyMap<string, unknown>, values: FieldReader): Selection {
	const { schema } = (values.rawAt(name) ?? {}) as Mapping;
	let lost: string[] = [];
	return {
		refuses([row]) {
			// Other answers do not contain the item.
			if (row?.id) lost = Object.keys((sent.get('data') ?? {}) as object).filter((slug) => !(slug in row));
			return undefined;
		},
		notice() {
			const labels = lost.map(
				(slug) =>
					`'${
						fieldOf(
							slug,
							schema?.find(({ id }) => id === slug),
						).displayName
					}'`,
			);
			return lost.length
				? `The service did not return ${labels.join(', ')}. If the list no longer has this field, the value is lost: choose 'Refresh field list' in the menu beside '${label}'.`
				: undefined;
		},
	};
}
