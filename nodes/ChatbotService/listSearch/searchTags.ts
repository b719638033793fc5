import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import { load, matching, needed } from './load';

/** Tags to attach, those of the bot named by 'Bot ID'; or tags to detach, those that the contact has. */
export async function searchTags(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	const { rows } =
		this.getCurrentNodeParameter('operation') === 'attach'
			? await load(this, '/getBotTags', { bot_id: needed(this, 'botId', 'Bot ID') })
			: await load(this, '/getContactTags', { contact_id: needed(this, 'contactId', 'Contact ID') });
	return {
		results: matching(
			rows.map(({ name }) => ({ name: String(name), value: String(name) })),
			filter,
		),
	};
}
