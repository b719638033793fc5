import type { RecordedRequest } from '../sandbox/service';

/** A figure over several repetitions. */
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

/** What the stand-in's books say of one run. */
export interface Ledger {
	requests: number;
	/** Answered 429. */
	refused: number;
	/** Items whose request took effect once, never, and more than once. */
	once: number;
	lost: number;
	doubled: number;
	/** Requests that took effect, and when the first and the last did. */
	accepted: number;
	firstMs: number;
	lastMs: number;
}

/** @param label of the run, which begins the text of each of its `items` items */
export function readLedger(requests: RecordedRequest[], label: string, items: number): Ledger {
	const counts = new Map<string, number>();
	const moments: number[] = [];
	const own = requests.filter(({ input }) => textIn(input).startsWith(`${label} `));
	for (const { accepted, input, countedAt } of own) {
		if (!accepted) continue;
		counts.set(textIn(input), (counts.get(textIn(input)) ?? 0) + 1);
		moments.push(countedAt!);
	}
	const once = [...counts.values()].filter((count) => count === 1).length;
	return {
		requests: own.length,
		refused: own.filter(({ status }) => status === 429).length,
		once,
		lost: items - counts.size,
		doubled: counts.size - once,
		accepted: moments.length,
		firstMs: Math.min(...moments),
		lastMs: Math.max(...moments),
	};
}

const textIn = (input: Record<string, unknown>) => String(input.text ?? input.value ?? '');

/**
 * Which part of the limit was used between the first and the last accepted request: the shortest time in which the limit
 * lets so many pass, by the time it took. 1 is as fast as the service allows.
 */
export function shareOfLimit(
	{ accepted, firstMs, lastMs }: Ledger,
	limit: { requests: number; windowMs: number },
) {
	const shortestMs = Math.floor((accepted - 1) / limit.requests) * limit.windowMs;
	return shortestMs / (lastMs - firstMs);
}
