import type {
	IDataObject,
	ILoadOptionsFunctions,
	INodeListSearchItems,
	INodeListSearchResult,
} from 'n8n-workflow';

import { Pages } from '../client/pages';
import { listSchemaGetAll } from '../resources/listSchema/getAll';
import { load, matching, notLoaded, type Entry } from './load';

/** The editor requests more entries when the user scrolls, which takes enough entries to scroll. */
const enough = 10;

/** List schemas of the account, one page of the API at a time. A search reads pages until the list is full. */
export async function searchListSchemas(
	this: ILoadOptionsFunctions,
	filter?: string,
	paginationToken?: string,
): Promise<INodeListSearchResult> {
	const results: INodeListSearchItems[] = [];
	const pages = new Pages(Number(paginationToken ?? 1));
	for (;;) {
		const { rows, page } = await load(this, listSchemaGetAll, { page: pages.next });
		const follows = pages.follows(rows, page);
		if (typeof follows === 'object') throw notLoaded(this, follows.failure);
		for (const entry of matching(entriesOf(rows), filter)) results.push(entry);
		if (!follows) return { results };
		if (results.length >= enough) return { results, paginationToken: String(pages.next) };
	}
}

/** Entries with the same name, such as a list and its copy in another bot, show their IDs. */
function entriesOf(rows: IDataObject[]): Entry[] {
	const names = rows.map(({ name }) => name);
	const isShared = (name: unknown) => names.indexOf(name as string) !== names.lastIndexOf(name as string);
	return rows.map(({ id, name }) => ({ value: id, name, ...(isShared(name) && { detail: id }) }));
}
