import { createHash } from 'node:crypto';

import type { Fault } from '../../sandbox/emulator';

/** What may happen to a request, and to how many of a thousand. */
export const faults: Array<{ perMille: number; fault: Fault }> = [
	{ perMille: 30, fault: { kind: 'delay', ms: [5, 60] } },
	{ perMille: 15, fault: { kind: 'delay', ms: [50, 400], when: 'after' } },
	{ perMille: 7, fault: { kind: 'reset' } },
	{ perMille: 7, fault: { kind: 'reset', when: 'after' } },
	{ perMille: 3, fault: { kind: 'timeout' } },
	{ perMille: 2, fault: { kind: 'timeout', when: 'before' } },
	{ perMille: 6, fault: { kind: 'server error' } },
	{ perMille: 6, fault: { kind: 'server error', when: 'after' } },
	{ perMille: 5, fault: { kind: 'unavailable', retryAfter: 1 } },
	{ perMille: 5, fault: { kind: 'html' } },
	{ perMille: 4, fault: { kind: 'html', status: 502, when: 'after' } },
	{ perMille: 5, fault: { kind: 'forbidden' } },
	{ perMille: 4, fault: { kind: 'redirect' } },
	{ perMille: 4, fault: { kind: 'malformed' } },
	{ perMille: 3, fault: { kind: 'empty' } },
	{ perMille: 5, fault: { kind: 'too many' } },
	{ perMille: 4, fault: { kind: 'too many', retryAfter: 1 } },
	{ perMille: 2, fault: { kind: 'too many', retryAfter: 'date', dateInMs: 2000 } },
];

/**
 * What happens to a request: the place in the list above, or -1 for nothing. The same item meets the same again when a seed
 * is repeated, in whatever order the requests arrive.
 *
 * @param request what it asks for, and how often that was asked for, from 1
 */
export function faultOf(seed: number, request: { key: string; attempt: number }): number {
	const digest = createHash('sha256').update(`${seed} ${request.key} ${request.attempt}`).digest();
	let left = (digest.readUInt32LE() / 2 ** 32) * 1000;
	return faults.findIndex(({ perMille }) => (left -= perMille) < 0);
}
