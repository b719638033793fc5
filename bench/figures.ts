import type { RecordedRequest } from '../sandbox/emulator';
import { itemsOf, texts, type Batch, type Expressions } from './messages';

export interface Spread {
	median: number;
	min: number;
	max: number;
}

export function spreadOf(values: number[]): Spread {
	const sorted = [...values].sort((a, b) => a - b);
	const middle = (sorted.length - 1) / 2;
	const median = (sorted[Math.floor(middle)]! + sorted[Math.ceil(middle)]!) / 2;
	return { median, min: sorted[0]!, max: sorted.at(-1)! };
}

/** The figures of one run from the emulator's record. */
export interface Ledger {
	requests: number;
	/** Requests answered with 429. */
	refused: number;
	/** Items whose text took effect for their contact once, never, and more than once. */
	once: number;
	lost: number;
	doubled: number;
	/** Requests that took effect, and the time between the first and the last of them. */
	accepted: number;
	spanMs: number;
}

export function readLedger(requests: RecordedRequest[], batch: Batch, expressions: Expressions): Ledger {
	const counts = new Map(
		itemsOf(batch).map((item) => [`${item.contactId} ${texts[expressions].of(item)}`, 0]),
	);
	const messageIn = ({ input }: RecordedRequest) => `${input.contact_id} ${input.text}`;
	const own = requests.filter((request) => counts.has(messageIn(request)));
	const accepted = own.filter((request) => request.accepted);
	for (const message of accepted.map(messageIn)) counts.set(message, counts.get(message)! + 1);
	const times = [...counts.values()];
	const moments = accepted.length ? spreadOf(accepted.map(({ countedAt }) => countedAt!)) : undefined;
	return {
		requests: own.length,
		refused: own.filter(({ status }) => status === 429).length,
		once: times.filter((count) => count === 1).length,
		lost: times.filter((count) => count === 0).length,
		doubled: times.filter((count) => count > 1).length,
		accepted: accepted.length,
		spanMs: moments ? moments.max - moments.min : 0,
	};
}

/**
 * The share of the limit that was used between the first and the last accepted request: the shortest time that the limit
 * allows for so many requests, divided by the actual time. 1 is as fast as the service allows.
 */
export function shareOfLimit(
	{ accepted, spanMs }: Pick<Ledger, 'accepted' | 'spanMs'>,
	limit: { requests: number; windowMs: number },
): number {
	const shortestMs = Math.floor((accepted - 1) / limit.requests) * limit.windowMs;
	return spanMs && shortestMs / spanMs;
}
