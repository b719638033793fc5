import { botId, limit, returnAll } from '../fields';
import type { Operation } from '../operation';

export const tagGetManyByBot: Operation = {
	option: {
		name: 'Get Many by Bot',
		value: 'getManyByBot',
		action: 'Get many tags by bot',
		description: 'Retrieve many tags that exist in a bot',
		builderHint: { propertyHint: 'Output: one item per tag, with its name.' },
		routing: { request: { method: 'GET', url: '/getBotTags' } },
	},
	fields: [botId, returnAll, limit],
	answer: 'many',
};
