import type {
	IDataObject,
	ILoadOptionsFunctions,
	INodeListSearchItems,
	INodeListSearchResult,
} from 'n8n-workflow';

import { listSchemaGetAll } from '../resources/listSchema/getAll';
import { load, matching } from './load';

/** The editor asks for more when its list is scrolled, which takes as many entries as make it scroll. */
const enough = 10;

/** List schemas of the account, a page of the service at a time; of a search, as many pages as it takes to fill the list. */
export async function searchListSchemas(
	this: ILoadOptionsFunctions,
	filter?: string,
	paginationToken?: string,
): Promise<INodeListSearchResult> {
	const results: INodeListSearchItems[] = [];
	let page = Number(paginationToken ?? 1);
	for (;;) {
		const { rows, nextPage } = await load(this, listSchemaGetAll, { page });
		results.push(...matching(entriesOf(rows), filter));
		if (nextPage === undefined) return { results };
		if (results.length >= enough) return { results, paginationToken: String(nextPage) };
		page = nextPage;
	}
}

/** Lists can share a name, such as one and its copy in another bot: these show their IDs. */
function entriesOf(rows: IDataObject[]): INodeListSearchItems[] {
	const names = rows.map(({ name }) => String(name));
	return rows.map(({ id }, index) => {
		const name = names[index]!;
		const isShared = names.indexOf(name) !== names.lastIndexOf(name);
		return { name: isShared ? `${name} (${String(id)})` : name, value: String(id) };
	});
}
