import { createHash } from 'node:crypto';

import type { Fault } from '../../sandbox/emulator';

/** The faults, with their number in a thousand requests. */
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
 * The fault of a request: its index in the list above, or -1 for none. With the same seed, the same item has the same
 * faults, in whatever order the requests arrive.
 *
 * @param request the text of the request, and how often it was sent, from 1
 */
export function faultOf(seed: number, request: { key: string; attempt: number }): number {
	const digest = createHash('sha256').update(`${seed} ${request.key} ${request.attempt}`).digest();
	let left = (digest.readUInt32LE() / 2 ** 32) * 1000;
	return faults.findIndex(({ perMille }) => (left -= perMille) < 0);
}
