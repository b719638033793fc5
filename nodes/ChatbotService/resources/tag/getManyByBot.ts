import { botId, limit, returnAll } from '../../shared/fields';
import type { Operation } from '../../shared/operation';

/** GET getBotTags (interface, section 4.1). */
export const tagGetManyByBot: Operation = {
	option: {
		name: 'Get Many by Bot',
		value: 'getManyByBot',
		action: 'Get many tags by bot',
		description: 'Retrieve many tags, those that exist in a bot',
		routing: { request: { method: 'GET', url: '/getBotTags' } },
	},
	fields: [botId, returnAll, limit],
	place: 'query',
	answer: 'many',
	repeatable: true,
};
