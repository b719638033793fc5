import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import { contactVariableGetAll } from '../resources/contactVariable/getAll';
import { contactId } from '../resources/fields';
import { load, matching } from './load';

async function variablesBy(
	context: ILoadOptionsFunctions,
	key: 'name' | 'id',
	filter: string | undefined,
): Promise<INodeListSearchResult> {
	const { rows } = await load(context, contactVariableGetAll, { owner: contactId });
	const entries = rows.map((row) => ({ value: row[key], name: row.name, detail: row.value }));
	return { results: matching(entries, filter) };
}

/** Variables of the contact in 'Contact ID', selected by name. */
export async function searchVariableNames(this: ILoadOptionsFunctions, filter?: string) {
	return await variablesBy(this, 'name', filter);
}

/** Variables of the contact in 'Contact ID', selected by ID. */
export async function searchVariableIds(this: ILoadOptionsFunctions, filter?: string) {
	return await variablesBy(this, 'id', filter);
}
