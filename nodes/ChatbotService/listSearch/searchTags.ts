import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import { bot, contact, load, matching } from './load';

/** Tags to attach, those of the bot named by 'Bot ID'; or tags to detach, those that the contact has. */
export async function searchTags(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	const { rows } =
		this.getCurrentNodeParameter('operation') === 'attach'
			? await load(this, '/getBotTags', { owner: bot })
			: await load(this, '/getContactTags', { owner: contact });
	return {
		results: matching(
			rows.map(({ name }) => ({ name: String(name), value: String(name) })),
			filter,
		),
	};
}
