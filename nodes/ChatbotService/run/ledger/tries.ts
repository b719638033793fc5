import type { Result } from '../../client/failure/result';

/** What the tries of one run share. With Retry On Fail, n8n runs a node again for all its items. */
export interface Tries {
	/** Results of items that must not be tried again, by index. */
	ended: Map<number, Result>;
	/** The execution's origin at the first try: see `execution.ts`. */
	origin: string | undefined;
}

const triesByRun = new WeakMap<object, Tries>();

/** @param key the same object in all tries of a run; null if there is only one */
export function triesOf(key: object | null, origin: string | undefined): Tries {
	const tries = (key && triesByRun.get(key)) ?? { ended: new Map<number, Result>(), origin };
	if (key) triesByRun.set(key, tries);
	return tries;
}
