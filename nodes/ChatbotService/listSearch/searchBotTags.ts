import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import { load, matching, needed } from './load';

/** Tags that exist in the bot named by 'Bot ID'. */
export async function searchBotTags(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	const { rows } = await load(this, '/getBotTags', { bot_id: needed(this, 'botId', 'Bot ID') });
	return {
		results: matching(
			rows.map(({ name }) => ({ name: String(name), value: String(name) })),
			filter,
		),
	};
}
