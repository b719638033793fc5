import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import { load, matching } from './load';

/** List schemas of the account, a page of the service at a time. */
export async function searchListSchemas(
	this: ILoadOptionsFunctions,
	filter?: string,
	paginationToken?: string,
): Promise<INodeListSearchResult> {
	const { rows, nextPage } = await load(
		this,
		'/getListSchemas',
		paginationToken ? { page: Number(paginationToken) } : {},
	);
	return {
		results: matching(
			rows.map(({ id, name }) => ({ name: String(name), value: String(id) })),
			filter,
		),
		paginationToken: nextPage && String(nextPage),
	};
}
