import type { IDataObject, ILoadOptionsFunctions, ResourceMapperFields } from 'n8n-workflow';

import { isEmpty } from '../shared/values';
import { contactVariableGetAll } from '../resources/contactVariable/getAll';
import { botId, contactId, schemaId } from '../resources/fields';
import { fieldsIn } from '../resources/listFields';
import { ownColumns, typesInEditor } from '../resources/listItem/columns';
import { listItemCreate } from '../resources/listItem/create';
import { listItemGetAll } from '../resources/listItem/getAll';
import { listSchemaGet } from '../resources/listSchema/get';
import { listSchemaGetAll } from '../resources/listSchema/getAll';
import { tagAttach } from '../resources/tag/attach';
import { tagGetManyByBot } from '../resources/tag/getManyByBot';
import { tagGetManyByContact } from '../resources/tag/getManyByContact';
import type { Field, Operation } from '../resources/operation';
import { load, matching, search, titleOf, type Entry } from './load';

/* The editor's lists, by the method names in the description. */

/** Tags to attach: those of the bot in 'Bot ID'. Tags to detach: those of the contact. */
async function searchTags(this: ILoadOptionsFunctions, filter?: string) {
	const { rows } =
		this.getCurrentNodeParameter('operation') === tagAttach.option.value
			? await load(this, tagGetManyByBot, botId)
			: await load(this, tagGetManyByContact, contactId);
	const entries = rows.map(({ name }) => ({ value: name, name }));
	return { results: matching(entries, filter) };
}

const variablesBy = (key: 'name' | 'id') =>
	async function (this: ILoadOptionsFunctions, filter?: string) {
		const { rows } = await load(this, contactVariableGetAll, contactId);
		const entries = rows.map((row) => ({ value: row[key], name: row.name, detail: row.value }));
		return { results: matching(entries, filter) };
	};

/** Variables of the contact in 'Contact ID', selected by name. */
const searchVariableNames = variablesBy('name');

/** Variables of the contact in 'Contact ID', selected by ID. */
const searchVariableIds = variablesBy('id');

/** The records of an operation that has pages. */
const searchPages = (operation: Operation, nameOf: (row: IDataObject) => unknown, owner?: Field) =>
	async function (this: ILoadOptionsFunctions, filter = '', paginationToken?: string) {
		// Also by the ID, which stands after a name that several have.
		const matches = (row: IDataObject) =>
			matching([{ value: row.id, name: nameOf(row), detail: row.id }], filter).length > 0;
		const first = paginationToken === undefined ? undefined : Number(paginationToken);
		const { rows, next } = await search(this, operation, matches, { owner, text: filter, first });
		return {
			results: matching(withDistinctNames(rows, nameOf)),
			...(next && { paginationToken: String(next) }),
		};
	};

/** Entries with the same name, such as a list and its copy in another bot, show their IDs. */
function withDistinctNames(rows: IDataObject[], nameOf: (row: IDataObject) => unknown): Entry[] {
	const names = rows.map(nameOf);
	const isShared = (name: unknown) => names.indexOf(name) !== names.lastIndexOf(name);
	return rows.map(({ id }, index) => {
		const name = names[index];
		return { value: id, name, ...(isShared(name) && { detail: id }) };
	});
}

/** List schemas of the account. */
const searchListSchemas = searchPages(listSchemaGetAll, ({ name }) => name);

const firstTextIn = (item: IDataObject): unknown =>
	Object.entries(item)
		.filter(([slug]) => !ownColumns.includes(slug))
		.map(([, value]) => value)
		.find((value) => typeof value === 'string' && !isEmpty(value));

/** Items of the list chosen under 'List', by their first text. */
const searchListItems = searchPages(listItemGetAll, firstTextIn, schemaId);

/** The fields of the list chosen under 'List', as the service defines them, with their slugs. */
async function loadFields(context: ILoadOptionsFunctions): Promise<IDataObject[]> {
	const { rows } = await load(context, listSchemaGet, schemaId);
	return fieldsIn(rows[0] ?? {}).map(([slug, field]) => ({ ...field, slug }));
}

/** @param others columns that no schema names */
const searchFields = (...others: Entry[]) =>
	async function (this: ILoadOptionsFunctions, filter?: string) {
		const entries = (await loadFields(this)).map(({ slug, name }) => ({ value: slug, name, detail: slug }));
		return { results: matching([...entries, ...others], filter) };
	};

/** Fields of the list schema chosen under 'List'. */
const searchSchemaFields = searchFields();

/** What items can be sorted by. */
const searchOrderFields = searchFields(
	{ value: 'created_at', name: 'Created At' },
	{ value: 'updated_at', name: 'Updated At' },
);

/** The same fields, for a resource mapper. How their values are read: resources/listItem/columns.ts. */
async function getListFields(this: ILoadOptionsFunctions): Promise<ResourceMapperFields> {
	// The editor asks also before the user has chosen a list.
	const list = this.getCurrentNodeParameter(schemaId.name, { extractValue: true });
	const fields = isEmpty(list) ? [] : await loadFields(this);
	const isNew = this.getCurrentNodeParameter('operation') === listItemCreate.option.value;
	return {
		fields: fields.map(({ slug, name, type, is_required: isRequired, ...others }) => ({
			id: slug as string,
			// For an AI agent, n8n names parameters after labels and keeps only their Latin letters and digits.
			displayName: titleOf({ value: slug, name, detail: name === slug ? undefined : slug }),
			// An update changes only some fields. The editor would begin with those that are required.
			required: isNew && isRequired === true,
			// The editor keeps these fields when the user switches to a new item.
			...(!isNew && isRequired === true && { isRequired }),
			// For each field that it shows, the editor stores false if it is yes/no, and n8n 1.123 stores 0 if it is a number.
			...(!isNew && ['boolean', 'number'].includes(typesInEditor[String(type)]!) && { removed: true }),
			...((others.is_encryptable === true || others.is_hidden === true) && { isSecret: true }),
			defaultMatch: false,
			// Older editors map fields only if one of them can identify the item.
			canBeUsedToMatch: true,
			display: true,
			type: typesInEditor[String(type)],
		})),
	};
}

export const methods = {
	listSearch: {
		searchTags,
		searchVariableNames,
		searchVariableIds,
		searchListSchemas,
		searchListItems,
		searchSchemaFields,
		searchOrderFields,
	},
	resourceMapping: { getListFields },
};
