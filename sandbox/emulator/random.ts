/** Repeatable random numbers. */

import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { mersenne } from 'pure-rand/generator/mersenne';

/** @returns a function for numbers from 0 to 1, 1 excluded: the same sequence for the same seed everywhere */
export function seededRandom(seed: number): () => number {
	const generator = mersenne(seed);
	return () => uniformFloat64(generator);
}
