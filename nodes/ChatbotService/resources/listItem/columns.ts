import type { FieldType, IDataObject, ResourceMapperField, ResourceMapperValue } from 'n8n-workflow';

import { noneStored } from '../../client/failure/failure';
import { isDone, type Left, type Result } from '../../client/failure/result';
import type { WireParameter } from '../../client/http/placement';
import { isEmpty, isObject } from '../../shared/values';
import type { Kind } from '../kind';
import * as kinds from '../kinds';
import type { Field, FieldReader, WireValues, Steps } from '../operation';
import { columnsOfN8n } from '../fields';
import { slugLike, type NamesBySlug } from '../listFields';
import { whereSlugs } from './itemFields';
import { fieldsNotLoaded, noSuchField, ownColumn, unknownFields } from './itemProblems';

/*
 * The values of a list item, as n8n's resource mapper stores them. n8n itself reads such a parameter in a third of a millisecond for
 * each item, rejects "1,5" as a number, and sends an object as it is. So this file reads each value like any other parameter.
 */

/** n8n's own name for this parameter. */
const name = 'columns';

const label = 'Fields';

/** A field of the list as `getListFields` has returned it to the editor. */
type KnownField = ResourceMapperField & {
	isRequired?: boolean;
	/** Whether it is encrypted or hidden, so that an answer may leave out its value. */
	isSecret?: boolean;
};

/** What the workflow stores: how n8n maps, its values, and the fields of the list when the user last loaded them. */
function mappingOf(values: FieldReader) {
	const { mappingMode, value, schema } = (values.rawOf(columnsOfNew) ?? {}) as Partial<ResourceMapperValue>;
	return {
		isAutomatic: mappingMode === 'autoMapInputData',
		// Not for an expression, which n8n's editor does not offer here.
		value: isObject(value) ? value : {},
		known: new Map((schema ?? []).map((field: KnownField) => [field.id, field])),
	};
}

/** @param isNew whether the item is always a new one, so that it needs all required fields */
const mapper = (description: string, isNew = false): Field => ({
	displayName: label,
	name,
	description,
	type: 'resourceMapper',
	builderHint: {
		propertyHint: `Set 'mappingMode' to 'defineBelow', and 'value' to an object with slugs as keys: ${whereSlugs}. Leave 'schema' out. 'autoMapInputData' fails until a person has chosen the list in the editor.`,
	},
	noDataExpression: true,
	required: true,
	displayOptions: { hide: { schemaId: [''] } },
	default: { mappingMode: 'defineBelow', value: null },
	typeOptions: {
		loadOptionsDependsOn: ['schemaId.value'],
		resourceMapper: {
			resourceMapperMethod: 'getListFields',
			// With 'update', the editor would ask by which field to find the item.
			mode: isNew ? 'add' : 'map',
			valuesLabel: label,
			fieldWords: { singular: 'field', plural: 'fields' },
			addAllFields: true,
			multiKeyMatch: false,
			supportAutoMap: true,
			noFieldsError: 'Choose a list that has fields.',
		},
	},
	routing: { send: { property: 'data' } },
	adviceIfEmpty: 'Map at least one field of the list.',
	compose: (values) => dataOf(values, isNew),
});

export const columnsOfNew = mapper('Values of the new item. Empty ones are not sent.', true);

export const columnsOfItem = mapper('Values of the item. Empty ones are not sent.');

/** A text. Pictures and files are objects with a URL. */
const textOrFile: Kind = (value, label, circumstances) => {
	const { url } = value as { url?: unknown };
	return typeof url === 'string' ? { value: value as IDataObject } : kinds.text(value, label, circumstances);
};

/** How n8n's editor names types. A field of any other type, such as a picture, gets none: the service checks its value. */
export const typesInEditor: Record<string, FieldType> = {
	bool: 'boolean',
	boolean: 'boolean',
	number: 'number',
	contact: 'number',
	bot: 'number',
	string: 'string',
};

/** By n8n's name of a type. */
const kindsByType: Record<string, Kind> = {
	boolean: kinds.logical,
	number: kinds.decimal,
	string: textOrFile,
};

/** How to read a value for a field; undefined for a type that the node does not know. @param type as the service names it */
export const kindOfType = (type: unknown): Kind | undefined => kindsByType[typesInEditor[String(type)] ?? ''];

const fieldOf = (slug: string, known?: ResourceMapperField): Field => ({
	displayName: known?.displayName ?? slug,
	// A slug can contain a dot.
	name: `${name}.value[${JSON.stringify(slug)}]`,
	type: 'string',
	default: '',
	kind: kindsByType[known?.type ?? ''] ?? kinds.anyValue,
});

/**
 * The value by which an item is recognized: it must not be empty, and have lost no part.
 *
 * @param label of the parameter that names its field
 */
