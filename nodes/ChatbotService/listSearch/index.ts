import type { IDataObject, ILoadOptionsFunctions } from 'n8n-workflow';

import { isEmpty } from '../shared/values';
import { contactVariableGetAll } from '../resources/contactVariable/getAll';
import { botId, contactId, schemaId } from '../resources/fields';
import { ownColumns } from '../resources/listItem/columns';
import { listItemGetAll } from '../resources/listItem/getAll';
import { listSchemaGetAll } from '../resources/listSchema/getAll';
import { tagAttach } from '../resources/tag/attach';
import { tagGetManyByBot } from '../resources/tag/getManyByBot';
import { tagGetManyByContact } from '../resources/tag/getManyByContact';
import type { Field, Operation } from '../resources/operation';
import { loadFields } from './fields';
import { load, matching, type Entry } from './load';
import { search } from './search';

/* The editor's lists, by the method names in the description. */

/** Tags to attach: those of the bot in 'Bot ID'. Tags to detach: those of the contact. */
export async function searchTags(this: ILoadOptionsFunctions, filter?: string) {
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
export const searchVariableNames = variablesBy('name');

/** Variables of the contact in 'Contact ID', selected by ID. */
export const searchVariableIds = variablesBy('id');

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
export const searchListSchemas = searchPages(listSchemaGetAll, ({ name }) => name);

const firstTextIn = (item: IDataObject): unknown =>
	Object.entries(item)
		.filter(([slug]) => !ownColumns.includes(slug))
		.map(([, value]) => value)
		.find((value) => typeof value === 'string' && !isEmpty(value));

/** Items of the list chosen under 'List', by their first text. */
export const searchListItems = searchPages(listItemGetAll, firstTextIn, schemaId);

/** @param others columns that no schema names */
const searchFields = (...others: Entry[]) =>
	async function (this: ILoadOptionsFunctions, filter?: string) {
		const entries = (await loadFields(this)).map(({ slug, name }) => ({ value: slug, name, detail: slug }));
		return { results: matching([...entries, ...others], filter) };
	};

/** Fields of the list schema chosen under 'List'. */
export const searchSchemaFields = searchFields();

/** What items can be sorted by. */
export const searchOrderFields = searchFields(
	{ value: 'created_at', name: 'Created At' },
	{ value: 'updated_at', name: 'Updated At' },
);
