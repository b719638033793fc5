import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import { load, matching, needed } from './load';

/** Tags that the contact named by 'Contact ID' has. */
export async function searchContactTags(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	const { rows } = await load(this, '/getContactTags', {
		contact_id: needed(this, 'contactId', 'Contact ID'),
	});
	return {
		results: matching(
			rows.map(({ name }) => ({ name: String(name), value: String(name) })),
			filter,
		),
	};
}