export function keyOf(values: FieldReader, slug: string, label: string): WireParameter['value'] {
	const { isAutomatic, value, known } = mappingOf(values);
	if (known.size && !known.has(slug) && (isAutomatic || !(slug in value))) {
		values.problems.push(noSuchField(label, slug, namesIn(known)));
		return undefined;
	}
	if (!known.has(slug) && slug !== 'contact_id' && ownColumns.includes(slug)) {
		values.problems.push(ownColumn(label, slug));
		return undefined;
	}
	const usual = fieldOf(slug, known.get(slug));
	// No item is recognized by a picture or a file.
	const kind: Kind = (...given) => (typeof given[0] === 'object' ? kinds.text : usual.kind!)(...given);
	const adviceIfEmpty = `'${label}' names this field: without its value under 'Fields', the node cannot recognize the item.`;
	const field: Field = { ...usual, kind, adviceIfEmpty };
	const found = isAutomatic ? values.check(field, values.input[slug], 'needed') : values.read(field, 'whole');
	return typeof found === 'string' ? values.check({ ...field, kind: kinds.key }, found, 'needed') : found;
}

/** Whether the workflow knows the types of the fields, so that their values are already read by them. */
export function areKnown(values: FieldReader, slugs: string[]): boolean {
	const { known } = mappingOf(values);
	return slugs.every((slug) => known.has(slug));
}

/** The values of an item by slug; undefined if all are empty. */
function dataOf(values: FieldReader, isNew: boolean): IDataObject | undefined {
	const { isAutomatic, value, known } = mappingOf(values);
	if (isAutomatic) refuseUnknown(values, known);
	const slugs = isAutomatic ? known.keys() : new Set([...known.keys(), ...Object.keys(value)]);
	const data = [...slugs].map((slug) => {
		const field = fieldOf(slug, known.get(slug));
		const { required, isRequired, removed } = known.get(slug) ?? {};
		const demand = isNew && (required || isRequired) === true ? 'needed' : 'optional';
		// Older editors store false for each yes/no field that they hide.
		const given = isAutomatic ? values.input[slug] : undefined;
		const isRead = !isAutomatic && !removed;
		return [slug, isRead ? values.read(field, demand) : values.check(field, given, demand)] as const;
	});
	const filled = data.filter(([, found]) => found !== undefined);
	return filled.length ? Object.fromEntries(filled) : undefined;
}

/** What the service adds to the fields of each item. */
export const ownColumns = ['id', 'contact_id', 'created_at', 'updated_at'];

/** Fields of an input item that are not meant for the list. */
const notMeant = [...ownColumns, ...columnsOfN8n];

/** Values for fields that the list does not have would be lost. */
function refuseUnknown({ input, problems }: FieldReader, known: ReadonlyMap<string, KnownField>) {
	const unknown = Object.keys(input).filter(
		(slug) => !known.has(slug) && !notMeant.includes(slug) && !isEmpty(input[slug]),
	);
	if (!known.size) problems.push(fieldsNotLoaded(label));
	else if (unknown.length) {
		// A field that the item has already can only be another one.
		const free = namesIn(known).filter(([slug]) => !(slug in input));
		problems.push(unknownFields(unknown.map((each) => [each, slugLike(each, free)])));
	}
}

/** The editor's labels end with the slug. */
const namesIn = (known: ReadonlyMap<string, KnownField>): NamesBySlug =>
	[...known.values()].map(({ id, displayName }) => [id, displayName.replace(` (${id})`, '')]);

/**
 * Looks whether the service has stored the values of an item. Another spelling is fine, and so is nothing for 0 and false, and for a
 * field whose value an answer may leave out.
 *
 * @returns a function for the answer
 */
export function storing(sent: WireValues, values: FieldReader) {
	const data = (sent.of(columnsOfNew) ?? {}) as IDataObject;
	const slugs = Object.keys(data);
	const { known } = mappingOf(values);
	return (saved: Result | Left, { isNew }: { isNew: boolean }): Result | Left => {
		const [row] = isDone(saved) ? saved.rows : [];
		// Other answers do not contain the item, even if they contain its ID.
		if (!row?.id || !['created_at', ...slugs].some((each) => each in row)) return saved;
		const isThere = (slug: string) => slug in row && (!isEmpty(row[slug]) || Number(data[slug]) === 0);
		const missing = slugs.filter((slug) => !known.get(slug)?.isSecret && !isThere(slug));
		const lost = missing.map((slug) => known.get(slug)?.displayName ?? slug);
		if (!lost.length) return saved;
		if (lost.length === slugs.length) return { failure: noneStored(row.id, lost, { isNew }) };
		const notice = `The service returned no value for '${lost.join("', '")}'. If the list no longer has this field, the value is lost: choose 'Refresh Field List' in the menu beside '${label}'.`;
		return { rows: [row], notice };
	};
}

/** The steps that save an item and look whether its values are stored. */
export const saving =
	({ isNew }: { isNew: boolean }) =>
	(sent: WireValues, values: FieldReader): Steps => {
		const stored = storing(sent, values);
		return async ({ ask, own }) => stored(await ask(own), { isNew });
	};
