/** What getListItems lists. */

import type { Emulator } from '../../sandbox/emulator';
import type { Page } from '../../sandbox/emulator/pages';
import { clientOf, type Asked } from './client';

export interface Item extends Record<string, unknown> {
	id: string;
}

export function itemListerOf(service: Emulator) {
	const ask = clientOf(service);
	return async (schema_id: string, more: object = {}): Promise<Asked<Page<Item>>> =>
		await ask<Page<Item>>('getListItems', { body: { schema_id, ...more } });
}
