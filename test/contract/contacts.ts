/** What getContacts lists. */

import type { Emulator } from '../../sandbox/emulator';
import type { Page } from '../../sandbox/emulator/pages';
import { clientOf, type Asked, type Question } from './client';

export interface Row extends Record<string, unknown> {
	id: number;
}

export function listerOf(service: Emulator) {
	const ask = clientOf(service);
	const list = async (query: Question['query'] = {}): Promise<Asked<Page<Row>>> =>
		await ask<Page<Row>>('getContacts', { query });
	/** The row of one contact among the first 500. */
	const listed = async (id: number, query: Question['query'] = {}) =>
		(await list({ count: 500, ...query })).json.data.find((row) => row.id === id);
	return { list, listed };
}

export const idsOf = ({ json }: Asked<Page<Row>>): number[] => json.data.map(({ id }) => id);
