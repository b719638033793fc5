import type {
	IDataObject,
	ILoadOptionsFunctions,
	INodeListSearchItems,
	INodeListSearchResult,
} from 'n8n-workflow';

import { Pages } from '../client/pages';
import { listSchemaGetAll } from '../resources/listSchema/getAll';
import { load, matching, notLoaded, type Entry } from './load';

/** The editor asks for more when its list is scrolled, which takes as many entries as make it scroll. */
const enough = 10;

/** List schemas of the account, a page of the service at a time; of a search, as many pages as it takes to fill the list. */
export async function searchListSchemas(
	this: ILoadOptionsFunctions,
	filter?: string,
	paginationToken?: string,
): Promise<INodeListSearchResult> {
	const results: INodeListSearchItems[] = [];
	const pages = new Pages(paginationToken);
	for (;;) {
		const { rows, page } = await load(this, listSchemaGetAll, { page: pages.next });
		const follows = pages.follows(rows, page);
		if (typeof follows === 'object') throw notLoaded(this, follows.failure);
		for (const entry of matching(entriesOf(rows), filter)) results.push(entry);
		if (!follows) return { results };
		if (results.length >= enough) return { results, paginationToken: pages.token };
	}
}

/** Lists can share a name, such as one and its copy in another bot: these show their IDs. */
function entriesOf(rows: IDataObject[]): Entry[] {
	const names = rows.map(({ name }) => name);
	const isShared = (name: unknown) => names.indexOf(name as string) !== names.lastIndexOf(name as string);
	return rows.map(({ id, name }) => ({ value: id, name, ...(isShared(name) && { detail: id }) }));
}
