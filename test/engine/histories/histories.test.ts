import fc from 'fast-check';

import { times } from '../../times';
import { useFastTime } from '../fastTime';
import { histories } from './history';
import { perform } from './perform';
import { broken } from './promises';
import { rareStates } from './reached';
import { noticeStandstills, speed } from './standstills';

/*
 * Broadcasts that nobody wrote down. A history that breaks a promise is made as short as possible and shown with its seed. To repeat it:
 * TEST_SEED=<seed> RUNS=0.01.
 */

useFastTime(speed);
noticeStandstills();

const COUNT = times(50);

/** Further histories are performed until each rare state is reached, if there are enough to expect that. */
const MOST = COUNT < 50 ? COUNT : 8 * COUNT;

/** Histories that are performed at the same time: most of their time is waiting. */
const LANES = 6;

/** How long a history is made shorter. */
const SHORTENED_MS = 30_000 * speed;

test('every history keeps the promises (generated)', async () => {
	const { seed = 0 } = fc.readConfigureGlobal() ?? {};
	let next = seed;
	let failedAt = Infinity;
	let failed: unknown;
	/** The rare states that no history has reached. */
	const missing = new Set(Object.keys(rareStates));
	// Without a bias, because it is for the first values of many, and each seed has one.
	const property = fc.asyncProperty(fc.noBias(histories), async (history) => {
		if (performance.now() > failedAt + SHORTENED_MS) return;
		try {
			await perform(history, (scene) => {
				for (const [state, isIn] of Object.entries(rareStates)) if (isIn(scene)) missing.delete(state);
				expect(broken(scene)).toEqual([]);
			});
		} catch (error) {
			failedAt = Math.min(failedAt, performance.now());
			throw error;
		}
	});
	const lane = async () => {
		while (failedAt === Infinity && next < seed + (missing.size ? MOST : COUNT))
			await fc.assert(property, { seed: next++, numRuns: 1 }).catch((error: unknown) => (failed ??= error));
	};
	await Promise.all(Array.from({ length: LANES }, lane));
	if (failed) throw failed;
	if (MOST > COUNT) expect([...missing]).toEqual([]);
}, 7_200_000);
