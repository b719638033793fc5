import type { Resource } from '../operation';
import { tagAttach } from './attach';
import { tagDetach } from './detach';
import { tagGetManyByBot } from './getManyByBot';
import { tagGetManyByContact } from './getManyByContact';

export const tag: Resource = {
	option: { name: 'Tag', value: 'tag' },
	operations: [tagAttach, tagDetach, tagGetManyByBot, tagGetManyByContact],
	defaultOperation: tagAttach,
};
