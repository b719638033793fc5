import { createHash } from 'node:crypto';

import type { Fault } from '../../sandbox/emulator';

/*
 * What tells the requests of the items apart, and the fault of each. Each request contains the number of its item, so that the
 * emulator's record can be compared with the output of n8n.
 */

/** IDs of the records that belong to an item start here; those of the seed are lower. */
export const firstId = 1_000_000;

/** As the service writes it: 24 hexadecimal characters. */
const idOf = (item: number, fill: string) => (firstId + item).toString(16).padStart(24, fill);
export const schemaIdOf = (item: number) => idOf(item, '5');
export const listItemIdOf = (item: number) => idOf(item, '6');

export const marked = (text: string, item: number) => `${text} №${item}`;

/** The item of a request, by its contents; undefined for requests for all lists. */
export function itemIn(input: Record<string, unknown>): number | undefined {
	for (const text of [input.text, input.name, input.value]) {
		const marker = /№(\d+)$/.exec(String(text ?? ''));
		if (marker) return Number(marker[1]);
	}
	const listed = input.schema_id ?? input.item_id;
	if (typeof listed === 'string') return parseInt(listed.replace(/^[56]+/, ''), 16) - firstId;
	const id = [input.contact_id, input.bot_id].map(Number).find((each) => each >= firstId);
	return id === undefined ? undefined : id - firstId;
}

/** The faults, with their number in a thousand requests. */
export const faults: Array<[perMille: number, fault: Fault]> = [
	[30, { kind: 'delay', ms: [5, 60] }],
	[15, { kind: 'delay', ms: [50, 400], when: 'after' }],
	[7, { kind: 'reset' }],
	[7, { kind: 'reset', when: 'after' }],
	[3, { kind: 'timeout' }],
	[2, { kind: 'timeout', when: 'before' }],
	[6, { kind: 'server error' }],
	[6, { kind: 'server error', when: 'after' }],
	[5, { kind: 'unavailable', retryAfter: 1 }],
	[5, { kind: 'html' }],
	[4, { kind: 'html', status: 502, when: 'after' }],
	[5, { kind: 'forbidden' }],
	[4, { kind: 'redirect' }],
	[4, { kind: 'malformed' }],
	[3, { kind: 'empty' }],
	[5, { kind: 'too many' }],
	[4, { kind: 'too many', retryAfter: 1 }],
	[2, { kind: 'too many', retryAfter: 'date' }],
];

/**
 * The fault of a request: its index in the list above, or -1 for none. With the same seed, the same item has the same
 * faults, in whatever order the requests arrive.
 *
 * @param key the text of the request, and how often it was sent
 */
export function faultOf(seed: number, key: string): number {
	const digest = createHash('sha256').update(`${seed} ${key}`).digest();
	let left = (digest.readUInt32LE() / 2 ** 32) * 1000;
	return faults.findIndex(([perMille]) => (left -= perMille) < 0);
}
