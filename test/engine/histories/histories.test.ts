import fc from 'fast-check';

import { times } from '../../times';
import { speed, useFastTime } from './fastTime';
import { histories } from './history';
import { perform } from './perform';
import { broken } from './promises';

/*
 * Broadcasts that nobody wrote down. A history that breaks a promise is made as short as possible and shown with its seed. To repeat it:
 * TEST_SEED=<seed> RUNS=0.01.
 */

useFastTime();

const COUNT = times(100);

/** Histories that are performed at the same time: most of their time is waiting. */
const LANES = 6;

/** How long a history is made shorter. */
const SHORTENED_MS = 30_000 * speed;

test('every history keeps the promises (generated)', async () => {
	const { seed = 0 } = fc.readConfigureGlobal() ?? {};
	let next = seed;
	let failedAt = Infinity;
	let failed: unknown;
	// Without a bias, because it is for the first values of many, and each seed has one.
	const property = fc.asyncProperty(fc.noBias(histories), async (history) => {
		if (performance.now() > failedAt + SHORTENED_MS) return;
		try {
			await perform(history, (scene) => expect(broken(scene)).toEqual([]));
		} catch (error) {
			failedAt = Math.min(failedAt, performance.now());
			throw error;
		}
	});
	const lane = async () => {
		while (failedAt === Infinity && next < seed + COUNT)
			await fc.assert(property, { seed: next++, numRuns: 1 }).catch((error: unknown) => (failed ??= error));
	};
	await Promise.all(Array.from({ length: LANES }, lane));
	if (failed) throw failed;
}, 7_200_000);
