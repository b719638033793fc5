import type { IDataObject, ILoadOptionsFunctions } from 'n8n-workflow';

import { contactVariableGetAll } from '../resources/contactVariable/getAll';
import { botId, contactId, schemaId } from '../resources/fields';
import { listSchemaGet } from '../resources/listSchema/get';
import { listSchemaGetAll } from '../resources/listSchema/getAll';
import { tagGetManyByBot } from '../resources/tag/getManyByBot';
import { tagGetManyByContact } from '../resources/tag/getManyByContact';
import { load, matching, type Entry } from './load';

/* The editor's lists, by the method names in the description. */

/** Tags to attach: those of the bot in 'Bot ID'. Tags to detach: those of the contact. */
export async function searchTags(this: ILoadOptionsFunctions, filter?: string) {
	const { rows } =
		this.getCurrentNodeParameter('operation') === 'attach'
			? await load(this, tagGetManyByBot, { owner: botId })
			: await load(this, tagGetManyByContact, { owner: contactId });
	const entries = rows.map(({ name }) => ({ value: name, name }));
	return { results: matching(entries, filter) };
}

const variablesBy = (key: 'name' | 'id') =>
	async function (this: ILoadOptionsFunctions, filter?: string) {
		const { rows } = await load(this, contactVariableGetAll, { owner: contactId });
		const entries = rows.map((row) => ({ value: row[key], name: row.name, detail: row.value }));
		return { results: matching(entries, filter) };
	};

/** Variables of the contact in 'Contact ID', selected by name. */
export const searchVariableNames = variablesBy('name');

/** Variables of the contact in 'Contact ID', selected by ID. */
export const searchVariableIds = variablesBy('id');

/** The editor requests more entries when the user scrolls, which takes enough entries to scroll. */
const enough = 10;

/** List schemas of the account. A search reads pages of the API until the list is full. */
export async function searchListSchemas(
	this: ILoadOptionsFunctions,
	filter?: string,
	paginationToken?: string,
) {
	const { rows, next } = await load(this, listSchemaGetAll, {
		first: Number(paginationToken ?? 1),
		enough,
		selection: { wants: (row) => matching(entriesOf([row]), filter).length > 0 },
	});
	return { results: matching(entriesOf(rows)), ...(next && { paginationToken: String(next) }) };
}

/** Entries with the same name, such as a list and its copy in another bot, show their IDs. */
function entriesOf(rows: IDataObject[]): Entry[] {
	const names = rows.map(({ name }) => name);
	const isShared = (name: unknown) => names.indexOf(name as string) !== names.lastIndexOf(name as string);
	return rows.map(({ id, name }) => ({ value: id, name, ...(isShared(name) && { detail: id }) }));
}

/** Fields of the list schema chosen under 'List'. */
export async function searchSchemaFields(this: ILoadOptionsFunctions, filter?: string) {
	const { rows } = await load(this, listSchemaGet, { owner: schemaId });
	const fields = Object.entries((rows[0]?.fields ?? {}) as Record<string, IDataObject | null>);
	const entries = fields.map(([slug, field]) => ({ value: slug, name: field?.name, detail: slug }));
	return { results: matching(entries, filter) };
}
