import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import { botId, contactId } from '../resources/fields';
import { tagGetManyByBot } from '../resources/tag/getManyByBot';
import { tagGetManyByContact } from '../resources/tag/getManyByContact';
import { load, matching } from './load';

/** Tags to attach: those of the bot in 'Bot ID'. Tags to detach: those of the contact. */
export async function searchTags(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	const { rows } =
		this.getCurrentNodeParameter('operation') === 'attach'
			? await load(this, tagGetManyByBot, { owner: botId })
			: await load(this, tagGetManyByContact, { owner: contactId });
	return {
		results: matching(
			rows.map(({ name }) => ({ value: name, name })),
			filter,
		),
	};
}
