import type { Ended } from './outcome';

/*
 * What outlives a run: Retry On Fail runs the node again, for all items. What was answered is not asked for again, and what may
 * have been done all the same is not done twice.
 */

/** How items ended in earlier tries, by their index, where that must not be tried again. */
export type Memory = Map<number, Ended>;

/** By the data of the execution, which is the same object in all tries. */
const memories = new WeakMap<object, Memory>();

/** @param key the same object in all tries; null where there is only one */
export function memoryOf(key: object | null): Memory {
	const known = key && memories.get(key);
	if (known) return known;
	const memory: Memory = new Map();
	if (key) memories.set(key, memory);
	return memory;
}
